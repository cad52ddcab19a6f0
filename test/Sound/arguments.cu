// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>%t.err
// RUN: grep -c Wtilelift-lifted %t.err | grep -x 13
// RUN: FileCheck %s <%t.err
//
// Arguments of class types: a launch copies them as often as the plain one does, and by the same constructors, and an
// operator & of their own is not asked for their address.
#include "Inputs/arrays.h"
#include <memory>

struct CountsCopies {
  int value;
  __host__ __device__ explicit CountsCopies(int value) : value(value) {}
  __host__ __device__ CountsCopies(const CountsCopies &other) : value(other.value + 1) {}
};
struct MovesOrCopies {
  int value;
  __host__ __device__ explicit MovesOrCopies(int value) : value(value) {}
  __host__ __device__ MovesOrCopies(const MovesOrCopies &) : value(100) {}
  __host__ __device__ MovesOrCopies(MovesOrCopies &&other) : value(other.value) { other.value = -1; }
};
struct OnlyMoves {
  int value;
  __host__ __device__ explicit OnlyMoves(int value) : value(value) {}
  OnlyMoves(const OnlyMoves &) = delete;
  __host__ __device__ OnlyMoves(OnlyMoves &&other) : value(other.value) { other.value = -1; }
};
struct CopiesExplicitly {
  int value;
  __host__ __device__ explicit CopiesExplicitly(int value) : value(value) {}
  explicit CopiesExplicitly(const CopiesExplicitly &) = default;
};
struct AddressOfPayload {
  int before, value;
  __host__ __device__ int *operator&() { return std::addressof(value); }
  __host__ __device__ const int *operator&() const { return std::addressof(value); }
};
namespace without_address {
struct Wide {
  int value;
};
template <class Any> Wide *operator&(Any &) = delete;
} // namespace without_address
struct FromNumber {
  int value;
  __host__ __device__ FromNumber(int value) : value(value * 3) {}
  __host__ __device__ FromNumber(const FromNumber &other) : value(other.value + 1) {}
};

#define BODY                                                                                                            \
  __syncthreads();                                                                                                      \
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + x.value;

__global__ void counted(float *out, const float *in, CountsCopies x) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  BODY
}
__global__ void moved(float *out, const float *in, MovesOrCopies x) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  BODY
}
__global__ void only_moved(float *out, const float *in, const OnlyMoves x) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  BODY
}
__global__ void copied_explicitly(float *out, const float *in, CopiesExplicitly x) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  BODY
}
__global__ void own_address(float *out, const float *in, AddressOfPayload x) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  out[blockIdx.x * T + threadIdx.x] = x.before;
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] += tile[T - 1 - threadIdx.x] + x.value;
}
__global__ void no_address(float *out, const float *in, without_address::Wide x) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  BODY
}
__global__ void converted(float *out, const float *in, FromNumber x) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  BODY
}
// Of a template, instances that do not lift start by another way.
template <class X, int Length> __global__ void of_template(float *out, const float *in, X x) {
  __shared__ alignas(128) float tile[Length];
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < Length; i += T) tile[i] = in[blockIdx.x * T + i];
  BODY
}
__global__ void by_address(float *out, const float *in, CountsCopies x) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  BODY
}

// The launcher has names of its own, beside those of parameters, their types and a template's parameters.
struct launch { int value; };
struct view { int value; };
namespace names { enum class facts { none, five = 5 }; }
__global__ void overloaded(float *out, const float *in, launch x) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  BODY
}
__global__ void overloaded(float *out, const float *in, view view) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + view.value;
}
__global__ void overloaded(float *out, const float *in, names::facts facts) {
  __shared__ alignas(128) float tile[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[blockIdx.x * T + i];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + int(facts);
}
template <class facts, int launch> __global__ void of_names(facts *out, const facts *in, view config) {
  __shared__ alignas(128) facts tile[launch];
#pragma tma load
  for (int i = threadIdx.x; i < launch; i += T) tile[i] = in[blockIdx.x * launch + i];
  __syncthreads();
  out[blockIdx.x * launch + threadIdx.x] = tile[launch - 1 - threadIdx.x] + config.value;
}

static cudaLaunchConfig_t two_blocks() {
  cudaLaunchConfig_t config = {};
  config.gridDim = 2;
  config.blockDim = 128;
  return config;
}

static const Case cases[] = {
    {"counted", [](const Arrays &a) { CountsCopies x(5); counted<<<2, 128>>>(a.out, a.in, x); }},
    {"counted_of_a_temporary", [](const Arrays &a) { counted<<<2, 128>>>(a.out, a.in, CountsCopies(5)); }},
    {"counted_by_config",
     [](const Arrays &a) {
       CountsCopies x(5);
       cudaLaunchConfig_t config = two_blocks();
       cudaLaunchKernelEx(&config, counted, a.out, (const float *)a.in, x);
     }},
    {"moved", [](const Arrays &a) { MovesOrCopies x(5); moved<<<2, 128>>>(a.out, a.in, static_cast<MovesOrCopies &&>(x)); }},
    {"copied", [](const Arrays &a) { MovesOrCopies x(5); moved<<<2, 128>>>(a.out, a.in, x); }},
    {"only_moved",
     [](const Arrays &a) { OnlyMoves x(5); only_moved<<<2, 128>>>(a.out, a.in, static_cast<OnlyMoves &&>(x)); }},
    {"copied_explicitly", [](const Arrays &a) { copied_explicitly<<<2, 128>>>(a.out, a.in, CopiesExplicitly(5)); }},
    {"own_address", [](const Arrays &a) { own_address<<<2, 128>>>(a.out, a.in, AddressOfPayload{3, 5}); }},
    {"no_address", [](const Arrays &a) { no_address<<<2, 128>>>(a.out, a.in, without_address::Wide{5}); }},
    {"converted", [](const Arrays &a) { converted<<<2, 128>>>(a.out, a.in, 5); }},
    {"of_template",
     [](const Arrays &a) {
       of_template<CountsCopies, 128><<<2, 128>>>(a.out, a.in, CountsCopies(5));
       of_template<CountsCopies, 131><<<2, 128>>>(a.out + 256, a.in, CountsCopies(5));
     }},
    {"overloaded",
     [](const Arrays &a) {
       overloaded<<<2, 128>>>(a.out, a.in, launch{1});
       overloaded<<<2, 128>>>(a.out + 256, a.in, view{2});
       overloaded<<<2, 128>>>(a.out + 512, a.in, names::facts::five);
     }},
    {"of_names", [](const Arrays &a) { of_names<float, 128><<<2, 128>>>(a.out, a.in, view{7}); }},
    {"by_address",
     [](const Arrays &a) {
       CountsCopies x(5);
       const float *in = a.in;
       float *out = a.out;
       void *arguments[] = {&out, &in, &x};
       // CHECK: [[@LINE+1]]:26: warning: this use of 'by_address' is no launch that tilelift can rewrite (it passes addresses of arguments, and a launcher would copy 'x' by a constructor): it keeps running the plain kernel [-Wtilelift-launch-not-lifted]
       cudaLaunchKernel(&by_address, 2, 128, arguments, 0, nullptr);
     }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
