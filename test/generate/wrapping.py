# ===----------------------------------------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===----------------------------------------------------------------------===#
"""Prints the kernels of surroundings.py, with barriers where a program needs them.

While a kernel is printed, it is noted who has been at which array since the last barrier.
A step that would meet others there gets a barrier first; around a loop this is repeated
until the end of a round agrees with its start. So no printed kernel has a race, and none
has a barrier that it could do without, but for those that are steps.

What is not here: which kernels there are (around.py).
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Iterable

from aliases import HEAD, WAYS
from description import Invalid
from surroundings import (BLOCKS, CONDITIONS, SIZES, Barrier, Copy, Kernel, Launch, Leave, Near, Step, Touch,
                          has_wide_access, is_pipeline, suits)

BYTES = 1 << 17  # of each array in memory
MAIN = """
template <class E> static void refill(char *to, int seed) {
  std::vector<E> values(BYTES / sizeof(E));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = E(int((i * 7 + seed) % 97));
  cudaMemcpy(to, values.data(), BYTES, cudaMemcpyHostToDevice);
}
int main() {
  char *in, *more, *buf, *out, *extra, *mask, *bias, *result;
  for (char **each : {&in, &more, &buf, &out, &extra, &mask, &bias, &result})
    cudaMalloc(each, BYTES);
  refill<int>(mask, 5), refill<int>(bias, 8);
LAUNCHES
  return cudaDeviceSynchronize();
}
"""
WHEN = {"block": "blockIdx.x == 1", "round": "k == stop", "both": "blockIdx.x == 0 && stop > 0",
        "bias": "BIAS && stop >= 0"}
NAMES = ("out", "buf", "in", "more", "extra", "mask", "bias")

Access = tuple[str, str, bool]  # array, order, whether it is written


@dataclass
class Place:
    """The lines of a copy or of a loop with rounds ahead in the text, from its pragma on."""
    kernel: int
    step: Step | None
    first: int
    last: int = 0


@dataclass
class Printed:
    lines: list[str] = field(default_factory=list)
    copies: list[Place] = field(default_factory=list)
    kernels: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"


@dataclass
class Flow:
    """Who has been where since the last barrier, at the end of statements and at exits among them."""
    pending: frozenset[Access]
    in_loop: bool = False
    broken: frozenset[Access] = frozenset()
    continued: frozenset[Access] = frozenset()


def meets(access: Access, pending: Iterable[Access]) -> bool:
    array, order, writes = access
    return any(array == other and (writes or wrote) and order != theirs for other, theirs, wrote in pending)


class Writer:
    """One kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.E = "E" if kernel.template == "type" else kernel.element
        self.steps = {id(step): number for number, step in enumerate(kernel.steps())}
        self.functions: list[str] = []
        self.is_apart = False  # some threads have left, or are out of step

    # Where something is -----------------------------------------------------------

    def place(self, x: str, ahead: bool = False) -> str:
        """The flat index in memory of what element x of the tile is there."""
        k = self.kernel
        if k.box:
            return f"(y0 + {f'{k.rows} + ' if ahead else ''}({x}) / {k.columns}) * pitch + x0 + ({x}) % {k.columns}"
        return f"at + {f'{BLOCKS * k.count} + ' if ahead else ''}{x}"

    def inside(self, x: str) -> str:
        k = self.kernel
        return f"y0 + ({x}) / {k.columns} < h && x0 + ({x}) % {k.columns} < w" if k.box else f"at + {x} < w"

    def cell(self, array: str, x: str) -> str:
        if array in ("tile", "second"):
            return f"{self.name(array)}[({x}) / {self.kernel.columns}][({x}) % {self.kernel.columns}]"
        return f"{self.pointer(array)}[{x}]"

    def pointer(self, array: str) -> str:
        if array in ("tile", "second"):
            return f"&{self.name(array)}[0][0]"
        return f"args.{array}" if self.kernel.packed and array in NAMES else array

    def name(self, array: str) -> str:
        return f"store.{array}" if self.kernel.place == "member" and array in ("tile", "second") else array

    def type(self, array: str) -> str:
        return self.kernel.type_of(array) if array.startswith("near") else self.E

    def conditions(self, text: str) -> str:
        return re.sub("MASK|BIAS", lambda match: self.pointer(match[0].lower()), text)

    def filled(self, text: str, array: str, x: str, number: int, value: str = "") -> str:
        """A way's text without its holes."""
        type = self.type(array)
        width = self.kernel.columns if array in ("tile", "second") else 8
        return text.format(a=self.name(array), p=self.pointer(array), x=x, c=self.cell(array, x),
                           ci=self.cell(array, "i"), v=value, E=type, C=width, n=number)

    # Steps ------------------------------------------------------------------------

    def accesses(self, step: Step) -> list[Access]:
        if isinstance(step, Touch):
            order = "own" if step.order == "mine" else step.order
            return [(self.shared_name(step.array), order, step.verb != "read")]
        if isinstance(step, Copy):
            out = step.kind != "load"
            return [(step.tile, step.order, not out), (self.shared_name(step.tensor), step.order, out)]
        return []

    def shared_name(self, array: str) -> str:
        return "buf" if array == "in" and self.kernel.same else array

    def sequence(self, steps: tuple[Step, ...], flow: Flow) -> list[str]:
        lines = []
        for step in steps:
            if any(meets(access, flow.pending) for access in self.accesses(step)) or isinstance(step, Barrier):
                if self.is_apart:
                    raise Invalid("a barrier that some threads do not come to")
                lines += (step.way if isinstance(step, Barrier) else self.kernel.barrier).split("\n")
                flow.pending = frozenset()
            lines += self.wrapped(step, self.step(step, flow))
            flow.pending |= frozenset(self.accesses(step))
        return lines

    def wrapped(self, step: Step, lines: list[str]) -> list[str]:
        """For one instance of a template only."""
        instance = getattr(step, "instance", "all")
        if instance == "all" or self.kernel.template == "none":
            return lines
        return [f"if constexpr (Mode == {instance}) {{", *lines, "}"]

    def step(self, step: Step, flow: Flow) -> list[str]:
        if isinstance(step, Touch):
            return self.touch(step)
        if isinstance(step, Copy):
            return self.copy(step)
        return self.leave(step, flow) if isinstance(step, Leave) else []

    def leave(self, step: Leave, flow: Flow) -> list[str]:
        if flow.in_loop != (step.kind in ("break", "continue", "skip")) and step.kind != "return" or self.is_apart:
            raise Invalid("an exit that is not one of this place")
        if step.kind in ("skip", "quit"):
            if self.kernel.meet and flow.in_loop:
                raise Invalid("threads that come to a barrier apart")
            self.is_apart = True
            flow.continued |= flow.pending
            return ["if (t % 3 == 1)", "  continue;" if step.kind == "skip" else "  return;"]
        if step.kind == "break":
            flow.broken |= flow.pending
        if step.kind == "continue":
            flow.continued |= flow.pending
        return [f"if ({self.conditions(WHEN[step.condition])})", f"  {step.kind};"]

    # Elements that are touched ------------------------------------------------------

    def touch(self, step: Touch) -> list[str]:
        k, way = self.kernel, WAYS[step.way]
        if not k.has(step.array) or not suits(k, step.array, step.verb, way):
            raise Invalid("elements that cannot be touched in this way")
        if step.order == "wide":
            return self.wide(step)
        count, number = k.count_of(step.array), self.steps[id(step)]
        x = {"turned": f"{count - 1} - i", "shifted": f"(i + 5) % {count}"}.get(step.order, "i")
        if step.array in ("buf", "out"):
            x = self.place(x, step.ahead)
        value = f"make<{self.type(step.array)}>({self.conditions(step.value)})"
        fill = lambda text: self.filled(text, step.array, x, number, value)
        if step.verb == "read":
            text = (fill(way.read[0]) + "\n" if way.read[0] else "") + f"sum = sum * 3 + look({fill(way.read[1])});"
        else:
            text = fill(way.write if step.verb == "write" else way.change)
        lines = [*self.condition(step.condition), "{", *text.split("\n"), "}"]
        setup = [] if step.early or not way.setup else fill(way.setup).split("\n")
        return ["{", *setup, *self.for_each(step.order, count, lines), "}"]

    def condition(self, name: str) -> list[str]:
        return [self.conditions(CONDITIONS[name])] if CONDITIONS[name] else []

    def for_each(self, order: str, count: int, lines: list[str]) -> list[str]:
        """The lines for each index i that a thread takes."""
        if order == "mine":
            if count < self.kernel.threads:
                raise Invalid("more threads than elements")
            return ["const int i = t;", *lines]
        if order == "one":
            return ["if (t == 3)", f"for (int i = 0; i < {count}; ++i) {{", *lines, "}"]
        return [f"for (int i = t; i < {count}; i += {self.kernel.threads}) {{", *lines, "}"]

    def wide(self, step: Touch) -> list[str]:
        """Sixteen bytes at once."""
        k = self.kernel
        if not has_wide_access(k, step.array) or step.verb == "change":
            raise Invalid("wide accesses off their alignment")
        type = self.type(step.array)
        vector, made = ("float4", "make_float4") if type == "float" else ("int4", "make_int4")
        count = k.count_of(step.array) * SIZES[k.type_of(step.array)] // 16
        at = f"reinterpret_cast<{vector} *>({self.pointer(step.array)})[i]"
        text = f"{at} = {made}(i, k, 3, 1);"
        if step.verb == "read":
            text = f"sum = sum * 3 + look({at}.y) + look({at}.w);"
        return self.for_each("own", count, [*self.condition(step.condition), f"  {text}"])

    # Copies -------------------------------------------------------------------------

    def copy(self, step: Copy) -> list[str]:
        k, number = self.kernel, self.steps[id(step)]
        if self.is_apart or not k.has(step.tile) or k.cut and step.guard == "none":
            raise Invalid("a copy that threads do not come to, or that goes too far")
        if step.kind == "reduce" and self.E in ("short", "Cell"):
            raise Invalid("no atomics for this type")
        setup, lines = self.statement(step, number)
        lines = [f"@copy {number}", f"#pragma tma {step.kind} fallback(loop)", *lines, "@end"]
        if step.where == "lambda":
            lines = [*setup, f"auto copy{number} = [&] {{", *lines, "};", f"copy{number}();"]
        elif step.where == "function":
            lines = self.function(step, number, setup, lines)
        else:
            lines = setup + lines
        condition = self.condition(step.condition)
        if step.tensor == "extra":
            condition.append(f"if ({self.pointer('extra')})")
        return [*condition, "{", *lines, "}"]

    def function(self, step: Copy, number: int, setup: list[str], lines: list[str]) -> list[str]:
        """The copy in a function of its own, and the call."""
        k = self.kernel
        if k.place == "dynamic":
            raise Invalid("a pointer that is no array")
        name = f"copy_k{k.number:03d}_{number}"
        const = "const " if step.kind == "load" else ""
        restrict = "__restrict__ " if k.restrict and not k.packed else ""
        args = step.tensor if not k.packed else f"args.{step.tensor}"
        tile = self.name(step.tile)
        inner = [line.replace(args, step.tensor).replace(tile, step.tile) for line in setup + lines]
        self.functions += [
            f"template <class E> __device__ void {name}(E (&{step.tile})[{k.rows}][{k.columns}], "
            f"{const}E *{restrict}{step.tensor}, int at, int x0, int y0, int w, int h, int pitch) {{",
            "const int t = threadIdx.x;", *inner, "}"]
        return [f"{name}<{self.E}>({tile}, {args}, at, x0, y0, w, h, pitch);"]

    def statement(self, step: Copy, number: int) -> tuple[list[str], list[str]]:
        """What stands ahead of a copy, and the copy."""
        k = self.kernel
        if step.guard == "zero" and step.kind != "load" or step.form == "one" and k.count != k.threads:
            raise Invalid("a store of zeros, or not one element a thread")
        if step.form == "rows" and (k.threads % k.columns or k.rows % (k.threads // k.columns)):
            raise Invalid("threads that are not rows")
        x = f"{k.count - 1} - i" if step.form == "turned" else "i"
        way = WAYS[step.tile_way]
        if way.needs == "rows" and k.place == "dynamic":
            raise Invalid("a pointer that is no array")
        setup = [self.filled(way.setup, step.tile, x, number)] if way.setup else []
        source, ahead = self.tensor(step, x, number)
        if step.kind == "load":
            value = f"{self.inside(x)} ? {source} : {self.E}()" if step.guard == "zero" else source
            text = self.filled(way.write, step.tile, x, number, value)
        else:
            value = self.filled(way.read[1], step.tile, x, number)
            if way.read[0]:
                raise Invalid("a copy of two statements")
            text = f"{source} = {value};" if step.kind == "store" else \
                f"{source} += {value};" if step.operator else f"atomicAdd(&{source}, {value});"
        if step.guard == "keep":
            text = f"if ({self.inside(x)})\n  {text}"
        return setup + ahead, self.loop_of(step.form, text)

    def loop_of(self, form: str, text: str) -> list[str]:
        k = self.kernel
        if form == "one":
            return ["{", "  const int i = t;", *text.split("\n"), "}"]
        if form == "rows":
            step = k.threads // k.columns
            return [f"for (int r = t / {k.columns}; r < {k.rows}; r += {step}) {{",
                    f"  const int i = r * {k.columns} + t % {k.columns};", *text.split("\n"), "}"]
        return [f"for (int i = t; i < {k.count}; i += {k.threads}) {{", *text.split("\n"), "}"]

    def tensor(self, step: Copy, x: str, number: int) -> tuple[str, list[str]]:
        """An element of the tensor, and what stands ahead of the statement for it."""
        pointer, place, way = self.pointer(step.tensor), self.place(x), step.tensor_way
        type = f"const {self.E}" if step.tensor in ("in", "more") or step.kind == "load" else self.E
        restrict = "__restrict__ " if self.kernel.restrict and not self.kernel.packed else ""
        span = [f"Span<{type}> tensor{number}{{{pointer}, 8}};"]
        if way == "moved pointer":
            base = "y0 * pitch + x0" if self.kernel.box else "at"
            rest = f"({x}) / {self.kernel.columns} * pitch + ({x}) % {self.kernel.columns}" if self.kernel.box else x
            return f"tensor{number}[{rest}]", [f"{type} *tensor{number} = {pointer} + {base};"]
        if way == "method" and step.kind != "load":
            way = "subscript operator"
        return {"name": (f"{pointer}[{place}]", []),
                "pointer": (f"tensor{number}[{place}]", [f"{type} *tensor{number} = {pointer};"]),
                "reference": (f"tensor{number}[{place}]", [f"{type} *const {restrict}&tensor{number} = {pointer};"]),
                "member": (f"tensor{number}.data[{place}]", span),
                "method": (f"tensor{number}.get({place})", span),
                "subscript operator": (f"tensor{number}[{place}]", span)}[way]

    # The kernel ---------------------------------------------------------------------

    def text(self) -> list[str]:
        k = self.kernel
        if k.template == "type" and k.element not in ("int", "float"):
            raise Invalid("instances whose elements have other sizes")
        if k.same and k.restrict and not k.packed:
            raise Invalid("restricted pointers to one array")
        flow = Flow(frozenset())
        lines = self.early() + self.fills(flow)
        lines += ["int k = 0;", *self.offsets(), *self.sequence(k.ahead, flow)]
        if k.loop != "none" and k.body:
            lines += self.loop(flow)
        lines += self.sequence(k.behind, flow)
        if not k.report:
            lines.append(f"result[blockIdx.x * {k.threads} + t] = sum;")
        kernel = [*self.head(), *self.declarations(), "const int t = threadIdx.x;", "unsigned sum = 1;",
                  *([f"Report report{{result + blockIdx.x * {k.threads} + t, sum}};"] if k.report else []), *lines, "}"]
        return [*self.functions, *kernel]

    def head(self) -> list[str]:
        k, E = self.kernel, self.E
        template = {"none": "", "mode": "template <int Mode> ", "type": "template <class E, int Mode> "}[k.template]
        restrict = "__restrict__ " if k.restrict else ""
        types = dict(zip(NAMES, (E, E, f"const {E}", f"const {E}", E, "const int", "const int")))
        if k.packed:
            pointers = "".join(f"  {type} *{name};\n" for name, type in types.items())
            generic = "template <class E> " if k.template == "type" else ""
            struct = f"{generic}struct Args{k.number:03d} {{\n{pointers}}};"
            args = f"Args{k.number:03d}{'<E>' if generic else ''} args"
        else:
            struct, args = "", ", ".join(f"{type} *{restrict}{name}" for name, type in types.items())
        return [*struct.split("\n"), f"{template}__global__ void k{k.number:03d}(unsigned *__restrict__ result, "
                f"{args}, int w, int h, int pitch, int n, int stop) {{"]

    def declarations(self) -> list[str]:
        k = self.kernel
        align = f"alignas({k.align}) " if k.align else ""
        near = lambda ahead: [self.near(n, i) for i, n in enumerate(k.nears) if n.ahead == ahead]
        extents = f"[{k.rows}][{k.columns}]"
        tiles = ["tile"] + (["second"] if k.second else [])
        if k.place == "array":
            middle = [f"__shared__ {align}{self.E} {name}{extents};" for name in tiles]
        elif k.place == "member":
            members = " ".join(f"alignas(128) {self.E} {name}{extents};" for name in tiles)
            middle = [f"struct Store {{ {members} int rest[3]; }};", "__shared__ Store store;"]
        else:
            size = k.count * SIZES[k.element]
            middle = ["extern __shared__ __align__(128) unsigned char raw[];"] + \
                [f"{self.E} (*{name})[{k.columns}] = reinterpret_cast<{self.E} (*)[{k.columns}]>(raw + {i * size});"
                 for i, name in enumerate(tiles)]
            if k.second and size % 128:
                raise Invalid("a second tile that is not aligned")
        return [*near(True), *middle, *near(False)]

    def near(self, near: Near, number: int) -> str:
        if 0 < near.align < SIZES[near.type]:
            raise Invalid("less than the type's own alignment")
        align = f"alignas({near.align}) " if near.align else ""
        return f"__shared__ {align}{near.type} near{number}[{near.count}];"

    def early(self) -> list[str]:
        """Aliases that are made before anything else."""
        lines = []
        for step in self.kernel.steps():
            if isinstance(step, Touch) and step.early:
                if not self.kernel.has(step.array):
                    raise Invalid("no such array")
                setup = self.filled(WAYS[step.way].setup, step.array, "i", self.steps[id(step)])
                lines += setup.split("\n") if setup else []
        return lines

    def fills(self, flow: Flow) -> list[str]:
        """First values of arrays that are not copied to before anything else."""
        k = self.kernel
        lines = []
        names = ["tile"] + (["second"] if k.second else []) + [f"near{i}" for i in range(len(k.nears))]
        for name in names:
            if not self.needs_fill(name):
                continue
            value = f"make<{self.type(name)}>(i % 11 + 2)"
            lines += [f"for (int i = t; i < {k.count_of(name)}; i += {k.threads})",
                      f"  {self.cell(name, 'i')} = {value};"]
            flow.pending |= {(name, "own", True)}
        return lines

    def needs_fill(self, array: str) -> bool:
        k = self.kernel
        uses = lambda s: isinstance(s, Touch) and s.array == array or isinstance(s, Copy) and s.tile == array
        if not any(map(uses, k.steps())):
            return False
        for part in (k.ahead, k.body, k.behind):
            for step in part:
                if isinstance(step, Leave) and part is k.body:
                    return True
                if uses(step):
                    whole = isinstance(step, Copy) and step.is_whole()
                    return not whole or part is k.body and any(map(uses, k.behind))
        return True

    def offsets(self) -> list[str]:
        k = self.kernel
        return [f"int at = (k * {BLOCKS} + blockIdx.x) * {k.count}, y0 = k * {k.rows}, x0 = blockIdx.x * {k.columns};"]

    def loop(self, flow: Flow) -> list[str]:
        """The loop, printed until its rounds follow one another without a race."""
        k = self.kernel
        entry, functions = flow.pending, list(self.functions)
        while True:
            round_ = Flow(entry, True)
            self.functions = list(functions)
            body = self.sequence(k.body, round_)
            self.is_apart = False
            if k.meet:
                round_ = Flow(frozenset(), True)
            again = entry | round_.pending | round_.continued
            if again == entry:
                break
            entry = again
        flow.pending = entry | round_.broken
        head, tail = {"for": ("for (int k = 0; k < n; ++k) {", "}"),
                      "around": ("const unsigned first = 1 - n;\n"
                                 "for (unsigned u = first; int(u - first) < n; ++u) {\nconst int k = u - first;", "}"),
                      "down": ("for (int k = n - 1; k >= 0; --k) {", "}"),
                      "while": ("int j = -1;\nwhile (++j < n) {\nconst int k = j;", "}"),
                      "do": ("int j = 0;\ndo {\nconst int k = j;", "} while (++j < n);")}[k.loop]
        pragma = []
        if is_pipeline(k):
            if k.loop not in ("for", "down"):
                raise Invalid("a pipeline of another loop")
            pragma = ["@copy -1", f"#pragma tma pipeline stages({k.stages}) fallback(loop)"]
        meet = ["Meet meet_at_end;"] if k.meet else []
        end = ["@end"] if pragma else []
        return ["{", *pragma, *head.split("\n"), *end, *meet, *self.offsets(), *body, tail, "}"]

    def launches(self) -> list[str]:
        k = self.kernel
        types = {"none": [(k.element, "")], "mode": [(k.element, "<0>"), (k.element, "<1>")],
                 "type": [("int", "<int, 0>"), ("float", "<float, 1>")]}[k.template]
        return [line for launch in k.launches for type, instance in types
                for line in self.launch(launch, type, instance)]

    def launch(self, launch: Launch, type: str, instance: str) -> list[str]:
        k = self.kernel
        values = {"mask": f"(const int *){'mask' if launch.mask else 'nullptr'}",
                  "bias": f"(const int *){'bias' if launch.bias else 'nullptr'}",
                  "extra": f"({type} *){'extra' if launch.extra else 'nullptr'}",
                  "in": f"(const {type} *){'buf' if k.same else 'in'}", "more": f"(const {type} *)more"}
        pointers = ", ".join(values.get(name, f"({type} *){name}") for name in NAMES)
        if k.packed:
            pointers = f"Args{k.number:03d}{f'<{type}>' if k.template == 'type' else ''}{{{pointers}}}"
        rounds = max(1, launch.rounds)
        pitch = BLOCKS * k.columns
        w = pitch - k.cut if k.box else rounds * BLOCKS * k.count - k.cut
        shared = k.count * SIZES[k.element] * (2 if k.second else 1) if k.place == "dynamic" else 0
        fill = [f"refill<{type}>({name}, {seed});" for seed, name in enumerate(("in", "more", "buf", "out", "extra"))]
        return ["  " + " ".join(fill),
                f"  k{k.number:03d}{instance}<<<{BLOCKS}, {k.threads}, {shared}>>>((unsigned *)result, {pointers}, "
                f"{w}, {rounds * k.rows}, {pitch}, {launch.rounds}, {launch.stop});"]


def indent(lines: list[str], first: int) -> None:
    """Moves lines from one on to the right, by the braces that are open."""
    depth = 0
    for i in range(first, len(lines)):
        text = lines[i]
        if text.lstrip().startswith("}"):
            depth -= 1
        if not text.startswith("#"):
            lines[i] = "  " * depth + text
        depth += text.count("{") - text.count("}") + text.lstrip().startswith("}")


def print_kernels(kernels: Iterable[Kernel]) -> Printed:
    """One program of some kernels, and where their copies are in it."""
    printed = Printed(HEAD.split("\n"))
    launches: list[str] = []
    for kernel in kernels:
        writer, first = Writer(kernel), len(printed.lines) + 1
        steps = list(kernel.steps())
        for line in writer.text():
            if line.startswith("@copy"):
                number = int(line.split()[1])
                step = steps[number] if number >= 0 else None
                printed.copies.append(Place(kernel.number, step, len(printed.lines) + 1))
            elif line == "@end":
                printed.copies[-1].last = len(printed.lines)
            else:
                printed.lines.append(line)
        indent(printed.lines, first - 1)
        printed.lines.append("")
        printed.kernels[kernel.number] = (first, len(printed.lines))
        launches += writer.launches()
    main = MAIN.replace("BYTES", str(BYTES)).replace("LAUNCHES", "\n".join(launches))
    printed.lines += main.split("\n")
    return printed
