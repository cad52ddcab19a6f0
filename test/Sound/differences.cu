// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 3
//
// Conditions that differ between threads, although no variable that they name seems to: parts of structured bindings,
// captures, members of base classes, memory of a thread's own, what a pointer leads to.
#include "Inputs/arrays.h"
#include <cuda/std/tuple>
#include <cuda/std/utility>

namespace binding_diverges {
struct Q { int a, b; };
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 1;
  auto [x, y] = Q{n, t / 64};
  if (y) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  out[at + t] = tile[t];
}
} // namespace binding_diverges

namespace binding_bound_changes {
struct Q { int a, b; };
__global__ void bound_binding_changes_in_loop(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto [lo, hi] = Q{0, n}; float sum = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < hi; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads(); sum = 2 * sum + tile[T - 1 - t]; if (k == 1) hi -= 3; __syncthreads(); }
  out[at + t] = sum;
}
} // namespace binding_bound_changes

namespace binding_producer {
struct Q { int a, b; };
__global__ void bound_binding_producer(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto [lo, hi] = Q{0, n}; float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < hi; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads(); sum = 2 * sum + tile[T - 1 - t]; __syncthreads(); }
  out[at + t] = sum;
}
} // namespace binding_producer

namespace binding_condition_in_ring {
struct Q { int a, b; };
__global__ void binding_condition_in_ring(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto [on, mine] = Q{n, t}; float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) { auto [odd, kk] = Q{k & 1, k};
    if (odd) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads(); sum = 2 * sum + tile[T - 1 - t]; __syncthreads(); } }
  out[at + t] = sum;
}
} // namespace binding_condition_in_ring

namespace binding_store_diverges {
struct Q { int a, b; };
__global__ void store_behind_binding_condition(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto [a, b] = Q{n, t & 32};
  tile[t] = in[at + t];
  if (b) {
#pragma tma store fallback(loop)
  out[at + t] = tile[t]; }
}
} // namespace binding_store_diverges

namespace binding_return {
struct Q { int a, b; };
__global__ void binding_return(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto [a, b] = Q{n, t & 32};
  tile[t] = 2;
  if (b) return;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  out[at + t] = tile[t];
}
} // namespace binding_return

namespace init_capture_diverges {
__global__ void k(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 3;
  auto f = [&, b = t / 64] {
    if (b) {
#pragma tma load fallback(loop)
      tile[t] = in[at + t];
    }
  };
  f();
  out[at + t] = tile[t];
}
} // namespace init_capture_diverges

namespace base_member_diverges {
struct B { int b; };
struct S : B {
  __device__ void f(float *tile, const float *in, int at, int t) {
    if (b) {
#pragma tma load fallback(loop)
      tile[t] = in[at + t];
    }
  }
};
__global__ void k(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 1;
  S s;
  s.b = t / 64;
  s.f(tile, in, at, t);
  out[at + t] = tile[t];
}
} // namespace base_member_diverges

namespace memory_of_its_own_diverges {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ ints, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 1;
  int *p = (int *)malloc(sizeof(int));
  *p = t / 64;
  if (*p) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  free(p);
  out[at + t] = tile[t];
}
} // namespace memory_of_its_own_diverges

namespace pointer_member_diverges {
struct S {
  const int *b;
  __device__ void f(float *tile, const float *in, int at, int t) {
    if (*b) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
    }
  }
};
__global__ void k(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ ints, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 1;
  int m = t / 64;
  S s{&m};
  s.f(tile, in, at, t);
  out[at + t] = tile[t];
}
} // namespace pointer_member_diverges

namespace captured_this_diverges {
struct S {
  int b;
  __device__ void f(float *tile, const float *in, int at, int t) {
    auto g = [&, this] {
    if (b) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
    } };
    g();
  }
};
__global__ void k(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ ints, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 1;
  S s{t / 64};
  s.f(tile, in, at, t);
  out[at + t] = tile[t];
}
} // namespace captured_this_diverges

namespace base_reference_diverges {
struct B { int b; };
struct S : B {};
__global__ void k(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ ints, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 1;
  S s;
  B &r = s; // static_cast<B &>(s).b = t / 64 is the same
  r.b = t / 64;
  if (s.b) {
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
  }
  out[at + t] = tile[t];
}
} // namespace base_reference_diverges

static const Case cases[] = {
    {"binding_diverges, k", [](const Arrays &a) { binding_diverges::k<<<2, T>>>(a.out, a.in, 1); }},
    {"binding_bound_changes, bound_binding_changes_in_loop", [](const Arrays &a) { binding_bound_changes::bound_binding_changes_in_loop<<<2, T>>>(a.out, a.in, 6); }},
    {"binding_producer, bound_binding_producer", [](const Arrays &a) { binding_producer::bound_binding_producer<<<2, T>>>(a.out, a.in, 6); }},
    {"binding_condition_in_ring, binding_condition_in_ring", [](const Arrays &a) { binding_condition_in_ring::binding_condition_in_ring<<<2, T>>>(a.out, a.in, 6); }},
    {"binding_store_diverges, store_behind_binding_condition", [](const Arrays &a) { binding_store_diverges::store_behind_binding_condition<<<2, T>>>(a.out, a.in, 4); }},
    {"binding_return, binding_return", [](const Arrays &a) { binding_return::binding_return<<<2, T>>>(a.out, a.in, 4); }},
    {"init_capture_diverges, k", [](const Arrays &a) { init_capture_diverges::k<<<2, T>>>(a.out, a.in); }},
    {"base_member_diverges, k", [](const Arrays &a) { base_member_diverges::k<<<2, T>>>(a.out, a.in); }},
    {"memory_of_its_own_diverges, k", [](const Arrays &a) { memory_of_its_own_diverges::k<<<2, T>>>(a.out, a.in, a.ints, 1); }},
    {"pointer_member_diverges, k", [](const Arrays &a) { pointer_member_diverges::k<<<2, T>>>(a.out, a.in, a.ints, 1); }},
    {"captured_this_diverges, k", [](const Arrays &a) { captured_this_diverges::k<<<2, T>>>(a.out, a.in, a.ints, 1); }},
    {"base_reference_diverges, k", [](const Arrays &a) { base_reference_diverges::k<<<2, T>>>(a.out, a.in, a.ints, 1); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
