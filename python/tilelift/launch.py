# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What launchers that `tilelift --emit=python` writes are made of.

    kernels = load(image, module.function_names)
    module.blur(kernels, (8, 64), out, in_, w, h, stream=stream)

A launch is checked by the rules that are left to check; if they hold, its tensor maps are encoded
and the lifted kernel starts, else the plain one does. What is decided depends on nothing but the
numbers that are passed, so that the same numbers are checked once, wherever the tensors are, and the same
map is encoded once. Several launches may
be collected first and then made together:

    with Dispatch() as dispatch:
        module.blur(kernels, grid, a, b, w, h, into=dispatch)
        module.blur(kernels, grid, b, a, w, h, into=dispatch)

TILELIFT_DISABLE=1 runs every plain kernel, TILELIFT_VERBOSE=1 prints what each launch did and why.
"""
from __future__ import annotations

import ctypes
import os
import struct
import sys
from typing import Any, Callable, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import rules
from ._driver import DriverError, Encoder, MapBytes, bindings, call

__all__ = ["Dispatch", "DriverError", "Kernel", "Kernels", "Launch", "PersistingL2", "Range", "Refused", "between",
           "counted", "load", "quotient", "remainder"]


class Refused(RuntimeError):
    """A kernel whose pragma says `fallback(error)` cannot use TMA for these arguments."""


# Numbers over all blocks of a grid.

class Range:
    """All whole numbers between two, which sums and products of ranges keep to."""

    __slots__ = ("low", "high")

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    @staticmethod
    def of(value: "Number") -> "Range":
        return value if isinstance(value, Range) else Range(value, value)

    def __add__(self, other: "Number") -> "Range":
        other = Range.of(other)
        return Range(self.low + other.low, self.high + other.high)

    def __neg__(self) -> "Range":
        return Range(-self.high, -self.low)

    def __sub__(self, other: "Number") -> "Range":
        return self + -Range.of(other)

    def __rsub__(self, other: "Number") -> "Range":
        return Range.of(other) - self

    def __mul__(self, other: "Number") -> "Range":
        if isinstance(other, int):
            low, high = self.low * other, self.high * other
            return Range(low, high) if low <= high else Range(high, low)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Range(min(ends), max(ends))

    __radd__, __rmul__ = __add__, __mul__


Number = Union[int, Range]


def between(low: int, high: int) -> Range:
    return Range(low, high)


def counted(first: int, below: int, step: int) -> Range:
    """The numbers that a loop counter takes; of a loop without rounds, the first."""
    return Range(first, first + (below - first - 1) // step * step if below > first else first)


def quotient(a: int, b: int) -> int:
    """As C++ divides; what the plain kernel might never divide by, nobody does."""
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    return 0 if b == 0 else a - quotient(a, b) * b


# Arguments.

_FORMATS = {"pointer": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
            "f32": "f", "f64": "d"}
_FLOATS = ("f32", "f64")
Argument = Tuple[str, Union[str, int]]


def address_of(value: Any) -> int:
    """Where memory of the device is: a number, or somebody's array."""
    if isinstance(value, int):
        return value
    if value is None:
        return 0
    if hasattr(value, "data_ptr"):  # PyTorch
        return int(value.data_ptr())
    if hasattr(value, "__cuda_array_interface__"):  # CuPy, Numba
        return int(value.__cuda_array_interface__["data"][0])
    if isinstance(value, ctypes.c_void_p):
        return value.value or 0
    return int(value)


def _bytes_of(name: str, size: int, value: Any) -> bytes:
    """An object, by value: a structure of ctypes, a tensor map, or bytes; a number where it is one in C++."""
    is_number = isinstance(value, int) or not (hasattr(value, "__bytes__") or isinstance(
        value, (bytearray, memoryview, ctypes.Structure, ctypes.Union)))
    raw = int(value).to_bytes(size, "little") if is_number else bytes(value)
    if len(raw) != size:
        raise TypeError(f"'{name}' has {len(raw)} bytes, the kernel takes {size}")
    return raw


def _check_number(name: str, kind: str, value: int) -> None:
    bits = int(kind[1:])
    low, high = (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
    if not low <= value <= high:
        raise OverflowError(f"'{name}' is {value}, which no {kind} holds")


class Pointer(NamedTuple):
    """An argument that leads to memory, while nobody asks where."""
    argument: int


class Opaque:
    """An object of which nobody has said what its bytes mean."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, member: str) -> Any:
        raise TypeError(f"'{self._name}' is given as bytes, and the launch depends on '{self._name}.{member}': give a "
                        "ctypes.Structure")


# Kernels that are loaded.

class Kernels(Mapping[str, Any]):
    """Handles of kernels by their entry names, on one device, and what is known of them."""

    def __init__(self, handles: Mapping[str, Any], driver: Any = None, library: Any = None) -> None:
        self.driver = driver if driver is not None else bindings()
        self.library = library
        self._handles = {name: self._as_function(name, handle) for name, handle in handles.items()}
        self.device = call(self.driver, "cuCtxGetDevice", "the current context")
        self.capability = 10 * self._attribute("COMPUTE_CAPABILITY_MAJOR") + self._attribute("COMPUTE_CAPABILITY_MINOR")
        self._architectures: dict[str, int] = {}
        self._allowed: dict[str, int] = {}
        self.decisions: dict[Any, _Decision] = {}
        self.ways: dict[Any, _Way] = {}

    def __getitem__(self, entry: str) -> Any:
        try:
            return self._handles[entry]
        except KeyError:
            raise KeyError(f"no kernel '{entry}'; available are {', '.join(sorted(self._handles)) or 'none'}") from None

    def __iter__(self) -> Any:
        return iter(self._handles)

    def __len__(self) -> int:
        return len(self._handles)

    def _as_function(self, name: str, handle: Any) -> Any:
        is_kernel = type(handle).__name__ == "CUkernel"
        return call(self.driver, "cuKernelGetFunction", f"'{name}'", handle) if is_kernel else handle

    def _attribute(self, name: str) -> int:
        attribute = getattr(self.driver.CUdevice_attribute, "CU_DEVICE_ATTRIBUTE_" + name)
        return int(call(self.driver, "cuDeviceGetAttribute", name, attribute, self.device))

    def _fact(self, entry: str, name: str) -> int:
        attribute = getattr(self.driver.CUfunction_attribute, "CU_FUNC_ATTRIBUTE_" + name)
        return int(call(self.driver, "cuFuncGetAttribute", f"'{entry}'", attribute, self[entry]))

    def architecture_of(self, entry: str) -> int:
        """What the code is compiled for, 90 or 100."""
        if entry not in self._architectures:
            self._architectures[entry] = self._fact(entry, "PTX_VERSION")
        return self._architectures[entry]

    def room_in(self, entry: str) -> int:
        """Bytes of dynamic shared memory that a block of it can have."""
        return self._attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN") - self._fact(entry, "SHARED_SIZE_BYTES")

    def allow(self, entry: str, size: int) -> None:
        """Lets it have so many bytes of dynamic shared memory, where it needs to be asked for."""
        if size <= self._allowed.get(entry, 0):
            return
        attribute = self.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        call(self.driver, "cuFuncSetAttribute", f"{size} bytes of shared memory for '{entry}'", self[entry], attribute,
             size)
        self._allowed[entry] = size

    def window_bytes(self) -> int:
        """How much memory one launch can keep in L2."""
        return self._attribute("MAX_ACCESS_POLICY_WINDOW_SIZE")

    def fits_at_once(self, entry: str, blocks: int, threads: int, shared: int) -> bool:
        each = int(call(self.driver, "cuOccupancyMaxActiveBlocksPerMultiprocessor", f"'{entry}'", self[entry], threads,
                        shared))
        return blocks <= each * self._attribute("MULTIPROCESSOR_COUNT")

    def variable(self, name: str) -> int:
        """Where a variable of the device is."""
        if self.library is None:
            raise ValueError(f"where '{name}' is, only the library says that load() makes")
        return int(call(self.driver, "cuLibraryGetGlobal", f"'{name}'", self.library, name.encode())[0])


def load(image: bytes, names: Iterable[str], driver: Any = None) -> Kernels:
    """Kernels of a cubin or of PTX, by their entry names."""
    driver = driver if driver is not None else bindings()
    library = call(driver, "cuLibraryLoadData", "the device code", image, [], [], 0, [], [], 0)
    handles = {name: call(driver, "cuLibraryGetKernel", f"'{name}'", library, name.encode()) for name in names}
    return Kernels(handles, driver, library)


class PersistingL2:
    """Sets so many bytes of L2 aside, or as many as the device has for that, for what `persist` keeps there;
    afterwards as many as before. Setting them waits for all work of the device, and cannot be captured in a
    graph, so it belongs around a program's launches: no launcher does it."""

    def __init__(self, size: int, driver: Any = None) -> None:
        self.size, self.driver = size, driver if driver is not None else bindings()
        self._before: Optional[int] = None

    def __enter__(self) -> "PersistingL2":
        self._before = int(self._call("cuCtxGetLimit", "the L2 that is set aside", self._limit))
        device = self._call("cuCtxGetDevice", "the current context")
        attribute = self.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE
        most = int(self._call("cuDeviceGetAttribute", "the L2 that can be set aside", attribute, device))
        if most == 0:
            self._before = None
        else:
            self._call("cuCtxSetLimit", f"{min(self.size, most)} bytes of L2", self._limit, min(self.size, most))
        return self

    def __exit__(self, *_: Any) -> None:
        before, self._before = self._before, None
        if before is None:
            return
        try:
            self._call("cuCtxSetLimit", f"{before} bytes of L2, as before", self._limit, before)
        finally:
            self._call("cuCtxResetPersistingL2Cache", "what is kept in L2")

    @property
    def _limit(self) -> Any:
        return self.driver.CUlimit.CU_LIMIT_PERSISTING_L2_CACHE_SIZE

    def _call(self, name: str, what: str, *arguments: Any) -> Any:
        return call(self.driver, name, what, *arguments)


# One launch.

class Dim3(NamedTuple):
    x: int
    y: int
    z: int

    @staticmethod
    def of(shape: Union[int, Sequence[int]], what: str) -> "Dim3":
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        if not 1 <= len(sizes) <= 3 or any(not isinstance(n, int) or n < 1 for n in sizes):
            raise ValueError(f"the {what} is {shape!r}: it takes one to three positive numbers")
        return Dim3(*sizes, *(1,) * (3 - len(sizes)))

    def __str__(self) -> str:
        return f"{self.x} x {self.y} x {self.z}"


class Launch:
    """Collects what a launch breaks, and the maps that it needs."""

    def __init__(self, kernel: "Kernel", kernels: Kernels, grid: Dim3, block: Dim3) -> None:
        self.kernel, self.kernels, self.grid, self.block = kernel, kernels, grid, block
        self.violations: List[rules.Violation] = []
        self.tensors: List[_Tensor] = []
        self.window: Optional[_Window] = None

    def reject(self, rule: str, text: str) -> None:
        self.violations.append(rules.Violation(rule, text))

    def block_index(self, axis: int) -> Range:
        return Range(0, self.grid[axis] - 1)

    @property
    def is_blackwell(self) -> bool:
        return self.kernels.architecture_of(self.kernel.lifted_entry) >= 100

    def require(self, rule: str, value: Number, low: Optional[int], high: Optional[int], text: str) -> None:
        first, last = (value, value) if isinstance(value, int) else (value.low, value.high)
        if (low is None or first >= low) and (high is None or last <= high):
            return
        if low == high and first == last:
            self.reject(rule, f"{text} is {first} instead of {low}")
        else:
            most = (1 << 63) - 1
            self.reject(rule, f"{text} leaves its range of {-most if low is None else low} to "
                              f"{most if high is None else high}")

    def require_line(self, rule: str, value: Number, low: Optional[int], high: Optional[int], text: str) -> None:
        if not self.is_blackwell:
            self.require(rule, value, low, high, text)

    def require_multiple(self, rule: str, value: int, multiple: int, text: str) -> None:
        if value % multiple:
            self.reject(rule, f"{text} is {value}, which is no multiple of {multiple}")

    def require_fours(self, tile: str, distance: int) -> None:
        if not self.is_blackwell:
            self.reject("row-start", f"rows of '{tile}' are {distance} bytes apart, and only from compute capability "
                                     "10.0 on are four of them copied at once; each by itself starts on a multiple of "
                                     "128")

    @staticmethod
    def end_of(starts: Number, length: int) -> int:
        return min(max(Range.of(starts).high + length, 1), rules.MAX_EXTENT)

    def variable(self, name: str) -> int:
        return self.kernels.variable(name)

    def persist(self, tensor: str, share: float) -> None:
        """This tensor stays in L2 while the kernel runs, or that share of it; said ahead of its maps."""
        self.window = _Window(tensor, share, self.kernels.window_bytes())

    def bulk(self, tile: str, tensor: str, address: Any) -> None:
        self._take(_Tensor(self.kernels.driver, address, 0, None, (tile, tensor)), rules.MAX_EXTENT)

    def tiled(self, map_name: str, tile: str, tensor: str, element: str, address: Any, offset: int,
              box: Tuple[int, ...], extents: Sequence[Tuple[Any, ...]], swizzle: int = 0, promotion: int = 128) -> None:
        self._add(address, offset, rules.MapRequest("tile", tile, tensor, element, 16,
                                                    tuple(self._dimension(e) for e in extents), box=box,
                                                    swizzle=_swizzle(swizzle), promotion=promotion))

    def pixels(self, map_name: str, tile: str, tensor: str, element: str, address: Any, offset: int,
               box: Tuple[int, int], extents: Sequence[Tuple[Any, ...]], swizzle: int = 0, promotion: int = 128,
               in_lines: bool = False) -> None:
        wide = in_lines and self.is_blackwell
        dimensions = [self._dimension(e) for e in extents]
        corners = []
        for d in range(1, len(extents) - 1):
            if wide and d > 1:  # where the line is, the instruction says
                corners.append((0, 0, "", ""))
                continue
            dimensions[d], *corner = _walked(dimensions[d], extents[d], len(extents))
            corners.append(tuple(corner))
        lower, upper, lower_text, upper_text = zip(*corners)
        self._add(address, offset, rules.MapRequest("w" if wide else "im2col", tile, tensor, element, 16,
                                                    tuple(dimensions), channels=box[0], pixels=box[1], lower=lower,
                                                    upper=upper, lower_text=lower_text, upper_text=upper_text,
                                                    swizzle=_swizzle(swizzle), promotion=promotion))

    @staticmethod
    def _dimension(extent: Tuple[Any, ...]) -> rules.Dimension:
        elements, text, *stride = extent[:4]
        return rules.Dimension(rules.MAX_EXTENT if elements is None else elements, stride[0] if stride else 0,
                               extent_text=text, stride_text=stride[1] if stride else "")

    def _add(self, address: Any, offset: int, request: rules.MapRequest) -> None:
        # Which numbers a device takes is the driver's to say, but for what it needs of the request.
        request = request._replace(capability=self.kernels.capability)
        self.violations += rules.violations(request)
        reach = max(request.dimensions[0].extent * rules.BITS[request.element] // 8,
                    *(d.extent * d.stride for d in request.dimensions[1:]), 0)
        self._take(_Tensor(self.kernels.driver, address, offset, request, (request.tile, request.tensor)), reach)

    def _take(self, tensor: "_Tensor", reach: int) -> None:
        self.tensors.append(tensor)
        if self.window is not None and self.window.tensor == tensor.names[1]:
            self.window.parts.append((tensor, reach))


def _swizzle(span: int) -> str:
    return "none" if span == 0 else f"b{span}"


def _walked(own: rules.Dimension, extent: Tuple[Any, ...], rank: int) -> Tuple[rules.Dimension, int, int, str, str]:
    """Where the box of a pixel's first positions ends: after so many as there are. A tensor
    without an end goes as far as the filter may reach; only such a one may be endless."""
    count, step, step_text, first, first_text = extent[4:]
    reach = {3: 32768, 4: 128, 5: 16}[rank]
    last = None if count is None else first + (count - 1) * step
    if extent[0] is None and last is not None:
        own = own._replace(extent=last + 1 + reach, extent_text="as far as the filter reaches")
    upper = -reach if last is None else last + 1 - own.extent
    return own._replace(step=step, step_text=step_text), first, upper, first_text, ""


class _Tensor:
    """Where a copy goes, which each launch may say anew, and the map that leads there."""

    MOST_REMEMBERED = 256

    def __init__(self, driver: Any, address: Any, offset: int, request: Optional[rules.MapRequest],
                 names: Tuple[str, str]) -> None:
        self.argument = address.argument if isinstance(address, Pointer) else None
        self.fixed = 0 if isinstance(address, Pointer) else address_of(address)
        self.offset, self.request, self.names = offset, request, names
        self.alignment = rules.alignment_of(request) if request else 16
        self._encode = None if request is None else Encoder(driver, request)
        self._maps: dict[int, MapBytes] = {}

    def address(self, arguments: Sequence[Any]) -> int:
        return (self.fixed if self.argument is None else arguments[self.argument]) + self.offset

    def violations(self, address: int) -> List[rules.Violation]:
        if 0 < address < 1 << 57 and address % self.alignment == 0:
            return []
        tile, tensor = self.names
        return (rules.address_violations(address, self.alignment, tensor) if self.request
                else rules.bulk_violations(tile, tensor, address))

    def map_at(self, address: int) -> MapBytes:
        """The same numbers are the same map: it is made once."""
        made = self._maps.get(address)
        if made is None:
            assert self._encode is not None
            if len(self._maps) >= self.MOST_REMEMBERED:
                self._maps.clear()
            made = self._maps[address] = self._encode(address)
        return made


class _Window:
    """What of a tensor stays in L2: all that copies through it may touch, or as much as a window holds."""

    def __init__(self, tensor: str, share: float, most: int) -> None:
        self.tensor, self.share, self.most = tensor, share, most
        self.parts: List[Tuple[_Tensor, int]] = []

    def at(self, arguments: Sequence[Any]) -> "_Kept":
        places = [(tensor.address(arguments), reach) for tensor, reach in self.parts]
        begin = min(address for address, _ in places)
        end = max(address + reach for address, reach in places)
        return _Kept(begin, min(end - begin, self.most), self.share, self.tensor)


class _Kept(NamedTuple):
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


class _Way:
    """One of the two kernels, for one grid, block and set of attributes: how to start it."""

    def __init__(self, kernels: Kernels, entry: str, grid: Dim3, block: Dim3, shared: int, attributes: Sequence[Any],
                 layout: "_Layout", maps: int) -> None:
        self.kernels, self.driver, self.entry, self.handle = kernels, kernels.driver, entry, kernels[entry]
        self.grid, self.block, self.shared, self.attributes = grid, block, shared, tuple(attributes)
        self.layout, self.whole, self.maps = layout, layout.whole, maps
        self.count = len(layout.places)
        self._launch = kernels.driver.cuLaunchKernelEx
        # Who launches takes a block of memory and puts it back: several threads may.
        self._free: List[_Block] = []

    def start(self, values: Sequence[Any], maps: Sequence[MapBytes], stream: Any, kept: Optional[_Kept] = None) -> None:
        try:
            own = self._free.pop()
        except IndexError:
            own = _Block(self)
        self.whole.pack_into(own.memory, 0, *values)
        place = self.count
        for made in maps:
            own.pointers[place] = made.address
            place += 1
        if stream is not own.stream:
            own.config.hStream = own.stream = stream
        if kept != own.kept:
            own.keep(kept, self)
        result = self._launch(own.config, self.handle, own.address, 0)
        self._free.append(own)
        if result[0]:
            raise DriverError("cuLaunchKernelEx", f"'{self.entry}'", result[0])


class _Layout:
    """Where arguments lie in memory, one behind the other."""

    def __init__(self, formats: Sequence[str]) -> None:
        self.whole = struct.Struct("=" + "".join(formats))
        self.places = [struct.calcsize("=" + "".join(formats[:i])) for i in range(len(formats))]


class _Block:
    """The arguments of one launch in memory, and its configuration."""

    def __init__(self, way: _Way) -> None:
        if way.shared > 0:
            way.kernels.allow(way.entry, way.shared)
        self.memory = ctypes.create_string_buffer(max(way.whole.size, 1))
        start = ctypes.addressof(self.memory)
        places = [start + place for place in way.layout.places]
        self.pointers = (ctypes.c_void_p * max(len(places) + way.maps, 1))(*places)
        self.address = ctypes.addressof(self.pointers)
        self.config = config = way.driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = way.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = way.block
        config.sharedMemBytes = way.shared
        config.hStream = self.stream = 0
        self.kept: Optional[_Kept] = None
        self.keep(None, way)

    def keep(self, kept: Optional[_Kept], way: _Way) -> None:
        attributes = [*way.attributes, *([kept.attribute(way.driver)] if kept else [])]
        if attributes or self.kept:
            self.config.attrs, self.config.numAttrs = attributes, len(attributes)
        self.kept = kept


class _Decision:
    """What holds for all launches of these numbers, wherever their tensors are."""

    def __init__(self, violations: Sequence[rules.Violation], alone: str, tensors: Sequence[_Tensor], plain: _Way,
                 lifted: Any, window: Optional[_Window]) -> None:
        self.violations, self.alone, self.tensors = tuple(violations), alone, tuple(tensors)
        self.mapped = tuple(tensor for tensor in tensors if tensor.request)
        self.plain, self.lifted, self.window = plain, lifted, window

    def addresses(self, values: Sequence[Any]) -> Optional[List[int]]:
        """Where the tensors are that have maps, or nothing where the launch breaks a rule."""
        if self.violations:
            return None
        found = []
        for tensor in self.tensors:
            argument = tensor.argument
            address = (tensor.fixed if argument is None else values[argument]) + tensor.offset
            if address % tensor.alignment or not 0 < address < 1 << 57:
                return None
            if tensor.request is not None:
                found.append(address)
        return found

    def broken(self, values: Sequence[Any]) -> List[rules.Violation]:
        """All that the launch breaks, its addresses among it."""
        found = list(self.violations)
        for tensor in self.tensors:
            found += tensor.violations(tensor.address(values))
        return found


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


_VERBOSE, _DISABLED = _is_set("TILELIFT_VERBOSE"), _is_set("TILELIFT_DISABLE")


class Kernel:
    """A lifted kernel and the plain one, which are launched by a call."""

    MOST_REMEMBERED = 4096

    def __init__(self, name: str, entry: str, lifted_entry: str, arguments: Tuple[Argument, ...],
                 block: Tuple[int, int, int], plan: Callable[..., None],
                 lifted_block: Optional[Tuple[int, int, int]] = None, cluster: Tuple[int, int, int] = (1, 1, 1),
                 ring_bytes: int = 0, must_lift: bool = False) -> None:
        self.name, self.entry, self.lifted_entry = name, entry, lifted_entry
        self.arguments, self.plan = arguments, plan
        self.block = Dim3(*block)
        self.lifted_block = Dim3(*(lifted_block or block))
        self.cluster = Dim3(*cluster)
        self.ring_bytes, self.must_lift = ring_bytes, must_lift
        kinds = [kind for _, kind in arguments]
        self._formats = [_FORMATS[kind] if kind in _FORMATS else f"{_size_of(kind)}s" for kind in kinds]
        self._layout = _Layout(self._formats)
        self._pointers = [i for i, kind in enumerate(kinds) if kind == "pointer"]
        self._objects = [i for i, kind in enumerate(kinds) if kind not in _FORMATS]
        # What the launch may depend on: not where memory is, nor what is no whole number.
        self._deciding = [i for i, kind in enumerate(kinds) if kind != "pointer" and kind not in _FLOATS]

    def __repr__(self) -> str:
        return f"Kernel({self.name!r}, block={tuple(self.block)})"

    def __call__(self, kernels: Mapping[str, Any], grid: Union[int, Sequence[int]], *arguments: Any,
                 block: Union[int, Sequence[int], None] = None, shared: int = 0, stream: Any = 0,
                 attributes: Sequence[Any] = (), into: Optional["Dispatch"] = None) -> bool:
        """Launches it, or adds it to a dispatch; whether the lifted kernel is the one that runs."""
        own = kernels if isinstance(kernels, Kernels) else Kernels(kernels)
        if len(arguments) != len(self.arguments):
            takes = ", ".join(name for name, _ in self.arguments)
            raise TypeError(f"'{self.name}' takes {len(self.arguments)} arguments ({takes}), {len(arguments)} are given")
        values = list(arguments)
        for i in self._pointers:
            value = values[i]
            if value.__class__ is not int:
                values[i] = address_of(value)
        for i in self._objects:
            values[i] = _bytes_of(self.arguments[i][0], int(self._formats[i][:-1]), values[i])
        decision = self._decision(own, grid, block, shared, attributes, values, arguments)
        addresses = decision.addresses(values)
        kept = None if addresses is None or decision.window is None else decision.window.at(values)
        if _VERBOSE:
            said = (f"plain, {rules.text_of(decision.broken(values))}" if addresses is None
                    else f"TMA{decision.alone}{kept or ''}")
            print(f"tilelift: {self.name}: {said}", file=sys.stderr)
        if addresses is None:
            if self.must_lift:
                raise Refused(f"'{self.name}' cannot use TMA: {rules.text_of(decision.broken(values))}")
            way, mapped = decision.plain, ()
        else:
            way, mapped = decision.lifted, [*zip(decision.mapped, addresses)]
        if into is not None:
            into.add(way, values, mapped, stream, kept)
        else:
            way.start(values, [tensor.map_at(address) for tensor, address in mapped], stream, kept)
        return addresses is not None

    def _decision(self, kernels: Kernels, grid: Any, block: Any, shared: int, attributes: Sequence[Any],
                  values: Sequence[Any], arguments: Sequence[Any]) -> _Decision:
        key = (self, grid if grid.__class__ in (tuple, int) else tuple(grid),
               block if block is None or block.__class__ in (tuple, int) else tuple(block), shared,
               attributes and _signature(kernels, attributes), *[values[i] for i in self._deciding])
        made = kernels.decisions.get(key)
        # Attributes are somebody's objects, which may say something else the next time.
        if made is None or attributes:
            made = self._decide(kernels, Dim3.of(grid, "grid"), self.block if block is None else Dim3.of(block, "block"),
                                shared, attributes, values, arguments)
            if len(kernels.decisions) >= self.MOST_REMEMBERED:
                kernels.decisions.clear()
            kernels.decisions[key] = made
        return made

    def _seen(self, arguments: Sequence[Any]) -> List[Any]:
        """The arguments as expressions have them: of pointers, that they are some."""
        seen: List[Any] = []
        for i, ((name, kind), value) in enumerate(zip(self.arguments, arguments)):
            if kind == "pointer":
                value = Pointer(i)
            elif kind in _FORMATS and kind not in _FLOATS:
                value = value.__index__() if hasattr(value, "__index__") else int(value)
                _check_number(name, str(kind), value)
            elif isinstance(value, (bytes, bytearray, memoryview)):
                value = Opaque(name)
            seen.append(value)
        return seen

    def _decide(self, kernels: Kernels, grid: Dim3, block: Dim3, shared: int, attributes: Sequence[Any],
                values: Sequence[Any], arguments: Sequence[Any]) -> _Decision:
        launch = Launch(self, kernels, grid, block)
        if _DISABLED:
            launch.reject("disabled", "TILELIFT_DISABLE is set")
        elif kernels.capability < 90:
            launch.reject("device", "the device has no TMA unit, which needs compute capability 9.0")
        if block != self.block:
            launch.reject("block-size", f"the block is {block}, the copies were checked for {self.block}")
        if not launch.violations and kernels.architecture_of(self.lifted_entry) < 90:
            launch.reject("binary", "the program holds no code for this device that uses TMA; build for sm_90 or later")
        self.plan(launch, *self._seen(arguments))
        asked = {int(a.id): a for a in attributes}
        ids = kernels.driver.CUlaunchAttributeID
        is_cooperative = bool(asked) and int(ids.CU_LAUNCH_ATTRIBUTE_COOPERATIVE) in asked
        needed = shared + self.ring_bytes
        if not launch.violations and needed > 0 and needed > kernels.room_in(self.lifted_entry):
            launch.reject("shared-size", "with its barriers the block has room for "
                                         f"{kernels.room_in(self.lifted_entry)} bytes of dynamic shared memory, and "
                                         f"needs {needed}")
        if not launch.violations and is_cooperative:
            threads = self.lifted_block.x * self.lifted_block.y * self.lifted_block.z
            if not kernels.fits_at_once(self.lifted_entry, grid.x * grid.y * grid.z, threads, needed):
                launch.reject("cooperative-grid", f"the {grid.x * grid.y * grid.z} blocks of a cooperative launch have "
                                                  "to run at once, and of the lifted kernel fewer do")
        clusters, alone = self._cluster(launch, asked.get(int(ids.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)),
                                        is_cooperative)
        window = launch.window
        if window and int(ids.CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) in asked:
            window, alone = None, alone + ", keeps in L2 what the launch itself says"
        elif window and window.most == 0:
            window, alone = None, alone + ", keeps nothing in L2: the device has no windows"
        plain = self._way(kernels, self.entry, grid, block, shared, attributes, [], 0)
        lifted = None if launch.violations else self._way(
            kernels, self.lifted_entry, grid, self.lifted_block, needed, attributes, clusters,
            sum(tensor.request is not None for tensor in launch.tensors))
        return _Decision(launch.violations, alone, launch.tensors, plain, lifted, window)

    def _way(self, kernels: Kernels, entry: str, grid: Dim3, block: Dim3, shared: int, attributes: Sequence[Any],
             clusters: Sequence[Any], maps: int) -> _Way:
        """Launches that differ in nothing but their arguments go the same way. Attributes are somebody's
        objects, clusters always the same."""
        if attributes:
            return _Way(kernels, entry, grid, block, shared, [*attributes, *clusters], self._layout, maps)
        key = (self, entry, grid, block, shared, bool(clusters))
        made = kernels.ways.get(key)
        if made is None:
            if len(kernels.ways) >= self.MOST_REMEMBERED:
                kernels.ways.clear()
            made = kernels.ways[key] = _Way(kernels, entry, grid, block, shared, clusters, self._layout, maps)
        return made

    def _cluster(self, launch: Launch, asked: Any, is_cooperative: bool) -> Tuple[List[Any], str]:
        """The clusters to ask for, or why each block is by itself."""
        if self.cluster == (1, 1, 1) or launch.violations:
            return [], ""
        if asked is not None:
            own = Dim3(*(int(getattr(asked.value.clusterDim, axis)) for axis in "xyz"))
            if own != self.cluster:
                launch.reject("cluster-shape", f"the program's clusters are {own}, tiles are shared in {self.cluster}")
            return [], ""
        if is_cooperative:
            return [], ", each block by itself: the launch is cooperative"
        if any(n % of for n, of in zip(launch.grid, self.cluster)):
            return [], f", each block by itself: a grid of {launch.grid} has no whole clusters of {self.cluster}"
        driver = launch.kernels.driver
        made = driver.CUlaunchAttribute()
        made.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
        value = made.value
        value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = self.cluster
        made.value = value
        return [made], ""


def _size_of(kind: Union[str, int]) -> int:
    return kind if isinstance(kind, int) else int(kind[1:]) // 8


def _signature(kernels: Kernels, attributes: Sequence[Any]) -> Tuple[Any, ...]:
    """What of a launch's attributes a decision depends on."""
    signature = []
    cluster = kernels.driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    for attribute in attributes:
        own = (int(attribute.id),)
        if attribute.id == cluster:
            own += tuple(int(getattr(attribute.value.clusterDim, axis)) for axis in "xyz")
        signature.append(own)
    return tuple(signature)


class Dispatch:
    """Several launches in one go: all maps are encoded first, each once, then all kernels start, in
    the order in which they were added. Nothing starts if one of the maps cannot be made."""

    def __init__(self) -> None:
        self._launches: List[Tuple[_Way, Sequence[Any], Sequence[Tuple[_Tensor, int]], Any, Optional[_Kept]]] = []

    def add(self, way: _Way, values: Sequence[Any], mapped: Sequence[Tuple[_Tensor, int]], stream: Any,
            kept: Optional[_Kept]) -> None:
        self._launches.append((way, values, mapped, stream, kept))

    def run(self) -> None:
        launches, self._launches = self._launches, []
        made: dict[Any, MapBytes] = {}
        maps = [[self._map(tensor, address, made) for tensor, address in mapped] for _, _, mapped, _, _ in launches]
        for (way, values, _, stream, kept), own in zip(launches, maps):
            way.start(values, own, stream, kept)

    @staticmethod
    def _map(tensor: _Tensor, address: int, made: dict[Any, MapBytes]) -> MapBytes:
        """Two kernels that ask for the same numbers have one map."""
        assert tensor.request is not None
        key = (address, *tensor.request.numbers())
        if key not in made:
            made[key] = tensor.map_at(address)
        return made[key]

    def __enter__(self) -> "Dispatch":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.run()
