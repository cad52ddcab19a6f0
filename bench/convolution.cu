// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A separable convolution: along rows, then along columns, zero outside. The two launches
// are one workload.

#include "bench.cuh"
#include "by_hand.cuh"

constexpr int RADIUS = 8, TAPS = 2 * RADIUS + 1, THREADS = 256;
__constant__ float weights[TAPS];

/// Along rows 16 of 128 elements, along columns 64 of 32; and what is next to them.
constexpr int RX = 128, RY = 16, CX = 32, CY = 64;

__device__ inline void sum_rows(float *out, const float (&tile)[RY][RX + 2 * RADIUS], int x0,
                                int y0, int w, int h) {
  int column = threadIdx.x % RX;
  for (int r = threadIdx.x / RX; r < RY; r += THREADS / RX) {
    float sum = 0.f;
    for (int k = 0; k < TAPS; ++k)
      sum += weights[k] * tile[r][column + k];
    if (y0 + r < h && x0 + column < w)
      out[(y0 + r) * w + x0 + column] = sum;
  }
}

__device__ inline void sum_columns(float *out, const float (&tile)[CY + 2 * RADIUS][CX], int x0,
                                   int y0, int w, int h) {
  int column = threadIdx.x % CX;
  for (int r = threadIdx.x / CX; r < CY; r += THREADS / CX) {
    float sum = 0.f;
    for (int k = 0; k < TAPS; ++k)
      sum += weights[k] * tile[r + k][column];
    if (y0 + r < h && x0 + column < w)
      out[(y0 + r) * w + x0 + column] = sum;
  }
}

__global__ void __launch_bounds__(THREADS)
    along_rows(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[RY][RX + 2 * RADIUS];
  int x0 = int(blockIdx.x) * RX, y0 = int(blockIdx.y) * RY;
#pragma tma load
  for (int i = threadIdx.x; i < RY * (RX + 2 * RADIUS); i += THREADS) {
    int y = y0 + i / (RX + 2 * RADIUS), x = x0 - RADIUS + i % (RX + 2 * RADIUS);
    tile[i / (RX + 2 * RADIUS)][i % (RX + 2 * RADIUS)] =
        y < h && x >= 0 && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  sum_rows(out, tile, x0, y0, w, h);
}

__global__ void __launch_bounds__(THREADS)
    along_columns(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[CY + 2 * RADIUS][CX];
  int x0 = int(blockIdx.x) * CX, y0 = int(blockIdx.y) * CY;
#pragma tma load
  for (int i = threadIdx.x; i < (CY + 2 * RADIUS) * CX; i += THREADS) {
    int y = y0 - RADIUS + i / CX, x = x0 + i % CX;
    tile[i / CX][i % CX] = y >= 0 && y < h && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  sum_columns(out, tile, x0, y0, w, h);
}

/// Starts a block's only copy, and waits for it.
template <typename Tile>
__device__ inline void fetch(Tile &tile, uint64_t &full, const CUtensorMap &map, int x, int y) {
  if (threadIdx.x == 0) {
    by_hand::init(full);
    by_hand::expect(full, sizeof(tile));
    by_hand::load(&tile, map, {x, y}, full);
  }
  __syncthreads();
  by_hand::wait(full, 0);
}

__global__ void __launch_bounds__(THREADS)
    rows_by_hand(float *__restrict__ out, const __grid_constant__ CUtensorMap in, int w, int h) {
  __shared__ alignas(128) float tile[RY][RX + 2 * RADIUS];
  __shared__ uint64_t full;
  int x0 = int(blockIdx.x) * RX, y0 = int(blockIdx.y) * RY;
  fetch(tile, full, in, x0 - RADIUS, y0);
  sum_rows(out, tile, x0, y0, w, h);
}

__global__ void __launch_bounds__(THREADS)
    columns_by_hand(float *__restrict__ out, const __grid_constant__ CUtensorMap in, int w, int h) {
  __shared__ alignas(128) float tile[CY + 2 * RADIUS][CX];
  __shared__ uint64_t full;
  int x0 = int(blockIdx.x) * CX, y0 = int(blockIdx.y) * CY;
  fetch(tile, full, in, x0, y0 - RADIUS);
  sum_columns(out, tile, x0, y0, w, h);
}

int main() {
  int w = 16384, h = 16384;
  size_t bytes = size_t(w) * h * 4;
  Buffer in(bytes, 1), between(bytes, 2), out(bytes, 3);
  float taps[TAPS];
  for (int k = 0; k < TAPS; ++k)
    taps[k] = 1.f / float(1 + abs(k - RADIUS));
  CHECK(cudaMemcpyToSymbol(weights, taps, sizeof(taps)));
  dim3 rows(w / RX, h / RY), columns(w / CX, h / CY);
  work("convolution", 4. * double(bytes), 4. * TAPS * w * h);
  kernel("convolution", out, [&] {
    along_rows<<<rows, THREADS>>>(between.as<float>(), in.as<float>(), w, h);
    along_columns<<<columns, THREADS>>>(out.as<float>(), between.as<float>(), w, h);
  });
  other("convolution", "by-hand", out, [&] {
    CUtensorMap first = by_hand::map_of(in.as<float>(), {w, h}, {RX + 2 * RADIUS, RY});
    CUtensorMap second = by_hand::map_of(between.as<float>(), {w, h}, {CX, CY + 2 * RADIUS});
    rows_by_hand<<<rows, THREADS>>>(between.as<float>(), first, w, h);
    columns_by_hand<<<columns, THREADS>>>(out.as<float>(), second, w, h);
  });
}
