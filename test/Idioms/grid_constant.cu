// Arguments that are constant for the grid: a launcher is no kernel, and leaves that out.
//
// RUN: env TILELIFT_VERBOSE=1 %run --compare %s 2>&1 | %FileCheck %s
// CHECK: tilelift: part_of: TMA
// CHECK: tilelift: scaled: TMA

#include <cuda_runtime.h>

struct Image {
  const float *pixels;
  float *out;
};

__global__ void part_of(const __grid_constant__ Image image) {
  __shared__ float tile[128];
#pragma tma load
  tile[threadIdx.x] = image.pixels[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  image.out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}

template <int Scale>
__global__ void scaled(__grid_constant__ const Image image, const __grid_constant__ int width) {
  __shared__ float tile[128];
#pragma tma load
  tile[threadIdx.x] = image.pixels[blockIdx.x * width + threadIdx.x];
  __syncthreads();
  image.out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x] * Scale;
}

int main() {
  float *pixels;
  Image image;
  cudaMalloc(&pixels, 4096);
  cudaMalloc(&image.out, 4096);
  cudaMemset(pixels, 1, 4096);
  image.pixels = pixels;
  part_of<<<4, 128>>>(image);
  scaled<2><<<4, 128>>>(image, 256);
  return cudaDeviceSynchronize() != cudaSuccess;
}
