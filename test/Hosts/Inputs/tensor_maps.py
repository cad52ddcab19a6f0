"""Tensor maps as objects, against a driver that records."""
import ctypes
import gc

from fake_driver import CUresult, FakeDriver
from tilelift import DriverError, TensorMap, TensorMapError, TensorMapOptions, View

driver, blackwell = FakeDriver(), FakeDriver(capability=100)
TYPES = ("u8, u16, u32, i32, u64, i64, f16, f32, f64, bf16, f32_ftz, tf32, tf32_ftz, u4_align8, u4_align16, "
         "u6_align16")


def raises(kind, text, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as problem:
        assert text in str(problem), problem
        return
    raise AssertionError(f"no {kind.__name__}: {text}")


def tiled(view, box, **named):
    return TensorMap.tiled(view, box, driver=driver, **named)


def packed(view, box, **named):
    return TensorMap.tiled(view, box, driver=blackwell, **named)


def encoded(of=driver):
    [call] = of.take("cuTensorMap")
    return call


class Interface:
    def __init__(self, typestr, shape=(48, 64)):
        self.__cuda_array_interface__ = {"data": (0x10000, False), "typestr": typestr, "shape": shape, "version": 3}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Exporter:
    """Memory of the device, through capsules of DLPack's, which say in `freed` that nobody has them any more."""

    def __init__(self, code, bits, shape=(48, 64), strides=None, kind=2, device=0, address=0x10000):
        self.kind, self.device, self.freed, self.lanes = kind, device, [], 1
        self.code, self.bits, self.address = code, bits, address
        self.numbers = [(ctypes.c_int64 * len(each))(*each) for each in (shape, strides or ())]
        self.strides = self.numbers[1] if strides else None

    def __dlpack_device__(self):
        return self.kind, self.device

    def __dlpack__(self, *, stream=0):
        assert stream == (-1 if self.kind == 2 else 0), "memory of the host has no stream"
        own = DLTensor(self.address, self.kind, self.device, len(self.numbers[0]), self.code, self.bits, self.lanes,
                       self.numbers[0], self.strides, 0)
        freed = self.freed
        gone = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: freed.append(own.data))
        capsules.append((own, gone))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(own), b"dltensor", ctypes.cast(gone, ctypes.c_void_p))


capsules = []

# Packed elements are counted one by one, and boxes of them: four of six bits are three bytes, whatever the tensor counts.
for view, name in ((View(0x10000, (48, 192), "u8"), "u6_align16"), (View(0x10000, (48, 48), "u32"), "u6_align16"),
                   (View(0x10000, (48, 128), "u8"), "u4_align16"), (View(0x10000, (48, 128), "u8"), "u4_align8"),
                   (View(0x10000, (48, 256), "u6_align16"), None), (View(0x10000, (48, 256), "u4_align16"), None),
                   (View(0x10000, (48, 256), "u6_align16", strides=(192, 1)), None),
                   (Exporter(15, 6, (48, 256)), "u6_align16"), (Exporter(17, 4, (48, 256), (256, 1)), "u4_align16"),
                   (Exporter(15, 6, (48, 256), (256, 1)), "u6_align16")):
    made = packed(view, (8, 128), dtype=name)
    stride = 192 if made.dtype == "u6_align16" else 128
    assert f"rank 2 at 0x10000 extents [256, 48] strides [{stride}] box [128, 8]" in encoded(blackwell), made
TensorMap.im2col(View(0x10000, (2, 14, 10, 192), "u8"), (-1, -1), (-1, -1), 128, 32, dtype="u6_align16", driver=blackwell)
assert "extents [256, 10, 14, 2] strides [192, 1920, 26880] " in encoded(blackwell)
# What is no whole number of them is none of 128, either.
for columns, elements in ((97, 129), (95, 126), (100, 133)):
    raises(TensorMapError, f"the rows of 'tensor' have {elements} elements, which is no multiple of 128 [packed-extent]", packed,
           View(0x10000, (48, columns), "u8", strides=(128, 1)), (8, 128), dtype="u6_align16")
raises(TensorMapError, "the rows of 'tensor' have 96 elements, which is no multiple of 128 [packed-extent]", packed,
       View(0x10000, (48, 96), "u6_align16", strides=(96, 1)), (8, 128))
raises(ValueError, "an element of the tensor has 6 bits, a u8 has 8: extents would count something else", packed,
       View(0x10000, (48, 256), "u6_align16"), (8, 128), dtype="u8")
raises(ValueError, "elements of a row are 2 bytes apart, and have 1: TMA copies rows that are dense", packed,
       Exporter(17, 4, (48, 256), (512, 2)), (8, 128), dtype="u4_align16")

# Types that TMA does not have, by all ways that say one, are answered with those that it has.
for tensor, found in ((Interface(">f4"), "'>f4'"), (Interface(">f2"), "'>f2'"), (Interface("<c8"), "'<c8'"),
                      (Interface("<M8[ns]"), "'<M8[ns]'"), (Exporter(5, 64), "of DLPack's code 5 and 64 bits"),
                      (Exporter(0, 16), "of DLPack's code 0 and 16 bits")):
    raises(TypeError, f"elements are {found}: the tensor's type is none of TMA's; 'dtype' says which to take it for: {TYPES}",
           tiled, tensor, (8, 16))
raises(TypeError, f"elements are of 4 bytes: the tensor's type is none of TMA's; 'dtype' says which to take it for: {TYPES}",
       tiled, View(0x10000, (48, 64), None, item_size=4), (8, 16))
tiled(View(0x10000, (48, 64), None), (8, 16), dtype="u8")  # where nobody says how long elements are, bytes
assert "Tiled UINT8 rank 2 at 0x10000 extents [64, 48] strides [64] " in encoded()
raises(TensorMapError, "'tensor' is null [address-null]", tiled, Exporter(2, 32, address=None), (8, 16))
tiled(Interface(">f4"), (8, 16), dtype="u32")
assert "Tiled UINT32 " in encoded()
tiled(Interface(">u1"), (8, 16))  # a byte has no order
assert "Tiled UINT8 " in encoded()


class Alike:
    def __eq__(self, other):
        return True


raises(ValueError, f"'dtype' is 'float'; there are {TYPES}", View, 0x10000, (48, 64), "float")
raises(ValueError, f"'dtype' is ''; there are {TYPES}", View, 0x10000, (48, 64), "")
raises(TypeError, "'dtype' is 4, which is no str", View, 0x10000, (48, 64), 4)
raises(TypeError, ", which is no str", View, 0x10000, (48, 64), Alike())


class Named:
    """As numpy.dtype has a name, and torch.dtype only a text."""
    def __init__(self, name, text=None):
        self.text = text or name
        if not text:
            self.name = name

    def __repr__(self):
        return self.text


# Types of NumPy, ml_dtypes, PyTorch and DLPack.
bfloat16 = type("bfloat16", (), {})
for given, name in ((Named("float32"), "f32"), (Named("half", "torch.float16"), "f16"), (bfloat16, "bf16"),
                    (type("float8_e4m3fn", (), {}), "u8"), ((2, 64), "f64"), ((1, 16, 1), "u16"), (Named("int64"), "i64")):
    assert View(0x10000, (48, 64), given).dtype == name, given
tiled(View(0x10000, (48, 64), "u32"), (8, 16), dtype=Named("float32"))
assert "Tiled FLOAT32 " in encoded()
raises(TypeError, "'dtype' is complex64, which is no str", View, 0x10000, (48, 64), Named("complex64"))
raises(TypeError, "'dtype' is (2, 32, 4), which is no str", View, 0x10000, (48, 64), (2, 32, 4))

# Another address is one of the same elements, whatever their size.
plane = View(0x10000, (48, 64), "f32")
made = tiled(plane, (8, 32))
before = bytes(made)
for other, found in ((View(0x20000, (48, 64), "i32"), "i32"), (View(0x20000, (48, 64), "tf32"), "tf32"),
                     (Interface(">f4"), "'>f4'"), (View(0x20000, (48, 64), None, item_size=4), "of 4 bytes")):
    raises(ValueError, f"elements of the tensor are {found}, those of the map f32", made.replace_address, other)
assert bytes(made) == before and made.address == 0x10000
raises(ValueError, "elements of the tensor are f64, those of the map f32",
       tiled(View(0x10000, (64,), "f32", strides=(4,)), (32,)).replace_address, View(0x20000, (64,), "f64", strides=(4,)))
# What the map takes them for is as good as what its tensor does.
made = tiled(plane, (8, 32), dtype="tf32")
for other in (View(0x20000, (48, 64), "f32"), View(0x30000, (48, 64), "tf32"), Interface("<f4")):
    made.replace_address(other)
    assert made.dtype == "tf32"
raises(ValueError, "elements of the tensor are u32, those of the map f32", made.replace_address, View(0x20000, (48, 64), "u32"))
made = tiled(Interface("<c8"), (8, 16), dtype="u64")
made.replace_address(View(0x40000, (48, 64), "u64"))
raises(ValueError, "elements of the tensor are f64, those of the map '<c8'", made.replace_address, View(0x20000, (48, 64), "f64"))
driver.take()

# What a code of DLPack's and its bits are, and that all others are nothing.
codes = {(0, 32): "INT32", (0, 64): "INT64", (1, 8): "UINT8", (1, 16): "UINT16", (1, 32): "UINT32", (1, 64): "UINT64",
         (2, 16): "FLOAT16", (2, 32): "FLOAT32", (2, 64): "FLOAT64", (4, 16): "BFLOAT16"}
for code in range(18):
    for bits in (8, 16, 32, 64, 128):
        if (code, bits) in codes:
            tiled(Exporter(code, bits), (8, 16))
            assert f"Tiled {codes[code, bits]} rank 2 at 0x10000 extents [64, 48] strides [{8 * bits}] box" in encoded()
        else:
            raises(TypeError, f"elements are of DLPack's code {code} and {bits} bits: the tensor's type is none of TMA's", tiled,
                   Exporter(code, bits), (8, 16))
pairs = Exporter(2, 32)
pairs.lanes = 2
raises(ValueError, "elements of 2 lanes have no type of TMA's", tiled, pairs, (8, 16))
# Memory of the device is of one device; what the host has for devices, or all reach, is not.
raises(ValueError, "the tensor is on device 1, the current one is 0", tiled, Exporter(2, 32, device=1), (8, 16))
for kind in range(20):
    if kind in (3, 13):
        tiled(Exporter(2, 32, kind=kind, device=1), (8, 16))
    elif kind != 2:
        raises(ValueError, f"the tensor is in memory that the device cannot reach (DLPack's kind {kind})", tiled,
               Exporter(2, 32, kind=kind), (8, 16))
driver.take()

# A capsule frees the tensor when nobody has it: it lives as long as the map leads there, and no longer.
first, second = Exporter(2, 32), Exporter(2, 32, address=0x20000)
made = tiled(first, (8, 32))
gc.collect()
assert first.freed == []
driver.fails = {"cuTensorMapEncodeTiled": CUresult.CUDA_ERROR_INVALID_VALUE}
raises(DriverError, "CUDA_ERROR_INVALID_VALUE", made.replace_address, second)
driver.fails = {}
gc.collect()
assert (first.freed, second.freed) == ([], [0x20000]), (first.freed, second.freed)
made.replace_address(second)
gc.collect()
assert (first.freed, second.freed) == ([0x10000], [0x20000]), (first.freed, second.freed)
del made
gc.collect()
assert second.freed == [0x20000] * 2
raises(TensorMapError, "box-range", tiled, first, (8, 300))
gc.collect()
assert first.freed == [0x10000] * 2, "who is refused keeps nothing"

# Maps are the current device's, whichever it is.
third = FakeDriver(device=3)
made = TensorMap.tiled(View(0x10000, (48, 64), "f32", device=3), (8, 32), driver=third)
assert made.device == 3
raises(ValueError, "the tensor is on device 0, the current one is 3", TensorMap.tiled, View(0x10000, (48, 64), "f32", device=0), (8, 32),
       driver=third)
third.device = 2
raises(RuntimeError, "the map was made in another context, on device 3", bytes, made)

# Each kind of pixels is a function of the driver's, or a mode of it.
images = View(0x10000, (2, 14, 10, 128), "f16")
sizes = "rank 4 at 0x10000 extents [128, 10, 14, 2] strides [256, 2560, 35840]"
TensorMap.im2col(images, (-1, -2), (-3, -4), 64, 32, swizzle="b128", element_strides=(1, 2, 3, 1), driver=blackwell)
assert encoded(blackwell) == (f"cuTensorMapEncodeIm2col FLOAT16 {sizes} lower [-2, -1] upper [-4, -3] channels 64 pixels 32 "
                              "steps [1, 3, 2, 1] swizzle 3 promotion 0 fill 0")
for mode, swizzle, number in (("w", "b128", 3), ("w128", "b64", 2)):
    TensorMap.im2col_wide(images, -2, -4, 32, 16, mode=mode, swizzle=swizzle, element_strides=(1, 1, 3, 1), promotion=256,
                          fill="nan", driver=blackwell)
    assert encoded(blackwell) == (f"cuTensorMapEncodeIm2colWide FLOAT16 {sizes} lower -2 upper -4 channels 32 pixels 16 mode "
                                  f"{mode.upper()} swizzle {number} promotion 3 fill 1 steps [1, 3, 1, 1]")
TensorMap.im2col_wide(images, -2, -4, 32, 16, options=TensorMapOptions(swizzle="b64", promotion=64), driver=blackwell)
assert "mode W swizzle 2 promotion 1 " in encoded(blackwell)
TensorMap.im2col_wide(images, -2, -4, 64, 16, promotion=64, driver=blackwell)
assert "mode W swizzle 3 promotion 1 " in encoded(blackwell)
print("passed")
