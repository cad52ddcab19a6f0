// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix transposed, 128 rows of 32 elements at a time.

#include "bench.cuh"
#include "by_hand.cuh"

constexpr int T = 32, TALL = 128;

__global__ void transpose(float *out, const float *in, int w, int h) {
  __shared__ float tile[TALL][T + 1];
  int x0 = blockIdx.x * T, y0 = blockIdx.y * TALL;
#pragma tma load
  for (int r = threadIdx.y; r < TALL; r += blockDim.y)
    tile[r][threadIdx.x] =
        y0 + r < h && x0 + threadIdx.x < w ? in[(y0 + r) * w + x0 + threadIdx.x] : 0.f;
  __syncthreads();
  for (int c = threadIdx.y; c < T; c += blockDim.y)
    for (int k = 0; k < TALL; k += T)
      if (x0 + c < w && y0 + k + threadIdx.x < h)
        out[(x0 + c) * h + y0 + k + threadIdx.x] = tile[k + threadIdx.x][c];
}

// A plain kernel of the usual size, without guards.
__global__ void transpose_padded(float *out, const float *in, int w, int h) {
  __shared__ float tile[T][T + 1];
  int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T;
  for (int r = threadIdx.y; r < T; r += blockDim.y)
    tile[r][threadIdx.x] = in[(y + r) * w + x];
  __syncthreads();
  x = blockIdx.y * T + threadIdx.x, y = blockIdx.x * T;
  for (int r = threadIdx.y; r < T; r += blockDim.y)
    out[(y + r) * h + x] = tile[threadIdx.x][r];
}

__global__ void transpose_by_hand(float *out, const __grid_constant__ CUtensorMap map, int w,
                                  int h) {
  __shared__ alignas(1024) float tile[TALL][T];
  __shared__ uint64_t ready;
  int x0 = blockIdx.x * T, y0 = blockIdx.y * TALL;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    by_hand::init(ready);
    by_hand::expect(ready, sizeof(tile));
    by_hand::load(&tile, map, {x0, y0}, ready);
  }
  __syncthreads();
  by_hand::wait(ready, 0);
  for (int c = threadIdx.y; c < T; c += blockDim.y)
    for (int k = 0; k < TALL; k += T)
      if (x0 + c < w && y0 + k + threadIdx.x < h)
        out[(x0 + c) * h + y0 + k + threadIdx.x] =
            tile[k + threadIdx.x][((c / 4) ^ (threadIdx.x % 8)) * 4 + c % 4];
}

int main() {
  int n = 16384;
  size_t bytes = size_t(n) * n * 4;
  Buffer in(bytes, 1), out(bytes, 2);
  work("transpose", 2. * double(bytes), 0);
  dim3 block(T, 8), grid(n / T, n / TALL);
  kernel("transpose", out,
         [&] { transpose<<<grid, block>>>(out.as<float>(), in.as<float>(), n, n); });
  other("transpose", "padded-32x32", out, [&] {
    transpose_padded<<<dim3(n / T, n / T), block>>>(out.as<float>(), in.as<float>(), n, n);
  });
  other("transpose", "by-hand", out, [&] {
    CUtensorMap map =
        by_hand::map_of(in.as<float>(), {n, n}, {T, TALL}, CU_TENSOR_MAP_SWIZZLE_128B);
    transpose_by_hand<<<grid, block>>>(out.as<float>(), map, n, n);
  });
}
