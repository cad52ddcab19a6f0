#!/usr/bin/env python3
# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""Random loops whose tiles are filled rounds ahead.

One to three tiles in a pipeline of any number of stages, some of them more than static
memory has room for, and some that both blocks of a cluster get at once; loops that count up, down, by steps, by pointers, in other loops;
copies that a warp of its own makes; tiles that are swizzled by a clause or by the program;
results that are stored or combined in each round. Rounds are none, few and many. The lifted
program has to leave the same bytes as the plain one.
"""
from __future__ import annotations

import random
import sys

import batches

THREADS = 64
SIZES = {"float": 4, "int": 4, "unsigned short": 2, "double": 8}
MAIN = """
int main() {
  for (int n : {0, 1, 2, 3, 7}) {
    std::vector<char> bytes(1 << 22);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = i % 8 == 0 || i % 8 == 6 ? i / 8 % 101 : 0;
    char *in, *out;
    cudaMalloc(&in, bytes.size()), cudaMalloc(&out, bytes.size());
    cudaMemcpy(in, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
    unsigned long long hash = 0;
    // Of no other kernel: its numbers may be none in another type.
    auto clear = [&] { cudaMemset(out, 0, 1 << 17); };
    auto add = [&] {
      cudaMemcpy(bytes.data(), out, 1 << 17, cudaMemcpyDeviceToHost);
      for (int i = 0; i < 1 << 17; ++i)
        hash = hash * 0x100000001b3 + (unsigned char)bytes[i];
    };
LAUNCHES
    printf("case %d rounds hash %016llx\\n", n, hash);
  }
  return cudaDeviceSynchronize();
}
"""


class Tile:
    def __init__(self, writer: Writer, number: int) -> None:
        pick = writer.pick
        self.name, self.type = f"tile{number}", writer.type
        size = SIZES[self.type]
        self.written = writer.chance(0.25)
        if self.written:
            self.span = pick(32, 64, 128)
            self.rows, self.columns, self.pad = pick(8, 16, 64), self.span // size, 0
        else:
            self.rows, self.columns = pick(1, 2, 4, 8, 8, 32), pick(8, 16, 20, 32, 64)
            self.pad = pick(0, 0, 1, 4)
        self.across = writer.chance(0.3)  # rounds go along rows
        self.guarded = writer.chance(0.4)
        self.shift = pick(0, 0, 0, 1, 4, 16 // size)
        self.swizzle = "" if self.written else pick("", "", "", " swizzle(none)", " swizzle(64)", " swizzle(128)")
        self.shared = writer.chance(0.3)  # by the blocks of a cluster
        self.multicast = " multicast(x)" if self.shared or writer.chance(0.05) else ""
        self.prefetch = f" prefetch({pick(1, 2, 3, 9)})" if writer.chance(0.25) else ""

    def cell(self) -> str:
        """Where element c of row r is; a swizzle changes 16-byte parts of a row."""
        if not self.written:
            return f"{self.name}[r][c]"
        grain = 16 // SIZES[self.type]
        mask = self.span // 16 - 1
        rows = 128 // self.span
        return f"{self.name}[r][((c / {grain}) ^ (r / {rows} & {mask})) * {grain} + c % {grain}]"

    def declaration(self) -> str:
        return f"__shared__ {self.type} {self.name}[{self.rows}][{self.columns + self.pad}];"

    def copy(self, round_: str) -> str:
        y = f"{0 if self.across else round_} * {self.rows} + r"
        block = "0" if self.shared else "int(blockIdx.x)"
        x = f"{block} * {self.columns} + {round_ if self.across else 0} * {self.columns} + c + {self.shift}"
        if not self.guarded:
            value = f"in[({y}) * w + {x}]"
        else:
            value = f"{y} < h && {x} < w ? in[({y}) * w + {x}] : static_cast<{self.type}>(0)"
        return (f"#pragma tma load fallback(loop){self.swizzle}{self.multicast}{self.prefetch}\n"
                + cells(self.rows, self.columns, f"{self.cell()} = {value};"))

    def read(self, turned: bool) -> str:
        count = self.rows * self.columns
        at = f"({count} - 1 - i)" if turned else "i"
        return cells(self.rows, self.columns, f"sum += {self.cell()} * (r + 1) + c;", at)


def cells(rows: int, columns: int, body: str, at: str = "i") -> str:
    return (f"for (int i = t; i < {rows * columns}; i += {THREADS}) {{\n"
            f"  int r = {at} / {columns}, c = {at} % {columns};\n  {body}\n}}")


class Writer:
    def __init__(self, seed: int, number: int) -> None:
        self.rng = random.Random(f"ahead {seed}/{number}")
        self.number = number
        self.pick = lambda *choices: self.rng.choice(choices)
        self.type = self.pick("float", "int", "unsigned short", "double")
        self.tiles = [Tile(self, i) for i in range(self.pick(1, 1, 2, 3))]
        self.stages = self.pick("1", "2", "3", "4", "5", "8", "auto", "N")
        self.producer = " warp(producer)" if self.chance(0.4) else ""
        self.outer = self.chance(0.3)
        self.stores = self.chance(0.4)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def loop(self, body: str) -> tuple[str, str]:
        """A loop of rounds, and what the round is called in it."""
        end = "n" if not self.outer else "n - outer"
        return self.pick(
            (f"for (int k = 0; k < {end}; ++k) {{\n{body}\n}}", "k"),
            (f"for (int k = {end}; k-- > 0;) {{\n{body}\n}}", "k"),
            (f"for (int k = {end} - 1; k >= 0; --k) {{\n{body}\n}}", "k"),
            (f"for (int k = 0; k < {end} * 2; k += 2) {{\n{body}\n}}", "(k / 2)"),
            (f"int k = 0;\nwhile (k < {end}) {{\n{body}\n++k;\n}}", "k"),
            (f"for (int k = 0, j = 3; k < {end}; ++k, j += 2) {{\n{body}\n}}", "((j - 3) / 2)"),
            (f"for (int k = 0, j = 0; k < {end}; ++k, ++j) {{\n{body}\n}}", "j"),
            (f"for (unsigned k = 0; int(k) < {end}; ++k) {{\n{body}\n}}", "int(k)"),
            # Unsigned counters that overflow to zero before the loop ends.
            (f"for (unsigned k = 1 - n; int(k + n - 1) < {end}; ++k) {{\n{body}\n}}", "int(k + n - 1)"),
            (f"for (unsigned k = 1 - n; k + n - 1 < unsigned(max({end}, 0)); ++k) {{\n{body}\n}}",
             "(k + n - 1)"))

    def outcome(self) -> str:
        """A tile of results, which the round writes and stores."""
        write = cells(4, 32, self.pick("result[r][c] = sum + c;", "result[r][c] = sum * 2;",
                                       "result[r][c] += sum;", "if (c < 16)\n    result[r][c] = sum;"))
        place = "out[((ROUND + outer * 8) * 4 + r) * 64 + int(blockIdx.x) * 32 + c]"
        way = self.pick("store", "store", "reduce")
        store = f"{place} = result[r][c];" if way == "store" else f"{place} += result[r][c];"
        barriers = "__syncthreads();\n" if self.chance(0.5) else ""
        return (f"{write}\n__syncthreads();\n#pragma tma {way} fallback(loop)\n{cells(4, 32, store)}\n{barriers}")

    def kernel(self) -> str:
        body = "\n".join(tile.copy("ROUND") for tile in self.tiles) + "\n__syncthreads();\n"
        reads = [tile.read(self.chance(0.7)) for tile in self.tiles for _ in range(self.pick(1, 1, 2))]
        self.rng.shuffle(reads)
        body += "\n".join(reads) + "\n"
        if self.stores:
            body += self.outcome()
        if self.chance(0.1):
            body += "if (k == 100)\n  break;\n"
        body += "__syncthreads();"
        loop, round_ = self.loop(body)
        loop = loop.replace("ROUND", round_)
        first = loop.index("while") if loop.startswith("int k") else 0
        loop = loop[:first] + f"#pragma tma pipeline stages({self.stages}){self.producer} fallback(loop)\n" + loop[first:]
        if self.outer:
            loop = f"for (int outer = 0; outer < 2; ++outer) {{\n{loop}\n}}"
        else:
            loop = f"const int outer = 0;\n{loop}"
        head = (f"__global__ void k{self.number:03d}({self.type} *__restrict__ out, "
                f"const {self.type} *__restrict__ in, int w, int h, int n) {{\n")
        if self.stages == "N":
            head = f"constexpr int N{self.number} = {self.pick(2, 3, 4)};\n" + head
            loop = loop.replace("stages(N)", f"stages(N{self.number})")
        tiles = "\n".join(tile.declaration() for tile in self.tiles)
        result = f"__shared__ {self.type} result[4][32];\n" + cells(4, 32, "result[r][c] = c;") + "\n"
        return (head + tiles + "\nint t = threadIdx.x;\n" + f"{self.type} sum = 0;\n"
                + (result if self.stores else "") + "__syncthreads();\n" + loop
                + f"\nout[8192 + blockIdx.x * {THREADS} + t] = sum;\n}}\n")

    def launches(self) -> str:
        width = max((tile.columns * (10 if tile.across else 3) + tile.shift for tile in self.tiles))
        width = (width + 15) // 16 * 16 + self.pick(0, 0, 0, 16 // SIZES[self.type], 3)
        height = max(tile.rows for tile in self.tiles) * self.pick(8, 8, 5)
        return (f"    clear();\n    k{self.number:03d}<<<2, {THREADS}>>>(reinterpret_cast<{self.type} *>(out), "
                f"reinterpret_cast<const {self.type} *>(in), {width}, {height}, n);\n    add();\n")


if __name__ == "__main__":
    sys.exit(batches.main(__doc__, batches.program_of(Writer, MAIN), step=25))
