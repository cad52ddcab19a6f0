// RUN: %tilelift %s -o %t.cu -- -DREAL=float -DROWS_OF=8 -DPITCH_OF=64 -DNEAR=1 && grep -v CHECK %t.cu | %FileCheck %s
// RUN: %nvcc -DREAL=float -DROWS_OF=8 -DPITCH_OF=64 -DNEAR=1 -Werror all-warnings -gencode arch=compute_90a,code=sm_90a -c %t.cu -o %t.o
// RUN: %clang -DREAL=float -DROWS_OF=8 -DPITCH_OF=64 -DNEAR=1 --offload-arch=sm_90a -fsyntax-only %t.cu
// RUN: %not 1 %clang -DREAL=double -DROWS_OF=4 -DPITCH_OF=96 -DNEAR=2 -DOTHER --cuda-device-only --offload-arch=sm_90a -fsyntax-only -ferror-limit=0 %t.cu 2>&1 | grep "lifted assumi[n]g .*, which is" | sed -e 's/.*assuming \(.*\), which is.*/\1/' | env LC_ALL=C sort -u > %t.said
// RUN: %FileCheck %s --check-prefix=SAID --match-full-lines < %t.said
//
// What a plan was made for where neither a name nor a type of the copy's own text says it: types that are macros,
// functions that are called, values that are assigned later, members, and what an #if chooses within the kernel.
// SAID: ::cuda::std::is_same_v<number, float>
// SAID-NEXT: ADDED(2) == 8
// SAID-NEXT: NEAR == 1
// SAID-NEXT: PITCH_OF == 64
// SAID-NEXT: ROWS_OF == 8
// SAID-NEXT: TWICE == 64
// SAID-NEXT: __builtin_offsetof(Pair, x) == 0
// SAID-NEXT: __builtin_offsetof(Pair, y) == 4
// SAID-NEXT: sizeof(REAL) == 4
// SAID-NEXT: sizeof(float[ADDED(2)][TWICE]) == 2048
// SAID-NEXT: sizeof(float[own_rows][32]) == 1024
// SAID-NEXT: sizeof(float[sizes.rows][32]) == 1024
#include <cuda_runtime.h>

#ifdef OTHER
using number = int;
#define ADDED(n) (2 + (n))
struct Sizes { int rows = 4; };
struct Pair { float y, x; };
#else
using number = float;
#define ADDED(n) (6 + (n))
struct Sizes { int rows = 8; };
struct Pair { float x, y; };
#endif
#define TWICE 32
#ifndef OTHER
#undef TWICE
#define TWICE 64
#endif
#ifdef OTHER
constexpr Sizes sizes{};
#else
constexpr Sizes sizes{};
#endif

// CHECK: TILELIFT_LIFTED_FOR(sizeof(REAL) == 4);
__global__ void of_macro(REAL *out, const REAL *in) {
  __shared__ REAL tile[256];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += 128) tile[i] = in[blockIdx.x * 256 + i];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[255 - threadIdx.x];
}

// CHECK: TILELIFT_LIFTED_FOR(ROWS_OF == 8);
// CHECK: TILELIFT_LIFTED_FOR(PITCH_OF == 64);
__host__ __device__ constexpr int rows() { return ROWS_OF; }
__device__ int at(int r, int c) { return r * PITCH_OF + c; }
__global__ void by_functions(float *out, const float *in) {
  __shared__ float tile[rows()][32];
#pragma tma load
  for (int i = threadIdx.x; i < rows() * 32; i += 128) tile[i / 32][i % 32] = in[at(blockIdx.x * rows() + i / 32, i % 32)];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x % rows()][threadIdx.x / 32];
}

// CHECK: TILELIFT_LIFTED_FOR(NEAR == 1);
__global__ void assigned_later(float *out, const float *in, int w) {
  __shared__ float tile[8][34];
  int x0;
  x0 = blockIdx.x * 32 - NEAR;
#pragma tma load
  for (int i = threadIdx.x; i < 8 * 34; i += 128) {
    const int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

// CHECK: TILELIFT_LIFTED_FOR(::cuda::std::is_same_v<number, float>);
__global__ void kinds(number *out, const number *in) {
  __shared__ alignas(128) number tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x] * 2;
  __syncthreads();
#pragma tma reduce
  atomicAdd(&out[threadIdx.x], tile[threadIdx.x]);
}

// A macro is what it is at the copy, whatever it was before; and what it makes of constants.
// CHECK: TILELIFT_LIFTED_FOR(TWICE == 64);
// CHECK: TILELIFT_LIFTED_FOR(ADDED(2) == 8);
__global__ void macros(float *out, const float *in) {
  __shared__ float tile[ADDED(2)][TWICE];
#pragma tma load
  for (int i = threadIdx.x; i < 8 * TWICE; i += 128) tile[i / TWICE][i % TWICE] = in[blockIdx.x * 512 + i];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

// CHECK: TILELIFT_LIFTED_FOR(__builtin_offsetof(Pair, x) == 0);
__global__ void members(float *out, const Pair *in, int w) {
  __shared__ alignas(128) Pair tile[128];
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += 128) {
    tile[i].x = in[blockIdx.x * 128 + i].x;
    tile[i].y = in[blockIdx.x * 128 + i].y;
  }
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x].x * w;
}

// CHECK: void within_tma(
// CHECK: // tma load
// CHECK-NEXT: TILELIFT_LIFTED_FOR(sizeof(float[own_rows][32]) == 1024);
// CHECK: // tma load
// CHECK-NEXT: TILELIFT_LIFTED_FOR(sizeof(float[sizes.rows][32]) == 1024);
__global__ void within(float *out, const float *in) {
#ifdef OTHER
  constexpr int own_rows = 4;
#else
  constexpr int own_rows = 8;
#endif
  __shared__ float tile[own_rows][32], more[sizes.rows][32];
#pragma tma load
  for (int i = threadIdx.x; i < own_rows * 32; i += 128) tile[i / 32][i % 32] = in[(blockIdx.x * own_rows + i / 32) * 64 + i % 32];
#pragma tma load
  for (int i = threadIdx.x; i < sizes.rows * 32; i += 128) more[i / 32][i % 32] = in[(blockIdx.x * sizes.rows + i / 32) * 64 + i % 32];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x % 4][threadIdx.x / 4] + more[threadIdx.x % 4][threadIdx.x / 4];
}

void run(REAL *r, float *out, float *in, number *sums, Pair *pairs, int w) {
  of_macro<<<4, 128>>>(r, r + 4096);
  by_functions<<<4, 128>>>(out, in);
  assigned_later<<<4, 128>>>(out, in, w);
  kinds<<<4, 128>>>(sums, sums + 4096);
  macros<<<4, 128>>>(out, in);
  members<<<4, 128>>>(out, pairs, w);
  within<<<4, 128>>>(out, in);
}
