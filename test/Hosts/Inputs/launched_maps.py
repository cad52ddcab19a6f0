"""The maps that launches in Python make: of which kind, when, how many; and what is asked of the driver only once."""
import gc
import weakref

import fake_driver
from fake_driver import FakeDriver
from tilelift.launch import Dispatch, Kernel, Kernels, _Site

ENTRIES = ("own", "own_tma")


def loaded(driver, maps=1):
    driver.sizes = {"own": (8, 4), "own_tma": (8, 4) + (128,) * maps}
    return Kernels(dict(zip(ENTRIES, ENTRIES)), driver)


def kernel_of(plan, **options):
    return Kernel("own", *ENTRIES, (("in", "pointer"), ("w", "i32")), (128, 1, 1), plan, **options)


def encoded(driver):
    return driver.take("cuTensorMap")


def lines(in_lines, **options):
    def plan(launch, in_, w):
        launch.pixels("tile_map", "tile", "in", "u16", in_, 64, (32, 64),
                      [(64, "64"), (w, "w", 128, "128", 9, 2, "2", -1, "-1"),
                       (14, "14", 128 * w, "w * 128", 6, 3, "3", -2, "-2"), (2, "2", 1792 * w, "w * 1792")], swizzle=64,
                      in_lines=in_lines)
    return kernel_of(plan, **options)


def row(in_lines):
    """Of three dimensions: what launches change is the same for both kinds."""
    return kernel_of(lambda launch, in_, w: launch.pixels(
        "tile_map", "tile", "in", "u16", in_, 0, (32, 64), [(64, "64"), (w, "w", 128, "128", 9, 2, "2", -1, "-1"), (2, "2", 4096, "")],
        swizzle=64, in_lines=in_lines))


def tiles(element="u16", box=(64, 32), swizzle=128):
    return kernel_of(lambda launch, in_, w: launch.tiled("tile_map", "tile", "in", element, in_, 0, box,
                                                         [(w, "w"), (14, "14", 2 * w, "w * 2")], swizzle=swizzle))


# Pixels of one line are im2col::w where the code has that, and im2col on older devices and in older code. Where a line is in
# other dimensions, its instruction says.
numbers = "UINT16 rank 4 at 0x10040 extents [64, 24, 14, 2] strides [128, 3072, 43008]"
plain = f"cuTensorMapEncodeIm2col {numbers} lower [-1, -2] upper [-8, 0] channels 32 pixels 64 steps [1, 2, 3, 1] swizzle 2 promotion 2 fill 0"
wide = (f"cuTensorMapEncodeIm2colWide {numbers} lower -1 upper -8 channels 32 pixels 64 mode W swizzle 2 promotion 2 fill 0 "
        "steps [1, 2, 1, 1]")
for capability, ptx, in_lines, wanted in ((90, 90, True, plain), (100, 90, True, plain), (100, 100, True, wide),
                                          (100, 100, False, plain)):
    driver = FakeDriver(capability=capability)
    driver.ptx = ptx
    for into in (None, Dispatch()):  # by the function that starts, and by the one that only judges
        assert lines(in_lines).launcher(loaded(driver), 1, 0x10000, 24, into=into)
        if into:
            into.run()
        assert encoded(driver) == [wanted], (capability, ptx)

# Launches in one dispatch have one map where all that the driver is told is the same.
driver = FakeDriver(capability=100)
one = loaded(driver)
with Dispatch() as dispatch:
    for launcher in (lines(True), lines(False), row(True), row(False), lines(True), lines(False), row(True), row(False)):
        launcher(one, 1, 0x10000, 24, into=dispatch)
    for launcher in (tiles(), tiles("f16"), tiles(box=(64, 16)), tiles(swizzle=0), tiles()):
        launcher(one, 1, 0x10000, 64, into=dispatch)
    tiles()(one, 1, 0x20000, 64, into=dispatch)
    assert not driver.take("cuTensorMap")
calls = driver.take(("cuTensorMap", "cuLaunch"))
assert [call.split()[0] for call in calls[:9]] == ["cuTensorMapEncodeIm2colWide", "cuTensorMapEncodeIm2col"] * 2 + [
    "cuTensorMapEncodeTiled"] * 5, calls
first = fake_driver.CUtensorMap.made - 8
used = [int(call.split("map ")[1][:-1]) - first for call in calls[9:]]
assert used == [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 8], used

# Nobody makes a map for a launch that runs plain, or for one of a dispatch that never runs.
driver = FakeDriver()
one = loaded(driver)
for in_, w, named in ((0x10004, 64, {}), (0x10000, 63, {}), (0x10000, 64, {"block": 64}), (0x10000, 64, {"shared": 232448})):
    assert not tiles()(one, 1, in_, w, **named)
    with Dispatch() as dispatch:
        assert not tiles()(one, 1, in_, w, into=dispatch, **named)
assert [call.split()[1] for call in driver.take(("cuTensorMap", "cuLaunch"))] == ["own"] * 8
try:
    with Dispatch() as dispatch:
        assert tiles()(one, 1, 0x10000, 64, into=dispatch)
        raise KeyError("before it runs")
except KeyError:
    pass
assert not driver.take(("cuTensorMap", "cuLaunch"))
dispatch.run()
dispatch.run()  # once
assert len(driver.take("cuLaunch")) == 1

# Only so many maps are remembered; those that nobody uses are gone, and those that a launch has are not.
made = []


class Map(fake_driver.CUtensorMap):
    def __init__(self):
        super().__init__()
        made.append(weakref.ref(self))


class Making(FakeDriver):
    def results(self, name, arguments):
        return (Map().fill(),) if name.startswith("cuTensorMapEncode") else super().results(name, arguments)


def alive():
    gc.collect()
    return [i for i, own in enumerate(made) if own() is not None]


assert _Site.MOST_REMEMBERED == 1024
_Site.MOST_REMEMBERED = 2
driver = Making()
one, own = loaded(driver), tiles()
for in_ in (0x10000, 0x20000, 0x10000, 0x20000):
    own(one, 1, in_, 64)
assert alive() == [0, 1]
own(one, 1, 0x30000, 64)
assert alive() == [2]
own(one, 1, 0x10000, 64)
own(one, 1, 0x30000, 64)
assert alive() == [2, 3] and len(encoded(driver)) == 4
made.clear()
with Dispatch() as dispatch:
    for i in range(5):
        own(one, 1, 0x100000 + i * 0x10000, 64, into=dispatch)
used = [int(call.split("map ")[1][:-1]) for call in driver.take("cuLaunch")]
assert used == [*range(used[0], used[0] + 5)], used
del dispatch
assert alive() == [4], made
_Site.MOST_REMEMBERED = 1024

# What is known of a kernel and of its code is asked once, of the device that is there.
class CUkernel:
    def __init__(self, name):
        self.name = name


driver = FakeDriver(device=3)
driver.sizes = {"own": (8, 4), "own_tma": (8, 4, 128)}
one = Kernels({name: CUkernel(name) for name in ENTRIES}, driver)
assert one.device == 3 and [*one.values()] == [*ENTRIES]
assert driver.calls.count("cuKernelGetFunction") == 2
own, other = tiles(), tiles()
for launcher in (own, other, own):
    for block, shared in ((None, 0), (128, 16), (128, 0), (None, 32), (64, 0)):
        launcher(one, 1, 0x10000, 64, block=block, shared=shared)
        attribute = driver.CUlaunchAttribute()
        attribute.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        launcher(one, 1, 0x10000, 64, attributes=[attribute])
assert driver.calls.count("cuKernelGetFunction") == 2 and driver.calls.count("cuCtxGetDevice") == 1, driver.calls
# How the code is compiled, once; its own shared memory, for each block and size that a kernel has: 16 and 32 bytes.
assert driver.calls.count("cuFuncGetAttribute") == 2 + 2 * 2, driver.calls.count("cuFuncGetAttribute")
print("passed")
