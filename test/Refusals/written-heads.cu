// RUN: %verify %s -std=c++20
//
// Heads and lambdas that cannot be written once more: where a macro hides a place that has to be changed, and where the
// language allows no template, or no capture.

template <int K> __device__ void special(float *t, const float *g) { t[threadIdx.x] = K; }
template <> __device__ void special<2>(float *t, const float *g) { // expected-error {{a copy in an explicit specialization is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}
__global__ void specialized(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  special<2>(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

template <class Q> struct Of { __device__ static void load(float *t, const float *g) { t[threadIdx.x] = 2; } };
template <> __device__ void Of<int>::load(float *t, const float *g) { // expected-error {{a copy in an explicit specialization is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}
__global__ void member_specialized(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  Of<int>::load(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define DEFINE(name) __device__ void name(float *t, const float *g)
DEFINE(defined) { // expected-error {{a copy in a function ('defined') whose name or parameters a macro writes is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}
__global__ void by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  defined(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

DEFINE(declared); // expected-error {{a copy in a function ('declared') whose name or parameters a macro writes is not available yet [-Wtilelift-not-available-yet]}}
__global__ void declared_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  declared(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__device__ void declared(float *t, const float *g) {
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}

#define PARAMETERS (float *t, const float *g)
__device__ void of_parameters PARAMETERS { // expected-error {{a copy in a function ('of_parameters') whose name or parameters a macro writes is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}
__global__ void parameters_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  of_parameters(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define TEMPLATE template <class Q> __device__ void
TEMPLATE with_template(Q *t, const Q *g) { // expected-error {{a copy in a function ('with_template') whose name or parameters a macro writes is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}
__global__ void template_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  with_template(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define IN_CLASS struct InClass { __device__ void
IN_CLASS method(float *t, const float *g) { // expected-error {{a copy in a function ('method') whose name or parameters a macro writes is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}
};
__global__ void class_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  InClass().method(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__device__ void first(float *t, const float *g), second(int); // expected-error {{a copy in a function ('first') whose first declaration is one of several, or ends in a macro, is not available yet [-Wtilelift-not-available-yet]}}
__global__ void one_of_several(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  first(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__device__ void first(float *t, const float *g) {
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}

using Function = void(float *, const float *);
__device__ Function typed; // expected-error {{a copy in a function ('typed') that is declared by the name of its type is not available yet [-Wtilelift-not-available-yet]}}
__global__ void by_type(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  typed(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__device__ void typed(float *t, const float *g) {
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}

__global__ void in_function(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  __device__ void within(float *t, const float *g); // expected-error {{a copy in a function ('within') that is declared inside of another function is not available yet [-Wtilelift-not-available-yet]}}
  within(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__device__ void within(float *t, const float *g) {
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}

struct Virtual final { __device__ virtual void load(float *t, const float *g) { // expected-error {{a copy in a function ('load') that is virtual is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}
};
__global__ void of_final(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  Virtual v;
  v.load(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

extern "C" {
struct OfC { __device__ void load(float *t, const float *g) { // expected-error {{a copy in a function ('load') of a class inside of an extern "C" block is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}
};
}
__global__ void method_in_block_of_c(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  OfC c;
  c.load(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void constant_lambda(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  constexpr auto f = [](float *t, const float *g) { // expected-error {{a copy in a lambda that a constant or a static variable is made of is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  };
  f(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void static_lambda(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  static const auto f = [](float *t, const float *g) { // expected-error {{a copy in a lambda that a constant or a static variable is made of is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  };
  f(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__device__ void called(float *t, const float *g) {
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}
__global__ void around_a_call(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  constexpr auto f = [](float *t, const float *g) { called(t, g); }; // expected-error {{a copy in a lambda that a constant or a static variable is made of is not available yet [-Wtilelift-not-available-yet]}}
  f(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define CAPTURES [in]
__global__ void captures_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  auto f = CAPTURES { // expected-error {{a copy in a lambda whose captures a macro writes is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  };
  f();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define CLOSE ]
__global__ void end_by_macro(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  auto f = [in CLOSE { // expected-error {{a copy in a lambda whose captures a macro writes is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  };
  f();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__device__ void called_there(float *t, const float *g) {
#pragma tma load threads(128)
  t[threadIdx.x] = g[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
}
inline constexpr auto from_outside = [] __device__ (float *t, const float *g) { called_there(t, g); }; // expected-error {{a copy in a lambda defined outside of the kernel and the functions that it calls is not available yet [-Wtilelift-not-available-yet]}}
__global__ void outside(float *out, float *in) {
  __shared__ alignas(128) float tile[128];
  from_outside(tile, in);
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

#define KERNEL_PARAMETERS (float *out, float *in)
__global__ void kernel_of_parameters KERNEL_PARAMETERS { // expected-error {{a kernel whose name or parameters a macro writes is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ alignas(128) float t[128];
#pragma tma load threads(128)
  t[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x ^ 1];
}

#define KERNEL_TEMPLATE template <class Q> __global__ void
KERNEL_TEMPLATE kernel_of_template(Q *out, Q *in) { // expected-error {{a kernel whose name or parameters a macro writes is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ alignas(128) float t[128];
#pragma tma load threads(128)
  t[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x ^ 1];
}

template __global__ void kernel_of_template<float>(float *out, float *in);

#define IN_SPACE namespace space { __global__ void
IN_SPACE in_space(float *out, float *in) { // expected-error {{a kernel whose name or parameters a macro writes is not available yet [-Wtilelift-not-available-yet]}}
  __shared__ alignas(128) float t[128];
#pragma tma load threads(128)
  t[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x ^ 1];
}
}

__global__ void one_kernel(float *out, float *in), another_kernel(int); // expected-error {{a kernel whose first declaration is one of several, or ends in a macro, is not available yet [-Wtilelift-not-available-yet]}}
__global__ void one_kernel(float *out, float *in) {
  __shared__ alignas(128) float t[128];
#pragma tma load threads(128)
  t[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x ^ 1];
}
