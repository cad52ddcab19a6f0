// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: env TILELIFT_VERBOSE=1 %run %s 2>&1 | FileCheck %s
// RUN: %not 1 %tilelift --check %s 2>&1 | %FileCheck %s --check-prefix=SAID
//
// Numbers of unsigned and narrow types come around, and the conditions of loops hold again behind that. A counter that
// does tells neither how many rounds there were nor between which numbers it is.
#include "Inputs/arrays.h"

#define USE(tile)                                                                                                      \
  __syncthreads();                                                                                                     \
  sum = sum * 3 + tile[T - 1 - threadIdx.x];                                                                           \
  __syncthreads()

// CHECK: tilelift: from_a_start: plain, start + 95 leaves its range of {{-?[0-9]+}} to 4294967295 [index-range]
// CHECK: tilelift: from_a_start: TMA
__global__ void from_a_start(float *out, const float *in, unsigned start) {
  __shared__ float tile[T];
  float sum = 0;
  for (unsigned k = start; k - start < 64u; k += 32) {
#pragma tma load
    tile[threadIdx.x] = in[k - start + threadIdx.x];
    USE(tile);
  }
  out[threadIdx.x] = sum;
}
// CHECK-NEXT: tilelift: in_a_while_loop: plain, start + 95
__global__ void in_a_while_loop(float *out, const float *in, unsigned start) {
  __shared__ float tile[T];
  float sum = 0;
  unsigned k = start;
  while (k - start < 64u) {
#pragma tma load
    tile[threadIdx.x] = in[k - start + threadIdx.x];
    USE(tile);
    k += 32;
  }
  out[threadIdx.x] = sum;
}
// CHECK-NEXT: tilelift: made_ahead: plain, start + 95
__global__ void made_ahead(float *out, const float *in, unsigned start) {
  __shared__ float tile[T];
  float sum = 0;
#pragma tma pipeline stages(2)
  for (unsigned k = start; k - start < 64u; k += 32) {
#pragma tma load
    tile[threadIdx.x] = in[k - start + threadIdx.x];
    USE(tile);
  }
  out[threadIdx.x] = sum;
}
// CHECK-NEXT: tilelift: downwards: plain, start - 95 leaves its range of 0
// CHECK-NEXT: tilelift: downwards: TMA
__global__ void downwards(float *out, const float *in, unsigned start) {
  __shared__ float tile[T];
  float sum = 0;
  for (unsigned k = start; start - k < 64u; k -= 32) {
#pragma tma load
    tile[threadIdx.x] = in[start - k + threadIdx.x];
    USE(tile);
  }
  out[threadIdx.x] = sum;
}
// The type of the start is another one.
// CHECK-NEXT: tilelift: from_below_zero: plain, -n + 1 leaves its range of 0 to 4294967295
__global__ void from_below_zero(float *out, const float *in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  for (unsigned k = 1 - n; int(k + n - 1) < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[(k + n - 1) * 64 + threadIdx.x];
    USE(tile);
  }
  out[threadIdx.x] = sum;
}
// Numbers that move beside one that comes around are what they are.
// CHECK: tilelift: beside: TMA
__global__ void beside(float *out, const float *in, unsigned start, unsigned end) {
  __shared__ float tile[T];
  float sum = 0;
  unsigned i = 0;
  for (unsigned k = start; k != end; k += 32, i += 32) {
#pragma tma load
    tile[threadIdx.x] = in[i + threadIdx.x];
    USE(tile);
  }
  out[threadIdx.x] = sum;
}
__global__ void pointer_beside(float *out, const float *in, unsigned start, unsigned end) {
  __shared__ float tile[4][32];
  float sum = 0;
  const float *from = in;
  for (unsigned k = start; k != end; k += 3, from += 64) {
#pragma tma load fallback(loop)
    tile[threadIdx.x / 32][threadIdx.x % 32] = from[threadIdx.x / 32 * 64 + threadIdx.x % 32];
    // SAID: [[@LINE-1]]:48: warning: this copy stays a plain loop: the address of this load is not followed: it is moved by the loop around the copy, whose counter 'k' is unsigned and may come around
    __syncthreads();
    sum = sum * 3 + tile[threadIdx.x % 4][threadIdx.x / 4];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// CHECK-NEXT: tilelift: narrow: plain, start + 3 leaves its range of {{-?[0-9]+}} to 255
__global__ void narrow(float *out, const float *in, unsigned char start) {
  __shared__ float tile[T];
  float sum = 0;
  for (unsigned char k = start; (unsigned char)(k - start) < 3; ++k) {
#pragma tma load fallback(loop)
    tile[threadIdx.x] = in[k * 4 + threadIdx.x];
    USE(tile);
  }
  out[threadIdx.x] = sum;
}
// From zero by powers of two nothing but the end is left to come to.
// CHECK: tilelift: from_zero: TMA
__global__ void from_zero(float *out, const float *in, unsigned n) {
  __shared__ float tile[T];
  float sum = 0;
  const float *from = in;
  for (unsigned k = 0; k < n; k += 32, from += 32) {
#pragma tma load
    tile[threadIdx.x] = from[threadIdx.x];
    USE(tile);
  }
  out[threadIdx.x] = sum;
}

const unsigned last = 0xffffffe0u;
static const Case cases[] = {
    {"from_a_start",
     [](const Arrays &a) {
       from_a_start<<<1, T>>>(a.out, a.in, last);
       from_a_start<<<1, T>>>(a.out + T, a.in, 96);
     }},
    {"in_a_while_loop", [](const Arrays &a) { in_a_while_loop<<<1, T>>>(a.out, a.in, last); }},
    {"made_ahead", [](const Arrays &a) { made_ahead<<<1, T>>>(a.out, a.in, last); }},
    {"downwards",
     [](const Arrays &a) {
       downwards<<<1, T>>>(a.out, a.in, 32);
       downwards<<<1, T>>>(a.out + T, a.in, 320);
     }},
    {"from_below_zero", [](const Arrays &a) { from_below_zero<<<1, T>>>(a.out, a.in, 5); }},
    {"beside", [](const Arrays &a) { beside<<<1, T>>>(a.out, a.in, last, 64); }},
    {"pointer_beside", [](const Arrays &a) { pointer_beside<<<1, T>>>(a.out, a.in, last, last + 36); }},
    {"narrow", [](const Arrays &a) { narrow<<<1, T>>>(a.out, a.in, 254); }},
    {"from_zero", [](const Arrays &a) { from_zero<<<1, T>>>(a.out, a.in, 96); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
