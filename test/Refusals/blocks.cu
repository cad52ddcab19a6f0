// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: bash -c 'for way in 0 1 2 3 4 5 6 7 8 9 11; do %tilelift --check %s -- -DWAY=$way; done; true' 2>&1 | grep -c "the block size of .k. is not visible" | grep -x 10
// RUN: %tilelift --check %s -- -DWAY=10 2>&1 | grep -c "; the copy was checked for 32, so this launch runs the plain kernel" | grep -x 2
//
// Blocks whose size depends on more than the text says where they are launched, and one that changes from launch to launch.
#include <cuda_runtime.h>

__global__ void k(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load
  for (int i = threadIdx.x; i < 64; i += blockDim.x) part[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}

#if WAY == 0
void by_parameter(dim3 block, float *out, const float *in) { k<<<1, block>>>(out, in); }
#elif WAY == 1
void by_lambda(float *out, const float *in) {
  auto launch = [&](dim3 block) { k<<<1, block>>>(out, in); };
  launch(64);
}
#elif WAY == 2
struct Threads {
  int x = 64;
  operator dim3() const { return dim3(x); }
};
void by_conversion(float *out, const float *in) {
  Threads threads;
  k<<<1, threads>>>(out, in);
}
#elif WAY == 3
void by_operator(float *out, const float *in) {
  dim3 block(32);
  block.x *= 2;
  k<<<1, block>>>(out, in);
}
#elif WAY == 4
void by_condition(float *out, const float *in, int n) {
  dim3 block(32);
  if (n > 100)
    block.x = 64;
  k<<<1, block>>>(out, in);
}
#elif WAY == 5
void behind_and(float *out, const float *in, int n) {
  dim3 block(32);
  n > 100 && (block.x = 64);
  k<<<1, block>>>(out, in);
}
#elif WAY == 6
void by_rounds(float *out, const float *in) {
  for (dim3 block(32); block.x <= 64; block.x = 96)
    k<<<1, block>>>(out, in);
}
#elif WAY == 7
void by_goto(float *out, const float *in, int n) {
  dim3 block(32);
again:
  k<<<1, block>>>(out, in);
  block.x = 64;
  if (--n > 0)
    goto again;
}
#elif WAY == 8
void by_configuration(float *out, const float *in) {
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  config.blockDim.x += 32;
  cudaLaunchKernelEx(&config, k, out, in);
}
#elif WAY == 9
void by_conditional_configuration(float *out, const float *in, int n) {
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  if (n > 3)
    config.blockDim.x = 64;
  cudaLaunchKernelEx(&config, k, out, in);
}
#elif WAY == 11
void by_copied_configuration(cudaLaunchConfig_t other, float *out, const float *in) {
  cudaLaunchConfig_t config = other;
  config.blockDim.x = 64;
  cudaLaunchKernelEx(&config, k, out, in);
}
#else // what is set before the launch, and not behind it
void in_order(float *out, const float *in) {
  dim3 block(32);
  k<<<1, block>>>(out, in);
  block.x = 16, block.y = 2;
  k<<<1, block>>>(out, in);
  cudaLaunchConfig_t config = {};
  config.gridDim = 1, config.blockDim.x = 32;
  cudaLaunchKernelEx(&config, k, out, in);
  config.blockDim = 64;
  cudaLaunchKernelEx(&config, k, out, in);
}
#endif
