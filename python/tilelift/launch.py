# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What launchers that `tilelift --emit=python` writes are made of.

    kernels = load(image, module.function_names)
    module.blur(kernels, (8, 64), out, in_, w, h, stream=stream)

A launch is checked by the rules that are left to check; if they hold, its tensor maps are encoded
and the lifted kernel starts, else the plain one does. What is decided depends on nothing but the
numbers that are passed, so that the same numbers are checked and encoded once. Several launches may
be collected first and then made together:

    with Dispatch() as dispatch:
        module.blur(kernels, grid, a, b, w, h, into=dispatch)
        module.blur(kernels, grid, b, a, w, h, into=dispatch)

TILELIFT_DISABLE=1 runs every plain kernel, TILELIFT_VERBOSE=1 prints what each launch did and why.
"""
from __future__ import annotations

import ctypes
import os
import sys
from typing import Any, Callable, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import rules
from ._driver import DriverError, MapBytes, bindings, call, encode

__all__ = ["Dispatch", "DriverError", "Kernel", "Kernels", "Launch", "Range", "Refused", "between", "counted", "load",
           "quotient", "remainder"]


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
        other = Range.of(other)
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

_INTEGERS = {f"{kind}{bits}": getattr(ctypes, f"c_{'u' if kind == 'u' else ''}int{bits}")
             for kind in "iu" for bits in (8, 16, 32, 64)}
_FLOATS = {"f32": ctypes.c_float, "f64": ctypes.c_double}
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


def _is_memory(value: Any) -> bool:
    return isinstance(value, (bytes, bytearray, memoryview, ctypes.Structure, ctypes.Union))


def _converted(name: str, kind: Union[str, int], value: Any) -> Tuple[Any, Any]:
    """What expressions see of an argument, and what is passed."""
    if kind == "pointer":
        address = address_of(value)
        return address, ctypes.c_uint64(address)
    if kind in _INTEGERS:
        number, made = int(value), _INTEGERS[kind](int(value))
        if made.value != number:
            raise OverflowError(f"'{name}' is {number}, which no {kind} holds")
        return number, made
    if kind in _FLOATS:
        return float(value), _FLOATS[kind](value)
    size = kind if isinstance(kind, int) else int(kind[1:]) // 8
    is_number = isinstance(value, int) or not hasattr(value, "__bytes__") and not _is_memory(value)
    raw = int(value).to_bytes(size, "little") if is_number else bytes(value)
    if len(raw) != size:
        raise TypeError(f"'{name}' has {len(raw)} bytes, the kernel takes {size}")
    return value, ctypes.create_string_buffer(raw, size)


# Kernels that are loaded.

class Kernels(Mapping[str, Any]):
    """Handles of kernels by their entry names, on one device, and what is known of them."""

    MOST_REMEMBERED = 4096

    def __init__(self, handles: Mapping[str, Any], driver: Any = None, library: Any = None) -> None:
        self.driver = driver if driver is not None else bindings()
        self.library = library
        self._handles = {name: self._as_function(name, handle) for name, handle in handles.items()}
        self.device = call(self.driver, "cuCtxGetDevice", "the current context")
        self.capability = 10 * self._attribute("COMPUTE_CAPABILITY_MAJOR") + self._attribute("COMPUTE_CAPABILITY_MINOR")
        self._architectures: dict[str, int] = {}
        self._allowed: dict[str, int] = {}
        self._decisions: dict[Any, _Decision] = {}
        self._maps: dict[Any, MapBytes] = {}

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

    def fits_at_once(self, entry: str, blocks: int, threads: int, shared: int) -> bool:
        each = int(call(self.driver, "cuOccupancyMaxActiveBlocksPerMultiprocessor", f"'{entry}'", self[entry], threads,
                        shared))
        return blocks <= each * self._attribute("MULTIPROCESSOR_COUNT")

    def variable(self, name: str) -> int:
        """Where a variable of the device is."""
        if self.library is None:
            raise ValueError(f"where '{name}' is, only the library says that load() makes")
        return int(call(self.driver, "cuLibraryGetGlobal", f"'{name}'", self.library, name.encode())[0])

    def map_of(self, request: rules.MapRequest) -> MapBytes:
        """The map of these numbers, which is encoded once."""
        key = request.numbers()
        made = self._maps.get(key)
        if made is None:
            made = encode(self.driver, request)
            self._remember(self._maps, key, made)
        return made

    def decision(self, key: Any, decide: Callable[[], "_Decision"]) -> "_Decision":
        made = self._decisions.get(key)
        if made is None:
            made = decide()
            self._remember(self._decisions, key, made)
        return made

    def _remember(self, what: dict[Any, Any], key: Any, value: Any) -> None:
        if len(what) >= self.MOST_REMEMBERED:
            what.clear()
        what[key] = value


def load(image: bytes, names: Iterable[str], driver: Any = None) -> Kernels:
    """Kernels of a cubin or of PTX, by their entry names."""
    driver = driver if driver is not None else bindings()
    library = call(driver, "cuLibraryLoadData", "the device code", image, [], [], 0, [], [], 0)
    handles = {name: call(driver, "cuLibraryGetKernel", f"'{name}'", library, name.encode()) for name in names}
    return Kernels(handles, driver, library)


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


class _Decision(NamedTuple):
    """Whether the lifted kernel starts, and why not; the maps that it is passed."""
    lifts: bool
    why: str
    requests: Tuple[rules.MapRequest, ...]
    cluster: Optional[Dim3]


class Launch:
    """Collects what a launch breaks, and the maps that it needs."""

    def __init__(self, kernel: "Kernel", kernels: Kernels, grid: Dim3, block: Dim3) -> None:
        self.kernel, self.kernels, self.grid, self.block = kernel, kernels, grid, block
        self.violations: List[rules.Violation] = []
        self.requests: List[rules.MapRequest] = []

    def reject(self, rule: str, text: str) -> None:
        self.violations.append(rules.Violation(rule, text))

    def block_index(self, axis: int) -> Range:
        return Range(0, self.grid[axis] - 1)

    @property
    def is_blackwell(self) -> bool:
        return self.kernels.architecture_of(self.kernel.lifted_entry) >= 100

    def require(self, rule: str, value: Number, low: Optional[int], high: Optional[int], text: str) -> None:
        own = Range.of(value)
        if (low is None or own.low >= low) and (high is None or own.high <= high):
            return
        if low == high and own.low == own.high:
            self.reject(rule, f"{text} is {own.low} instead of {low}")
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

    def bulk(self, tile: str, tensor: str, address: Any) -> None:
        self.violations += rules.bulk_violations(tile, tensor, address_of(address))

    def tiled(self, map_name: str, tile: str, tensor: str, element: str, address: Any, offset: int,
              box: Tuple[int, ...], extents: Sequence[Tuple[Any, ...]], swizzle: int = 0, promotion: int = 128) -> None:
        self._add(rules.MapRequest("tile", tile, tensor, element, address_of(address) + offset,
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
        self._add(rules.MapRequest("w" if wide else "im2col", tile, tensor, element, address_of(address) + offset,
                                   tuple(dimensions), channels=box[0], pixels=box[1], lower=lower, upper=upper,
                                   lower_text=lower_text, upper_text=upper_text, swizzle=_swizzle(swizzle),
                                   promotion=promotion))

    @staticmethod
    def _dimension(extent: Tuple[Any, ...]) -> rules.Dimension:
        elements, text, *stride = extent[:4]
        return rules.Dimension(rules.MAX_EXTENT if elements is None else elements, stride[0] if stride else 0,
                               extent_text=text, stride_text=stride[1] if stride else "")

    def _add(self, request: rules.MapRequest) -> None:
        # Which numbers a device takes is the driver's to say, but for what it needs of the request.
        request = request._replace(capability=self.kernels.capability)
        self.violations += rules.violations(request)
        self.requests.append(request)


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


def _is_set(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


class Kernel:
    """A lifted kernel and the plain one, which are launched by a call."""

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

    def __repr__(self) -> str:
        return f"Kernel({self.name!r}, block={tuple(self.block)})"

    def __call__(self, kernels: Mapping[str, Any], grid: Union[int, Sequence[int]], *arguments: Any,
                 block: Union[int, Sequence[int], None] = None, shared: int = 0, stream: Any = 0,
                 attributes: Sequence[Any] = (), into: Optional["Dispatch"] = None) -> bool:
        """Launches it, or adds it to a dispatch; whether the lifted kernel is the one that runs."""
        own = kernels if isinstance(kernels, Kernels) else Kernels(kernels)
        prepared = self._prepare(own, grid, arguments, block, shared, stream, attributes)
        if into is not None:
            into.add(prepared)
        else:
            prepared.start()
        return prepared.decision.lifts

    def _prepare(self, kernels: Kernels, grid: Any, arguments: Tuple[Any, ...], block: Any, shared: int, stream: Any,
                 attributes: Sequence[Any]) -> "_Prepared":
        if len(arguments) != len(self.arguments):
            takes = ", ".join(name for name, _ in self.arguments)
            raise TypeError(f"'{self.name}' takes {len(self.arguments)} arguments ({takes}), {len(arguments)} are given")
        sizes = Dim3.of(grid, "grid")
        threads = self.block if block is None else Dim3.of(block, "block")
        seen, passed = zip(*(_converted(name, kind, value)
                             for (name, kind), value in zip(self.arguments, arguments))) if arguments else ((), ())
        key = (self, sizes, threads, shared, tuple(bytes(value) if isinstance(value, ctypes.Structure) else value
                                                   for value in seen), _signature(kernels, attributes))
        decision = kernels.decision(key, lambda: self._decide(kernels, sizes, threads, shared, seen, attributes))
        if _is_set("TILELIFT_VERBOSE"):
            print(f"tilelift: {self.name}: {'TMA' if decision.lifts else 'plain, '}{decision.why}", file=sys.stderr)
        if not decision.lifts and self.must_lift:
            raise Refused(f"'{self.name}' cannot use TMA: {decision.why}")
        return _Prepared(self, kernels, sizes, threads, shared, stream, tuple(attributes), passed, decision)

    def _decide(self, kernels: Kernels, grid: Dim3, block: Dim3, shared: int, arguments: Tuple[Any, ...],
                attributes: Sequence[Any]) -> _Decision:
        launch = Launch(self, kernels, grid, block)
        if _is_set("TILELIFT_DISABLE"):
            launch.reject("disabled", "TILELIFT_DISABLE is set")
        elif kernels.capability < 90:
            launch.reject("device", "the device has no TMA unit, which needs compute capability 9.0")
        if block != self.block:
            launch.reject("block-size", f"the block is {block}, the copies were checked for {self.block}")
        if not launch.violations and kernels.architecture_of(self.lifted_entry) < 90:
            launch.reject("binary", "the program holds no code for this device that uses TMA; build for sm_90 or later")
        self.plan(launch, *arguments)
        asked = {int(a.id): a for a in attributes}
        ids = kernels.driver.CUlaunchAttributeID
        is_cooperative = int(ids.CU_LAUNCH_ATTRIBUTE_COOPERATIVE) in asked
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
        cluster, alone = self._cluster(launch, asked.get(int(ids.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)),
                                       is_cooperative)
        why = rules.text_of(launch.violations) or alone
        return _Decision(not launch.violations, why, tuple(launch.requests), cluster)

    def _cluster(self, launch: Launch, asked: Any, is_cooperative: bool) -> Tuple[Optional[Dim3], str]:
        """The clusters to ask for, or why each block is by itself."""
        if self.cluster == (1, 1, 1) or launch.violations:
            return None, ""
        if asked is not None:
            own = Dim3(*(int(getattr(asked.value.clusterDim, axis)) for axis in "xyz"))
            if own != self.cluster:
                launch.reject("cluster-shape", f"the program's clusters are {own}, tiles are shared in {self.cluster}")
            return None, ""
        if is_cooperative:
            return None, ", each block by itself: the launch is cooperative"
        if any(n % of for n, of in zip(launch.grid, self.cluster)):
            return None, (f", each block by itself: a grid of {launch.grid} has no whole clusters of {self.cluster}")
        return self.cluster, ""


def _signature(kernels: Kernels, attributes: Sequence[Any]) -> Tuple[Any, ...]:
    """What of a launch's attributes a decision depends on."""
    signature = []
    cluster = kernels.driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION if attributes else None
    for attribute in attributes:
        own = (int(attribute.id),)
        if attribute.id == cluster:
            own += tuple(int(getattr(attribute.value.clusterDim, axis)) for axis in "xyz")
        signature.append(own)
    return tuple(signature)


class _Prepared(NamedTuple):
    kernel: Kernel
    kernels: Kernels
    grid: Dim3
    block: Dim3
    shared: int
    stream: Any
    attributes: Tuple[Any, ...]
    passed: Tuple[Any, ...]
    decision: _Decision

    def encode(self) -> List[MapBytes]:
        return [self.kernels.map_of(request) for request in self.decision.requests] if self.decision.lifts else []

    def start(self, maps: Optional[List[MapBytes]] = None) -> None:
        kernel, kernels, lifts = self.kernel, self.kernels, self.decision.lifts
        maps = self.encode() if maps is None else maps
        entry = kernel.lifted_entry if lifts else kernel.entry
        shared = self.shared + (kernel.ring_bytes if lifts else 0)
        if shared > 0:
            kernels.allow(entry, shared)
        config = self._config(kernel.lifted_block if lifts else self.block, shared)
        addresses = [ctypes.addressof(value) for value in self.passed] + [made.address for made in maps]
        pointers = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
        call(kernels.driver, "cuLaunchKernelEx", f"'{entry}'", config, kernels[entry], ctypes.addressof(pointers), 0)

    def _config(self, block: Dim3, shared: int) -> Any:
        driver = self.kernels.driver
        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = self.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = block
        config.sharedMemBytes = shared
        config.hStream = self.stream
        attributes = list(self.attributes)
        if self.decision.lifts and self.decision.cluster:
            cluster = driver.CUlaunchAttribute()
            cluster.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            value = cluster.value
            value.clusterDim.x, value.clusterDim.y, value.clusterDim.z = self.decision.cluster
            cluster.value = value
            attributes.append(cluster)
        if attributes:
            config.attrs, config.numAttrs = attributes, len(attributes)
        return config


class Dispatch:
    """Several launches in one go: all maps are encoded first, each once, then all kernels start, in
    the order in which they were added. Nothing starts if one of the maps cannot be made."""

    def __init__(self) -> None:
        self._launches: List[_Prepared] = []

    def add(self, prepared: _Prepared) -> None:
        self._launches.append(prepared)

    def run(self) -> None:
        launches, self._launches = self._launches, []
        maps = [prepared.encode() for prepared in launches]
        for prepared, own in zip(launches, maps):
            prepared.start(own)

    def __enter__(self) -> "Dispatch":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.run()
