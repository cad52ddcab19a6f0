# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The driver as the rest of the package calls it: cuda.bindings.driver, or what stands for it.

Results come as tuples with the error first; here an error becomes an exception that says which call
of what failed, and the tuple becomes its one result.
"""
from __future__ import annotations

import ctypes
import functools
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

from . import rules
from ._source import defined, enclosing, list_of, tuple_of

_DATA_TYPES = ("UINT8", "UINT16", "UINT32", "INT32", "UINT64", "INT64", "FLOAT16", "FLOAT32", "FLOAT64", "BFLOAT16",
               "FLOAT32_FTZ", "TFLOAT32", "TFLOAT32_FTZ", "16U4_ALIGN8B", "16U4_ALIGN16B", "16U6_ALIGN16B")
_SWIZZLES = ("NONE", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B")
_INTERLEAVES = ("NONE", "16B", "32B")
_PROMOTIONS = {0: "NONE", 64: "L2_64B", 128: "L2_128B", 256: "L2_256B"}
_FILLS = {"zero": "NONE", "nan": "NAN_REQUEST_ZERO_FMA"}


class DriverError(RuntimeError):
    """A call of the driver failed; `what` is the descriptor or the kernel that it was for."""

    def __init__(self, call: str, what: str, result: Any) -> None:
        name = getattr(result, "name", None) or f"error {int(result)}"
        super().__init__(f"{call} of {what}: {name}")
        self.call, self.what, self.result = call, what, result


def bindings() -> Any:
    """cuda.bindings.driver, with a word on where it comes from if it is missing."""
    try:
        from cuda.bindings import driver
    except ImportError as problem:
        raise ImportError("launching needs the package cuda-bindings, or another driver that is given by name"
                          ) from problem
    return driver


def function_of(driver: Any, name: str, what: str) -> Any:
    function = getattr(driver, name, None)
    if function is None:
        raise DriverError(name, what, driver.CUresult.CUDA_ERROR_NOT_SUPPORTED)
    return function


def call(driver: Any, name: str, what: str, *arguments: Any) -> Any:
    result = function_of(driver, name, what)(*arguments)
    if result[0]:
        raise DriverError(name, what, result[0])
    return result[1] if len(result) == 2 else result[1:]


def _member(driver: Any, enumeration: str, prefix: str, name: str) -> Any:
    return getattr(getattr(driver, enumeration), prefix + name)


@functools.lru_cache(maxsize=1024)
def _enumerations(driver: Any, element: str, interleave: str, swizzle: str, promotion: int, fill: str
                  ) -> Tuple[Any, Any, Any, Any, Any]:
    """Looked up once: launches of new sizes make maps with the same."""
    return (_member(driver, "CUtensorMapDataType", "CU_TENSOR_MAP_DATA_TYPE_",
                    _DATA_TYPES[rules.ELEMENTS.index(element)]),
            _member(driver, "CUtensorMapInterleave", "CU_TENSOR_MAP_INTERLEAVE_",
                    _INTERLEAVES[rules.INTERLEAVES.index(interleave)]),
            _member(driver, "CUtensorMapSwizzle", "CU_TENSOR_MAP_SWIZZLE_", _SWIZZLES[rules.SWIZZLES.index(swizzle)]),
            _member(driver, "CUtensorMapL2promotion", "CU_TENSOR_MAP_L2_PROMOTION_", _PROMOTIONS[promotion]),
            _member(driver, "CUtensorMapFloatOOBfill", "CU_TENSOR_MAP_FLOAT_OOB_FILL_", _FILLS[fill]))


# A map: the driver's object, and where its 128 bytes are, which a kernel takes by value.
Made = Tuple[Any, int]
_SIZE = 128


class Told(NamedTuple):
    """What lines that make a map know besides its numbers: what the driver is told, and which maps are `known` by
    their numbers, so many at `most`."""
    call: Any
    finish: Any
    clears: Any
    long: Any
    word: Any
    kind: Any
    box: Any
    box_steps: Any
    channels: Any
    pixels: Any
    interleave: Any
    wide: Any
    swizzle: Any
    promotion: Any
    fill: Any
    known: Any
    most: Any


def told(driver: Any, request: rules.MapRequest, known: Dict[rules.Numbers, Made], most: int) -> Told:
    """Of all requests that differ from this one in nothing but their numbers."""
    kind, interleave, swizzle, promotion, fill = _enumerations(driver, request.element, request.interleave,
                                                               request.swizzle, request.promotion, request.fill)
    what, word, is_wide = f"the map of '{request.tile}'", driver.cuuint32_t, request.mode in ("w", "w128")
    name = ("cuTensorMapEncodeTiled" if request.mode == "tile" else "cuTensorMapEncodeIm2colWide" if is_wide
            else "cuTensorMapEncodeIm2col")
    wide = _member(driver, "CUtensorMapIm2ColWideMode", "CU_TENSOR_MAP_IM2COL_WIDE_MODE_", request.mode.upper()
                   ) if is_wide else None

    def finish(result: Any, made: Any) -> None:
        if result:
            raise DriverError(name, what, result)
        _clear_wide_addresses(made)

    return Told(function_of(driver, name, what), finish, request.capability >= 100, driver.cuuint64_t, word, kind,
                [word(n) for n in request.box], [word(d.step) for d in request.dimensions], request.channels,
                request.pixels, interleave, wide, swizzle, promotion, fill, known, most)


def encoder(request: rules.MapRequest, own: Told) -> Callable[[rules.Numbers], Made]:
    """Makes the maps of all that `own` is told of."""
    return _written_encoder(request.mode, request.rank)(*own)


@functools.lru_cache(maxsize=None)
def _written_encoder(mode: str, rank: int) -> Callable[..., Callable[[rules.Numbers], Made]]:
    extents, strides, steps = (_each(name, rank) for name in ("extent", "stride", "step"))
    numbers = ["address", *extents, *strides[1:]]
    if mode != "tile":
        numbers += [*steps, *_each("lower", rank - 2), *_each("upper", rank - 2)]
    source = enclosing("encoder", ", ".join(Told._fields), "encode", "numbers", [
        f"{tuple_of(numbers)} = numbers", *making("one", mode, rank, numbers, "numbers"), "return one"])
    made: Callable[..., Callable[[rules.Numbers], Made]] = defined(f"maps of rank {rank}, {mode}", source, {})["encoder"]
    return made


def making(made: str, mode: str, rank: int, numbers: Sequence[Any], key: str, suffix: str = "") -> List[str]:
    """Lines that make a map of numbers, as rules.MapRequest.varying() has them, and remember it by its key; they know
    what is `told`, by names with a suffix. Lists that are written out take the driver's bindings a third less than
    lists of whatever comes. The driver has strides from the second dimension on, and channels before pixels."""
    address, extents, strides, rest = numbers[0], numbers[1:rank + 1], numbers[rank + 1:2 * rank], numbers[2 * rank:]
    own = Told._make(name + suffix for name in Told._fields)
    longs = [list_of(f"{own.long}({n})" for n in each) for each in (extents, strides or [0])]  # drivers look at one
    if mode == "tile":
        more = [own.box, own.box_steps, own.interleave, own.swizzle]
    else:
        steps, lower, upper = rest[:rank], rest[rank:2 * rank - 2], rest[2 * rank - 2:]
        corners = [each[0] if mode != "im2col" else list_of(each) for each in (lower, upper)]
        more = [*corners, own.channels, own.pixels, list_of(f"{own.word}({n})" for n in steps), own.interleave,
                *([] if mode == "im2col" else [own.wide]), own.swizzle]
    arguments = [own.kind, rank, address, *longs, *more, own.promotion, own.fill]
    return [f"result, encoded = {own.call}({', '.join(map(str, arguments))})",
            f"if result or {own.clears}:", f"    {own.finish}(result, encoded)",
            f"if len({own.known}) >= {own.most}:", f"    {own.known}.clear()",
            f"{own.known}[{key}] = {made} = encoded, encoded.getPtr()"]


def _each(name: str, count: int) -> List[str]:
    return [f"{name}{i}" for i in range(count)]


def encode(driver: Any, request: rules.MapRequest) -> Made:
    return encoder(request, told(driver, request, {}, 1))(request.varying())


def _clear_wide_addresses(made: Any) -> None:
    """Drivers set bit 85 of maps for Blackwell, a mode that reads up to 128 KiB from the tensor's address;
    smaller allocations then fault now and then."""
    ctypes.c_uint64.from_address(made.getPtr() + 8).value &= ~(1 << 21)


def bytes_of(made: Made) -> bytes:
    return ctypes.string_at(made[1], _SIZE)
