// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a lifted launch costs the host: a kernel with two tensor maps that does next to nothing, and
// one without maps or pragmas, launched thousands of times in batches that the device keeps up
// with, by turns, so that both find the same clocks. Prints the microseconds of a launch of each as
// medians over the batches, and the median of their differences. Built as it is, without being
// lifted, the difference is that of two plain launches, and ought to be nothing:
//
//   tilelift bench/launches.cu -o lifted.cu
//   nvcc -std=c++17 -O3 -arch=sm_90a -Iruntime/include lifted.cu -o launches

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

__global__ void untouched(float *out, const float *a, const float *b, int w, int h) {
  out[threadIdx.x] = int(threadIdx.x) < w * h ? a[threadIdx.x] + b[threadIdx.x] : 0;
}

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

/// Microseconds of one launch out of a batch; each has another height than the one before.
template <typename Launch> double microseconds(const Launch &launch) {
  constexpr int launches = 200;
  cudaDeviceSynchronize();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i)
    launch(32 + i % 8);
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::micro>(end - start).count() / launches;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

int main() {
  float *a, *b, *out;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  cudaMalloc(&out, 1 << 20);
  std::vector<double> plain, lifted, more;
  for (int batch = 0; batch < 400; ++batch) {
    plain.push_back(microseconds(
        [=](int height) { untouched<<<dim3(1, 1), 128>>>(out, a, b, 64, height); }));
    lifted.push_back(microseconds(
        [=](int height) { two_tiles<<<dim3(1, 1), 128>>>(out, a, b, 64, height); }));
    more.push_back(lifted.back() - plain.back());
  }
  std::printf("%.3f us plain, %.3f us lifted, %+.3f us; error %d\n", median(plain), median(lifted),
              median(more), int(cudaDeviceSynchronize()));
}
