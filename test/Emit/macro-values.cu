// A macro that gets a value where a build gives it none is no include guard: what lifted code
// needs is included behind it.
//
// RUN: sed '/^\/\/ /d' %s > %t.cu
// RUN: %lift-and-check %t.cu %t.tma.cu
// RUN: %FileCheck %s < %t.tma.cu
// CHECK: #ifndef WIDTH
// CHECK-NEXT: #define WIDTH 128
// CHECK-NEXT: #endif
// CHECK-NEXT: #include <tilelift/tilelift.cuh>
#ifndef WIDTH
#define WIDTH 128
#endif

__global__ void turned(float *out, const float *in) {
  __shared__ float part[WIDTH];
#pragma tma load threads(128)
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = part[127 - threadIdx.x];
}
