// Stores past the end of a row, or of the tile, by threads or rounds that should do nothing.
#include <cuda_runtime.h>

#include "../../Idioms/Inputs/numbers.h"

constexpr int COLUMNS = 24;

__global__ void threads(float *out, const float *in) {
  __shared__ float tile[200];
#pragma tma load
  tile[threadIdx.x] = in[blockIdx.x * 200 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 200)
    out[threadIdx.x] = 2 * tile[threadIdx.x];
}

__global__ void rounds(float4 *out, const float4 *in) {
  __shared__ float4 tile[100 * 2];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += 128) {
    int here = blockIdx.x * 200 + i;
    tile[i] = in[here];
  }
  __syncthreads();
  if (threadIdx.x < 100)
    out[threadIdx.x] = tile[2 * threadIdx.x];
}

template <int ROWS> __global__ void columns(float *out, const float *in, int w) {
  __shared__ float tile[ROWS - 1][COLUMNS | 4];
#pragma tma load
  tile[threadIdx.y][threadIdx.x & 31] = in[(blockIdx.y * 7 + threadIdx.y) * w + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 24 && threadIdx.y < 7)
    out[threadIdx.y * 24 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

int main() {
  const float *in = numbers(64 * 64);
  threads<<<1, 256>>>(numbers(256), in);
  rounds<<<1, 128>>>((float4 *)numbers(4 * 128), (const float4 *)in);
  columns<8><<<1, dim3(32, 8)>>>(numbers(256), in, 64);
  return finish();
}
