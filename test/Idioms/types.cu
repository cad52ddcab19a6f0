// One template for elements of five types: each has its own box, padding and checks.
//
// RUN: env TILELIFT_VERBOSE=1 %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: types.cu:[[#]]:3: remark: lifted: tile copy of 10 x 40 f32 (1600 bytes) from 'in' to 'tile', rows of 40
// CHECK: types.cu:[[#]]:3: remark: lifted: tile copy of 10 x 36 f64 (2880 bytes) from 'in' to 'tile', rows of 36
// CHECK: types.cu:[[#]]:3: remark: lifted: tile copy of 10 x 48 u16 (960 bytes) from 'in' to 'tile', rows of 48
// CHECK: types.cu:[[#]]:3: remark: lifted: tile copy of 10 x 64 u8 (640 bytes) from 'in' to 'tile', rows of 64
// CHECK: types.cu:[[#]]:3: remark: lifted: tile copy of 4 x 32 f32
// CHECK: types.cu:[[#]]:3: remark: lifted: tile copy of 4 x 32 f64
// CHECK-COUNT-5: tilelift: halo: TMA
// CHECK: tilelift: halo: plain, the stride of 'in' in dimension 1 is 120 (by the element's size) bytes
// CHECK-COUNT-2: tilelift: above: TMA

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

template <typename T> __global__ void halo(T *out, const T *in, int w, int h) {
  __shared__ T tile[10][34];
  int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
#pragma tma load
  for (int i = threadIdx.x; i < 340; i += blockDim.x) {
    int x = x0 + i % 34, y = y0 + i / 34;
    tile[i / 34][i % 34] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : T(0);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + i] =
        tile[i / 32 + 2][i % 32] - tile[i / 32][i % 32 + 2];
}
// The row before the first, in a tensor whose width is unsigned: what is counted in
// bytes of an element must not wrap.
template <typename T> __global__ void above(T *out, const T *in, unsigned w) {
  __shared__ T tile[4][32];
  int y0 = blockIdx.y * 4 - 1;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(long long)(y0 + int(threadIdx.y)) * w + threadIdx.x];
  __syncthreads();
  out[blockIdx.y * 128 + threadIdx.y * 32 + threadIdx.x] = tile[3 - threadIdx.y][threadIdx.x];
}

template <typename T> void run(int w, int h) {
  halo<<<dim3(2, 2), 128>>>((T *)numbers(1024 * sizeof(T) / 4 + 4),
                            (const T *)numbers(w * h * sizeof(T) / 4 + 4), w, h);
}
int main() {
  run<float>(64, 16);
  run<double>(64, 15);
  run<short>(64, 16);
  run<unsigned char>(64, 16);
  run<int>(60, 13);
  run<short>(60, 13);
  above<<<dim3(1, 2), dim3(32, 4)>>>(numbers(256), numbers(32 * 8) + 32, 32);
  above<<<dim3(1, 2), dim3(32, 4)>>>((double *)numbers(512), (double *)numbers(64 * 8) + 32, 32);
  return finish();
}
