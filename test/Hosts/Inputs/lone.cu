#include <cuda_runtime.h>
__global__ void lone(float *out, const float *in, int w, int h) {
  __shared__ float tile[32][32];
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < 1024; i += 128) {
    int y = blockIdx.y * 32 + i / 32, x = blockIdx.x * 32 + i % 32;
    tile[i / 32][i % 32] = y < h && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 32][threadIdx.x / 32];
}
