# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes a lowered copy with plain numbers, thread by thread.

The statements print themselves as Python (language.py); this file gives them
arguments and a block index and collects what they store: for each element of
the tile where its value comes from, and whether two threads wrote it.

What is not here: whether that is a copy (oracle.py).
"""
from __future__ import annotations

from math import prod
from typing import Any, Iterator, Union

from language import LONG_LONG, Store, python_as, python_value, python_lines, quotient, remainder
from places import Lowered

# Where an element comes from: (tensor, element), the name of a fill, or
# ("computed", source) for a value that was changed on the way.
Source = Union[tuple[str, Any], str]


def exchanged(cell: int, shape: list[int]) -> int:
    """Where an element of a tile lies if the last two dimensions are exchanged."""
    plane, inside = divmod(cell, shape[-2] * shape[-1])
    row, column = divmod(inside, shape[-1])
    return plane * shape[-2] * shape[-1] + column * shape[-2] + row


class Written:
    """What one block stored."""

    def __init__(self, stores: list[tuple[int, Source, int]], vector: int, size: int):
        self._stores, self._vector, self._size = stores, vector, size
        if vector == 1:
            self.cells: dict[int, Source] = {cell: source for cell, source, _ in stores}
        else:
            self.cells = {first + e: _following(source, e) for first, source, _ in stores
                          for e in range(vector)}

    def transposed(self, shape: list[int]) -> Written:
        """The same in a tile whose last two dimensions, which are those of `shape`, are exchanged."""
        stores = [(exchanged(cell, shape), source, thread) for cell, source, thread in self._stores]
        return Written(stores, self._vector, self._size)

    @property
    def is_outside(self) -> bool:
        """Whether something was stored that is no element of the tile."""
        return bool(self.cells) and not (0 <= min(self.cells) and max(self.cells) < self._size)

    @property
    def is_shared(self) -> bool:
        """Whether two threads wrote an element."""
        return any(True for _ in self._second_writers())

    @property
    def clashes(self) -> bool:
        """Whether two threads wrote different things to an element."""
        return any(first != second for first, second in self._second_writers())

    def _second_writers(self) -> Iterator[tuple[Source, Source]]:
        """What two threads wrote to one element, for each time that happened."""
        if len(self.cells) == len(self._stores) * self._vector:
            return
        writers: dict[int, tuple[int, Source]] = {}
        for cell, source, thread in self._stores:
            writer, before = writers.get(cell, (thread, source))
            if writer != thread:
                yield before, source
            writers[cell] = thread, source

    def reads(self) -> dict[str, tuple[int, int]]:
        """The least and the greatest element of each tensor that was read."""
        sources = [source[1] if source[0] == "computed" else source
                   for _, source, _ in self._stores]
        loads = [source for source in sources if isinstance(source, tuple)]
        found = {}
        for tensor in {name for name, _ in loads}:
            own = [element for name, element in loads if name == tensor]
            found[tensor] = min(own), max(own) + self._vector - 1
        return found

    @property
    def is_unaligned(self) -> bool:
        """Whether a wide access was off its own size."""
        return self._vector > 1 and any(
            cell % self._vector or (isinstance(source, tuple) and source[1] % self._vector)
            for cell, source, _ in self._stores)


def _following(source: Source, elements: int) -> Source:
    return (source[0], source[1] + elements) if isinstance(source, tuple) else source


class Evaluation:
    """A copy that can be run for any arguments and block."""

    def __init__(self, block: tuple[int, int, int], lowered: Lowered, vector: int):
        self.block, self.vector = block, vector
        self.size = prod(lowered.tile_shape)
        self.shape = lowered.tile_shape
        namespace: dict[str, Any] = {"quotient": quotient, "remainder": remainder}
        exec(compile(self._source(lowered), "<copy>", "exec"), namespace)
        self._run = namespace["run"]

    def _source(self, lowered: Lowered) -> str:
        names = [p.name for p in lowered.parameters if p.role not in ("tensor", "tensors", "marks")]
        lines = ["def run(arguments, block_index, k0, t, stores):",
                 " blockIdx_x, blockIdx_y, blockIdx_z = block_index"]
        lines += [f" {name} = arguments[{name!r}]" for name in names]
        lines += [f" blockDim_{axis} = {n}" for axis, n in zip("xyz", self.block)]
        lines += [f" for threadIdx_z in range({self.block[2]}):",
                  f"  for threadIdx_y in range({self.block[1]}):",
                  f"   for threadIdx_x in range({self.block[0]}):",
                  f"    thread = (threadIdx_z * {self.block[1]} + threadIdx_y) * {self.block[0]}"
                  " + threadIdx_x"]
        if lowered.threads:
            lines.append(f"    if thread >= {lowered.threads}: continue")
        for statement in [*lowered.setup, lowered.statement]:
            lines += python_lines(statement, self._put, 4)
        return "\n".join(lines)

    def _put(self, store: Store) -> str:
        index = "0"
        for subscript, extent in zip(store.subscripts, self.shape):
            index = f"({index} * {extent} + {python_as(subscript, LONG_LONG)})"
        value = python_value(store.value)
        if store.compound:
            value = f"('computed', {value})"
        return f"stores.append(({index}, {value}, thread))"

    def run(self, arguments: dict[str, Any], block_index: tuple[int, int, int], k0: int = 0,
            t: int = 0) -> Written:
        stores: list[tuple[int, Source, int]] = []
        self._run(arguments, block_index, k0, t, stores)
        return Written(stores, self.vector, self.size)
