#!/usr/bin/env python3
# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""Random ways from memory through registers to a tile.

In a loop around a copy, registers are loaded, moved and stored in any order, for this
round or the next one, and memory is written in between, the tensor's own or another
array's that may be the same. Some copies start where a table says, which is written in
between, too. The lifted statement loads where it stores, so tilelift has to know what is
there by then, or refuse; if it lifts, the lifted program has to leave the same bytes as
the plain one.
"""
from __future__ import annotations

import random
import sys

import batches

ROWS = 16
MAIN = f"""
int main() {{
  for (int same = 0; same < 2; ++same)
    for (int n = 0; n < 6; ++n) {{
      std::vector<float> values({ROWS} * 64);
      for (int i = 0; i < {ROWS} * 64; ++i)
        values[i] = i * 7 % 101;
      std::vector<int> rows = {{4, 0, 7, 3, 11, 2, 9, 1}};
      float *in, *out;
      int *at, *more;
      cudaMalloc(&in, values.size() * 4), cudaMalloc(&out, values.size() * 4);
      cudaMalloc(&at, rows.size() * 4), cudaMalloc(&more, rows.size() * 4);
      auto fill = [&] {{
        cudaMemcpy(in, values.data(), values.size() * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(out, values.data(), values.size() * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(at, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(more, rows.data(), rows.size() * 4, cudaMemcpyHostToDevice);
      }};
LAUNCHES
    }}
  return cudaDeviceSynchronize();
}}
"""


class Writer:
    def __init__(self, seed: int, number: int) -> None:
        self.rng = random.Random(f"{seed}/{number}")
        self.number = number
        self.pick = lambda *choices: self.rng.choice(choices)
        self.may_be_same = self.rng.random() < 0.6
        self.looks_up = self.rng.random() < 0.4
        self.usual = self.pick("2", "k % 4")
        self.pragmas = 0

    def row(self) -> str:
        """Some row, from 0 to 15 for all k and i that there are."""
        return self.pick("k", "k", "(k + 1)", "(k + 1)", "(k + 1)", "(k + 2)", "i", "(i + 1)", "3",
                         "(5 - k)", "(k % 3)")

    def load(self) -> str:
        target = self.pick("v", "v", "v", "u")
        text = f"{target} = in[{self.row()} * 64 + t];"
        if self.rng.random() < 0.5:
            text = f"if ({self.pick('k + 1 < n', 'k + 1 < n', 'k < 2', 'i < n', 'n > 2', 't < 32')})\n  {text}"
        return text

    def place(self) -> str:
        """Where a row's number is, the same for all threads; often one place."""
        table = "at" if self.rng.random() < 0.8 else "more"
        return f"{table}[{self.usual if self.rng.random() < 0.8 else self.pick('1', 'k % 4', '(k + 1) % 4')}]"

    def look(self) -> str:
        text = self.pick(f"p = {self.place()};", f"p = {self.place()};", f"q = {self.place()};", "p = q;", "q = p;")
        if self.rng.random() < 0.3:
            text = f"if ({self.pick('k + 1 < n', 'k < 2', 'i < n', 'n > 2')})\n  {text}"
        return text

    def move(self) -> str:
        """Writes to a table, for all to see."""
        place = self.place()
        return f"__syncthreads();\nif (t == 0)\n  {place} = ({place} + k + 1) % 12;\n__syncthreads();"

    def look_and_move(self) -> str:
        return f"{self.pick('p', 'q')} = {self.place()};\n{self.move()}\n{self.store()}"

    def statement(self) -> str:
        if self.looks_up and self.rng.random() < 0.6:
            return self.pick(self.look, self.look, self.move, self.store, self.look_and_move)()
        return self.pick(self.load, self.load, self.load, self.other, self.store, self.store)()

    def other(self) -> str:
        row = self.row()
        return self.pick("v = u;", "u = v;", *[f"out[{row} * 64 + t] = sum + k;"] * 4, f"out[{row} * 64 + t] = v;",
                         f"in[{row} * 64 + t] += 1;" if self.is_written else f"sum += in[{row} * 64 + t];",
                         "if (k == 2)\n  continue;", "if (i > 3)\n  break;", "++i;", "sum += v;")

    def store(self) -> str:
        if self.pragmas == 2:
            return self.load()
        self.pragmas += 1
        value = self.pick("v", "v", "v", "u")
        if self.looks_up:
            row = self.pick("p", "p", "q", self.place())
            value = f"in[{row} * 64 + t]"
            if self.rng.random() < 0.6:
                value = f"{self.pick('p', 'q', self.place())} < 4 ? {value} : 0.f"
        return (f"__syncthreads();\n#pragma tma load fallback(loop)\npart[t] = {value};\n"
                "__syncthreads();\nsum = sum * 3 + part[63 - t];")

    def kernel(self) -> str:
        self.is_written = self.rng.random() < 0.2
        restrict = "" if self.may_be_same else "__restrict__ "
        const = "" if self.is_written else "const "
        body = [self.statement() for _ in range(self.rng.randint(1, 4))]
        body.insert(self.rng.randint(0, len(body)), self.store())
        loop, end = self.pick(("for (int k = 0; k < n; ++k) {", "}"), ("for (int k = 0; k < n; ++k) {", "}"),
                              ("for (int k = 1; k < n; k += 2) {", "}"),
                              ("for (int k = n - 1; k >= 0; --k) {", "}"))
        ahead = [self.pick(f"v = in[{self.pick('0', '0', '1', '4')} * 64 + t];", "u = in[64 + t];", "v = 1;",
                           "out[t] = 5;", "if (n > 1)\n  v = in[t];")
                 for _ in range(self.rng.randint(0, 3))]
        lines = (["__shared__ float part[64];", "int t = threadIdx.x, i = 0;", "float sum = 0, v = 0, u = 2;",
                  f"int p = {self.pick('1', self.place().replace('k', 'n'))}, q = 2;"]
                 + ahead + [loop] + body + [end, f"out[{ROWS - 1} * 64 + t] = sum;"])
        return (f"__global__ void k{self.number:03d}(float *{restrict}out, {const}float *{restrict}in, int *at, int *more,\n"
                "                     int n) {\n"
                + "\n".join(lines) + "\n}\n")


def program(seed: int, numbers: list[int]) -> str:
    writers = [Writer(seed, number) for number in numbers]
    kernels = "\n".join(writer.kernel() for writer in writers)
    launches = "\n".join(
        f"      fill();\n      k{w.number:03d}<<<1, 64>>>({'same ? in : out' if w.may_be_same else 'out'}, in, at, same ? at : more, n);"
        for w in writers)
    return "#include <cuda_runtime.h>\n#include <vector>\n\n" + kernels + MAIN.replace("LAUNCHES", launches)


if __name__ == "__main__":
    sys.exit(batches.main(__doc__, program, step=25))
