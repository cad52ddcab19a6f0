# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges from a copy's description whether TMA can do it, and if not, why.

Knows nothing of how tilelift works. A copy is executed with plain numbers, for
all threads of a block, for several arguments and blocks: with everything inside
the guard, and with the guard cutting the tile on each of its sides. From what
is stored the oracle derives facts: elements that two threads write, gaps, rows
that are not evenly spaced, guards that are no box. What surrounds the copy and
what the layout in shared memory demands follows from the description.

Each fact names the diagnostics that it explains. A refusal is right if one of
the facts explains it; a copy with a certain fact must not be lifted at all.

What is not here: whether a lifted copy moves the right bytes (run.py).
"""
from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Iterator, Optional, Sequence

from description import (ELEMENTS, MOST_SHARED, Copy, Kernel, Launch, Shape, batch_stride_of, block_of,
                         extents_of, strides_of)
from evaluation import Evaluation, Written
from language import INT_TYPES
from lowering import argument_value, lower, table_values
from places import Lowered
from program import footprint, instances

GRAIN = 16  # bytes; what TMA counts shared memory and strides in
MOST_BOX = 256
MOST_ELEMENT = 8  # bytes
MOST_DIMENSIONS = 5
MOST_ROUNDS = 1 << 17  # of all threads; each is some steps of the tool's


@dataclass(frozen=True)
class Fact:
    """Something that is true of a copy and keeps TMA from doing it."""
    ids: frozenset[str]  # of diagnostics; a rule of the TMA unit is 'rule:NAME'
    why: str
    certain: bool = True  # else TMA may still do it


@dataclass
class Verdict:
    facts: list[Fact] = field(default_factory=list)

    @property
    def must_be_refused(self) -> bool:
        return any(fact.certain for fact in self.facts)

    def explains(self, id: str) -> bool:
        return any(id in fact.ids for fact in self.facts)

    def add(self, ids: str, why: str, certain: bool = True) -> None:
        self.facts.append(Fact(frozenset(ids.split()), why, certain))


# What surrounds the copy, by flaw.
SURROUNDINGS = {
    "staged": ("unknown-index expression-not-available",
               "the place in the tile depends on an argument"),
    "loaded-rows": ("reads-past-end unknown-index uneven-steps gathered-rows gathered-guard row-start unknown-stride "
                    "expression-not-available rule:box-range", "the rows are looked up"),
    "wrapped": ("not-im2col reads-past-end expression-not-available not-contiguous several-places "
                "rule:box-range too-many-conditions", "an index modulo the extent"),
    "loaded-condition": ("unknown-index uneven-guard guard-not-a-box uneven-steps too-many-dimensions "
                         "reads-past-end rule:stride-range rule:stride-16 row-start expression-not-available",
                         "the condition is looked up"),
    "split": ("rule:stride-range rule:stride-16 uneven-steps uneven-guard guard-not-a-box "
              "too-many-dimensions reads-past-end", "some rows are shifted"),
    "flat-guard": ("uneven-guard guard-not-a-box reads-past-end rule:stride-16 rule:box-range",
                   "the guard is on the flat index"),
    "triangle": ("uneven-guard guard-not-a-box computed-value reads-past-end rule:stride-16 gap-in-tile "
                 "tile-start",
                 "the guard is on the sum of row and column"),
    "clamped": ("reads-past-end computed-value unknown-index several-places rule:box-range",
                "clamped at the border"),
    "half-block": ("divergent-copy", "half of the block does not get there"),
    "side-effect": ("side-effect", "it writes to another array"),
    "barrier": ("unsupported-statement side-effect", "it has a barrier"),
    "index-kept": ("variable-escapes", "its index is used later"),
    "pointer-table": ("unknown-base", "its tensor is looked up"),
    "volatile": ("volatile-access", "its tensor is volatile"),
    "switch": ("unsupported-statement", "it is inside a switch"),
    "dynamic": ("layout-escapes", "its tile is in dynamic shared memory"),
}


# Flaws that TMA can live with where the tile is a single row, or not cut.
MAYBE = ("pointer-table", "loaded-rows", "loaded-condition", "clamped", "flat-guard", "split",
         "triangle", "wrapped", "staged", "dynamic")

# Flaws that only show at the border: boxes that lie wholly inside are copied.
INSIDE_ONLY = ("clamped", "wrapped")

# What a box cannot do, and copies of single rows may.
OF_BOXES = frozenset({"layout-escapes", "tile-start", "too-many-dimensions", "rule:box-range", "gap-in-tile",
                      "rule:stride-range"})


# Samples ------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """Arguments of one launch and one block of it."""
    launch: Launch
    block: tuple[int, int, int]
    round: int


class Sampler:
    """Chooses arguments and blocks, so that the guard cuts the tile or does not.

    Rows are a multiple of `grain` elements long where an argument says their length.
    """

    def __init__(self, copy: Copy, which: int, rng: random.Random, grain: int = 1):
        self.copy, self.which, self.rng, self.grain = copy, which, rng, grain
        self.always_cut = False  # the tile is never wholly inside the guard

    def inside(self, cuts: dict[int, str] = {}, depth: Optional[float] = None,
               room: int = 50) -> Optional[Sample]:
        """A block whose tile lies inside the guard, but for the sides in `cuts`.

        `depth` is how much of the tile is cut off, if that can be chosen, and `room`
        how much the tensor may have beyond the tile.
        """
        self.depth, self.room = self.rng.random() if depth is None else depth, room
        # Tables have the first entry at block 0, so that 'table' axes start there.
        indices = {"x": 0, "y": 0, "z": self.rng.randint(0, 3), "loop": 0}
        first = self.rng.randint(0, 9)
        extents, slack = [], []
        for a, axis in enumerate(self.copy.axes):
            start = self._start(axis, cuts.get(a), first)
            if start is None:
                return None
            index, first, start = start
            if axis.origin in indices:
                indices[axis.origin] = index
            inner = a == len(self.copy.axes) - 1
            extents.append(self._extent(axis, start, cuts.get(a), self.grain if inner else 1))
            has_slack = room and (axis.stride == "pitch" or a == 0)
            slack.append(self.rng.randint(1, 60) * self.grain if has_slack else 0)
        shape = Shape(tuple(extents), tuple(slack), 0, first)
        launch = Launch((64, 64, 8), 8, shapes=(shape,) * (self.which + 1))
        return Sample(launch, (indices["x"], indices["y"], indices["z"]), indices["loop"])

    def _start(self, axis: Any, cut: Optional[str],
               first: int) -> Optional[tuple[int, int, int]]:
        """An index of the origin, the first entry, and where the tile starts then."""
        if axis.origin in ("table", "argument"):
            start = self.rng.randint(0, 30) // self.copy.vector * self.copy.vector
            if cut == "lower":
                start = -self._left_out(axis)
            if axis.extent == "literal" and cut == "upper":
                start = axis.literal_extent - axis.box + self._left_out(axis)
            elif axis.extent == "literal" and axis.upper and cut is None:
                start = self.rng.randint(0, max(0, axis.literal_extent - axis.box))
            return 0, start - axis.shift, start
        if axis.origin == "none":
            suits = self._suits(axis, axis.shift, cut)
            if cut and not suits:
                return None
            self.always_cut |= not suits
            return 0, first, axis.shift
        few = [0, 1, 2, 3]
        if self.room:
            self.rng.shuffle(few)
        for index in [*few, *range(4, 40)]:
            start = index * axis.step + axis.shift
            if self._suits(axis, start, cut):
                return index, first, start
        if cut:
            return None
        self.always_cut = True
        index = max(0, -(axis.shift // axis.step))
        return index, first, index * axis.step + axis.shift

    @staticmethod
    def _suits(axis: Any, start: int, cut: Optional[str]) -> bool:
        if cut == "lower":
            return -axis.box < start < 0
        if start < 0:
            return False
        if axis.upper and axis.extent == "literal":
            end = axis.literal_extent
            return start < end < start + axis.box if cut else start + axis.box <= end
        return True

    def _extent(self, axis: Any, start: int, cut: Optional[str], unit: int) -> int:
        """The argument that makes the bound cut the tile, or not."""
        beyond = 1 if axis.extent == "less" else 0
        if cut == "empty":
            return self.rng.choice((0, 0, -1, -7))
        if cut == "upper":
            least = max(1, start + axis.box - self._left_out(axis)) + beyond
            return max(unit, least // unit * unit)
        room = self.room if self.room >= 300 else self.rng.randint(0, self.room)
        return -(-(max(0, start + axis.box + room) + beyond) // unit) * unit

    def _left_out(self, axis: Any) -> int:
        """How much of an axis is cut off: from one element to all but one."""
        return 1 + round(self.depth * max(0, axis.box - 2))


def samples_of(sampler: Sampler) -> tuple[list[Sample], list[Sample]]:
    """Samples with the whole tile inside, and samples with the guard at each side."""
    copy, rng = sampler.copy, sampler.rng
    everywhere = copy.flaw in ("flat-guard", "triangle")
    # Far from the border, but not so far that an index leaves its type.
    room = 50 if not everywhere else 2000 if len(copy.axes) < 3 else 300
    full = [s for s in (sampler.inside(room=room) for _ in range(3)) if s]
    sides = [(a, side) for a, axis in enumerate(copy.axes) for side in ("lower", "upper")
             if axis.box > 1 and (getattr(axis, side) or (everywhere and side == "upper"))]
    cut = [sampler.inside(room=0)]
    for a, side in sides:
        depths = (0, 0.4, 1) if side == "upper" or everywhere else (0.4,)
        cut += [sampler.inside({a: side}, depth) for depth in depths]
    cut += [sampler.inside({a: own for a, own in sides if own == side}, depth, room=0)
            for side in ("lower", "upper") for depth in (0, 0.7)]
    cut += [sampler.inside(dict(rng.sample(sides, min(2, len(sides))))) for _ in range(2)]
    cut = [sample for sample in cut if sample]
    return full, cut


def run_sample(evaluation: Evaluation, lowered: Lowered, copy: Copy, which: int,
               sample: Sample) -> Written:
    arguments = arguments_of(lowered, copy, which, sample.launch)
    steps = [axis.step for axis in copy.axes if axis.origin == "loop"]
    k0 = sample.round * (steps[0] if steps else 1)
    return evaluation.run(arguments, sample.block, k0, sample.round)


def arguments_of(lowered: Lowered, copy: Copy, which: int, launch: Launch) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for parameter in lowered.parameters:
        if parameter.role == "table":
            values[parameter.name] = table_values(parameter, copy, launch, which)
        elif parameter.role not in ("tensor", "tensors", "marks"):
            values[parameter.name] = argument_value(parameter, copy, launch, which)
    return values


# Whether a program is defined --------------------------------------------------------


def undefined(kernel: Kernel) -> Optional[str]:
    """Why the plain kernel must not run with these launches; None if it may."""
    for element in instances(kernel):
        for which, copy in enumerate(kernel.copies):
            lowered, _ = lower(kernel, which, element if kernel.typed else copy.element)
            for launch in kernel.launches:
                evaluation = Evaluation(block_of(kernel, launch), lowered, copy.vector)
                reason = _undefined_launch(evaluation, lowered, copy, which, launch)
                if reason:
                    return reason
    return None


def _undefined_launch(evaluation: Evaluation, lowered: Lowered, copy: Copy, which: int,
                      launch: Launch) -> Optional[str]:
    before, count = footprint(copy, launch, which)
    shape = launch.shapes[which]
    if shape.offset % copy.vector or any(s % copy.vector for s in strides_of(copy, shape)[:-1]):
        return "wide accesses off their alignment"
    if copy.batch != "none" and batch_stride_of(copy, shape) % copy.vector:
        return "wide accesses off their alignment"
    if any(extent < 1 for extent in extents_of(copy, shape)):
        return "an empty tensor"
    ends = [sorted({0, n - 1}) for n in launch.grid]
    rounds = sorted({0, launch.rounds - 1})
    for x, y, z, t in itertools.product(*ends, rounds):
        written = run_sample(evaluation, lowered, copy, which, Sample(launch, (x, y, z), t))
        for low, high in written.reads().values():
            if low < -before or high >= count - before:
                return "a load outside the tensor"
        if written.is_outside:
            return "a store outside the tile"
        if written.is_shared:
            return "two threads write an element"
        if written.is_unaligned:
            return "wide accesses off their alignment"
        if not _covers(copy, lowered, written) and not lowered.initialised \
                and copy.guard.style != "keep-any":
            return "an element that is never written"
    return None


def _covers(copy: Copy, lowered: Lowered, written: Written) -> bool:
    return len(written.cells) >= prod(axis.box for axis in copy.axes)


# The judgement ----------------------------------------------------------------------


@dataclass
class Digits:
    """The tile's elements as numbers of mixed radix, innermost digit first."""
    counts: list[int]
    steps: list[tuple[int, ...]]  # elements of the tensor, in each full sample


def judge(kernel: Kernel, which: int, element: str) -> Verdict:
    """Everything that keeps TMA from doing a copy, for one element type."""
    return Judge(kernel, which, element).run()


class Judge:
    def __init__(self, kernel: Kernel, which: int, element: str):
        self.kernel, self.copy, self.which = kernel, kernel.copies[which], which
        self.size = ELEMENTS[element].size
        self.lowered, self.lowering = lower(kernel, which, element)
        # A transposed tile is judged as it lies when it lifts.
        self.is_turned = self.copy.flaw == "transposed"
        declared = self.lowered.tile_shape
        self.tile_shape = [*declared[:-2], *declared[:-3:-1]] if self.is_turned else declared
        self.verdict = Verdict()
        self.rng = random.Random(1)
        self.evaluation = Evaluation(kernel.block, self.lowered, self.copy.vector)
        sampler = Sampler(self.copy, which, self.rng)
        full, cut = samples_of(sampler)
        self.always_cut = sampler.always_cut
        self.full_samples, self.cut_samples = full, cut
        self.full, self.cut = [[self._seen(s) for s in samples] for samples in (full, cut)]

    def _seen(self, sample: Sample) -> Written:
        written = self.evaluate(sample)
        return written.transposed(self.lowered.tile_shape) if self.is_turned else written

    def evaluate(self, sample: Sample) -> Written:
        """What the statement stores with the arguments of a sample."""
        return run_sample(self.evaluation, self.lowered, self.copy, self.which, sample)

    def run(self) -> Verdict:
        self._judge()
        if self.is_turned:
            about = {"clashing-stores", "outside-the-tile"}
            self.verdict.facts = [replace(fact, certain=fact.certain and bool(fact.ids & about))
                                  for fact in self.verdict.facts]
            self.verdict.add("not-contiguous uneven-steps layout-escapes layouts-clash transposed-clash",
                             "the rows of the tile are columns of the tensor", certain=False)
        return self.verdict

    def _judge(self) -> None:
        self._surroundings()
        self._work()
        self._writers()
        self._values()
        positions = self._coverage()
        if self.verdict.must_be_refused or self.verdict.explains("two-sources") \
                or positions is None:
            return
        digits = self._even(positions)
        if digits is None:
            return
        boxes = self._guards(positions, digits)
        if self.verdict.must_be_refused:
            return
        # Where the guard is no box, the tiles that lie wholly inside have dimensions all the same.
        self._dimensions(boxes or digits)
        if boxes:
            self._coordinates(boxes)
            self._layout(positions[0], boxes)
            digits = boxes
        if self._rows_may_do(positions[0], digits):
            self.verdict.facts = [replace(fact, certain=fact.certain and not fact.ids & OF_BOXES)
                                  for fact in self.verdict.facts]

    # Facts about the statement ------------------------------------------------------

    def _surroundings(self) -> None:
        if self.copy.flaw in SURROUNDINGS:
            ids, why = SURROUNDINGS[self.copy.flaw]
            certain = self.copy.flaw not in MAYBE
            self.verdict.add(ids, why, certain)
        # Two rows that are looked up lie on an axis of their own.
        if self.copy.flaw == "loaded-rows" and len(self.copy.axes) == MOST_DIMENSIONS:
            self.verdict.add("too-many-dimensions", "an axis more than the tensor has",
                             certain=False)

    def _writers(self) -> None:
        if any(w.clashes for w in self.full + self.cut):
            self.verdict.add("clashing-stores", "two threads write one element")
        if any(w.is_outside for w in self.full + self.cut):
            self.verdict.add("outside-the-tile", "a store lies outside the tile")

    def _values(self) -> None:
        sources = [s for w in self.full + self.cut for s in w.cells.values()]
        if any(s[0] == "computed" for s in sources):
            self.verdict.add("computed-value", "the value is changed on the way")
        tensors = {s[0] for s in sources if isinstance(s, tuple)} - {"computed"}
        if len(tensors) > 1:
            # Stretches of a tile may be copies of their own, which end where no guard says that a row does.
            self.verdict.add("two-sources layouts-clash layout-escapes gap-in-tile uneven-steps "
                             "uneven-guard guard-not-a-box not-contiguous reads-past-end "
                             "rule:stride-16", "elements come from two tensors", certain=False)
        if self.always_cut:
            self.verdict.add("computed-value", "elements that are always the same",
                             certain=False)
        if self.always_cut and not INT_TYPES[self.kernel.argument_type].signed:
            self.verdict.add("not-a-copy", "what is below zero is far above the extent",
                             certain=False)
        in_pieces = (self.always_cut or len(tensors) > 1 or
                     self.copy.flaw in (*INSIDE_ONLY, "loaded-rows"))
        for a in range(len(self.copy.axes) - 1 if in_pieces else 0):
            strides = {strides_of(self.copy, s.launch.shapes[self.which])[a]
                       for s in self.full_samples}
            if len(strides) == 1:
                self._constant_stride(strides.pop() * self.size, certain=False)
        if self.always_cut and INT_TYPES[self.kernel.argument_type].bits > 32:
            self.verdict.add("uneven-steps uneven-guard guard-not-a-box rule:coordinate-range "
                             "not-contiguous",
                             "indices wrap around before they are compared", certain=False)
        if self.copy.index_type in ("size_t", "long long") and any(a.lower for a in self.copy.axes):
            self.verdict.add("uneven-steps uneven-guard guard-not-a-box",
                             "what is below zero is widened, or compared with an extent that is",
                             certain=False)

    def _work(self) -> None:
        """Threads go through all rounds of the loops, copying or not."""
        if self.copy.axes[-1].box * self.size < GRAIN:
            self.verdict.add("not-contiguous", "rows of fewer bytes than a copy has", certain=False)
        rounds = prod(axis.box for axis in self.copy.axes) * prod(self.kernel.block)
        if self.copy.guard.style == "bounded":
            rounds *= 4  # each has conditions of its own
        if rounds > MOST_ROUNDS:
            self.verdict.add("too-much-work", f"{rounds} rounds of loops", certain=False)

    def _coverage(self) -> Optional[list[int]]:
        """The elements of the tile that are written, in order."""
        positions = sorted(set().union(*(w.cells for w in self.full + self.cut)))
        if not positions:
            self.verdict.add("not-a-copy computed-value", "nothing is written", certain=False)
            return None
        if positions[-1] - positions[0] + 1 != len(positions):
            # They may have no value at all; plans.py sees what the others get.
            self.verdict.add("gap-in-tile not-contiguous uneven-steps uneven-guard guard-not-a-box "
                             "layout-escapes layouts-clash", "elements in between are not written",
                             certain=False)
            return None
        return positions

    # The shape of what is read ------------------------------------------------------

    def _even(self, positions: list[int]) -> Optional[Digits]:
        """The digits, if every element lies where they say."""
        uneven = "uneven-steps not-contiguous several-places"
        whole = all(isinstance(w.cells.get(p), tuple) for w in self.full for p in positions)
        if self.always_cut and not whole:
            return self._even_inside(positions, uneven)
        if not whole:
            self.verdict.add(uneven + " uneven-guard guard-not-a-box unknown-index",
                             "elements are left out inside the guard", certain=False)
            return None
        offsets = [tuple(w.cells[p][1] for w in self.full) for p in positions]
        digits = fit(offsets)
        if digits is None:
            # Below the tensor's start an unsigned index has wrapped around.
            wrapped = max(map(max, offsets)) - min(map(min, offsets)) > 2**31
            # Clamped rows are one and the same in an image of a single row.
            self.verdict.add(uneven, "the rows are not evenly spaced",
                             certain=not wrapped and
                             self.copy.flaw not in ("loaded-rows", "clamped"))
            return None
        if any(step != 1 for step in digits.steps[0]) and not self._is_row():
            self.verdict.add("not-contiguous uneven-steps",
                             "neighbours in the tile are no neighbours in the tensor",
                             # In a tile of several dimensions, transposed ones may be, or all may be one element.
                             certain=len(self.tile_shape) < 2)
            return None
        return digits

    def _is_row(self) -> bool:
        """Whether one element may be a row of its own."""
        shape = self.tile_shape
        is_declared = len(shape) > 1 and shape[-1] == 1 and not self.copy.flat
        return self.size >= GRAIN or is_declared

    def _even_inside(self, positions: list[int], uneven: str) -> Optional[Digits]:
        """The same where some of the tile never is inside: its own shape has to do."""
        counts = [n for n in reversed(self.tile_shape) if n > 1] or [1]
        while len(counts) > 1 and prod(counts) > len(positions):  # slots
            counts.pop()
        if len(self.tile_shape) > 1 and self.tile_shape[-1] == 1:
            self.verdict.add("rule:stride-16", "rows of one element", certain=False)
        # What wraps in 32 bits and is then widened lies above every extent but the largest.
        if self.copy.loop_type == "unsigned" and (self.copy.index_type in ("size_t", "long long") or
                                                  self.copy.index_cast != "none"):
            self.verdict.add("uneven-steps", "an index wraps before it is widened", certain=False)
        digits = Digits(counts, [])
        found = [self._steps(w, positions, digits) for w in self.full]
        if any(steps is None for steps in found):
            self.verdict.add(uneven + " uneven-guard guard-not-a-box unknown-index",
                             "what is inside is not evenly spaced")
            return None
        digits.steps = list(zip(*found))
        if any(step != 1 for step in digits.steps[0]) and not self._is_row():
            self.verdict.add(uneven, "neighbours in the tile are no neighbours in the tensor",
                             certain=len(self.tile_shape) < 2)
            return None
        return digits

    def _guards(self, positions: list[int], digits: Digits) -> Optional[Digits]:
        """The digits that every guard is a box of."""
        refined = refine(digits, [axis.box for axis in reversed(self.copy.axes)])
        for candidate in [digits] + ([refined] if refined else []):
            if all(self._is_box(w, positions, candidate) for w in self.cut):
                return candidate
        self.verdict.add("uneven-guard guard-not-a-box several-places uneven-steps unknown-index "
                         "not-contiguous",
                         "what the guard lets through is no box, or lies elsewhere",
                         # Where all of a flat range is inside, rows are copied one by one. Where anything but
                         # zeros lies outside, tiles are copied that are wholly inside, whatever the guard is.
                         certain=self.copy.flaw not in (*INSIDE_ONLY, "flat-guard") and
                         self.copy.guard.fill == "zero" and
                         not self.copy.guard.style.startswith("keep"))
        return None

    def _is_box(self, written: Written, positions: list[int], digits: Digits) -> bool:
        return self._steps(written, positions, digits) is not None

    def _steps(self, written: Written, positions: list[int],
               digits: Digits) -> Optional[list[int]]:
        """What is read moves by these along each digit, if what is inside is a box."""
        inside = {i: written.cells[p][1] for i, p in enumerate(positions)
                  if isinstance(written.cells.get(p), tuple)}
        if not inside:
            return [1] + [0] * (len(digits.counts) - 1)
        numbers = {i: split(i, digits.counts) for i in inside}
        ranges = [sorted({n[d] for n in numbers.values()}) for d in range(len(digits.counts))]
        if prod(len(r) for r in ranges) != len(inside):
            return None
        if any(r[-1] - r[0] + 1 != len(r) for r in ranges):
            return None
        return even_steps(inside, numbers, ranges)

    # What TMA says to that --------------------------------------------------------------

    def _dimensions(self, digits: Digits) -> None:
        batch = 1 if self.copy.batch != "none" else 0
        distances = {batch_stride_of(self.copy, s.launch.shapes[self.which])
                     for s in self.full_samples}
        if batch and len(distances) == 1:  # but a row may be a 1-D copy where it suits
            self._constant_stride(distances.pop() * self.size, certain=False)
        needed, most = len(digits.counts) + batch, len(self.copy.axes) + batch
        if most > MOST_DIMENSIONS:
            self.verdict.add("too-many-dimensions", "six dimensions", needed > MOST_DIMENSIONS)
        for steps in digits.steps:
            if steps[0] not in (0, 1) and len(set(steps)) == 1:
                # If the tensor has only one row, all clamped rows are that row, and no stride is needed.
                certain = not self.always_cut and self.copy.flaw not in ("flat-guard", "triangle",
                                                                         "loaded-rows", "clamped")
                self._constant_stride(steps[0] * self.size, certain)
        if self.copy.vector > 1 and self.copy.axes[-1].origin == "table":
            # Where a vector starts that a guard bounds is no whole number of vectors, and a dimension of its own.
            self._constant_stride(self.size, certain=False)
        for a, axis in enumerate(self.copy.axes[:-1]):
            strides = {strides_of(self.copy, s.launch.shapes[self.which])[a]
                       for s in self.full_samples}
            if axis.box == 1 and len(strides) == 1:
                self._constant_stride(strides.pop() * self.size, certain=False)

    def _coordinates(self, digits: Digits) -> None:
        """Rows whose distance is none of the tensor's: where do they start?"""
        strides = list(zip(*(strides_of(self.copy, s.launch.shapes[self.which])
                             for s in self.full_samples)))
        if not self.always_cut and any(step not in strides for step in digits.steps):
            self.verdict.add("rule:stride-range rule:stride-16 too-many-dimensions uneven-steps "
                             "expression-not-available", "rows have a distance of their own",
                             certain=False)

    def _rows_may_do(self, first: int, digits: Digits) -> bool:
        """Whether rows start and end on 16 bytes of the tile as it is."""
        row = digits.counts[0] * self.size
        return row % GRAIN == 0 and first * self.size % GRAIN == 0

    def _constant_stride(self, stride: int, certain: bool) -> None:
        if stride % GRAIN:
            self.verdict.add("rule:stride-16", f"rows are {stride} bytes apart", certain)
        if stride < 0:
            self.verdict.add("rule:stride-range", f"rows are {stride} bytes apart", certain)

    def _lead(self, digits: Digits) -> int:
        """Elements from a 16-byte boundary to where the innermost rows start."""
        strides = [strides_of(self.copy, s.launch.shapes[self.which]) for s in self.full_samples]
        constant, below = 0, 1
        for a in reversed(range(len(self.copy.axes))):
            same = {s[a] for s in strides}
            if below < digits.counts[0] and len(same) == 1:
                constant += self.copy.axes[a].shift * same.pop()
            below *= self.copy.axes[a].box
        return constant % max(1, GRAIN // self.size)

    def _layout(self, first: int, digits: Digits) -> None:
        row = digits.counts[0]
        if any(s != 1 for s in digits.steps[0]):
            row = 1
        lead = self._lead(digits) * self.size
        row_bytes, rows = row * self.size, prod(digits.counts) // row
        pitch = -(-(lead + row_bytes) // GRAIN) * GRAIN
        moved = lead != 0 or pitch != row_bytes
        inner = self.copy.axes[-1]
        # Where old values stay, where something else than zeros lies outside, and where a
        # row is one element or one vector, the guard is a test ahead of the box.
        guard = self.copy.guard
        has_end = (inner.upper and inner.box > self.copy.vector and guard.fill == "zero" and
                   not guard.style.startswith("keep"))
        # Of rows that run on into each other, the last one ends where other guards say.
        others = any(axis.lower or axis.upper for axis in self.copy.axes[:-1])
        if moved and not has_end and (others or inner.origin not in ("none", "x", "y", "z")):
            self.verdict.add("reads-past-end", "nobody knows where the last row ends", certain=False)
        if moved and not has_end and self.kernel.reach == "block":
            self.verdict.add("reads-past-end", "the last block may not copy", certain=False)
        self._boxes(digits, lead // self.size, row)
        grown = sum(self._grown_bytes(other) for other in range(len(self.kernel.copies)))
        if grown > MOST_SHARED - 1024:
            self.verdict.add("shared-size", f"{grown} bytes of shared memory", certain=False)
        if self.kernel.arrangement == "reuse" and len({(c.axes, c.guard) for c in self.kernel.copies}) > 1:
            self.verdict.add("layouts-clash", "two copies want different rows", certain=False)
        if first * self.size % 128:
            self.verdict.add("tile-start layout-escapes", "the tile starts off a 128-byte boundary",
                             certain=False)
        if moved:
            self._moved(first, lead, row_bytes, pitch, rows)

    def _boxes(self, digits: Digits, lead: int, row: int) -> None:
        """Boxes that are longer than TMA's, and cannot be cut."""
        wide = max(1, self.size // MOST_ELEMENT)  # TMA elements in one of the program's
        outer = digits.counts if row == 1 else digits.counts[1:]
        counts = [(lead + row) * wide, *outer]
        for d, count in enumerate(counts):
            cut = d == 0 and lead == 0 and can_be_cut(row * wide, self.size // wide)
            if count > MOST_BOX and not cut:
                self.verdict.add("rule:box-range layout-escapes", f"{count} elements in a dimension",
                                 certain=False)

    def _moved(self, first: int, lead: int, row_bytes: int, pitch: int, rows: int) -> None:
        """The tile gets longer rows; who relies on the old ones?"""
        copy, add = self.copy, self.verdict.add
        if copy.consumer in ("pointer", "row-pointer", "passed"):
            add("layout-escapes", "the tile's address is used")
        tile_row = self.tile_shape[-1] * self.size
        if rows > 1 and tile_row != row_bytes:
            add("layout-escapes", "the copy does not fill whole rows", certain=False)
        if first or rows * row_bytes < prod(self.tile_shape) * self.size:
            add("layout-escapes", "the box covers what is next to the copy's", certain=False)
        for width in self._widths():
            crosses = copy.flat and tile_row % width
            if lead % width or (rows > 1 and (pitch % width or crosses)):
                add("layout-escapes", "wide accesses lose their alignment")
        if copy.vector > 1:
            add("layout-escapes", "the plain loop's wide stores need the old rows", certain=False)

    def _widths(self) -> Iterator[int]:
        """Bytes of the wide accesses to the tile."""
        if self.copy.vector > 1:
            yield self.copy.vector * self.size
        if self.copy.consumer == "vector":
            vectors = ELEMENTS[self.copy.element].vectors
            yield vectors[self.copy.vector_kind % len(vectors)][0] * self.size

    def _grown_bytes(self, other: int) -> int:
        """An upper bound of a tile's size with longer rows."""
        copy = self.kernel.copies[other]
        size = ELEMENTS[copy.element].size if not self.kernel.typed else self.size
        boxes = [axis.box for axis in copy.axes]
        row = (boxes[-1] + copy.pad) * size + 2 * GRAIN
        return prod(boxes[:-1]) * row * copy.slots + 128


# Arithmetic -------------------------------------------------------------------------


def fit(offsets: Sequence[tuple[int, ...]]) -> Optional[Digits]:
    """The digits of the fewest elements, if the offsets have such a form."""
    digits, unit, count = Digits([], []), 1, len(offsets)
    if count == 1:
        return Digits([1], [(1,) * len(offsets[0])])
    difference = lambda i, j: tuple(a - b for a, b in zip(offsets[i], offsets[j]))
    while unit < count:
        step, run = difference(unit, 0), 2
        while run * unit < count and difference(run * unit, (run - 1) * unit) == step:
            run += 1
        if count // unit % run:
            return None
        digits.counts.append(run)
        digits.steps.append(step)
        unit *= run
    for i, offset in enumerate(offsets):
        numbers = split(i, digits.counts)
        for s in range(len(offset)):
            steps = sum(n * step[s] for n, step in zip(numbers, digits.steps))
            if offset[s] != offsets[0][s] + steps:
                return None
    return digits


def refine(digits: Digits, boxes: list[int]) -> Optional[Digits]:
    """The digits, cut where the tile's own dimensions end."""
    def ends(counts: list[int]) -> set[int]:
        return set(itertools.accumulate(counts, lambda a, b: a * b))
    both = sorted((ends(digits.counts) | ends(boxes)) - {1})
    if not both or both[-1] != prod(digits.counts):
        return None
    result, below = Digits([], []), 1
    for end in both:
        if end % below:
            return None
        result.counts.append(end // below)
        result.steps.append(step_at(digits, below))
        below = end
    return result


def step_at(digits: Digits, position: int) -> tuple[int, ...]:
    """The offset of the element at a position that is a power of the digits."""
    numbers = split(position, digits.counts)
    return tuple(sum(n * step[s] for n, step in zip(numbers, digits.steps))
                 for s in range(len(digits.steps[0])))


def split(position: int, counts: list[int]) -> list[int]:
    numbers = []
    for count in counts:
        numbers.append(position % count)
        position //= count
    return numbers


def even_steps(inside: dict[int, int], numbers: dict[int, list[int]],
               ranges: list[list[int]]) -> Optional[list[int]]:
    """By how much what is read moves along each digit, if always by the same."""
    at = {tuple(n): inside[i] for i, n in numbers.items()}
    corner = tuple(r[0] for r in ranges)
    steps = []
    for d, r in enumerate(ranges):
        following = tuple(c + (1 if e == d else 0) for e, c in enumerate(corner))
        alone = 1 if d == 0 else 0  # whatever suits
        steps.append(at[following] - at[corner] if len(r) > 1 else alone)
    for number, offset in at.items():
        if offset != at[corner] + sum((n - c) * s for n, c, s in zip(number, corner, steps)):
            return None
    return steps


def can_be_cut(count: int, size: int) -> bool:
    """Whether pieces of at most 256 elements make a row, each on 128 bytes."""
    return any(count % piece == 0 and piece * size % 128 == 0
               for piece in range(1, MOST_BOX + 1))
