#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the generator itself: python3 test/generate/selftest.py

What the oracle says of known copies, that shrinking finds the smallest kernel,
that a seed gives the same text, and that expressions mean what C says. Needs
neither tilelift nor a compiler.
"""
from __future__ import annotations

import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional, Sequence

import around
import surroundings
import wrapping
from description import Axis, Copy, Guard, Invalid, Kernel, Launch, Program, Shape
from evaluation import Evaluation
from generator import make_kernel, make_program
from language import (INT, LONG_LONG, SIZE, UNSIGNED, Binary, Cast, Choose, Not, Number, Variable,
                      cuda, negation, python)
from lowering import lower
from oracle import fit, judge, undefined
from plans import State, Unknown, check
from program import print_program
from shrinker import is_valid, shrink
from tool import Lift, Outcome, _assign, messages


def kernel_of(copy: Copy, block: tuple[int, int, int] = (128, 1, 1), grid: tuple = (2, 2, 1),
              **fields: Any) -> Kernel:
    """A kernel with one copy and a launch that suits it."""
    extents = tuple(2 * axis.box for axis in copy.axes)
    launch = Launch(grid, 2, shapes=(Shape(extents, (16,) * len(extents)),))
    return Kernel(0, block, (copy,), (launch,), **fields)


def rows(height: int = 8, width: int = 32, halo: int = 0, guarded: bool = True,
         **fields: Any) -> tuple[Axis, Axis]:
    """The axes of a tile of a matrix."""
    lower = guarded and halo > 0
    return (Axis(height, "y", height - 2 * halo, -halo, lower, guarded, **fields),
            Axis(width, "x", width - 2 * halo, -halo, lower, guarded))


class Verdicts(unittest.TestCase):
    """Known copies: (what it is, the copy, the diagnostic that is expected or None)."""

    known: Sequence[tuple[str, Copy, Optional[str]]] = (
        ("a guarded tile", Copy(axes=rows()), None),
        ("no guard", Copy(axes=rows(guarded=False)), None),
        ("a halo", Copy(axes=rows(halo=1)), None),
        ("a line", Copy(axes=(Axis(1000, "x", 1000),)), None),
        ("a guarded line", Copy(axes=(Axis(1024, "x", 1024, 0, False, True),)), None),
        ("a tile in five dimensions", Copy(axes=tuple(
            Axis(n, o, n, 0, False, True) for n, o in
            zip((2, 2, 3, 4, 8), ("none", "none", "z", "y", "x")))), None),
        ("six dimensions", Copy(axes=tuple(
            Axis(n, o, n, 0, False, True) for n, o in
            zip((2, 2, 3, 4, 8), ("none", "none", "none", "y", "x"))), batch="pitch"),
         "too-many-dimensions"),
        ("a batch", Copy(axes=rows(), batch="dense"), None),
        ("a batch of 1588 bytes each", Copy(axes=(Axis(132, "x", 132, 0, True, True, "literal",
                                                      literal_extent=397),), batch="dense"),
         "rule:stride-16"),
        ("old values outside", Copy(axes=rows(), guard=Guard(style="keep")), None),
        ("ones outside", Copy(axes=rows(), guard=Guard(fill="one")), None),
        ("rows with a pitch", Copy(axes=rows(stride="pitch")), None),
        ("rows 132 bytes apart", Copy(axes=rows(stride="literal", literal_stride=33)),
         "rule:stride-16"),
        ("rows 128 bytes apart", Copy(axes=rows(stride="literal", literal_stride=32)), None),
        ("a start that is looked up", Copy(axes=(rows()[0], Axis(32, "table", 32, 0, True, True))),
         None),
        ("wide accesses", Copy(axes=rows(guarded=False), vector=4), None),
        ("a row of one wide access", Copy(axes=rows(width=4, guarded=False), vector=4), None),
        ("transposed", Copy(axes=rows(), flaw="transposed"), "not-contiguous"),
        ("transposed, in units of 16 bytes",
         Copy(element="float4", axes=rows(), flaw="transposed"), None),
        ("every second element", Copy(axes=rows(), flaw="strided"), "not-contiguous"),
        ("backwards", Copy(axes=rows(), flaw="reversed"), "not-contiguous"),
        ("one element for a row", Copy(axes=rows(), flaw="broadcast"), "not-contiguous"),
        ("skewed rows", Copy(axes=rows(guarded=False), flaw="skewed"), "uneven-steps"),
        ("columns in between", Copy(axes=rows(), pad=1), "gap-in-tile"),
        ("elements in between", Copy(axes=rows(), flaw="sparse"), "gap-in-tile"),
        ("two writers", Copy(axes=rows(), flaw="clash"), "clashing-stores"),
        ("two tensors", Copy(axes=rows(), flaw="two-sources"), "two-sources"),
        ("twice the value", Copy(axes=rows(), flaw="scaled"), "computed-value"),
        ("another type", Copy(axes=rows(), flaw="converted"), "computed-value"),
        ("added up", Copy(axes=rows(), flaw="accumulated"), "computed-value"),
        ("clamped at the border", Copy(axes=rows(halo=1), flaw="clamped"), "several-places"),
        ("a bound of the flat index", Copy(axes=rows(), flaw="flat-guard"), "uneven-guard"),
        ("a triangle", Copy(axes=rows(), flaw="triangle"), "guard-not-a-box"),
        ("half of the block", Copy(axes=rows(), flaw="half-block"), "divergent-copy"),
        ("a store elsewhere", Copy(axes=rows(), flaw="side-effect"), "side-effect"),
        ("an index that is used later", Copy(axes=rows(), flaw="index-kept"), "variable-escapes"),
        ("a table of tensors", Copy(axes=rows(), flaw="pointer-table"), "unknown-base"),
        ("a halo whose tile is passed on", Copy(axes=rows(halo=1), consumer="passed"),
         "layout-escapes"),
        ("a tile that is passed on", Copy(axes=rows(), consumer="passed"), None),
        ("the second of two odd tiles", Copy(axes=rows(3, 4), slots=2), "layout-escapes"),
        ("bytes in rows of 272", Copy(element="char", axes=rows(4, 272)), "rule:box-range"),
    )

    def test_known_copies(self) -> None:
        for what, copy, expected in self.known:
            with self.subTest(what):
                verdict = judge(kernel_of(copy), 0, copy.element)
                why = [fact.why for fact in verdict.facts]
                if expected is None:
                    self.assertFalse(verdict.must_be_refused, why)
                    self.assertEqual([f.why for f in verdict.facts if "clash" in f.ids], [])
                else:
                    self.assertTrue(verdict.explains(expected), why)

    def test_what_is_liftable_has_no_excuse(self) -> None:
        for copy in (Copy(axes=rows()), Copy(axes=rows(halo=2)), Copy(axes=(Axis(512, "x", 512),))):
            self.assertEqual(judge(kernel_of(copy), 0, "float").facts, [])

    def test_layouts_of_one_tile(self) -> None:
        first, second = Copy(axes=rows(halo=1)), Copy(axes=rows(halo=2))
        launch = Launch((1, 1, 1), 1, shapes=(Shape((16, 64), (0, 0)),) * 2)
        kernel = Kernel(0, (128, 1, 1), (first, second), (launch,), arrangement="reuse")
        self.assertTrue(judge(kernel, 1, "float").explains("layouts-clash"))


class Digits(unittest.TestCase):
    def test_rows(self) -> None:
        offsets = [(r * 100 + c, r * 77 + c) for r in range(3) for c in range(5)]
        digits = fit(offsets)
        assert digits
        self.assertEqual(digits.counts, [5, 3])
        self.assertEqual(digits.steps, [(1, 1), (100, 77)])

    def test_a_row_that_lies_elsewhere(self) -> None:
        self.assertIsNone(fit([(0,), (1,), (10,), (11,), (21,), (22,)]))


class Meaning(unittest.TestCase):
    """Expressions are printed and computed as C has them."""

    def value(self, expr: Any, **names: int) -> Any:
        return eval(python(expr), {}, names)

    def test_unsigned_arithmetic_wraps(self) -> None:
        difference = Binary("-", Variable("a", UNSIGNED), Number(1))
        self.assertEqual(self.value(difference, a=0), 2**32 - 1)
        self.assertEqual(self.value(Cast(INT, difference), a=0), -1)
        self.assertEqual(self.value(Cast(SIZE, difference), a=0), 2**32 - 1)
        widened = Binary("+", Cast(LONG_LONG, difference), Number(1))
        self.assertEqual(self.value(widened, a=0), 2**32)

    def test_comparisons_convert_to_the_common_type(self) -> None:
        less = Binary("<", Variable("x", INT), Variable("w", UNSIGNED))
        self.assertFalse(self.value(less, x=-1, w=5))
        self.assertTrue(self.value(Binary("<", Variable("x", INT), Variable("w", LONG_LONG)),
                                   x=-1, w=5))

    def test_parentheses(self) -> None:
        a, b = Variable("a", INT), Variable("b", INT)
        self.assertEqual(cuda(Binary("*", Binary("+", a, b), a)), "(a + b) * a")
        self.assertEqual(cuda(Binary("-", a, Binary("-", b, a))), "a - (b - a)")
        self.assertEqual(cuda(Not(Binary("<", a, b))), "!(a < b)")
        self.assertEqual(cuda(Binary("+", Choose(Binary("<", a, b), a, b), b)),
                         "(a < b ? a : b) + b")

    def test_negation(self) -> None:
        a, b = Variable("a", INT), Variable("b", INT)
        both = Binary("&&", Binary(">=", a, Number(0)), Binary("<", a, b))
        self.assertEqual(cuda(negation(both)), "a < 0 || a >= b")

    def test_execution(self) -> None:
        copy = Copy(axes=rows(4, 8, halo=1))
        kernel = kernel_of(copy, block=(32, 1, 1))
        lowered, _ = lower(kernel, 0, "float")
        written = Evaluation(kernel.block, lowered, 1).run({"w": 7, "h": 100}, (0, 0, 0))
        self.assertEqual(len(written.cells), 32)
        self.assertEqual(written.cells[0], "zero")
        self.assertEqual(written.cells[8 + 1], ("in", 0))
        self.assertEqual(written.cells[2 * 8 + 3], ("in", 7 + 2))
        self.assertFalse(written.is_shared)


class Programs(unittest.TestCase):
    def test_a_seed_gives_the_same_text(self) -> None:
        first, second = (str(print_program(make_program(7, 0, 12))) for _ in range(2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, str(print_program(make_program(8, 0, 12))))

    def test_a_kernel_does_not_depend_on_the_others(self) -> None:
        self.assertEqual(make_program(3, 0, 5).kernels[4], make_kernel(3, 4))

    def test_generated_kernels_are_defined(self) -> None:
        for kernel in make_program(5, 0, 20).kernels:
            self.assertTrue(is_valid(kernel), kernel)

    def test_undefined_kernels_are_seen(self) -> None:
        shape = Shape((16, 64), (0, 0))
        copy = Copy(axes=rows(guarded=False), vector=4)
        odd = Launch((1, 1, 1), 1, shapes=(replace(shape, offset=1),))
        kernel = Kernel(0, (128, 1, 1), (copy,), (odd,))
        self.assertEqual(undefined(kernel), "wide accesses off their alignment")

    def test_a_thread_has_a_cell_of_its_own(self) -> None:
        copy = Copy(axes=rows(1, 256, guarded=False), vector=2, idiom="one")
        lowered, _ = lower(kernel_of(copy), 0, "float")
        names = [s for s in lowered.setup if getattr(s, "name", "") == "c"]
        self.assertEqual([cuda(s.value) for s in names], ["threadIdx.x * 2"])

    def test_lines_of_a_copy(self) -> None:
        text = print_program(Program((kernel_of(Copy(axes=rows())),)))
        place = text.copies[0]
        self.assertEqual(text.lines[place.first - 1].strip(), "#pragma tma load")
        self.assertIn("__syncthreads", text.lines[place.last])


class Plans(unittest.TestCase):
    """Plans for a guarded tile with a halo of one: 8 rows of 32, 30 columns apart."""

    kernel = kernel_of(Copy(axes=rows(halo=1)))

    def plan(self, **changes: Any) -> dict[str, Any]:
        inner = {"box": 36, "coordinate": "blockIdx.x * 30 - 4", "extent": "w", "stride": "4"}
        outer = {"box": 8, "coordinate": "blockIdx.y * 6 - 1", "extent": "h", "stride": "w * 4"}
        inner.update(changes)
        return {"mode": "tile", "element": "f32", "offset": "0", "bytes": 36 * 8 * 4,
                "dimensions": [inner, outer], "atCopy": [],
                "atLaunch": [{"condition": "blockIdx.x * 30 - 4 is a multiple of 1"}],
                "layout": {"moved": True, "lead": 3, "rowLength": 32, "pitch": 36,
                           "destination": 0}}

    def test_a_right_plan(self) -> None:
        checked = check(self.kernel, 0, "float", self.plan())
        self.assertEqual(checked.problem, "")
        self.assertTrue(checked.used)

    def test_wrong_plans(self) -> None:
        for changes in ({"coordinate": "blockIdx.x * 30 - 3"}, {"extent": "w + 1"},
                        {"extent": None}, {"stride": "8"}):
            with self.subTest(changes):
                self.assertNotEqual(check(self.kernel, 0, "float", self.plan(**changes)).problem,
                                    "")

    def test_a_plan_that_no_launch_uses(self) -> None:
        plan = self.plan()
        plan["atLaunch"] = [{"condition": "w <= 0"}]
        self.assertFalse(check(self.kernel, 0, "float", plan).used)

    def test_conditions(self) -> None:
        state = State({"w": 12, "blockIdx_x": 2})
        self.assertTrue(state.holds("w - blockIdx.x * 6 >= 0 and w * 2 <= 24"))
        self.assertFalse(state.holds("w is a multiple of 8"))
        self.assertTrue(state.holds("w is 12 and w - 15 is -3"))
        self.assertTrue(state.holds("((w - 15) / 2) is -1 and ((w - 15) % 2) is -1"))
        self.assertTrue(state.holds("((w - 15) >> 1) is -2 and ((w - 15) & 1) is 1"))
        with self.assertRaises(Unknown):
            state.holds("h >= 0")


class Messages(unittest.TestCase):
    def test_messages_find_their_copy(self) -> None:
        text = print_program(Program((kernel_of(Copy(axes=rows())),)))
        line = text.copies[0].first + 1
        output = (f"a/b.cu:{line}:3: error: the row has 24 bytes (inner-box-16) "
                  "[-Wtilelift-rule-violated]\n   12 |  for\na/b.cu:1:1: note: here\n")
        lift = Lift(1, output, {(0, 0): Outcome()})
        for message in messages(output, Path("b.cu")):
            _assign(message, text, lift)
        self.assertEqual([m.id for m in lift.outcomes[0, 0].refusals], ["rule:inner-box-16"])
        self.assertIsNone(lift.failure)

    def test_a_tool_that_dies_is_noticed(self) -> None:
        self.assertIsNotNone(Lift(-11, "", {(0, 0): Outcome()}).failure)
        self.assertIsNotNone(Lift(1, "", {(0, 0): Outcome(lifted=True)}).failure)


class Surroundings(unittest.TestCase):
    """What around.py writes around copies."""

    def text(self, *steps: Any, **fields: Any) -> str:
        kernel = surroundings.Kernel(0, body=tuple(steps), launches=(surroundings.Launch(),), **fields)
        return str(wrapping.print_kernels([kernel])).split("__global__ void k000")[1].split("result[")[0]

    def test_a_seed_gives_the_same_text(self) -> None:
        first, second = (str(wrapping.print_kernels([around.make_kernel(7, 3)])) for _ in range(2))
        self.assertEqual(first, second)

    def test_barriers_stand_where_threads_meet(self) -> None:
        load = surroundings.Copy("load", "in")
        own, turned = (surroundings.Touch("tile", "read", order=order) for order in ("own", "turned"))
        self.assertEqual(self.text(load, own).count("__syncthreads"), 0)
        self.assertEqual(self.text(load, turned).count("__syncthreads"), 2)
        self.assertEqual(self.text(load, turned, meet=True).count("__syncthreads"), 1)

    def test_threads_that_left_come_to_no_barrier(self) -> None:
        write = surroundings.Touch("tile", "write")
        read = surroundings.Touch("tile", "read", order="turned")
        with self.assertRaises(Invalid):
            self.text(write, surroundings.Leave("skip"), read)

    def test_pipelines_that_are_made_ahead(self) -> None:
        load, read = surroundings.Copy("load", "in"), surroundings.Touch("tile", "read", order="turned")
        kernel = surroundings.Kernel(0, stages="2", body=(load, read))
        self.assertTrue(surroundings.is_made_ahead(kernel))
        self.assertFalse(surroundings.is_made_ahead(replace(kernel, body=(read, load))))
        self.assertFalse(surroundings.is_made_ahead(replace(kernel, behind=(read,))))

    def test_finds_the_smallest_kernel(self) -> None:
        fails = lambda k: any(isinstance(s, surroundings.Touch) and s.way == "destructor" for s in k.steps())
        kernel = next(k for k in (around.make_kernel(1, n) for n in range(1000)) if fails(k))

        def first_failing(kernels: Sequence[Any]) -> Optional[int]:
            return next((i for i, k in enumerate(kernels) if fails(k)), None)

        small = shrink(kernel, first_failing, candidates=around.candidates, valid=around.is_simple_enough)
        self.assertEqual((len(list(small.steps())), len(small.copies()), len(small.launches)), (2, 1, 1))


class Shrinking(unittest.TestCase):
    def test_finds_the_smallest_kernel(self) -> None:
        """A defect in copies with unsigned indices and a guard."""
        fails = lambda copy: (copy.index_type == "unsigned" and len(copy.axes) > 1 and
                              any(axis.upper for axis in copy.axes))
        kernel = next(k for k in (make_kernel(1, n) for n in range(10000))
                      if any(map(fails, k.copies)) and len(k.copies) > 1)

        def first_failing(kernels: Sequence[Kernel]) -> Optional[int]:
            return next((i for i, k in enumerate(kernels) if any(map(fails, k.copies))), None)

        small = shrink(kernel, first_failing)
        self.assertTrue(is_valid(small))
        self.assertEqual(len(small.copies), 1)
        self.assertEqual(len(small.launches), 1)
        self.assertEqual(small.block, (32, 1, 1))
        copy = small.copies[0]
        self.assertEqual([axis.box for axis in copy.axes], [4, 4])
        self.assertEqual(sum(axis.upper for axis in copy.axes), 1)
        self.assertEqual(copy, Copy(axes=copy.axes, index_type="unsigned"))


if __name__ == "__main__":
    unittest.main()
