#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A lifted kernel in a program of cuda.core, on PyTorch's tensors: Program compiles what tilelift makes of the
source, launch starts the kernel as it was written, and the launcher that tilelift wrote the one with TMA, both on
one stream. Both have to leave the same bytes.

Needs cuda-core, PyTorch and a device of compute capability 9.0; elsewhere it lifts and says what is missing.
"""
import ctypes
import os
import pathlib
import sys

import tilelift

SOURCE = r"""
template <typename Element> __device__ Element mirrored(const Element (&row)[64], int c) { return row[63 - c]; }

extern "C" __global__ void mirror(float *out, const float *in, int w, int h) {
  __shared__ float tile[32][64];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 32 * 64; i += 128) {
    int y = blockIdx.y * 32 + i / 64, x = blockIdx.x * 64 + i % 64;
    tile[i / 64][i % 64] = x < w && y < h ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 64; i += 128) {
    int y = blockIdx.y * 32 + i / 64, x = blockIdx.x * 64 + i % 64;
    if (x < w && y < h)
      out[y * w + x] = mirrored(tile[i / 64], i % 64);
  }
}
"""


def main():
    lifted = tilelift.lift(SOURCE, arch="sm_90a", file_name="mirror.cu", remarks=True)
    for diagnostic in lifted.diagnostics:
        if diagnostic.id == "lifted":
            print(diagnostic)
    try:
        import torch
        from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
        if not torch.cuda.is_available() or torch.cuda.get_device_capability() < (9, 0):
            raise RuntimeError("there is no device with a TMA unit")
    except Exception as problem:  # no PyTorch, no cuda-core, no device
        print(f"cuda_core: lifted, not run: {problem}")
        return 0
    w, h = 1000, 500
    torch.cuda.init()
    image, plain, out = torch.rand(h, w, device="cuda"), *torch.zeros(2, h, w, device="cuda")
    torch.cuda.synchronize()

    device = Device()
    device.set_current()
    stream = device.create_stream()
    cuda = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}a", include_path=[tilelift.include_path(), str(cuda),
                                                                                  str(cuda / "cccl")])
    code = Program(lifted.source, "c++", options).compile("cubin")
    handles = {entry: code.get_kernel(entry) for entry in lifted.entries}

    grid = ((w + 63) // 64, (h + 31) // 32)
    launch(stream, LaunchConfig(grid=grid, block=128), handles["mirror"], plain.data_ptr(), image.data_ptr(),
           ctypes.c_int(w), ctypes.c_int(h))
    kernels = tilelift.Kernels({entry: kernel.handle for entry, kernel in handles.items()})
    used = lifted.launcher("mirror")(kernels, grid, out, image, w, h, stream=int(stream.handle))
    stream.sync()
    assert used and torch.equal(out, plain)
    print("cuda_core: correct")
    return 0


if __name__ == "__main__":
    sys.exit(main())
