# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the description of a program to one CUDA file.

Decides what stands around the copies: kernels with their barriers and
consumers, how much memory a launch needs, and the host code that allocates,
launches and prints a hash of each output. Remembers which lines each copy has.

What is not here: the copies themselves (lowering.py).
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Iterable

from description import (ELEMENTS, MOST_SHARED, Copy, Invalid, Kernel, Launch, Program, batch_stride_of,
                         block_of, extents_of, strides_of)
from language import (INT, LONG_LONG, Binary, Cast, Expr, Variable, add, conjunction, cuda,
                      cuda_lines, number, subscripts_of)
from lowering import Lowering, argument_value, lower, table_values
from places import BLOCK_NUMBER, Lowered, Parameter

CopyKey = tuple[int, int]  # kernel number, copy

ADDED_SHARED = 128  # bytes of dynamic shared memory that some launches ask for, and no kernel uses

HARNESS = Path(__file__).resolve().parent / "harness.cuh"


@dataclass
class Place:
    """The lines of a copy or a kernel, counted from one."""
    kernel: int
    copy: int
    first: int
    last: int


@dataclass
class Text:
    """A printed program."""
    lines: list[str] = field(default_factory=list)
    copies: list[Place] = field(default_factory=list)
    kernels: list[Place] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"


def kernel_name(kernel: Kernel) -> str:
    return f"k{kernel.number:03d}"


def instances(kernel: Kernel) -> list[str]:
    """The element types that the first copy is instantiated for."""
    first = kernel.copies[0].element
    return [first] + ([kernel.second_element] if kernel.typed and kernel.second_element else [])


def is_launched(kernel: Kernel) -> bool:
    """Whether the plain kernel may run: two threads must not write one element."""
    return all(copy.flaw != "clash" for copy in kernel.copies)


def print_program(program: Program, plain: Iterable[CopyKey] = (),
                  bare: Iterable[CopyKey] = (), head: str = "") -> Text:
    """The whole file; copies in `plain` have to stay loops, those in `bare` have no pragma."""
    text = Text([line for line in [head] if line])
    text.lines += HARNESS.read_text().splitlines()
    writers = [KernelWriter(kernel, set(plain), set(bare)) for kernel in program.kernels]
    for writer in writers:
        text.lines.append("")
        writer.write(text)
    text.lines += ["", "int main() {"]
    text.lines += [f"  run_{w.name}();" for w in writers if is_launched(w.kernel)]
    text.lines += ["  return 0;", "}"]
    return text


class KernelWriter:
    """Prints one kernel and the function that launches it."""

    def __init__(self, kernel: Kernel, plain: set[CopyKey] = set(), bare: set[CopyKey] = set()):
        self.kernel, self.name = kernel, kernel_name(kernel)
        self.plain = {copy for number, copy in plain if number == kernel.number}
        self.bare = {copy for number, copy in bare if number == kernel.number}
        self._check()
        pairs = [lower(kernel, i, copy.element) for i, copy in enumerate(kernel.copies)]
        self.lowered: list[Lowered] = [p[0] for p in pairs]
        self.lowerings: list[Lowering] = [p[1] for p in pairs]
        self._check_reuse()
        self.helpers = [helper for lowered in self.lowered for helper in lowered.helpers]
        self.threads = prod(kernel.block)

    def _check(self) -> None:
        kernel = self.kernel
        if not kernel.copies:
            raise Invalid("a kernel without copies")
        if kernel.typed and (len(kernel.copies) > 1 and kernel.second_element):
            raise Invalid("instantiations of kernels with one copy")
        if kernel.typed and len({copy.element for copy in kernel.copies}) > 1:
            raise Invalid("one type")
        if kernel.second_element and any(copy.flaw == "dynamic" for copy in kernel.copies):
            raise Invalid("an extern array of two types")
        if kernel.second_element and not kernel.typed:
            raise Invalid("a second type without a template")
        if self.loop_steps() and kernel.loop == "offset" and len(self.loop_steps()) > 1:
            raise Invalid("loops with two steps")
        if kernel.loop == "offset" and not self.loop_steps():
            raise Invalid("a loop over nothing")
        if not is_launched(kernel) and not kernel.clause_threads:
            raise Invalid("the block size is nowhere")
        if not is_launched(kernel) and (kernel.typed or any(c.sizes == "template"
                                                            for c in kernel.copies)):
            raise Invalid("templates need a launch")
        if kernel.arrangement == "reuse" and len(kernel.copies) < 2:
            raise Invalid("nothing to use again")
        if any(self._shared_bytes(element) > MOST_SHARED for element in instances(kernel)):
            raise Invalid("more shared memory than a kernel may declare")
        self._check_threads()

    def _shared_bytes(self, element: str) -> int:
        """What the plain kernel declares for tiles, and what launches add."""
        added = ADDED_SHARED if any(launch.form == "dynamic" for launch in self.kernel.launches) else 0
        sizes = [prod(axis.box for axis in copy.axes[:-1]) * (copy.axes[-1].box + copy.pad) * copy.slots *
                 ELEMENTS[element if self.kernel.typed else copy.element].size
                 for copy in self.kernel.copies if copy.flaw != "dynamic"]
        return added + (max(sizes, default=0) if self.kernel.arrangement == "reuse" else sum(sizes))

    def _check_threads(self) -> None:
        """Blocks of another size need a pragma that says the size, and loops that ask for it."""
        kernel = self.kernel
        self.any_threads = any(launch.threads for launch in kernel.launches)
        if not self.any_threads:
            return
        if not kernel.clause_threads or kernel.launch_bounds:
            raise Invalid("the copy's block size has to be in the pragma")
        for copy in kernel.copies:
            if copy.threads != "blockDim" or copy.idiom not in ("flat", "nested", "own-row") \
                    or copy.flaw in ("half-block", "side-effect", "index-kept"):
                raise Invalid("the copy relies on its block size")
        if any(prod(block_of(kernel, launch)) > 1024 for launch in kernel.launches):
            raise Invalid("block")

    def _check_reuse(self) -> None:
        if self.kernel.arrangement != "reuse":
            return
        shapes = {(str(l.tile_shape), l.element, l.tile) for l in self.lowered}
        if len(shapes) > 1:
            raise Invalid("tiles differ")

    def loop_steps(self) -> list[int]:
        return sorted({axis.step for copy in self.kernel.copies for axis in copy.axes
                       if axis.origin == "loop"})

    # The kernel ------------------------------------------------------------------

    def write(self, text: Text) -> None:
        body = self._body()
        first = len(text.lines) + 1
        for helper in self.helpers:
            text.lines += helper.splitlines()
        for lowered in self.lowered:
            if not self.template_parameters():
                text.lines += self._constants(lowered)
        text.lines += self._head()
        self._place(text, body)
        text.lines.append("}")
        text.kernels.append(Place(self.kernel.number, -1, first, len(text.lines)))
        if is_launched(self.kernel):
            text.lines += self._host()

    def _place(self, text: Text, body: list) -> None:
        """Adds the lines of the body; copies are marked with their number."""
        for item in body:
            if isinstance(item, str):
                text.lines.append(item)
                continue
            which, lines = item
            first = len(text.lines) + 1
            text.lines += lines
            text.copies.append(Place(self.kernel.number, which, first, len(text.lines)))

    def template_parameters(self) -> list[tuple[str, str]]:
        """Declaration and argument of each template parameter."""
        found = [("typename T", "")] if self.kernel.typed else []
        for copy, lowered in zip(self.kernel.copies, self.lowered):
            if copy.sizes == "template":
                found += [(f"int {c.name}", str(c.value)) for c in lowered.constants]
        return found

    def _constants(self, lowered: Lowered) -> list[str]:
        return [f"constexpr int {c.name} = {c.value};" for c in lowered.constants
                if c.name.startswith("k")]

    def parameters(self) -> list[tuple[int, Parameter]]:
        return [(i, p) for i, lowered in enumerate(self.lowered) for p in lowered.parameters]

    def _head(self) -> list[str]:
        kernel, lines = self.kernel, []
        for copy, lowered in zip(kernel.copies, self.lowered):
            if copy.sizes == "constant" and self.template_parameters():
                lines += self._constants(lowered)
        if self.template_parameters():
            lines.append(f"template <{', '.join(d for d, _ in self.template_parameters())}>")
        arguments = [f"{self.element(i)} *{self.out(i)}" for i in range(len(kernel.copies))]
        arguments += [p.type + ("" if p.type.endswith(("*", " ")) else " ") + p.name
                      for _, p in self.parameters()]
        arguments += ["int " + name for name in self._extra_arguments()]
        bounds = f" __launch_bounds__({self.threads})" if kernel.launch_bounds else ""
        lines.append(f"__global__ void{bounds} {self.name}({', '.join(arguments)}) {{")
        declared: set[str] = set()
        for i, lowered in enumerate(self.lowered):
            if lowered.tile not in declared:
                lines.append("  " + self._tile(i, lowered))
            declared.add(lowered.tile)
        return lines

    def _extra_arguments(self) -> list[str]:
        loop = {"none": [], "rounds": ["rounds"], "offset": ["depth"]}[self.kernel.loop]
        return loop + (["enabled"] if self.kernel.reach == "argument" else [])

    def element(self, i: int) -> str:
        return "T" if self.kernel.typed else self.kernel.copies[i].element

    def out(self, i: int) -> str:
        return "out" + ("" if i == 0 else str(i + 1))

    def _tile(self, i: int, lowered: Lowered) -> str:
        copy = self.kernel.copies[i]
        if copy.flaw == "dynamic":
            return f"extern __shared__ __align__(16) {self.element(i)} {lowered.tile}[];"
        wide = copy.vector > 1 or copy.consumer == "vector"
        align = "__align__(16) " if wide else ""
        extents = "".join(f"[{n}]" for n in self._tile_extents(i, lowered))
        if copy.flat:
            extents = extents.replace("][", " * ")
        return f"__shared__ {align}{self.element(i)} {lowered.tile}{extents};"

    def _tile_extents(self, i: int, lowered: Lowered) -> list[str]:
        """The tile's extents, in the words of the copy where those fit."""
        by_value = {c.value: c.name for c in lowered.constants}
        copy = self.kernel.copies[i]
        if self.kernel.arrangement == "reuse":
            return [str(n) for n in lowered.tile_shape]
        own = len(lowered.tile_shape) - len(copy.axes)
        return [by_value.get(n, str(n)) if k >= own else str(n)
                for k, n in enumerate(lowered.tile_shape)]

    def _body(self) -> list:
        kernel = self.kernel
        inner = self._steps(2 + (kernel.loop != "none") + (kernel.reach != "always") - 1)
        pad = "  "
        lines: list = []
        depth = 1
        closing: list[str] = []
        if kernel.reach != "always":
            condition = "enabled" if kernel.reach == "argument" \
                else "(blockIdx.x + blockIdx.y) % 3 != 1"
            lines.append(f"{pad * depth}if ({condition}) {{")
            closing.insert(0, pad * depth + "}")
            depth += 1
        if kernel.loop != "none":
            lines.append(pad * depth + self._loop_head() + " {")
            closing.insert(0, pad * depth + "}")
        return lines + inner + closing

    def _loop_head(self) -> str:
        if self.kernel.loop == "offset":
            step = self.loop_steps()[0]
            return f"for (int k0 = 0; k0 < depth; k0 += {step})"
        return "for (int t = 0; t < rounds; ++t)"

    def _steps(self, depth: int) -> list:
        """Initialise, copy, wait, consume, wait."""
        kernel, pad = self.kernel, "  " * depth
        barrier = pad + "__syncthreads();"
        setups = [[line for s in lowered.setup for line in cuda_lines(s, depth)]
                  for lowered in self.lowered]
        copies = [[(i, self._annotated(i, depth))] for i in range(len(kernel.copies))]
        copies = [self._reached(i, c, depth) for i, c in enumerate(copies)]
        prepares = [self._initialise(i, depth) for i in range(len(kernel.copies))]
        consumes = [self._consume(i, depth) for i in range(len(kernel.copies))]
        lines: list = []
        if kernel.arrangement == "together":
            prepare = [line for p in prepares for line in p]
            lines += [line for s in setups for line in s]
            lines += prepare + ([barrier] if prepare else [])
            lines += [line for c in copies for line in c] + [barrier]
            lines += [line for c in consumes for line in c]
        else:
            for setup, prepare, copy, consume in zip(setups, prepares, copies, consumes):
                lines += setup + prepare + ([barrier] if prepare else [])
                lines += copy + [barrier] + consume
                if kernel.arrangement == "reuse":
                    lines.append(barrier)
        if kernel.loop != "none" and lines[-1] != barrier:
            lines.append(barrier)
        return lines

    def _annotated(self, i: int, depth: int) -> list[str]:
        clauses = [self.kernel.copies[i].clause]
        if self.kernel.clause_threads:
            clauses.append(f"threads({', '.join(map(str, _used(self.kernel.block)))})")
        if self.kernel.copies[i].guard.style == "keep-any":
            clauses.append("outside(any)")
        if i in self.plain:
            clauses.append("fallback(loop)")
        deeper = 1 if self.kernel.copies[i].flaw == "half-block" else 0
        pragma = " ".join(["#pragma tma load", *filter(None, clauses)])
        return [*([] if i in self.bare else [pragma]),
                *cuda_lines(self.lowered[i].statement, depth + deeper)]

    def _reached(self, i: int, copy: list, depth: int) -> list:
        """The copy under the condition that keeps threads from it."""
        if self.kernel.copies[i].flaw != "half-block":
            return copy
        pad = "  " * depth
        return [f"{pad}if (threadIdx.x < {self.threads // 2}) {{", *copy, pad + "}"]

    # Who uses the tile -------------------------------------------------------------

    def _cells(self, i: int, shape: list[int], flat: Expr, reverse: bool = False) -> list[Expr]:
        """The cell with a number; transposed consumers count the other way round."""
        order = list(range(len(shape)))
        if reverse:
            order.reverse()
        cells: list[Expr] = [number(0)] * len(shape)
        below = 1
        for position in reversed(range(len(order))):
            a = order[position]
            cell = flat if below == 1 else Binary("/", flat, number(below))
            if position > 0:
                cell = Binary("%", cell, number(shape[a]))
            cells[a] = number(0) if shape[a] == 1 and position > 0 else cell
            below *= shape[a]
        return cells

    def _each(self, count: int, depth: int, body: list[str]) -> list[str]:
        pad = "  " * depth
        thread = cuda(self.lowerings[0].thread())
        threads = "blockDim.x * blockDim.y * blockDim.z" if self.any_threads else self.threads
        return [f"{pad}for (int i = {thread}; i < {count}; i += {threads}) {{",
                *("  " + pad + line for line in body), pad + "}"]

    def _tile_at(self, i: int, cells: list[Expr]) -> str:
        subscripts = self.lowerings[i].subscripts(cells, reading=True)
        return self.lowered[i].tile + subscripts_of(subscripts, self._flat_extents(i))

    def _flat_extents(self, i: int) -> list[int]:
        return self.lowered[i].tile_shape if self.kernel.copies[i].flat else []

    def _slot(self, i: int) -> str:
        """Where the block's part of the output starts, in tiles."""
        if self.kernel.loop == "rounds":
            return f"({BLOCK_NUMBER} * rounds + t)"
        if self.kernel.loop == "offset":
            step = self.loop_steps()[0]
            return f"({BLOCK_NUMBER} * (depth / {step}) + k0 / {step})"
        return BLOCK_NUMBER

    def _initialise(self, i: int, depth: int) -> list[str]:
        lowered = self.lowered[i]
        if not lowered.initialised:
            return []
        cells = self._cells(i, lowered.tile_shape, Variable("i", INT))
        place = lowered.tile + subscripts_of(cells, self._flat_extents(i))
        return self._each(prod(lowered.tile_shape), depth, [f"{place} = {self._one(i)};"])

    def _one(self, i: int) -> str:
        return "T{}" if self.kernel.typed else ELEMENTS[self.kernel.copies[i].element].one

    def _consume(self, i: int, depth: int) -> list[str]:
        copy, pad = self.kernel.copies[i], "  " * depth
        shape = [axis.box for axis in copy.axes]
        count = prod(shape)
        consumer = getattr(self, "_consumer_" + copy.consumer.replace("-", "_"))
        after = [line for s in self.lowered[i].after for line in cuda_lines(s, depth)]
        lines = consumer(i, copy, shape, count)
        if copy.consumer == "vector":
            width = dict((t, n) for n, t in ELEMENTS[copy.element].vectors)[self._wide(copy)]
            return self._each(count // width, depth, lines) + after
        if copy.consumer == "passed":
            return [pad + line for line in lines] + after
        result = self._each(count, depth, lines)
        if copy.consumer == "scribble":
            cells = self._cells(i, shape, Variable("i", INT))
            result += [pad + "__syncthreads();"]
            result += self._each(count, depth, [f"{self._tile_at(i, cells)} = {self._one(i)};"])
        return result + after

    def _result(self, i: int, count: int) -> str:
        return f"{self.out(i)}[{self._slot(i)} * {count} + i]"

    def _consumer_straight(self, i: int, copy: Copy, shape: list[int], count: int) -> list[str]:
        cells = self._cells(i, shape, Variable("i", INT))
        line = f"{self._result(i, count)} = {self._tile_at(i, cells)};"
        if copy.guard.style == "keep-any" and copy.flaw != "none":
            raise Invalid("which cells are dead")
        if copy.guard.style != "keep-any" or not self.lowerings[i].is_guarded():
            return [line]
        if copy.index_type != "int":
            raise Invalid("which cells are dead")
        return [f"if ({cuda(self._inside(i, copy, cells))})", "  " + line]

    def _inside(self, i: int, copy: Copy, cells: list[Expr]) -> Expr:
        """The guard again, for consumers that must not look outside."""
        lowering, conditions = self.lowerings[i], []
        for a, axis in enumerate(copy.axes):
            cell = cells[a]
            if a == len(shape_of(copy)) - 1 and copy.vector > 1:
                raise Invalid("which cells are dead")
            place = Cast(LONG_LONG, add(Cast(INT, lowering.starts[a]), Cast(INT, cell)))
            bound = Cast(LONG_LONG, lowering.bound(a)) if axis.upper else number(0)
            conditions.append(Binary(">=", place, number(0)))
            conditions += [Binary("<", place, bound)] if axis.upper else []
        return conjunction(conditions)

    def _plain_only(self, copy: Copy) -> None:
        if copy.guard.style == "keep-any" and any(a.lower or a.upper for a in copy.axes):
            raise Invalid("which cells are dead")

    def _consumer_transposed(self, i: int, copy: Copy, shape: list[int], count: int) -> list[str]:
        self._plain_only(copy)
        cells = self._cells(i, shape, Variable("i", INT), reverse=True)
        return [f"{self._result(i, count)} = {self._tile_at(i, cells)};"]

    def _consumer_scribble(self, i: int, copy: Copy, shape: list[int], count: int) -> list[str]:
        self._plain_only(copy)
        return self._consumer_straight(i, copy, shape, count)

    def _consumer_sum(self, i: int, copy: Copy, shape: list[int], count: int) -> list[str]:
        self._plain_only(copy)
        if not ELEMENTS[copy.element].adds or (self.kernel.second_element and not
                                               ELEMENTS[self.kernel.second_element].adds):
            raise Invalid("no sum")
        if copy.flaw in ("sparse", "accumulated", "scaled", "converted"):
            raise Invalid("no sum")
        cells = self._cells(i, shape, Variable("i", INT))
        last = len(shape) - 1
        following = list(cells)
        following[last] = Binary("%", add(cells[last], number(1)), number(shape[last]))
        if len(shape) > 1:
            following[0] = Binary("%", add(cells[0], number(1)), number(shape[0]))
        value = f"{self._tile_at(i, cells)} + {self._tile_at(i, following)}"
        return [f"{self._result(i, count)} = {value};"]

    def _consumer_pointer(self, i: int, copy: Copy, shape: list[int], count: int) -> list[str]:
        self._plain_only(copy)
        if copy.flaw in ("transposed", "sparse", "staged", "dynamic") or copy.pad:
            raise Invalid("tiles that are not whole")
        first = self._tile_at(i, [number(0)] * len(shape))
        return [f"const {self.element(i)} *flat = &{first};",
                f"{self._result(i, count)} = flat[i];"]

    def _consumer_row_pointer(self, i: int, copy: Copy, shape: list[int], count: int) -> list[str]:
        self._plain_only(copy)
        if len(shape) < 2 or copy.flaw != "none":
            raise Invalid("no rows")
        cells = self._cells(i, shape, Variable("i", INT))
        row = self._tile_at(i, cells)
        row = row[:row.rindex("[")]
        return [f"const {self.element(i)} *line = {row};",
                f"{self._result(i, count)} = line[{cuda(cells[-1])}];"]

    def _wide(self, copy: Copy) -> str:
        vectors = ELEMENTS[copy.element].vectors
        if not vectors or self.kernel.typed or copy.flaw != "none" or copy.pad:
            raise Invalid("no vectors")
        width, type = vectors[copy.vector_kind % len(vectors)]
        if copy.axes[-1].box % width:
            raise Invalid("vectors do not fill the row")
        return type

    def _consumer_vector(self, i: int, copy: Copy, shape: list[int], count: int) -> list[str]:
        self._plain_only(copy)
        type = self._wide(copy)
        width = dict((t, n) for n, t in ELEMENTS[copy.element].vectors)[type]
        cells = self._cells(i, shape, Binary("*", Variable("i", INT), number(width)))
        slot = f"{self._slot(i)} * {count} + i * {width}"
        return [f"*reinterpret_cast<{type} *>(&{self.out(i)}[{slot}]) = "
                f"*reinterpret_cast<const {type} *>(&{self._tile_at(i, cells)});"]

    def _consumer_passed(self, i: int, copy: Copy, shape: list[int], count: int) -> list[str]:
        self._plain_only(copy)
        if len(shape) != 2 or copy.flaw != "none" or copy.slots > 1 or copy.pad or self.any_threads:
            raise Invalid("no matrix")
        name, element = f"{self.name}_take{i}", self.element(i)
        head = "template <typename T> " if self.kernel.typed else ""
        helper = (f"{head}__device__ void {name}({element} *to, const {element} "
                  f"(&tile)[{shape[0]}][{shape[1]}], int thread) {{\n"
                  f"  for (int i = thread; i < {count}; i += {self.threads})\n"
                  f"    to[i] = tile[i / {shape[1]}][i % {shape[1]}];\n}}")
        if helper not in self.helpers:
            self.helpers.append(helper)
        thread = cuda(self.lowerings[0].thread())
        return [f"{name}({self.out(i)} + {self._slot(i)} * {count}, {self.lowered[i].tile}, "
                f"{thread});"]

    # The host ------------------------------------------------------------------------

    def _host(self) -> list[str]:
        lines = [f"static void run_{self.name}() {{"]
        for n, launch in enumerate(self.kernel.launches):
            for element in instances(self.kernel):
                lines += self._launch(n, launch, element)
        return lines + ["}"]

    def _launch(self, n: int, launch: Launch, element: str) -> list[str]:
        kernel = self.kernel
        if len(launch.shapes) != len(kernel.copies):
            raise Invalid("a shape for each copy")
        lines, seed = ["  {"], 1 + kernel.number * 8 + n * 3
        arguments: list[str] = []
        outputs: list[tuple[str, int]] = []
        rounds = launch.rounds if kernel.loop != "none" else 1
        for i, copy in enumerate(kernel.copies):
            own = element if kernel.typed else copy.element
            count = prod(launch.grid) * rounds * prod(axis.box for axis in copy.axes)
            lines.append(f"    Output<{own}> {self.out(i)}({count});")
            arguments.append(self.out(i) + ".data()")
            outputs.append((self.out(i), n))
        for i, parameter in self.parameters():
            declaration, argument = self._argument(i, parameter, launch, element, seed + i)
            lines += ["    " + line for line in declaration]
            arguments.append(argument)
            if parameter.role == "marks":
                outputs.append((parameter.name, n))
        if kernel.loop != "none":
            factor = self.loop_steps()[0] if kernel.loop == "offset" else 1
            arguments.append(str(launch.rounds * factor))
        if kernel.reach == "argument":
            arguments.append("0" if n == 1 else "1")
        lines += ["    " + line for line in self._start(launch, element, ", ".join(arguments))]
        suffix = "." + re.sub(r"\W", "", element) if kernel.second_element else ""
        for out, launch_number in outputs:
            label = f"{self.name}.{launch_number}{suffix} {out}"
            lines.append(f'    {out}.report("{label}");')
        return lines + ["  }"]

    def _argument(self, i: int, parameter: Parameter, launch: Launch, element: str,
                  seed: int) -> tuple[list[str], str]:
        """What the host declares for an argument, and what it passes."""
        copy, name = self.kernel.copies[i], parameter.name
        tensor = self.lowerings[i].tensor_element
        tensor = element if tensor == "T" else tensor
        before, count = footprint(copy, launch, i)
        memory = f"Input<{tensor}> {name}({count}, {before}, {seed});"
        if parameter.role == "tensor":
            return [memory.replace(name + "(", name + "(", 1)], name + ".data()"
        if parameter.role == "tensors":
            pointers = f"std::vector<const {tensor} *>({launch.grid[0]}, {name}_all.data())"
            return [memory.replace(f" {name}(", f" {name}_all("),
                    f"Table<const {tensor} *> {name}({pointers});"], name + ".data()"
        if parameter.role == "marks":
            return [f"Output<int> {name}({prod(launch.grid) * self.threads});"], name + ".data()"
        if parameter.role == "table":
            values = ", ".join(map(str, table_values(parameter, copy, launch, i)))
            return [f"Table<int> {name}({{{values}}});"], name + ".data()"
        value = argument_value(parameter, copy, launch, i)
        if parameter.role in ("stage", "first"):
            return [], str(value)
        return [f"const {parameter.type} {name} = {value};"], name

    def _start(self, launch: Launch, element: str, arguments: str) -> list[str]:
        kernel = self.kernel
        values = [v or element for _, v in self.template_parameters()]
        name = self.name + (f"<{', '.join(values)}>" if values else "")
        own = block_of(kernel, launch)
        grid, block = _dim3(launch.grid), _dim3(own)
        form = launch.form
        dynamic = [l for c, l in zip(kernel.copies, self.lowered) if c.flaw == "dynamic"]
        if dynamic:
            size = prod(dynamic[0].tile_shape) * ELEMENTS[dynamic[0].element].size
            return [f"{name}<<<{grid}, {block}, {size}>>>({arguments});"]
        if form == "variables":
            return [f"dim3 grid({', '.join(map(str, launch.grid))}), {_declared('block', own)};",
                    f"{name}<<<grid, block>>>({arguments});"]
        if form == "braces":
            numbers = ", ".join(map(str, own))
            return [f"const dim3 block{{{numbers}}};",
                    f"{name}<<<{grid}, block, 0>>>({arguments});"]
        if form == "stream":
            return ["cudaStream_t stream;", "CHECK(cudaStreamCreate(&stream));",
                    f"{name}<<<{grid}, {block}, 0, stream>>>({arguments});",
                    "CHECK(cudaStreamSynchronize(stream));", "CHECK(cudaStreamDestroy(stream));"]
        if form == "dynamic":
            return [f"{name}<<<{grid}, {block}, {ADDED_SHARED // 4} * sizeof(int)>>>({arguments});"]
        if form == "lambda":
            return [f"auto start = [&](dim3 grid) {{ {name}<<<grid, {block}>>>({arguments}); }};",
                    f"start({grid});"]
        if form == "config":
            return ["cudaLaunchConfig_t config = {};", f"config.gridDim = {grid};",
                    f"config.blockDim = {block};",
                    f"CHECK(cudaLaunchKernelEx(&config, {name}, {arguments}));"]
        return [f"{name}<<<{grid}, {block}>>>({arguments});", "CHECK(cudaGetLastError());"]


def shape_of(copy: Copy) -> list[int]:
    return [axis.box for axis in copy.axes]


def _used(numbers: tuple[int, ...]) -> list[int]:
    """Without the ones at the end."""
    used = list(numbers)
    while len(used) > 1 and used[-1] == 1:
        used.pop()
    return used


def _declared(name: str, numbers: tuple[int, ...]) -> str:
    return f"{name}({', '.join(map(str, _used(numbers)))})"


def _dim3(numbers: tuple[int, ...]) -> str:
    used = _used(numbers)
    return str(used[0]) if len(used) == 1 else f"dim3({', '.join(map(str, used))})"


def starts_of(copy: Copy, launch: Launch, which: int) -> list[tuple[int, int]]:
    """The least and the greatest start of each axis over all blocks and rounds."""
    shape, result = launch.shapes[which], []
    for axis in copy.axes:
        last = {"x": launch.grid[0], "y": launch.grid[1], "z": launch.grid[2],
                "loop": launch.rounds}.get(axis.origin, 1) - 1
        low, high = axis.shift, last * axis.step + axis.shift
        if axis.origin in ("table", "argument"):
            steps = (prod(launch.grid) - 1) * copy.axes[-1].step if axis.origin == "table" else 0
            low, high = shape.first + axis.shift, shape.first + steps + axis.shift
        result.append((low, high))
    return result


def footprint(copy: Copy, launch: Launch, which: int) -> tuple[int, int]:
    """Elements before the address that is passed, and in the whole allocation."""
    shape = launch.shapes[which]
    extents, strides = extents_of(copy, shape), strides_of(copy, shape)
    lowest = highest = 0
    for axis, (first, last), extent, stride in zip(copy.axes, starts_of(copy, launch, which),
                                                   extents, strides):
        low = max(0, first) if axis.lower else first
        high = extent - 1 if axis.upper else last + axis.box - 1
        lowest += min(0, low * stride)
        highest += max(0, high * stride)
    if copy.batch != "none":
        highest += (launch.grid[2] - 1) * batch_stride_of(copy, shape)
    if copy.flaw != "none":
        lowest, highest = lowest - 64 - highest, highest + 64 + 2 * (highest - lowest)
    before = -(lowest // 256 * 256) + shape.offset
    # Whole units of 16 bytes: lifted copies read whole ones.
    unit = max(1, 16 // ELEMENTS[copy.element].size)
    return before, -(-(before + highest + copy.vector) // unit) * unit
