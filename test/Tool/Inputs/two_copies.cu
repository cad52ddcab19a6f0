// A kernel with two copies, launched twice.
#include <cstdio>

__global__ void both(float *__restrict__ out, const float *__restrict__ a,
                     const float *__restrict__ b) {
  __shared__ float x[128], y[128];
  int i = blockIdx.x * 128 + threadIdx.x;
#pragma tma load
  x[threadIdx.x] = a[i];
#pragma tma load
  y[threadIdx.x] = b[i];
  __syncthreads();
  out[i] = x[127 - threadIdx.x] + y[127 - threadIdx.x];
}

int main() {
  float *memory;
  cudaMalloc(&memory, 3 * 512 * 4);
  cudaMemset(memory, 0, 3 * 512 * 4);
  for (int i = 0; i < 2; ++i)
    both<<<4, 128>>>(memory, memory + 512, memory + 1024);
  return cudaDeviceSynchronize();
}
