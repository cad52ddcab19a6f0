#!/usr/bin/env python3
# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""Random tiles whose rows are looked up one by one: loaded, stored, added.

Indices of several types, in global or shared memory, in structs, looked up by others, and
parts of expressions; rows that are none, tails, tables that end within a tile, masks of several
types; boxes of rows; tiles with padding, swizzles and other people's rows in front. The lifted program has
to leave the same bytes as the plain one.
"""
from __future__ import annotations

import random
import sys

import batches

SIZES = {"float": 4, "int": 4, "unsigned": 4, "unsigned short": 2, "double": 8}
TABLE = """  auto table = [](auto zero, int count, auto numberOf) {
    count = count < 0 ? 0 : count;
    auto *numbers = new decltype(zero)[count];
    for (int i = 0; i < count; ++i)
      numbers[i] = decltype(zero)(numberOf(i));
    decltype(zero) *memory;
    cudaMalloc(&memory, count * sizeof(zero));
    cudaMemcpy(memory, numbers, count * sizeof(zero), cudaMemcpyHostToDevice);
    delete[] numbers;
    return memory;
  };
"""
# Whether a row is there, and what the mask's elements are; in words, a bit each.
MASKS = (*[("", "int")] * 8, ("mask[m]", "bool"), ("mask[m]", "unsigned char"), ("mask[m] > 0", "unsigned"),
         ("mask[m] > 1", "short"), ("mask[m] & 1", "int"), ("(mask[m] & 2) == 0", "int"), ("!mask[m]", "size_t"),
         ("mask[m] != 0", "int"), ("mask[m / 32] >> m % 32 & 1", "unsigned"))
MAIN = batches.hashing_main(written=1 << 17, helpers=TABLE)


class Writer:
    def __init__(self, seed: int, number: int) -> None:
        self.rng = random.Random(f"gathers {seed}/{number}")
        self.number = number
        self.pick = lambda *choices: self.rng.choice(choices)
        self.kind = self.pick("load", "load", "load", "store", "reduce")
        self.type = self.pick("float", "int", "unsigned") if self.kind == "reduce" else self.pick(*SIZES)
        size = SIZES[self.type]
        self.vector = self.kind == "load" and self.chance(0.3)
        self.rows, self.columns = self.pick(2, 4, 7, 8, 12, 16, 24), self.pick(16, 64, 128, 128, 256, 1024) // size
        self.page = self.pick(1, 1, 1, 1, 2, 4) if self.rows % 4 == 0 else 1
        self.padding = 0 if self.vector else self.pick(0, 0, 0, 1, 4, 32)
        self.front = self.pick(0, 0, 0, 3)
        self.blocks = self.pick(1, 2, 3)
        whole = self.vector or self.chance(0.6)
        self.width = self.columns * self.pick(1, 1, 2) + (0 if whole else 16 // size)
        self.guards_columns = not whole
        self.pitch = self.width + (0 if self.chance(0.7) else 16 // size * self.pick(1, 2))
        self.total = self.blocks * self.rows
        self.count = self.total - (self.pick(1, 2, 5) if self.chance(0.4) else 0)
        self.guards_rows = self.count < self.total or self.chance(0.2)
        self.index = self.pick("int", "int", "int", "unsigned", "long long", "short", "unsigned char", "size_t")
        signed = self.index in ("int", "long long", "short")
        self.guards_low = signed and self.chance(0.5)
        self.guards_high = self.chance(0.3) and self.index != "unsigned char"
        self.place = self.pick("global", "global", "global", "shared", "struct", "twice")
        self.form = self.pick("plain", "plain", "plain", "quotient", "shifted", "second") if self.kind != "store" \
            and self.page == 1 else "plain"
        self.mask, self.mask_type = self.pick(*MASKS)
        self.threads = self.pick(64, 64, 64, 96, 50, 40)
        self.guards_pages = self.page > 1 and self.chance(0.5)
        # The source is one-dimensional: the table holds the offset of each row, in units of 16 bytes.
        self.flat = self.kind == "load" and self.page == 1 and self.chance(0.15)
        # What is looked up may be clamped, or be the number of no row.
        clamps = ("smaller", "between", "branches") if self.kind == "load" else ()
        self.choice = self.pick(*[""] * 6, "absent", "absent", *clamps)
        if self.choice in clamps:
            self.guards_high = False

    def absent(self) -> str:
        return "-1" if self.index in ("int", "long long", "short") and not self.guards_low else "7"

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def looked_up(self) -> str:
        """What lies in the table for row `m`."""
        number = f"m / {self.page}" if self.page > 1 else "m"
        if self.form == "second":
            number = f"{number} * 2 + 1"
        if self.place == "shared":
            return "near[row]" if self.page == 1 else f"near[row / {self.page}]"
        if self.place == "struct":
            return f"table[{number}].row"
        return f"table[order[{number}]]" if self.place == "twice" else f"table[{number}]"

    def source(self) -> str:
        found = "from"
        if self.form == "quotient":
            found = "(from / top)"
        if self.form == "shifted":
            found = "(from + 1)"
        if self.page > 1:
            found = f"(from * {self.page} + m % {self.page})"
        return found

    def clamped(self) -> str:
        """What changes the row that was looked up."""
        last = f"({self.index})(height - 1)"
        return {"smaller": f"from = from > {last} ? {last} : from;",
                "between": f"from = from < 0 ? 0 : from >= ({self.index})height ? {last} : from;",
                "branches": f"if (from > {last}) from = {last};"}.get(self.choice, "")

    def copy(self) -> str:
        vector = 16 // SIZES[self.type] if self.vector else 1
        row = self.columns // vector
        text = f"for (int i = t; i < {self.rows * row}; i += {self.threads}) {{\n"
        text += f"  int row = i / {row}, e = i % {row} * {vector}, m = first + row;\n"
        place = f"{self.pick('(size_t)', '(long long)', '')}{self.source()} * pitch + c0 + e"
        if self.flat:
            place = f"(long long){self.source()} * {16 // SIZES[self.type]} + e"
        inner = [*([f"{place} < (long long)height * pitch"] if self.flat else []),
                 *(["from >= 0"] if self.guards_low else []), *(["from < height"] if self.guards_high else []),
                 *([f"from != {self.absent()}"] if self.choice == "absent" else []),
                 *(["c0 + e < width"] if self.guards_columns else [])]
        self.rng.shuffle(inner)
        there = " && ".join(inner) or "true"
        cell = f"tile[row + {self.front}][e]" if self.front else "tile[row][e]"
        take = f"{self.index} from = {self.looked_up()}; {self.clamped()}".rstrip()
        if self.kind == "load":
            what = "uint4" if self.vector else self.type
            source = f"*reinterpret_cast<const uint4 *>(in + {place})" if self.vector else f"in[{place}]"
            to = f"*reinterpret_cast<uint4 *>(&{cell})" if self.vector else cell
            text += f"  {what} value = {'uint4{}' if self.vector else '0'};\n"
            act = f"{take}\n    if ({there})\n      value = {source};"
            after = f"  {to} = value;\n"
        else:
            way = f"out[{place}] = {cell};" if self.kind == "store" else f"atomicAdd(&out[{place}], {cell});"
            act, after = f"{take}\n    if ({there})\n      {way}", ""
        within = f"m / {self.page} < count / {self.page}" if self.guards_pages else "m < count"
        conditions = [*([within] if self.guards_rows else []), *([self.mask] if self.mask else [])]
        guard = f"if ({' && '.join(conditions)}) " if conditions else ""
        return text + f"  {guard}{{\n    {act}\n  }}\n{after}}}\n"

    def ahead(self) -> str:
        """Tiles may be filled rounds before."""
        if self.kind != "load" or not self.chance(0.4):
            return ""
        return f"#pragma tma pipeline stages({self.pick(2, 3, 4)}){self.pick('', ' warp(producer)')} fallback(loop)\n"

    def kernel(self) -> str:
        clause = self.pick("", "", "", " swizzle(none)", " swizzle(64)", " swizzle(128)") if self.kind == "load" else ""
        number = f"k{self.number:03d}"
        held = f"entry{self.number:03d}" if self.place == "struct" else self.index
        head = f"struct {held} {{\n  {self.index} other, row;\n}};\n" if self.place == "struct" else ""
        head += (f"__global__ void {number}({self.type} *__restrict__ out, const {self.type} *__restrict__ in, "
                 f"const {held} *__restrict__ table, const int *__restrict__ order, "
                 f"const {self.mask_type} *__restrict__ mask, int count, int height, int width, int pitch, int top) {{\n")
        body = f"__shared__ {self.type} tile[{self.rows + self.front}][{self.columns + self.padding}];\n"
        body += f"int t = threadIdx.x, first = blockIdx.x * {self.rows};\n{self.type} sum = 0;\n"
        if self.place == "shared":
            near = f"(first / {self.page} + t) * {2 if self.form == 'second' else 1} + {int(self.form == 'second')}"
            limit = f"first + t * {self.page} < count" if self.guards_rows else "true"
            body += (f"__shared__ {self.index} near[{self.rows // self.page}];\nif (t < {self.rows // self.page})\n"
                     f"  near[t] = {limit} ? table[{near}] : 0;\n__syncthreads();\n")
        copy = f"#pragma tma {self.kind} fallback(loop){clause}\n" + self.copy()
        at = f"[j + {self.front}][i]" if self.front else "[j][i]"
        walk = (f"for (int i = 0; i < {self.columns}; ++i)\n  for (int j = t; j < {self.rows}; j += {self.threads})\n")
        if self.kind == "load":
            loop = copy + f"__syncthreads();\n{walk}    sum = sum * 3 + tile{at} * (i + 1);\n__syncthreads();\n"
            end = f"out[blockIdx.x * {self.threads} + t] = sum;\n"
        else:
            loop = (f"{walk}    tile{at} = in[j * 64 + i + first] + c0;\n__syncthreads();\n" + copy + "__syncthreads();\n")
            end = ""
        loop = f"{self.ahead()}for (int c0 = 0; c0 < width; c0 += {self.columns}) {{\n{loop}}}\n"
        return head + body + loop + end + "}\n"

    def launches(self) -> str:
        numbers = (self.count + self.page - 1) // self.page * (2 if self.form == "second" else 1)
        most = 101 if self.form != "shifted" else 100  # more than there are rows: no two are stored to one place
        value = f"i * 37 % {most}" + (" * 2" if self.form == "quotient" else "")
        if self.guards_low:
            value = f"(i % 5 == 3 ? -1 - i : {value})"
        if self.choice == "absent":
            value = f"(i % 4 == 1 ? {self.absent()} : {value})"
        if self.guards_high or self.choice not in ("", "absent"):
            value = f"(i % 7 == 2 ? 300 + i : {value})"
        height = most * 2 if self.form == "quotient" else most
        held = f"entry{self.number:03d}" if self.place == "struct" else self.index
        made = f"entry{self.number:03d}{{({self.index})i, ({self.index})({value})}}" if self.place == "struct" else value
        zero = f"{held}{{}}" if self.place == "struct" else f"({held})0"
        order = f"[](int i) {{ return {numbers} - 1 - i; }}"
        flags = "i * 40503 + 0x35a2c" if "/ 32" in self.mask else "i * 40503 >> 3 & 3"
        mask = f"table(({self.mask_type})0, {self.count}, [](int i) {{ return {flags}; }})"
        return (f"  clear();\n  k{self.number:03d}<<<{self.blocks}, {self.threads}>>>(({self.type} *)out, "
                f"(const {self.type} *)in, table({zero}, {numbers}, [](int i) {{ return {made}; }}), "
                f"table(0, {numbers}, {order}), {mask}, {self.count}, {height}, {self.width}, {self.pitch}, 2);\n  add();\n")


if __name__ == "__main__":
    sys.exit(batches.main(__doc__, batches.program_of(Writer, MAIN), step=20))
