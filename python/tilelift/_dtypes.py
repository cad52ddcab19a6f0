# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of elements, as NumPy, ml_dtypes, PyTorch and DLPack have them, in TMA's words.

None of these packages is imported: their types are known by the names that they have themselves.
"""
from __future__ import annotations

from typing import Any, Union

# TMA moves numbers of 8 bits as bytes, whatever their format is.
_BY_NAME = {"int8": "u8", "uint8": "u8", "bool": "u8", "int16": "u16", "uint16": "u16", "int32": "i32", "uint32": "u32",
            "int64": "i64", "uint64": "u64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
            "float8_e4m3": "u8", "float8_e4m3fn": "u8", "float8_e4m3fnuz": "u8", "float8_e4m3b11fnuz": "u8",
            "float8_e3m4": "u8", "float8_e5m2": "u8", "float8_e5m2fnuz": "u8", "float8_e8m0fnu": "u8"}
# DLPack's codes (int, uint, float, bfloat), each with the number of bits.
_BY_CODE = {(0, 8): "u8", (0, 16): "u16", (0, 32): "i32", (0, 64): "i64", (1, 8): "u8", (1, 16): "u16", (1, 32): "u32",
            (1, 64): "u64", (2, 16): "f16", (2, 32): "f32", (2, 64): "f64", (4, 16): "bf16"}

# What is taken for a type: "f32", numpy.float32, numpy.dtype("f4"), ml_dtypes.bfloat16, torch.float16, or DLPack's
# (code, bits) and (code, bits, lanes).
DType = Union[str, Any]


def element_of(dtype: DType) -> Any:
    """TMA's name of a type that another package has; anything else is given back as it is."""
    if isinstance(dtype, str) or dtype is None:
        return dtype
    if isinstance(dtype, tuple):
        return _BY_CODE.get(dtype[:2], dtype) if dtype[2:] in ((), (1,)) else dtype
    # numpy.dtype has a name, numpy.float32 and ml_dtypes.bfloat16 are classes, torch.float32 is "torch.float32".
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype).rpartition(".")[2]
    return _BY_NAME.get(str(name), dtype)
