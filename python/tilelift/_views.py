# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Somebody's array as an address, a shape, strides and a type: what a tensor map is made of.

PyTorch and JAX are read through DLPack, CuPy and Numba through __cuda_array_interface__; a View says
all of it by hand. Shapes are row-major here, strides are bytes. Whatever keeps the memory is kept.
"""
from __future__ import annotations

import ctypes
from typing import Any, List, Optional, Sequence, Tuple

from . import rules
from ._dtypes import DType, element_of

# DLPack's kinds of devices: memory of the device, of the host for the device, managed.
_ON_DEVICE, _PINNED, _MANAGED = 2, 3, 13
_BY_CODE = {(0, 32): "i32", (0, 64): "i64", (1, 8): "u8", (1, 16): "u16", (1, 32): "u32", (1, 64): "u64",
            (2, 16): "f16", (2, 32): "f32", (2, 64): "f64", (4, 16): "bf16"}
_BY_TYPESTR = {"i4": "i32", "i8": "i64", "u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64", "f2": "f16", "f4": "f32",
               "f8": "f64"}


def chosen(name: str, value: Any, allowed: Sequence[Any]) -> Any:
    """One of those that there are; what only compares equal to one is none."""
    if isinstance(value, bool) or not isinstance(value, type(allowed[0])):
        raise TypeError(f"'{name}' is {value!r}, which is no {type(allowed[0]).__name__}")
    if value not in allowed:
        raise ValueError(f"'{name}' is {value!r}; there are {', '.join(map(str, allowed))}")
    return value


class View:
    """Memory of the device, by hand: `View(address, (rows, columns), "f32")`.

    dtype    "f32" and the like, or a type of NumPy, ml_dtypes, PyTorch or DLPack
    strides  bytes from one element to the next in each dimension; None where rows are dense. Of packed elements in a
             row, which have less than a byte, it is 1.
    owner    what keeps the memory, if anything does
    """

    def __init__(self, address: int, shape: Sequence[int], dtype: Optional[DType], strides: Optional[Sequence[int]] = None,
                 *, item_size: Optional[int] = None, item_bits: Optional[int] = None,
                 device: Optional[int] = None, owner: Any = None) -> None:
        self.address, self.shape = address, tuple(shape)
        dtype = element_of(dtype)
        self.dtype: Optional[str] = None if dtype is None else chosen("dtype", dtype, rules.ELEMENTS)
        # What an extent counts; extents of packed elements count those, not bytes.
        self.item_bits = item_bits or (8 * item_size if item_size is not None else rules.BITS.get(dtype or "", 8))
        self.item_size = max(self.item_bits // 8, 1)
        self.elements = dtype or f"of {self.item_size} bytes"  # in words
        self.strides = tuple(strides) if strides is not None else _dense(self.shape, self.item_bits)
        self.device, self.owner = device, owner
        if len(self.strides) != len(self.shape):
            raise ValueError(f"a tensor of {len(self.shape)} dimensions has {len(self.strides)} strides")


def _dense(shape: Tuple[int, ...], item_bits: int) -> Tuple[int, ...]:
    strides: List[int] = []
    elements = 1
    for extent in reversed(shape):
        strides.append(elements * item_bits // 8 if strides else max(item_bits // 8, 1))
        elements *= extent
    return tuple(reversed(strides))


class _DLDevice(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _DLDevice), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


def _of_dlpack(tensor: Any) -> View:
    kind, device = (int(part) for part in tensor.__dlpack_device__())
    if kind not in (_ON_DEVICE, _PINNED, _MANAGED):
        raise ValueError(f"the tensor is in memory that the device cannot reach (DLPack's kind {kind})")
    # -1: nobody waits for anything. A map is made of the address; what lies there is the launch's concern.
    capsule = tensor.__dlpack__(stream=-1) if kind == _ON_DEVICE else tensor.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    own = _DLTensor.from_address(pointer(capsule, b"dltensor"))
    if own.lanes != 1:
        raise ValueError(f"elements of {own.lanes} lanes have no type of TMA's")
    strides = [own.strides[i] * own.bits // 8 for i in range(own.ndim)] if own.strides else None
    if strides and own.bits < 8:
        strides[-1] = own.strides[own.ndim - 1]
    # The capsule frees the tensor when nobody has it any more: it is kept as it is.
    view = View((own.data or 0) + own.byte_offset, [own.shape[i] for i in range(own.ndim)],
                _BY_CODE.get((own.code, own.bits)), strides, item_bits=own.bits,
                device=device if kind == _ON_DEVICE else None, owner=(tensor, capsule))
    view.elements = view.dtype or f"of DLPack's code {own.code} and {own.bits} bits"
    return view


def _of_interface(tensor: Any) -> View:
    interface = tensor.__cuda_array_interface__
    typestr = interface["typestr"]
    item_size = int(typestr[2:].partition("[")[0])  # "<M8[ns]"
    # TMA fills, adds and compares what has its lowest byte first.
    dtype = None if typestr[0] == ">" and item_size > 1 else _BY_TYPESTR.get(typestr[1:])
    device = getattr(getattr(tensor, "device", None), "id", None)
    view = View(int(interface["data"][0]), interface["shape"], dtype, interface.get("strides"), item_size=item_size,
                device=device, owner=tensor)
    view.elements = dtype or repr(typestr)
    return view


def view_of(tensor: Any) -> View:
    if isinstance(tensor, View):
        return tensor
    if hasattr(tensor, "__cuda_array_interface__"):
        return _of_interface(tensor)
    if hasattr(tensor, "__dlpack__"):
        return _of_dlpack(tensor)
    raise TypeError(f"a {type(tensor).__name__} is no tensor: it has neither __dlpack__ nor __cuda_array_interface__; "
                    "tilelift.View says by hand where memory is")
