# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The driver as the rest of the package calls it: cuda.bindings.driver, or what stands for it.

Results come as tuples with the error first; here an error becomes an exception that says which call
of what failed, and the tuple becomes its one result.
"""
from __future__ import annotations

import ctypes
import functools
from typing import Any, Callable, Sequence, Tuple

from . import rules

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


def encoder(driver: Any, request: rules.MapRequest) -> Callable[..., Made]:
    """Makes the maps of all requests that differ from this one in nothing but their address, extents, strides
    and, of pixels, element strides and corners, which are what it takes. The driver has strides from the
    second dimension on, and channels before pixels."""
    kind, interleave, swizzle, promotion, fill = _enumerations(driver, request.element, request.interleave,
                                                               request.swizzle, request.promotion, request.fill)
    rank, what, clears = request.rank, f"the map of '{request.tile}'", request.capability >= 100
    long, word = driver.cuuint64_t, driver.cuuint32_t
    nothing = (0,)  # drivers look at strides even where there is none
    box, steps_of_box = [word(n) for n in request.box], [word(d.step) for d in request.dimensions]
    is_wide = request.mode in ("w", "w128")
    wide = [_member(driver, "CUtensorMapIm2ColWideMode", "CU_TENSOR_MAP_IM2COL_WIDE_MODE_", request.mode.upper())
            ] if is_wide else []
    name = ("cuTensorMapEncodeTiled" if request.mode == "tile" else "cuTensorMapEncodeIm2colWide" if is_wide
            else "cuTensorMapEncodeIm2col")
    encode = function_of(driver, name, what)

    def tiled(address: int, extents: Sequence[int], strides: Sequence[int]) -> Made:
        result, made = encode(kind, rank, address, [long(n) for n in extents], [long(n) for n in strides or nothing],
                              box, steps_of_box, interleave, swizzle, promotion, fill)
        return finish(result, made) if result or clears else (made, made.getPtr())

    def pixels(address: int, extents: Sequence[int], strides: Sequence[int], steps: Sequence[int], lower: Sequence[int],
               upper: Sequence[int]) -> Made:
        corners = (lower[0], upper[0]) if is_wide else (list(lower), list(upper))
        result, made = encode(kind, rank, address, [long(n) for n in extents], [long(n) for n in strides], *corners,
                              request.channels, request.pixels, [word(n) for n in steps], interleave, *wide, swizzle,
                              promotion, fill)
        return finish(result, made) if result or clears else (made, made.getPtr())

    def finish(result: Any, made: Any) -> Made:
        if result:
            raise DriverError(name, what, result)
        _clear_wide_addresses(made)
        return made, made.getPtr()

    return tiled if request.mode == "tile" else pixels


def encode(driver: Any, request: rules.MapRequest) -> Made:
    own = request.dimensions
    numbers = [request.address, [d.extent for d in own], [d.stride for d in own[1:]]]
    if request.mode != "tile":
        numbers += [[d.step for d in own], request.lower, request.upper]
    return encoder(driver, request)(*numbers)


def _clear_wide_addresses(made: Any) -> None:
    """Drivers set bit 85 of maps for Blackwell, a mode that reads up to 128 KiB from the tensor's address;
    smaller allocations then fault now and then."""
    ctypes.c_uint64.from_address(made.getPtr() + 8).value &= ~(1 << 21)


def bytes_of(made: Made) -> bytes:
    return ctypes.string_at(made[1], _SIZE)
