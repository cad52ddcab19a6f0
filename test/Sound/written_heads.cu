// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++20 %s
// RUN: %tilelift --check --remarks %s -- -std=c++20 2>&1 | grep -c "Wtilelift-lifted\|Wtilelift-pipelined" | grep -x 24
//
// Functions whose heads and calls are written in ways that are rare: macros that hold a part of them, operators that are
// called by name with template arguments, blocks of extern "C", parameters and attributes behind the parameters. All lift.
#include "Inputs/arrays.h"

struct ByName { template <int K> __device__ void operator()(float *t, const float *g) const {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}
};
__global__ void operator_by_name(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  ByName()./* ( */operator()<4>(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

struct OfTypes { template <class Q> __device__ void operator ( ) (Q *t, const Q *g) const {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}
};
__global__ void operator_of_template(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  OfTypes m;
  m.template operator ()<float>(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void lambda_by_name(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  auto f = []<class Q>(Q *t, const Q *g) {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
};
  f.operator()<float>(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

extern "C" {
__device__ void declared_in_block(float *t, const float *g);
__device__ void in_block(float *t, const float *g) {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}
}
__global__ void in_block_of_c(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  in_block(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__device__ void declared_in_block(float *t, const float *g) {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}
__global__ void declared_in_block_of_c(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  declared_in_block(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define NAMED by_macro
__device__ void NAMED(float *t, const float *g) {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}
__global__ void name_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  by_macro(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define PASTED(x) by_##x
__device__ void PASTED(pasting)(float *t, const float *g) {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}
__global__ void pasted_name(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  by_pasting(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define PARAMETERS float *t, const float *g
__device__ void of_parameters(PARAMETERS) {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}
__global__ void parameters_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  of_parameters(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define ON_DEVICE __device__ inline void
ON_DEVICE of_words(float *t, const float *g) {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}
__global__ void words_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  of_words(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define BEGIN {
#define END }
__device__ void of_braces(float *t, const float *g) BEGIN
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
END
__global__ void braces_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  of_braces(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__device__ void with_attribute(float *t, const float *g) __attribute__((noinline));
__global__ void attribute_behind(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  with_attribute(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__device__ void with_attribute(float *t, const float *g) {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}

__device__ auto trailing(float *t, const float *g) -> void;
__device__ auto trailing(float *t, const float *g) -> void {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}
__global__ void trailing_type(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  trailing(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

template <class Q> struct Special { };
template <> struct Special<int> { __device__ static void load(float *t, const float *g); };
__device__ void Special<int>::load(float *t, const float *g) {
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
}
__global__ void member_of_specialization(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  Special<int>::load(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define CAPTURED in
#define BY_REFERENCE [&] {
__global__ void captures_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  auto a = [CAPTURED] {
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
};
  a();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void reference_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  auto a = BY_REFERENCE
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
};
  a();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

typedef void OfKernel(float *, float *);
__global__ OfKernel typed;
__global__ void typed(float *out, float *in) {
  __shared__ alignas(128) float t[T];
  const float *g = in;
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x ^ 1];
}

#define KERNEL __global__ void __launch_bounds__(T)
KERNEL worded(float *out, float *in) {
  __shared__ alignas(128) float t[T];
  const float *g = in;
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x ^ 1];
}

#define TEMPLATE template <class Q>
TEMPLATE __global__ void with_template(Q *out, Q *in) {
  __shared__ alignas(128) float t[T];
  const float *g = in;
#pragma tma load fallback(loop)
  t[threadIdx.x] = g[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x ^ 1];
}

template <int...> struct Numbers {};
// The copies are made ahead: what an instantiated lambda does with a pack it does in the round.
__global__ void packs(float *out, float *in) {
  __shared__ alignas(128) float tile[T];
  float sum = 0;
#pragma tma pipeline stages(3)
  for (int r = 0; r < 5; ++r) {
#pragma tma load
    tile[threadIdx.x] = in[(blockIdx.x * 5 + r) * T + threadIdx.x];
    __syncthreads();
    auto one = [&](auto... k) { return (tile[(threadIdx.x + k) % T] + ...); };
    auto two = [&]<int... K>(Numbers<K...>) { return ((tile[(threadIdx.x + K) % T] * K) + ...); };
    sum = sum * 2 + one(1, 2) + two(Numbers<3, 5>{});
    __syncthreads();
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}

// Kernels with C and with C++ linkage in one file; their lifted texts have one array for dynamic memory each.
__global__ void dynamic_of_cpp(float *out, const float *in) {
  extern __shared__ float of_cpp[];
#pragma tma load
  of_cpp[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = of_cpp[threadIdx.x ^ 1];
}
namespace inner {
extern "C" __global__ void dynamic_of_c(float *out, const float *in) {
  extern __shared__ float of_c[];
#pragma tma load
  of_c[threadIdx.x] = in[threadIdx.x + T];
  __syncthreads();
  out[threadIdx.x] = of_c[threadIdx.x ^ 3];
}
} // namespace inner
extern "C" __global__ void rings_of_c(float *out, const float *in) {
  __shared__ alignas(128) float tile[32 * T];
  float sum = 0;
#pragma tma pipeline stages(4)
  for (int r = 0; r < 3; ++r) {
#pragma tma load
    for (int i = threadIdx.x; i < 32 * T; i += T) tile[i] = in[r * T + i];
    __syncthreads();
    sum = sum * 2 + tile[threadIdx.x * 31];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

static const Case cases[] = {
    {"dynamic_of_cpp", [](const Arrays &a) { dynamic_of_cpp<<<1, T, 4 * T>>>(a.out, a.in); }},
    {"dynamic_of_c", [](const Arrays &a) { inner::dynamic_of_c<<<1, T, 4 * T>>>(a.out, a.in); }},
    {"rings_of_c", [](const Arrays &a) { rings_of_c<<<1, T>>>(a.out, a.in); }},
    {"operator_by_name", [](const Arrays &a) { operator_by_name<<<1, T>>>(a.out, a.in); }},
    {"operator_of_template", [](const Arrays &a) { operator_of_template<<<1, T>>>(a.out, a.in); }},
    {"lambda_by_name", [](const Arrays &a) { lambda_by_name<<<1, T>>>(a.out, a.in); }},
    {"in_block_of_c", [](const Arrays &a) { in_block_of_c<<<1, T>>>(a.out, a.in); }},
    {"declared_in_block_of_c", [](const Arrays &a) { declared_in_block_of_c<<<1, T>>>(a.out, a.in); }},
    {"name_by_macro", [](const Arrays &a) { name_by_macro<<<1, T>>>(a.out, a.in); }},
    {"pasted_name", [](const Arrays &a) { pasted_name<<<1, T>>>(a.out, a.in); }},
    {"parameters_by_macro", [](const Arrays &a) { parameters_by_macro<<<1, T>>>(a.out, a.in); }},
    {"words_by_macro", [](const Arrays &a) { words_by_macro<<<1, T>>>(a.out, a.in); }},
    {"braces_by_macro", [](const Arrays &a) { braces_by_macro<<<1, T>>>(a.out, a.in); }},
    {"attribute_behind", [](const Arrays &a) { attribute_behind<<<1, T>>>(a.out, a.in); }},
    {"trailing_type", [](const Arrays &a) { trailing_type<<<1, T>>>(a.out, a.in); }},
    {"member_of_specialization", [](const Arrays &a) { member_of_specialization<<<1, T>>>(a.out, a.in); }},
    {"captures_by_macro", [](const Arrays &a) { captures_by_macro<<<1, T>>>(a.out, a.in); }},
    {"reference_by_macro", [](const Arrays &a) { reference_by_macro<<<1, T>>>(a.out, a.in); }},
    {"typed", [](const Arrays &a) { typed<<<1, T>>>(a.out, a.in); }},
    {"worded", [](const Arrays &a) { worded<<<1, T>>>(a.out, a.in); }},
    {"with_template", [](const Arrays &a) { with_template<float><<<1, T>>>(a.out, a.in); }},
    {"packs", [](const Arrays &a) { packs<<<4, T>>>(a.out, a.in); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
