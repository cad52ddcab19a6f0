"""Tensor maps as objects, against a driver that records. The numbers are those of docs/parity.md."""
import ctypes
import gc
import sys
import weakref

from fake_driver import CUresult, FakeDriver
import tilelift
from tilelift import TensorMap, TensorMapError, TensorMapOptions, View
from tilelift.launch import Kernel, Kernels

driver = FakeDriver()


def raises(kind, text, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as problem:
        assert text in str(problem), problem
        return problem
    raise AssertionError(f"no {kind.__name__}: {text}")


def last():
    return driver.take("cuTensorMap")[-1]


def tiled(view, box, **named):
    return TensorMap.tiled(view, box, driver=driver, **named)


def im2col(view, lower, upper, channels, pixels, **named):
    return TensorMap.im2col(view, lower, upper, channels, pixels, driver=driver, **named)


plane = View(0x10000, (48, 64), "f32")

# R2.1, R2.2, R2.42: an object that its class cannot be asked for.
raises(RuntimeError, "a TensorMap is made by TensorMap.tiled, TensorMap.im2col or TensorMap.im2col_wide", TensorMap, None)
# R2.3: names at the top are the object, its options, its error and what it is made of.
assert {name for name in tilelift.__all__ if "Map" in name} == {"TensorMap", "TensorMapError", "TensorMapOptions"}

# R2.4, R2.6, R2.21, R2.22, R2.43: from a view, row-major; dense strides are computed.
for shape, box in (((4096,), (64,)), ((48, 64), (8, 32)), ((5, 48, 64), (2, 8, 32)), ((3, 4, 5, 6, 64), (1, 2, 3, 4, 16))):
    made = tiled(View(0x10000, shape, "f32"), box)
    call = last()
    strides = []
    for d in range(len(shape) - 1, 0, -1):
        strides.append((strides[-1] if strides else 4) * shape[d])
    assert f"rank {len(shape)} at 0x10000 extents {list(shape[::-1])} " in call, call
    assert f"strides {strides or [0]} box {list(box[::-1])} steps {[1] * len(shape)} " in call, call
    assert made.rank == len(shape)
# Strides of a view that is not dense.
tiled(View(0x10000, (48, 64), "f32", strides=(512, 4)), (8, 32))
assert "extents [64, 48] strides [512]" in last()

# R2.5: a bundle of options, or keywords, and not both.
options = TensorMapOptions(swizzle="b64", promotion=256, element_strides=(2, 1))
tiled(plane, (8, 16), options=options)
assert "steps [1, 2] swizzle 2 promotion 3" in last()
raises(TypeError, "'swizzle' is given beside options", tiled, plane, (8, 16), options=options, swizzle="b64")
raises(TypeError, "options are TensorMapOptions, not dict", tiled, plane, (8, 16), options={"swizzle": "b64"})
raises(TypeError, "no option is called 'swizle'; there are dtype, element_strides, swizzle", tiled, plane, (8, 16), swizle="b64")

# R2.7, R2.8: what it says of itself.
assert repr(tiled(plane, (8, 32), swizzle="b128")) == "TensorMap(tiled, rank=2, dtype=f32, box=(8, 32), swizzle=b128)"
assert tiled(plane, (8, 32)).device == 0

# R2.9: memory that the device reaches, R2.10: on 16 bytes, with the address.
class OnHost:
    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        raise AssertionError


raises(ValueError, "the tensor is in memory that the device cannot reach (DLPack's kind 1)", tiled, OnHost(), (8, 32))
raises(TypeError, "a list is no tensor", tiled, [1, 2], (2,))
problem = raises(TensorMapError, "the map of 'tensor' starts at 65544, which is no multiple of 16 bytes [address-16]", tiled,
                 View(0x10008, (48, 64), "f32"), (8, 32))
# All that is wrong is said at once.
problem = raises(TensorMapError, "address-16", tiled, View(0x10008, (48, 63), "f32"), (300, 6))
assert [each.rule for each in problem.violations] == ["address-16", "stride-16", "box-range", "inner-box-16"], problem

# R2.11, R2.45, R2.51, R2.52: ranks.
raises(ValueError, "the tensor has 0 dimensions, a map that is tiled has 1 to 5", tiled, View(0x10000, (), "f32"), ())
raises(ValueError, "the tensor has 6 dimensions, a map that is tiled has 1 to 5", tiled, View(0x10000, (2,) * 6, "f32"), (2,) * 6)
raises(ValueError, "the tensor has 2 dimensions, a map that is im2col has 3 to 5", im2col, plane, (), (), 64, 32)
# R2.12, R2.46: boxes.
raises(ValueError, "'box' has 1 numbers, the tensor asks for 2", tiled, plane, (8,))
raises(TensorMapError, "the box of 'tile' has 257 elements in dimension 1, allowed are 1 to 256 [box-range]", tiled, plane, (257, 32))
# R2.13, R2.26, R2.47: element strides.
raises(ValueError, "'element_strides' has 1 numbers, the tensor asks for 2", tiled, plane, (8, 32), element_strides=(1,))
raises(TensorMapError, "the element stride of 'tensor' in dimension 1 is 9, allowed are 1 to 8", tiled, plane, (8, 32), element_strides=(9, 1))
# R2.14: corners.
image = View(0x10000, (2, 14, 10, 64), "f16")
raises(ValueError, "'lower' has 1 numbers, the tensor asks for 2", im2col, image, (-1,), (-1, -1), 64, 32)
# R2.15, R2.48, R2.49: types, and what they are taken for.
class Interface:
    def __init__(self, typestr, shape=(48, 64)):
        self.__cuda_array_interface__ = {"data": (0x10000, False), "typestr": typestr, "shape": shape, "version": 3}


for typestr, name in (("|u1", "UINT8"), ("<u2", "UINT16"), ("<u4", "UINT32"), ("<i4", "INT32"), ("<u8", "UINT64"),
                      ("<i8", "INT64"), ("<f2", "FLOAT16"), ("<f4", "FLOAT32"), ("<f8", "FLOAT64")):
    tiled(Interface(typestr), (8, 16))
    assert f"Tiled {name} rank 2" in last(), name
raises(TypeError, "the tensor's type is none of TMA's; 'dtype' says which to take it for: u8, u16", tiled, Interface("<c8"), (8, 16))
tiled(Interface("<c8"), (8, 16), dtype="u64")
raises(ValueError, "'dtype' is 'float'; there are u8, u16", tiled, plane, (8, 16), dtype="float")
raises(TypeError, "'dtype' is 4, which is no str", tiled, plane, (8, 16), dtype=4)
# R2.16, R2.54: bytes that are something else have to be counted as that.
raw = Interface("|u1", (48, 256))
raises(ValueError, "an element of the tensor has 1 bytes, a f32 has 4: extents would count something else", tiled, raw, (8, 16), dtype="f32")
tiled(View(0x10000, (48, 64), "f32", owner=raw), (8, 16))
# R2.17, R2.18, R2.44: enumerations, and numbers.
raises(ValueError, "'swizzle' is '128'; there are none, b32, b64, b128", tiled, plane, (8, 16), swizzle="128")
raises(TypeError, "'promotion' is '128', which is no int", tiled, plane, (8, 16), promotion="128")
raises(ValueError, "'promotion' is 100; there are 0, 64, 128, 256", tiled, plane, (8, 16), promotion=100)
raises(TypeError, "'box' has 8.0, which is no whole number", tiled, plane, (8.0, 16))
raises(TypeError, "'box' is 8, which is no sequence of numbers", tiled, plane, 8)
# R2.26, R2.41: numbers of the driver's enumerations.
for swizzle, number in (("none", 0), ("b32", 1), ("b64", 2), ("b128", 3)):
    tiled(plane, (8, 8), swizzle=swizzle)
    assert f"swizzle {number} " in last()
for promotion, number in ((0, 0), (64, 1), (128, 2), (256, 3)):
    tiled(plane, (8, 8), promotion=promotion)
    assert f"promotion {number} " in last()
tiled(plane, (8, 8), fill="nan")
assert "fill 1" in last()
raises(TensorMapError, "a fill with NaN needs a floating-point type, 'tensor' has u32", tiled, View(0x10000, (48, 64), "u32"), (8, 16), fill="nan")
raises(TensorMapError, "a swizzle of atoms larger than 16 bytes needs compute capability 10.0, the device has 9.0", tiled, plane, (8, 8), swizzle="b128_atom_32")

# R2.23, R2.51: im2col of 3 to 5 dimensions; corners come as [H, W] and [D, H, W] and go as the driver has them.
im2col(View(0x10000, (2, 10, 64), "f16"), (-3,), (-1,), 64, 32)
assert "extents [64, 10, 2] strides [128, 1280] lower [-3] upper [-1] channels 64 pixels 32" in last()
im2col(image, (-1, -3), (-2, -4), 64, 32, element_strides=(1, 2, 3, 1))
assert "extents [64, 10, 14, 2] strides [128, 1280, 17920] lower [-3, -1] upper [-4, -2] channels 64 pixels 32 steps [1, 3, 2, 1]" in last()
im2col(View(0x10000, (2, 6, 14, 10, 64), "f16"), (-1, -2, -3), (1, 2, 3), 64, 32)
assert "lower [-3, -2, -1] upper [3, 2, 1]" in last()
raises(TensorMapError, "the lower corner of 'tile' is -129 in dimension 1, allowed are -128 to 127 [corner-range]", im2col, image, (-1, -129), (-2, -4), 64, 32)
raises(TensorMapError, "the copy to 'tile' has 1025 pixels, allowed are 1 to 1024", im2col, image, (-1, -1), (-1, -1), 64, 1025)
# R2.27, R2.28, R2.52: im2col wide, on Blackwell.
raises(RuntimeError, "im2col wide needs compute capability 10.0, the device has 9.0", TensorMap.im2col_wide, image, -1, -1, 64, 32, driver=driver)
blackwell = FakeDriver(capability=100)
for shape in ((2, 10, 64), (2, 14, 10, 64), (2, 6, 14, 10, 64)):
    TensorMap.im2col_wide(View(0x10000, shape, "f16"), -1, -2, 64, 32, driver=blackwell)
    call = blackwell.take("cuTensorMap")[-1]
    assert f"rank {len(shape)} " in call and "lower -1 upper -2 channels 64 pixels 32 mode W swizzle 3" in call, call
wide = TensorMap.im2col_wide(image, -1, -2, 32, 32, mode="w128", swizzle="b64", driver=blackwell)
assert repr(wide) == "TensorMap(im2col wide w128, rank=4, dtype=f16, channels=32, pixels=32, swizzle=b64)"
raises(ValueError, "'mode' is 'x'; there are w, w128", TensorMap.im2col_wide, image, -1, -2, 64, 32, mode="x", driver=blackwell)
raises(TensorMapError, "[wide-layout]", TensorMap.im2col_wide, image, -1, -2, 16, 32, swizzle="b32", driver=blackwell)
raises(ValueError, "the tensor has 2 dimensions, a map that is im2col wide has 3 to 5", TensorMap.im2col_wide, plane, -1, -2, 64, 32, driver=blackwell)

# R2.19: the tensor is on the current device; R2.20: there is a context; R2.53: and a unit.
raises(ValueError, "the tensor is on device 1, the current one is 0", tiled, View(0x10000, (48, 64), "f32", device=1), (8, 32))
driver.context = 0
raises(RuntimeError, "there is no current CUDA context", tiled, plane, (8, 32))
driver.context = 0x77
raises(RuntimeError, "tensor maps need compute capability 9.0, the device has 8.0", TensorMap.tiled, plane, (8, 32), driver=FakeDriver(capability=80))

# R2.25: what the driver says is passed on.
driver.fails = {"cuTensorMapEncodeTiled": CUresult.CUDA_ERROR_INVALID_VALUE}
raises(tilelift.DriverError, "cuTensorMapEncodeTiled of the map of 'tile': CUDA_ERROR_INVALID_VALUE", tiled, plane, (8, 32))
driver.fails = {}

# R2.29: the memory lives as long as the map: the array and what DLPack has of it.
class Memory:
    pass


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Exporter:
    """As PyTorch: an array on the device, half of a bf16 tensor, through a capsule."""

    def __init__(self, device=0):
        self.device = device
        self.shape, self.strides = (ctypes.c_int64 * 2)(24, 64), (ctypes.c_int64 * 2)(128, 1)
        self.own = DLTensor(0x10000, 2, device, 2, 4, 16, 1, self.shape, self.strides, 256)

    def __dlpack_device__(self):
        return 2, self.device

    def __dlpack__(self, stream=None):
        assert stream == -1, "R2.32: nobody waits"
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.own), b"dltensor", None)


exporter = Exporter()
gone = weakref.ref(exporter)
made = tiled(exporter, (8, 64))
assert "Tiled BFLOAT16 rank 2 at 0x10100 extents [64, 24] strides [256] box [64, 8]" in last()
del exporter
gc.collect()
assert gone() is not None
del made
gc.collect()
assert gone() is None

# R2.31, R2.50: another address; if that cannot be, nothing changes.
made = tiled(plane, (8, 32), swizzle="b128")
before = bytes(made)
made.replace_address(View(0x40000, (48, 64), "f32"))
assert "at 0x40000 " in last() and made.address == 0x40000 and bytes(made) != before
before = bytes(made)
raises(TensorMapError, "the map of 'tensor' starts at 262152, which is no multiple of 16 bytes", made.replace_address, View(0x40008, (48, 64), "f32"))
raises(ValueError, "the tensor is on device 1, the current one is 0", made.replace_address, View(0x50000, (48, 64), "f32", device=1))
raises(ValueError, "the tensor has shape (48, 65) and strides (260, 4), the map is of (48, 64) and (256, 4)", made.replace_address, View(0x50000, (48, 65), "f32"))
raises(ValueError, "memory that the device cannot reach", made.replace_address, OnHost())
driver.fails = {"cuTensorMapEncodeTiled": CUresult.CUDA_ERROR_INVALID_VALUE}
raises(tilelift.DriverError, "CUDA_ERROR_INVALID_VALUE", made.replace_address, View(0x60000, (48, 64), "f32"))
driver.fails = {}
assert bytes(made) == before and made.address == 0x40000
# R2.30: of its context and device.
driver.context = 0x88
raises(RuntimeError, "the map was made in another context, on device 0", bytes, made)
raises(RuntimeError, "the map was made in another context, on device 0", made.replace_address, plane)
driver.context = 0x77

# R2.33, R2.35: an argument of a kernel, all 128 bytes by value; R2.34: what is passed is looked at once.
by_hand = Kernel("by_hand", entry="by_hand", lifted_entry="by_hand", arguments=(("map", 128), ("out", "pointer")),
                 block=(32, 1, 1), plan=lambda launch, *_: None)
driver.sizes["by_hand"] = (128, 8)
driver.take()
by_hand(Kernels({"by_hand": "by_hand"}, driver), 1, made, 0x20000)
[launched] = driver.take()
assert launched == f"cuLaunchKernelEx by_hand grid 1,1,1 block 32,1,1 shared 0 stream 0 (map {before[-1]}, 20000)", launched
assert len(bytes(made)) == 128
print("passed")
