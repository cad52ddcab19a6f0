// A program that does something else when it is lifted: the first difference is
// named by kernel, array, index and line, once for each array.
//
// RUN: %not 3 %run --compare %s 2>&1 >%t.out | %FileCheck %s
// RUN: %run --plain %s > %t.plain && diff %t.plain %t.out

#include <cstdio>
#include <cuda_runtime.h>

#ifdef TILELIFT_TILELIFT_CUH
constexpr int lifted = 1;
#else
constexpr int lifted = 0;
#endif

__device__ int rounds[4];

// CHECK: [[@LINE+11]]:{{[0-9]+}}: error: launch 1, kernel 'scale': 'out'[70] is 140.5, the plain program has 140 [difference]
// CHECK: [[@LINE+12]]:{{[0-9]+}}: error: launch 2, kernel 'scale': byte 4 of 'rounds' is 0x02, the plain program has 0x01 [difference]
// CHECK: [[@LINE+13]]:{{[0-9]+}}: error: launch 3, kernel 'scale': 'in'[5] is 1e+09, the plain program has 5 [difference]
// CHECK: error: the lifted program ends after 3 launches, the plain one has more [difference]
// CHECK: error: the plain program ends with 0, the lifted one with 5
__global__ void scale(float *out, const float *in, int round) {
  __shared__ float tile[128];
#pragma tma load
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = tile[threadIdx.x] * 2 + (lifted && round == 0 && i >= 70 ? 0.5f : 0.f);
  if (i == 0)
    rounds[round] = 1 + (lifted && round == 1);
  if (lifted && round == 2 && i == 3)
    const_cast<float *>(in)[5] = 1e9f;
}

int main() {
  float values[256], *in, *out;
  for (int i = 0; i < 256; ++i)
    values[i] = float(i);
  cudaMalloc(&in, sizeof values);
  cudaMalloc(&out, sizeof values);
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  for (int round = 0; round < 4 - lifted; ++round) {
    scale<<<2, 128>>>(out, in, round);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  }
  std::printf("done\n");
  return lifted ? 5 : 0;
}
