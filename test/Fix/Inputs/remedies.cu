// Copies that one change lets lift, of which the program notices nothing.
#include <cuda_runtime.h>

#include "../../Idioms/Inputs/numbers.h"
#include "buffers.h"

#define THREADS 128
#define ROW_OF(i) ((i) / 34)

__global__ void member(float *out, const float *in, int w) {
  __shared__ Buffers b;
  if (threadIdx.x < 3)
    b.weights[threadIdx.x] = 1 + threadIdx.x;
#pragma tma laod
  for (int i = threadIdx.x; i < 256; i += THREADS)
    b.tile[i / 32][i % 32] = in[(blockIdx.y * 8 + i / 32) * w + blockIdx.x * 32 + i % 32];
  __syncthreads();
  out[threadIdx.x] = b.tile[threadIdx.x / 32][threadIdx.x % 32] * b.weights[1];
}

template <int N> __global__ void transposed(float *out, const float *in, int w) {
  __shared__ float tile[N][N + 1];
#pragma tma load threads(THREADS
  for (int i = threadIdx.x; i < N * N; i += THREADS)
    tile[i % N][i / N] = in[(blockIdx.y * N + i / N) * w + blockIdx.x * N + i % N];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % N][1] + tile[(N - 1)][threadIdx.x % N];
}

__device__ float sum(const float *row) {
  float total = 0;
  for (int i = 0; i < 34; ++i)
    total += row[i];
  return total;
}

__global__ void rows(float *out, const float *in, int w) {
  __shared__ float tile[8][34];
#pragma tma load
  for (int i = threadIdx.x; i < 8 * 34; i += THREADS)
    tile[ROW_OF(i)][i % 34] = in[(blockIdx.y * 8 + i / 34) * w + blockIdx.x * 32 + i % 34];
  __syncthreads();
  if (threadIdx.x < 8)
    out[threadIdx.x] = sum(tile[threadIdx.x]);
}

int main() {
  const float *in = numbers(64 * 64);
  member<<<1, THREADS>>>(numbers(THREADS), in, 64);
  transposed<32><<<1, THREADS>>>(numbers(THREADS), in, 64);
  rows<<<1, THREADS>>>(numbers(THREADS), in, 64);
  return finish();
}
