// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stencil of one dimension with which courses explain shared memory: each thread reads its
// element, the first ones read the halos, and all add up what is within the radius. Once with
// memory that reaches beyond both ends, and once with guards.

#include "field.cuh"

#define RADIUS 3
#define BLOCK_SIZE 256

__global__ void stencil_1d(float *in, float *out) {
  __shared__ float temp[BLOCK_SIZE + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x;
  int lindex = threadIdx.x + RADIUS;

  // Read input elements into shared memory
#pragma tma load fallback(loop)
  temp[lindex] = in[gindex];
#pragma tma load fallback(loop)
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = in[gindex - RADIUS];
    temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];
  }

  // Synchronize (ensure all the data is available)
  __syncthreads();

  // Apply the stencil
  float result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++)
    result += temp[lindex + offset];

  // Store the result
  out[gindex] = result;
}

__constant__ float coef[9];

// Radius 4, coefficients, zeros beyond the ends.
__global__ void stencil_1d_guarded(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int R = 4;
  __shared__ float smem[BLOCK_SIZE + 2 * R];
  int idx = threadIdx.x + blockIdx.x * BLOCK_SIZE;
  int sidx = threadIdx.x + R;

#pragma tma load
  smem[sidx] = idx < n ? in[idx] : 0.0f;
#pragma tma load fallback(loop)
  if (threadIdx.x < R) {
    smem[sidx - R] = idx - R >= 0 ? in[idx - R] : 0.0f;
    smem[sidx + BLOCK_SIZE] = idx + BLOCK_SIZE < n ? in[idx + BLOCK_SIZE] : 0.0f;
  }
  __syncthreads();

  if (idx >= n)
    return;
  float tmp = 0.0f;
#pragma unroll
  for (int i = -R; i <= R; i++)
    tmp += coef[i + R] * smem[sidx + i];
  out[idx] = tmp;
}

// A window of any radius, in dynamic shared memory that the block fills by a loop.
__global__ void moving_average(const float *in, float *out, int n, int radius) {
  extern __shared__ float window[];
  int start = blockIdx.x * blockDim.x - radius;
  int size = blockDim.x + 2 * radius;

#pragma tma load
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    int pos = start + i;
    window[i] = (pos >= 0 && pos < n) ? in[pos] : 0.0f;
  }
  __syncthreads();

  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0.0f;
    for (int j = 0; j <= 2 * radius; j++)
      sum += window[threadIdx.x + j];
    out[i] = sum / (2 * radius + 1);
  }
}

int main() {
  const int size = field::pick(1 << 26, 1024), n = field::pick(50000001, 1001);
  const float coefficients[9] = {0.02f, 0.05f, 0.1f, 0.2f, 0.3f, 0.15f, 0.1f, 0.06f, 0.02f};
  CHECK(cudaMemcpyToSymbol(coef, coefficients, sizeof(coefficients)));
  Buffer in((size + 2 * RADIUS) * 4ul, 1), out((size + 2 * RADIUS) * 4ul, 2);
  field::measure("stencil-1d", out, [&] {
    stencil_1d<<<size / BLOCK_SIZE, BLOCK_SIZE>>>(in.as<float>() + RADIUS,
                                                  out.as<float>() + RADIUS);
  });
  field::measure("stencil-1d-guarded", out, [&] {
    stencil_1d_guarded<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(in.as<float>(),
                                                                          out.as<float>(), n);
  });
  const int radius = 16;
  field::measure("moving-average", out, [&] {
    moving_average<<<(n + 255) / 256, 256, (256 + 2 * radius) * sizeof(float)>>>(
        in.as<float>(), out.as<float>(), n, radius);
  });
}
