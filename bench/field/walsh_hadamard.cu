// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fast Walsh-Hadamard transform: rounds of radix 4 of a whole vector of up to 2^11 elements in
// shared memory. Longer vectors do their first rounds in global memory.

#include "field.cuh"

#define ELEMENTARY_LOG2SIZE 11

__global__ void fwtBatch1Kernel(float *d_Output, float *d_Input, int log2N) {
  const int N = 1 << log2N;
  const int base = blockIdx.x << log2N;

  extern __shared__ float s_data[];
  float *d_Src = d_Input + base;
  float *d_Dst = d_Output + base;

#pragma tma load
  for (int pos = threadIdx.x; pos < N; pos += blockDim.x) {
    s_data[pos] = d_Src[pos];
  }

  // Main radix-4 stages
  const int pos = threadIdx.x;
  for (int stride = N >> 2; stride > 0; stride >>= 2) {
    int lo = pos & (stride - 1);
    int i0 = ((pos - lo) << 2) + lo;
    int i1 = i0 + stride;
    int i2 = i1 + stride;
    int i3 = i2 + stride;

    __syncthreads();
    float D0 = s_data[i0];
    float D1 = s_data[i1];
    float D2 = s_data[i2];
    float D3 = s_data[i3];

    float T;
    T = D0;
    D0 = D0 + D2;
    D2 = T - D2;
    T = D1;
    D1 = D1 + D3;
    D3 = T - D3;
    T = D0;
    s_data[i0] = D0 + D1;
    s_data[i1] = T - D1;
    T = D2;
    s_data[i2] = D2 + D3;
    s_data[i3] = T - D3;
  }

  // Do single radix-2 stage for odd power of two
  if (log2N & 1) {
    __syncthreads();
    for (int pos = threadIdx.x; pos < N / 2; pos += blockDim.x) {
      int i0 = pos << 1;
      int i1 = i0 + 1;
      float D0 = s_data[i0];
      float D1 = s_data[i1];
      s_data[i0] = D0 + D1;
      s_data[i1] = D0 - D1;
    }
  }
  __syncthreads();

#pragma tma store
  for (int pos = threadIdx.x; pos < N; pos += blockDim.x) {
    d_Dst[pos] = s_data[pos];
  }
}

// The same length for all, rows of 256 elements as in rotations of attention heads.
template <int LOG2N>
__global__ void hadamard_rows(const float *x, float *y, int rows, float scale) {
  constexpr int N = 1 << LOG2N;
  __shared__ float4 row[N / 4];
  const int r = blockIdx.x;
  if (r >= rows)
    return;

#pragma tma load
  row[threadIdx.x] = reinterpret_cast<const float4 *>(x + (size_t)r * N)[threadIdx.x];
  __syncthreads();

  float *data = reinterpret_cast<float *>(row);
  for (int h = 1; h < N; h *= 2) {
    for (int i = threadIdx.x; i < N / 2; i += blockDim.x) {
      int j = (i / h) * 2 * h + i % h;
      float a = data[j], b = data[j + h];
      data[j] = a + b;
      data[j + h] = a - b;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < N; i += blockDim.x)
    data[i] *= scale;
  __syncthreads();
#pragma tma store
  reinterpret_cast<float4 *>(y + (size_t)r * N)[threadIdx.x] = row[threadIdx.x];
}

int main() {
  const int log2N = ELEMENTARY_LOG2SIZE, N = 1 << log2N, M = field::pick(16384, 3);
  Buffer in(size_t(N) * M * 4, 1), out(size_t(N) * M * 4, 2);
  field::measure("walsh-hadamard", out, [&] {
    fwtBatch1Kernel<<<M, N / 4, N * sizeof(float)>>>(out.as<float>(), in.as<float>(), log2N);
  });
  const int rows = field::pick(131072, 5);
  field::measure("hadamard-rows", out, [&] {
    hadamard_rows<8><<<rows, 64>>>(in.as<float>(), out.as<float>(), rows, 0.0625f);
  });
}
