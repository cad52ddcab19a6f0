// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 6
//
// Numbers that are changed in ways that have no name for what they change: members of base classes, pointers to members,
// results of conditions, commas and assignments, functions that are only known by a pointer, objects in their methods.
#include "Inputs/arrays.h"
#include <cuda/std/utility>
#include <cuda_fp16.h>

namespace pair_member {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  cuda::std::pair<int, int> q(0, 0);
  q.second += 256;
#pragma tma load fallback(loop)
  tile[t] = in[q.second + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace pair_member

namespace crtp_changes_member {
template <class D_> struct C1 { __device__ void go(int d) { static_cast<D_ *>(this)->off += d; } }; struct S11 : C1<S11> { int off = 0; };
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  S11 s;
  s.go(256);
#pragma tma load fallback(loop)
  tile[t] = in[s.off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace crtp_changes_member

namespace member_pointer_changes {
struct Sa { int a, off; };
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Sa s{0, 0}; int Sa::*mp = &Sa::off;
  s.*mp += 256;
#pragma tma load fallback(loop)
  tile[t] = in[s.off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace member_pointer_changes

namespace init_capture_by_reference {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int off = 0; auto f = [&o = off](int d) { o += d; };
  f(256);
#pragma tma load fallback(loop)
  tile[t] = in[off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace init_capture_by_reference

namespace conditional_lvalue {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int off = 0, other = 0;
  (n > 0 ? off : other) += 256;
#pragma tma load fallback(loop)
  tile[t] = in[off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace conditional_lvalue

namespace comma_lvalue {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int off = 0, other = 0;
  (other = 1, off) += 256;
#pragma tma load fallback(loop)
  tile[t] = in[off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace comma_lvalue

namespace generic_lambda {
#include <cuda_fp16.h> // declares operators +=: in the lambda's own, dependent text `off += d` then is a CXXOperatorCallExpr

__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int off = 0; auto f = [&](auto d) { off += d; };
  f(256);
#pragma tma load fallback(loop)
  tile[t] = in[off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace generic_lambda

namespace fn_pointer {
__device__ void bump0(int &o, int d) { o += d; }
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int off = 0; void (*f)(int &, int) = bump0;
  f(off, 256);
#pragma tma load fallback(loop)
  tile[t] = in[off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace fn_pointer

namespace mem_fn_pointer {
struct T2 { int off; __device__ void go(int d) { off += d; } };
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  T2 s{0}; void (T2::*f)(int) = &T2::go;
  (s.*f)(256);
#pragma tma load fallback(loop)
  tile[t] = in[s.off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace mem_fn_pointer

namespace init_base_direct {
struct Bi { int off; }; struct Di : Bi { int x; };
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Di s{{0}, 1};
  s.off += 256;
#pragma tma load fallback(loop)
  tile[t] = in[s.off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace init_base_direct

namespace init_list_base {
struct E5 {}; struct T5 : E5 { int &r; };
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int off = 0; T5 s{{}, off};
  s.r += 256;
#pragma tma load fallback(loop)
  tile[t] = in[off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace init_list_base

namespace init_list_bits {
struct T7 { int a; int : 3; int &r; };
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int off = 0; T7 s{1, off};
  s.r += 256;
#pragma tma load fallback(loop)
  tile[t] = in[off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace init_list_bits

namespace ref_conditional {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int off = 0, other = 0; int &r = n > 0 ? off : other;
  r += 256;
#pragma tma load fallback(loop)
  tile[t] = in[off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace ref_conditional

namespace ptr_conditional_addr {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int off = 0, other = 0; int *r = &(n > 0 ? off : other);
  *r += 256;
#pragma tma load fallback(loop)
  tile[t] = in[off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace ptr_conditional_addr

namespace ref_assignment {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int off = 7; int &r = (off = 0);
  r += 256;
#pragma tma load fallback(loop)
  tile[t] = in[off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace ref_assignment

namespace array2d {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  int v[2][2] = {{0, 0}, {0, 0}};
  v[n > 0][1] += 256;
#pragma tma load fallback(loop)
  tile[t] = in[v[1][1] + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace array2d

namespace init_base_method {
struct Bf { int off; __device__ void go(int d) { off += d; } }; struct Df : Bf { int x; };
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Df s{{0}, 1};
  s.go(256);
#pragma tma load fallback(loop)
  tile[t] = in[s.off + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
} // namespace init_base_method

namespace member_changed_in_method {
struct S {
  float *tile;
  const float *in;
  int at, off;
  __device__ void load(int t) {
    off += 256;
#pragma tma load fallback(loop)
    tile[t] = in[off + at + t];
  }
  __device__ void advance() { off += 256; }
  __device__ float rounds(int t, int n) {
    float sum = 0;
    for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
      tile[t] = in[off + at + t];
      __syncthreads();
      sum = 2 * sum + tile[T - 1 - t];
      advance();
      __syncthreads();
    }
    return sum;
  }
};
__global__ void k(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  S s{tile, in, at, 0};
  s.load(t);
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
__global__ void r(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  S s{tile, in, at, 0};
  out[at + t] = s.rounds(t, n);
}
} // namespace member_changed_in_method

static const Case cases[] = {
    {"pair_member, k", [](const Arrays &a) { pair_member::k<<<2, T>>>(a.out, a.in, 4); }},
    {"crtp_changes_member, k", [](const Arrays &a) { crtp_changes_member::k<<<2, T>>>(a.out, a.in, 4); }},
    {"member_pointer_changes, k", [](const Arrays &a) { member_pointer_changes::k<<<2, T>>>(a.out, a.in, 4); }},
    {"init_capture_by_reference, k", [](const Arrays &a) { init_capture_by_reference::k<<<2, T>>>(a.out, a.in, 4); }},
    {"conditional_lvalue, k", [](const Arrays &a) { conditional_lvalue::k<<<2, T>>>(a.out, a.in, 4); }},
    {"comma_lvalue, k", [](const Arrays &a) { comma_lvalue::k<<<2, T>>>(a.out, a.in, 4); }},
    {"generic_lambda, k", [](const Arrays &a) { generic_lambda::k<<<2, T>>>(a.out, a.in, 4); }},
    {"fn_pointer, k", [](const Arrays &a) { fn_pointer::k<<<2, T>>>(a.out, a.in, 4); }},
    {"mem_fn_pointer, k", [](const Arrays &a) { mem_fn_pointer::k<<<2, T>>>(a.out, a.in, 4); }},
    {"init_base_direct, k", [](const Arrays &a) { init_base_direct::k<<<2, T>>>(a.out, a.in, 4); }},
    {"init_list_base, k", [](const Arrays &a) { init_list_base::k<<<2, T>>>(a.out, a.in, 4); }},
    {"init_list_bits, k", [](const Arrays &a) { init_list_bits::k<<<2, T>>>(a.out, a.in, 4); }},
    {"ref_conditional, k", [](const Arrays &a) { ref_conditional::k<<<2, T>>>(a.out, a.in, 4); }},
    {"ptr_conditional_addr, k", [](const Arrays &a) { ptr_conditional_addr::k<<<2, T>>>(a.out, a.in, 4); }},
    {"ref_assignment, k", [](const Arrays &a) { ref_assignment::k<<<2, T>>>(a.out, a.in, 4); }},
    {"array2d, k", [](const Arrays &a) { array2d::k<<<2, T>>>(a.out, a.in, 4); }},
    {"init_base_method, k", [](const Arrays &a) { init_base_method::k<<<2, T>>>(a.out, a.in, 4); }},
    {"member_changed_in_method, k", [](const Arrays &a) { member_changed_in_method::k<<<2, T>>>(a.out, a.in); }},
                             {"member_changed_in_method, r", [](const Arrays &a) { member_changed_in_method::r<<<2, T>>>(a.out, a.in, 4); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
