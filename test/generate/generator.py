# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses random programs.

Decides how often each feature appears, and keeps only what can be written and
is defined when it runs. The kernel with a number is the same for a seed,
whatever the other kernels are.

What is not here: what the features mean (description.py), and whether TMA can
do what they ask for (oracle.py).
"""
from __future__ import annotations

import random
from dataclasses import replace
from math import prod
from typing import Any, Sequence

from description import (ELEMENTS, FLAWS, Axis, Copy, Guard, Invalid, Kernel, Launch, Program,
                         Shape)
from oracle import undefined
from program import KernelWriter, Text, is_launched

BLOCKS = ((128, 1, 1), (256, 1, 1), (64, 1, 1), (32, 1, 1), (96, 1, 1), (192, 1, 1), (32, 8, 1),
          (16, 16, 1), (32, 4, 1), (16, 8, 1), (64, 2, 1), (34, 2, 1), (8, 8, 2), (16, 4, 2),
          (32, 2, 2), (8, 4, 4))
INNER_BOXES = (4, 8, 16, 16, 32, 32, 32, 32, 64, 64, 128, 10, 18, 33, 34, 36, 40, 66, 31, 7, 1, 2,
               12, 20, 132)
OUTER_BOXES = (1, 2, 3, 4, 4, 8, 8, 8, 16, 16, 5, 6, 7, 9, 10, 18, 32)
LINES = (32, 64, 100, 128, 130, 132, 200, 256, 258, 262, 512, 1000, 1024, 33)
MOST_CELLS = 2304
MOST_BYTES = 12 * 1024


class Generator:
    """All the choices for one kernel."""

    def __init__(self, seed: int, number: int):
        self.rng = random.Random(f"tilelift {seed} {number}")
        self.number = number

    def pick(self, weights: dict[Any, float]) -> Any:
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def kernel(self) -> Kernel:
        """A kernel that can be written and is defined."""
        while True:
            try:
                kernel = self._kernel()
                KernelWriter(kernel).write(Text())
                if not is_launched(kernel) or undefined(kernel) is None:
                    return kernel
            except Invalid:
                pass

    def _kernel(self) -> Kernel:
        # A transposed tile lifts, where the kernel's uses of it allow that.
        flaw = (self.rng.choice(FLAWS[1:]) if self.chance(0.18) else
                "transposed" if self.chance(0.1) else "none")
        block = self.rng.choice(BLOCKS)
        loop = self.pick({"none": 70, "rounds": 18, "offset": 12})
        self.typed = self.chance(0.22)
        count = 1 if flaw != "none" else self.pick({1: 72, 2: 22, 3: 6})
        if self.typed and self.chance(0.5):
            count = 1
        arrangement = "together"
        if count > 1:
            arrangement = self.pick({"together": 5, "apart": 3, "reuse": 2})
        first = self._copy(block, loop, flaw)
        copies = [first]
        while len(copies) < count:
            if arrangement == "reuse":
                copies.append(self._again(first))
                continue
            copy = self._copy(block, loop, "none")
            copies.append(replace(copy, element=first.element) if self.typed else copy)
        second = ""
        if self.typed and count == 1 and self.chance(0.5):
            second = self.rng.choice([e for e in ELEMENTS if e != first.element])
        kernel = Kernel(
            self.number, block, tuple(copies), loop=loop, arrangement=arrangement,
            reach=self.pick({"always": 88, "argument": 6, "block": 6}),
            argument_type=self.pick({"int": 70, "unsigned": 12, "long long": 8, "size_t": 10}),
            typed=self.typed, second_element=second,
            clause_threads=flaw == "clash" or self.chance(0.15),
            launch_bounds=self.chance(0.15))
        return replace(kernel, launches=self._launches(kernel))

    # A copy ----------------------------------------------------------------------

    def _copy(self, block: tuple[int, int, int], loop: str, flaw: str) -> Copy:
        rng = self.rng
        element = self.pick({"float": 30, "int": 8, "unsigned": 6, "double": 8, "long long": 5,
                             "short": 6, "unsigned short": 4, "unsigned char": 7, "char": 5,
                             "__half": 8, "__nv_bfloat16": 6, "float2": 4, "int2": 3, "float4": 4,
                             "uint4": 3})
        vector = 1
        vectors = [n for n, _ in ELEMENTS[element].vectors]
        if vectors and not self.typed and self.chance(0.2):
            vector = rng.choice(vectors)
        idiom = self.pick({"flat": 36, "nested": 16, "one": 12, "one-flat": 8, "rows": 10,
                           "fixed-rows": 9, "own-row": 4, "running": 4})
        rank = 1 if flaw == "dynamic" else self.pick({1: 18, 2: 48, 3: 20, 4: 8, 5: 6})
        boxes = self._boxes(rank, idiom, block, vector, ELEMENTS[element].size)
        copy = Copy(element=element, vector=vector, vector_kind=rng.randint(0, 3), idiom=idiom,
                    flaw=flaw)
        axes = self._axes(boxes, copy, loop)
        guarded = any(axis.lower or axis.upper for axis in axes)
        copy = replace(
            copy, axes=axes,
            batch=self.pick({"none": 85, "dense": 10, "pitch": 5}),
            decode=self.pick({"divide": 55, "shift": 25, "chain": 20}),
            loop_type=self.pick({"int": 80, "unsigned": 20}),
            index_type=self.pick({"int": 72, "unsigned": 10, "long long": 9, "size_t": 9}),
            index_cast=self.pick({"none": 75, "size_t": 15, "long long": 10}),
            names=self.pick({"all": 45, "starts": 15, "cells": 10, "hoisted": 15, "none": 15}),
            formula=self.pick({"expanded": 75, "horner": 25}),
            base=self.pick({"tensor": 62, "start": 15, "row": 12, "row-address": 11}),
            access=self.pick({"subscript": 70, "pointer": 10, "ldg": 10, "ldg-sum": 5,
                              "c-cast": 5}),
            zero=rng.randint(0, 3),
            guard=self._guard() if guarded or flaw in ("flat-guard", "triangle",
                                                       "loaded-condition") else Guard(),
            pad=rng.randint(1, 4) if self.chance(0.05) else 0,
            slots=rng.randint(2, 3) if flaw == "staged" or self.chance(0.06) else 1,
            sizes=self.pick({"literal": 50, "constant": 30, "template": 20}),
            threads=self.pick({"blockDim": 65, "literal": 35}),
            unroll=self.chance(0.1), restrict=self.chance(0.12),
            clause=self.pick({"": 85, "cache(evict_first)": 4, "promote(64)": 4,
                              "cache(evict_last) promote(none)": 3, "swizzle(none)": 2,
                              "cache(evict_normal) promote(256)": 2}),
            consumer=self.pick({"straight": 34, "transposed": 22, "sum": 20, "scribble": 8,
                                "pointer": 4, "row-pointer": 4, "vector": 4, "passed": 4}))
        copy = replace(copy, flat=rank > 1 and self.chance(0.15),
                       packed=self.pick({"plain": 50, "shifted": 25, "masked": 25}))
        return self._suited(copy)

    def _suited(self, copy: Copy) -> Copy:
        """Takes back choices that flaws and styles do not go with."""
        if copy.flaw != "none":
            copy = replace(copy, base="tensor", formula="expanded", access="subscript", pad=0,
                           slots=copy.slots if copy.flaw in ("staged", "transposed") else 1, vector=1,
                           consumer=copy.consumer if copy.flaw == "transposed" else
                           self.rng.choice(("straight", "transposed")))
        if copy.flat and (copy.flaw != "none" or copy.consumer in ("pointer", "row-pointer",
                                                                   "passed")):
            copy = replace(copy, flat=False)
        if copy.flaw in ("half-block", "index-kept"):
            copy = replace(copy, idiom="flat")
        if copy.flaw == "clamped":
            copy = replace(copy, index_type="int")
        if copy.guard.style == "keep-any":
            copy = replace(copy, consumer="straight", vector=1, index_type="int")
        if copy.guard.style == "bounded":
            copy = replace(copy, idiom="nested", vector=1, index_type="int", names="starts")
        if copy.guard.style == "helper":
            copy = replace(copy, names="all", base="tensor", sizes="literal", vector=1,
                           batch="none")
        if copy.formula == "horner":
            copy = replace(copy, base="tensor")
        if copy.idiom == "running":
            copy = replace(copy, base="tensor", axes=tuple(
                replace(axis, lower=False, upper=False) for axis in copy.axes))
        return copy

    def _again(self, first: Copy) -> Copy:
        """Another copy to the same tile."""
        axes = tuple(replace(axis, shift=self.rng.choice((axis.shift, axis.shift, 0, -1)))
                     for axis in first.axes)
        return replace(first, axes=axes, guard=self._guard(),
                       names=self.pick({"all": 1, "starts": 1, "none": 1}))

    def _boxes(self, rank: int, idiom: str, block: tuple[int, int, int], vector: int,
               size: int) -> list[int]:
        """The tile's extents, outermost first."""
        rng, threads = self.rng, prod(block)
        inner = rng.choice(INNER_BOXES)
        if rank == 1:
            inner = rng.choice(LINES)
        elif self.chance(0.03):
            inner = rng.choice((256, 258, 260, 264, 272, 300, 512))
        if idiom in ("one", "rows", "fixed-rows"):
            inner = block[0] if block[1] > 1 or idiom == "one" else \
                rng.choice([n for n in (4, 8, 16, 32, 64, 48, 24, 12, 128) if threads % n == 0])
            inner *= vector
        elif idiom == "one-flat" and rank == 1:
            inner = threads * vector if self.chance(0.7) else rng.randint(1, threads) * vector
        inner = -(-inner // vector) * vector
        boxes = [inner]
        while len(boxes) < rank:
            outer = rng.choice(OUTER_BOXES)
            if idiom == "one" and len(boxes) < 3 and block[len(boxes)] > 1:
                outer = block[len(boxes)]
            if idiom == "fixed-rows" and len(boxes) == 1:
                outer = max(1, threads * vector // inner) * rng.choice((1, 1, 2, 3))
            if idiom == "one-flat":
                left = threads * vector // prod(boxes)
                outer = left if len(boxes) == rank - 1 and left and self.chance(0.7) else \
                    rng.randint(1, max(1, min(8, left)))
            while outer > 1 and (prod(boxes) * outer > MOST_CELLS or
                                 prod(boxes) * outer * size > MOST_BYTES):
                outer //= 2
            boxes.append(outer)
        return boxes[::-1]

    def _axes(self, boxes: Sequence[int], copy: Copy, loop: str) -> tuple[Axis, ...]:
        rng = self.rng
        origins = ["x", "y", "z"] + ["none"] * 2
        if loop != "none":
            origins[rng.choice((0, 1)) if len(boxes) > 1 else 0] = "loop"
        kind = self.pick({"all": 64, "some": 10, "none": 26})
        if copy.flaw in ("clamped", "wrapped"):
            kind = "all"
        axes = []
        for i, box in enumerate(reversed(boxes)):
            origin = origins[i]
            if i > 0 and self.chance(0.12):
                origin = "none"
            if i == 0 and origin == "x" and self.chance(0.07):
                origin = rng.choice(("table", "argument"))
            axes.append(self._axis(i, box, origin, kind, copy))
        return tuple(reversed(axes))

    def _axis(self, i: int, box: int, origin: str, kind: str, copy: Copy) -> Axis:
        rng, unit = self.rng, copy.vector if i == 0 else 1
        halo = rng.choice((1, 1, 2, 3, 4)) if self.chance(0.35) and box > 2 else 0
        halo = halo * unit if box > 2 * halo * unit else 0
        shift, step = -halo, box - 2 * halo
        if self.chance(0.08):
            shift = rng.randint(-6, 9) * unit
        if self.chance(0.08):
            step = rng.randint(1, box + 5) * unit
        if step < 1:
            step = box
        guarded = kind == "all" or (kind == "some" and self.chance(0.5))
        lower = guarded and (shift < 0 or origin in ("table", "argument") or self.chance(0.4))
        if guarded and lower and self.chance(0.03):
            lower = False
        size = ELEMENTS[copy.element].size
        grain = max(1, 16 // size) * unit
        extent = self.pick({"argument": 80, "literal": 12, "less": 8})
        literal = step * rng.randint(1, 2) + box + rng.randint(0, 8) + abs(shift)
        if self.chance(0.7):
            literal = -(-literal // grain) * grain
        stride = "dense" if i == 0 else self.pick({"dense": 76, "pitch": 17, "literal": 7})
        wide = rng.choice((64, 80, 96, 128, 160)) * max(1, copy.vector)
        literal_stride = wide if self.chance(0.7) else wide + rng.randint(1, 9) * copy.vector
        return Axis(box, origin, step, shift, lower, guarded, extent, literal, stride,
                    literal_stride)

    def _guard(self) -> Guard:
        return Guard(
            style=self.pick({"ternary": 30, "if-else": 12, "inverted": 6, "register": 12,
                             "prefill": 8, "helper": 6, "continue": 6, "prefill-continue": 5,
                             "bounded": 7, "keep": 7, "keep-continue": 3, "keep-any": 5}),
            fill=self.pick({"zero": 93, "one": 7}),
            join=self.pick({"and": 40, "grouped": 8, "negated": 10, "flag": 10, "flags": 6,
                            "macro": 8, "bits": 5, "nested": 13}),
            order=self.rng.choice((0, 0, 0, self.rng.randint(1, 99))),
            lower=self.pick({"at-least": 60, "mirrored": 10, "not-less": 10, "more": 10,
                             "not-mirrored": 10}),
            upper=self.pick({"less": 60, "mirrored": 10, "not-beyond": 10, "at-most": 10,
                             "plus-one": 10}),
            both=self.pick({"two": 75, "unsigned": 15, "unsigned-cast": 10}))

    # Launches ----------------------------------------------------------------------

    def _launches(self, kernel: Kernel) -> tuple[Launch, ...]:
        launches = []
        kinds = ["aligned", self.pick({"odd": 40, "aligned": 25, "tiny": 15, "offset": 20})]
        if self.chance(0.3):
            kinds.append(self.pick({"odd": 40, "tiny": 30, "offset": 30}))
        for kind in kinds:
            grid = [self.rng.choice((1, 2, 2, 3)), self.rng.choice((1, 2, 2)), 1]
            used = {axis.origin for copy in kernel.copies for axis in copy.axes}
            if "z" in used or any(copy.batch != "none" for copy in kernel.copies):
                grid[2] = self.rng.choice((1, 2, 2, 3))
            if "y" not in used:
                grid[1] = self.rng.choice((1, 1, 1, 2))
            rounds = self.rng.randint(1, 4)
            shapes = tuple(self._shape(copy, grid, rounds, kind) for copy in kernel.copies)
            threads = 0
            if kernel.clause_threads and self.chance(0.3):
                threads = self.rng.choice((32, 64, 128, 256))
            form = self.pick({"plain": 40, "variables": 20, "braces": 8, "stream": 8,
                              "dynamic": 8, "config": 10, "lambda": 6})
            launches.append(Launch(tuple(grid), rounds, form, shapes, threads))
        return tuple(launches)

    def _shape(self, copy: Copy, grid: list[int], rounds: int, kind: str) -> Shape:
        rng, size = self.rng, ELEMENTS[copy.element].size
        counts = {"x": grid[0], "y": grid[1], "z": grid[2], "loop": rounds}
        grain = max(1, 16 // size)
        extents, slack = [], []
        for i, axis in enumerate(reversed(copy.axes)):
            covered = (counts.get(axis.origin, 1) - 1) * axis.step + axis.shift + axis.box
            extent = max(1, covered + rng.choice((0, 0, -1, 1, 2, -axis.box // 2, 3, 8)))
            if kind == "tiny" and axis.upper:
                extent = rng.choice((1, 1, 2, 3, max(1, axis.box - 1)))
            if axis.extent == "less":
                extent += 1
            if i == 0 and (kind in ("aligned", "offset") or copy.vector > 1):
                unit = max(copy.vector, grain if kind != "odd" else 1)
                extent = -(-extent // unit) * unit
            extents.append(extent)
            more = rng.choice((0, grain, 2 * grain)) if kind != "odd" else rng.randint(0, 9)
            slack.append(-(-more // copy.vector) * copy.vector)
        offset = rng.choice((1, 1, 2, 3, 4)) * copy.vector if kind == "offset" else 0
        table = any(axis.origin in ("table", "argument") for axis in copy.axes)
        unit = rng.choice((1, grain, grain)) * copy.vector
        first = rng.randint(-2, 4) * unit if table else 0
        return Shape(tuple(reversed(extents)), tuple(reversed(slack)), offset, first)


def make_kernel(seed: int, number: int) -> Kernel:
    return Generator(seed, number).kernel()


def make_program(seed: int, first: int, kernels: int) -> Program:
    """So many kernels, numbered from the first."""
    return Program(tuple(make_kernel(seed, first + i) for i in range(kernels)))
