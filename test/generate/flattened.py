#!/usr/bin/env python3
# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""Random copies between a flat array and a tile with rows.

The array has one dimension and one guard; the tile has two or three, which its users
take by rows, by columns, as vectors or as a flat array. What is a row of the array is
then several rows of the tile, or a part of one. So tilelift has to lay the tile out in a
way that both can find their elements; the lifted program has to leave the same bytes as
the plain one.
"""
from __future__ import annotations

import random
import sys
from math import prod

import batches

THREADS = 64
MAIN = batches.hashing_main(written=1 << 15)
BYTES = {"signed char": 1, "short": 2, "int": 4, "float": 4, "double": 8, "long long": 8}


class Writer:
    def __init__(self, seed: int, number: int) -> None:
        self.rng = random.Random(f"flattened {seed}/{number}")
        self.number = number
        self.pick = lambda *choices: self.rng.choice(choices)
        self.type = self.pick(*BYTES, "float", "float")
        rows, columns = self.pick(2, 3, 4, 5, 8, 16), self.pick(8, 12, 16, 20, 32, 32, 64, 100, 128)
        self.extents = [rows, columns] if self.rng.random() < 0.75 else [self.pick(2, 3), rows, columns]
        self.count = prod(self.extents)
        self.pad = self.pick(0, 0, 0, 0, 1, 4)
        self.way = self.pick("load", "load", "load", "store", "ring")
        self.shift = self.pick(0, 0, 0, -4, -1, 3, 16)
        # How far the tiles of two blocks are apart, and how much of a tile is copied.
        nearer = 0 if self.way == "store" else -8  # what blocks store lies apart
        self.step = self.count + self.pick(0, 0, nearer, 16)
        self.copied = self.pick(self.count, self.count, self.count - self.extents[-1], self.count - 4)
        if self.copied <= 0 or self.pad:
            self.copied = self.count

    def cell(self, at: str) -> str:
        """The cell with a flat number."""
        *outer, columns = self.extents
        subscripts, below = [f"[{at} % {columns}]"], columns
        for extent in reversed(outer[1:]):
            subscripts.append(f"[{at} / {below} % {extent}]")
            below *= extent
        subscripts.append(f"[{at} / {below}]")
        return "tile" + "".join(reversed(subscripts))

    def column_cell(self, at: str) -> str:
        """The same, counted with the rows first."""
        subscripts, below = [], 1
        for extent in self.extents:
            subscripts.append(f"[{at} / {below} % {extent}]" if below > 1 else f"[{at} % {extent}]")
            below *= extent
        return "tile" + "".join(subscripts)

    def user_cell(self, at: str) -> str:
        return self.pick(self.cell, self.column_cell, self.column_cell)(at)

    def loop(self, body: str, count: int) -> str:
        return f"for (int i = t; i < {count}; i += {THREADS}) {{ {body} }}"

    def guard(self, at: str) -> str:
        upper = self.pick(f"{at} < n", f"{at} < n", f"n > {at}", f"!({at} >= n)")
        if self.shift >= 0:
            return upper
        return self.pick(f"{at} >= 0 && {upper}", f"{upper} && 0 <= {at}", f"(unsigned)({at}) < (unsigned)n")

    def load(self) -> str:
        at = "(x0 + i)"
        body = f"{self.cell('i')} = {self.guard(at)} ? in[{at}] : ({self.type})0;"
        return "#pragma tma load fallback(loop)\n" + self.loop(body, self.copied)

    def store(self) -> str:
        at = "(x0 + i)"
        return ("#pragma tma store fallback(loop)\n"
                + self.loop(f"if ({self.guard(at)}) out[{at}] = {self.cell('i')};", self.copied))

    def clear(self) -> str:
        return "" if self.copied == self.count else self.loop(f"{self.cell('i')} = 7;", self.count) + "\n__syncthreads();\n"

    def read(self) -> str:
        """The sum of what each thread reads, in one order or another."""
        if not self.pad and self.rng.random() < 0.15:
            return self.loop(f"sum = sum * 3 + reinterpret_cast<{self.type} *>(tile)[{self.count - 1} - i];", self.count)
        return self.loop(f"sum = sum * 3 + {self.user_cell('i')};", self.count)

    def kernel(self) -> str:
        *outer, columns = self.extents
        extents = "".join(f"[{extent}]" for extent in outer) + f"[{columns + self.pad}]"
        start = f"(int)blockIdx.x * {self.step} + {self.shift}"
        lines = [f"__global__ void k{self.number:03d}({self.type} *__restrict__ out, const {self.type} *__restrict__ in, int n) {{",
                 f"__shared__ {self.type} tile{extents};", f"int t = threadIdx.x;", f"{self.type} sum = 0;"]
        if self.way == "store":
            value = f"{self.user_cell('i')} = ({self.type})(i % 101 + blockIdx.x);"
            lines += [f"int x0 = {start};", self.loop(value, self.count), "__syncthreads();", self.store()]
        elif self.way == "load":
            lines += [f"int x0 = {start};", self.clear(), self.load(), "__syncthreads();", self.read()]
        else:
            lines += [self.clear(), "#pragma tma pipeline stages(2) fallback(loop)", "for (int k = 0; k < 3; ++k) {",
                      f"int x0 = {start} + k * {self.step};", self.load(), "__syncthreads();", self.read(),
                      "__syncthreads();", "}"]
        if self.way != "store":
            lines.append(f"out[blockIdx.x * {THREADS} + t] = sum;")
        return "\n".join(lines) + "\n}\n"

    def launches(self) -> str:
        text = ""
        blocks = self.pick(1, 2, 3)
        whole = self.step * blocks + self.pick(0, 0, -5, 16, -self.count // 2)
        for n in {max(whole, 1), self.count // 2 + 3}:
            text += (f"  clear(), k{self.number:03d}<<<{blocks}, {THREADS}>>>(({self.type} *)out, "
                     f"(const {self.type} *)in, {n}), add();\n")
        return text


if __name__ == "__main__":
    sys.exit(batches.main(__doc__, batches.program_of(Writer, MAIN), step=20))
