# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the TMA unit asks of a tensor map, with the wording of the rewriter and the C++ runtime.

The table of rules is runtime/include/tilelift/rules.h; a test draws random requests and holds
both against each other. Everything is innermost first here, strides are bytes.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

MAX_RANK = 5
MAX_EXTENT = 1 << 31
MOST_SHARED = 232448

ELEMENTS = ("u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f64", "bf16", "f32_ftz", "tf32",
            "tf32_ftz", "u4_align8", "u4_align16", "u6_align16")
BITS: Dict[str, int] = dict(zip(ELEMENTS, (8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6)))
FLOATING = frozenset(ELEMENTS[6:13])
PACKED = frozenset(ELEMENTS[13:])
PADDED = frozenset(ELEMENTS[14:])

SWIZZLES = ("none", "b32", "b64", "b128", "b128_atom_32", "b128_atom_32_flip_8", "b128_atom_64")
SPANS: Dict[str, int] = dict(zip(SWIZZLES, (0, 32, 64, 128, 128, 128, 128)))
INTERLEAVES = ("none", "b16", "b32")
PROMOTIONS = (0, 64, 128, 256)
FILLS = ("zero", "nan")


class Dimension(NamedTuple):
    """One dimension of a tensor, and what it is called in the program."""
    extent: int
    stride: int = 0
    step: int = 1
    extent_text: str = ""
    stride_text: str = ""
    step_text: str = ""


# What launches change of a map, one behind the other: the address, extents, strides from the second dimension on,
# and of pixels the element strides and the corners.
Numbers = Tuple[Any, ...]


class MapRequest(NamedTuple):
    """All that a tensor map is made of: two that are equal are the same map."""
    mode: str  # tile, im2col, w or w128
    tile: str
    tensor: str
    element: str
    address: int
    dimensions: Tuple[Dimension, ...]
    box: Tuple[int, ...] = ()
    channels: int = 0
    pixels: int = 0
    lower: Tuple[int, ...] = ()
    upper: Tuple[int, ...] = ()
    lower_text: Tuple[str, ...] = ()
    upper_text: Tuple[str, ...] = ()
    swizzle: str = "none"
    interleave: str = "none"
    promotion: int = 128
    fill: str = "zero"
    capability: int = 90
    # Boxes that lie outside of the tensor read where it starts: where boxes start in each dimension, or nothing if any
    # box may lie there; None where none does.
    reads_start: Optional[Tuple[Any, ...]] = None

    @property
    def rank(self) -> int:
        return len(self.dimensions)

    def varying(self) -> Numbers:
        own = self.dimensions
        sizes = (self.address, *(d.extent for d in own), *(d.stride for d in own[1:]))
        return sizes if self.mode == "tile" else (*sizes, *(d.step for d in own), *self.lower, *self.upper)

    def numbers(self) -> Tuple[object, ...]:
        """Without its names: what the driver is told."""
        return (self.mode, self.element, self.address, tuple(d[:3] for d in self.dimensions), self.box,
                self.channels, self.pixels, self.lower, self.upper, self.swizzle, self.interleave,
                self.promotion, self.fill)


class Violation(NamedTuple):
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.text} [{self.rule}]"


Report = Callable[[str, str], None]


def _describe(value: int, text: str = "") -> str:
    return f"{value} ({text})" if text and text != str(value) else str(value)


def _ordinal(d: int) -> str:
    return "innermost" if d == 0 else f"dimension {d}"


def _where(d: int) -> str:
    return _ordinal(d) + (" dimension" if d == 0 else "")


def _count(elements: int) -> int:
    return min(max(elements, 0), 2048)


def _check_values(request: MapRequest, report: Report) -> None:
    if request.fill == "nan" and request.element not in FLOATING:
        report("nan-fill", f"a fill with NaN needs a floating-point type, '{request.tensor}' has {request.element}")


def _check_device(request: MapRequest, report: Report) -> None:
    def needs_newer(rule: str, what: str) -> None:
        if request.capability < 100:
            report(rule, f"{what} needs compute capability 10.0, the device has "
                         f"{request.capability // 10}.{request.capability % 10}")

    if request.element in PACKED:
        needs_newer("type-device", request.element)
    if SWIZZLES.index(request.swizzle) > SWIZZLES.index("b128"):
        needs_newer("swizzle-device", "a swizzle of atoms larger than 16 bytes")


def _check_padded(request: MapRequest, report: Report) -> None:
    swizzles = request.swizzle in ("none", "b128", "b128_atom_32") or (
        request.element == "u6_align16" and request.swizzle == "b128_atom_64")
    if request.interleave != "none" or not swizzles:
        report("padded-layout", f"{request.element} goes with no interleaving, and with no swizzle, 128B or "
                                "128B_ATOM_32B")


def _alignment(request: MapRequest) -> int:
    return 32 if request.interleave == "b32" or request.element in PADDED else 16


def _check_address(tensor: str, address: int, alignment: int, report: Report) -> None:
    if address < 1:
        report("address-null", f"'{tensor}' is null")
    if address % alignment:
        report(f"address-{alignment}",
               f"the map of '{tensor}' starts at {address}, which is no multiple of {alignment} bytes")
    if not 0 <= address < 1 << 57:
        report("address-range", f"the map of '{tensor}' starts at {address}, an address is less than 2^57")


def _check_extent(request: MapRequest, d: int, report: Report) -> None:
    own = request.dimensions[d]
    if not 1 <= own.extent <= MAX_EXTENT:
        report("extent-range", f"the extent of '{request.tensor}' in {_where(d)} is "
                               f"{_describe(own.extent, own.extent_text)} elements, allowed are 1 to 2^31")
    if d == 0 and request.element in PACKED:
        whole = 128 if request.element in PADDED else 2
        if own.extent % whole:
            report("packed-extent", f"the rows of '{request.tensor}' have {_describe(own.extent, own.extent_text)} "
                                    f"elements, which is no multiple of {whole}")


def _check_stride(request: MapRequest, d: int, alignment: int, report: Report) -> None:
    own = request.dimensions[d]
    if own.stride % alignment == 0 and 0 <= own.stride < 1 << 40:
        return  # words take longer than the rules
    found = f"the stride of '{request.tensor}' in {_ordinal(d)} is {_describe(own.stride, own.stride_text)} bytes"
    if own.stride % alignment:
        report(f"stride-{alignment}", f"{found}, which is no multiple of {alignment}")
    if not 0 <= own.stride < 1 << 40:
        report("stride-range", f"{found}, allowed are 0 to 2^40 - 1")


def _check_row(request: MapRequest, elements: int, report: Report) -> None:
    found = f"a row of the box of '{request.tile}' has "
    bits = _count(elements) * BITS[request.element]
    if bits % 128:
        report("inner-box-16", f"{found}{bits // 8} bytes, which is no multiple of 16")
    span = SPANS[request.swizzle]
    if span and request.interleave == "none" and bits // 8 > span:
        report("swizzle-span", f"{found}{bits // 8} bytes, the swizzle has room for {span}")
    if request.element in PADDED and elements != 128:
        report("padded-box", f"{found}{elements} elements, {request.element} takes 128")


def _check_bytes(request: MapRequest, size: int, report: Report) -> None:
    if size > MOST_SHARED:
        report("box-bytes", f"the box of '{request.tile}' has {size} bytes, a block has at most {MOST_SHARED} bytes "
                            "of shared memory")


def _check_map(request: MapRequest, least_rank: int, report: Report) -> None:
    least = 3 if request.interleave != "none" else least_rank
    if not least <= request.rank <= MAX_RANK:
        report("rank", f"the copy to '{request.tile}' has {request.rank} dimensions, a tensor map has {least} to 5")
    _check_values(request, report)
    _check_device(request, report)
    if request.element in PADDED:
        _check_padded(request, report)
    alignment = _alignment(request)
    _check_address(request.tensor, request.address, alignment, report)
    for d, own in enumerate(request.dimensions[:MAX_RANK]):
        _check_extent(request, d, report)
        if d > 0:
            _check_stride(request, d, alignment, report)
        if not 1 <= own.step <= 8:
            report("step-range", f"the element stride of '{request.tensor}' in {_where(d)} is "
                                 f"{_describe(own.step, own.step_text)}, allowed are 1 to 8")


def _check_tile(request: MapRequest, report: Report) -> None:
    _check_map(request, 1, report)
    bits = BITS[request.element]
    for d, elements in enumerate(request.box[:MAX_RANK]):
        if not 1 <= elements <= 256:
            report("box-range", f"the box of '{request.tile}' has {elements} elements in {_where(d)}, allowed are 1 to "
                                "256")
        step = max(request.dimensions[d].step, 1)
        bits *= _count(elements) if d == 0 else -(-_count(elements) // step)
    if request.box:
        _check_row(request, request.box[0], report)
    _check_bytes(request, bits // 8, report)


def has_pixel(extent: int, lower: int, upper: int) -> bool:
    """As the driver counts, in 32 bits."""
    total = (extent + upper) & 0xffffffff
    return (total - (1 << 32) if total >= 1 << 31 else total) > lower


def _corner_limit(request: MapRequest) -> int:
    return 1 << {1: 15, 2: 7, 3: 4}[request.rank - 2]


def _check_corners(request: MapRequest, report: Report) -> None:
    limit = _corner_limit(request)
    first = 1 if request.interleave == "none" else 0
    texts = {"lower": request.lower_text, "upper": request.upper_text}
    for i, (lower, upper) in enumerate(zip(request.lower, request.upper)):
        named = {}
        for name, corner in (("lower", lower), ("upper", upper)):
            named[name] = _describe(corner, texts[name][i] if i < len(texts[name]) else "")
            if not -limit <= corner < limit:
                report("corner-range", f"the {name} corner of '{request.tile}' is {named[name]} in dimension "
                                       f"{first + i}, allowed are {-limit} to {limit - 1}")
        own = request.dimensions[first + i]
        if not has_pixel(own.extent, lower, upper):
            report("corner-order", f"the box of '{request.tile}' is empty in dimension {first + i}: it starts at "
                                   f"{named['lower']} and ends {named['upper']} from an extent of "
                                   f"{_describe(own.extent, own.extent_text)}")


def _check_pixels(request: MapRequest, report: Report) -> None:
    _check_map(request, 3, report)
    if not 3 <= request.rank <= MAX_RANK:
        return
    _check_corners(request, report)
    if not 1 <= request.channels <= 256:
        report("channel-range", f"the copy to '{request.tile}' has {request.channels} channels, allowed are 1 to 256")
    if not 1 <= request.pixels <= 1024:
        report("pixel-range", f"the copy to '{request.tile}' has {request.pixels} pixels, allowed are 1 to 1024")
    _check_row(request, request.channels, report)
    _check_bytes(request, _count(request.channels) * _count(request.pixels) * BITS[request.element] // 8, report)
    swizzles = request.swizzle not in ("b32", "b128_atom_32_flip_8", "b128_atom_64")
    if request.mode != "im2col" and (not swizzles or request.interleave != "none"):
        report("wide-layout", "im2col wide goes with no interleaving, and with swizzles 64B, 128B and 128B_ATOM_32B")


def violations(request: MapRequest) -> list[Violation]:
    """Every rule that the request breaks, in the order of the table."""
    found: list[Violation] = []

    def report(rule: str, text: str) -> None:
        found.append(Violation(rule, text))

    (_check_tile if request.mode == "tile" else _check_pixels)(request, report)
    return found


def require_numbers(of: Any, request: MapRequest, dimensions: Sequence[Any], lower: Sequence[Any], upper: Sequence[Any]
                    ) -> None:
    """The rules about extents, strides, steps and corners where these are expressions: what has to be true
    of them is told to `of`, which writes it down. The address is left to whoever knows it."""
    alignment = _alignment(request)
    if request.element in PACKED:
        of.multiple(dimensions[0].extent, 128 if request.element in PADDED else 2)
    for d, own in enumerate(dimensions):
        of.within(own.extent, 1, MAX_EXTENT)
        of.within(own.step, 1, 8)
        if d > 0:
            of.multiple(own.stride, alignment)
            of.within(own.stride, 0, (1 << 40) - 1)
    first = 1 if request.interleave == "none" else 0
    for i, (low, high) in enumerate(zip(lower, upper)):
        limit = _corner_limit(request)
        of.within(low, -limit, limit - 1)
        of.within(high, -limit, limit - 1)
        of.has_pixel(dimensions[first + i].extent, low, high)


def bulk_violations(tile: str, tensor: str, address: int, size: int = 16, offset: int = 0) -> list[Violation]:
    """The same for a copy of so many bytes without a map."""
    found: list[Violation] = []
    if address < 1:
        found.append(Violation("address-null", f"'{tensor}' is null"))
    if address % 16:
        found.append(Violation("address-16", f"'{tensor}' starts at {address}, which is no multiple of 16 bytes"))
    if offset % 16:
        found.append(Violation("bulk-offset-16", f"the copy to '{tile}' starts {offset} bytes into '{tensor}', which is "
                                                 "no multiple of 16"))
    if size % 16:
        found.append(Violation("bulk-size-16", f"the copy to '{tile}' has {size} bytes, which is no multiple of 16"))
    if not 16 <= size < 1 << 20:
        found.append(Violation("bytes-in-flight", f"the copy to '{tile}' has {size} bytes, a barrier counts at most "
                                                  "1048575"))
    return found


def address_violations(address: int, alignment: int, tensor: str = "tensor") -> list[Violation]:
    """Of an address that a map gets later."""
    found: list[Violation] = []
    _check_address(tensor, address, alignment, lambda rule, text: found.append(Violation(rule, text)))
    return found


def alignment_of(request: MapRequest) -> int:
    """What the tensor's address and strides are multiples of."""
    return _alignment(request)


def text_of(found: Sequence[Violation]) -> Optional[str]:
    """All of them in one line."""
    return "; ".join(map(str, found)) or None
