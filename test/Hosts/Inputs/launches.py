"""The module that tilelift wrote, against a driver that records."""
import copy
import ctypes
import importlib.util
import sys

from fake_driver import CUresult, FakeDriver
from tilelift._driver import bytes_of
from tilelift.launch import Dispatch, DriverError, Kernel, Kernels, Refused, load

spec = importlib.util.spec_from_file_location("launchers", sys.argv[1])
launchers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launchers)

BLUR, CONVOLVE = launchers.blur.kernel.lifted_entry, launchers.convolve.kernel.lifted_entry
SIZES = {"blur": (8, 8, 4, 4), BLUR: (8, 8, 4, 4, 128),
         launchers.convolve.kernel.entry: (8, 8, 16, 4), CONVOLVE: (8, 8, 16, 4, 128),
         launchers.gather_16.kernel.entry: (8, 8, 8, 4), launchers.gather_16.kernel.lifted_entry: (8, 8, 8, 4)}


def kernels(**options):
    driver = FakeDriver(sizes=SIZES, **options)
    return driver, load(b"image", launchers.function_names, driver)


def expect(found, *wanted):
    assert found == list(wanted), "\n".join(["found", *found, "wanted", *wanted])


def raises(kind, text, function):
    try:
        function()
    except kind as problem:
        assert text in str(problem), problem
        return
    raise AssertionError(f"no {kind.__name__}")


# Entry names are kept (R4.3), the handles are a dictionary of them (R4.4).
assert launchers.function_names[:2] == ["blur", "blur_tma"]
driver, handles = kernels()
assert set(handles) == set(launchers.function_names)
raises(KeyError, "no kernel 'blurr'; available are _Z10gather_tmaILi16E", lambda: handles["blurr"])

# Driver types, the order of the driver's arguments (R4.12, R4.13), strides from the second dimension on,
# and the launch with every argument in its place (R4.23, R4.24).
encoded = ("cuTensorMapEncodeTiled FLOAT32 rank 2 at 0x10000 extents [64, 48] strides [256] box [32, 32] steps [1, 1] "
           "swizzle 0 promotion 2 fill 0")
assert launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48, stream=7)
expect(driver.take(), encoded,
       "cuLaunchKernelEx blur_tma grid 2,2,1 block 128,1,1 shared 0 stream 7 (20000, 10000, 40, 30, map 1)")
# The same numbers are encoded once; another address leads to another map.
launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48)
launchers.blur(handles, (2, 2), 0x20000, 0x30000, 64, 48)
expect(driver.take(), "cuLaunchKernelEx blur_tma grid 2,2,1 block 128,1,1 shared 0 stream 0 (20000, 10000, 40, 30, map 1)",
       encoded.replace("0x1", "0x3"),
       "cuLaunchKernelEx blur_tma grid 2,2,1 block 128,1,1 shared 0 stream 0 (20000, 30000, 40, 30, map 2)")

# A rule that does not hold: the plain kernel, by the same arguments.
for arguments, grid, block in (((0x20000, 0x10004, 64, 48), (2, 2), None), ((0x20000, 0x10000, 63, 48), (2, 2), None),
                               ((0x20000, 0x10000, 64, 0), (2, 2), None), ((0x20000, 0x10000, 64, 48), 2, (64, 2))):
    assert not launchers.blur(handles, grid, *arguments, block=block)
    [launched] = driver.take()
    assert launched.startswith("cuLaunchKernelEx blur grid 2,"), launched

# Boxes outside of the tensor read where it starts: there has to be memory, for maps that are known already, too.
driver.has_memory = lambda address: address != 0x10000
assert not launchers.blur(handles, (4, 2), 0x20000, 0x10000, 64, 48)
assert launchers.blur(handles, (4, 2), 0x20000, 0x30000, 64, 48)
assert launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48)  # each box has a part inside
expect([call.split(" grid")[0] for call in driver.take()], "cuLaunchKernelEx blur", "cuLaunchKernelEx blur_tma",
       "cuLaunchKernelEx blur_tma")
driver.has_memory = lambda address: True

# Three numbers are a grid, and not a grid with a block and shared memory; also the other way round.
for grid, options in (((4, 4, 16), {}), (4, {"block": 4, "shared": 16}), ((4, 4, 16), {})):
    launchers.blur(handles, grid, 0x20000, 0x10000, 64, 48, **options)
expect([call.split(" (")[0] for call in driver.take("cuLaunch")],
       "cuLaunchKernelEx blur_tma grid 4,4,16 block 128,1,1 shared 0 stream 0",
       "cuLaunchKernelEx blur grid 4,1,1 block 4,1,1 shared 16 stream 0",
       "cuLaunchKernelEx blur_tma grid 4,4,16 block 128,1,1 shared 0 stream 0")

# A grid is a number, or one to three in a row; numbers are whatever is one, as NumPy has them.
class Index:
    def __index__(self):
        return 3


class Indices:  # arrays have one, and refuse it
    def __index__(self):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")

    def __iter__(self):
        return iter((Index(), 1))


for grid in (3, (3,), (3, 1), (3, 1, 1), [3, 1], iter((3, 1)), Index(), (Index(), 1), (3, True), Indices()):
    assert launchers.blur(handles, grid, 0x20000, 0x10000, 64, 48)
    [launched] = driver.take("cuLaunch")
    assert launched.startswith("cuLaunchKernelEx blur_tma grid 3,1,1 block"), launched
for block in (3, (3,), Index(), (Index(), 1, 1), Indices()):
    assert not launchers.blur(handles, 1, 0x20000, 0x10000, 64, 48, block=block)
    [launched] = driver.take("cuLaunch")
    assert launched.startswith("cuLaunchKernelEx blur grid 1,1,1 block 3,1,1"), launched
for grid in (0, (), (3, 0), (3, -1, 1), (1, 1, 1, 1), (3, 1.5), ("3",)):
    raises(ValueError, f"the grid is {grid!r}: it takes one to three positive numbers",
           lambda: launchers.blur(handles, grid, 0x20000, 0x10000, 64, 48))

# Members of a structure are numbers of the launch (R0.14), im2col like in C++ (R0.26): channels before pixels.
class Shape(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int), ("w", ctypes.c_int), ("q", ctypes.c_int), ("pad", ctypes.c_int)]


assert launchers.convolve(handles, 4, 0x20000, 0x10000, Shape(2, 40, 42, 1), 3)
expect(driver.take(), "cuTensorMapEncodeIm2col UINT16 rank 3 at 0x10000 extents [2147483648, 40, 2] strides [128, 5120] "
       "lower [-1] upper [1] channels 64 pixels 32 steps [1, 1, 1] swizzle 3 promotion 2 fill 0",
       f"cuLaunchKernelEx {CONVOLVE} grid 4,1,1 block 128,1,1 shared 0 stream 0 "
       "(20000, 10000, 10000002a0000002800000002, 3, map 3)")
assert not launchers.convolve(handles, 4, 0x20000, 0x10000, Shape(2, 40, 42, 1), 70000)
driver.take()

# Attributes of the launch go along (R4.25); what the driver refuses says of what (R4.14, R4.16, R4.24).
serial = driver.CUlaunchAttribute()
serial.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
launchers.gather_16(handles, 3, 0x20000, 0x10000, 0x40000, 64, attributes=[serial])
expect(driver.take(), f"cuLaunchKernelEx {launchers.gather_16.kernel.lifted_entry} grid 3,1,1 block 128,1,1 shared 0 stream 0 "
       "PROGRAMMATIC_STREAM_SERIALIZATION (20000, 10000, 40000, 40)")
driver.fails["cuTensorMapEncodeTiled"] = CUresult.CUDA_ERROR_INVALID_VALUE
raises(DriverError, "cuTensorMapEncodeTiled of the map of 'tile': CUDA_ERROR_INVALID_VALUE",
       lambda: launchers.blur(handles, (2, 2), 0x20000, 0x90000, 64, 47))
driver.fails = {"cuLaunchKernelEx": CUresult.CUDA_ERROR_INVALID_VALUE}
raises(DriverError, "cuLaunchKernelEx of 'blur_tma': CUDA_ERROR_INVALID_VALUE",
       lambda: launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48))
driver.fails = {"cuFuncSetAttribute": CUresult.CUDA_ERROR_INVALID_VALUE}
raises(DriverError, "cuFuncSetAttribute of 60000 bytes of shared memory for 'blur_tma': CUDA_ERROR_INVALID_VALUE",
       lambda: launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48, shared=60000))
driver.fails = {}
driver.take()

# Shared memory is asked for once (R4.22).
for _ in range(2):
    launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48, shared=60000)
expect([call.split(" grid")[0] for call in driver.take()],
       "cuFuncSetAttribute blur_tma MAX_DYNAMIC_SHARED_SIZE_BYTES 60000", "cuLaunchKernelEx blur_tma",
       "cuLaunchKernelEx blur_tma")
assert not launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48, shared=232000)
driver.take()

# Several kernels in one dispatch (R4.6, R4.7, R4.32): each map is made once and before the first launch.
driver, handles = kernels()
with Dispatch() as dispatch:
    launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48, into=dispatch)
    launchers.blur(handles, (1, 2), 0x30000, 0x10000, 64, 48, into=dispatch)
    launchers.blur(handles, (2, 2), 0x10000, 0x30000, 64, 48, into=dispatch)
    assert driver.take() == []
expect([call.split(" grid")[0].split(" extents")[0] for call in driver.take()],
       "cuTensorMapEncodeTiled FLOAT32 rank 2 at 0x10000", "cuTensorMapEncodeTiled FLOAT32 rank 2 at 0x30000",
       "cuLaunchKernelEx blur_tma", "cuLaunchKernelEx blur_tma", "cuLaunchKernelEx blur_tma")
# Nothing starts where a map cannot be made, nor behind an exception.
driver.fails["cuTensorMapEncodeTiled"] = CUresult.CUDA_ERROR_INVALID_VALUE
dispatch = Dispatch()
launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48, into=dispatch)
launchers.blur(handles, (2, 2), 0x20000, 0x70000, 64, 48, into=dispatch)
raises(DriverError, "the map of 'tile'", dispatch.run)
assert not [call for call in driver.take() if call.startswith("cuLaunch")]
driver.fails = {}

# Arguments: their number, names, and what their types hold (R3.11, R3.12).
raises(TypeError, "blur() missing 3 required positional arguments: 'in_', 'w', and 'h'", lambda: launchers.blur(handles, 1, 1))
for more in ((5,), (None,), (None, 64), ((),)):
    raises(TypeError, "blur() takes 6 positional arguments, and more are given",
           lambda: launchers.blur(handles, 1, 1, 2, 3, 4, *more))
raises(OverflowError, "'w' is 4294967296, which no i32 holds", lambda: launchers.blur(handles, 1, 1, 2, 1 << 32, 4))
raises(OverflowError, "'w' is -2147483649, which no i32 holds",
       lambda: launchers.blur(handles, 1, 1, 2, -(1 << 31) - 1, 4, block=64))
raises(TypeError, "'w' is 2.5, which is no whole number", lambda: launchers.blur(handles, 1, 1, 2, 2.5, 4))
raises(TypeError, "'lambda' has 3 bytes, the kernel takes 16", lambda: launchers.convolve(handles, 1, 1, 2, b"abc", 4))
raises(TypeError, "'lambda' is given as bytes, and the launch depends on 'lambda.w': give a ctypes.Structure",
       lambda: launchers.convolve(handles, 1, 1, 2, bytes(16), 4))
raises(ValueError, "the grid is (2, 0): it takes one to three positive numbers",
       lambda: launchers.blur(handles, (2, 0), 1, 2, 3, 4))

# A number that C++ passes as an object, such as an enumeration.
other = FakeDriver(sizes={"paint": (8, 4), "paint_tma": (8, 4)})
paint = Kernel("paint", "paint", "paint_tma", (("out", "pointer"), ("colour", 4)), (128, 1, 1), lambda *_: None)
assert paint(Kernels({"paint": "paint", "paint_tma": "paint_tma"}, other), 1, 0x20000, 7)
expect(other.take("cuLaunch"), "cuLaunchKernelEx paint_tma grid 1,1,1 block 128,1,1 shared 0 stream 0 (20000, 7)")

# Parameters are called whatever C++ allows, or nothing.
names = ("kernel", "grid__", "grid", "grid_", "", "is", "KeyError", "__debug__", "\u00b5", "\u03bc", "sum")
named = Kernel("named<1>", "paint", "paint_tma", tuple((name, "i32") for name in names), (128, 1, 1), lambda *_: None)
other.sizes = {"paint_tma": (4,) * len(names)}
assert named(Kernels({"paint": "paint", "paint_tma": "paint_tma"}, other), 1, *range(len(names)))
expect(other.take("cuLaunch"), "cuLaunchKernelEx paint_tma grid 1,1,1 block 128,1,1 shared 0 stream 0 (0, 1, 2, 3, 4, 5, 6, "
       "7, 8, 9, a)")
raises(TypeError, "named<1>() missing 11 required positional arguments: 'kernel_', 'grid__', 'grid_', 'grid___', 'argument4', "
       "'is_', 'KeyError_', 'argument7', 'argument8', 'argument9', and 'sum'", lambda: named(other, 1))


# A kernel is a value: copied, or of a class, it is what it was.
class Layer:
    paint = named


assert Layer().paint is named
again = copy.copy(named)
assert (again.name, again.arguments, again.block) == (named.name, named.arguments, named.block) and again is not named
assert again(Kernels({"paint": "paint", "paint_tma": "paint_tma"}, other), [1, 2], *range(len(names)), attributes=None)
[launched] = other.take("cuLaunch")
assert launched.startswith("cuLaunchKernelEx paint_tma grid 1,2,1"), launched

# In clusters where the grid has whole ones; a launch knows nothing of the one before.
paired = Kernel("paired", "paint", "paint_tma", (("out", "pointer"),), (128, 1, 1), lambda *_: None, cluster=(2, 1, 2))
other.sizes = {"paint": (8,), "paint_tma": (8,)}
pairs = Kernels({"paint": "paint", "paint_tma": "paint_tma"}, other)
for grid in ((4, 3, 2), (4, 3, 1), (4, 3, 2), (3, 3, 2), 2, (4, 3, 2)):
    assert paired.launcher(pairs, grid, 0x20000)
expect([call.split(" grid ")[1].split(" (")[0].replace("block 128,1,1 shared 0 stream 0", "|") for call in
        other.take("cuLaunch")], "4,3,2 | CLUSTER_DIMENSION 2x1x2", "4,3,1 |", "4,3,2 | CLUSTER_DIMENSION 2x1x2", "3,3,2 |",
       "2,1,1 |", "4,3,2 | CLUSTER_DIMENSION 2x1x2")

# Memory that a member of an object leads to; what is null runs plain.
class Call(ctypes.Structure):
    _fields_ = [("in", ctypes.c_void_p)]


def _plan_scale(launch, call):
    launch.bulk("tile", "in", getattr(call, "in"))


scale = Kernel("scale", "paint", "paint_tma", (("call", 8),), (128, 1, 1), _plan_scale)
paints = Kernels({"paint": "paint", "paint_tma": "paint_tma"}, other)
other.sizes = {"paint": (8,), "paint_tma": (8,)}
assert scale(paints, 1, Call(0x10000)) and not scale(paints, 1, Call(0x10004)) and not scale(paints, 1, Call(None))

# What a launch was given is what it has, also where it starts later.
given = [driver.CUlaunchAttribute()]
given[0].id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
other.take("")
with Dispatch() as dispatch:
    scale(paints, iter((2, 3)), Call(0x10004), attributes=given, into=dispatch)
    given.clear()
expect([call.split(" block")[0] + " " + call.split()[10] for call in other.take("cuLaunch")],
       "cuLaunchKernelEx paint grid 2,3,1 PROGRAMMATIC_STREAM_SERIALIZATION")

# Arrays of others: PyTorch's and CuPy's.
class Tensor:
    def data_ptr(self):
        return 0x10000


class Array:
    __cuda_array_interface__ = {"data": (0x20000, False)}


launchers.blur(handles, (2, 2), Array(), Tensor(), 64, 48)
expect([call.split("0 stream ")[1] for call in driver.take()], "0 (20000, 10000, 40, 30, map 4)")

# An older device, a newer one, and a program without code for it.
driver, handles = kernels(capability=80)
assert not launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48)
driver, handles = kernels()
driver.ptx = 80
assert not launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48)
driver, handles = kernels()
driver.most_threads = 63  # the registers of the lifted kernel are too many
assert not launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48)
driver, handles = kernels(capability=100)
assert launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48)
[known] = handles.judged.values()
made = bytes_of(known.sites[0].told.known[0x10000, 64, 48, 256])
assert made[10] & 0x20 == 0 and made[9] == 0xff, "bit 85 is clear on Blackwell"

# Plain dictionaries of handles do as well.
driver, handles = kernels()
assert launchers.blur(Kernels(dict(handles), driver), (2, 2), 0x20000, 0x10000, 64, 48)
print("passed")
