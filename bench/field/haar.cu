// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Haar wavelet of a signal: a block halves twice as many elements as it has threads, level
// after level in shared memory, and writes the details of each level.

#include "field.cuh"

#define INV_SQRT_2 0.70710678118654752440f

__global__ void dwtHaar1D(float *id, float *od, float *approx_final, const unsigned int dlevels,
                          const unsigned int slength_step_half, const int bdim) {
  extern __shared__ float shared[];

  const int bid = blockIdx.x;
  const int tid = threadIdx.x;
  const int tid_global = (bid * bdim) + tid;
  unsigned int idata = (bid * (2 * bdim)) + tid;

  // read data, each thread two elements, coalesced
#pragma tma load fallback(loop)
  {
    shared[tid] = id[idata];
    shared[tid + bdim] = id[idata + bdim];
  }
  __syncthreads();

  float data0 = shared[2 * tid];
  float data1 = shared[(2 * tid) + 1];
  __syncthreads();

  // detail coefficient, not further referenced so directly store in global memory
  od[tid_global + slength_step_half] = (data0 - data1) * INV_SQRT_2;
  shared[tid] = (data0 + data1) * INV_SQRT_2;
  __syncthreads();

  if (dlevels > 1) {
    unsigned int offset_neighbor = 1;
    unsigned int num_threads = bdim >> 1;
    unsigned int idata0 = tid * 2;
    for (unsigned int i = 1; i < dlevels; ++i) {
      if (tid < num_threads) {
        unsigned int idata1 = idata0 + offset_neighbor;
        unsigned int pos = (slength_step_half >> i) + bid * num_threads + tid;
        float c0 = shared[idata0], c1 = shared[idata1];
        od[pos] = (c0 - c1) * INV_SQRT_2;
        shared[idata0] = (c0 + c1) * INV_SQRT_2;
        num_threads = num_threads >> 1;
        offset_neighbor <<= 1;
        idata0 = idata0 << 1;
      }
      __syncthreads();
    }
  }
  if (tid == 0)
    approx_final[bid] = shared[0];
}

// One level of the transform of each row of an image: averages to the left, details to the right.
#define ROW_BLOCK 256
__global__ void haar_row_step(const float *in, float *out, int width, int pitch) {
  __shared__ float segment[2 * ROW_BLOCK];
  __shared__ float result[2 * ROW_BLOCK];
  const int y = blockIdx.y;
  const int x0 = blockIdx.x * 2 * ROW_BLOCK;

#pragma tma load
  for (int i = threadIdx.x; i < 2 * ROW_BLOCK; i += ROW_BLOCK)
    segment[i] = x0 + i < width ? in[y * pitch + x0 + i] : 0.0f;
  __syncthreads();

  const float a = segment[2 * threadIdx.x], b = segment[2 * threadIdx.x + 1];
  result[threadIdx.x] = (a + b) * INV_SQRT_2;
  result[ROW_BLOCK + threadIdx.x] = (a - b) * INV_SQRT_2;
  __syncthreads();

  const int x = x0 / 2 + threadIdx.x;
#pragma tma store fallback(loop)
  if (x < width / 2) {
    out[y * pitch + x] = result[threadIdx.x];
    out[y * pitch + width / 2 + x] = result[ROW_BLOCK + threadIdx.x];
  }
}

int main() {
  const int bdim = 512, blocks = field::pick(65536, 4), length = blocks * 2 * bdim;
  Buffer id(size_t(length) * 4, 1), od(size_t(length) * 4, 2), approx(blocks * 4, 3);
  field::measure("haar", od, [&] {
    dwtHaar1D<<<blocks, bdim, 2 * bdim * sizeof(float)>>>(id.as<float>(), od.as<float>(),
                                                          approx.as<float>(), 10, length / 2, bdim);
  });
  const int width = field::pick(7680, 1100), height = field::pick(4320, 3), pitch = width;
  field::measure("haar-rows", od, [&] {
    haar_row_step<<<dim3((width + 2 * ROW_BLOCK - 1) / (2 * ROW_BLOCK), height), ROW_BLOCK>>>(
        id.as<float>(), od.as<float>(), width, pitch);
  });
}
