"""What launches in Python are given: what is an address, and what is refused, with the kernel and the argument that it is for."""
import ctypes
import importlib.util
import inspect
import pickle
import sys

from fake_driver import FakeDriver
from tilelift import TensorMap, View
from tilelift.launch import Dispatch, Kernel, Kernels, load

spec = importlib.util.spec_from_file_location("launchers", sys.argv[1])
launchers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launchers)
driver = FakeDriver(sizes={"blur": (8, 8, 4, 4), "blur_tma": (8, 8, 4, 4, 128)})
handles = load(b"image", launchers.function_names, driver)


def raises(kind, text, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as problem:
        assert text in str(problem), problem
        return
    raise AssertionError(f"no {kind.__name__}: {text}")


def launched(launch, *arguments, **named):
    """The kernel, and what it is given."""
    launch(*arguments, **named)
    [call] = driver.take("cuLaunch")
    return call.split()[1], call[call.index("(") + 1:-1]


# A launcher tells what it takes; a kernel that travels between processes keeps it.
assert str(inspect.signature(launchers.convolve)) == (
    "(kernels: 'Handles', grid: 'Sizes', out: 'Pointer', in_: 'Pointer', lambda_: 'Object', S: 'Integer', /, *, "
    "block: 'Sizes' = None, shared: 'int' = 0, stream: 'Any' = 0, attributes: 'Sequence' = (), into: 'Dispatch' = None) "
    "-> 'bool'"), inspect.signature(launchers.convolve)
assert launchers.blur.__doc__.startswith(
    "Launches void blur(float *out, const float *in, int w, int h) in blocks of 128 x 1 x 1."), launchers.blur.__doc__
sys.modules["launchers"] = launchers
copied = pickle.loads(pickle.dumps(launchers.convolve.kernel))
assert (copied.scope, copied.signature) == ("images::", launchers.convolve.kernel.signature), copied.scope


class Number:  # of NumPy
    def __index__(self):
        return 0x10000


class Address:  # CUdeviceptr of cuda.bindings, MemoryPointer of CuPy
    def __int__(self):
        return 0x10000


class Tensor:
    def data_ptr(self):
        return 0x10000


class Array:
    __cuda_array_interface__ = {"data": (0x10000, False)}


class Real:  # NumPy's floats and arrays have both
    def __int__(self):
        return 0x10000

    def __float__(self):
        return 65536.


class Meta:
    def data_ptr(self):
        raise RuntimeError("the tensor has no memory")


# Addresses are whole numbers, and objects that have one; of nothing, null.
for pointer in (0x10000, Number(), Address(), Tensor(), Array(), ctypes.c_void_p(0x10000)):
    assert launched(launchers.blur, handles, 1, 0x20000, pointer, 64, 48)[1].startswith("20000, 10000, 40, 30, map"), pointer
for pointer in (0, None, ctypes.c_void_p(None)):
    assert launched(launchers.blur, handles, 1, 0x20000, pointer, 64, 48) == ("blur", "20000, 0, 40, 30"), pointer
# Nothing else is, whatever number could be made of it.
for pointer, shown in ((65536., "65536.0"), (True, "True"), ("65536", "'65536'"), (b"65536", "b'65536'"), (Real(), "<"), ([1], "[1]"),
                       (2j, "2j"), (Tensor, "<class "), (Array, "<class ")):
    for given in ({}, {"block": 64}, {"into": Dispatch()}):
        raises(TypeError, f"blur(): 'in' is {shown}", launchers.blur, handles, 1, 0x20000, pointer, 64, 48, **given)
raises(TypeError, "blur(): 'out' is 2.5, which is no address: that is a whole number, or an object that has data_ptr() or "
       "__cuda_array_interface__", launchers.blur, handles, 1, 2.5, 0x10000, 64, 48)
raises(RuntimeError, "blur(): 'in': the tensor has no memory", launchers.blur, handles, 1, 0x20000, Meta(), 64, 48)


class Says:  # where it is, in its own way
    def __init__(self, said):
        self.data_ptr = said


class Interface:
    def __init__(self, said):
        self.__cuda_array_interface__ = said


def raising(problem):
    def fails():
        raise problem
    return fails


# What an object says has to be an address, and what it fails with is told of the argument.
for said in (None, 1.5, "0x10000", True):
    for given in ({}, {"block": 64}, {"into": Dispatch()}):
        raises(TypeError, f"blur(): 'in': data_ptr says {said!r}, which is no address", launchers.blur, handles, 1, 0x20000,
               Says(lambda: said), 64, 48, **given)
raises(TypeError, "blur(): 'in': __cuda_array_interface__ says None, which is no address", launchers.blur, handles, 1, 0x20000,
       Interface({"data": (None, False)}), 64, 48)
for value, text in ((Says(raising(NotImplementedError("sparse"))), "NotImplementedError: sparse"), (Says(5), "TypeError: 'int' object"),
                    (Says(raising(AttributeError("no storage"))), "AttributeError: no storage"), (Interface({}), "KeyError: 'data'"),
                    (Interface(None), "TypeError: 'NoneType' object is not subscriptable")):
    raises(RuntimeError, f"blur(): 'in': {text}", launchers.blur, handles, 1, 0x20000, value, 64, 48)
# An address that no pointer holds, whichever kernel would run, now or later, and one that is large.
for pointer in (-1, 1 << 64, -(1 << 70)):
    for given in ({}, {}, {"block": 64}, {"into": Dispatch()}):
        raises(OverflowError, f"blur(): 'out' is {pointer}, which no pointer holds", launchers.blur, handles, 1, pointer, 0x10000, 64,
               48, **given)
    raises(OverflowError, f"blur(): 'in' is {pointer}, which no pointer holds", launchers.blur, handles, 1, 0x20000, pointer, 64, 48)
assert driver.take("cuLaunch") == []
assert launched(launchers.blur, handles, 1, (1 << 64) - 1, 0x10000, 64, 48)[0] == "blur_tma"

# Numbers.
raises(TypeError, "blur(): 'w' is 2.5, which is no whole number", launchers.blur, handles, 1, 1, 2, 2.5, 4)
raises(TypeError, "blur(): 'w' is '64', which is no whole number", launchers.blur, handles, 1, 1, 2, "64", 4)
for given in ({}, {"block": 64}, {"into": Dispatch()}):
    raises(OverflowError, "blur(): 'w' is 4294967296, which no i32 holds", launchers.blur, handles, 1, 1, 2, 1 << 32, 4, **given)
raises(ValueError, "blur(): the grid is (2, 0): it takes one to three positive numbers", launchers.blur, handles, (2, 0), 1, 2, 3, 4)
raises(ValueError, "blur(): the grid is 0: it takes one to three positive numbers", launchers.blur, handles, 0, 1, 2, 3, 4)
raises(ValueError, "blur(): the block is (2, 0): it takes one to three positive numbers", launchers.blur, handles, 1, 1, 2, 3, 4,
       block=(2, 0))
for shape in (None, 1.5):
    raises(ValueError, f"blur(): the grid is {shape}: it takes one to three positive numbers", launchers.blur, handles, shape, 1, 2, 3, 4)
raises(ValueError, "blur(): the block is 1.5: it takes one to three positive numbers", launchers.blur, handles, 1, 1, 2, 3, 4, block=1.5)
for shared in (-1, "x", 1.5):
    raises(ValueError, f"blur(): the shared memory is {shared!r}: it takes a number of bytes", launchers.blur, handles, 1, 1, 2, 3, 4,
           shared=shared)
raises(TypeError, "blur(): the attributes are 5: they are a list of CUlaunchAttribute", launchers.blur, handles, 1, 1, 2, 3, 4,
       attributes=5)


def kernel_of(*arguments, plan=lambda launch, *_: None):
    driver.sizes = {"own": sizes_of(arguments), "own_tma": sizes_of(arguments)}
    kernel = Kernel("own", "own", "own_tma", arguments, (128, 1, 1), plan)
    loaded = Kernels({"own": "own", "own_tma": "own_tma"}, driver)
    return lambda *values, **named: kernel(loaded, 1, *values, **named)


def sizes_of(arguments):
    return tuple(kind if isinstance(kind, int) else 8 if kind == "pointer" else int(kind[1:]) // 8 for _, kind in arguments)


raises(ValueError, "own(): 'x' is of kind 'f16'; there are pointer, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, and the size of an "
       "object", Kernel, "own", "own", "own", (("x", "f16"),), (128, 1, 1), None)
scale = kernel_of(("by", "f32"), ("and", "f64"))
assert launched(scale, 1.5, Real()) == ("own_tma", "3fc00000, 40f0000000000000")
assert launched(scale, 1, -2) == ("own_tma", "3f800000, c000000000000000")
assert launched(scale, float("-inf"), 1 << 70) == ("own_tma", "ff800000, 4450000000000000")
for value, shown in (("1.5", "'1.5'"), (None, "None"), (2j, "2j"), (Tensor(), "<")):
    raises(TypeError, f"own(): 'by' is {shown}", scale, value, 1)
    raises(TypeError, f"own(): 'and' is {shown}", scale, 1.5, value, block=64)
raises(TypeError, "own(): 'by' is '1.5', which is no number", scale, "1.5", 1)
for given in ({}, {}, {"block": 64}, {"into": Dispatch()}):
    raises(OverflowError, "own(): 'by' is 1e+300, which no f32 holds", scale, 1e300, 1, **given)
    raises(OverflowError, f"own(): 'and' is {10 ** 400}, which no f64 holds", scale, 1., 10 ** 400, **given)

# Objects, by value.
paint = kernel_of(("colour", 4))
for value in ("7", 7., None, Tensor(), [7]):
    raises(TypeError, "own(): 'colour' is ", paint, value)
raises(TypeError, "own(): 'colour' is 7.0, which are no 4 bytes: a ctypes.Structure, bytes, a tensor map, or a whole number", paint, 7.)
raises(TypeError, "own(): 'colour' has 3 bytes, the kernel takes 4", paint, b"abc")
# Negative ones are what C++ has of them.
for number, packed in ((7, "7"), (-1, "ffffffff"), (-(1 << 31), "80000000"), ((1 << 32) - 1, "ffffffff"), (Number(), "10000")):
    assert launched(paint, number) == ("own_tma", packed), number
for number in (1 << 32, -(1 << 31) - 1):
    raises(OverflowError, f"own(): 'colour' is {number}, which 4 bytes do not hold", paint, number)
signed = kernel_of(("a", "i8"), ("b", "i16"), ("c", "i32"), ("d", "i64"))
for numbers, packed in (((-1, -2, -3, -4), "ff, fffe, fffffffd, fffffffffffffffc"), ((127, -32768, 1, -(1 << 63)), "7f, 8000, 1, " +
                        "8000000000000000")):
    for given in ({}, {"block": 64}):
        assert launched(signed, *numbers, **given)[1] == packed, numbers
unsigned = kernel_of(("a", "u8"), ("b", "u16"), ("c", "u32"), ("d", "u64"))
assert launched(unsigned, 255, 65535, (1 << 32) - 1, (1 << 64) - 1)[1] == "ff, ffff, ffffffff, ffffffffffffffff"
for i, name in enumerate("abcd"):
    for own, kind, number in ((signed, "i", 1 << (8 << i) - 1), (signed, "i", -(1 << (8 << i) - 1) - 1), (unsigned, "u", 1 << (8 << i)),
                              (unsigned, "u", -1)):
        driver.sizes = {"own": (1, 2, 4, 8), "own_tma": (1, 2, 4, 8)}
        raises(OverflowError, f"own(): '{name}' is {number}, which no {kind}{8 << i} holds", own,
               *(number if j == i else 0 for j in range(4)))
driver.sizes = {"own": (4,), "own_tma": (4,)}
made = TensorMap.tiled(View(0x10000, (48, 64), "f32"), (8, 32), driver=driver)
raises(TypeError, "own(): 'colour' has 128 bytes, the kernel takes 4", paint, made)
by_hand = kernel_of(("map", 128))
driver.context = 0x88
raises(RuntimeError, "own(): 'map': the map was made in another context, on device 0", by_hand, made)
driver.context = 0x77


class Wrong(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int * 4)]


class Call(ctypes.Structure):
    _fields_ = [("in", ctypes.c_double)]


convolve = launchers.convolve
raises(TypeError, "convolve(): 'lambda' is given as bytes, and the launch depends on 'lambda.w': give a ctypes.Structure", convolve,
       handles, 1, 1, 2, bytes(16), 4)
raises(AttributeError, "convolve(): 'lambda': 'Wrong' object has no attribute 'w'", convolve, handles, 1, 1, 2, Wrong(), 4)


def _plan_scale(launch, call):
    launch.bulk("tile", "call.in", getattr(call, "in"))


raises(TypeError, "own(): 'call.in' is 2.5, which is no address", kernel_of(("call", 8), plan=_plan_scale), Call(2.5))
print("passed")
