#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tensor map of a PyTorch tensor, passed to a kernel that is written by hand and compiled by NVRTC.

Needs cuda-bindings, PyTorch and a device of compute capability 9.0; elsewhere it says so and leaves.
"""
import os
import pathlib
import sys

SOURCE = r"""
#include <tilelift/tilelift.cuh>

// The map is an argument by value; what it is made of, only the host knows.
extern "C" __global__ void copy_tile(const __grid_constant__ CUtensorMap map, float *out) {
  __shared__ alignas(128) float tile[8][32];
  __shared__ tilelift::barrier ready;
  unsigned phase = tilelift::begin(ready);
  if (tilelift::leader()) {
    tilelift::expect(ready, sizeof tile);
    tilelift::load(tile, map, {int(blockIdx.x) * 32, int(blockIdx.y) * 8}, ready);
  }
  tilelift::wait(ready, phase);
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    out[((blockIdx.y * 8 + i / 32) * gridDim.x + blockIdx.x) * 32 + i % 32] = tile[i / 32][i % 32];
}
"""


def leave(why):
    print(f"tensor_map: not run: {why}")
    sys.exit(0)


try:
    import torch
    from cuda.bindings import driver, nvrtc
except ImportError as problem:
    leave(problem)

from tilelift import Kernel, TensorMap, load  # noqa: E402

try:
    from tilelift import include_path
    HEADERS = include_path()
except OSError:  # the library that lifts is not here, and not needed
    HEADERS = str(pathlib.Path(__file__).resolve().parents[2] / "runtime" / "include")


def compile_for(capability):
    _, program = nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"copy_tile.cu", 0, [], [])
    cuda = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"
    options = [f"-I{HEADERS}", f"-I{cuda}", f"-I{cuda}/cccl", f"-arch=sm_{capability}", "-std=c++17"]
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


def main():
    if not torch.cuda.is_available():
        leave("there is no device")
    major, minor = torch.cuda.get_device_capability()
    if major < 9:
        leave(f"the device has compute capability {major}.{minor}, tensor maps need 9.0")
    torch.zeros(1, device="cuda")  # the primary context
    kernels = load(compile_for(10 * major + minor), ["copy_tile"])
    copy_tile = Kernel("copy_tile", entry="copy_tile", lifted_entry="copy_tile", block=(128, 1, 1),
                       arguments=(("map", 128), ("out", "pointer")), plan=lambda launch, *_: None)

    first, second = (torch.rand(48, 64, device="cuda") for _ in range(2))
    out = torch.empty(48, 64, device="cuda")
    tiles = TensorMap.tiled(first, box=(8, 32))
    print(tiles)
    copy_tile(kernels, (2, 6), tiles, out, stream=torch.cuda.current_stream().cuda_stream)
    torch.cuda.synchronize()
    assert torch.equal(out, first)

    tiles.replace_address(second)
    copy_tile(kernels, (2, 6), tiles, out, stream=torch.cuda.current_stream().cuda_stream)
    torch.cuda.synchronize()
    assert torch.equal(out, second)
    print("tensor_map: correct")


if __name__ == "__main__":
    main()
