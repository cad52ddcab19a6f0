#!/usr/bin/env python3
# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""Random ways from a tile to global memory.

In a loop or without one, a tile is written, loaded, stored, combined into memory and
read, and so is the memory, through the tensor's own pointer or one that may be the same;
element by element by who wrote it, or by others behind a barrier. Barriers stand where
a plain program needs them, and sometimes where it does not. So tilelift has to know where
stores have to be fenced and waited for; the lifted program has to leave the same bytes
as the plain one.
"""
from __future__ import annotations

import random
import sys

import batches

THREADS = 64
MAIN = """
int main() {
  for (int same = 0; same < 2; ++same)
    for (int n = 0; n < 4; ++n) {
      std::vector<char> bytes(1 << 16);
      for (size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = i % 8 == 0 ? i / 8 % 101 : 0;
      char *in, *out;
      cudaMalloc(&in, bytes.size()), cudaMalloc(&out, bytes.size());
      auto fill = [&] {
        cudaMemcpy(in, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
        cudaMemcpy(out, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
      };
      unsigned long long hash = 0;
      auto add = [&] {
        std::vector<char> left(bytes.size());
        cudaMemcpy(left.data(), out, left.size(), cudaMemcpyDeviceToHost);
        for (char byte : left)
          hash = hash * 0x100000001b3 + (unsigned char)byte;
      };
LAUNCHES
      printf("case %d rounds%s hash %016llx\\n", n, same ? ", in place" : "", hash);
    }
  return cudaDeviceSynchronize();
}
"""


class Writer:
    def __init__(self, seed: int, number: int) -> None:
        self.rng = random.Random(f"outward {seed}/{number}")
        self.number = number
        self.pick = lambda *choices: self.rng.choice(choices)
        self.type = self.pick("int", "int", "float", "unsigned", "short", "double", "long long")
        self.rows = self.pick(1, 2, 4, 4, 8)
        self.columns = self.pick(8, 16, 32, 32, 64, 12)
        self.pad = self.pick(0, 0, 0, 1, 2) if self.rows > 1 else 0
        self.may_be_same = self.chance(0.4)
        self.own_only = self.chance(0.35)  # every thread stays with its own elements
        self.loops = self.chance(0.6)
        self.pragmas = 0
        # Who has been where since the last barrier.
        self.tile: set[tuple[str, bool]] = set()
        self.memory: set[tuple[str, bool]] = set()

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def order(self) -> str:
        return "own" if self.own_only else self.pick("own", "own", "other")

    # What is where ------------------------------------------------------------------

    def cells(self, order: str, body: str) -> str:
        """For each of a thread's elements: r and c of the tile."""
        count = self.rows * self.columns
        at = "i" if order == "own" else f"({count} - 1 - i)"
        return (f"for (int i = t; i < {count}; i += {THREADS}) {{\n"
                f"  int r = {at} / {self.columns}, c = {at} % {self.columns};\n  {body}\n}}")

    def cell(self) -> str:
        return "tile[r][c]" if self.rows > 1 else "tile[c]"

    def place(self) -> str:
        return "(y0 + r) * w + x0 + c"

    def guarded(self, text: str) -> str:
        return f"if (y0 + r < h && x0 + c < w)\n    {text}"

    def meet(self, who: set[tuple[str, bool]], order: str, writes: bool) -> str:
        """A barrier where another order has been there and one of the two writes."""
        clash = any(other != order and (writes or wrote) for other, wrote in who)
        text = ""
        if clash or self.chance(0.25):
            text = "__syncthreads();\n"
            self.tile.clear(), self.memory.clear()
        return text

    # Statements -----------------------------------------------------------------------

    def touch(self, order: str, tile: bool | None, memory: bool | None) -> str:
        """Barriers before a statement that reads (False) or writes (True) either."""
        text = ""
        if tile is not None:
            text += self.meet(self.tile, order, tile)
        if memory is not None:
            text += self.meet(self.memory, order, memory)
        if tile is not None:
            self.tile.add((order, tile))
        if memory is not None:
            self.memory.add((order, memory))
        return text

    def write(self) -> str:
        order = self.order()
        value = self.pick(f"r * 5 + c + k", "k - c", f"{self.cell()} + 1", f"{self.cell()} * 2", "sum + i")
        return self.touch(order, True, None) + self.cells(order, f"{self.cell()} = {value};")

    def read(self) -> str:
        order = self.order()
        return self.touch(order, False, None) + self.cells(order, f"sum += {self.cell()};")

    def look(self) -> str:
        order, pointer = self.order(), self.pick("out", "in") if self.may_be_same else "out"
        return self.touch(order, None, False) + self.cells(
            order, self.guarded(f"sum += {pointer}[{self.place()}];"))

    def scribble(self) -> str:
        order = self.order()
        return self.touch(order, None, True) + self.cells(
            order, self.guarded(f"out[{self.place()}] = c + {self.pick('k', '3', 'sum')};"))

    def load(self) -> str:
        order, pointer = self.order(), "in" if self.chance(0.7) else "out"
        text = self.touch(order, True, False)
        self.pragmas += 1
        return text + "#pragma tma load fallback(loop)\n" + self.cells(
            order, f"{self.cell()} = y0 + r < h && x0 + c < w ? {pointer}[{self.place()}] : static_cast<{self.type}>(0);")

    def store(self) -> str:
        order = self.order()
        text = self.touch(order, False, True)
        self.pragmas += 1
        swizzle = self.pick("", "", "", " swizzle(none)", " swizzle(128)", " swizzle(32)")
        return text + f"#pragma tma store fallback(loop){swizzle}\n" + self.cells(
            order, self.guarded(f"out[{self.place()}] = {self.cell()};"))

    def reduce(self) -> str:
        order = self.order()
        text = self.touch(order, False, True)
        self.pragmas += 1
        at, cell = f"out[{self.place()}]", self.cell()
        ways = [f"{at} += {cell};", f"{at} = {cell} + {at};"]
        if self.type in ("int", "unsigned"):
            ways += [f"atomicAdd(&{at}, {cell});", f"{at} = max({at}, {cell});", f"atomicMin(&{at}, {cell});",
                     f"{at} ^= {cell};", f"{at} |= {cell};", f"atomicAnd(&{at}, {cell});"]
        if self.type in ("float", "double"):
            ways += [f"atomicAdd(&{at}, {cell});"]
        return text + "#pragma tma reduce fallback(loop)\n" + self.cells(order, self.guarded(self.pick(*ways)))

    def statement(self) -> str:
        return self.pick(self.write, self.write, self.write, self.read, self.look, self.scribble, self.load,
                         self.store, self.store, self.store, self.reduce, self.reduce)()

    # The kernel -----------------------------------------------------------------------

    def kernel(self) -> str:
        self.tile.add(("own", True))
        lines = [self.cells("own", f"{self.cell()} = r * 3 - c;")]
        body = [self.statement() for _ in range(self.rng.randint(1, 4))] + [self.store()]
        if self.own_only:
            self.rng.shuffle(body)
        origin = self.pick("blockIdx.y", "blockIdx.y", "k") if self.loops else "blockIdx.y"
        position = f"int y0 = {origin} * {self.rows}, x0 = blockIdx.x * {self.columns};"
        if self.loops:
            end = [] if self.own_only and self.chance(0.7) else ["__syncthreads();"]
            lines += ["__syncthreads();", "for (int k = 0; k < n; ++k) {", position, *body, *end, "}"]
        else:
            lines = ["int k = n;", position] + lines + body
        if self.chance(0.5):
            lines += ["__syncthreads();", self.cells("other", f"sum += {self.cell()};")]
        extents = f"[{self.rows}][{self.columns + self.pad}]" if self.rows > 1 else f"[{self.columns}]"
        restrict = "" if self.may_be_same else "__restrict__ "
        head = (f"__global__ void k{self.number:03d}({self.type} *{restrict}out, const {self.type} *{restrict}in, "
                "int w, int h, int n) {\n")
        first = ["int k = 0;"] if self.loops else []
        return (head + f"__shared__ {self.type} tile{extents};\nint t = threadIdx.x;\n{self.type} sum = 0;\n"
                + "\n".join(first + lines)
                + f"\nout[4096 + (blockIdx.y * 2 + blockIdx.x) * {THREADS} + t] = sum;\n}}\n")

    def launches(self) -> str:
        text = ""
        y = 1 if self.loops else 2
        for w in {self.columns * 2, self.columns * 2 - self.pick(0, 1, 3, 4, 8)}:
            h = self.rows * 4 - self.pick(0, 0, 1)
            same = f"reinterpret_cast<const {self.type} *>(same ? out : in)" if self.may_be_same else \
                f"reinterpret_cast<const {self.type} *>(in)"
            text += (f"      fill();\n      k{self.number:03d}<<<dim3(2, {y}), {THREADS}>>>("
                     f"reinterpret_cast<{self.type} *>(out), {same}, {w}, {h}, n);\n      add();\n")
        return text


if __name__ == "__main__":
    sys.exit(batches.main(__doc__, batches.program_of(Writer, MAIN), step=25))
