#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's extensions behind `tilelift nvcc`: load_inline and a CUDAExtension of setuptools build a kernel with an
annotated copy, which has to run by TMA and to leave what PyTorch computes.

  test/gpu/pytorch.py              with PyTorch, nvcc and tilelift on the PATH; without a GPU it builds and loads
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void reverse_blocks(float *out, const float *in) {
  __shared__ float tile[1024];
#pragma tma load lift(always)
  for (int i = threadIdx.x; i < 1024; i += 256)
    tile[i] = in[blockIdx.x * 1024 + i];
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 256)
    out[blockIdx.x * 1024 + i] = tile[1023 - i];
}
torch::Tensor reverse(torch::Tensor in) {
  auto out = torch::empty_like(in);
  reverse_blocks<<<in.numel() / 1024, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(out.data_ptr<float>(), in.data_ptr<float>());
  return out;
}
"""
BINDING = 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("reverse", &reverse); }\n'
SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(name="reversing", ext_modules=[CUDAExtension("reversing", ["reverse.cu"])], cmdclass={"build_ext": BuildExtension})
"""
# Runs in another process, whose error stream holds what the launcher prints for TILELIFT_VERBOSE.
CHECK = """
import sys, torch
sys.path.insert(0, sys.argv[1])
import {name} as built
if torch.cuda.is_available():
    values = torch.rand(64 * 1024, device="cuda")
    assert torch.equal(built.reverse(values), values.view(-1, 1024).flip(1).reshape(-1))
    print("same")
"""


def check(name: str, folder: pathlib.Path) -> None:
    import torch
    done = subprocess.run([sys.executable, "-c", CHECK.format(name=name), str(folder)], text=True, capture_output=True,
                          env={**os.environ, "TILELIFT_VERBOSE": "1"}, check=False)
    is_run = torch.cuda.is_available()
    assert done.returncode == 0, done.stderr
    assert not is_run or "same" in done.stdout and "tilelift: reverse_blocks: TMA" in done.stderr, done.stderr
    print(f"{name}: {'correct, by TMA' if is_run else 'built and loaded'}")


def main() -> int:
    os.environ.update(PYTORCH_NVCC="tilelift nvcc", TILELIFT_FLAGS="--remarks", TORCH_CUDA_ARCH_LIST="9.0a")
    from torch.utils.cpp_extension import load_inline
    with tempfile.TemporaryDirectory() as scratch:
        inline, built = pathlib.Path(scratch, "inline"), pathlib.Path(scratch, "setup")
        inline.mkdir()
        load_inline("reverse_inline", "torch::Tensor reverse(torch::Tensor in);", cuda_sources=SOURCE,
                    functions=["reverse"], build_directory=str(inline))
        check("reverse_inline", inline)
        built.mkdir()
        (built / "reverse.cu").write_text(SOURCE + BINDING)
        (built / "setup.py").write_text(SETUP)
        done = subprocess.run([sys.executable, "setup.py", "build_ext", "--inplace"], cwd=built, text=True,
                              capture_output=True, check=False)
        assert done.returncode == 0 and "remark: lifted: 1-D bulk copy" in done.stdout + done.stderr, done.stderr[-3000:]
        check("reversing", built)
    return 0


if __name__ == "__main__":
    sys.exit(main())
