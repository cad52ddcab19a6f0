// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 31
//
// Lambdas write and read what stands around a copy: by reference, by value, generic, mutable, nested, passed on to
// functions, called at once, with barriers in them, and with the copy itself in them. Some kernels are harmless: their
// lambdas compute in registers, or make a copy that nothing disturbs.
#include "Inputs/arrays.h"
#include <cstring>

template <class F> __device__ inline void apply(F f) { f(); }
template <class F> __device__ inline void apply_to(float *p, F &&f) { f(*p); }
template <class F> __device__ inline void for_each_of(int n, F f) {
  for (int i = threadIdx.x; i < n; i += T) f(i);
}
template <class F> __device__ inline float folded(int n, F f) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += f(i);
  return sum;
}
template <class F> struct AtEnd {
  F f;
  __device__ explicit AtEnd(F g) : f(g) {}
  __device__ ~AtEnd() { f(); }
};

__global__ void by_reference_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto put = [&](int i, float v) { tile[i] = v; };
  put(T - 1 - t, in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void pointer_by_value_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float *theirs = &tile[t ^ 33];
  auto put = [theirs](float v) { *theirs = v; };
  put(in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void captured_with_a_name_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto put = [to = tile + T - 1, t](float v) { to[-t] = v; };
  put(in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void generic_parameter_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto set = [](auto &to, auto v) { to = v; };
  set(tile[t ^ 1], in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void reference_result_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto cell = [&](int i) -> float & { return tile[i / 32][i % 32]; };
  cell(T - 1 - t) = in[at + t];
  ++cell(T - 1 - t);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t / 32][t % 32];
}

__global__ void called_at_once_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float had = [&] {
    tile[t ^ 2] = in[at + t];
    return in[at + (t ^ 2)];
  }();
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  out[512 + at + t] = had;
}

__global__ void passed_on_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 2 * T;
  for_each_of(2 * T, [&](int i) { tile[2 * T - 1 - i] = in[at + i]; });
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 2 * T; i += T) out[at + i] = tile[i];
}

__global__ void element_passed_on_before_reduce(float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  apply_to(tile + (t ^ 4), [=](float &f) { f = in[at + t]; });
  __syncthreads();
#pragma tma reduce fallback(loop)
  atomicAdd(&buf[at + t], tile[t]);
}

__global__ void source_ahead_in_a_lambda(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  auto hand_on = [&](int k) { buf[(k + 1) * 256 + at + t] = sum; };
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    hand_on(k);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void offset_moved_by_lambda(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, from = at;
  float sum = 0;
  auto step = [&](int k) { from += k == 1 ? 512 : 128; };
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[from + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    step(k);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void mutable_counter_says_where(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  auto next = [i = 0]() mutable { return i = i * 2 + 1; };
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
    int row = next();
#pragma tma load fallback(loop)
    tile[t] = in[row * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void other_array_read_in_a_fold(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  apply([&] { other[t] = t; });
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1] + folded(4, [&](int i) { return other[(t + i * 32) % T]; });
}

__global__ void tile_read_in_a_fold_before_next_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  auto read = [&](int i) { return tile[(t + i) % T]; };
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += folded(3, read);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void captured_element_outlives_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto mine = [p = &tile[T - 1 - t]] { return *p; };
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + mine();
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void barrier_in_a_lambda(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  auto meet = [] { __syncthreads(); };
  for (int k = 0; k < n; ++k) {
    other[t] = k * t;
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    meet();
    sum += tile[T - 1 - t] + other[T - 1 - t];
    meet();
  }
  out[at + t] = sum;
}

__global__ void lambda_at_end_of_scope_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto put = [&] { tile[t ^ 3] = in[at + t]; };
  {
    AtEnd<decltype(put)> end(put);
  }
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void target_read_in_a_lambda_after_store(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto seen = [=](int i) { return out[at + i]; };
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  __syncthreads();
  buf[at + t] = seen(T - 1 - t);
}

__global__ void nested_lambda_before_load(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto outer = [&](int i) {
    auto inner = [&] { return tile[i] = i; };
    return inner() + 1;
  };
  float v = outer(T - 1 - t);
  __syncthreads();
  v += tile[t];
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + v;
}

__global__ void return_in_a_lambda_only_leaves_it(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto some = [&] {
    if (t > 40) return;
    tile[T - 1 - t] = 99;
  };
  tile[t] = in[at + t];
  __syncthreads();
  some();
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

// Harmless.
__global__ void lambda_in_registers(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  auto mixed = [](float a, float b) { return 2 * a + b; };
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = mixed(sum, tile[T - 1 - t]);
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void index_from_a_lambda(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto index = [w](int r, int c) { return r * w + c; };
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = in[index(blockIdx.x * 4 + t / 32, t % 32)];
  __syncthreads();
  out[at + t] = tile[3 - t / 32][t % 32];
}

// Harmless.
__global__ void copy_in_a_lambda(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  auto fetch = [&](int k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
  };
  for (int k = 0; k < n; ++k) {
    fetch(k);
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void accumulates_by_reference(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  auto add = [&sum](float v) { sum += v; };
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  for (int i = 0; i < 4; ++i) add(tile[(t + 32 * i) % T]);
  out[at + t] = sum;
}

// Harmless.
__global__ void values_from_a_lambda_stored(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto value = [=](int i) { return in[at + i] + in[at + i + 1]; };
  tile[t] = value(t);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

// One text, two calls in a row: who waits for the first must not miss its phase.
__global__ void loaded_by_two_calls(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, b = blockIdx.x;
  auto copy = [&](int which) {
#pragma tma load
    tile[which][t] = in[(2 * b + which) * T + t];
  };
  copy(0), copy(1);
  __syncthreads();
  out[b * T + t] = tile[0][T - 1 - t] + tile[1][(t + 1) % T];
}
__global__ void stored_by_two_calls(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, b = blockIdx.x;
  tile[0][t] = in[b * T + (t ^ 1)];
  tile[1][t] = in[b * T + (t ^ 2)];
  __syncthreads();
  auto store = [&](int which) {
#pragma tma store
    out[(2 * b + which) * T + t] = tile[which][t];
  };
  store(0);
  store(1);
  __syncthreads();
  tile[1][t] = 0;
}

struct Sum { float x; };
__device__ Sum operator+(Sum a, Sum b) { return {a.x + b.x}; }
// Which '+' it is depends on 'y'; what is const is not changed by any.
__global__ void constant_in_a_generic_lambda(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  const int t = threadIdx.x;
#pragma tma load
  tile[t] = in[blockIdx.x * T + t];
  __syncthreads();
  float sum = 0;
  auto add = [&](auto y) { sum += tile[(t + y) % T]; };
  add(1);
  out[blockIdx.x * T + t] = sum;
}

// Lambdas of methods capture the object.
struct Shifted {
  const float *in;
  float *out;
  int shift;
  __device__ void copied_in_a_lambda(float *tile) const {
    auto copy = [this](float *to) {
#pragma tma load
      for (int i = threadIdx.x; i < T; i += T) to[i] = in[(blockIdx.x + shift) * T + i];
    };
    copy(tile);
  }
  __device__ int place(int i) const {
    auto at = [this](int i) { return (int(blockIdx.x) + shift) * T + i; };
    return at(i);
  }
  __device__ int place_without_const(int i) {
    auto at = [=](int i) { return (int(blockIdx.x) + shift) * T + i; };
    return at(i);
  }
  __device__ void move() {
    auto add = [this] { shift += 1; };
    add();
  }
  __device__ void move_by_reference() {
    auto add = [this]() -> int & { return shift; };
    add() += 1;
  }
  __device__ auto mover() {
    return [this] { shift += 1; };
  }
};
__global__ void copy_in_a_lambda_of_a_method(Shifted s) {
  __shared__ alignas(128) float tile[T];
  s.copied_in_a_lambda(tile);
  __syncthreads();
  s.out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x];
}
__global__ void place_from_a_lambda_of_a_method(Shifted s) {
  __shared__ alignas(128) float tile[T], more[T];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i] = s.in[s.place(i)];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) more[i] = s.in[s.place_without_const(i) + T];
  __syncthreads();
  s.out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + more[threadIdx.x];
}
template <class Move> __device__ void moved(Shifted s, Move move) {
  __shared__ alignas(128) float tile[T];
  move(s);
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < T; i += T) tile[i] = s.in[s.place(i)];
  __syncthreads();
  s.out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x];
}
__global__ void object_moved_in_a_lambda(Shifted s) {
  moved(s, [](Shifted &s) { s.move(); });
}
__global__ void object_moved_by_reference_from_a_lambda(Shifted s) {
  moved(s, [](Shifted &s) { s.move_by_reference(); });
}
__global__ void object_moved_by_a_lambda_that_is_kept(Shifted s) {
  __shared__ alignas(128) float tile[T];
  auto move = s.mover();
  move(), move();
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < T; i += T) tile[i] = s.in[s.place(i)];
  __syncthreads();
  s.out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x];
}

// In the pattern of a generic lambda, `*` may be any operator, which could change its operands.
struct Other {};
__device__ inline Other operator*(Other a, Other) { return a; }
__device__ inline void operator+=(Other, Other) {}
__global__ void product_in_a_generic_lambda(float *out, const float *in, int pitch) {
  __shared__ alignas(128) float tile[4][32];
  auto row = [&](auto r) { return in + r * pitch; };
#pragma tma load
  for (int r = 0; r < 4; ++r)
    if (threadIdx.x < 32) tile[r][threadIdx.x] = row(r)[blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[3 - threadIdx.x / 32][31 - threadIdx.x % 32];
}
__global__ void sum_in_a_generic_lambda(float *out, const float *in, int pitch) {
  __shared__ alignas(128) float tile[4][32];
  auto more = [&](auto by) { pitch += by; };
  more(int(blockIdx.x) * 4);
#pragma tma load fallback(loop)
  for (int r = 0; r < 4; ++r)
    if (threadIdx.x < 32) tile[r][threadIdx.x] = in[r * pitch + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[3 - threadIdx.x / 32][31 - threadIdx.x % 32];
}

// A lambda's copy of a variable is what the variable is, as long as nobody changes that behind it.
__global__ void copies_of_a_counter(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T];
  float sum = 0;
  n += 1;
  auto scaled = [n](float x) { return x * n; };
  for (int k = 0; k < n; ++k) {
    auto place = [=](int i) { return (blockIdx.x * 4 + k) * T + i; };
#pragma tma load
    for (int i = threadIdx.x; i < T; i += T) tile[i] = in[place(i)];
    __syncthreads();
    sum += [k](float x) { return x * k; }(tile[T - 1 - threadIdx.x]) + scaled(tile[threadIdx.x]);
    unsigned char low;
    __builtin_memcpy(&low, &k, 1);
    sum += low;
    __syncthreads();
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}
__global__ void copy_of_an_old_value(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T];
  auto place = [n](int i) { return (blockIdx.x + n) * T + i; };
  n += 1;
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[place(i)];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + n;
}
__global__ void copy_that_changes_itself(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T];
  auto next = [n]() mutable { return n += 1; };
  next();
  const int place = next();
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[place * T + i];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + n;
}
__global__ void copy_behind_a_kept_address(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T];
  int m = 0;
  int *of = (int *)memcpy(&m, &n, sizeof n);
  *of += 1;
#pragma tma load fallback(loop)
  for (int i = threadIdx.x; i < T; i += T) tile[i] = in[m * T + i];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + n;
}

// Which variables a lambda may change does not depend on what its other references are bound to.
__global__ void counter_beside_a_reference(float *out, const float *in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[(blockIdx.x * 4 + k) * T + threadIdx.x];
    __syncthreads();
    [&, &own = tile[threadIdx.x]] { own = own * 2 + k; }();
    __syncthreads();
    sum = sum * 2 + tile[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}
__global__ void counter_by_a_reference(float *out, const float *in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[threadIdx.x] = in[(blockIdx.x * 4 + k) * T + threadIdx.x];
    __syncthreads();
    sum = sum * 2 + tile[T - 1 - threadIdx.x];
    __syncthreads();
    [&, &own = k] { own += threadIdx.x < T; }();
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}

static const Case cases[] = {
    {"loaded_by_two_calls", [](const Arrays &a) { loaded_by_two_calls<<<2, T>>>(a.out, a.in); }},
    {"stored_by_two_calls", [](const Arrays &a) { stored_by_two_calls<<<2, T>>>(a.out, a.in); }},
    {"by_reference_before_store", [](const Arrays &a) { by_reference_before_store<<<2, T>>>(a.out, a.in); }},
    {"pointer_by_value_before_store", [](const Arrays &a) { pointer_by_value_before_store<<<2, T>>>(a.out, a.in); }},
    {"captured_with_a_name_before_store",
     [](const Arrays &a) { captured_with_a_name_before_store<<<2, T>>>(a.out, a.in); }},
    {"generic_parameter_before_store", [](const Arrays &a) { generic_parameter_before_store<<<2, T>>>(a.out, a.in); }},
    {"reference_result_before_store", [](const Arrays &a) { reference_result_before_store<<<2, T>>>(a.out, a.in); }},
    {"called_at_once_before_store", [](const Arrays &a) { called_at_once_before_store<<<2, T>>>(a.out, a.in); }},
    {"passed_on_before_store", [](const Arrays &a) { passed_on_before_store<<<2, T>>>(a.out, a.in); }},
    {"element_passed_on_before_reduce",
     [](const Arrays &a) { element_passed_on_before_reduce<<<2, T>>>(a.buf, a.in); }},
    {"source_ahead_in_a_lambda", [](const Arrays &a) { source_ahead_in_a_lambda<<<2, T>>>(a.out, a.buf, 4); }},
    {"offset_moved_by_lambda", [](const Arrays &a) { offset_moved_by_lambda<<<2, T>>>(a.out, a.in, 4); }},
    {"mutable_counter_says_where", [](const Arrays &a) { mutable_counter_says_where<<<2, T>>>(a.out, a.in, 4); }},
    {"other_array_read_in_a_fold", [](const Arrays &a) { other_array_read_in_a_fold<<<2, T>>>(a.out, a.in); }},
    {"tile_read_in_a_fold_before_next_round",
     [](const Arrays &a) { tile_read_in_a_fold_before_next_round<<<2, T>>>(a.out, a.in, 3); }},
    {"captured_element_outlives_round",
     [](const Arrays &a) { captured_element_outlives_round<<<2, T>>>(a.out, a.in, 4); }},
    {"barrier_in_a_lambda", [](const Arrays &a) { barrier_in_a_lambda<<<2, T>>>(a.out, a.in, 3); }},
    {"lambda_at_end_of_scope_before_store",
     [](const Arrays &a) { lambda_at_end_of_scope_before_store<<<2, T>>>(a.out, a.in); }},
    {"target_read_in_a_lambda_after_store",
     [](const Arrays &a) { target_read_in_a_lambda_after_store<<<2, T>>>(a.out, a.buf, a.in); }},
    {"nested_lambda_before_load", [](const Arrays &a) { nested_lambda_before_load<<<2, T>>>(a.out, a.in); }},
    {"return_in_a_lambda_only_leaves_it",
     [](const Arrays &a) { return_in_a_lambda_only_leaves_it<<<2, T>>>(a.out, a.in); }},
    {"lambda_in_registers", [](const Arrays &a) { lambda_in_registers<<<2, T>>>(a.out, a.in, 4); }},
    {"index_from_a_lambda", [](const Arrays &a) { index_from_a_lambda<<<2, T>>>(a.out, a.in, 64); }},
    {"copy_in_a_lambda", [](const Arrays &a) { copy_in_a_lambda<<<2, T>>>(a.out, a.in, 3); }},
    {"accumulates_by_reference", [](const Arrays &a) { accumulates_by_reference<<<2, T>>>(a.out, a.in); }},
    {"constant_in_a_generic_lambda", [](const Arrays &a) { constant_in_a_generic_lambda<<<2, T>>>(a.out, a.in); }},
    {"values_from_a_lambda_stored", [](const Arrays &a) { values_from_a_lambda_stored<<<2, T>>>(a.out, a.in); }},
    {"copy_in_a_lambda_of_a_method", [](const Arrays &a) { copy_in_a_lambda_of_a_method<<<2, T>>>({a.in, a.out, 1}); }},
    {"place_from_a_lambda_of_a_method",
     [](const Arrays &a) { place_from_a_lambda_of_a_method<<<2, T>>>({a.in, a.out, 1}); }},
    {"object_moved_in_a_lambda", [](const Arrays &a) { object_moved_in_a_lambda<<<2, T>>>({a.in, a.out, 0}); }},
    {"object_moved_by_reference_from_a_lambda",
     [](const Arrays &a) { object_moved_by_reference_from_a_lambda<<<2, T>>>({a.in, a.out, 0}); }},
    {"object_moved_by_a_lambda_that_is_kept",
     [](const Arrays &a) { object_moved_by_a_lambda_that_is_kept<<<2, T>>>({a.in, a.out, 0}); }},
    {"product_in_a_generic_lambda", [](const Arrays &a) { product_in_a_generic_lambda<<<2, T>>>(a.out, a.in, 64); }},
    {"sum_in_a_generic_lambda", [](const Arrays &a) { sum_in_a_generic_lambda<<<2, T>>>(a.out, a.in, 64); }},
    {"copies_of_a_counter", [](const Arrays &a) { copies_of_a_counter<<<2, T>>>(a.out, a.in, 2); }},
    {"copy_of_an_old_value", [](const Arrays &a) { copy_of_an_old_value<<<2, T>>>(a.out, a.in, 2); }},
    {"copy_that_changes_itself", [](const Arrays &a) { copy_that_changes_itself<<<2, T>>>(a.out, a.in, 2); }},
    {"counter_beside_a_reference", [](const Arrays &a) { counter_beside_a_reference<<<2, T>>>(a.out, a.in, 4); }},
    {"counter_by_a_reference", [](const Arrays &a) { counter_by_a_reference<<<2, T>>>(a.out, a.in, 4); }},
    {"copy_behind_a_kept_address", [](const Arrays &a) { copy_behind_a_kept_address<<<2, T>>>(a.out, a.in, 2); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
