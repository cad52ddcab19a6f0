// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c "remark: lifted" | grep -x 14
//
// Names that mean something else where a copy stands than where its numbers come from: inner variables, enumerators,
// parameters and captures of lambdas, a variable called as one of CUDA's.
#include "Inputs/arrays.h"

__device__ float table[1024];
__global__ void bound_of_the_rounds(float *out, const float *in, int n) { // made in its own round
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
    int n = 1000;
#pragma tma load
    tile[t] = in[k * 256 + at + t];
    __syncthreads(); s += tile[T - 1 - t] + n; __syncthreads();
  }
  out[at + t] = s;
}
__global__ void factor(float *out, const float *in, int n, int w) { // 'row' says how far, where nothing says 'w'
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0;
  for (int k = 0; k < n; ++k) {
    int row = k * w;
    { int w = 2;
#pragma tma load fallback(loop)
      tile[t] = in[row + at + t];
      __syncthreads(); s += tile[T - 1 - t] + w; }
    __syncthreads();
  }
  out[at + t] = s;
}
__global__ void named_sum(float *out, const float *in, int w) { // 'start' says it
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T;
  const int start = w * 4 + at; float s = 0;
  { const float w = 7;
#pragma tma load
    tile[t] = in[start + t];
    __syncthreads(); s = tile[T - 1 - t] + w; }
  out[at + t] = s;
}
__device__ inline uint3 swizzled() { return uint3{blockIdx.x ^ 1, blockIdx.y, 0}; }
__global__ void index_of_the_block(float *out, const float *in, int w) { // refused
  __shared__ alignas(128) float tile[4][32]; int t = threadIdx.x, b = blockIdx.x; uint3 id = swizzled();
  { uint3 blockIdx = id;
#pragma tma load fallback(loop)
    tile[t / 32][t % 32] = in[(blockIdx.x * 4 + t / 32) * w + t % 32];
    __syncthreads(); out[b * T + t] = tile[3 - t / 32][31 - t % 32]; }
}
__global__ void enumerator(float *out, const float *in, int n, int w) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
    int base = k * w + at;
    enum { w = 8 };
#pragma tma load fallback(loop)
    tile[t] = in[base + t];
    __syncthreads(); s += tile[T - 1 - t] + (int)w; __syncthreads();
  }
  out[at + t] = s;
}
__global__ void pointer(float *out, const float *in, int w) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0;
  { const float *src = in;
    { const float *in = out;
#pragma tma load
      tile[t] = src[w + at + t];
      __syncthreads(); s += tile[T - 1 - t] + (in == out); } }
  out[at + t] = s;
}
__global__ void variable_of_the_device(float *out) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; const float *from = table + at; float s = 0;
  { int table = 3;
#pragma tma load
    tile[t] = from[t];
    __syncthreads(); s = tile[T - 1 - t] + table; }
  out[at + t] = s;
}
__global__ void parameter_of_a_lambda(float *out, const float *in, int w) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0; const float *from = in + w;
  auto f = [&](int w) {
#pragma tma load
    tile[t] = from[at + t];
    __syncthreads(); s += tile[T - 1 - t] + w; };
  f(2);
  out[at + t] = s;
}
__global__ void captures(float *out, const float *in, int w) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0;
  auto f = [&, w2 = w * 2, d = &tile[0], p = in + w](int i) {
#pragma tma load
    d[t] = p[i * w2 * 64 + at + t];
    __syncthreads(); s += tile[T - 1 - t]; __syncthreads(); };
  f(1);
  out[at + t] = s;
}
__global__ void capture_that_counts(float *out, const float *in, int w) { // refused
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0;
  auto f = [&, n = w]() mutable {
#pragma tma load fallback(loop)
    tile[t] = in[n * 64 + at + t];
    __syncthreads(); s += tile[T - 1 - t]; ++n; __syncthreads(); };
  f(); f();
  out[at + t] = s;
}
__global__ void argument_that_counts(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0;
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k, --n) {
#pragma tma load
    tile[t] = in[k * 256 + at + t];
    __syncthreads(); s = 2 * s + tile[T - 1 - t]; __syncthreads();
  }
  out[at + t] = s;
}
__global__ void counter_of_generated_rows(float *out, const float *in, int w, int n) {
  __shared__ alignas(128) float tile[4][40]; int t = threadIdx.x; float s = 0;
  for (int row_0 = 0; row_0 < n; ++row_0) {
#pragma tma load
    tile[t / 32][4 + t % 32] = in[(row_0 * 4 + t / 32) * w + t % 32];
    if (t < 32) tile[t / 8][t % 8 < 4 ? t % 8 : t % 8 + 32] = 1;
    __syncthreads();
    for (int i = t; i < 160; i += T) s = 2 * s + tile[i / 40][i % 40];
    __syncthreads();
  }
  out[blockIdx.x * T + t] = s;
}
#define USE_TMA
__global__ void pragma_under_a_condition(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T], ring[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0;
#ifdef USE_TMA
#pragma tma load
#endif
  tile[t] = in[at + t];
  __syncthreads(); s = tile[T - 1 - t];
#ifdef USE_TMA
#pragma tma pipeline stages(2)
#endif
  for (int k = 0; k < n; ++k) {
#ifdef USE_TMA
    #pragma tma load
#endif // for Hopper
    ring[t] = in[k * 256 + at + t];
    __syncthreads(); s = 2 * s + ring[T - 1 - t]; __syncthreads();
  }
  out[at + t] = s;
}

// A qualified name is not hidden by an argument of that name.
struct Policy { static constexpr int rows = 2; };
__global__ void qualified(float *out, const float *in, int rows) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0;
#pragma tma pipeline stages(3)
  for (int r = 0; r + Policy::rows <= rows; r += Policy::rows) {
#pragma tma load
    tile[t] = in[r * T + at + t];
    __syncthreads(); s = 2 * s + tile[T - 1 - t]; __syncthreads();
  }
  out[at + t] = s;
}
// What a block behind the copy calls its own does not matter at the copy.
__global__ void taken_behind_the_copy(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = blockIdx.x * T; float s = 0;
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
    if (k != n / 2) {
#pragma tma load
      tile[t] = in[k * 256 + at + t];
      __syncthreads();
      { float in = tile[t ^ 1]; s = 2 * s + in; }
      for (int k = 0, n = 2; k < n; ++k)
        s += tile[T - 1 - t];
    }
    __syncthreads();
  }
  out[at + t] = s;
}

static const Case cases[] = {
    {"qualified", [](const Arrays &a) { qualified<<<2, T>>>(a.out, a.in, 7); }},
    {"taken_behind_the_copy", [](const Arrays &a) { taken_behind_the_copy<<<2, T>>>(a.out, a.in, 5); }},
    {"counter_of_generated_rows", [](const Arrays &a) { counter_of_generated_rows<<<1, T>>>(a.out, a.in, 64, 5); }},
    {"pragma_under_a_condition", [](const Arrays &a) { pragma_under_a_condition<<<2, T>>>(a.out, a.in, 3); }},
    {"bound_of_the_rounds", [](const Arrays &a) { bound_of_the_rounds<<<2, T>>>(a.out, a.in, 5); }},
    {"factor", [](const Arrays &a) { factor<<<2, T>>>(a.out, a.in, 5, 256); }},
    {"named_sum", [](const Arrays &a) { named_sum<<<2, T>>>(a.out, a.in, 256); }},
    {"index_of_the_block", [](const Arrays &a) { index_of_the_block<<<2, T>>>(a.out, a.in, 256); }},
    {"enumerator", [](const Arrays &a) { enumerator<<<2, T>>>(a.out, a.in, 4, 256); }},
    {"pointer", [](const Arrays &a) { pointer<<<2, T>>>(a.out, a.in, 256); }},
    {"variable_of_the_device", [](const Arrays &a) { cudaMemcpyToSymbol(table, a.in, sizeof(table), 0, cudaMemcpyDeviceToDevice); variable_of_the_device<<<2, T>>>(a.out); }},
    {"parameter_of_a_lambda", [](const Arrays &a) { parameter_of_a_lambda<<<2, T>>>(a.out, a.in, 256); }},
    {"captures", [](const Arrays &a) { captures<<<2, T>>>(a.out, a.in, 4); }},
    {"capture_that_counts", [](const Arrays &a) { capture_that_counts<<<2, T>>>(a.out, a.in, 2); }},
    {"argument_that_counts", [](const Arrays &a) { argument_that_counts<<<2, T>>>(a.out, a.in, 5); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
