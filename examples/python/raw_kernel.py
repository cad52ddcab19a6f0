#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A CuPy RawKernel whose copy TMA makes: the source is lifted in memory, CuPy compiles it, and the launcher
that tilelift wrote starts it on CuPy's arrays and stream.

Needs CuPy, cuda-bindings and a device of compute capability 9.0; elsewhere it lifts and says what is missing.
"""
import pathlib
import sys

import tilelift

SOURCE = r"""
extern "C" __global__ void blur(float *out, const float *in, int w, int h) {
  __shared__ float tile[20][132];
  int x0 = blockIdx.x * 128 - 2, y0 = blockIdx.y * 16 - 2;
#pragma tma load threads(256)
  for (int i = threadIdx.x; i < 20 * 132; i += blockDim.x) {
    int r = i / 132, c = i % 132, y = y0 + r, x = x0 + c;
    tile[r][c] = (y >= 0 && y < h && x >= 0 && x < w) ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 128 * 16; i += blockDim.x) {
    int r = i / 128 + 2, c = i % 128 + 2, y = y0 + r, x = x0 + c;
    float sum = tile[r][c];
    for (int k = 1; k <= 2; ++k)
      sum += tile[r - k][c] + tile[r + k][c] + tile[r][c - k] + tile[r][c + k];
    if (x < w && y < h)
      out[y * w + x] = sum / 9;
  }
}
"""


def main():
    lifted = tilelift.lift(SOURCE, arch="sm_90a", file_name="blur.cu", remarks=True)
    for diagnostic in lifted.diagnostics:
        if diagnostic.id == "lifted":
            print(diagnostic)
    try:
        import cupy
        from cuda.bindings import driver
        if cupy.cuda.runtime.getDeviceCount() == 0 or int(cupy.cuda.Device().compute_capability) < 90:
            raise RuntimeError("the device has no TMA unit")
    except Exception as problem:  # no CuPy, no bindings, no device
        print(f"raw_kernel: lifted, not run: {problem}")
        return 0
    cuda = pathlib.Path(cupy.cuda.get_cuda_path() or "/usr/local/cuda") / "include"
    module = cupy.RawModule(code=lifted.source, options=("-std=c++17", f"-I{tilelift.include_path()}", f"-I{cuda}",
                                                         f"-I{cuda}/cccl"))
    handles = {entry: driver.CUfunction(module.get_function(entry).kernel.ptr) for entry in lifted.entries}
    blur, kernels = lifted.launcher("blur"), tilelift.Kernels(handles)
    w, h = 1024, 512
    image, out = cupy.random.rand(h, w, dtype=cupy.float32), cupy.empty((h, w), cupy.float32)
    used = blur(kernels, (w // 128, h // 16), out, image, w, h, stream=cupy.cuda.get_current_stream().ptr)
    padded = cupy.pad(image, 2)
    expected = padded[2:-2, 2:-2].copy()
    for k in (1, 2):
        expected += (padded[2 - k:h + 2 - k, 2:-2] + padded[2 + k:h + 2 + k, 2:-2]
                     + padded[2:-2, 2 - k:w + 2 - k] + padded[2:-2, 2 + k:w + 2 + k])
    assert used and cupy.allclose(out, expected / 9, atol=1e-5)
    print("raw_kernel: correct")
    return 0


if __name__ == "__main__":
    sys.exit(main())
