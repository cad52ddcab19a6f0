"""Launchers in Python, and the kernels that they start: emulated.py LAUNCHERS COMMAND..."""
import ctypes
import importlib.util
import random
import struct
import sys

from emulated_driver import EmulatedDriver
from tilelift.launch import Dispatch, load

spec = importlib.util.spec_from_file_location("launchers", sys.argv[1])
launchers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launchers)

SIZE = 1 << 16
LAUNCHERS = (launchers.blur, launchers.convolve, launchers.gather_8, launchers.gather_16)
FORMATS = {"pointer": 8, "i32": 4}
SIZES = {}
for kernel in (launcher.kernel for launcher in LAUNCHERS):
    own = tuple(FORMATS.get(kind, kind) for _, kind in kernel.arguments)
    SIZES[kernel.entry] = own
    SIZES[kernel.lifted_entry] = own + ((128,) if kernel.launcher in LAUNCHERS[:2] else ())

driver = EmulatedDriver(sys.argv[2:], sizes=SIZES)
handles = load(b"", launchers.function_names, driver)
chance = random.Random(7)
numbers = driver.allocate(struct.pack(f"{SIZE // 4}f", *(chance.random() for _ in range(SIZE // 4))))
others = driver.allocate(struct.pack(f"{SIZE // 4}f", *(chance.random() for _ in range(SIZE // 4))))
rows = driver.allocate(struct.pack("16i", *(chance.randrange(64) for _ in range(16))))
out, between = driver.allocate(bytes(SIZE)), driver.allocate(bytes(SIZE))


def cleared(address):
    driver.ask("write", address, bytes(SIZE).hex())


def compare(what, launch, entry, grid, *arguments):
    """Against the plain kernel, which no launcher starts."""
    cleared(out)
    used = launch()
    ours = driver.read(out, SIZE)
    cleared(out)
    packed = [bytes(each) if isinstance(each, Shape) else each.to_bytes(size, "little")
              for each, size in zip(arguments, SIZES[entry])]
    driver.launch(entry, grid, (128, 1, 1), 0, packed)
    assert any(ours) and ours == driver.read(out, SIZE), what
    print(f"{what}: the same bytes, {'TMA' if used else 'plain'}")



class Shape(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int), ("w", ctypes.c_int), ("q", ctypes.c_int), ("pad", ctypes.c_int)]


shape = Shape(2, 40, 42, 1)
blur, convolve = launchers.blur, launchers.convolve
compare("blur", lambda: blur(handles, (2, 2), out, numbers, 64, 48), "blur", (2, 2, 1), out, numbers, 64, 48)
compare("blur of others", lambda: blur(handles, (2, 2), out, others, 64, 48), "blur", (2, 2, 1), out, others, 64, 48)
compare("blur, odd", lambda: blur(handles, (2, 2), out, numbers, 63, 48), "blur", (2, 2, 1), out, numbers, 63, 48)
compare("convolve", lambda: convolve(handles, 2, out, numbers, shape, 3), convolve.kernel.entry, (2, 1, 1), out, numbers,
        shape, 3)
for gather in LAUNCHERS[2:]:
    compare(gather.kernel.name, lambda: gather(handles, 1, out, numbers, rows, 64), gather.kernel.entry, (1, 1, 1), out,
            numbers, rows, 64)


def both():
    with Dispatch() as dispatch:
        blur(handles, (2, 2), between, numbers, 64, 48, into=dispatch)
        return blur(handles, (2, 2), out, between, 64, 48, into=dispatch)


compare("dispatch", both, "blur", (2, 2, 1), out, between, 64, 48)
driver.close()
