# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the operations of a plan would move, computed with plain numbers.

`tilelift --dump-plan` says which box of which tensor goes where, and under
which conditions. This file evaluates that for one launch and one block, as the
TMA unit would: zero outside the extents, rows of the layout in shared memory.
Compared with what the statement itself does (evaluation.py), it finds wrong
plans without building anything, and for more arguments than a program has.

What is not here: whether the emitted text does what the plan says (that is seen
when programs are run).
"""
from __future__ import annotations

import ast
import itertools
import random
import re
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from types import CodeType
from typing import Any, Iterator, Optional

from description import Kernel
from evaluation import Source, Written, exchanged
from language import INT_TYPES, quotient, remainder
from lowering import lower
from oracle import Judge, Sample, Sampler, arguments_of, samples_of

GRAIN = 16
MOST_EXTENT = 1 << 31
MOST_STRIDE = 1 << 40
SIZES = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "u32": 4, "i32": 4, "f32": 4, "u64": 8, "i64": 8,
         "f64": 8}
RANGE = re.compile(r"^(.*) (>=|<=) (-?\d+)$")
MULTIPLE = re.compile(r"^(.*) is a multiple of (\d+)$")
VALUE = re.compile(r"^(.*) is (-?\d+)$")


class Unknown(Exception):
    """A plan that speaks of something this file cannot compute."""


class Rounding(ast.NodeTransformer):
    """Divisions as C++ has them, towards zero."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = {ast.Div: "quotient", ast.Mod: "remainder"}.get(type(node.op))
        if not name:
            return node
        return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])


@lru_cache(maxsize=4096)
def expression_of(text: str) -> CodeType:
    text = re.sub(r"\bblockIdx\.([xyz])", r"blockIdx_\1", text)
    tree = Rounding().visit(ast.parse(text.strip(), mode="eval"))
    return compile(ast.fix_missing_locations(tree), "<plan>", "eval")


KNOWN = {"__builtins__": {}, "min": min, "max": max, "quotient": quotient, "remainder": remainder}


@dataclass(frozen=True)
class State:
    """The numbers that a plan's expressions are made of."""
    values: dict[str, Any]

    def compute(self, text: str) -> int:
        try:
            return int(eval(expression_of(text), KNOWN, self.values))
        except (NameError, SyntaxError, TypeError, IndexError) as error:
            raise Unknown(f"{text}: {error}") from error

    def holds(self, condition: str) -> bool:
        """A condition, such as 'w >= 0 and w <= 7' or 'w is a multiple of 4'."""
        return all(self._holds(part) for part in condition.split(" and "))

    def _holds(self, part: str) -> bool:
        multiple, value, bound = MULTIPLE.match(part), VALUE.match(part), RANGE.match(part)
        if multiple:
            return self.compute(multiple[1]) % int(multiple[2]) == 0
        if value:
            return self.compute(value[1]) == int(value[2])
        if not bound:
            raise Unknown(part)
        number, limit = self.compute(bound[1]), int(bound[3])
        return number >= limit if bound[2] == ">=" else number <= limit


def states_of(judge: Judge, sample: Sample) -> Iterator[State]:
    """The block of a sample first, then the corners of the blocks before it."""
    arguments = {**_other_arguments(judge),
                 **arguments_of(judge.lowered, judge.copy, judge.which, sample.launch)}
    starts = arguments.get("starts" + judge.lowering.suffix)
    step = next((axis.step for axis in judge.copy.axes if axis.origin == "loop"), 1)
    ends = [(own, 0) for own in (*sample.block, sample.round)]
    for x, y, z, t in itertools.product(*ends):
        values = {**arguments, "blockIdx_x": x, "blockIdx_y": y, "blockIdx_z": z, "t": t,
                  "k0": t * step}
        if starts:
            values["chosen_start" + judge.lowering.suffix] = starts[x]
        yield State(values)


def _other_arguments(judge: Judge) -> dict[str, int]:
    """What a launch may pass to the kernel's other copies."""
    element = judge.lowered.element
    return {parameter.name: 64 for other, copy in enumerate(judge.kernel.copies)
            for parameter in lower(judge.kernel, other, element if judge.kernel.typed
                                   else copy.element)[0].parameters
            if parameter.role in ("extent", "pitch", "batch", "first")}


def is_lifted(plan: dict[str, Any], states: list[State]) -> bool:
    """Whether a launch of these blocks takes the lifted way in the first of them."""
    if not all(state.holds(c["condition"]) for state in states for c in plan["atLaunch"]):
        return False
    own = states[0]
    if not all(own.holds(c["condition"]) for c in plan["atCopy"]):
        return False
    if plan["mode"] == "bulk":
        return True
    if own.compute(plan["offset"]) % GRAIN:
        return False
    for d, dimension in enumerate(plan["dimensions"]):
        extent, stride = dimension["extent"], own.compute(dimension["stride"])
        if extent is not None and not 1 <= own.compute(extent) <= MOST_EXTENT:
            return False
        if d > 0 and (stride % GRAIN or not 0 <= stride < MOST_STRIDE):
            return False
    return True


class Transfer:
    """What one plan moves in one block."""

    def __init__(self, plan: dict[str, Any], state: State, size: int, shape: list[int]):
        """`shape` has the extents of the tile as it is declared."""
        self.plan, self.size, self.shape = plan, size, shape
        self.offset = state.compute(plan["offset"])
        self.bytes = plan["bytes"]
        self.to = plan["layout"]["destination"] + state.compute(plan["layout"].get("slot", "0"))
        self.rows = [(row["count"], state.compute(row["stride"]), row["distance"])
                     for row in plan.get("rows", [])]
        self.dims = [(d["box"], state.compute(d["coordinate"]), state.compute(d["stride"]),
                      None if d["extent"] is None else state.compute(d["extent"]))
                     for d in plan.get("dimensions", [])]
        self.walks = [(None if w["count"] is None else state.compute(w["count"]),
                       state.compute(w["first"]) + state.compute(w["offset"]), state.compute(w["step"]))
                      for w in plan.get("walks", [])]
        self.pixel = state.compute(plan["pixel"]) if self.walks else 0
        self.unit = SIZES[plan["element"]]

    def place(self, cell: int) -> int:
        """Which of the bytes that arrive is the first of a tile element."""
        layout = self.plan["layout"]
        if layout.get("transposed"):
            cell = exchanged(cell, self.shape)
        if layout.get("panel", 0):
            row = layout["rowLength"] if layout["moved"] else self.shape[-1]
            return self._place_in_panel(*divmod(cell, row))
        if layout["moved"]:
            row, column = divmod(cell, layout["rowLength"])
            cell = layout["lead"] + row * layout["pitch"] + column
        byte = cell * self.size - self.to
        # Where the parts of a swizzled row go is between TMA and the tile's subscripts, but
        # shorter rows get its length.
        span = layout.get("swizzle", 0)
        if not span or byte < 0:
            return byte
        length = self.dims[0][0] * self.unit
        row, column = divmod(byte, span)
        return row * length + column if column + self.size <= length else -1

    def _place_in_panel(self, row: int, column: int) -> int:
        """The same where rows are cut: each part of all rows is a panel, filled by a box."""
        layout = self.plan["layout"]
        span, panel = layout["swizzle"], layout["panel"]
        part, within = divmod((layout["lead"] + column) * self.size, span)
        inside = row * span - self.to
        if inside < 0 or inside >= panel or part >= self.dims[0][0] * self.unit // span:
            return -1
        return inside // span * self.dims[0][0] * self.unit + part * span + within

    def _row(self, byte: int) -> tuple[int, int]:
        """How far into its row of the tile a byte is, and how far into the tensor."""
        address = 0
        for count, stride, distance in reversed(self.rows):
            index = min(byte // distance, count - 1)
            byte -= index * distance
            address += index * stride
        return byte, address + byte

    def arrives(self, first: int) -> bool:
        """Whether the element at a byte of the tile is one that is filled."""
        if first < 0:
            return False
        each = self.bytes // prod(count for count, _, _ in self.rows)
        return self._row(first)[0] <= each - self.size

    def source(self, byte: int) -> Optional[int]:
        """The byte of the tensor that arrives as this byte; None for zero."""
        if self.plan["mode"] == "bulk":
            return self.offset + self._row(byte)[1]
        rest, within = divmod(byte, self.unit)
        address = self.offset + within
        for index, (_, _, stride, extent) in zip(self._indices(rest), self.dims):
            if not 0 <= index < (MOST_EXTENT if extent is None else extent):
                return None
            address += index * stride
        return address

    def _indices(self, number: int) -> Iterator[int]:
        """Where the element with a number in the box lies in each dimension."""
        boxes = self.dims[:1] if self.walks else self.dims
        for box, coordinate, _, _ in boxes:
            number, index = divmod(number, box)
            yield index + coordinate
        if self.walks:  # the rest is a pixel, of which each walk takes a digit
            number += self.pixel
            for count, first, step in self.walks:
                number, digit = divmod(number, count) if count else (0, number)
                yield first + digit * step
            yield number + self.dims[-1][1]

    def element(self, cell: int) -> Source:
        """What arrives in a tile element, as evaluation.py says it."""
        first = self.place(cell)
        if not self.arrives(first):
            return "nothing"
        start, end = self.source(first), self.source(first + self.size - 1)
        if start is None and end is None:
            return "zero"
        if start is None or end is None or end - start != self.size - 1 or start % self.size:
            return "parts of elements"
        return ("in", start // self.size)


@dataclass
class Checked:
    """What was found about a plan."""
    problem: str = ""  # how it differs from the statement that it was made for
    used: bool = False  # whether some launch takes the lifted way


def check(kernel: Kernel, which: int, element: str, plan: dict[str, Any]) -> Checked:
    """Compares a plan with its statement, for many launches and blocks."""
    result = Checked()
    judge = Judge(kernel, which, element)
    checked = list(_evaluated(judge))
    cells = sorted({cell for _, written in checked for cell in written.cells})
    # A box may cover elements between those that are written, if they have no value before.
    room = len(cells) if judge.lowered.initialised else prod(judge.lowered.tile_shape)
    for sample, written in checked if cells else []:
        states = list(states_of(judge, sample))
        if not is_lifted(plan, states):
            continue
        result.used = True
        transfer = Transfer(plan, states[0], judge.size, judge.lowered.tile_shape)
        problem = _difference(judge, transfer, written, cells)
        if not plan["layout"]["moved"] and transfer.bytes > room * judge.size:
            problem = "more bytes arrive than the copy may write"
        if problem:
            result.problem = f"{problem} with {states[0].values}"
            break
    return result


def _evaluated(judge: Judge) -> Iterator[tuple[Sample, Written]]:
    """What the statement does, where it does not take an index modulo an empty extent."""
    for sample in _samples(judge):
        try:
            yield sample, judge.evaluate(sample)
        except ZeroDivisionError:
            pass


def _samples(judge: Judge) -> list[Sample]:
    """Arguments that launches of the lifted kernel may have, and some that they must not."""
    copy, rng = judge.copy, random.Random(2)
    full, cut = samples_of(Sampler(copy, judge.which, rng, max(1, GRAIN // judge.size)))
    empty = [Sampler(copy, judge.which, rng).inside({a: "empty"})
             for a, axis in enumerate(copy.axes) if axis.upper]
    if INT_TYPES[judge.kernel.argument_type].signed:
        cut += [sample for sample in empty if sample]
    return full + cut + judge.full_samples + judge.cut_samples


def _difference(judge: Judge, transfer: Transfer, written: Written,
                cells: list[int]) -> Optional[str]:
    """The first element that gets something else."""
    for cell in cells:
        source = written.cells.get(cell, "the old value")
        if source == "the old value" and judge.copy.guard.style == "keep-any":
            continue
        arrives = transfer.element(cell)
        if source == "the old value" and arrives == "nothing":
            continue  # of a tile that is larger than what this launch copies
        if arrives != source and (not isinstance(source, tuple) or arrives != ("in", source[1])):
            return f"element {cell} gets {describe(arrives)} instead of {describe(source)}"
    return None


def describe(source: Source) -> str:
    return f"element {source[1]}" if isinstance(source, tuple) else str(source)


def plans_by_copy(plans: list[dict[str, Any]], kernel: Kernel, name: str, lifted: list[int],
                  elements: list[str]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Which copy, for which element type, each plan of a kernel is of."""
    for element in elements:
        instance = re.compile(rf"{name}<(.*, )?{element}(, .*)?>" if kernel.typed
                              else f"{name}(<.*>)?")
        own = [plan for plan in plans if instance.fullmatch(plan["instance"])]
        if len(own) > len(lifted):
            continue  # a copy from two tensors has two plans
        for copy, plan in zip(lifted, own):
            yield copy, element if kernel.typed else kernel.copies[copy].element, plan
