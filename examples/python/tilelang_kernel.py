#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A lifted kernel in a TileLang program, by T.CUDASourceCodeKernel: rows of a table that an index picks.

TileLang launches such a kernel with the program's own buffers, sorted by their names, so it has to be one whose
copies need no tensor map, and which is lifted without more dynamic shared memory: the manifest says that.

Needs TileLang, PyTorch and a device of compute capability 9.0; elsewhere it lifts and says what is missing.
"""
import sys

import tilelift

ROWS, WIDTH, THREADS = 16, 512, 128

SOURCE = r"""
constexpr int Rows = 16, Width = 512, Threads = 128;

extern "C" __global__ void gather(float *__restrict__ out, const float *__restrict__ table,
                                  const int *__restrict__ rows) {
  __shared__ float tile[Rows][Width];
  const int first = blockIdx.x * Rows;
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < Rows * Width; i += Threads)
    tile[i / Width][i % Width] = table[(long long)rows[first + i / Width] * Width + i % Width];
  __syncthreads();
#pragma tma store threads(128)
  for (int i = threadIdx.x; i < Rows * Width; i += Threads)
    out[(long long)first * Width + i] = tile[i / Width][i % Width];
}
"""


def check_launch(kernel, tensors):
    """What a launcher of tilelift's would look at: that no copy needs a map, and where the bytes start."""
    assert kernel["lifted"]["ringBytes"] == 0 and kernel["lifted"]["cluster"] == [1, 1, 1]
    for tensor in kernel["tensors"]:
        assert tensor["mode"] == "bulk", f"'{tensor['tensor']}' needs a tensor map"
        assert tensors[tensor["address"]].data_ptr() % 16 == 0


def main():
    lifted = tilelift.lift(SOURCE, arch="sm_90a", file_name="gather.cu", remarks=True)
    for diagnostic in lifted.diagnostics:
        if diagnostic.id == "lifted":
            print(diagnostic)
    [kernel] = lifted.manifest["kernels"]
    try:
        import tilelang
        import tilelang.language as T
        import torch
        if not torch.cuda.is_available() or torch.cuda.get_device_capability() < (9, 0):
            raise RuntimeError("the device has no TMA unit")
    except Exception as problem:  # no TileLang, no PyTorch, no device
        print(f"tilelang_kernel: lifted, not run: {problem}")
        return 0
    count, entries = 1024, 4096

    @T.prim_func
    def gather(arg0: T.Tensor((count, WIDTH), T.float32), arg1: T.Tensor((entries, WIDTH), T.float32),
               arg2: T.Tensor((count,), T.int32)):
        T.CUDASourceCodeKernel(count // ROWS, threads=THREADS, source_code_or_path=lifted.source,
                               entry_name=kernel["lifted"]["entry"])

    run = tilelang.compile(gather, target="cuda", compile_flags=[f"-I{tilelift.include_path()}"])
    out = torch.empty(count, WIDTH, device="cuda")
    table = torch.randn(entries, WIDTH, device="cuda")
    rows = torch.randint(0, entries, (count,), device="cuda", dtype=torch.int32)
    check_launch(kernel, {"out": out, "table": table, "rows": rows})
    run(out, table, rows)
    torch.cuda.synchronize()
    assert torch.equal(out, table[rows.long()])
    print("tilelang_kernel: correct")
    return 0


if __name__ == "__main__":
    sys.exit(main())
