// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of objects whose class has a constructor, which nvcc takes with a warning and Clang does not take: what is wrong
// with it is said.
//
// RUN: %not 1 %tilelift --check %s 2>&1 | %FileCheck %s

#include <cuda_runtime.h>

struct complex {
  float re, im;
  __host__ __device__ complex(float re = 0, float im = 0) : re(re), im(im) {}
};

__global__ void turned(complex *out, const complex *in) {
  __shared__ complex tile[64];
#pragma tma load
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  // CHECK: :[[#@LINE-1]]:3: error: the address of this store is not followed: it is the shared object 'tile', whose class 'complex' has a constructor [-Wtilelift-unknown-index]
  __syncthreads();
#pragma tma store
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
  // CHECK: :[[#@LINE-1]]:3: error: what is stored to 'out' is not a copy: the value lies at an address that is the shared object 'tile', whose class 'complex' has a constructor [-Wtilelift-computed-value]
}

int main() { turned<<<2, 64>>>(nullptr, nullptr); }
