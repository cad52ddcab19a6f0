// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 5
//
// A warp of its own waits for the kernels before; stores that are the body of a branch.
#include "Inputs/arrays.h"

namespace grid_dependency {
__global__ void waits_for_grid(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void spins(float *__restrict__ out, const float *__restrict__ in, volatile unsigned *flag, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  while (*flag < 3) {}
  __threadfence();
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}
__global__ void before(float *in, unsigned *flag) {
  asm volatile("griddepcontrol.launch_dependents;");
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) in[i] = i;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(flag, 3);
}
} // namespace grid_dependency

namespace unbraced_store {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  if (n > 1)
#pragma tma store
    out[at + t] = tile[t];
}
__global__ void e(float *__restrict__ out, float *__restrict__ buf, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  if (n > 1)
#pragma tma store
    out[at + t] = tile[t];
  else
#pragma tma store
    buf[at + t] = tile[t];
}
} // namespace unbraced_store

static const Case cases[] = {
    {"grid_dependency, k", [](const Arrays &a) {
  grid_dependency::before<<<1, T>>>(a.in, a.words);
  cudaLaunchConfig_t c = {};
  c.gridDim = 2, c.blockDim = 128;
  cudaLaunchAttribute at[1];
  at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  at[0].val.programmaticStreamSerializationAllowed = 1;
  c.attrs = at, c.numAttrs = 1;
  cudaLaunchKernelEx(&c, grid_dependency::waits_for_grid, a.out, (const float *)a.in, 4);
  grid_dependency::spins<<<2, T>>>(a.out + 512, a.in, a.words, 4);
}},
    {"unbraced_store, k", [](const Arrays &a) { unbraced_store::k<<<2, T>>>(a.out, a.in, 4); unbraced_store::k<<<2, T>>>(a.out + 4096, a.in, 0); }},
  {"unbraced_store, e", [](const Arrays &a) { unbraced_store::e<<<2, T>>>(a.out, a.buf, a.in, 4); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
