// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %not 1 %tilelift --lift-always --remarks --check %s 2>&1 | %FileCheck %s
//
// Libraries ask which kind of memory an address is in, and do something else for each, in functions that are handed
// on: CCCL of CUDA 12.9 does so in its barriers. What is done for other kinds than a variable's own is never done.
__device__ void unseen(int *flag);
__device__ void kept(int *flag) { unseen(flag); }

template <typename Act> __device__ void publish(int *flag, Act &&act) {
  if (__isLocal(flag) || __isGlobal(flag) || !__isShared(flag))
    act(flag);
  else
    *flag = 1;
}

// CHECK: [[# @LINE + 6]]:5: remark: lifted under a guard: 1-D bulk copy of 128 bytes
__global__ void of_shared(float *out, const float *in, int n) {
  __shared__ float tile[32];
  __shared__ int flag;
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(32)
    tile[threadIdx.x] = in[k * n + threadIdx.x];
    publish(&flag, kept);
    __syncthreads();
    out[k * 32 + threadIdx.x] = tile[31 - threadIdx.x];
    __syncthreads();
  }
}

// CHECK: [[# @LINE + 5]]:5: error: some threads of the block may not reach this copy
__global__ void of_argument(float *out, const float *in, int n, int *flag) {
  __shared__ float tile[32];
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(32)
    tile[threadIdx.x] = in[k * n + threadIdx.x];
    publish(flag, kept);
    __syncthreads();
    out[k * 32 + threadIdx.x] = tile[31 - threadIdx.x];
    __syncthreads();
  }
}

// A function that is handed on is followed.
__device__ void marked(int *flag) { *flag = 2; }
// CHECK: [[# @LINE + 5]]:5: remark: lifted under a guard: 1-D bulk copy of 128 bytes
__global__ void handed_on(float *out, const float *in, int n, int *flag) {
  __shared__ float tile[32];
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(32)
    tile[threadIdx.x] = in[k * n + threadIdx.x];
    publish(flag, marked);
    __syncthreads();
    out[k * 32 + threadIdx.x] = tile[31 - threadIdx.x];
    __syncthreads();
  }
}

// One that calls itself by what is handed on.
template <typename Act> __device__ void again(int *flag, int n, Act &&act) {
  if (n > 0)
    act(flag, n - 1, act);
}
struct Again {
  __device__ void operator()(int *flag, int n, const Again &act) const { again(flag, n, act); }
};
// CHECK: [[# @LINE + 5]]:5: error: some threads of the block may not reach this copy
__global__ void without_end(float *out, const float *in, int n, int *flag) {
  __shared__ float tile[32];
  for (int k = 0; k < n; ++k) {
#pragma tma load threads(32)
    tile[threadIdx.x] = in[k * n + threadIdx.x];
    again(flag, n, Again());
    __syncthreads();
    out[k * 32 + threadIdx.x] = tile[31 - threadIdx.x];
    __syncthreads();
  }
}

void run(float *out, const float *in, int n, int *flag) {
  of_shared<<<1, 32>>>(out, in, n);
  of_argument<<<1, 32>>>(out, in, n, flag);
  handed_on<<<1, 32>>>(out, in, n, flag);
  without_end<<<1, 32>>>(out, in, n, flag);
}
