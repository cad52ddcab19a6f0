# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a generated program is, as a tree of plain values.

A program has kernels, a kernel has copies and launches, a copy has axes. The
tree says everything and nothing twice: the text is printed from it, the oracle
judges it, and shrinking replaces parts of it by simpler ones. For that each
field knows its simplest value: the first of its choices, or a least number.

What is not here: how a description becomes CUDA (lowering.py), and which
combinations make sense (whoever lowers them raises Invalid).
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class Invalid(Exception):
    """A combination that cannot be written, or that no defined program has."""


def choice(*values: Any) -> Any:
    """A field with few values, the simplest first."""
    return field(default=values[0], metadata={"choices": values})


def least(number: int) -> Any:
    """A field that shrinks towards a number."""
    return field(default=number, metadata={"least": number})


def like(name: str) -> Any:
    """A number whose simplest value is that of another field."""
    return field(default=1, metadata={"like": name})


def flag() -> Any:
    return choice(False, True)


# Elements ---------------------------------------------------------------------


@dataclass(frozen=True)
class Element:
    size: int
    zeros: tuple[str, ...]  # ways to write zero
    one: str
    adds: bool  # two of them have a sum that is no less defined than they are
    vectors: tuple[tuple[int, str], ...] = ()  # wider accesses


MOST_SHARED = 48 * 1024  # bytes that a kernel may declare

ELEMENTS: dict[str, Element] = {
    "float": Element(4, ("0.f", "0", "0.0f", "float()"), "1.f", True,
                     ((4, "float4"), (2, "float2"))),
    "int": Element(4, ("0", "int()"), "7", True, ((4, "int4"), (2, "int2"))),
    "unsigned": Element(4, ("0u", "0"), "7u", True, ((4, "uint4"), (2, "uint2"))),
    "double": Element(8, ("0.0", "0", "0.f"), "1.0", True, ((2, "double2"),)),
    "long long": Element(8, ("0", "0ll"), "7", True, ((2, "longlong2"),)),
    "short": Element(2, ("0", "short(0)"), "7", True, ((4, "short4"), (2, "short2"))),
    "unsigned short": Element(2, ("0", "0u"), "7", True, ((8, "uint4"), (2, "ushort2"))),
    "unsigned char": Element(1, ("0", "'\\0'", "0u"), "7", True,
                             ((16, "uint4"), (4, "uchar4"), (4, "unsigned"))),
    "char": Element(1, ("0", "'\\0'"), "7", True, ((4, "char4"), (16, "int4"))),
    "__half": Element(2, ("__float2half(0.f)", "__half(0.f)"), "__half(1.f)", False,
                      ((8, "float4"), (2, "__half2"))),
    "__nv_bfloat16": Element(2, ("__float2bfloat16(0.f)", "__nv_bfloat16(0.f)"),
                             "__nv_bfloat16(1.f)", False, ((8, "uint4"),)),
    "float2": Element(8, ("make_float2(0.f, 0.f)", "float2{}", "float2{0.f, 0.f}"),
                      "make_float2(1.f, 1.f)", False),
    "int2": Element(8, ("make_int2(0, 0)", "int2{}"), "make_int2(7, 7)", False),
    "float4": Element(16, ("make_float4(0.f, 0.f, 0.f, 0.f)", "float4{}"),
                      "make_float4(1.f, 1.f, 1.f, 1.f)", False),
    "uint4": Element(16, ("make_uint4(0, 0, 0, 0)", "uint4{}"), "make_uint4(7, 7, 7, 7)", False),
}

def is_scalar(element: str) -> bool:
    """Whether an element can be made from an int."""
    return not element.endswith(("2", "4"))


# What makes a copy one that TMA cannot do. 'none' and what the shapes bring
# about by themselves (see oracle.py) come without.
FLAWS = (
    "none",
    # where it reads
    "strided", "broadcast", "skewed", "split", "clamped", "wrapped", "loaded-rows", "two-sources",
    # where it writes
    "transposed", "reversed", "sparse", "staged", "clash",
    # what it writes
    "scaled", "converted", "accumulated",
    # under which condition
    "flat-guard", "triangle", "loaded-condition",
    # what surrounds it
    "half-block", "side-effect", "barrier", "index-kept", "pointer-table", "volatile", "switch",
    "dynamic",
)

INT_NAMES = ("int", "unsigned", "long long", "size_t")


@dataclass(frozen=True)
class Axis:
    """One dimension of a tile and of the tensor that it comes from."""
    box: int = field(default=1, metadata={"least": 4})
    # The tile starts at origin * step + shift.
    origin: str = choice("none", "x", "y", "z", "loop", "table", "argument")
    step: int = like("box")
    shift: int = least(0)
    lower: bool = flag()  # guarded from below
    upper: bool = flag()
    extent: str = choice("argument", "literal", "less")
    literal_extent: int = least(1)
    # From one element of this axis to the next; the innermost axis has 1.
    stride: str = choice("dense", "pitch", "literal")
    literal_stride: int = least(1)


@dataclass(frozen=True)
class Guard:
    """How the bounds of the axes are written down."""
    style: str = choice("ternary", "if-else", "inverted", "register", "prefill", "helper",
                        "continue", "prefill-continue", "bounded", "keep", "keep-continue",
                        "keep-any")
    fill: str = choice("zero", "one")
    join: str = choice("and", "grouped", "negated", "flag", "flags", "macro", "bits", "nested")
    order: int = least(0)
    lower: str = choice("at-least", "mirrored", "not-less", "more", "not-mirrored")
    upper: str = choice("less", "mirrored", "not-beyond", "at-most", "plus-one")
    both: str = choice("two", "unsigned", "unsigned-cast")


@dataclass(frozen=True)
class Copy:
    element: str = choice(*ELEMENTS)
    axes: tuple[Axis, ...] = ()  # outermost first
    batch: str = choice("none", "dense", "pitch")  # a matrix for each blockIdx.z
    vector: int = choice(1, 2, 4, 8, 16)  # elements of one access
    vector_kind: int = least(0)
    idiom: str = choice("flat", "nested", "one", "one-flat", "rows", "own-row", "fixed-rows",
                        "running")
    decode: str = choice("divide", "shift", "chain")
    loop_type: str = choice("int", "unsigned")
    index_type: str = choice(*INT_NAMES)
    index_cast: str = choice("none", "size_t", "long long")
    names: str = choice("all", "starts", "cells", "hoisted", "none")  # what has variables
    formula: str = choice("expanded", "horner")
    base: str = choice("tensor", "start", "row", "row-address")
    access: str = choice("subscript", "pointer", "ldg", "ldg-sum", "c-cast")
    zero: int = least(0)
    guard: Guard = Guard()
    pad: int = least(0)  # columns of the tile that the copy leaves alone
    slots: int = least(1)  # the tile is one of several in an array
    sizes: str = choice("literal", "constant", "template")
    threads: str = choice("blockDim", "literal")
    unroll: bool = flag()
    restrict: bool = flag()
    clause: str = choice("", "cache(evict_first)", "promote(64)", "cache(evict_last) promote(none)",
                         "swizzle(none)", "cache(evict_normal) promote(256)")
    consumer: str = choice("straight", "transposed", "sum", "scribble", "pointer", "row-pointer",
                           "vector", "passed")
    flaw: str = choice(*FLAWS)
    flat: bool = flag()  # the tile is one long row
    # How the argument that an axis starts at holds that number.
    packed: str = choice("plain", "shifted", "masked")


@dataclass(frozen=True)
class Shape:
    """A tensor of one launch."""
    extents: tuple[int, ...] = field(default=(), metadata={"least": 1})
    slack: tuple[int, ...] = field(default=(), metadata={"least": 0})  # what pitches have more
    offset: int = least(0)  # elements from an aligned address to the one that is passed
    first: int = least(0)  # the arguments and table entries that axes start at


@dataclass(frozen=True)
class Launch:
    grid: tuple[int, ...] = field(default=(1, 1, 1), metadata={"least": 1})
    rounds: int = least(1)
    form: str = choice("plain", "variables", "braces", "stream", "dynamic", "config", "lambda")
    shapes: tuple[Shape, ...] = ()  # one for each copy
    # Threads along x, where they are others than those the copies are checked for.
    threads: int = choice(0, 32, 64, 96, 128, 256)


@dataclass(frozen=True)
class Kernel:
    number: int
    block: tuple[int, int, int]
    copies: tuple[Copy, ...]
    launches: tuple[Launch, ...] = ()
    loop: str = choice("none", "rounds", "offset")
    arrangement: str = choice("together", "apart", "reuse")
    reach: str = choice("always", "argument", "block")
    argument_type: str = choice(*INT_NAMES)
    typed: bool = flag()  # template <typename T>
    second_element: str = choice("", *ELEMENTS)  # another instantiation
    clause_threads: bool = flag()  # the block size is in the pragma
    launch_bounds: bool = flag()


@dataclass(frozen=True)
class Program:
    kernels: tuple[Kernel, ...] = ()


def copies_of(program: Program) -> int:
    return sum(len(kernel.copies) for kernel in program.kernels)


def block_of(kernel: Kernel, launch: Launch) -> tuple[int, int, int]:
    """The block that a launch has."""
    return (launch.threads, *kernel.block[1:]) if launch.threads else kernel.block


# Numbers ----------------------------------------------------------------------


def sizes_of(copy: Copy, shape: Shape) -> list[int]:
    """The tensor's size along each axis, which dense strides are made of."""
    return [axis.literal_extent if axis.extent == "literal" else value
            for axis, value in zip(copy.axes, shape.extents)]


def extents_of(copy: Copy, shape: Shape) -> list[int]:
    """The bound of each axis, as the program's conditions have it."""
    return [size - 1 if axis.extent == "less" else size
            for axis, size in zip(copy.axes, sizes_of(copy, shape))]


def strides_of(copy: Copy, shape: Shape) -> list[int]:
    """Elements from one index of each axis to the next."""
    sizes = sizes_of(copy, shape)
    strides = [0] * len(copy.axes)
    below = 1
    for a in reversed(range(len(copy.axes))):
        axis, inner = copy.axes[a], a == len(copy.axes) - 1
        strides[a] = below
        if not inner and axis.stride == "pitch":
            strides[a] += shape.slack[a]
        elif not inner and axis.stride == "literal":
            strides[a] = axis.literal_stride
        if inner and copy.flaw == "strided":
            strides[a] = 2
        below = strides[a] * sizes[a]
    return strides


def batch_stride_of(copy: Copy, shape: Shape) -> int:
    """Elements from one matrix of a batch to the next."""
    dense = strides_of(copy, shape)[0] * sizes_of(copy, shape)[0]
    return dense + (shape.slack[0] if copy.batch == "pitch" else 0)
