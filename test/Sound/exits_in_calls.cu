// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %not 1 %tilelift --check --remarks %s -- -std=c++17 2>&1 | tee %t.txt | grep -c Wtilelift-lifted | grep -x 1
// RUN: grep -c "some threads of the block may not reach this copy: this statement may send some of them away" %t.txt | grep -x 8
//
// A thread ends ahead of the copy, in a call that stands nowhere in the text, or that is not followed: the block's other
// threads would wait for it, or for the barrier that it sets up. Nobody reads what it would have copied.
#include "Inputs/arrays.h"

struct Bound {
  float a;
};
__device__ void end_first() {
  if (threadIdx.x == 0) asm volatile("exit;");
}
template <int I> __device__ float get(const Bound &bound) {
  end_first();
  return bound.a;
}
namespace std {
template <class T> struct tuple_size;
template <> struct tuple_size<Bound> {
  static const int value = 1;
};
template <size_t I, class T> struct tuple_element;
template <size_t I> struct tuple_element<I, Bound> {
  using type = float;
};
} // namespace std

__device__ __noinline__ int end_below(int depth) {
  if (depth) return end_below(depth - 1) + 1;
  end_first();
  return 0;
}
__device__ void (*pointer)() = end_first;
struct Base {
  __device__ virtual void go() {}
};
struct Derived : Base {
  __device__ void go() override { end_first(); }
};
struct Ending {
  __device__ ~Ending() { end_first(); }
};
__device__ void stay() {}
__device__ void (*harmless)() = stay;

__device__ void use(float *out, const float *tile) { out[threadIdx.x] = tile[threadIdx.x ^ (threadIdx.x > 1)]; }
__device__ void copy(float *tile, const float *in, int at) {
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[at + threadIdx.x];
}

__global__ void by_a_binding(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  auto [part] = Bound{2};
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  use(out, tile);
}
__global__ void by_a_recursion(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  end_below(2);
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  use(out, tile);
}
__global__ void by_a_pointer(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  pointer();
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  use(out, tile);
}
__global__ void by_a_virtual_call(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  Derived derived;
  Base *base = &derived;
  base->go();
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  use(out, tile);
}
__global__ void at_the_end_of_a_scope(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  { Ending ending; }
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  use(out, tile);
}
__global__ void in_a_condition(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  if (end_below(2) == 2) {
#pragma tma load fallback(loop)
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    use(out, tile);
  }
}
__global__ void at_the_start_of_a_loop(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  for (int k = end_below(2) - 2; k < 2; ++k) {
#pragma tma load fallback(loop)
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    use(out, tile);
    __syncthreads();
  }
}
__global__ void in_an_argument(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  copy(tile, in, end_below(2) - 2);
  __syncthreads();
  use(out, tile);
}
// A call that is not followed may end threads, even if this one does not.
__global__ void by_a_harmless_pointer(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  harmless();
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  use(out, tile);
}
// Behind all copies, and what reads their tiles, threads may end as they like.
__global__ void behind_the_copy(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  use(out, tile);
  { Ending ending; }
  end_below(2);
}

#define CASE(kernel)                                                                                                   \
  { #kernel, [](const Arrays &a) { kernel<<<1, T>>>(a.out, a.in); } }
static const Case cases[] = {
    CASE(by_a_binding),           CASE(by_a_recursion),     CASE(by_a_pointer),
    CASE(by_a_virtual_call),      CASE(at_the_end_of_a_scope), CASE(in_a_condition),
    CASE(at_the_start_of_a_loop), CASE(in_an_argument),     CASE(by_a_harmless_pointer),
    CASE(behind_the_copy),
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
