// The emulator runs no kernel that ptxas would not assemble, and has room for every other one.
//
// RUN: %not 2 %run --plain %s 2>&1 | %FileCheck %s
// RUN: %run --plain -DWORDS=12288 %s | %FileCheck %s --check-prefix=MOST
// CHECK: tilelift: error: the emulator cannot translate '{{.*}}': kernel 'large(int*)' has 49156 bytes of static shared memory, and ptxas assembles none with more than 49152
// MOST: no error, 126

#include <cstdio>
#include <cuda_runtime.h>

#ifndef WORDS
#define WORDS 12289
#endif

__global__ void large(int *out) {
  __shared__ int tile[WORDS];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

int main() {
  int *out, one;
  cudaMalloc((void **)&out, 512);
  large<<<1, 128>>>(out);
  cudaMemcpy(&one, out + 1, sizeof one, cudaMemcpyDeviceToHost);
  std::printf("%s, %d\n", cudaGetErrorString(cudaDeviceSynchronize()), one);
}
