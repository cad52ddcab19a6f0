"""A structure whose members are called like words of Python."""
import ctypes
import importlib.util
import sys

from fake_driver import FakeDriver
from tilelift.launch import load

spec = importlib.util.spec_from_file_location("launchers", sys.argv[1])
launchers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launchers)


class Sizes(ctypes.Structure):
    _fields_ = [("from", ctypes.c_int), ("is", ctypes.c_int)]


class Call(ctypes.Structure):
    _fields_ = [("in", ctypes.c_void_p), ("out", ctypes.c_void_p), ("lambda", Sizes)]


driver = FakeDriver()
handles = load(b"image", launchers.function_names, driver)
assert launchers.members(handles, (2, 2), Call(0x10000, 0x20000, Sizes(64, 48)))
assert not launchers.members(handles, (2, 2), Call(None, 0x20000, Sizes(64, 48)))
print("\n".join(driver.take("cuTensorMap")))
