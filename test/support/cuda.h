// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What most small pieces need of CUDA, read in hundredths of the second that Clang takes
// for all of it: the toolkit's own types, the built-in variables, launches, barriers.

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __host__ __attribute__((host))

#define __CUDACC__
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#include <crt/host_defines.h>
#include <vector_types.h>
#undef __CUDACC__
#include <driver_types.h>

#define __DEVICE__
#include <__clang_cuda_builtin_vars.h>

extern "C" {
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
__device__ void __syncthreads();
}
