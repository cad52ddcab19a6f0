# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The driver as the rest of the package calls it: cuda.bindings.driver, or what stands for it.

Results come as tuples with the error first; here an error becomes an exception that says which call
of what failed, and the tuple becomes its one result.
"""
from __future__ import annotations

import ctypes
import functools
from typing import Any, Optional, Tuple

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


class Encoder:
    """Makes the maps of a request that breaks no rule, at any address: the first by its numbers, others
    from that by their address, which takes the driver less. Strides start with the second dimension, and
    channels come before pixels."""

    def __init__(self, driver: Any, request: rules.MapRequest) -> None:
        kind, interleave, swizzle, promotion, fill = _enumerations(
            driver, request.element, request.interleave, request.swizzle, request.promotion, request.fill)
        long, word = driver.cuuint64_t, driver.cuuint32_t
        extents = [long(d.extent) for d in request.dimensions]
        # Drivers look at the array even where there is no stride.
        strides = [long(d.stride) for d in request.dimensions[1:]] or [long(0)]
        steps = [word(d.step) for d in request.dimensions]
        self.capability, self.what = request.capability, f"the map of '{request.tile}'"
        self.head, self.middle = (kind, request.rank), (extents, strides)
        if request.mode == "tile":
            self.name = "cuTensorMapEncodeTiled"
            box = [word(n) for n in request.box]
            self.tail = (box, steps, interleave, swizzle, promotion, fill)
        elif request.mode == "im2col":
            self.name = "cuTensorMapEncodeIm2col"
            self.tail = (list(request.lower), list(request.upper), request.channels, request.pixels, steps, interleave,
                         swizzle, promotion, fill)
        else:
            self.name = "cuTensorMapEncodeIm2colWide"
            mode = _member(driver, "CUtensorMapIm2ColWideMode", "CU_TENSOR_MAP_IM2COL_WIDE_MODE_", request.mode.upper())
            self.tail = (request.lower[0], request.upper[0], request.channels, request.pixels, steps, interleave, mode,
                         swizzle, promotion, fill)
        self.encode = function_of(driver, self.name, self.what)
        self.driver = driver
        self.first: Optional[MapBytes] = None

    def __call__(self, address: int) -> "MapBytes":
        if self.first is not None:
            return self.first.at(address, self.driver, self.what, self.capability)
        result = self.encode(*self.head, address, *self.middle, *self.tail)
        if result[0]:
            raise DriverError(self.name, self.what, result[0])
        self.first = MapBytes(result[1], self.capability)
        return self.first


def encode(driver: Any, request: rules.MapRequest) -> "MapBytes":
    return Encoder(driver, request)(request.address)


class MapBytes:
    """The 128 bytes of a map, where the driver has put them, to pass to a kernel by value."""

    SIZE = 128
    __slots__ = ("_made", "address")

    def __init__(self, made: Any, capability: int) -> None:
        self._made, self.address = made, int(made.getPtr())
        if capability >= 100:
            self.clear_wide_addresses()

    def at(self, address: int, driver: Any, what: str, capability: int) -> "MapBytes":
        """The same map of another tensor; this one stays as it is."""
        made = driver.CUtensorMap()
        ctypes.memmove(int(made.getPtr()), self.address, self.SIZE)
        result = driver.cuTensorMapReplaceAddress(made, address)
        if result[0]:
            raise DriverError("cuTensorMapReplaceAddress", what, result[0])
        return MapBytes(made, capability)

    def clear_wide_addresses(self) -> None:
        """Drivers set bit 85 of maps for Blackwell, a mode that reads up to 128 KiB from the
        tensor's address; smaller allocations then fault now and then."""
        ctypes.c_uint64.from_address(self.address + 8).value &= ~(1 << 21)

    def __bytes__(self) -> bytes:
        return ctypes.string_at(self.address, self.SIZE)
