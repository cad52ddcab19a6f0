# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch is given, as a kernel takes it: addresses, numbers, and objects by their bytes.

What is none of these is refused here, in words that name the kernel and its argument. What a plan asks of them is
not asked here.
"""
from __future__ import annotations

import ctypes
import functools
import operator
import re
import reprlib
import struct
from typing import Any, Callable, Optional, Protocol, SupportsBytes, SupportsFloat, SupportsIndex, SupportsInt, Tuple, Union

_FORMATS = {"pointer": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
            "f32": "f", "f64": "d"}
_FLOATS = ("f32", "f64")
# What always fits, but for integers, whose kind says it.
_LIMITS = {"pointer": (0, (1 << 64) - 1), "f32": (-(2. ** 127), 2. ** 127), "f64": (-(2. ** 1023), 2. ** 1023)}
_Kind = Union[str, int]
Argument = Tuple[str, _Kind]


class _OfPyTorch(Protocol):
    def data_ptr(self) -> int: ...


class _OfCuda(Protocol):
    @property
    def __cuda_array_interface__(self) -> Any: ...


# What type checkers let a caller give for a parameter of each kind; what is given is looked at all the same.
Pointer = Union[None, SupportsIndex, SupportsInt, ctypes.c_void_p, _OfPyTorch, _OfCuda]
Integer = SupportsIndex
Floating = Union[SupportsFloat, SupportsIndex]
Object = Union[bytes, bytearray, memoryview, ctypes.Structure, ctypes.Union, SupportsBytes, SupportsInt]


def described(kind: _Kind) -> str:
    """The name of the type of what is given for a parameter of this kind."""
    return "Pointer" if kind == "pointer" else "Floating" if kind in _FLOATS else "Object" if is_object(kind) else "Integer"


def bounds_of(kind: _Kind) -> Optional[Tuple[int, int]]:
    """What an integer argument holds; nothing where it is none."""
    found = re.fullmatch("([iu])(8|16|32|64)", str(kind))
    if found is None:
        return None
    bits = int(found[2])
    return (0, (1 << bits) - 1) if found[1] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def is_object(kind: _Kind) -> bool:
    """Passed as bytes, of which expressions name members."""
    return kind not in ("pointer", *_FLOATS) and bounds_of(kind) is None


def address_of(value: Any, what: str = "an argument") -> int:
    """Where memory of the device is: a number, or somebody's array. Null is none."""
    if value.__class__ is int:
        number: int = value
        return number
    if value is None:
        return 0
    pointer = getattr(value, "data_ptr", None)
    if pointer is not None and not isinstance(value, type):  # PyTorch
        said = pointer()
        return said if said.__class__ is int else _address_in(said, what, "data_ptr")
    if hasattr(value, "__cuda_array_interface__") and not isinstance(value, type):  # CuPy, Numba
        return _address_in(value.__cuda_array_interface__["data"][0], what, "__cuda_array_interface__")
    if isinstance(value, ctypes.c_void_p):
        return value.value or 0
    found = None if isinstance(value, bool) else _whole(value)
    if found is None:
        raise TypeError(f"{what} is {_shown(value)}, which is no address: that is a whole number, or an object that has "
                        "data_ptr() or __cuda_array_interface__")
    return found


def _address_in(said: Any, what: str, who: str) -> int:
    """What an object says, which is a whole number and nothing that becomes one."""
    found = None if isinstance(said, bool) else _whole(said)
    if found is None:
        raise TypeError(f"{what}: {who} says {_shown(said)}, which is no address")
    return found


def _whole(value: Any) -> Optional[int]:
    """What is a whole number, or says that it stands for one: handles and pointers convert to int, and to nothing
    else, where floating-point numbers and arrays convert to both."""
    kind = type(value)
    try:
        return int(operator.index(value))
    except TypeError:
        return int(value) if hasattr(kind, "__int__") and not hasattr(kind, "__float__") else None


def _shown(value: Any) -> str:
    return reprlib.repr(value)


def _whole_number(what: str, value: Any) -> int:
    if value.__class__ is int:
        number: int = value
        return number
    try:
        return int(operator.index(value))
    except TypeError:
        raise TypeError(f"{what} is {_shown(value)}, which is no whole number") from None


def _number(what: str, value: Any) -> Any:
    if value.__class__ is float or value.__class__ is int:
        return value
    try:
        if hasattr(value, "__float__") or hasattr(value, "__index__"):  # text is no number
            return float(value)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{what} is {_shown(value)}, which is no number")


def _bytes_of(what: str, size: int, value: Any) -> bytes:
    """A structure of ctypes, a tensor map, or bytes; a number where it is one in C++."""
    is_bytes = isinstance(value, (bytes, bytearray, memoryview, ctypes.Structure, ctypes.Union))
    if is_bytes or hasattr(value, "__bytes__") and not isinstance(value, int):
        raw = bytes(value)
        if len(raw) != size:
            raise TypeError(f"{what} has {len(raw)} bytes, the kernel takes {size}")
        return raw
    number = _whole(value)
    if number is None:
        raise TypeError(f"{what} is {_shown(value)}, which are no {size} bytes: a ctypes.Structure, bytes, a tensor map, "
                        "or a whole number")
    try:
        return number.to_bytes(size, "little", signed=number < 0)
    except OverflowError:
        raise OverflowError(f"{what} is {number}, which {size} bytes do not hold") from None


class Parameter:
    """One of a kernel's: `passed` makes of what is given for it what `format` packs, and `quick` does as well, but where
    that fails, it does not say for what."""

    def __init__(self, kernel: str, name: str, kind: _Kind) -> None:
        self.name, self.kind, self.what = name, kind, f"{kernel}(): '{name}'"
        if not isinstance(kind, int) and kind not in _FORMATS:
            raise ValueError(f"{self.what} is of kind {kind!r}; there are {', '.join(_FORMATS)}, and the size of an object")
        self.is_object = is_object(kind)
        self.format = f"{kind}s" if self.is_object else _FORMATS[str(kind)]
        self.limits = bounds_of(kind) or _LIMITS.get(str(kind), (0, 0))
        self.passed: Callable[[Any], Any] = (
            functools.partial(_bytes_of, self.what, int(kind)) if self.is_object else
            functools.partial(address_of, what=self.what) if kind == "pointer" else
            functools.partial(_number if kind in _FLOATS else _whole_number, self.what))
        self.quick = address_of if kind == "pointer" else self.passed

    def refuse(self, value: Any) -> None:
        """Raises what is wrong with it, if anything is."""
        try:
            self.passed(value)
        except Exception as problem:  # a tensor without memory, a map of another context
            if str(problem).startswith(self.what):
                raise
            kind = "" if type(problem) is RuntimeError else type(problem).__name__ + ": "
            raise RuntimeError(f"{self.what}: {kind}{problem}") from problem

    def check(self, value: Any) -> None:
        """Whether it holds a number that leaves the limits, as floating-point infinity does."""
        try:
            struct.pack("=" + self.format, value)
        except (OverflowError, struct.error):
            raise OverflowError(f"{self.what} is {value}, which no {self.kind} holds") from None


class Opaque:
    """An object of which nobody has said what its bytes mean."""

    def __init__(self, parameter: Parameter) -> None:
        self._parameter = parameter

    def __getattr__(self, member: str) -> Any:
        own = self._parameter
        raise TypeError(f"{own.what} is given as bytes, and the launch depends on '{own.name}.{member}': give a "
                        "ctypes.Structure")
