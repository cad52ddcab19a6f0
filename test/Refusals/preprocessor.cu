// RUN: %verify %s
//
// Text that the preprocessor changes where it is written once more.

#define R 1
__global__ void redefined(float *out, const float *in) { // expected-error {{a lifted function in which the macro 'R' changes is not available yet}}
  __shared__ float tile[128];
  int r = R;
#undef R
#define R 2
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x] + r;
}

__global__ void defined_once(float *out, const float *in) { // expected-error {{a lifted function in which the macro 'ONCE' changes is not available yet}}
  __shared__ float tile[128];
  int r = 0;
#ifndef ONCE
#define ONCE
  r = 5;
#endif
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x] + r;
}

// The file is empty when it is read once more.
__global__ void included_once(float *out, const float *in) { // expected-error {{a lifted function in which the macro 'GUARDED' changes is not available yet}}
  __shared__ float tile[128];
  int r = 0;
#include "Inputs/guarded.inc"
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x] + r;
}
__global__ void included_by_pragma(float *out, const float *in) { // expected-error {{a lifted function that includes a file with '#pragma once' is not available yet}}
  __shared__ float tile[128];
  int r = 0;
#include "Inputs/once.inc"
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x] + r;
}

__global__ void parted_head(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[128];
  float s = 0;
#pragma tma pipeline stages(2)
  for (int k = 0; k < n // expected-error {{an #if block in the head of a pipelined loop is not available yet}}
#if 1
                          - 1
#endif
       ; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * 128 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
    __syncthreads();
    s = s * 2 + tile[threadIdx.x ^ 1];
    __syncthreads();
  }
  out[threadIdx.x] = s;
}

__global__ void parted_tile(float *__restrict__ out, const float *__restrict__ in) {
  __shared__
#ifndef NO_ALIGN
      alignas(128)
#endif
      float tile[128]; // expected-error {{an #if block in the declaration of a tile is not available yet}}
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

__global__ void fine(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[128];
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

// A macro that declares a tile and something else, of which only the tile gets another type.
#define TILE_AND(name, other) __shared__ float name[64][32], other[64]
__global__ void declared_with_another(float *out, const float *in, int n) {
  TILE_AND(tile, sums); // expected-error {{a tile that a macro or another function declares ('tile') is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 64 * 32; i += 128) tile[i / 32][i % 32] = i / 32 < n ? in[i] : 0.f; // expected-note {{so this copy is not lifted}}
  if (threadIdx.x < 64) sums[threadIdx.x] = sizeof sums;
  __syncthreads();
  if (threadIdx.x < 64)
    for (int c = 0; c < 32; ++c) sums[threadIdx.x] += tile[threadIdx.x][c];
  if (threadIdx.x < 64) out[threadIdx.x] = sums[threadIdx.x];
}

void run(float *out, const float *in) {
  redefined<<<1, 128>>>(out, in);
  defined_once<<<1, 128>>>(out, in);
  included_once<<<1, 128>>>(out, in);
  included_by_pragma<<<1, 128>>>(out, in);
  parted_head<<<1, 128>>>(out, in, 4);
  parted_tile<<<1, 128>>>(out, in);
  fine<<<1, 128 // expected-warning {{this use of 'fine' is no launch that tilelift can rewrite (an #if block is part of it): it keeps running the plain kernel}}
#ifdef STREAMS
         , 0, 0
#endif
         >>>(out, in, 4);
}

// What stands in an included file is not changed with the function that includes it.
__global__ void included_barrier(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[128];
  tile[threadIdx.x] = in[127 - threadIdx.x];
#include "Inputs/barrier.inc" // expected-error@*:* 2 {{a function with a call or shared memory in a file that is included inside of it is not available yet}}
#pragma tma store threads(128)
  out[threadIdx.x] = tile[threadIdx.x]; // expected-note {{so this copy is not lifted}}
}
__global__ void included_tile(float *__restrict__ out, const float *__restrict__ in) {
#include "Inputs/tile.inc"
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

// The use of a macro goes with the copy, so the copy has to be all of it.
#define COUNTED(statement) statement; ++copies
__global__ void counted(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[128];
  int copies = 0;
#pragma tma load threads(128) // expected-error {{a copy inside a macro is not available yet}}
  COUNTED(tile[threadIdx.x] = in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x] + copies;
}
#define TWICE(statement) statement; statement
__global__ void twice(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[128];
  tile[threadIdx.x] = in[127 - threadIdx.x];
  __syncthreads();
#pragma tma reduce threads(128) // expected-error {{a copy inside a macro is not available yet}}
  TWICE(atomicAdd(&out[threadIdx.x], tile[threadIdx.x]));
}

// The lifted text stands in other lines.
__global__ void lines(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[128];
  constexpr int first = __LINE__; // expected-error {{a copy with a number that __LINE__ gives is not available yet}}
#pragma tma load threads(128)
  tile[threadIdx.x] = in[first + threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
