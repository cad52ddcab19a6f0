# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A way to start a kernel: one of its two versions, with one block and one set of attributes.

What a launch passes lies in memory that later launches use again, and so does its configuration, of which
only what differs is written. The lines that start a kernel are part of two functions: of Way.start, and of the
one that judges a launch and starts it (_judge.py), which so is one call. They look at no rule.
"""
from __future__ import annotations

import ctypes
import struct
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from ._driver import DriverError, Made
from ._source import defined, enclosing


class Kept(NamedTuple):
    """Memory that stays in L2 while a kernel runs."""
    address: int
    size: int
    share: float
    tensor: str

    def __str__(self) -> str:
        return f", keeps {self.size} bytes of '{self.tensor}' in L2"

    def attribute(self, driver: Any) -> Any:
        """Of one launch alone, so that nothing of the stream's has to be set back."""
        made = driver.CUlaunchAttribute()
        made.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
        value = made.value
        window = value.accessPolicyWindow
        window.base_ptr, window.num_bytes, window.hitRatio = self.address, self.size, self.share
        window.hitProp = driver.CUaccessProperty.CU_ACCESS_PROPERTY_PERSISTING
        window.missProp = driver.CUaccessProperty.CU_ACCESS_PROPERTY_STREAMING
        value.accessPolicyWindow = window
        made.value = value
        return made


def bound(name: str, parameters: str, lines: Sequence[str]) -> str:
    """The source of `of_way`, which makes such a function for a way: one that has lines of `starting`."""
    return enclosing("of_way", "free, fresh, fail, pack, first, launch_kernel, handle, single", name, parameters, lines)


def starting(passed: str, *before: str, unfit: str = "raise") -> List[str]:
    """Starts the kernel with a grid of `gx`, `gy`, `gz` on a `stream`; `unfit` is what becomes of what cannot be packed.
    Who launches takes a block and puts it back: several threads may."""
    return ["try:",
            "    own = free.pop()",
            "except IndexError:",
            "    own = fresh()",
            "try:",
            f"    pack(own.memory, first, {passed})",
            "except Exception:",
            "    free.append(own)",
            f"    {unfit}",
            *(line for axis in "xyz" for line in (
                f"if g{axis} != own.{axis}:", f"    own.{axis} = own.config.gridDim{axis.upper()} = g{axis}")),
            "if stream is not own.stream:",
            "    own.config.hStream = own.stream = stream",
            *before,
            "result = launch_kernel(own.config, handle, own.address, 0)",
            "free.append(own)",
            "if result[0]:",
            "    fail(result[0])"]


_START = defined("the start of a kernel", bound("start", "g, passed, stream, kept", [
    "gx, gy, gz = g", *starting("*passed", "if kept != own.kept:", "    own.keep(kept)")]), {})["of_way"]


def never(*_: Any) -> None:
    """Of what is ruled out, or has to be asked more about, whatever the arguments are."""


class Way:
    def __init__(self, kernels: Any, entry: str, block: Sequence[int], shared: int, attributes: Tuple[Any, ...],
                 formats: Sequence[str], maps: int) -> None:
        self._kernels, self._entry, self._block, self._shared = kernels, entry, block, shared
        self._attributes, self._layout = attributes, _Layout(formats, maps)
        self._free: List[_Block] = []
        self._start: Callable[[Any, Sequence[Any], Any, Optional[Kept]], None] = self.bind(_START)

    def start(self, grid: Any, maps: Sequence[Made], values: Sequence[Any], stream: Any, kept: Optional[Kept]) -> None:
        self._start(grid, (*(address for _, address in maps), *values), stream, kept)

    def bind(self, of_way: Callable[..., Any], single: Optional[Callable[..., Any]] = None) -> Any:
        """A function that starts it; `single` does where the grid has no whole clusters."""
        return of_way(self._free, self._fresh, self._fail, self._layout.passed.pack_into, self._layout.first,
                      self._kernels.driver.cuLaunchKernelEx, self._kernels[self._entry], single)

    def _fresh(self) -> _Block:
        if self._shared > 0:
            self._kernels.allow(self._entry, self._shared)
        return _Block(self._kernels.driver, self._block, self._shared, self._attributes, self._layout)

    def _fail(self, result: Any) -> None:
        raise DriverError("cuLaunchKernelEx", f"'{self._entry}'", result)


class _Layout:
    """What a kernel takes, in memory: pointers to its arguments, pointers to maps, the arguments one behind the
    other. A launch writes all but the first."""

    def __init__(self, formats: Sequence[str], maps: int) -> None:
        self.first = 8 * len(formats)
        self.passed = struct.Struct("=" + "Q" * maps + "".join(formats))
        self.size = self.first + self.passed.size
        self.places = [self.first + struct.calcsize("=" + "Q" * maps + "".join(formats[:i]))
                       for i in range(len(formats))]


class _Block:
    """What one launch passes, in memory, and its configuration."""

    __slots__ = ("memory", "address", "driver", "attributes", "config", "x", "y", "z", "stream", "kept")

    def __init__(self, driver: Any, block: Sequence[int], shared: int, attributes: Tuple[Any, ...], layout: _Layout
                 ) -> None:
        self.memory = ctypes.create_string_buffer(max(layout.size, 1))
        self.address = ctypes.addressof(self.memory)
        for i, place in enumerate(layout.places):
            struct.pack_into("=Q", self.memory, 8 * i, self.address + place)
        self.driver, self.attributes = driver, attributes
        self.config = config = driver.CUlaunchConfig()
        self.x = self.y = self.z = 0
        config.blockDimX, config.blockDimY, config.blockDimZ = block
        config.sharedMemBytes = shared
        config.hStream = self.stream = 0
        self.kept: Optional[Kept] = None
        self.keep(None)

    def keep(self, kept: Optional[Kept]) -> None:
        attributes = [*self.attributes, *([kept.attribute(self.driver)] if kept else [])]
        if attributes or self.kept:
            self.config.attrs, self.config.numAttrs = attributes, len(attributes)
        self.kept = kept
