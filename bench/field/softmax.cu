// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax with the row in shared memory: a block for each row, whose length is an argument, and a
// masked one of halves that are loaded as vectors, with the row's length known.

#include "field.cuh"

#include <cmath>
#include <cuda_fp16.h>

__device__ __forceinline__ float warp_max(float x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1)
    x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, mask));
  return x;
}

__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1)
    x += __shfl_xor_sync(0xffffffff, x, mask);
  return x;
}

__device__ float block_max(float x, float *buf) {
  x = warp_max(x);
  if (threadIdx.x % 32 == 0)
    buf[threadIdx.x / 32] = x;
  __syncthreads();
  x = warp_max(threadIdx.x % 32 < blockDim.x / 32 ? buf[threadIdx.x % 32] : -INFINITY);
  __syncthreads();
  return x;
}

__device__ float block_sum(float x, float *buf) {
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0)
    buf[threadIdx.x / 32] = x;
  __syncthreads();
  x = warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? buf[threadIdx.x % 32] : 0.0f);
  __syncthreads();
  return x;
}

__global__ void softmax_smem_kernel(const float *input, float *output, int rows, int cols) {
  extern __shared__ float row_buf[];
  __shared__ float reduce_buf[32];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float *in = input + (size_t)row * cols;
    float *out = output + (size_t)row * cols;
#pragma tma load
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
      row_buf[i] = in[i];
    __syncthreads();

    float local_max = -INFINITY;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
      local_max = fmaxf(local_max, row_buf[i]);
    const float row_max = block_max(local_max, reduce_buf);

    float local_sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
      const float e = __expf(row_buf[i] - row_max);
      row_buf[i] = e;
      local_sum += e;
    }
    const float row_sum = block_sum(local_sum, reduce_buf);

    for (int i = threadIdx.x; i < cols; i += blockDim.x)
      out[i] = row_buf[i] / row_sum;
    __syncthreads();
  }
}

// One row of attention scores a block; columns behind the diagonal are masked.
template <int COLS, int THREADS>
__global__ void masked_softmax_half_kernel(const half *__restrict__ scores,
                                           half *__restrict__ probs, float scale, int seq_len) {
  constexpr int VEC = sizeof(float4) / sizeof(half);
  __shared__ alignas(16) half s_row[COLS];
  __shared__ float reduce_buf[32];
  const int tid = threadIdx.x;
  const size_t row = blockIdx.x;
  const int limit = row % seq_len + 1;

#pragma tma load
  for (int i = tid; i < COLS / VEC; i += THREADS) {
    reinterpret_cast<float4 *>(s_row)[i] = reinterpret_cast<const float4 *>(scores + row * COLS)[i];
  }
  __syncthreads();

  float local_max = -INFINITY;
  for (int i = tid; i < COLS; i += THREADS)
    if (i < limit)
      local_max = fmaxf(local_max, __half2float(s_row[i]) * scale);
  const float row_max = block_max(local_max, reduce_buf);
  float local_sum = 0.0f;
  for (int i = tid; i < COLS; i += THREADS)
    if (i < limit)
      local_sum += __expf(__half2float(s_row[i]) * scale - row_max);
  const float inv_sum = 1.0f / block_sum(local_sum, reduce_buf);

  for (int i = tid; i < COLS; i += THREADS) {
    const float p = i < limit ? __expf(__half2float(s_row[i]) * scale - row_max) * inv_sum : 0.0f;
    s_row[i] = __float2half(p);
  }
  __syncthreads();
#pragma tma store
  for (int i = tid; i < COLS / VEC; i += THREADS) {
    reinterpret_cast<float4 *>(probs + row * COLS)[i] = reinterpret_cast<float4 *>(s_row)[i];
  }
}

__global__ void fill_half(half *p, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    p[i] = __float2half(float((i * 2654435761u >> 7) % 1000) * 0.01f - 5.0f);
}

int main() {
  {
    const int cols = 1000, rows = field::pick(65536, 11);
    Buffer in(size_t(rows) * cols * 4, 1), out(size_t(rows) * cols * 4, 2);
    const int grid = field::pick(132 * 8, 4);
    field::measure("softmax-smem", out, [&] {
      softmax_smem_kernel<<<grid, 256, cols * sizeof(float)>>>(in.as<float>(), out.as<float>(),
                                                               rows, cols);
    });
  }
  {
    constexpr int cols = 2048;
    const int rows = field::pick(32 * 2048, 6);
    Buffer in(size_t(rows) * cols * 2, 3), out(size_t(rows) * cols * 2, 4);
    fill_half<<<blocks_for(size_t(rows) * cols), 256>>>(in.as<half>(), size_t(rows) * cols);
    field::measure("softmax-masked-half", out, [&] {
      masked_softmax_half_kernel<cols, 256>
          <<<rows, 256>>>(in.as<half>(), out.as<half>(), 0.125f, cols);
    });
  }
}
