"""What each launch did and why."""
import importlib.util
import sys

from fake_driver import FakeDriver
from tilelift.launch import load

spec = importlib.util.spec_from_file_location("launchers", sys.argv[1])
launchers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launchers)
driver = FakeDriver()
driver.has_memory = lambda address: address != 0x50000
handles = load(b"image", launchers.function_names, driver)
launchers.blur(handles, (2, 2), 0x20000, 0x10000, 64, 48)
launchers.blur(handles, (2, 2), 0x20000, 0x10000, 63, 48)
launchers.blur(handles, (2, 2), 0x20000, 0x10004, 64, 0, block=64)
launchers.blur(handles, (2, 3), 0x20000, 0x50000, 64, 48)
# Asking why changes nothing: what is given as bytes has no members that words could name.
assert not launchers.convolve(handles, 4, 0x20000, 0x10000, bytes(16), 3, block=64)
