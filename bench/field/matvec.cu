// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of a matrix and a vector with the vector in shared memory: all of it, with a warp for
// each row; a tile of it at a time, with a thread for each row of a matrix by columns; and halves
// in vectors of eight, as for one token of a language model.

#include "field.cuh"

#include <cuda_fp16.h>

#define TILE 256

__device__ __forceinline__ float warp_reduce(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1)
    v += __shfl_down_sync(0xffffffff, v, o);
  return v;
}

// y = A x, A is (rows, COLS) by rows
template <int COLS>
__global__ void gemv_warp_per_row(const float *__restrict__ A, const float *__restrict__ x,
                                  float *__restrict__ y, int rows) {
  __shared__ float xs[COLS];
#pragma tma load
  for (int i = threadIdx.x; i < COLS / 4; i += blockDim.x)
    reinterpret_cast<float4 *>(xs)[i] = reinterpret_cast<const float4 *>(x)[i];
  __syncthreads();
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const float4 *a = reinterpret_cast<const float4 *>(A + (size_t)row * COLS);
  float sum = 0.0f;
  for (int i = lane; i < COLS / 4; i += 32) {
    const float4 v = a[i], w = reinterpret_cast<float4 *>(xs)[i];
    sum += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
  }
  sum = warp_reduce(sum);
  if (lane == 0)
    y[row] = sum;
}

// y = A x, A is (rows, cols) by columns
__global__ void gemv_tiled_columns(const float *A, const float *x, float *y, int rows, int cols) {
  __shared__ float xs[TILE];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int t = 0; t < (cols + TILE - 1) / TILE; t++) {
#pragma tma load
    if (t * TILE + threadIdx.x < cols)
      xs[threadIdx.x] = x[t * TILE + threadIdx.x];
    else
      xs[threadIdx.x] = 0.0f;
    __syncthreads();
    if (row < rows) {
      const int end = min(TILE, cols - t * TILE);
      for (int e = 0; e < end; e++)
        sum += A[(size_t)(t * TILE + e) * rows + row] * xs[e];
    }
    __syncthreads();
  }
  if (row < rows)
    y[row] = sum;
}

// Halves; the vector, whose length is an argument, in dynamic shared memory
__global__ void gemv_half(const half *__restrict__ weight, const half *__restrict__ x,
                          half *__restrict__ y, int n, int k) {
  extern __shared__ uint4 x_smem[];
#pragma tma load
  for (int i = threadIdx.x; i < k / 8; i += blockDim.x)
    x_smem[i] = reinterpret_cast<const uint4 *>(x)[i];
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.x * (blockDim.x / 32) + warp;
  if (row >= n)
    return;
  const uint4 *w = reinterpret_cast<const uint4 *>(weight + (size_t)row * k);
  float acc = 0.0f;
  for (int i = lane; i < k / 8; i += 32) {
    const uint4 wv = w[i], xv = x_smem[i];
    const half2 *wh = reinterpret_cast<const half2 *>(&wv);
    const half2 *xh = reinterpret_cast<const half2 *>(&xv);
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const float2 a = __half22float2(wh[j]), b = __half22float2(xh[j]);
      acc += a.x * b.x + a.y * b.y;
    }
  }
  acc = warp_reduce(acc);
  if (lane == 0)
    y[row] = __float2half(acc);
}

// A tile of the matrix as well: 32 rows by 32 columns, summed along rows by the first warp
__global__ void gemv_shared_matrix(const float *A, const float *x, float *y, int rows, int cols) {
  __shared__ float as[32][32 + 1];
  __shared__ float xs[32];
  const int row0 = blockIdx.x * 32, tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0.0f;
  for (int k0 = 0; k0 < cols; k0 += 32) {
#pragma tma load
    for (int r = ty; r < 32; r += 8)
      as[r][tx] = (row0 + r < rows && k0 + tx < cols) ? A[(size_t)(row0 + r) * cols + k0 + tx] : 0;
#pragma tma load
    if (ty == 0)
      xs[tx] = k0 + tx < cols ? x[k0 + tx] : 0;
    __syncthreads();
    if (ty == 0) {
#pragma unroll
      for (int k = 0; k < 32; k++)
        sum += as[tx][k] * xs[k];
    }
    __syncthreads();
  }
  if (ty == 0 && row0 + tx < rows)
    y[row0 + tx] = sum;
}

__global__ void fill_half(half *p, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    p[i] = __float2half(float((i * 2654435761u >> 7) % 1000) * 0.002f - 1.0f);
}

int main() {
  constexpr int cols = 4096;
  const int rows = field::pick(32000, 50);
  Buffer a(size_t(rows) * cols * 4, 1), x(cols * 4, 2), y(size_t(rows) * 4, 3);
  field::measure("matvec-rows", y, [&] {
    gemv_warp_per_row<cols>
        <<<(rows + 7) / 8, 256>>>(a.as<float>(), x.as<float>(), y.as<float>(), rows);
  });
  const int some = field::pick(4000, 300);
  field::measure("matvec-columns", y, [&] {
    gemv_tiled_columns<<<(rows + TILE - 1) / TILE, TILE>>>(a.as<float>(), x.as<float>(),
                                                           y.as<float>(), rows, some);
  });
  field::measure("matvec-tiles", y, [&] {
    gemv_shared_matrix<<<(rows + 31) / 32, dim3(32, 8)>>>(a.as<float>(), x.as<float>(),
                                                          y.as<float>(), rows, some);
  });
  const int k = cols, n = 2 * rows;
  fill_half<<<blocks_for(size_t(n) * k), 256>>>(a.as<half>(), size_t(n) * k);
  fill_half<<<1, 256>>>(x.as<half>(), k);
  field::measure("matvec-half", y, [&] {
    gemv_half<<<(n + 7) / 8, 256, k * sizeof(half)>>>(a.as<half>(), x.as<half>(), y.as<half>(), n,
                                                      k);
  });
}
