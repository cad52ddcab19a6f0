"""What stays in L2, as launchers in Python ask for it of a driver that records."""
import importlib.util
import sys

from fake_driver import CUresult, FakeDriver
from tilelift.launch import Dispatch, DriverError, PersistingL2, load

spec = importlib.util.spec_from_file_location("launchers", sys.argv[1])
launchers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launchers)


def kernels():
    driver = FakeDriver()
    return driver, load(b"image", launchers.function_names, driver)


def windows(driver):
    """Of each launch since, its kernel and what it says of L2."""
    calls = [call.split() for call in driver.take("cuLaunch")]
    return [(words[1], " ".join(words[words.index("ACCESS_POLICY_WINDOW") + 1:-1])
             if "ACCESS_POLICY_WINDOW" in words else "") for words in calls]


def raises(text, function):
    try:
        function()
    except DriverError as problem:
        assert text in str(problem), problem
        return
    raise AssertionError(f"no {text}")


# Base, bytes, share and what becomes of the rest (R4.18), as far as the copies reach.
driver, handles = kernels()
launchers.look_up(handles, (2, 4), 0x20000, 0x10000, 64, 32)
half = "at 0x10000 bytes 8192 share 0.5 PERSISTING, else STREAMING"
assert windows(driver) == [("look_up_tma", half)], windows(driver)

# Another table, and the first again: each launch has its own.
launchers.look_up(handles, (2, 4), 0x20000, 0x30000, 64, 32)
launchers.look_up(handles, (2, 4), 0x20000, 0x10000, 64, 32)
assert windows(driver) == [("look_up_tma", half.replace("0x1", "0x3")), ("look_up_tma", half)]

# Where nothing says how much it is, as much as the device has (R4.19).
launchers.unbounded(handles, 2, 0x20000, 0x10000)
assert windows(driver) == [("unbounded_tma", "at 0x10000 bytes 134217728 share 1 PERSISTING, else STREAMING")]
driver, handles = kernels()
driver.window = 4096
launchers.look_up(handles, (2, 4), 0x20000, 0x10000, 64, 32)
assert windows(driver) == [("look_up_tma", half.replace("8192", "4096"))]

# What the launch itself says goes first; the plain kernel has no window; nor has a device without.
driver, handles = kernels()
own = driver.CUlaunchAttribute()
own.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
window = own.value.accessPolicyWindow
window.base_ptr, window.num_bytes, window.hitRatio = 0x50000, 64, 1
window.hitProp, window.missProp = driver.CUaccessProperty(1), driver.CUaccessProperty(0)
launchers.look_up(handles, (2, 4), 0x20000, 0x10000, 64, 32, attributes=[own])
launchers.look_up(handles, (2, 4), 0x20000, 0x10000, 63, 32)
assert windows(driver) == [("look_up_tma", "at 0x50000 bytes 64 share 1 STREAMING, else NORMAL"), ("look_up", "")]
driver, handles = kernels()
driver.window = 0
launchers.look_up(handles, (2, 4), 0x20000, 0x10000, 64, 32)
assert windows(driver) == [("look_up_tma", "")]

# In a dispatch, each kernel has what its own pragma asks for (R4.21).
driver, handles = kernels()
with Dispatch() as dispatch:
    launchers.look_up(handles, (2, 4), 0x20000, 0x10000, 64, 32, into=dispatch)
    launchers.unbounded(handles, 2, 0x20000, 0x30000, into=dispatch)
    launchers.look_up(handles, (2, 4), 0x20000, 0x10000, 63, 32, into=dispatch)
assert [text[:10] for _, text in windows(driver)] == ["at 0x10000", "at 0x30000", ""]

# No launch touches the limit; around launches it is read, set, clamped, set back (R4.17, R4.20).
assert not driver.take(("cuCtxSetLimit", "cuCtxGetLimit", "cuCtxReset"))
with PersistingL2(20000000, driver):
    launchers.look_up(handles, (2, 4), 0x20000, 0x10000, 64, 32)
assert [call.split()[0] for call in driver.calls if not call.startswith(("cuTensorMap", "cuPointer"))] == [
    "cuCtxGetLimit", "cuCtxGetDevice", "cuDeviceGetAttribute", "cuCtxSetLimit", "cuLaunchKernelEx", "cuCtxSetLimit",
    "cuCtxResetPersistingL2Cache"], driver.calls
assert driver.take("cuCtxSetLimit") == ["cuCtxSetLimit PERSISTING_L2_CACHE_SIZE 20000000",
                                        "cuCtxSetLimit PERSISTING_L2_CACHE_SIZE 11796480"]
with PersistingL2(1 << 40, driver):
    assert driver.set_aside == 39321600
with PersistingL2(1 << 40, FakeDriver(device=3)) as room:  # of the device that is there
    assert room.driver.set_aside == 39321600
assert driver.set_aside == 11796480


def broken(name):
    driver = FakeDriver()
    driver.fails = {name: CUresult.CUDA_ERROR_INVALID_VALUE}
    return driver


for name, text in (("cuCtxGetLimit", "the L2 that is set aside"), ("cuCtxSetLimit", "20000000 bytes of L2"),
                   ("cuDeviceGetAttribute", "the L2 that can be set aside")):
    raises(f"{name} of {text}: CUDA_ERROR_INVALID_VALUE", PersistingL2(20000000, broken(name)).__enter__)
for name, text in (("cuCtxSetLimit", "11796480 bytes of L2, as before"),
                   ("cuCtxResetPersistingL2Cache", "what is kept in L2")):
    room = PersistingL2(20000000, FakeDriver())
    room.__enter__()
    room.driver = broken(name)
    raises(f"{name} of {text}", room.__exit__)
print("passed")
