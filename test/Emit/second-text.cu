// RUN: %lift-and-check %s %t.cu -- -I%S && grep -v CHECK %t.cu | %FileCheck %s
//
// The text of a lifted kernel stands beside the plain one, and means the same there: launches that are used as values,
// names that using-declarations bring, types without a name of their own or declared later, macros of declarations.

// CHECK-LABEL: #include "Inputs/sizes.h"
// CHECK-NEXT: #include <tilelift/tilelift.cuh>
#include "Inputs/sizes.h"

namespace table {
__device__ constexpr float values[] = {
#include "Inputs/values.inc"
};
} // namespace table

// A launch has no value.
// CHECK: void go(float *out, const float *in) { return (void)plain_tma_launch({2, 128}, out, in); }
// CHECK: n == 2 ? (void)0 : (void)plain_tma_launch({2, 128}, out, in);
// CHECK: call([=] { return (void)plain_tma_launch({2, 128}, out, in); });
// CHECK: for (int i = 0; i < n; ++i) plain_tma_launch({2, 128}, out, in);
__global__ void plain(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
  __syncthreads();
#include "Inputs/body.inc"
}
void go(float *out, const float *in) { return plain<<<2, 128>>>(out, in); }
template <class F> void call(F f) {
  static_assert(__is_same(decltype(f()), void));
  f();
}
void values(float *out, const float *in, int n) {
  n == 2 ? (void)0 : plain<<<2, 128>>>(out, in);
  call([=] { return plain<<<2, 128>>>(out, in); });
  for (int i = 0; i < n; ++i) plain<<<2, 128>>>(out, in);
}

// A using-declaration brings the kernel, not its launcher.
// CHECK: ::inner::brought_tma_launch({1, 128}, out, in);
// CHECK-NEXT: {{^}}  ::inner::brought_tma_launch({1, 128}, out, in);
namespace inner {
__global__ void brought(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 128) out[i] = tile[511 - i];
}
} // namespace inner
using inner::brought;

namespace other {
using ::inner::brought;
}
void bring(float *out, const float *in) {
  brought<<<1, 128>>>(out, in);
  other::brought<<<1, 128>>>(out, in);
}

// CHECK: ::helpers::fetch_tma(of_others_tma_plan{}, tma_barrier, tma_phase, tile, in);
namespace helpers {
__device__ void fetch(float *to, const float *from) {
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 128) to[i] = from[i];
}
} // namespace helpers
namespace others {
using helpers::fetch;
}
__global__ void of_others(float *out, const float *in) {
  __shared__ float tile[512];
  others::fetch(tile, in);
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 128) out[i] = tile[511 - i];
}
void use_others(float *out, const float *in) { of_others<<<1, 128>>>(out, in); }

// The plan of an instance names the template's arguments.
// CHECK: struct Twice;
// CHECK-NEXT: namespace later { struct Thrice; }
// CHECK-NEXT: template <class F> __global__ void apply(
// CHECK: template <> struct apply_tma_plan<Twice> {
// CHECK: template <> struct apply_tma_plan<later::Thrice> {
template <class F> __global__ void apply(float *out, const float *in, F f) {
  __shared__ float tile[512];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 128) out[i] = f(tile[511 - i]);
}
struct Twice {
  __device__ float operator()(float x) const { return x * 2; }
};
namespace later {
struct Thrice {
  __device__ float operator()(float x) const { return x * 3; }
};
} // namespace later
void use(float *out, const float *in) {
  apply<<<1, 128>>>(out, in, Twice{});
  apply<<<1, 128>>>(out, in, later::Thrice{});
}

// CHECK: template <> struct unnamed_tma_plan<Kind::B, Own> {
namespace {
enum class Kind { A, B };
struct Own {
  float by;
};
} // namespace
template <Kind kind, class T> __global__ void unnamed(float *out, const float *in, T own) {
  __shared__ float tile[512];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 128) out[i] = tile[511 - i] + int(kind) + own.by;
}
void use_unnamed(float *out, const float *in) { unnamed<Kind::B><<<1, 128>>>(out, in, Own{2}); }

// One macro declares what the copy needs, and what is used behind it.
// CHECK: void of_macro_tma(
// CHECK: {{.*}}PLACE
#define PLACE size_t first = (size_t)blockIdx.x * 512; int t = threadIdx.x;
__global__ void of_macro(float *out, const float *in) {
  __shared__ float tile[512];
  PLACE
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[first + i];
  __syncthreads();
  for (int i = t; i < 512; i += 128) out[i] = tile[511 - i];
}
void use_macro(float *out, const float *in) { of_macro<<<1, 128>>>(out, in); }

// A lambda that is called where it is written is no attribute.
// CHECK: void at_once_tma(
// CHECK: tilelift::wait(tma_barrier, tma_phase);
// CHECK-NEXT: for (int i = threadIdx.x; i < 512; i += 128) out[i] = tile[511 - i];
__global__ void at_once(float *out, const float *in) {
  __shared__ float tile[512];
#pragma tma load
  [&] {
    for (int i = threadIdx.x; i < 512; i += 128) tile[i] = in[i];
  }();
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 128) out[i] = tile[511 - i];
}
void use_at_once(float *out, const float *in) { at_once<<<1, 128>>>(out, in); }
