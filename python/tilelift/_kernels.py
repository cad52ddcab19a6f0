# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are loaded on a device, what the driver says of them, and the L2 that is set aside for launches.

What a launch needs to know of a kernel is asked for once and kept with it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional

from ._driver import bindings, call

if TYPE_CHECKING:
    from .launch import Kernel, _Judged, _Setting


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
        self._most_threads: dict[str, int] = {}
        self._allowed: dict[str, int] = {}
        self.judged: dict["Kernel", _Judged] = {}
        self.known: dict[Any, _Setting] = {}  # by a kernel, or by it, a block, and shared memory

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

    def most_threads_of(self, entry: str) -> int:
        """How many threads a block may have, for the registers that the code uses."""
        if entry not in self._most_threads:
            self._most_threads[entry] = self._fact(entry, "MAX_THREADS_PER_BLOCK")
        return self._most_threads[entry]

    def is_blackwell(self, entry: str) -> bool:
        """Whether the code has what came with it; of older devices nobody asks."""
        return self.capability >= 100 and self.architecture_of(entry) >= 100

    def has_memory(self, address: int) -> bool:
        """Whether kernels may read there. Memory that is the host's alone does not count, whatever the device."""
        which = self.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_POINTER
        return not self.driver.cuPointerGetAttribute(which, address)[0]

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

    def remember(self, where: dict[Any, Any], key: Any, made: Any) -> Any:
        if len(where) >= self.MOST_REMEMBERED:
            where.clear()
        where[key] = made
        return made

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
