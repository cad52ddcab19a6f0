// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c "heads.cu:11:3.*lifted: " | grep -x 5
//
// Functions that copy, called in the heads of statements: what all threads ask before a branch lifts, what is asked in each
// round or under a condition stays a loop.
#include "Inputs/arrays.h"

__device__ int fetch(float *d, const float *s) {
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < 256; i += 128) d[i] = s[i];
  __syncthreads();
  return 1;
}
__global__ void comma(float *out, const float *in, int m) { __shared__ float t[256]; float s = 0; if (fetch(t, in), m > 3) s = 1; out[threadIdx.x] = s + t[255 - threadIdx.x]; }
__global__ void init_statement(float *out, const float *in, int m) { __shared__ float t[256]; float s = 0; if (int v = fetch(t, in); v > 0) s = 1; out[threadIdx.x] = s + t[255 - threadIdx.x]; }
__global__ void condition_variable(float *out, const float *in, int m) { __shared__ float t[256]; float s = 0; if (int v = fetch(t, in)) s = v; out[threadIdx.x] = s + t[255 - threadIdx.x]; }
__global__ void start_of_for(float *out, const float *in, int m) { __shared__ float t[256]; float s = 0; for (int v = fetch(t, in); v < m; ++v) s += v; out[threadIdx.x] = s + t[255 - threadIdx.x]; }
__global__ void condition_of_while(float *out, const float *in, int m) { __shared__ float t[256]; float s = 0; while (fetch(t, in) < m) --m; out[threadIdx.x] = s + t[255 - threadIdx.x]; }
__global__ void of_switch(float *out, const float *in, int m) { __shared__ float t[256]; float s = 0; switch (fetch(t, in)) { case 1: s = 3; break; default: s = 2; } out[threadIdx.x] = s + t[255 - threadIdx.x]; }
__global__ void step_of_for(float *out, const float *in, int m) { __shared__ float t[256]; float s = 0; for (int v = 0; v < m; v += fetch(t, in)) __syncthreads(); out[threadIdx.x] = s + t[255 - threadIdx.x]; }
__global__ void condition_of_do(float *out, const float *in, int m) { __shared__ float t[256]; float s = 0; do { s += 1; } while (fetch(t, in) < m--); out[threadIdx.x] = s + t[255 - threadIdx.x]; }
__global__ void conditional_operator(float *out, const float *in, int m) { __shared__ float t[256]; float s = m > 2 ? fetch(t, in) : 0; if (m > 2) s += t[255 - threadIdx.x]; out[threadIdx.x] = s; }
__global__ void logical_and(float *out, const float *in, int m) { __shared__ float t[256]; float s = 0; if (m > 2 && fetch(t, in)) s += t[255 - threadIdx.x]; out[threadIdx.x] = s; }
__global__ void logical_or(float *out, const float *in, int m) { __shared__ float t[256]; float s = 0; if (threadIdx.x < 999 || fetch(t, in)) s += 1; out[threadIdx.x] = s; }
static const Case cases[] = {
    {"comma", [](const Arrays &a) { comma<<<1, T>>>(a.out, a.in, 4); }},
    {"init_statement", [](const Arrays &a) { init_statement<<<1, T>>>(a.out, a.in, 4); }},
    {"condition_variable", [](const Arrays &a) { condition_variable<<<1, T>>>(a.out, a.in, 4); }},
    {"start_of_for", [](const Arrays &a) { start_of_for<<<1, T>>>(a.out, a.in, 4); }},
    {"condition_of_while", [](const Arrays &a) { condition_of_while<<<1, T>>>(a.out, a.in, 4); }},
    {"of_switch", [](const Arrays &a) { of_switch<<<1, T>>>(a.out, a.in, 4); }},
    {"step_of_for", [](const Arrays &a) { step_of_for<<<1, T>>>(a.out, a.in, 4); }},
    {"condition_of_do", [](const Arrays &a) { condition_of_do<<<1, T>>>(a.out, a.in, 1); }},
    {"conditional_operator", [](const Arrays &a) { conditional_operator<<<1, T>>>(a.out, a.in, 4); }},
    {"logical_and", [](const Arrays &a) { logical_and<<<1, T>>>(a.out, a.in, 4); }},
    {"logical_or", [](const Arrays &a) { logical_or<<<1, T>>>(a.out, a.in, 4); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
