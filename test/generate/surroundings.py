# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""What stands around copies, as plain values: the kernels that around.py makes up.

A kernel has arrays of shared memory, and steps: elements that are touched in some way,
copies, barriers, and exits. The steps stand ahead of a loop, in it, and behind it. As in
description.py, each field knows its simplest value, so that a kernel can be shrunk.

What is not here: how a kernel is printed (wrapping.py), and how often something appears
(around.py).
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Union

from aliases import BARRIERS, WAYS, Way
from description import choice, flag

SIZES = {"int": 4, "float": 4, "unsigned": 4, "double": 8, "short": 2, "char": 1, "Cell": 8}
WORDS = ("int", "float", "unsigned")
INSTANCES = ("all", "0", "1")
BLOCKS = 2

# Which of an array's elements a thread takes, and in which order: how index i of a loop becomes one.
# Two steps with the same order leave each element to the same thread.
ORDERS = ("own", "turned", "shifted", "one", "mine", "wide")

# Conditions that threads of one block may answer differently, and those that they answer alike.
APART = {"mask": "if (MASK ? MASK[t] > 1 : 1)", "mask and": "if (MASK && MASK[t] > 1)",
         "no mask": "if (!MASK || MASK[t] % 3)", "some": "if (t < 20)", "odd": "if (t & 1)"}
ALIKE = {"argument": "if (n > 1)", "bias": "if (BIAS)", "no bias": "if (!BIAS)",
         "bias is there": "if (BIAS != nullptr && n < 9)", "block": "if (blockIdx.x == 1)"}
CONDITIONS = {"none": "", **APART, **ALIKE}
VALUES = ("i + k", "int(sum % 31) + i", "(BIAS ? BIAS[t] : 1) + i", "MASK ? MASK[t] * 2 : i", "BIAS ? *BIAS + k : 5")


@dataclass(frozen=True)
class Near:
    """Another array of shared memory."""
    type: str = choice("int", "char", "short", "double", "Cell", "float")
    count: int = choice(64, 128, 100, 33, 7)
    align: int = choice(0, 16, 128)
    ahead: bool = flag()  # declared before the tile

    def has_wide_access(self) -> bool:
        return self.align >= 16 and self.count * SIZES[self.type] % 16 == 0


@dataclass(frozen=True)
class Touch:
    """Elements of an array are written, read or changed."""
    array: str  # 'tile', 'second', 'near0' and so on, 'buf' or 'out'
    verb: str  # 'write', 'read' or 'change'
    way: str = choice("name", *(way for way in WAYS if way != "name"))
    order: str = choice(*ORDERS)
    condition: str = choice(*CONDITIONS)
    value: str = choice(*VALUES)
    early: bool = flag()  # the alias is made at the start of the kernel
    ahead: bool = flag()  # of memory: what the next round has
    instance: str = choice(*INSTANCES)


TILE_WAYS = ("name", "whole", "pointer", "row pointer", "member", "method", "call operator", "subscript operator",
             "rows of an object")
TENSOR_WAYS = ("name", "pointer", "moved pointer", "reference", "member", "method", "subscript operator")


@dataclass(frozen=True)
class Copy:
    kind: str  # 'load', 'store' or 'reduce'
    tensor: str  # 'in', 'more', 'buf', 'out' or 'extra', of which the last may be null
    second: bool = flag()  # goes to or from the second tile
    form: str = choice("flat", "rows", "turned", "one")
    guard: str = choice("none", "zero", "keep")
    tile_way: str = choice(*TILE_WAYS)
    tensor_way: str = choice(*TENSOR_WAYS)
    where: str = choice("here", "lambda", "function")
    condition: str = choice("none", *ALIKE)
    operator: bool = flag()  # a reduction by an operator
    instance: str = choice(*INSTANCES)

    @property
    def tile(self) -> str:
        return "second" if self.second else "tile"

    @property
    def order(self) -> str:
        return "turned" if self.form == "turned" else "own"

    def is_whole(self) -> bool:
        """Whether each run of it writes all of the tile."""
        return self.kind == "load" and self.guard != "keep" and self.condition == "none" and self.instance == "all" \
            and self.tensor != "extra"


@dataclass(frozen=True)
class Barrier:
    way: str = choice(*BARRIERS)


@dataclass(frozen=True)
class Leave:
    """An exit of all threads of a block; 'skip' and 'quit' are those of some threads."""
    kind: str  # 'return', 'break', 'continue', 'skip' or 'quit'
    condition: str = choice("block", "round", "both", "bias")


Step = Union[Touch, Copy, Barrier, Leave]


@dataclass(frozen=True)
class Launch:
    mask: bool = flag()  # is there
    bias: bool = flag()
    extra: bool = flag()
    rounds: int = choice(2, 3, 1, 0)
    stop: int = choice(-1, 0, 1, 2)


@dataclass(frozen=True)
class Kernel:
    number: int
    element: str = choice("int", "float", "unsigned", "double", "short", "Cell")
    rows: int = choice(4, 8, 2, 16)
    columns: int = choice(32, 16, 64, 8)
    threads: int = choice(64, 128, 32)
    align: int = choice(128, 0, 16)
    place: str = choice("array", "member", "dynamic")
    second: bool = flag()
    nears: tuple[Near, ...] = ()
    box: bool = flag()  # tensors have rows
    cut: int = choice(0, 1, 4)  # so many elements are missing from the tensors' ends
    restrict: bool = choice(True, False)
    packed: bool = flag()  # pointers are members of an argument
    same: bool = flag()  # 'in' is 'buf'
    template: str = choice("none", "mode", "type")
    barrier: str = choice(*BARRIERS)
    report: bool = flag()  # a destructor writes the result
    loop: str = choice("for", "down", "around", "while", "do", "none")
    stages: str = choice("none", "2", "3", "auto")
    meet: bool = flag()  # a destructor in the loop's body waits for the block
    ahead: tuple[Step, ...] = ()
    body: tuple[Step, ...] = ()
    behind: tuple[Step, ...] = ()
    launches: tuple[Launch, ...] = field(default=(Launch(),))

    @property
    def count(self) -> int:
        return self.rows * self.columns

    def steps(self) -> Iterator[Step]:
        yield from self.ahead
        yield from self.body
        yield from self.behind

    def copies(self) -> list[Copy]:
        return [step for step in self.steps() if isinstance(step, Copy)]

    def type_of(self, array: str) -> str:
        return self.nears[int(array[4:])].type if array.startswith("near") else self.element

    def count_of(self, array: str) -> int:
        return self.nears[int(array[4:])].count if array.startswith("near") else self.count

    def has(self, array: str) -> bool:
        if array.startswith("near"):
            return int(array[4:]) < len(self.nears)
        return array != "second" or self.second


def suits(kernel: Kernel, array: str, verb: str, way: Way) -> bool:
    """Whether elements of an array can be touched in a way."""
    shared, type = array not in ("buf", "out"), kernel.type_of(array)
    text = {"write": way.write, "read": way.read[1], "change": way.change}[verb]
    words = type in WORDS
    return text != "" and {
        "": True, "rows": array in ("tile", "second") and kernel.place != "dynamic",
        "words": words, "shared words": words and shared,
        "shared": shared, "scalars": type != "Cell", "cells": type == "Cell"}[way.needs]


def has_wide_access(kernel: Kernel, array: str) -> bool:
    if array.startswith("near"):
        return kernel.nears[int(array[4:])].has_wide_access()
    return array in ("tile", "second") and kernel.align >= 16 and kernel.place == "array" and kernel.element != "Cell"


def is_pipeline(kernel: Kernel) -> bool:
    return kernel.stages != "none" and any(isinstance(s, Copy) and s.kind == "load" for s in kernel.body)


def is_made_ahead(kernel: Kernel) -> bool:
    """Whether all that a pipeline asks for is there: nothing else fills its tiles, or uses them elsewhere."""
    loads = [s for s in kernel.body if isinstance(s, Copy) and s.kind == "load"]
    tiles = {s.tile for s in loads}
    if not kernel.restrict or kernel.packed or kernel.same or kernel.place != "array" or \
            kernel.loop not in ("for", "down"):
        return False
    if any(isinstance(s, Leave) for s in kernel.body) or len(tiles) < len(loads):
        return False
    if any(s.guard == "keep" or s.condition != "none" or s.instance != "all" or s.tensor not in ("in", "more")
           or s.where != "here" or WAYS[s.tile_way].setup for s in loads):
        return False
    filled: set[str] = set()
    for step in kernel.body:
        if isinstance(step, Copy) and step.kind == "load":
            filled.add(step.tile)
        elif isinstance(step, Touch) and step.array in tiles:
            if step.verb != "read" or step.early or step.array not in filled:
                return False
        elif isinstance(step, Copy) and step.tile in tiles:
            return False
    return not any(isinstance(s, Touch) and s.array in tiles or isinstance(s, Copy) and s.tile in tiles
                   for s in (*kernel.ahead, *kernel.behind))
