// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c "lifted: " | grep -x 10
//
// References: what is done to one is done to what it leads to, and where it leads does not change. And statements ahead of a
// copy that send no thread away from it.
#include "Inputs/arrays.h"

struct Store { alignas(128) float tile[4][32]; int rest[3]; };
struct Args { float *out; const float *in; };
struct Span { const float *data; int width; };
__global__ void member(float *out, int n) {
  __shared__ Store store; auto &tile = store.tile; int t = threadIdx.x;
  for (int k = 0; k < n; ++k) for (int i = t; i < 128; i += 64) tile[i / 32][i % 32] = i + k;
  __syncthreads();
#pragma tma store
  for (int i = t; i < 128; i += 64) out[i] = tile[i / 32][i % 32];
}
__global__ void member_of_dynamic_memory(float *out, int n) {
  extern __shared__ __align__(128) unsigned char raw[]; auto &tile = *reinterpret_cast<float (*)[4][32]>(raw); int t = threadIdx.x;
  for (int k = 0; k < n; ++k) for (int i = t; i < 128; i += 64) tile[i / 32][i % 32] = i + k;
  __syncthreads();
#pragma tma store
  for (int i = t; i < 128; i += 64) out[i] = tile[i / 32][i % 32];
}
__global__ void filled_by_a_lambda(float *out, const float *in) {
  __shared__ Store store; auto &tile = store.tile; int t = threadIdx.x;
  auto copy = [&] {
#pragma tma load
    for (int i = t; i < 128; i += 64) tile[i / 32][i % 32] = in[i]; };
  copy();
  __syncthreads(); out[t] = tile[3][t % 32];
}
__global__ void to_constant_pointer(float *out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[4][32]; const float *const __restrict__ &from = in; int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 128; i += 64) tile[i / 32][i % 32] = from[i];
  __syncthreads(); out[t] = tile[3][t % 32];
}
__global__ void to_member_of_an_argument(Args args) {
  __shared__ alignas(128) float tile[4][32]; int t = threadIdx.x;
  if (args.in) {
#pragma tma load
    for (int i = t; i < 128; i += 64) tile[i / 32][i % 32] = args.in[i];
    __syncthreads();
  }
  float *const &to = args.out;
  to[t] = args.in ? tile[3][t % 32] : 0;
}
__device__ void fill(float (&tile)[4][32], const float *__restrict__ in) {
  auto &all = tile;
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += 64) all[i / 32][i % 32] = in[i];
}
__global__ void in_a_function(float *out, const float *in) {
  __shared__ alignas(128) float tile[4][32];
  fill(tile, in);
  __syncthreads(); out[threadIdx.x] = tile[3][threadIdx.x % 32];
}
// Refused: what is copied is a lambda's own.
__global__ void captured_by_copy(float *out, const float *in) {
  extern __shared__ __align__(128) unsigned char raw[]; Store &store = *reinterpret_cast<Store *>(raw); auto &tile = store.tile; int t = threadIdx.x;
  for (int i = t; i < 128; i += 64) store.tile[i / 32][i % 32] = 7;
  __syncthreads();
  auto copy = [=]() mutable {
#pragma tma load fallback(loop)
    for (int i = t; i < 128; i += 64) tile[i / 32][i % 32] = in[i]; };
  copy();
  __syncthreads(); out[t] = store.tile[3][t % 32];
}
// 'start' and 'k' are one variable, which threads have changed differently.
__global__ void counter_with_two_names(float *out, const float *in) { // refused
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, k = 0; const int &start = k; float s = 0; tile[t] = 1;
  for (k = t % 2; k < 4; k += 2) {
    if (start == 0) {
#pragma tma load fallback(loop)
      for (int i = t; i < T; i += T) tile[i] = in[i];
    }
    s += k;
  }
  __syncthreads(); out[t] = tile[t] + s;
}
__global__ void changed_by_its_other_name(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, at = 0; int &moves = at; float s = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    for (int i = t; i < T; i += T) tile[i] = in[at + i];
    __syncthreads(); s = 2 * s + tile[T - 1 - t]; __syncthreads();
    moves += 64;
  }
  out[t] = s;
}
__global__ void round_that_goes_on(float *out, int n, int stop) {
  __shared__ alignas(128) float tile[128]; int t = threadIdx.x, seen = 0;
  tile[t] = t;
  for (int k = 0; k < n; ++k) { if (k == stop) continue; ++seen; }
  __syncthreads();
#pragma tma store
  out[t] = tile[t];
  out[256 + t] = seen;
}
__global__ void blocks_that_leave(float *out, int n) {
  __shared__ alignas(128) float tile[128]; int t = threadIdx.x; float sum = 0;
  for (int i = t; i < 128; i += 64) tile[i] = t;
  for (int k = 0; k < n; ++k) { if (blockIdx.x == 1) return; for (int i = t; i < 128; i += 64) sum += i; }
  __syncthreads();
#pragma tma store
  for (int i = t; i < 128; i += 64) out[i] = tile[i];
  out[256 + t] = sum;
}
__global__ void threads_that_leave(float *out, int n) { // refused: the return is skipped by some
  __shared__ alignas(128) float tile[128]; int t = threadIdx.x;
  for (int i = t; i < 128; i += 64) tile[i] = t;
  for (int k = 0; k < n; ++k) { if (t + k == 5) continue; if (blockIdx.x == 1) return; }
#pragma tma store fallback(loop)
  for (int i = t; i < 128; i += 64) out[i] = tile[i];
}
__global__ void object_of_the_round(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[4][32]; int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    for (int i = t; i < 128; i += 64) tile[i / 32][i % 32] = in[k * 128 + i];
    __syncthreads();
    { Span span{&tile[0][0], 32}; sum += span.data[127 - t]; }
    __syncthreads();
  }
  out[t] = sum;
}

static const Case cases[] = {
    {"member", [](const Arrays &a) { member<<<1, 64>>>(a.out, 3); }},
    {"member_of_dynamic_memory", [](const Arrays &a) { member_of_dynamic_memory<<<1, 64, 512>>>(a.out, 3); }},
    {"filled_by_a_lambda", [](const Arrays &a) { filled_by_a_lambda<<<1, 64>>>(a.out, a.in); }},
    {"to_constant_pointer", [](const Arrays &a) { to_constant_pointer<<<1, 64>>>(a.out, a.in); }},
    {"to_member_of_an_argument", [](const Arrays &a) { to_member_of_an_argument<<<1, 64>>>(Args{a.out, a.in}); }},
    {"in_a_function", [](const Arrays &a) { in_a_function<<<1, 64>>>(a.out, a.in); }},
    {"captured_by_copy", [](const Arrays &a) { captured_by_copy<<<1, 64, sizeof(Store)>>>(a.out, a.in); }},
    {"counter_with_two_names", [](const Arrays &a) { counter_with_two_names<<<1, T>>>(a.out, a.in); }},
    {"changed_by_its_other_name", [](const Arrays &a) { changed_by_its_other_name<<<1, T>>>(a.out, a.in, 3); }},
    {"round_that_goes_on", [](const Arrays &a) { round_that_goes_on<<<1, T>>>(a.out, 3, 1); }},
    {"blocks_that_leave", [](const Arrays &a) { blocks_that_leave<<<2, 64>>>(a.out, 3); }},
    {"threads_that_leave", [](const Arrays &a) { threads_that_leave<<<1, 64>>>(a.out, 3); }},
    {"object_of_the_round", [](const Arrays &a) { object_of_the_round<<<1, 64>>>(a.out, a.in, 3); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
