// What a launch that cannot use TMA says, and what the program sees of it.
//
// RUN: env TILELIFT_VERBOSE=1 %not 3 %run -std=c++17 %s 2>%t.err >%t.out
// RUN: FileCheck %s < %t.err
// RUN: FileCheck --check-prefix=OUT %s < %t.out

#include <cstdio>
#include <cuda_runtime.h>

// A tensor that does not start on 16 bytes.
// CHECK: tilelift: within: plain, the map of 'in' starts at {{[0-9]+}}, which is no multiple of 16 bytes [address-16]
__global__ void within(int *out, const int *in, int w, int first) {
  __shared__ int tile[256];
  int x = blockIdx.x * 256 + threadIdx.x;
#pragma tma load
  tile[threadIdx.x] = x >= first && x < w ? in[x] : 0;
  __syncthreads();
  out[x] = tile[255 - threadIdx.x];
}

// An index that each instance computes from numbers of its own, here one that comes around.
// CHECK: tilelift: rows: plain, an index of the copy to 'tile' leaves its range of {{-?[0-9]+}} to {{[0-9]+}} [index-range]
template <int B> __global__ void rows(float *out, const float *in, unsigned first) {
  __shared__ float tile[B];
#pragma tma load
  tile[threadIdx.x] = in[first * B + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[B - 1 - threadIdx.x];
}

// `fallback(error)`: the launch's error is the program's last one.
// CHECK: tilelift: error: strict cannot use TMA: 'in' starts at {{[0-9]+}}, which is no multiple of 16 bytes [address-16]
// OUT: strict: cudaErrorInvalidValue, then cudaSuccess
__global__ void strict(int *out, const int *in) {
  __shared__ int tile[64];
#pragma tma load fallback(error)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// After a fault nobody can tell what code there is.
// CHECK: tilelift: after: plain, nobody can tell what the lifted kernel is compiled for: an illegal memory access was encountered [binary]
__global__ void faults(int *out) { out[1 << 28] = 1; }
__global__ void after(int *out, const int *in) {
  __shared__ int tile[64];
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMalloc((void **)&in, 1 << 16);
  cudaMalloc((void **)&out, 1 << 16);
  cudaMemset(in, 1, 1 << 16);
  within<<<2, 256>>>(out, in, 500, 5);
  rows<64><<<1, 64>>>((float *)out, (const float *)in, 0);
  rows<96><<<1, 96>>>((float *)out, (const float *)in, 0);
  rows<64><<<1, 64>>>((float *)out, (const float *)in, 1u << 26);
  strict<<<1, 64>>>(out, in + 1);
  const char *first = cudaGetErrorName(cudaGetLastError());
  std::printf("strict: %s, then %s\n", first, cudaGetErrorName(cudaGetLastError()));
  faults<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  after<<<1, 64>>>(out, in);
}
