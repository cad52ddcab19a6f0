// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c "lifted: 1-D" | grep -x 5
//
// Functions that copy, called in lambdas, which are called here or by others: by the text that the lambda stands in, whatever
// it captures.
#include "Inputs/arrays.h"

template <class T> __device__ bool fetch(T *d, const T *s) {
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += 128) d[i] = s[i];
  __syncthreads();
  return true;
}
template <class F> __device__ auto with(F f) { return f(); }
__global__ void argument_of_a_function(float *out, const float *in) { __shared__ float t[256]; float v = with([&] { return fetch(t, in); }); out[threadIdx.x] = t[255 - threadIdx.x] + v; }
__global__ void by_copies(float *out, const float *in) { __shared__ float t[256]; auto l = [=] { return fetch(t, in); }; float v = l(); out[threadIdx.x] = t[255 - threadIdx.x] + v; }
__global__ void by_a_list(float *out, const float *in) { __shared__ float t[256]; auto l = [in] { return fetch(t, in); }; float v = l(); out[threadIdx.x] = t[255 - threadIdx.x] + v; }
__global__ void in_each_other(float *out, const float *in) { __shared__ float t[256]; auto l = [in] { return with([&] { return fetch(t, in); }); }; float v = l(); out[threadIdx.x] = t[255 - threadIdx.x] + v; }
__device__ bool deep(float *t, const float *in) { auto l = [&] { return fetch(t, in); }; return with(l); }
__global__ void in_a_function(float *out, const float *in) { __shared__ __align__(128) float t[256]; float v = deep(t, in); out[threadIdx.x] = t[255 - threadIdx.x] + v; }

static const Case cases[] = {
    {"argument_of_a_function", [](const Arrays &a) { argument_of_a_function<<<1, T>>>(a.out, a.in); }},
    {"by_copies", [](const Arrays &a) { by_copies<<<1, T>>>(a.out, a.in); }},
    {"by_a_list", [](const Arrays &a) { by_a_list<<<1, T>>>(a.out, a.in); }},
    {"in_each_other", [](const Arrays &a) { in_each_other<<<1, T>>>(a.out, a.in); }},
    {"in_a_function", [](const Arrays &a) { in_a_function<<<1, T>>>(a.out, a.in); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
