// RUN: %tilelift %s -o %t.cu -- -DGIVEN=64 && grep -v CHECK %t.cu | %FileCheck %s
// RUN: %nvcc -I%S -DGIVEN=64 -Werror all-warnings -gencode arch=compute_90a,code=sm_90a -c %t.cu -o %t.o
// RUN: %clang -I%S -DGIVEN=64 --offload-arch=sm_90a -fsyntax-only %t.cu
// RUN: %not 1 %clang -I%S -DGIVEN=32 --cuda-device-only --offload-arch=sm_90a -fsyntax-only %t.cu 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: %not 1 %clang -I%S -DGIVEN=64 -DWIDE --cuda-device-only --offload-arch=sm_90a -fsyntax-only %t.cu 2>&1 | %FileCheck %s --check-prefix=WIDE
// RUN: %clang -I%S -DGIVEN=32 --cuda-device-only --offload-arch=sm_80 -fsyntax-only %t.cu
//
// What a plan was made for and the file's own text does not settle is asserted where the
// plan stands.

// OTHER: {{error}}: static assertion failed due to requirement '32 == 64': this kernel was lifted assuming GIVEN == 64, which is false in this compilation: lift the file with the options that it is compiled with
// OTHER: {{error}}: static assertion failed due to requirement '32 == 64': this kernel was lifted assuming GIVEN == 64, which is false in this compilation: lift the file with the options that it is compiled with
// WIDE: {{error}}: static assertion failed due to requirement 'sizeof(double) == 4': this kernel was lifted assuming sizeof(real) == 4, which is false in this compilation
#include "Inputs/sizes.h"

#ifndef GIVEN
#define GIVEN 32
#endif
#ifndef HALO
#define HALO 8
#endif
#ifndef WIDTH
#define WIDTH 64
#endif
#define PADDED (WIDTH + HALO)
#define SUM WIDTH + HALO
#define ROWS 4
#ifdef WIDE
using real = double;
#else
using real = float;
#endif

// The text settles what it defines without a condition, and a template's arguments.
// CHECK: // settled, lifted: what its copies are, the kernel, and its launcher.
// CHECK-NEXT: template <int n> struct settled_tma_plan {
constexpr int columns = 32;
template <int n> __global__ void settled(const float *in, float *out) {
  __shared__ float tile[ROWS * n][columns];
#pragma tma load
  for (int i = threadIdx.x; i < ROWS * n * columns; i += blockDim.x)
    tile[i / columns][i % columns] = in[blockIdx.x * ROWS * n * columns + i];
  __syncthreads();
  for (int i = threadIdx.x; i < ROWS * n * columns; i += blockDim.x)
    out[blockIdx.x * ROWS * n * columns + i] = tile[i / columns][columns - 1 - i % columns];
}

// An expression that begins with one macro and ends with another is neither of them; one that is
// all of a macro is that.
// CHECK: // between_macros, lifted: what its copies are, the kernel, and its launcher.
// CHECK-NEXT: TILELIFT_LIFTED_FOR(WIDTH == 64);
// CHECK-NEXT: TILELIFT_LIFTED_FOR(HALO == 8);
// CHECK-NEXT: struct between_macros_tma_plan {
__global__ void between_macros(const float *in, float *out) {
  __shared__ float tile[WIDTH + HALO], other[PADDED], third[SUM];
#pragma tma load
  for (int i = threadIdx.x; i < WIDTH + HALO; i += blockDim.x)
    tile[i] = in[blockIdx.x * WIDTH + i];
#pragma tma load
  for (int i = threadIdx.x; i < PADDED; i += blockDim.x)
    other[i] = in[blockIdx.x * WIDTH * 4 + i];
#pragma tma load
  for (int i = threadIdx.x; i < SUM; i += blockDim.x)
    third[i] = in[blockIdx.x * WIDTH * 8 + i];
  __syncthreads();
  out[blockIdx.x * WIDTH + threadIdx.x] = tile[threadIdx.x + HALO] + other[threadIdx.x] + third[threadIdx.x];
}

// A macro that options define, a type that they choose, a constant that is made of them.
// CHECK: // given, lifted: what its copies are, the kernel, and its launcher.
// CHECK-NEXT: TILELIFT_LIFTED_FOR(sizeof(real) == 4);
// CHECK-NEXT: TILELIFT_LIFTED_FOR(GIVEN == 64);
// CHECK-NEXT: struct given_tma_plan {
constexpr int half_of_it = GIVEN / 2;
struct Pair {
  real first, second;
};
__global__ void given(const Pair *in, Pair *out) {
  __shared__ Pair tile[half_of_it];
#pragma tma load
  for (int i = threadIdx.x; i < half_of_it; i += blockDim.x)
    tile[i] = in[blockIdx.x * half_of_it + i];
  __syncthreads();
  for (int i = threadIdx.x; i < half_of_it; i += blockDim.x)
    out[blockIdx.x * half_of_it + i] = tile[half_of_it - 1 - i];
}

// What headers define, by the names that it has there.
// CHECK: // included, lifted: what its copies are, the kernel, and its launcher.
// CHECK-NEXT: TILELIFT_LIFTED_FOR(sizeof(::Pixel) == 8);
// CHECK-NEXT: TILELIFT_LIFTED_FOR(::config::Lengths<float>::columns == 32);
// CHECK-NEXT: TILELIFT_LIFTED_FOR(::config::rows == 8);
// CHECK-NEXT: TILELIFT_LIFTED_FOR(::halves == 2);
// CHECK-NEXT: TILELIFT_LIFTED_FOR(static_cast<long long>(::Layout::rows) == 3);
// CHECK-NEXT: struct included_tma_plan {
namespace own {
__global__ void included(const Pixel *in, Pixel *out) {
  using namespace config;
  constexpr int w = Lengths<float>::columns;
  __shared__ Pixel tile[rows][w];
  int first = blockIdx.x * halves * int(Layout::rows) * 64;
#pragma tma load
  for (int i = threadIdx.x; i < rows * w; i += blockDim.x)
    tile[i / w][i % w] = in[first + i];
  __syncthreads();
  for (int i = threadIdx.x; i < rows * w; i += blockDim.x)
    out[blockIdx.x * rows * w + i] = tile[i / w][w - 1 - i % w];
}
} // namespace own

// A macro that means several things has no value to compare with.
#define LENGTH (GIVEN * 2)
// CHECK: // several, lifted: what its copies are, the kernel, and its launcher.
// CHECK-NEXT: TILELIFT_LIFTED_FOR(GIVEN == 64);
// CHECK-NEXT: struct several_tma_plan {
__global__ void several(const float *in, float *out) {
  __shared__ float tile[LENGTH];
#pragma tma load
  for (int i = threadIdx.x; i < LENGTH; i += blockDim.x)
    tile[i] = in[blockIdx.x * LENGTH + i];
  __syncthreads();
  for (int i = threadIdx.x; i < LENGTH; i += blockDim.x)
    out[blockIdx.x * LENGTH + i] = tile[LENGTH - 1 - i];
}
#undef LENGTH
#define LENGTH 7

void run(const float *in, float *out) {
  settled<2><<<4, 128>>>(in, out);
  between_macros<<<4, 64>>>(in, out);
  given<<<4, 128>>>((const Pair *)in, (Pair *)out);
  own::included<<<4, 128>>>((const Pixel *)in, (Pixel *)out);
  several<<<LENGTH, 128>>>(in, out);
}
