// Elements of all kinds: numbers of eight bits, halves, pairs, complex numbers, structs,
// pointers. Most have no type of their own in a tensor map, but all have a size.
//
// RUN: env TILELIFT_VERBOSE=1 %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK-DAG: lifted: tile copy of 8 x 32 u8 (256 bytes) from 'in' to 'tile'
// CHECK-DAG: lifted: tile copy of 8 x 32 u16 (512 bytes) from 'in' to 'tile'
// CHECK-DAG: lifted: tile copy of 8 x 32 f16 (512 bytes) from 'in' to 'tile'
// CHECK-DAG: lifted: tile copy of 8 x 32 bf16 (512 bytes) from 'in' to 'tile'
// CHECK-DAG: lifted: tile copy of 8 x 32 u32 (1024 bytes) from 'in' to 'tile'
// CHECK-DAG: lifted: tile copy of 8 x 32 u64 (2048 bytes) from 'in' to 'tile'
// CHECK-DAG: lifted: tile copy of 8 x 64 u64 (4096 bytes) from 'in' to 'tile'
// CHECK-DAG: lifted: tile copy of 8 x 48 u16 (768 bytes) from 'in' to 'tile'
// CHECK-DAG: lifted: tile copy of 8 x 48 u32 (1536 bytes) from 'in' to 'tile'
// CHECK-DAG: lifted: tile copy of 8 x 48 u64 (3072 bytes) from 'in' to 'tile'
// CHECK-DAG: lifted: tile copy of 8 x 128 u64 (8192 bytes) from 'in' to 'tile'
// CHECK-COUNT-20: tilelift: rows: TMA
// CHECK-COUNT-5: tilelift: long_rows: TMA
// CHECK-COUNT-3: tilelift: rows_of_threes: TMA
// CHECK: tilelift: rows_of_fours: TMA

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "Inputs/numbers.h"

struct Pixel {
  unsigned char r, g, b;
};
struct Particle {
  float3 at;
  int charge;
};
struct Pair {
  double weight;
  long index;
};
struct Four {
  long a, b, c, d;
};
using Name = const char *;
enum class Colour : short { red, green };

// A template has one lifted text, so each shape of box has a kernel of its own.
template <typename T> __global__ void rows(T *out, const T *in, int w) {
  __shared__ T tile[8][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[7 - threadIdx.y][31 - threadIdx.x];
}
template <typename T> __global__ void long_rows(T *out, const T *in, int w) {
  __shared__ T tile[8][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[7 - threadIdx.y][31 - threadIdx.x];
}
template <typename T> __global__ void rows_of_threes(T *out, const T *in, int w) {
  __shared__ T tile[8][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[7 - threadIdx.y][31 - threadIdx.x];
}
template <typename T> __global__ void rows_of_fours(T *out, const T *in, int w) {
  __shared__ T tile[8][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[7 - threadIdx.y][31 - threadIdx.x];
}

template <typename T> T *of(int count) {
  return (T *)numbers(count * (sizeof(T) + 3) / 4);
}
constexpr dim3 grid(2, 2), block(32, 8);
template <typename... T> void run() {
  (rows<<<grid, block>>>(of<T>(1024), of<T>(1024), 64), ...);
}
template <typename... T> void run_long() {
  (long_rows<<<grid, block>>>(of<T>(1024), of<T>(1024), 64), ...);
}
template <typename... T> void run_threes() {
  (rows_of_threes<<<grid, block>>>(of<T>(1024), of<T>(1024), 64), ...);
}

int main() {
  run<__nv_fp8_e4m3, __nv_fp8_e5m2, __nv_fp8x4_e4m3>();
  run<__half, __half2, __nv_bfloat16, __nv_bfloat162, cuFloatComplex, float2, uchar4, ushort4>();
  run<char, bool, short, unsigned, long, unsigned long long, wchar_t, Name, Colour>();
  run_long<cuDoubleComplex, float4, double2, Particle, Pair>();
  run_threes<int3, Pixel, short3>();
  rows_of_fours<<<grid, block>>>(of<Four>(1024), of<Four>(1024), 64);
  return finish();
}
