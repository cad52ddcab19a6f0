# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the description of a copy to its statements.

Puts the parts together: indices (places.py), what is done for a cell
(values.py), loops (loops.py), and what stands around the copy. Raises Invalid
where a description asks for what cannot be written that way, such as one thread
for each element of a tile that has more elements than the block has threads.

What is not here: kernels, launches and consumers (program.py).
"""
from __future__ import annotations

from math import prod

from description import Copy, Invalid, Kernel, Launch, batch_stride_of, sizes_of, strides_of
from language import INT, Block, Switch, Variable, Verbatim, cuda
from loops import Loops
from places import BLOCK_NUMBER, MASK, MASKED_FROM, Lowered, Parameter


def argument_value(parameter: Parameter, copy: Copy, launch: Launch, which: int) -> int:
    """The number that a launch passes for an extent, a pitch or a start."""
    shape = launch.shapes[which]
    if parameter.role == "extent":
        return shape.extents[parameter.axis]
    if parameter.role == "pitch":
        return strides_of(copy, shape)[parameter.axis]
    if parameter.role == "batch":
        return batch_stride_of(copy, shape)
    if parameter.role == "first":
        return packed(shape.first, copy.packed)
    return 0


def packed(start: int, how: str) -> int:
    """What `start_of` takes apart again; negative in many cases."""
    if how == "shifted":
        return 4 * start + 3
    if how == "masked":
        return start - MASKED_FROM - 3 * (MASK + 1)
    return start


def table_values(parameter: Parameter, copy: Copy, launch: Launch, which: int) -> list[int]:
    """The entries of a table that a launch passes."""
    shape = launch.shapes[which]
    if parameter.name.startswith("rows"):
        size = max(1, sizes_of(copy, shape)[-2])
        return [(5 * i + i * i) % size for i in range(copy.axes[-2].box)]
    if parameter.name.startswith("chosen"):
        return [i % 3 for i in range(1024)]
    return [shape.first + i * copy.axes[-1].step for i in range(prod(launch.grid))]


class Lowering(Loops):
    """Lowers one copy of a kernel for one element type."""

    def run(self) -> Lowered:
        self._check()
        self._declare_tensor()
        self.starts = [self._start(a) for a in range(self.rank)]
        idiom = getattr(self, "_idiom_" + self.copy.idiom.replace("-", "_"))
        self.out.statement = idiom()
        self._surround()
        return self.out

    def _check(self) -> None:
        copy, block = self.copy, self.kernel.block
        if copy.flaw in ("transposed", "skewed", "split", "loaded-rows", "triangle",
                         "flat-guard") and self.rank < 2:
            raise Invalid("a flaw that needs rows")
        if copy.flaw in ("transposed", "reversed", "skewed", "clash", "sparse", "scaled",
                         "two-sources", "accumulated", "converted", "volatile") and copy.vector > 1:
            raise Invalid("a flaw of single elements")
        if copy.flaw in ("scaled", "accumulated") and not self.element.adds:
            raise Invalid("arithmetic on an element that has none")
        if copy.flaw == "staged" and copy.slots == 1:
            raise Invalid("slots")
        if copy.slots > 1 and self.kernel.arrangement == "reuse":
            raise Invalid("a tile with slots is not used again")
        if copy.pad and (self.rank == 1 and copy.slots > 1):
            raise Invalid("pad")
        if self.rank > 1 and copy.flaw in ("dynamic",):
            raise Invalid("dynamic tiles are lines here")
        if any(axis.origin == "loop" for axis in self.axes) and self.kernel.loop == "none":
            raise Invalid("no loop around the copy")
        if copy.batch != "none" and any(axis.origin == "z" for axis in self.axes):
            raise Invalid("two uses of blockIdx.z")
        if prod(block) > 1024:
            raise Invalid("block")
        if copy.flaw == "volatile" and not self.element.adds:
            raise Invalid("no volatile copy of such an element")
        if self.axes[-1].box % copy.vector:
            raise Invalid("vectors do not fill the row")
        if self.is_guarded() and copy.guard.style.startswith("keep") and copy.guard.fill == "one":
            raise Invalid("nothing to fill")
        if copy.guard.style == "bounded" and (copy.idiom != "nested" or copy.flaw != "none"):
            raise Invalid("no loops for the bounds")

    def _surround(self) -> None:
        out, flaw = self.out, self.flaw
        own = f"{BLOCK_NUMBER} * {prod(self.kernel.block)} + {cuda(self.thread())}"
        if flaw == "half-block":
            if self.copy.idiom != "flat" or self.kernel.block[0] % 2 or self.kernel.block[1] > 1:
                raise Invalid("half-block")
        if flaw == "side-effect":
            marks = self._parameter("marks" + self.suffix, "int *", "marks")
            out.statement = Block((out.statement, Verbatim(f"{marks}[{own}] = 1;")))
        if flaw == "barrier":
            out.statement = Block((out.statement, Verbatim("__syncthreads();")))
        if flaw == "index-kept":
            marks = self._parameter("marks" + self.suffix, "int *", "marks")
            out.after.append(Verbatim(f"{marks}[{own}] = i{self.suffix};"))
        if flaw == "switch":
            stage = Variable(self._parameter("stage" + self.suffix, "int", "stage"), INT)
            out.statement = Switch(stage, (out.statement,))
        if flaw == "accumulated" or (flaw == "loaded-condition" and
                                     self.copy.guard.style.startswith("keep")):
            out.initialised = True
        if self.copy.pad or flaw in ("sparse",):
            out.initialised = True


def lower(kernel: Kernel, which: int, element: str) -> tuple[Lowered, Lowering]:
    """One copy of a kernel, for one element type."""
    lowering = Lowering(kernel, which, element)
    return lowering.run(), lowering
