#!/usr/bin/env python3
# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""Random convolutions as matrix products: tiles of pixels that a flat index counts.

One to three dimensions, any padding, stride and dilation, filters that count up or, as
gradients have them, down; sizes that are numbers or arguments; several ways to take the
index apart and to say what is outside; channels that do not fill the last block, images
that blocks choose, tails, rings; lines that blocks choose, too, of which the flat index knows
nothing. The lifted program has to leave the same bytes as the
plain one.
"""
from __future__ import annotations

import random
import sys

import batches

THREADS = 64
SIZES = {"float": 4, "int": 4, "unsigned short": 2, "unsigned char": 1}
MAIN = batches.hashing_main(written=1 << 16)


class Side:
    """One dimension of a convolution: its input, output and filter."""

    def __init__(self, writer: Writer, names: tuple[str, str, str, str]) -> None:
        pick = writer.pick
        self.input, self.output, self.filter, self.name = names
        self.size = pick(3, 4, 5, 5)
        self.reach = pick(1, 2, 3, 3)
        self.stride, self.dilation, self.pad = pick(1, 1, 2, 3), pick(1, 1, 2), pick(0, 1, 1, 2)
        self.gradient = writer.gradient
        if self.gradient:
            self.stride = 1
        self.fit()
        self.guarded = self.pad > 0 or self.gradient or writer.chance(0.7)
        if self.guarded and writer.chance(0.2):
            self.counted += 1
        self.still = False

    def fit(self) -> None:
        """Makes the input large enough for one place of the filter."""
        self.span = (self.reach - 1) * self.dilation + 1
        self.size = max(self.size, self.span - 2 * self.pad)
        self.counted = (self.size + 2 * self.pad - self.span) // self.stride + 1

    def parameters(self) -> dict[str, int]:
        return {self.input: self.size, self.output: self.counted, self.filter: self.reach,
                f"pad_{self.name}": self.pad, f"stride_{self.name}": self.stride, f"dil_{self.name}": self.dilation}

    def coordinate(self, digit: str, element: str) -> str:
        n = self.name
        if self.gradient:
            return f"{digit} + pad_{n} - {element} * dil_{n}"
        return f"{digit} * stride_{n} - pad_{n} + {element} * dil_{n}"


SIDES = [("W", "Q", "S", "w"), ("H", "P", "R", "h"), ("D", "O", "T", "d")]


class Writer:
    def __init__(self, seed: int, number: int) -> None:
        self.rng = random.Random(f"convolutions {seed}/{number}")
        self.number = number
        self.pick = lambda *choices: self.rng.choice(choices)
        self.type = self.pick(*SIZES)
        self.gradient = self.chance(0.2)
        self.sides = [Side(self, names) for names in SIDES[:self.pick(1, 2, 2, 2, 3)]]
        self.pixels, self.vector = self.pick(8, 16, 24, 64), self.chance(0.3)
        size = SIZES[self.type]
        self.channels = self.pick(16, 32, 64, 128) // size
        # The outer sides, or one of them, are not of the index but of the block.
        if len(self.sides) > 1 and self.chance(0.3):
            for side in self.sides[self.pick(1, len(self.sides) - 1):]:
                side.still = True
        self.moving = [side for side in self.sides if not side.still]
        self.batched = len(self.moving) > 1 and self.chance(0.2)
        whole = self.chance(0.6) or self.vector
        self.guards_channels = not whole
        self.shift = 0 if self.vector else self.pick(0, 0, 0, 1, 16 // size)
        self.values = {"N": self.pick(1, 2, 3), "C": self.channels * self.pick(1, 1, 2) + (0 if whole else 16 // size)}
        self.values["K"] = self.values["C"] + (32 // size if self.shift else 0)
        for side in self.sides:
            self.values |= side.parameters()
        self.unsigned = self.chance(0.2)
        self.pipelined = self.chance(0.3)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def total(self) -> int:
        product = 1 if self.batched else self.values["N"]
        for side in self.moving:
            product *= side.counted
        return product

    def lines(self) -> int:
        product = 1
        for side in self.sides:
            product *= side.counted if side.still else 1
        return product

    def decode(self) -> str:
        """The digits of the pixel: q, p, o and n."""
        names, outputs = ["q", "p", "o"][:len(self.moving)], [side.output for side in self.moving]
        if self.batched:
            names, outputs, last = names[:-1], outputs[:-1], names[-1]
        else:
            last = "n"
        way = self.pick("rest", "rest", "products", "minus")
        number = self.pick("int", "int", "unsigned") if self.unsigned else "int"
        text, rest = "", "m"
        for i, (name, output) in enumerate(zip(names, outputs)):
            product = " * ".join(outputs[:i]) or "1"
            if way == "products":
                text += f"  int {name} = m / ({product}) % {output};\n"
                rest = f"m / ({product} * {output})"
            else:
                text += f"  {number} next{i} = {rest} / {output};\n"
                left = f"{rest} % {output}" if way == "rest" else f"{rest} - next{i} * {output}"
                text += f"  int {name} = {left};\n"
                rest = f"next{i}"
        text += f"  int {last} = {rest};\n" + ("  int n = blockIdx.y;\n" if self.batched else "")
        still = [(name, side) for name, side in zip(["q", "p", "o"], self.sides) if side.still]
        if len(still) == 1:
            return text + f"  int {still[0][0]} = blockIdx.z;\n"
        if still:
            return text + f"  int p = blockIdx.z % {still[0][1].output}, o = blockIdx.z / {still[0][1].output};\n"
        return text

    def copy(self) -> str:
        vector = 16 // SIZES[self.type] if self.vector else 1
        row = self.channels // vector
        text = f"for (int i = t; i < {self.pixels * row}; i += {THREADS}) {{\n"
        text += f"  int row = i / {row}, e = i % {row} * {vector};\n  int m = first + row;\n" + self.decode()
        bounds = []
        total = self.total()
        if total % self.pixels != 0 or self.chance(0.5):
            product = " * ".join([*([] if self.batched else ["N"]), *(side.output for side in self.moving)])
            bounds.append("n < N" if not self.batched and self.chance(0.4) else f"m < {product}")
        place = "n"
        for side, digit in reversed(list(zip(self.sides, ["q", "p", "o"]))):
            element = {"w": "s", "h": "r", "d": "f"}[side.name]
            number = "unsigned" if self.unsigned and side.guarded else "int"
            text += f"  {number} x{side.name} = {side.coordinate(digit, element)};\n"
            if side.guarded:
                bounds.append(f"x{side.name} < {side.input}" if number == "unsigned" else
                              f"x{side.name} >= 0 && x{side.name} < {side.input}")
            place = f"({place} * {side.input} + x{side.name})"
        if self.guards_channels:
            bounds.append("c0 + e < C")
        place = f"{place} * K + c0 + e" + (f" + {self.shift}" if self.shift else "")
        what = "uint4" if self.vector else self.type
        from_ = f"*reinterpret_cast<const uint4 *>(in + {place})" if self.vector else f"in[{place}]"
        to = "*reinterpret_cast<uint4 *>(&tile[row][e])" if self.vector else "tile[row][e]"
        zero = "uint4{}" if self.vector else f"static_cast<{self.type}>(0)"
        self.rng.shuffle(bounds)
        if not bounds:
            return text + f"  {to} = {from_};\n}}\n"
        if self.chance(0.5):
            return text + f"  {what} value = {zero};\n  if ({' && '.join(bounds)})\n    value = {from_};\n  {to} = value;\n}}\n"
        return text + f"  {to} = {' && '.join(bounds)} ? {from_} : {zero};\n}}\n"

    def kernel(self) -> str:
        arguments = [name for name in self.values if self.chance(0.7)]
        constants = [name for name in self.values if name not in arguments]
        self.arguments = arguments
        clause = self.pick("", "", "", " swizzle(none)", " swizzle(32)", " swizzle(64)", " swizzle(128)")
        body = (f"#pragma tma load fallback(loop){clause}\n" + self.copy() + "__syncthreads();\n"
                f"for (int i = 0; i < {self.channels}; ++i)\n"
                f"  for (int j = t; j < {self.pixels}; j += {THREADS})\n"
                f"    sum = sum * 3 + tile[j][i] * (i + 1);\n__syncthreads();\n")
        loop = f"for (int c0 = 0; c0 < C; c0 += {self.channels}) {{\n{body}}}\n"
        if self.pipelined:
            producer = self.pick("", "", " warp(producer)")
            loop = f"#pragma tma pipeline stages({self.pick(2, 3)}){producer} fallback(loop)\n" + loop
        for side in self.sides:
            element = {"w": "s", "h": "r", "d": "f"}[side.name]
            loop = f"for (int {element} = 0; {element} < {side.filter}; ++{element}) {{\n{loop}}}\n"
        pixel = f"int first = blockIdx.x * {self.pixels};"
        head = (f"__global__ void k{self.number:03d}({self.type} *__restrict__ out, const {self.type} *__restrict__ in"
                + "".join(f", int {name}" for name in arguments) + ") {\n")
        own = "".join(f"constexpr int {name} = {self.values[name]};\n" for name in constants)
        return (head + own + f"__shared__ {self.type} tile[{self.pixels}][{self.channels}];\n"
                + f"int t = threadIdx.x;\n{pixel}\n{self.type} sum = 0;\n" + loop
                + f"out[((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * {THREADS} + t] = sum;\n}}\n")

    def launches(self) -> str:
        blocks = (self.total() + self.pixels - 1) // self.pixels
        grid = f"dim3({blocks}, {self.values['N'] if self.batched else 1}, {self.lines()})"
        arguments = "".join(f", {self.values[name]}" for name in self.arguments)
        return (f"  clear();\n  k{self.number:03d}<<<{grid}, {THREADS}>>>(reinterpret_cast<{self.type} *>(out), "
                f"reinterpret_cast<const {self.type} *>(in){arguments});\n  add();\n")


if __name__ == "__main__":
    sys.exit(batches.main(__doc__, batches.program_of(Writer, MAIN), step=20))
