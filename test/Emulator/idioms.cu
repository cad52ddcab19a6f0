// Spellings of guards and values that generated programs brought to light; all
// of them lift, and copy the same bytes. A barrier that a macro writes stays: it
// cannot be dropped without the rest of the macro.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK-COUNT-4: remark: lifted
// CHECK-NOT: barrier-dropped

#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int W = 70, H = 45;

#define PLACE int x = blockIdx.x * 32 + threadIdx.x - 4, y = blockIdx.y * 8 + threadIdx.y - 1
#define CONSUME                                                                                    \
  __syncthreads();                                                                                 \
  out[((blockIdx.y * gridDim.x + blockIdx.x) * 8 + threadIdx.y) * 32 + threadIdx.x] =              \
      tile[7 - threadIdx.y][31 - threadIdx.x]

template <typename T> __global__ void bitwise(T *out, const T *in, int w, int h) {
  __shared__ T tile[8][32];
  PLACE;
#pragma tma load threads(32, 8)
  tile[threadIdx.y][threadIdx.x] = ((y >= 0) & (y < h) & (x >= 0) & (x < w)) ? in[y * w + x] : T{};
  CONSUME;
}

template <typename T> __global__ void value(T *out, const T *in, int w, int h) {
  __shared__ T tile[8][32];
  PLACE;
#pragma tma load threads(32, 8)
  {
    T loaded = T{};
    if (y >= 0 && y < h && x >= 0 && x < w) {
      const T *row = in + y * w;
      loaded = row[x];
    }
    tile[threadIdx.y][threadIdx.x] = loaded;
  }
  CONSUME;
}

__global__ void pair(int2 *out, const int2 *in, int w, int h) {
  using T = int2;
  __shared__ T tile[8][32];
  PLACE;
#pragma tma load threads(32, 8)
  tile[threadIdx.y][threadIdx.x] =
      y >= 0 && y < h && x >= 0 && x < w ? in[y * w + x] : make_int2(0, 0);
  CONSUME;
}

__global__ void sizes(float *out, const float *in, size_t w, unsigned long long h) {
  using T = float;
  __shared__ T tile[8][32];
  PLACE;
#pragma tma load threads(32, 8)
  tile[threadIdx.y][threadIdx.x] =
      y >= 0 && y < (long long)h && x >= 0 && x < (long long)w ? in[y * (long long)w + x] : 0.f;
  CONSUME;
}

template <typename T> struct Arrays {
  Arrays() {
    unsigned char bytes[(W + 10) * H * sizeof(T)];
    for (size_t i = 0; i < sizeof bytes; ++i)
      bytes[i] = (unsigned char)(i * 37 + i / 256);
    cudaMalloc(&in, sizeof bytes);
    cudaMalloc(&out, 3 * 6 * 256 * sizeof(T));
    cudaMemcpy(in, bytes, sizeof bytes, cudaMemcpyHostToDevice);
  }
  T *in, *out;
};

int main() {
  Arrays<float> floats;
  Arrays<__half> halves;
  Arrays<int2> pairs;
  dim3 grid(3, 6), block(32, 8);
  for (int w : {W, W + 2}) {
    bitwise<<<grid, block>>>(floats.out, floats.in, w, H);
    bitwise<<<grid, block>>>(halves.out, halves.in, w, H);
    value<<<grid, block>>>(floats.out, floats.in, w, H);
    value<<<grid, block>>>(halves.out, halves.in, w, H);
    pair<<<grid, block>>>(pairs.out, pairs.in, w, H);
    sizes<<<grid, block>>>(floats.out, floats.in, w, H);
  }
}
