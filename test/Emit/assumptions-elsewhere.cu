// RUN: %lift-and-check %s %t.cu
// RUN: %clang --cuda-device-only --offload-arch=sm_90a -fsyntax-only -Wall -Werror -Wno-unused -Wno-unknown-pragmas -I%S %t.cu
// RUN: grep "^TILELIFT_LIFTED_FO[R]\|^ *TILELIFT_LIFTED_FO[R]" %t.cu | sed 's/^ *//' | %FileCheck %s
// RUN: %not 1 %clang -DPAD=1 --cuda-device-only --offload-arch=sm_90a -fsyntax-only -I%S %t.cu 2>&1 | grep -o "assuming sizeof(float\[8\]\[32 + PAD\]) == 108[8]," | sort -u | count 1
// RUN: %not 1 %clang -DWIDE --cuda-device-only --offload-arch=sm_90a -fsyntax-only -I%S %t.cu 2>&1 | grep -o "assuming sizeof(Point) == 1[2]," | sort -u | count 1
//
// Macros that an option may define stand for what only the kernel can name, mean something else behind it, or are no
// whole operand. What is asserted is true, and compiles.
#include "Inputs/left_behind.h"

#ifndef REAL
#define REAL T
#endif
#ifndef ROWS
#define ROWS N
#endif
#ifndef FLAGS
#define FLAGS 12 & 8
#endif
#ifndef COLUMNS
#define COLUMNS 16 | 16 << 1
#endif
#ifndef RADIUS
#define RADIUS 2
#endif
#ifndef LARGE
#define LARGE 300
#endif
#ifndef UP
#define UP(n) (((n) + 7) / 8 * 8)
#endif
#ifndef PAD
#define PAD 2 - 0
#endif

// Where the tile has an argument's type and extent, the kernel says so.
// CHECK: {{^}}TILELIFT_LIFTED_FOR(sizeof(REAL[UP(N)][32]) == 1024);
template <class T, int N> __global__ void of_arguments(T *out, const T *in) {
  __shared__ REAL tile[UP(N)][32];
#pragma tma load
  for (int i = threadIdx.x; i < UP(ROWS) * 32; i += 128)
    tile[i / 32][i % 32] = in[blockIdx.x * UP(ROWS) * 32 + i];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

// Of a number that is taken for a truth or cut to a byte, the number itself; a sum without its parentheses gets them.
// CHECK-NEXT: {{^}}TILELIFT_LIFTED_FOR((COLUMNS) == 48);
// CHECK-NEXT: {{^}}TILELIFT_LIFTED_FOR(RADIUS == 2);
// CHECK-NEXT: {{^}}TILELIFT_LIFTED_FOR((FLAGS) == 8);
// CHECK-NEXT: {{^}}TILELIFT_LIFTED_FOR(LARGE == 300);
__global__ void numbers(float *out, const float *in, int w) {
  constexpr int first = FLAGS;
  __shared__ float tile[8][48];
  const int x0 = RADIUS ? first : 0, more = (unsigned char)LARGE;
#pragma tma load
  for (int i = threadIdx.x; i < 8 * 48; i += 128) {
    constexpr int columns = COLUMNS;
    tile[i / columns][i % columns] = in[(i / columns) * w + x0 + more - more + i % columns];
  }
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

// Macros of a header that are others by now, and a name that is a macro.
// CHECK-NEXT: {{^}}TILELIFT_LIFTED_FOR(::Layout::rows == 8);
// CHECK-NEXT: {{^}}TILELIFT_LIFTED_FOR(sizeof(Layout) == 1);
// CHECK-NEXT: {{^}}TILELIFT_LIFTED_FOR(sizeof(float[Layout::rows][columns_of_header()]) == 1024);
#undef TILE
#define TILE 64
#define columns_name columns_of_header
__global__ void of_header(float *out, const float *in, int w) {
  __shared__ float tile[Layout::rows][columns_of_header()];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += 128) tile[i / 32][i % 32] = in[(blockIdx.x * 8 + i / 32) * w + i % 32];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

// A part of what a macro stands for belongs to something else.
// CHECK-NEXT: {{^}}TILELIFT_LIFTED_FOR(sizeof(float[8][32 + PAD]) == 1088);
__global__ void padded(float *out, const float *in, int w) {
  __shared__ float tile[8][32 + PAD];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += 128) tile[i / 32][i % 32] = in[(blockIdx.x * 8 + i / 32) * w + i % 32];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

// What a class inherits.
// CHECK-NEXT: {{^}}TILELIFT_LIFTED_FOR(sizeof(Point) == 12);
struct Plane { float x, y; };
struct Point : Plane {
#ifdef WIDE
  float z, w;
#else
  float z;
#endif
};
__global__ void of_base(float *out, const Point *in) {
  __shared__ alignas(128) Point tile[128];
#pragma tma load
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x].z;
}

void run(float *out, const float *in, const Point *points, int w) {
  of_arguments<float, 8><<<4, 128>>>(out, in);
  numbers<<<4, 128>>>(out, in, w);
  of_header<<<4, 128>>>(out, in, w);
  padded<<<4, 128>>>(out, in, w);
  of_base<<<4, 128>>>(out, points);
}
