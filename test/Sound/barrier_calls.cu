// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c "barrier-dropped" | grep -x 6
//
// Calls that wait at a barrier and do something to variables of their caller, by references, objects, arguments and
// temporaries. Only a call that does nothing else is dropped.
#include "Inputs/arrays.h"

struct Operator { __device__ void operator()() const { __syncthreads(); } };
struct Phase { int phase; __device__ void sync() { __syncthreads(); phase ^= 1; } };
struct Count { float &r; __device__ Count(float &x) : r(x) { x += 1; } __device__ void sync() { __syncthreads(); } __device__ ~Count() { r *= 2; } };
struct Plain { __device__ void sync() const { __syncthreads(); } };
struct Log { float *p; __device__ Log(float *q) : p(q) { *p += 1; } __device__ ~Log() { *p += 2; } };
__device__ void flip(int &phase) { __syncthreads(); phase ^= 1; }
__device__ void with_number(float) { __syncthreads(); }
__device__ void with_log(Log) { __syncthreads(); }
__device__ Plain next(float &s) { s += 3; return {}; }
template <class F> __device__ void behind(F f) { __syncthreads(); f(); }
__global__ void by_reference(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x, phase = 0; float s = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    flip(phase);
    s = 2 * s + tile[T - 1 - t] + phase;
    __syncthreads();
  }
  out[t] = s;
}
__global__ void by_its_object(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0; Phase own{0};
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    own.sync();
    s = 2 * s + tile[T - 1 - t] + own.phase;
    own.sync();
  }
  out[t] = s;
}
__global__ void by_an_argument(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    with_number(s += 1);
    s = 2 * s + tile[T - 1 - t];
    with_log(&s);
  }
  out[t] = s;
}
__global__ void by_a_functor(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    behind([&] { s += 5; });
    s = 2 * s + tile[T - 1 - t];
    next(s).sync();
  }
  out[t] = s;
}
__global__ void by_a_temporary(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    Count(s).sync();
    s = 2 * s + tile[T - 1 - t];
    Count(s).sync();
  }
  out[t] = s;
}
__global__ void by_operators(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0; Operator bar; auto wait = [&] { __syncthreads(); };
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    bar();
    s = 2 * s + tile[T - 1 - t];
    wait();
  }
  out[t] = s;
}
__global__ void nothing_else(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    Plain().sync();
    s = 2 * s + tile[T - 1 - t];
    with_number(2);
  }
  out[t] = s;
}

// A vote of the block has one result: all threads leave, stay or go on together.
__global__ void all_leave_by_a_vote(float *out, const float *in, const int *ints) {
  __shared__ alignas(128) float tile[T];
  if (!__syncthreads_or(ints[threadIdx.x] > 126 - int(blockIdx.x))) return;
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x];
}
__global__ void branch_by_a_count_of_votes(float *out, const float *in, const int *ints) {
  __shared__ alignas(128) float tile[T];
  const int votes = __syncthreads_count(ints[threadIdx.x] > 64);
  if (votes > 3 + 100 * int(blockIdx.x)) {
#pragma tma load
    for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
    __syncthreads();
    out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x];
  }
}
__global__ void loop_ends_by_a_vote(float *out, const float *in, const int *ints) {
  __shared__ alignas(128) float tile[T];
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < T; i += T) tile[i] = in[k * T + i];
    __syncthreads();
    sum += tile[T - 1 - threadIdx.x];
    if (__syncthreads_and(ints[threadIdx.x] < 30 * k)) break;
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}
__global__ void some_leave_behind_a_vote(float *out, const float *in, const int *ints) {
  __shared__ alignas(128) float tile[T];
  if (__syncthreads_count(ints[threadIdx.x] > 64) > int(threadIdx.x)) return;
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  out[blockIdx.x * T + threadIdx.x] = tile[threadIdx.x];
}

__device__ int asked_for_ever(int n) { return asked_for_ever(n - 1); }
__device__ int vote_of(int n) { return __syncthreads_or(n); }
__global__ void vote_by_a_function(float *out, const float *in, const int *ints, int n) {
  __shared__ alignas(128) float tile[T];
  if (!vote_of(ints[threadIdx.x] > 126)) return;
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x];
  if (n < 0 && asked_for_ever(n)) out[0] = 1;
}
// Who leaves a switch leaves nothing else.
__global__ void switch_of_warps(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  float scale = 0;
  switch (threadIdx.x / 32) {
  case 0: scale = 1; break;
  case 1: scale = 2; break;
  default: scale = 3;
  }
  __syncthreads();
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] * scale;
}

// Calls of objects, which begin with the object.
struct Meets {
  __device__ void operator()() const { __syncthreads(); }
  __device__ Meets &operator+=(int) {
    __syncthreads();
    return *this;
  }
};
__global__ void lambda_before_a_store(float *__restrict__ out, const float *__restrict__ in) {
  auto sync = [] { __syncthreads(); };
  __shared__ alignas(128) float tile[T];
  tile[threadIdx.x] = in[T - 1 - threadIdx.x] * 2;
  sync();
#pragma tma store
  for (int i = threadIdx.x; i < T; i += blockDim.x) out[i] = tile[i];
}
__global__ void object_before_a_store(float *__restrict__ out, const float *__restrict__ in) {
  Meets meets;
  __shared__ alignas(128) float tile[T];
  tile[threadIdx.x] = in[T - 1 - threadIdx.x] * 2;
  meets();
#pragma tma store
  for (int i = threadIdx.x; i < T; i += blockDim.x) out[i] = tile[i];
}
__global__ void operator_before_a_store(float *__restrict__ out, const float *__restrict__ in) {
  Meets meets;
  __shared__ alignas(128) float tile[T];
  tile[threadIdx.x] = in[T - 1 - threadIdx.x] * 2;
  meets += 1;
#pragma tma store
  for (int i = threadIdx.x; i < T; i += blockDim.x) out[i] = tile[i];
}

static const Case cases[] = {
    {"lambda_before_a_store", [](const Arrays &a) { lambda_before_a_store<<<1, T>>>(a.out, a.in); }},
    {"object_before_a_store", [](const Arrays &a) { object_before_a_store<<<1, T>>>(a.out, a.in); }},
    {"operator_before_a_store", [](const Arrays &a) { operator_before_a_store<<<1, T>>>(a.out, a.in); }},
    {"by_reference", [](const Arrays &a) { by_reference<<<1, T>>>(a.out, a.in, 7); }},
    {"by_its_object", [](const Arrays &a) { by_its_object<<<1, T>>>(a.out, a.in, 7); }},
    {"by_an_argument", [](const Arrays &a) { by_an_argument<<<1, T>>>(a.out, a.in, 7); }},
    {"by_a_functor", [](const Arrays &a) { by_a_functor<<<1, T>>>(a.out, a.in, 7); }},
    {"by_a_temporary", [](const Arrays &a) { by_a_temporary<<<1, T>>>(a.out, a.in, 7); }},
    {"by_operators", [](const Arrays &a) { by_operators<<<1, T>>>(a.out, a.in, 7); }},
    {"nothing_else", [](const Arrays &a) { nothing_else<<<1, T>>>(a.out, a.in, 7); }},
    {"all_leave_by_a_vote", [](const Arrays &a) { all_leave_by_a_vote<<<2, T>>>(a.out, a.in, a.ints); }},
    {"branch_by_a_count_of_votes", [](const Arrays &a) { branch_by_a_count_of_votes<<<2, T>>>(a.out, a.in, a.ints); }},
    {"loop_ends_by_a_vote", [](const Arrays &a) { loop_ends_by_a_vote<<<2, T>>>(a.out, a.in, a.ints); }},
    {"some_leave_behind_a_vote", [](const Arrays &a) { some_leave_behind_a_vote<<<2, T>>>(a.out, a.in, a.ints); }},
    {"vote_by_a_function", [](const Arrays &a) { vote_by_a_function<<<2, T>>>(a.out, a.in, a.ints, 1); }},
    {"switch_of_warps", [](const Arrays &a) { switch_of_warps<<<2, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
