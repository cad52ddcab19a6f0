// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift --emit=python %s -o - | %FileCheck %s --check-prefix=PYTHON
// RUN: %tilelift --emit=driver %s -o - | %FileCheck %s --check-prefix=DRIVER
// RUN: %tilelift --emit=manifest %s -o - | %FileCheck %s --check-prefix=MANIFEST
// RUN: %run --compare %s
//
// Copies of the same boxes of one tensor have one map, which holds for all places that any of them copies from.

#include <cstdio>

// A double buffer by hand: the first tile is copied ahead of the loop. Both copies may read behind the tensor's end, so the
// launcher asks for memory at its start unless no box of either lies outside.
// CHECK: __global__ void buffered_tma(float *out, const float *in, int w, int h,
// CHECK-NEXT: const __grid_constant__ CUtensorMap tile_map) {
// CHECK: tilelift::load({{.*}}, tile_map,
// CHECK: tilelift::load({{.*}}, tile_map,
// CHECK: CUtensorMap tile_map = launch.map<buffered_tma_plan::tile_1_box>(
// CHECK-NEXT: tilelift::element_type::f32, "tile", "in",
// CHECK-NOT: launch.map
// CHECK: return launch.start(buffered_tma, out, in, w, h, tile_map);
// PYTHON: either(
// DRIVER: tilelift::either(
// MANIFEST: either(
__global__ void buffered(float *out, const float *in, int w, int h) {
  __shared__ float tile[2][16][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = threadIdx.y;
#pragma tma load
  tile[0][y][threadIdx.x] = x < w && y < h ? in[y * w + x] : 0.f;
  __syncthreads();
  float sum = 0.f;
  for (int k = 0; k < h; k += 16) {
    int now = k / 16 % 2;
    if (k + 16 < h) {
#pragma tma load
      tile[now ^ 1][y][threadIdx.x] = x < w && k + 16 + y < h ? in[(k + 16 + y) * w + x] : 0.f;
    }
    for (int i = 0; i < 16; ++i)
      sum += tile[now][i][threadIdx.x];
    __syncthreads();
  }
  if (x < w)
    out[(blockIdx.x * 16 + y) * 32 + threadIdx.x] = sum;
}

// The boxes differ in their height, and so do the maps.
// CHECK: __global__ void heights_tma(float *out, const float *in,
// CHECK-NEXT: const __grid_constant__ CUtensorMap high_map,
// CHECK-NEXT: const __grid_constant__ CUtensorMap low_map) {
__global__ void heights(float *out, const float *in) {
  __shared__ float high[16][32], low[8][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += 128)
    high[i / 32][i % 32] = in[i / 32 * 64 + i % 32];
#pragma tma load
  for (int i = t; i < 256; i += 128)
    low[i / 32][i % 32] = in[(i / 32 + 16) * 64 + i % 32];
  __syncthreads();
  out[t] = high[t / 32][t % 32] + low[t / 32][t % 32];
}

// A tile goes back to where it came from, by the same map.
// CHECK: __global__ void back_tma(float *a, int w, const __grid_constant__ CUtensorMap tile_map) {
// CHECK: tilelift::load({{.*}}tile_map
// CHECK: tilelift::store({{.*}}tile_map
// CHECK: return launch.start(back_tma, a, w, tile_map);
__global__ void back(float *a, int w) {
  __shared__ float tile[16][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 512; i += 128)
    tile[i / 32][i % 32] = a[(blockIdx.x * 16 + i / 32) * w + i % 32];
  __syncthreads();
  for (int i = t; i < 512; i += 128)
    tile[i / 32][i % 32] *= 2.f;
  __syncthreads();
#pragma tma store
  for (int i = t; i < 512; i += 128)
    a[(blockIdx.x * 16 + i / 32) * w + i % 32] = tile[i / 32][i % 32];
}

// Two groups of copies of one tensor, with other boxes, have two maps and two names for them.
// CHECK: __global__ void groups_tma(float *out, const float *in, int w, int h,
// CHECK-NEXT: const __grid_constant__ CUtensorMap in_map,
// CHECK-NEXT: const __grid_constant__ CUtensorMap b_map) {
// CHECK: tilelift::load(a, in_map
// CHECK: tilelift::load(d, in_map
// CHECK: tilelift::load(b, b_map
// CHECK: tilelift::load(e, b_map
__global__ void groups(float *out, const float *in, int w, int h) {
  __shared__ float a[16][16], b[8][32], d[16][16], e[8][32];
  int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16, t = threadIdx.x;
#pragma tma load
  a[t / 16][t % 16] = x0 + t % 16 < w && y0 + t / 16 < h ? in[(y0 + t / 16) * w + x0 + t % 16] : 0.f;
#pragma tma load
  d[t / 16][t % 16] = x0 + t % 16 < w && y0 + t / 16 + 16 < h ? in[(y0 + t / 16 + 16) * w + x0 + t % 16] : 0.f;
#pragma tma load
  b[t / 32][t % 32] = x0 + t % 32 < w && y0 + t / 32 < h ? in[(y0 + t / 32) * w + x0 + t % 32] : 0.f;
#pragma tma load
  e[t / 32][t % 32] = x0 + t % 32 < w && y0 + t / 32 + 8 < h ? in[(y0 + t / 32 + 8) * w + x0 + t % 32] : 0.f;
  __syncthreads();
  out[t] = a[0][t % 16] + b[0][t % 32] + d[1][t % 16] + e[1][t % 32];
}

// Where nothing bounds a dimension, its map ends behind the last box. What lies there in one copy's rows need not be there in
// the other's, so each has its own.
// CHECK: __global__ void ends_tma(float *out, const float *in, int p,
// CHECK-NEXT: const __grid_constant__ CUtensorMap low_map,
// CHECK-NEXT: const __grid_constant__ CUtensorMap high_map) {
__global__ void ends(float *out, const float *in, int p) {
  __shared__ __align__(128) float low[8][30], high[8][30];
  int t = threadIdx.x, r = t / 30, c = t % 30;
#pragma tma load
  low[r][c] = in[(8 + r) * p + c];
#pragma tma load
  high[r][c] = in[r * p + 32 + c];
  __syncthreads();
  out[t] = low[r][c] + high[r][c] * 3;
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * 100 * 4);
  cudaMalloc(&out, 3 * 512 * 4);
  float numbers[64 * 100];
  for (int i = 0; i < 64 * 100; ++i)
    numbers[i] = float(i % 97);
  cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  buffered<<<3, dim3(32, 16)>>>(out, in, 64, 100);
  heights<<<1, 128>>>(out, in);
  back<<<6, 128>>>(in, 64);
  groups<<<1, 256>>>(out, in, 64, 64);
  float *exact;
  cudaMalloc(&exact, (15 * 64 + 30) * 4);
  cudaMemset(exact, 1, (15 * 64 + 30) * 4);
  ends<<<1, 240>>>(out, exact, 64);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
