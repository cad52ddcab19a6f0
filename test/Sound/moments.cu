// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++20 %s
// RUN: %not 1 %tilelift --check %s -- -std=c++20 2>&1 | %FileCheck %s
//
// Values that go by one name and are several: of a variable in two loops, of arguments of a pack, of members of several
// bases, of variable templates; and objects that methods, constructors and references change, or only read.
#include "Inputs/arrays.h"

// A variable has one value where a loop begins its rounds, and another one where a loop inside does.
__global__ void in_two_loops(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
  int m; int c = n;
  for (int r = 0; r < 3; ++r) {
    m = c;
    while (c > 1) {
#pragma tma load
      tile[t] = in[m * T + t];
      __syncthreads();
      s = 2 * s + tile[T - 1 - t];
      __syncthreads();
      --c;
    }
    c = m + 1 + r * r;
  }
  out[t] = s;
}
__global__ void in_uneven_rounds(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
  int m; int c = n;
  for (int r = 0; r < 3; ++r) {
    m = c;
    while (c > 1) {
#pragma tma load
      tile[t] = in[m * T + t];
      __syncthreads();
      s = 2 * s + tile[T - 1 - t];
      __syncthreads();
      c = c * 2 / 3;
    }
    c = m + 1 + r * r;
  }
  out[t] = s;
}
// What is computed from the two, and what is looked up by them, is written alike and is not the same.
__global__ void computed_alike(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
  int c = n;
  for (int r = 0; r < 3; ++r) {
    int m = c;
    while (c > 1) {
#pragma tma load
      tile[t] = in[(m / 2 - c / 2) * T + t];
      __syncthreads();
      s = 2 * s + tile[T - 1 - t];
      __syncthreads();
      --c;
    }
    c = m + 1 + r * r;
  }
  out[t] = s;
}
__global__ void looked_up_alike(float *out, const float *in, const int *at, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
  int c = n;
  for (int r = 0; r < 3; ++r) {
    int m = c;
    while (c > 1) {
// CHECK: warning: this copy stays a plain loop: the copy needs the value of '((at[c] - at[c]) & 7)'
#pragma tma load fallback(loop)
      tile[t] = in[((at[m] - at[c]) & 7) * T + t];
      __syncthreads();
      s = 2 * s + tile[T - 1 - t];
      __syncthreads();
      --c;
    }
    c = m + 1 + r * r;
  }
  out[t] = s;
}
// What a condition leaves in a variable without a sign.
__global__ void down_to_zero(float *out, const float *in, unsigned n) {
  __shared__ alignas(128) float tile[T], other[T]; int t = threadIdx.x; float s = 0;
  for (unsigned k = n; k-- > 0;) {
#pragma tma load
    tile[t] = in[k * T + t];
    __syncthreads();
    s = 2 * s + tile[T - 1 - t];
    __syncthreads();
  }
  while (n--) {
#pragma tma load
    other[t] = in[n * T + t];
    __syncthreads();
    s = s / 2 + other[T - 1 - t];
    __syncthreads();
  }
  out[t] = s;
}
__global__ void added_to_itself(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0; int i = 0;
#pragma tma pipeline stages(3)
  while (i < n) {
#pragma tma load
    tile[t] = in[i * T + t];
    __syncthreads();
    s = 2 * s + tile[T - 1 - t];
    __syncthreads();
    i = i + 2;
  }
  out[t] = s;
}

template <typename... I> __global__ void of_a_pack(float *out, const float *in, I... n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; int at = (n - ...);
#pragma tma load
  tile[t] = in[at * T + t];
  __syncthreads();
  out[t] = tile[T - 1 - t];
}
struct Base { int n; };
struct Left : Base {};
struct Right : Base {};
struct Both : Left, Right {};
struct Hiding : Base { int n; };
__global__ void of_bases(float *out, const float *in, Both both, Hiding hiding) {
  __shared__ alignas(128) float tile[T], other[T], own[T]; int t = threadIdx.x;
#pragma tma load fallback(loop)
  tile[t] = in[(both.Left::n - both.Right::n) * T + t];
#pragma tma load fallback(loop)
  other[t] = in[hiding.Base::n * T + t];
#pragma tma load
  own[t] = in[hiding.n * T + t];
  __syncthreads();
  out[t] = tile[T - 1 - t] + 3 * other[T - 1 - t] + 5 * own[T - 1 - t];
}
template <int I> __device__ int place = I * 2;
namespace { __device__ int first = 3; }
#ifdef __clang__ // nvcc has no such members
class Kept {
  static __device__ int at;
 public:
  static __device__ void copy(float *tile, const float *in) {
// CHECK: warning: this copy stays a plain loop: the address of this load is not followed: it is a member that its class keeps to itself
#pragma tma load fallback(loop)
    tile[threadIdx.x] = in[at * T + threadIdx.x];
  }
};
__device__ int Kept::at = 2;
#else
struct Kept { static __device__ void copy(float *tile, const float *in) { tile[threadIdx.x] = in[2 * T + threadIdx.x]; } };
#endif
__global__ void of_device_variables(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T], other[T], kept[T]; int t = threadIdx.x, first = n;
// CHECK: warning: this copy stays a plain loop: the address of this load is not followed: it is a specialization of the variable template 'place'
#pragma tma load fallback(loop)
  tile[t] = in[(place<2> - place<1>) * T + t];
#pragma tma load
  other[t] = in[::first * T + t];
  Kept::copy(kept, in);
  __syncthreads();
  out[t] = tile[T - 1 - t] + 3 * other[T - 1 - t] + 5 * kept[T - 1 - t] + first;
}

// Objects whose methods only read, and objects that know their own address.
struct Matrix {
  const float *p; int w;
  __device__ Matrix(const float *p, int w) : p(p), w(w) {}
  __device__ const float &operator()(int r, int c) { return p[r * w + c]; }
};
struct Counter {
  int v, steps[4];
  __device__ Counter(int v) : v(v), steps{0, 1, 2, 3} {}
  __device__ int &operator[](int i) { return steps[i]; }
  __device__ Counter &self() { return *this; }
  __device__ int read() { return v; }
  __device__ void move() { ++v; }
};
struct Pointing {
  int v; int *p;
  __device__ Pointing(int v) : v(v), p(&this->v) {}
  __device__ void move() const { *p += 1; }
};
struct Linked {
  int v; int *p = &v;
  __device__ void link() { p = &v; }
};
__global__ void only_read(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
  Matrix a(in, T);
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = a(k, t);
    __syncthreads();
    s = 2 * s + tile[T - 1 - t] + a(k, 5);
    __syncthreads();
  }
  out[t] = s;
}
__global__ void changed_by_methods(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T], other[T]; int t = threadIdx.x; float s = 0;
  Counter a(0), b(0), c(0);
  int &kept = c[2];
  for (int k = 0; k < n; ++k) {
// CHECK: warning: this copy stays a plain loop: the address of this load is not followed: it depends on 'a', which may be changed through a pointer, a reference or a lambda
#pragma tma load fallback(loop)
    tile[t] = in[(a.read() + b.steps[1]) * T + t];
// CHECK: warning: this copy stays a plain loop: the address of this load is not followed: it depends on 'c', which may be changed through a pointer, a reference or a lambda
#pragma tma load fallback(loop)
    other[t] = in[c.steps[2] * T + t];
    __syncthreads();
    s = 2 * s + tile[T - 1 - t] + other[T - 1 - t];
    a.self().move();
    b[1] += 1;
    kept ^= 1;
    __syncthreads();
  }
  out[t] = s;
}
__global__ void known_to_themselves(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T], other[T], third[T]; int t = threadIdx.x; float s = 0;
  Pointing a(0); Linked b{0}, c{0, nullptr};
  c.link();
  for (int k = 0; k < n; ++k) {
// CHECK: warning: this copy stays a plain loop: the address of this load is not followed: it depends on 'a', which may be changed through a pointer, a reference or a lambda
#pragma tma load fallback(loop)
    tile[t] = in[a.v * T + t];
// CHECK: warning: this copy stays a plain loop: the address of this load is not followed: it depends on 'b', which may be changed through a pointer, a reference or a lambda
#pragma tma load fallback(loop)
    other[t] = in[b.v * T + t];
// CHECK: warning: this copy stays a plain loop: the address of this load is not followed: it depends on 'c', which may be changed through a pointer, a reference or a lambda
#pragma tma load fallback(loop)
    third[t] = in[c.v * T + t];
    __syncthreads();
    s = 2 * s + tile[T - 1 - t] + other[T - 1 - t] + third[t];
    a.move();
    *b.p += 1;
    *c.p += 2;
    __syncthreads();
  }
  out[t] = s;
}
// The default initialiser of a member reads what the round writes; the loop's condition does not.
__shared__ float global_row[T];
struct Defaulted { float a = global_row[threadIdx.x ^ 2], b; };
__global__ void default_initialisers(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[t] = in[k * T + t];
    global_row[t] = k;
    __syncthreads();
    Defaulted d{.b = 2};
    s = 2 * s + tile[T - 1 - t] + d.a;
    __syncthreads();
  }
  out[t] = s;
}
// An array of addresses whose initialiser is constant.
__global__ void rows_by_address(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[4][32]; int t = threadIdx.x;
  float *rows[4] = {tile[0], tile[1], tile[2], tile[3]};
#pragma tma load
  tile[t / 32][t % 32] = in[n * T + t];
  __syncthreads();
  out[t] = rows[(t + n) % 4][t / 4];
}
// Rows that are looked up ahead of the copy, as attention does by pages.
__global__ void by_pages(float *out, const float *__restrict__ in, const int *__restrict__ pages, int n) {
  __shared__ alignas(128) float tile[T]; int t = threadIdx.x; float s = 0;
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
    const int page = pages[k] % 8;
#pragma tma load
    tile[t] = in[page * T + t];
    __syncthreads();
    s = s / 2 + tile[T - 1 - t];
    __syncthreads();
  }
  out[t] = s;
}

#define CASE(kernel) {#kernel, [](const Arrays &a) { kernel<<<1, T>>>(a.out, a.in, 5); }}
// What an argument is made behind the copy does not matter to the copy.
__global__ void set_behind(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T];
  if (n > 3)
    n -= 1;
#pragma tma load
  tile[threadIdx.x] = in[(blockIdx.x + n) * T + threadIdx.x];
  n = 8;
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + n;
}

// Each thread reads what it has written itself, in the same round: Clang would read it ahead of the rounds, too.
__global__ void own_element(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  float sum = 0;
  for (int r = 0; r < n; ++r) {
#pragma tma load
    for (int i = threadIdx.x; i < T; i += T) tile[i] = in[r * T + i];
    sum = sum * 2 + tile[threadIdx.x];
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}

static const Case cases[] = {
    {"own_element", [](const Arrays &a) { own_element<<<4, T>>>(a.out, a.in, 5); }},
    {"set_behind", [](const Arrays &a) { set_behind<<<4, T>>>(a.out, a.in, 5); }},
    CASE(in_two_loops), CASE(in_uneven_rounds), CASE(computed_alike), CASE(down_to_zero), CASE(added_to_itself), CASE(of_device_variables),
    CASE(only_read), CASE(changed_by_methods), CASE(known_to_themselves), CASE(default_initialisers),
    CASE(rows_by_address),
    {"looked_up_alike", [](const Arrays &a) { looked_up_alike<<<1, T>>>(a.out, a.in, a.ints, 5); }},
    {"of_a_pack", [](const Arrays &a) { of_a_pack<<<1, T>>>(a.out, a.in, 7, 4); }},
    {"of_bases", [](const Arrays &a) {
       Both both; both.Left::n = 5; both.Right::n = 3;
       Hiding hiding; hiding.Base::n = 4; hiding.n = 6;
       of_bases<<<1, T>>>(a.out, a.in, both, hiding);
     }},
    {"by_pages", [](const Arrays &a) { by_pages<<<1, T>>>(a.out, a.in, a.ints, 5); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
