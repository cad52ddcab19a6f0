// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch costs the host: a kernel with two tensor maps that does next to nothing, launched
// thousands of times. Built as it is and lifted, it prints microseconds for a launch, as the median
// over batches that the device keeps up with:
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -Iruntime/include bench/launches.cu -o plain
//   tilelift bench/launches.cu -o lifted.cu, and the same for lifted.cu

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

__global__ void two_tiles(float *out, const float *a, const float *b, int w, int h) {
  __shared__ float left[8][32], right[8][32];
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < 256; i += 128)
    left[i / 32][i % 32] =
        blockIdx.y * 8 + i / 32 < h && i % 32 < w ? a[(blockIdx.y * 8 + i / 32) * w + i % 32] : 0;
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < 256; i += 128)
    right[i / 32][i % 32] =
        blockIdx.y * 8 + i / 32 < h && i % 32 < w ? b[(blockIdx.y * 8 + i / 32) * w + i % 32] : 0;
  __syncthreads();
  out[threadIdx.x] =
      left[threadIdx.x / 32][threadIdx.x % 32] + right[threadIdx.x / 32][threadIdx.x % 32];
}

int main() {
  float *a, *b, *out;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  std::vector<double> batches;
  for (int batch = 0; batch < 200; ++batch) {
    cudaDeviceSynchronize();
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 200; ++i)
      two_tiles<<<dim3(1, 1), 128>>>(out, a, b, 64, 32 + i % 8);
    auto end = std::chrono::steady_clock::now();
    batches.push_back(std::chrono::duration<double, std::micro>(end - start).count() / 200);
  }
  std::sort(batches.begin(), batches.end());
  std::printf("%.3f us, error %d\n", batches[batches.size() / 2], int(cudaDeviceSynchronize()));
}
