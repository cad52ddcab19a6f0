"""Tensor maps as objects, against a driver that records."""
import ctypes

from fake_driver import FakeDriver
from tilelift import TensorMap, TensorMapError, View

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
    """Memory of the device, through a capsule of DLPack's."""

    def __init__(self, code, bits, shape=(48, 64), strides=None, kind=2):
        self.kind = kind
        self.numbers = [(ctypes.c_int64 * len(each))(*each) for each in (shape, strides or ())]
        self.own = DLTensor(0x10000, kind, 0, len(shape), code, bits, 1, self.numbers[0],
                            self.numbers[1] if strides else None, 0)

    def __dlpack_device__(self):
        return self.kind, 0

    def __dlpack__(self, stream=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.own), b"dltensor", None)


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
for tensor, found in ((Interface(">f4"), "'>f4'"), (Interface(">u8"), "'>u8'"), (Interface("<c8"), "'<c8'"),
                      (Interface("<M8[ns]"), "'<M8[ns]'"), (Exporter(5, 64), "of DLPack's code 5 and 64 bits"),
                      (Exporter(0, 16), "of DLPack's code 0 and 16 bits")):
    raises(TypeError, f"elements are {found}: the tensor's type is none of TMA's; 'dtype' says which to take it for: {TYPES}",
           tiled, tensor, (8, 16))
raises(TypeError, f"elements are of 4 bytes: the tensor's type is none of TMA's; 'dtype' says which to take it for: {TYPES}",
       tiled, View(0x10000, (48, 64), None, item_size=4), (8, 16))
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
print("passed")
