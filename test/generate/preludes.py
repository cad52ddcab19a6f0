#!/usr/bin/env python3
# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""Random statements ahead of a copy and inside of it.

Where a copy starts is computed by a few random statements, of all kinds that C++
has: loops, calls by value and by reference, structs and unions, lambdas, small
types that wrap around. tilelift follows them or refuses the copy; if it lifts,
the lifted program has to leave the same bytes as the plain one.

What is not here: the shapes of copies, which run.py covers. Nobody says what a
program should compute: the plain program does.
"""
from __future__ import annotations

import random
import sys

import batches

LIMIT = 50  # every variable is smaller than that, so that no sum or product overflows
HEAD = f"""#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define SMALL(x) int((x) % {LIMIT})

struct Pair {{
  int first;
  short second;
}};
struct Counted : Pair {{
  int count;
  __device__ Counted(int n) : Pair{{n, short(n - 1)}}, count(n + 1) {{}}
  __device__ Counted(int a, int b) : Counted(SMALL(a + b)) {{ count += 2; }}
  __device__ int next() {{ return SMALL(++count); }}
  __device__ int operator()(int n) const {{ return SMALL(first * n + second); }}
}};
union Parts {{
  int whole;
  short half[2];
  signed char byte[4];
}};
__device__ int twice(int n) {{ return SMALL(n + n); }}
__device__ int smaller(int a, int b) {{
  if (a < b)
    return a;
  return b;
}}
__device__ void move(int &n, int by) {{ n = SMALL(n + by); }}
__device__ void move(int *n, const int &by) {{ *n = SMALL(*n - by); }}
__device__ Pair pair(int a, int b) {{
  Pair p;
  p.first = SMALL(a - b);
  p.second = short(b);
  return p;
}}
__device__ int sum(const Pair &a, const Pair &b) {{ return SMALL(a.first - b.second); }}
__device__ int &either(bool one, int &a, int &b) {{ return one ? a : b; }}
__device__ int down(int n) {{ return n <= 0 ? 0 : SMALL(down(n - 3) + n); }}

"""
MAIN = """
int main() {{
  std::vector<float> numbers(4096);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = float(i);
  float *in, *out;
  cudaMalloc(&in, numbers.size() * sizeof(float));
  cudaMalloc(&out, {count} * 128 * sizeof(float));
  cudaMemcpy(in, numbers.data(), numbers.size() * sizeof(float), cudaMemcpyHostToDevice);
  int a = {a}, b = {b}; // not constants to whoever reads the launches
  a += 1, b -= 1;
{launches}
  return int(cudaDeviceSynchronize());
}}
"""


class Writer:
    """One kernel."""

    def __init__(self, seed: int, number: int):
        self.rng = random.Random(f"{seed}/{number}")
        self.name = f"k{number:03d}"
        self.variables = ["i", "j"]
        self.temporaries = 0

    def kernel(self) -> str:
        ahead = [self.statement(2) for _ in range(self.rng.randint(1, 5))]
        lines = [f"__global__ void {self.name}(float *out, const float *in, int a, int b) {{",
                 "  __shared__ float tile[64];", "  float total = 0;",
                 f"  int i = {self.leaf()}, j = {self.leaf()};", *self.indented(ahead, "  "),
                 *(self.in_loop() if self.rng.random() < 0.5 else self.copy("  ")),
                 "  out[blockIdx.x * 64 + threadIdx.x] = total;", "}"]
        return "\n".join(lines) + "\n"

    def copy(self, pad: str) -> list[str]:
        inside = [self.statement(1) for _ in range(self.rng.choice((0, 0, 0, 1, 2)))]
        place = "threadIdx.x + 4 * ((i + 3 * j) % 64 + 64)"
        value = self.pick(f"in[{place}]", f"in[{place}]",
                          f"threadIdx.x + 8 < unsigned(i + 60) ? in[{place}] : 0.f",
                          f"int({place}) + j < 500 ? in[{place}] : 0.f")
        statement = f"tile[threadIdx.x] = {value};"
        body = ["{", *self.indented(inside, "  "), "  " + statement, "}"] if inside else [statement]
        return ["#pragma tma load fallback(loop)", *(pad + line for line in body),
                pad + "__syncthreads();", pad + "total = total * 3 + tile[63 - threadIdx.x];",
                pad + "__syncthreads();"]

    def in_loop(self) -> list[str]:
        """A loop around the copy that moves what it starts from, sets it back, or forgets it."""
        head, tail = self.rng.choice((
            ("for (int r = 0; r < 3; ++r) {", "}"), ("for (int r = 3; r > 0; --r, i += 2) {", "}"),
            ("for (unsigned r = 0; r < 6; r += 2, ++j) {", "}"),
            ("int r = 0;\n  do {", "} while (++r < 3);"), ("int r = 3;\n  while (r-- > 0) {", "}"),
            ("int r = 0;\n  while (r < 3) {\n    ++r;", "}")))
        i, j, value = self.pick("i", "j"), self.pick("i", "j"), self.value(1)
        steady = [self.pick("i += 4;", "j -= 2;", "++i;", "j += a;", "i = 3 + r;", f"{i} = {value};",
                            f"if (r == 1) {i} += 2;", f"{i} = r * 2, {j} += 1;", "i = j;",
                            f"{i} += {value};", "if (r == 5) continue;", self.change() + ";",
                            f"{{ int kept = {i}; {i} = 7; {i} = kept; }}")
                  for _ in range(self.rng.randint(0, 3))]
        at = self.rng.randint(0, len(steady))
        start = [f"const int first = {i};"]
        back = [f"{i} = first;"] if self.rng.random() < 0.4 else []
        return ["  " + line for line in (*start, head, *self.indented(steady[:at], "  "),
                                         *self.copy("  "), *self.indented(steady[at:], "  "),
                                         *self.indented(back, "  "), tail)]

    @staticmethod
    def indented(statements: list[str], pad: str) -> list[str]:
        return [pad + line for text in statements for line in text.split("\n")]

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def name_of_new(self) -> str:
        self.temporaries += 1
        return f"t{self.temporaries}"

    def variable(self) -> str:
        return self.rng.choice(self.variables)

    def number(self) -> str:
        return str(self.rng.randint(-9, 9))

    def leaf(self) -> str:
        return self.pick("a", "b", "2", "int(blockIdx.x)", f"({self.number()})", "7")

    def value(self, depth: int = 2) -> str:
        """An expression without side effects, of an int that is small."""
        if depth == 0 or self.rng.random() < 0.25:
            return self.rng.choice((self.variable(), self.variable(), self.leaf()))
        one, two = self.value(depth - 1), self.value(depth - 1)
        return self.pick(
            f"SMALL({one} + {two})", f"SMALL({one} - {two})", f"SMALL({one} * {two})",
            f"SMALL({one} / {self.rng.randint(2, 5)})", f"SMALL({one} % {self.rng.randint(2, 9)})",
            f"({one} >> {self.rng.randint(0, 3)})", f"SMALL(({one} & 15) << {self.rng.randint(0, 3)})",
            f"({one} & {self.rng.choice((1, 3, 7, 12, 15))})", f"(-{one})", f"SMALL(~{one})",
            f"SMALL({one} | {two})", f"SMALL({one} ^ {two})",
            f"({self.condition(depth - 1)} ? {one} : {two})", f"twice({one})",
            f"smaller({one}, {two})", f"min({one}, {two})", f"max({one}, {two})",
            f"sum(pair({one}, {two}), pair({two}, 1))", f"Counted({one})({two})",
            f"SMALL(unsigned({one}) % 13)", f"SMALL((unsigned char)({one}))",
            f"SMALL((signed char)({one} * 5))", f"int((short){one})", f"SMALL((long long){one} * 7)",
            f"int({self.condition(depth - 1)})", f"int(bool({one}))", f"down({one})",
            f"int(sizeof(Pair) + {self.rng.randint(0, 3)})")

    def condition(self, depth: int = 1) -> str:
        one, two = self.value(depth), self.value(depth)
        simple = f"{one} {self.pick('<', '>', '<=', '>=', '==', '!=')} {two}"
        if depth == 0 or self.rng.random() < 0.7:
            return f"({simple})"
        return f"({simple} {self.pick('&&', '||')} {self.condition(depth - 1)})"

    def change(self) -> str:
        """An expression that changes a variable."""
        to, value = self.variable(), self.value(1)
        other = self.variable()
        return self.pick(
            f"{to} = {value}", f"{to} = SMALL({to} + {value})", f"{to} += {self.number()}",
            f"{to} -= {self.number()}", f"{to} %= 7", f"{to} >>= 1", f"{to} &= 14", f"{to} |= 1",
            f"{to} ^= 5", f"{to}++", f"--{to}", f"++{to}", f"{to}--", f"move({to}, {value})",
            f"move(&{to}, {value})", f"{to} = {other}++", f"{to} = --{other}",
            f"{to} = ({other} = {value}, {self.value(1)})", f"either({self.condition()}, i, j) = {value}",
            f"{self.condition()} && ({to} = {value})", f"{self.condition()} || ({to} += 2)",
            f"{self.condition()} ? {to} = {value} : {other} -= 1", f"{to} = {other} = {value}")

    def statement(self, depth: int) -> str:
        if depth == 0 or self.rng.random() < 0.35:
            return self.change() + ";\n" + self.keep_small()
        kind = self.pick("if", "for", "while", "do", "switch", "declare", "narrow", "array", "struct",
                         "union", "lambda", "reference", "pointer", "object", "flag", "scope")
        return getattr(self, "_" + kind)(depth) + "\n" + self.keep_small()

    def keep_small(self) -> str:
        return "i = SMALL(i), j = SMALL(j);"

    def block(self, depth: int) -> str:
        inner = "\n".join("  " + line for line in self.statement(depth - 1).split("\n"))
        return "{\n" + inner + "\n}"

    def _if(self, depth: int) -> str:
        head = self.pick(f"if ({self.condition()})", f"if (int n = {self.value(1)}; n > 1)",
                         f"if (int n = {self.value(1)})")
        text = f"{head} {self.block(depth)}"
        return text + (f" else {self.block(depth)}" if self.rng.random() < 0.5 else "")

    def _for(self, depth: int) -> str:
        n, count = self.name_of_new(), self.rng.randint(1, 4)
        head = self.pick(f"for (int {n} = 0; {n} < {count}; ++{n})",
                         f"for (unsigned {n} = {count}; {n}-- > 0;)",
                         f"for (signed char {n} = 0, m = 1; {n} < {count * 2}; {n} += 2, m--)",
                         f"for (int {n} = 0; {n} < ({self.value(1)} & 3); {n}++)")
        skip = self.pick("", "", f"  if ({n} == 1) continue;\n", f"  if ({self.condition()}) break;\n")
        return f"{head} {{\n{skip}  {self.change()};\n  {self.keep_small()}\n}}"

    def _while(self, depth: int) -> str:
        n = self.name_of_new()
        head = self.pick(f"while ({n}-- > 0)", f"while (int m = {n}--)")
        return f"int {n} = {self.rng.randint(1, 4)};\n{head} {self.block(depth)}"

    def _do(self, depth: int) -> str:
        n = self.name_of_new()
        return f"int {n} = 0;\ndo {self.block(depth)} while (++{n} < {self.rng.randint(1, 3)});"

    def _switch(self, depth: int) -> str:
        stop = self.pick("", " break;")
        return (f"switch ({self.value(1)} & 3) {{\ncase 0: {self.change()};{stop}\n"
                f"case 1: {self.change()}; break;\ndefault: {self.change()};\n}}")

    def _declare(self, depth: int) -> str:
        n = self.name_of_new()
        init = self.pick(f" = {self.value()}", f" = {self.variable()}++", f"(0 + {self.value()})",
                         f"{{{self.value(1)}}}", f" = ({self.change()}, {self.value(1)})")
        return f"int {n}{init};\n{self.variable()} = SMALL({n} + {self.value(0)});"

    def _narrow(self, depth: int) -> str:
        n = self.name_of_new()
        type = self.pick("signed char", "unsigned char", "short", "unsigned short", "unsigned",
                         "long long", "unsigned long long", "char")
        change = self.pick(f"{n}++", f"{n} -= 3", f"{n} += 100", f"{n} *= 3", f"--{n}", f"{n} >>= 1",
                           f"{n} = -{n}", f"{n} <<= 2" if "unsigned" in type else f"{n} /= 3")
        start = self.pick(self.value(1), "127", "255", "-1", "0")
        return f"{type} {n} = {type.split()[-1]}({start});\n{change};\n{self.variable()} = SMALL({n});"

    def _array(self, depth: int) -> str:
        n = self.name_of_new()
        index = self.pick("0", "1", "2", f"({self.value(1)} & 1)")
        return (f"int {n}[3] = {{{self.value(1)}, {self.number()}}};\n"
                f"{n}[{index}] {self.pick('=', '+=', '-=')} {self.value(1)};\n"
                f"{self.variable()} = SMALL({n}[{self.pick('0', '1', '2')}] + *{n});")

    def _struct(self, depth: int) -> str:
        n = self.name_of_new()
        init = self.pick(f" = {{{self.value(1)}, 3}}", f" = pair({self.value(1)}, {self.value(1)})",
                         f" = {self.condition()} ? pair({self.value(1)}, 2) : pair(3, {self.value(1)})")
        return (f"Pair {n}{init};\nPair {n}c = {n};\n{n}.first {self.pick('=', '+=')} {self.value(1)};\n"
                f"{n}c.second++;\n{self.variable()} = SMALL({n}.first + {n}c.second - {n}c.first);")

    def _union(self, depth: int) -> str:
        n = self.name_of_new()
        read = self.pick(f"{n}.half[0]", f"{n}.half[1]", f"{n}.byte[0]", f"{n}.byte[3]", f"{n}.whole")
        start = self.pick(str(self.rng.randint(-(1 << 30), 1 << 30)), self.value(1))
        return f"Parts {n};\n{n}.whole = {start};\n{self.variable()} = SMALL({read});"

    def _lambda(self, depth: int) -> str:
        n, capture = self.name_of_new(), self.pick("&", "&i, &j", "=")
        if capture == "=":
            return (f"auto {n} = [=](int d) {{ return SMALL(i + d - j); }};\n{self.change()};\n"
                    f"{self.variable()} = {n}({self.value(1)});")
        return (f"auto {n} = [{capture}](int d) {{ {self.variable()} = SMALL(d + i); return j; }};\n"
                f"{self.variable()} = {n}({self.number()});")

    def _reference(self, depth: int) -> str:
        n = self.name_of_new()
        to = self.pick("i", "j", f"either({self.condition()}, i, j)")
        return f"int &{n} = {to};\n{self.change()};\n{n} = SMALL({n} + {self.value(1)});"

    def _pointer(self, depth: int) -> str:
        n = self.name_of_new()
        return (f"int {n}a[2] = {{{self.value(1)}, {self.value(1)}}}, *{n} = {n}a;\n"
                f"*{n}{self.pick('', '++')} = {self.value(1)};\n{n} = {n}a + {self.pick('0', '1')};\n"
                f"{self.variable()} = SMALL(*{n} + {n}a[0]);")

    def _object(self, depth: int) -> str:
        n = self.name_of_new()
        init = self.pick(f"(0 + {self.value(1)})", f"({self.variable()}++)",
                         f"{{{self.value(1)}, {self.value(1)}}}", f"({self.value(1)}, {self.number()})")
        read = self.pick(f"{n}.next() + {n}.next()", f"{n}({self.value(1)})", f"{n}.first - {n}.count",
                         f"sum({n}, pair(1, {self.value(1)}))")
        return f"Counted {n}{init};\n{self.variable()} = SMALL({read});"

    def _flag(self, depth: int) -> str:
        n = self.name_of_new()
        return (f"bool {n} = {self.condition()};\n"
                f"{n} {self.pick('|=', '&=', '^=', '=')} {self.value(1)};\n"
                f"{self.variable()} = SMALL({n} ? {self.value(1)} : {n} + 3);")

    def _scope(self, depth: int) -> str:
        return (f"{{\n  int i = {self.leaf()};\n  {self.change()};\n  j = SMALL(i);\n}}")


def program(seed: int, numbers: list[int]) -> str:
    rng = random.Random(f"{seed}/{numbers[0]}/launch")
    launches = "\n".join(f"  k{n:03d}<<<2, 64>>>(out + {128 * k}, in, a, b);"
                         for k, n in enumerate(numbers))
    main = MAIN.format(count=len(numbers), a=rng.randint(-9, 9), b=rng.randint(-9, 9),
                       launches=launches)
    return HEAD + "\n".join(Writer(seed, n).kernel() for n in numbers) + main


if __name__ == "__main__":
    sys.exit(batches.main(__doc__, program, step=50))
