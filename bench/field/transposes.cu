// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix transposes as everybody writes them: a tile of 32 by 32 with one column more, eight rows
// of threads, for floats, halves and doubles; one of 64 by 64; and one with guards for any size.

#include "field.cuh"

#include <cuda_fp16.h>

#define TILE_DIM 32
#define BLOCK_ROWS 8

template <typename T> __global__ void transposeNoBankConflicts(T *odata, const T *idata) {
  __shared__ T tile[TILE_DIM][TILE_DIM + 1];

  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  int width = gridDim.x * TILE_DIM;
  int height = gridDim.y * TILE_DIM;

#pragma tma load fallback(loop)
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];

  __syncthreads();

  x = blockIdx.y * TILE_DIM + threadIdx.x; // transpose block offset
  y = blockIdx.x * TILE_DIM + threadIdx.y;

#pragma tma store fallback(loop)
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Doubles, whose tile has rows of 256 bytes
__global__ void transpose_double(double *odata, const double *idata, int width, int height) {
  __shared__ double tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
#pragma tma load
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    tile[threadIdx.y + j][threadIdx.x] = idata[(size_t)(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
#pragma tma store fallback(loop)
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    odata[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Any size, with guards
__global__ void transpose_guarded(float *odata, const float *idata, int width, int height) {
  __shared__ float block[TILE_DIM][TILE_DIM + 1];

  unsigned int xIndex = blockIdx.x * TILE_DIM + threadIdx.x;
  unsigned int yIndex = blockIdx.y * TILE_DIM + threadIdx.y;
#pragma tma load
  if ((xIndex < width) && (yIndex < height)) {
    unsigned int index_in = yIndex * width + xIndex;
    block[threadIdx.y][threadIdx.x] = idata[index_in];
  }

  __syncthreads();

  xIndex = blockIdx.y * TILE_DIM + threadIdx.x;
  yIndex = blockIdx.x * TILE_DIM + threadIdx.y;
#pragma tma store fallback(loop)
  if ((xIndex < height) && (yIndex < width)) {
    unsigned int index_out = yIndex * height + xIndex;
    odata[index_out] = block[threadIdx.x][threadIdx.y];
  }
}

// 64 by 64, 16 rows of threads, each with vectors of four floats of the input
#define TILE64 64

__global__ void transpose64(float *__restrict__ out, const float *__restrict__ in, int rows,
                            int cols) {
  __shared__ float tile[TILE64][TILE64 + 1];
  const int bx = blockIdx.x * TILE64, by = blockIdx.y * TILE64;
#pragma tma load
#pragma unroll
  for (int i = threadIdx.y; i < TILE64; i += 16) {
    const float4 v =
        *reinterpret_cast<const float4 *>(&in[(size_t)(by + i) * cols + bx + threadIdx.x * 4]);
    tile[i][threadIdx.x * 4 + 0] = v.x;
    tile[i][threadIdx.x * 4 + 1] = v.y;
    tile[i][threadIdx.x * 4 + 2] = v.z;
    tile[i][threadIdx.x * 4 + 3] = v.w;
  }
  __syncthreads();
#pragma tma store fallback(loop)
#pragma unroll
  for (int i = threadIdx.y; i < TILE64; i += 16) {
    float4 v;
    v.x = tile[threadIdx.x * 4 + 0][i];
    v.y = tile[threadIdx.x * 4 + 1][i];
    v.z = tile[threadIdx.x * 4 + 2][i];
    v.w = tile[threadIdx.x * 4 + 3][i];
    *reinterpret_cast<float4 *>(&out[(size_t)(bx + i) * rows + by + threadIdx.x * 4]) = v;
  }
}

// In the tile already transposed, so that both copies go along rows
__global__ void transpose_turned(float *__restrict__ odata, const float *__restrict__ idata,
                                 int width, int height) {
  __shared__ float in_tile[TILE_DIM][TILE_DIM];
  __shared__ float out_tile[TILE_DIM][TILE_DIM];
  const int x0 = blockIdx.x * TILE_DIM, y0 = blockIdx.y * TILE_DIM;
#pragma tma load
  for (int j = threadIdx.y; j < TILE_DIM; j += BLOCK_ROWS)
    in_tile[j][threadIdx.x] = idata[(size_t)(y0 + j) * width + x0 + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < TILE_DIM; j += BLOCK_ROWS)
    out_tile[j][threadIdx.x] = in_tile[threadIdx.x][j];
  __syncthreads();
#pragma tma store
  for (int j = threadIdx.y; j < TILE_DIM; j += BLOCK_ROWS)
    odata[(size_t)(x0 + j) * height + y0 + threadIdx.x] = out_tile[j][threadIdx.x];
}

int main() {
  const int w = field::pick(8192, 192), h = field::pick(8192, 128);
  Buffer in(size_t(w) * h * 8, 1), out(size_t(w) * h * 8, 2);
  dim3 grid(w / TILE_DIM, h / TILE_DIM), threads(TILE_DIM, BLOCK_ROWS);
  field::measure("transpose-float", out, [&] {
    transposeNoBankConflicts<<<grid, threads>>>(out.as<float>(), in.as<const float>());
  });
  field::measure("transpose-half", out, [&] {
    transposeNoBankConflicts<<<grid, threads>>>(out.as<half>(), in.as<const half>());
  });
  field::measure("transpose-double", out, [&] {
    transposeNoBankConflicts<<<grid, threads>>>(out.as<double>(), in.as<const double>());
  });
  field::measure("transpose-double-alone", out, [&] {
    transpose_double<<<grid, threads>>>(out.as<double>(), in.as<double>(), w, h);
  });
  for (int width : {w, field::pick(7001, 71)}) {
    const int height = width == w ? h : field::pick(8100, 100);
    field::measure(width == w ? "transpose-guarded" : "transpose-guarded-7001", out, [&] {
      dim3 blocks((width + TILE_DIM - 1) / TILE_DIM, (height + TILE_DIM - 1) / TILE_DIM);
      transpose_guarded<<<blocks, dim3(TILE_DIM, TILE_DIM)>>>(out.as<float>(), in.as<float>(),
                                                              width, height);
    });
  }
  field::measure("transpose-64", out, [&] {
    transpose64<<<dim3(w / TILE64, h / TILE64), dim3(16, 16)>>>(out.as<float>(), in.as<float>(), h,
                                                                w);
  });
  field::measure("transpose-turned", out, [&] {
    transpose_turned<<<grid, threads>>>(out.as<float>(), in.as<float>(), w, h);
  });
}
