#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that others launch, on a GPU: in Python over cuda.bindings.driver, in C++ over the driver API.

  test/gpu/hosts.sh build/hosts          where tilelift is built: writes what it emits
  test/gpu/hosts.py build/hosts          where the GPU is, with cuda-bindings and PyTorch

The device source is compiled by NVRTC and by nvcc, launched lifted and plain, and every byte compared.
--time only says what a launch costs the host, beside cuda-python's own launch with one encode for each map.
"""
import argparse
import ctypes
import functools
import importlib
import importlib.util
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "python"))

import torch  # noqa: E402
from cuda.bindings import driver, nvrtc  # noqa: E402

import tilelift.launch  # noqa: E402
from tilelift import TensorMap  # noqa: E402

ARCH = "sm_90a"
problems = []


def expect(what, holds):
    print(f"{what}: {'passed' if holds else 'FAILED'}")
    if not holds:
        problems.append(what)


def module_at(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_nvrtc(source):
    """As a program that compiles while it runs."""
    _, program = nvrtc.nvrtcCreateProgram(source.encode(), b"kernels.cu", 0, [], [])
    cuda = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"
    options = [f"-I{ROOT}/runtime/include", f"-I{cuda}", f"-I{cuda}/cccl", f"-arch={ARCH}", "-std=c++17"]
    [result] = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    if int(result):
        _, size = nvrtc.nvrtcGetProgramLogSize(program)
        log = b" " * size
        nvrtc.nvrtcGetProgramLog(program, log)
        sys.exit(log.decode())
    _, size = nvrtc.nvrtcGetCUBINSize(program)
    image = b" " * size
    nvrtc.nvrtcGetCUBIN(program, image)
    return image


class Shape(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int), ("w", ctypes.c_int), ("q", ctypes.c_int), ("pad", ctypes.c_int)]


def compare(launchers, kernels, name, grid, out, *arguments):
    """Lifted, by what tilelift wrote, and plain, by hand."""
    launch = getattr(launchers, name)
    kernel = launch.kernel
    out.zero_()
    lifts = launch(kernels, grid, out, *arguments)
    torch.cuda.synchronize()
    ours = out.clone()
    out.zero_()
    kinds = {"pointer": ctypes.c_uint64, "i32": ctypes.c_int32}
    passed = [kinds[kind](tilelift.launch.address_of(value)) if kind in kinds else value
              for (_, kind), value in zip(kernel.arguments, (out, *arguments))]
    config = driver.CUlaunchConfig()
    sizes = (grid,) if isinstance(grid, int) else grid
    config.gridDimX, config.gridDimY, config.gridDimZ = (*sizes, 1, 1)[:3]
    config.blockDimX, config.blockDimY, config.blockDimZ = kernel.block
    pointers = (ctypes.c_void_p * len(passed))(*(ctypes.addressof(value) for value in passed))
    driver.cuLaunchKernelEx(config, kernels[kernel.entry], ctypes.addressof(pointers), 0)
    torch.cuda.synchronize()
    same = bool((ours.view(torch.uint8) == out.view(torch.uint8)).all())
    written = bool((out != 0).any())
    return lifts, same and written


def test(folder, image, how):
    launchers = module_at(folder / "kernels.py")
    kernels = tilelift.launch.load(image, launchers.function_names)
    weights = kernels.variable("weights")
    driver.cuMemcpyHtoD(weights, (ctypes.c_float * 3)(2.0, 3.0, 4.0), 12)
    table = torch.rand(128, 64, device="cuda")
    pixels = torch.randint(0, 1 << 15, (2, 40, 64), dtype=torch.int16, device="cuda")
    rows = torch.randint(0, 128, (32,), dtype=torch.int32, device="cuda")
    out = torch.empty(128 * 64, device="cuda")
    sums = torch.empty(1024, dtype=torch.int32, device="cuda")
    for what, wanted, result in (
            ("blur", True, compare(launchers, kernels, "blur", (2, 2), out, table, 64, 48)),
            ("blur, odd", False, compare(launchers, kernels, "blur", (2, 2), out, table, 63, 48)),
            ("convolve", True, compare(launchers, kernels, "convolve", 3, sums, pixels, Shape(2, 40, 42, 1), 3)),
            ("gather", True, compare(launchers, kernels, "gather_16", 2, out, table, rows, 64))):
        expect(f"python, {how}, {what}", result == (wanted, True))
    # Two in one dispatch, the second of what the first has written.
    between = torch.zeros(128, 64, device="cuda")
    with tilelift.launch.Dispatch() as dispatch:
        launchers.blur(kernels, (2, 2), between, table, 64, 48, into=dispatch)
        launchers.blur(kernels, (2, 2), out, between, 64, 48, into=dispatch)
    torch.cuda.synchronize()
    together = out.clone()
    compare(launchers, kernels, "blur", (2, 2), out, between, 64, 48)
    expect(f"python, {how}, dispatch", bool((together == out).all()))


MAP_KERNEL = r"""
#include <tilelift/tilelift.cuh>
extern "C" __global__ void whole_map(const __grid_constant__ CUtensorMap map, float *out, unsigned long long *words) {
  __shared__ alignas(128) float tile[8][32];
  __shared__ tilelift::barrier ready;
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader()) {
    tilelift::expect(ready, sizeof tile);
    tilelift::load(tile, map, {32, 8}, ready);
  }
  tilelift::wait(ready, phase);
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    out[i] = tile[i / 32][i % 32];
  if (threadIdx.x < 16)
    words[threadIdx.x] = reinterpret_cast<const unsigned long long *>(&map)[threadIdx.x];
}
"""


def test_maps():
    """A map of a PyTorch tensor, through DLPack, to a kernel that is written by hand: all 128 bytes (R2.35, R2.36)."""
    handles = tilelift.launch.load(by_nvrtc(MAP_KERNEL), ["whole_map"])
    kernel = tilelift.launch.Kernel("whole_map", entry="whole_map", lifted_entry="whole_map", block=(32, 1, 1),
                                    arguments=(("map", 128), ("out", "pointer"), ("words", "pointer")),
                                    plan=lambda launch, *_: None)
    out = torch.zeros(8, 32, device="cuda")
    words = torch.zeros(16, dtype=torch.int64, device="cuda")
    tensor, other = torch.rand(48, 64, device="cuda"), torch.rand(48, 64, device="cuda")
    made = TensorMap.tiled(tensor, (8, 32))
    for now in (tensor, other):
        if now is other:  # R2.37
            made.replace_address(other)
        kernel(handles, 1, made, out, words)
        torch.cuda.synchronize()
        expect("map by value", bytes(made) == words.cpu().numpy().tobytes())
        expect("tile by a map", bool((out == now[8:16, 32:64]).all()))


def medians_us(launches, count=4000):
    """Of each, launched by turns in random order, so that all find the same clocks and what any of the others left."""
    times = [[] for _ in launches]
    turns = list(zip(launches, times))
    for _ in range(count):
        random.shuffle(turns)
        for launch, own in turns:
            start = time.perf_counter()
            launch()
            own.append(time.perf_counter() - start)
    torch.cuda.synchronize()
    return [statistics.median(own) * 1e6 for own in times]


def measure(launchers, kernels):
    """What the host needs for one launch with one map."""
    table, out = torch.rand(8192, 64, device="cuda"), torch.empty(8192 * 64, device="cuda")
    address, to = table.data_ptr(), out.data_ptr()
    long, word, made = driver.cuuint64_t, driver.cuuint32_t, None
    plain, lifted = kernels[launchers.blur.kernel.entry], kernels[launchers.blur.kernel.lifted_entry]
    kinds = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int

    def by_hand(is_lifted, encodes, at=address, height=48, rows=2):
        nonlocal made
        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = 2, rows, 1
        config.blockDimX, config.blockDimY, config.blockDimZ = 128, 1, 1
        if encodes:
            _, made = driver.cuTensorMapEncodeTiled(
                driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, at, [long(64), long(height)], [long(256)],
                [word(32), word(32)], [word(1), word(1)], driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
                driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_NONE,
                driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
        if is_lifted:
            driver.cuLaunchKernelEx(config, lifted, ((to, at, 64, height, made), (*kinds, None)), 0)
        else:
            driver.cuLaunchKernelEx(config, plain, ((to, at, 64, height), kinds), 0)

    def by_tilelift(encodes, at=address, height=48, rows=2):
        launchers.blur(kernels, (2, rows), to, at, 64, height)

    large, turn = torch.rand(1 << 22, device="cuda").data_ptr(), iter(range(1 << 30))
    # What is new each time: nothing is known of it.
    ways = {"launch, the same numbers": lambda launch: launch(False),
            "encode and launch, another tensor": lambda launch: launch(True, large + next(turn) % 16384 * 256),
            "encode and launch, another height": lambda launch: launch(True, address, 48 + next(turn) % 8000),
            "encode and launch, another height and grid": lambda launch: launch(True, address, 48 + next(turn) % 8000,
                                                                                2 + next(turn) % 250)}
    launchers_of = {"cuda-python, the plain kernel": functools.partial(by_hand, False),
                    "cuda-python, the lifted kernel": functools.partial(by_hand, True), "tilelift": by_tilelift}
    by_hand(True, True)
    launches = {f"{what}, {who}": functools.partial(way, launch) for what, way in ways.items()
                for who, launch in launchers_of.items()}
    for name, median in zip(launches, medians_us(list(launches.values()))):
        print(f"time {name}: {median:.2f} us")


def run_example(name, *command):
    ran = subprocess.run(command, capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TILELIFT_VERBOSE": "1"})
    print(ran.stdout + ran.stderr[-2000:], end="")
    expect(f"the example {name}", ran.returncode == 0 and f"{name}: correct" in ran.stdout)
    return ran.stderr


def test_examples(folder):
    """Sources of those that lift were lifted elsewhere."""
    python = ROOT / "examples/python"
    run_example("tensor_map", sys.executable, str(python / "tensor_map.py"))
    for example, package in (("raw_kernel", "cupy"), ("cuda_core", "cuda.core"), ("tilelang_kernel", "tilelang")):
        try:
            importlib.import_module(package)
        except ImportError as problem:
            print(f"the example {example}: not run, {problem}")
            continue
        run_example(example, sys.executable, str(HERE / "recorded.py"), str(folder / f"{example}.pickle"),
                    str(python / f"{example}.py"))
    cuda, program = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")), folder / "nvrtc.bin"
    subprocess.run(["g++", "-std=c++17", "-O2", f"-I{folder}", f"-I{ROOT}/runtime/include", f"-I{cuda}/include",
                    str(ROOT / "examples/nvrtc/host.cpp"), "-o", str(program), f"-L{cuda}/lib64",
                    f"-L{cuda}/lib64/stubs", f"-Wl,-rpath,{cuda}/lib64", "-lnvrtc", "-lcuda"], check=True)
    said = run_example("nvrtc", str(program), str(folder / "blur.device.cu"), f"-I{ROOT}/runtime/include",
                       f"-I{cuda}/include", f"-I{cuda}/include/cccl")
    expect("of its launches, all but one used TMA", said.count(": TMA") == 3 and said.count("[stride-16]") == 1)


def test_cupy(folder):
    """Compiled by CuPy, on its arrays and stream."""
    import cupy
    source = (folder / "kernels.device.cuh").read_text()
    launchers = module_at(folder / "kernels.py")
    cuda = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"
    module = cupy.RawModule(code=source, options=("-std=c++17", f"-I{ROOT}/runtime/include", f"-I{cuda}",
                                                  f"-I{cuda}/cccl"))
    handles = {entry: driver.CUfunction(module.get_function(entry).kernel.ptr) for entry in launchers.function_names}
    kernels = tilelift.launch.Kernels(handles)
    image, out = cupy.random.rand(48, 64, dtype=cupy.float32), cupy.zeros((48, 64), cupy.float32)
    with cupy.cuda.Stream() as stream:
        used = launchers.blur(kernels, (2, 2), out, image, 64, 48, stream=stream.ptr)
        stream.synchronize()
    wanted = cupy.zeros((64, 64), cupy.float32)
    wanted[:48] = image
    wanted = wanted.reshape(2, 32, 64)[:, ::-1].reshape(64, 64)[:48]
    expect("CuPy", used and bool((out == wanted).all()))


def test_persistence(folder):
    """A window of L2 with a launch, in as much as is set aside, and what was set aside again afterwards."""
    launchers = module_at(folder / "persistence.py")
    kernels = tilelift.launch.load(by_nvrtc((folder / "persistence.device.cuh").read_text()), launchers.function_names)
    limit = driver.CUlimit.CU_LIMIT_PERSISTING_L2_CACHE_SIZE
    before = driver.cuCtxGetLimit(limit)
    table, out = torch.randn(32, 64, device="cuda"), torch.zeros(4, 8, 32, device="cuda")
    with tilelift.launch.PersistingL2(20000000):
        during = driver.cuCtxGetLimit(limit)
        used = launchers.look_up(kernels, (1, 4), out, table, 64, 32)
        torch.cuda.synchronize()
    expect("persistence", used and torch.equal(out, table[:, :32].reshape(4, 8, 32).flip(1)))
    expect("what is set aside", during[1] >= 20000000 > before[1] and driver.cuCtxGetLimit(limit) == before)


def test_cpp(folder, cubin):
    """The C++ launchers, linked with the driver."""
    program = folder / "driver.bin"
    done = subprocess.run(["nvcc", "-std=c++17", "-O2", "-w", f"-gencode=arch=compute_90a,code={ARCH}",
                           f"-I{ROOT}/runtime/include", f"-I{HERE}", f"-DDEVICE_SOURCE=\"{folder}/kernels.device.cuh\"",
                           f"-DLAUNCHERS=\"{folder}/kernels.h\"", f"-DIMAGE=\"{cubin}\"",
                           str(ROOT / "test/Hosts/Inputs/driver.cu"), "-o", str(program), "-lcuda"],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    ran = subprocess.run([str(program)], capture_output=True, text=True, env={**os.environ, "TILELIFT_VERBOSE": "1"})
    print(ran.stdout, end="")
    expect("C++ launchers", ran.returncode == 0 and ran.stdout.count("the same bytes") == 5
           and "nothing started early: yes" in ran.stdout and ran.stderr.count(": TMA") == 6)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--time", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    torch.zeros(1, device="cuda")  # the primary context, which everybody shares
    source = (folder / "kernels.device.cuh").read_text()
    if arguments.time:
        launchers = module_at(folder / "kernels.py")
        return measure(launchers, tilelift.launch.load(by_nvrtc(source), launchers.function_names))
    test(folder, by_nvrtc(source), "NVRTC")
    cubin = folder / "kernels.cubin"
    subprocess.run(["nvcc", "-std=c++17", "-w", f"-gencode=arch=compute_90a,code={ARCH}", "-cubin", "-x", "cu",
                    f"-I{ROOT}/runtime/include", str(folder / "kernels.device.cuh"), "-o", str(cubin)], check=True)
    test(folder, cubin.read_bytes(), "nvcc")
    test_maps()
    test_examples(folder)
    test_cupy(folder)
    test_persistence(folder)
    test_cpp(folder, cubin)
    print(f"{'all passed' if not problems else 'FAILED: ' + ', '.join(problems)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
