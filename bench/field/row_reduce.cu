// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that a block has in shared memory while it reduces them: softmax, layer normalisation with
// float4, and the greatest element of a row with its place.

#include "field.cuh"

#define WARP_SIZE 32

template <typename Op> __device__ float block_reduce(float value, float neutral, Op op) {
  __shared__ float partial[WARP_SIZE];
  __syncthreads();
#pragma unroll
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2)
    value = op(value, __shfl_xor_sync(0xffffffffu, value, offset));
  if (threadIdx.x % WARP_SIZE == 0)
    partial[threadIdx.x / WARP_SIZE] = value;
  __syncthreads();
  value =
      threadIdx.x % WARP_SIZE < blockDim.x / WARP_SIZE ? partial[threadIdx.x % WARP_SIZE] : neutral;
#pragma unroll
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2)
    value = op(value, __shfl_xor_sync(0xffffffffu, value, offset));
  return value;
}

// The row in dynamic shared memory, any number of columns.
__global__ void softmax_forward(float *out, const float *inp, int N, int C) {
  extern __shared__ float row[];
  const float *x = inp + blockIdx.x * C;
  float *y = out + blockIdx.x * C;
  int tid = threadIdx.x;

#pragma tma load
  for (int i = tid; i < C; i += blockDim.x)
    row[i] = x[i];
  __syncthreads();

  float maxval = -INFINITY;
  for (int i = tid; i < C; i += blockDim.x)
    maxval = fmaxf(maxval, row[i]);
  maxval = block_reduce(maxval, -INFINITY, [](float a, float b) { return fmaxf(a, b); });

  float sum = 0.0f;
  for (int i = tid; i < C; i += blockDim.x) {
    row[i] = expf(row[i] - maxval);
    sum += row[i];
  }
  sum = block_reduce(sum, 0.0f, [](float a, float b) { return a + b; });

  for (int i = tid; i < C; i += blockDim.x)
    row[i] /= sum;
  __syncthreads();
#pragma tma store
  for (int i = tid; i < C; i += blockDim.x)
    y[i] = row[i];
}

// Hidden size as a template argument, vectors of four.
template <int HIDDEN, int BLOCK>
__global__ void layernorm_kernel(float *__restrict__ out, const float *__restrict__ inp,
                                 const float *__restrict__ weight, const float *__restrict__ bias,
                                 int rows, float eps) {
  __shared__ float4 s_row[HIDDEN / 4];
  const int row = blockIdx.x;
  if (row >= rows)
    return;
  const float4 *x = reinterpret_cast<const float4 *>(inp) + row * (HIDDEN / 4);

  float sum = 0.0f;
#pragma tma load
  for (int i = threadIdx.x; i < HIDDEN / 4; i += BLOCK)
    s_row[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < HIDDEN / 4; i += BLOCK) {
    float4 v = s_row[i];
    sum += v.x + v.y + v.z + v.w;
  }
  auto plus = [](float a, float b) { return a + b; };
  const float mean = block_reduce(sum, 0.0f, plus) / HIDDEN;

  float squares = 0.0f;
  for (int i = threadIdx.x; i < HIDDEN / 4; i += BLOCK) {
    float4 v = s_row[i];
    v.x -= mean, v.y -= mean, v.z -= mean, v.w -= mean;
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  const float rstd = rsqrtf(block_reduce(squares, 0.0f, plus) / HIDDEN + eps);

  for (int i = threadIdx.x; i < HIDDEN / 4; i += BLOCK) {
    const float4 v = s_row[i], w = reinterpret_cast<const float4 *>(weight)[i];
    const float4 b = reinterpret_cast<const float4 *>(bias)[i];
    float4 o;
    o.x = (v.x - mean) * rstd * w.x + b.x;
    o.y = (v.y - mean) * rstd * w.y + b.y;
    o.z = (v.z - mean) * rstd * w.z + b.z;
    o.w = (v.w - mean) * rstd * w.w + b.w;
    reinterpret_cast<float4 *>(out)[row * (HIDDEN / 4) + i] = o;
  }
}

// Rows that end within a tile of 1024, tile after tile.
__global__ void argmax_rows(const float *in, int *out, int rows, int cols) {
  __shared__ float values[1024];
  __shared__ int places[1024];
  const int tid = threadIdx.x;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float best = -INFINITY;
    int place = 0;
    for (int start = 0; start < cols; start += 1024) {
#pragma tma load
      for (int i = tid; i < 1024; i += blockDim.x)
        values[i] = start + i < cols ? in[(size_t)row * cols + start + i] : -INFINITY;
      __syncthreads();
      for (int i = tid; i < 1024; i += blockDim.x)
        if (values[i] > best) {
          best = values[i];
          place = start + i;
        }
      __syncthreads();
    }
    values[tid] = best;
    places[tid] = place;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
      if (tid < s && (values[tid + s] > values[tid] ||
                      (values[tid + s] == values[tid] && places[tid + s] < places[tid]))) {
        values[tid] = values[tid + s];
        places[tid] = places[tid + s];
      }
      __syncthreads();
    }
    if (tid == 0)
      out[row] = places[0];
    __syncthreads();
  }
}

int main() {
  const int N = field::pick(8192, 5), C = 4096;
  Buffer in(size_t(N) * C * 4, 1), out(size_t(N) * C * 4, 2), weight(C * 4, 3), bias(C * 4, 4);
  field::measure("softmax", out, [&] {
    softmax_forward<<<N, 256, C * sizeof(float)>>>(out.as<float>(), in.as<float>(), N, C);
  });
  field::measure("layernorm", out, [&] {
    layernorm_kernel<4096, 256><<<N, 256>>>(out.as<float>(), in.as<float>(), weight.as<float>(),
                                            bias.as<float>(), N, 1e-5f);
  });
  const int cols = field::pick(4000, 2500);
  field::measure("argmax", out, [&] {
    argmax_rows<<<field::pick(1056, 3), 256>>>(in.as<float>(), out.as<int>(), N, cols);
  });
}
