# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a copy reads and where it writes: the first part of lowering.

Decides the names and the index expressions: extents, strides, starts of the
tile, coordinates, offsets in the tensor, subscripts of the tile; and which
arguments the kernel needs for them.

What is not here: values and conditions (values.py), loops (loops.py).
"""
from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from description import ELEMENTS, Invalid, Kernel
from language import (INT, INT_TYPES, UNSIGNED, Binary, Block, Cast, Constant, Declare, Entry, Expr,
                      Number, Statement, Store, Value, Variable, Verbatim, add, is_zero, multiply,
                      number)

# Names by axis, innermost first.
COORDINATES, CELLS, EXTENTS = "xyzuv", "crsqp", "whdef"
PITCHES = ("", "pitch", "plane", "volume", "frame")
BLOCK_NUMBER = "((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x)"

# What an int tensor is copied from where the copy converts.
CONVERTED_FROM = {"float": "int", "int": "float", "double": "float", "unsigned": "float",
                  "short": "int", "long long": "int", "char": "short", "unsigned char": "int",
                  "unsigned short": "float"}


@dataclass(frozen=True)
class Parameter:
    """An argument of a kernel, and where a launch takes it from."""
    name: str
    type: str
    role: str  # tensor, tensors, extent, pitch, batch, first, table, marks, stage
    axis: int = 0


@dataclass
class Lowered:
    """A copy, written down."""
    tile: str
    tile_shape: list[int]
    element: str
    parameters: list[Parameter] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)  # macros and device functions
    setup: list[Statement] = field(default_factory=list)
    statement: Statement = Block(())
    after: list[Statement] = field(default_factory=list)
    initialised: bool = False  # threads have to fill the tile before
    threads: int = 0  # how many threads of the block get to the copy; 0: all


MASK, MASKED_FROM = 1023, -512


def start_of(first: Expr, how: str) -> Expr:
    """The number that an argument holds."""
    if how == "shifted":
        return Binary(">>", first, number(2))
    if how == "masked":
        return Binary("+", Binary("&", first, number(MASK)), number(MASKED_FROM))
    return first


class Places:
    """Index expressions of one copy of a kernel, for one element type."""

    def __init__(self, kernel: Kernel, which: int, element: str):
        self.kernel, self.copy, self.which = kernel, kernel.copies[which], which
        self.suffix = "" if which == 0 else str(which + 1)
        self.axes, self.rank = self.copy.axes, len(self.copy.axes)
        if not 1 <= self.rank <= 5:
            raise Invalid("rank")
        self.flaw = self.copy.flaw
        self.template = kernel.typed
        self.text_element = "T" if kernel.typed else element
        self.element = ELEMENTS[element]
        self.vector = self.copy.vector
        self.vector_type = self._vector_type()
        self.argument_type = INT_TYPES[kernel.argument_type]
        self.index_type = INT_TYPES[self.copy.index_type]
        self.loop_type = INT_TYPES[self.copy.loop_type]
        self.tensor = "in" + self.suffix
        name = f"k{kernel.number:03d}_part" if self.flaw == "dynamic" else "tile"
        tile = name if kernel.arrangement == "reuse" else name + self.suffix
        threads = prod(kernel.block) // 2 if self.flaw == "half-block" else 0
        self.out = Lowered(tile, self._tile_shape(), element, threads=threads)
        self.named = {"all": {"starts", "cells", "coordinates"}, "starts": {"starts", "cells"},
                      "cells": {"cells"}, "hoisted": {"starts", "hoisted", "coordinates"},
                      "none": set()}[self.copy.names]
        self.bounded: set[int] = set()  # axes whose upper bound is that of their loop
        self.hoistable: set[int] = set()  # axes whose cell is the same all through the statement

    def _vector_type(self) -> str:
        if self.vector == 1:
            return ""
        types = [t for n, t in self.element.vectors if n == self.vector]
        if not types or self.template:
            raise Invalid("no such vector")
        return types[self.copy.vector_kind % len(types)]

    def _tile_shape(self) -> list[int]:
        shape = [axis.box for axis in self.axes]
        shape[-1] += self.copy.pad
        if self.flaw == "transposed":
            shape[-2:] = shape[:-3:-1]
        if self.flaw == "sparse":
            shape[-1] *= 2
        return ([self.copy.slots] if self.copy.slots > 1 else []) + shape

    def _parameter(self, name: str, type: str, role: str, axis: int = 0) -> str:
        parameter = Parameter(name, type, role, axis)
        if parameter not in self.out.parameters:
            self.out.parameters.append(parameter)
        return name

    def _declare_tensor(self) -> None:
        element = self.text_element
        if self.flaw == "converted":
            if self.template or self.out.element not in CONVERTED_FROM:
                raise Invalid("no conversion")
            element = CONVERTED_FROM[self.out.element]
        self.tensor_element = element
        restrict = "__restrict__ " if self.copy.restrict else ""
        qualifier = "const volatile" if self.flaw == "volatile" else "const"
        if self.flaw == "pointer-table":
            table = self._parameter("tables" + self.suffix, f"const {element} *const *", "tensors")
            index = "blockIdx.x"
            self.out.setup.append(
                Verbatim(f"const {element} *{self.tensor} = {table}[{index}];"))
        else:
            self._parameter(self.tensor, f"{qualifier} {element} *{restrict}", "tensor")
        if self.flaw == "two-sources":
            self._parameter("other" + self.suffix, f"const {element} *", "tensor")

    # Numbers --------------------------------------------------------------------

    def _letter(self, letters: str, a: int) -> str:
        return letters[self.rank - 1 - a] + self.suffix

    def _box(self, a: int) -> Expr:
        """The tile's extent, as the program writes it."""
        letter = EXTENTS[self.rank - 1 - a].upper()
        if self.copy.sizes == "literal":
            return number(self.axes[a].box)
        prefix = "" if self.copy.sizes == "template" else f"k{self.kernel.number:03d}_"
        constant = Constant(f"{prefix}B{letter}{self.suffix}", self.axes[a].box)
        if constant not in self.out.constants:
            self.out.constants.append(constant)
        return constant

    def _units(self, a: int) -> Expr:
        """How many accesses an axis of the tile takes."""
        if a < self.rank - 1 or self.vector == 1:
            return self._box(a)
        if self.copy.sizes == "literal":
            return number(self.axes[a].box // self.vector)
        return Binary("/", self._box(a), number(self.vector))

    def _unit_counts(self) -> list[int]:
        counts = [axis.box for axis in self.axes]
        counts[-1] //= self.vector
        return counts

    def _size(self, a: int) -> Expr:
        """The tensor's size along an axis."""
        if self.axes[a].extent == "literal":
            return Number(self.axes[a].literal_extent)
        name = self._letter(EXTENTS, a)
        self._parameter(name, self.argument_type.name, "extent", a)
        return Variable(name, self.argument_type)

    def bound(self, a: int) -> Expr:
        size = self._size(a)
        return Binary("-", size, number(1)) if self.axes[a].extent == "less" else size

    def _stride(self, a: int) -> Expr:
        if a == self.rank - 1:
            return number(2 if self.flaw == "strided" else 1)
        if self.axes[a].stride == "pitch":
            name = PITCHES[self.rank - 1 - a] + self.suffix
            self._parameter(name, self.argument_type.name, "pitch", a)
            return Variable(name, self.argument_type)
        if self.axes[a].stride == "literal":
            return Number(self.axes[a].literal_stride)
        return multiply(self._size(a + 1), self._stride(a + 1))

    def _batch_stride(self) -> Expr:
        if self.copy.batch == "dense":
            return multiply(self._size(0), self._stride(0))
        name = self._parameter("batch" + self.suffix, self.argument_type.name, "batch")
        return Variable(name, self.argument_type)

    # Places ---------------------------------------------------------------------

    def _start(self, a: int) -> Expr:
        axis, step = self.axes[a], number(self.axes[a].step)
        if axis.step == axis.box and self.copy.sizes != "literal":
            step = self._box(a)
        if axis.origin in "xyz":
            start = multiply(Variable("blockIdx." + axis.origin, UNSIGNED), step)
        elif axis.origin == "loop" and self.kernel.loop == "offset":
            start = Variable("k0", INT)
        elif axis.origin == "loop":
            start = multiply(Variable("t", INT), step)
        elif axis.origin == "table":
            self._parameter("starts" + self.suffix, "const int *", "table")
            name = "chosen_start" + self.suffix
            entry = Entry("starts" + self.suffix, Variable("blockIdx.x", UNSIGNED))
            declare = Declare(name, INT, entry, const=True)
            if declare not in self.out.setup:
                self.out.setup.append(declare)
            start = Variable(name, INT)
        elif axis.origin == "argument":
            first = Variable(self._parameter("first" + self.suffix, "int", "first"), INT)
            start = start_of(first, self.copy.packed)
        else:
            start = number(0)
        start = add(start, number(axis.shift)) if not is_zero(start) else number(axis.shift)
        if "starts" in self.named and not isinstance(start, (Number, Variable)):
            name = self._letter(COORDINATES, a)[0] + "0" + self.suffix
            self.out.setup.append(Declare(name, self.index_type, start, const=a % 2 == 0))
            return Variable(name, self.index_type)
        return start

    def _batch_term(self) -> list[Expr]:
        if self.copy.batch == "none":
            return []
        z: Expr = Variable("blockIdx.z", UNSIGNED)
        return [multiply(self._widened(z), self._batch_stride())]

    def _widened(self, factor: Expr) -> Expr:
        if self.copy.index_cast == "none":
            return factor
        return Cast(INT_TYPES[self.copy.index_cast], factor, c_style=self.which % 2 == 1)

    def _coordinate(self, a: int, cell: Expr, body: list[Statement]) -> Expr:
        coordinate = add(self.starts[a], cell)
        if "coordinates" not in self.named:
            return coordinate
        name = self._letter(COORDINATES, a)
        hoisted = "hoisted" in self.named and a in self.hoistable
        declare = Declare(name, self.index_type, coordinate, const=hoisted)
        (self.out.setup if hoisted else body).append(declare)
        return Variable(name, self.index_type)

    def _offset_terms(self, places: list[Expr]) -> list[Expr]:
        """The summands of the index, outermost first."""
        terms = []
        for a, place in enumerate(places):
            if self.flaw == "broadcast" and a == self.rank - 1:
                continue
            inner = a == self.rank - 1
            terms.append(multiply(place if inner else self._widened(place), self._stride(a)))
        return terms

    def _horner(self, places: list[Expr]) -> Expr:
        if any(axis.stride != "dense" for axis in self.axes[:-2]):
            raise Invalid("no product of extents")
        if self.flaw in ("strided", "broadcast") or self.rank == 1:
            raise Invalid("no product of extents")
        index = self._widened(places[0])
        if self.copy.batch == "dense":
            z = self._widened(Variable("blockIdx.z", UNSIGNED))
            index = add(Binary("*", z, self._size(0)), places[0])
        elif self.copy.batch == "pitch":
            raise Invalid("no product of extents")
        for a in range(1, self.rank):
            scale = self._stride(a - 1) if a == self.rank - 1 else self._size(a)
            index = add(Binary("*", index, scale), places[a])
        return index

    def _store(self, cells: list[Expr], value: Value) -> Statement:
        return Store(self.out.tile, tuple(self.subscripts(cells)), value, self.vector_type,
                     self.copy.access == "c-cast", compound=self.flaw == "accumulated",
                     extents=tuple(self.out.tile_shape) if self.copy.flat else ())

    def subscripts(self, cells: list[Expr], reading: bool = False) -> list[Expr]:
        """Where in the tile a cell lies."""
        result = list(cells)
        if self.flaw == "transposed":
            result[-2:] = result[:-3:-1]
        if self.flaw == "reversed" and not reading:
            result[-1] = Binary("-", number(self.axes[-1].box - 1), result[-1])
        if self.flaw == "sparse":
            result[-1] = Binary("*", number(2), result[-1])
        if self.flaw == "clash" and not reading:
            result[-1] = Binary("/", result[-1], number(2))
        if self.copy.slots == 1:
            return result
        if self.flaw == "staged":
            return [Variable(self._parameter("stage" + self.suffix, "int", "stage"), INT)] + result
        return [number(self.copy.slots - 1)] + result

    def thread(self) -> Expr:
        """The thread's number in its block."""
        x, y, z = (Variable("threadIdx." + axis, UNSIGNED) for axis in "xyz")
        index: Expr = x
        if self.kernel.block[2] > 1:
            plane = Binary("+", Binary("*", z, self._block_size("y")), y)
            index = Binary("+", Binary("*", plane, self._block_size("x")), x)
        elif self.kernel.block[1] > 1:
            index = Binary("+", Binary("*", y, self._block_size("x")), x)
        return index

    def _block_size(self, axis: str) -> Expr:
        if self.copy.threads == "literal":
            return number(self.kernel.block["xyz".index(axis)])
        return Variable("blockDim." + axis, UNSIGNED)
