//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same stencil with its tile declared with rows and as one long row, which TMA fills
// with longer rows: what finding them by division costs.
//
//   tilelift bench/flat_tile.cu -o flat_tile.tma.cu
//   nvcc -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -Iruntime/include flat_tile.tma.cu
//===----------------------------------------------------------------------===//

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int side = 8192, radius = 2, wide = 128 + 2 * radius, high = 16 + 2 * radius;

__global__ void flat(float *out, const float *in, int w, int h) {
  __shared__ float tile[high * wide];
  int x0 = blockIdx.x * 128 - radius, y0 = blockIdx.y * 16 - radius;
#pragma tma load
  for (int i = threadIdx.x; i < high * wide; i += 256) {
    int x = x0 + i % wide, y = y0 + i / wide;
    tile[i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 16 * 128; i += 256) {
    int c = i % 128 + radius, r = i / 128 + radius;
    float sum = 0;
    for (int d = -radius; d <= radius; ++d)
      sum += tile[(r + d) * wide + c] + tile[r * wide + c + d];
    out[(y0 + r) * w + x0 + c] = sum;
  }
}

__global__ void rows(float *out, const float *in, int w, int h) {
  __shared__ float tile[high][wide];
  int x0 = blockIdx.x * 128 - radius, y0 = blockIdx.y * 16 - radius;
#pragma tma load
  for (int i = threadIdx.x; i < high * wide; i += 256) {
    int x = x0 + i % wide, y = y0 + i / wide;
    tile[i / wide][i % wide] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 16 * 128; i += 256) {
    int c = i % 128 + radius, r = i / 128 + radius;
    float sum = 0;
    for (int d = -radius; d <= radius; ++d)
      sum += tile[r + d][c] + tile[r][c + d];
    out[(y0 + r) * w + x0 + c] = sum;
  }
}

template <typename Launch> void time(const char *name, const float *out, Launch launch) {
  std::vector<float> times;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int i = 0; i < 60; ++i) {
    cudaEventRecord(begin);
    launch();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float each = 0;
    cudaEventElapsedTime(&each, begin, end);
    if (i >= 10)
      times.push_back(each);
  }
  std::sort(times.begin(), times.end());
  std::vector<float> result(size_t(side) * side);
  cudaMemcpy(result.data(), out, result.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (size_t i = 0; i < result.size(); ++i)
    sum += double(result[i]) * double(i % 1001);
  std::printf("%s: %.4f ms, checksum %.0f\n", name, times[times.size() / 2], sum);
}

int main() {
  std::vector<float> numbers(size_t(side) * side);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = float(i * 7919 % 1013);
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, numbers.size() * sizeof(float));
  cudaMalloc(&out, numbers.size() * sizeof(float));
  cudaMemcpy(in, numbers.data(), numbers.size() * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 grid(side / 128, side / 16);
  time("flat", out, [&] { flat<<<grid, 256>>>(out, in, side, side); });
  time("rows", out, [&] { rows<<<grid, 256>>>(out, in, side, side); });
}
