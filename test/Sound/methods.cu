// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 26
//
// Methods read and write tiles, other shared memory, tensors and the variables that say what is copied: elements with
// methods, views, cursors, objects in shared memory, base classes, static methods. Some kernels are harmless: their
// methods touch nothing that a copy depends on.
#include "Inputs/arrays.h"

struct Cell {
  float v;
  __device__ void set(float x) { v = x; }
  __device__ float get() const { return v; }
  __device__ void add(float x) { v += x; }
};
struct View {
  float *p;
  __device__ void put(int i, float x) { p[i] = x; }
  __device__ float get(int i) const { return p[i]; }
  __device__ float &at(int i) { return p[i]; }
  __device__ View &chain(int i, float x) {
    p[i] = x;
    return *this;
  }
  __device__ void max(int i, float x) { p[i] = x; }
  static __device__ void write(float *to, int i, float x) { to[i] = x; }
};
struct ViewOfArray {
  float (&of)[T];
  __device__ void reverse(float x) const { of[T - 1 - threadIdx.x] = x; }
};
struct Derived : View {
  __device__ explicit Derived(float *q) : View{q} {}
  __device__ void both(int i, float x) { put(i, x), put(i + T, x + 1); }
};
struct Cursor {
  const float *p;
  __device__ void next(int by) { p += by; }
};
struct Pair {
  const float *a, *b;
  __device__ void flip() {
    const float *c = a;
    a = b, b = c;
  }
};
struct Limits {
  int n, from;
  __device__ void shrink(int by) { n -= by; }
  __device__ void shift(int by) { from += by; }
  __device__ int grown(int by) const { return n + by; }
};
struct Stats {
  float first, last;
  __device__ void note(float a, float b) { first = a, last = b; }
  __device__ float sum() const { return first + last; }
};
struct Grid {
  int w;
  __host__ __device__ int at(int r, int c) const { return r * w + c; }
};
struct Total {
  float sum = 0;
  __device__ void add(float x) { sum += x; }
  __device__ float get() const { return sum; }
};
struct Source {
  const float *data;
  int w;
  __device__ const float *row(int r) const { return data + r * w; }
};

__global__ void element_set_before_store(Cell *__restrict__ out, const Cell *__restrict__ in) {
  __shared__ alignas(128) Cell tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t].set(in[at + t].get());
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void element_added_to_between_rounds(Cell *__restrict__ out, const Cell *__restrict__ in, int n) {
  __shared__ alignas(128) Cell tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    tile[t ^ 5].add(k);
    __syncthreads();
    sum += tile[T - 1 - t].get();
    __syncthreads();
  }
  out[at + t].set(sum);
}

__global__ void other_elements_read_by_method(float *__restrict__ out, const Cell *__restrict__ in) {
  __shared__ alignas(128) Cell tile[T];
  __shared__ Cell other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t].set(t * 2);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1].get() + other[T - 1 - t].get();
}

__global__ void view_writes_tile_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  View view{tile};
  view.put(t ^ 7, in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void view_by_reference_member_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const ViewOfArray view{tile};
  view.reverse(in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void chained_methods_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 2 * T;
  View{tile}.chain(t, in[at + t]).chain(2 * T - 1 - t, 4);
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 2 * T; i += T) out[at + i] = tile[i];
}

__global__ void base_class_method_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 2 * T;
  Derived view(tile);
  view.both(T - 1 - t, in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 2 * T; i += T) out[at + i] = tile[i];
}

__global__ void shared_object_noted_by_one_thread(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ Stats stats;
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 5) stats.note(in[at], in[at + 9]);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + stats.sum();
}

__global__ void source_ahead_by_method(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  View view{buf + at};
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    view.put((k + 1) * 256 + t, sum);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void source_ahead_by_element_method(Cell *out, Cell *buf, int n) {
  __shared__ alignas(128) Cell tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t].get();
    buf[(k + 1) * 256 + at + t].add(sum);
    __syncthreads();
  }
  out[at + t].set(sum);
}

__global__ void method_named_max_writes_tile(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  View view{tile};
  view.max(T - 1 - t, in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void cursor_moves_unevenly(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Cursor cursor{in + at};
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = cursor.p[t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    cursor.next(k == 0 ? 640 : 128);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void pair_flips_each_round(float *__restrict__ out, const float *__restrict__ in,
                                      const float *__restrict__ more, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Pair pair{in, more};
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = pair.a[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    pair.flip();
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void limits_shrunk_before_guard(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Limits limits{n, 0};
  limits.shrink(40);
  limits.shift(128);
#pragma tma load fallback(loop)
  tile[t] = at + t < limits.n ? in[limits.from + at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void view_reads_tile_before_next_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[4][36];
  int t = threadIdx.x, at = blockIdx.x * T;
  const View view{&tile[0][0]};
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t / 32][t % 32] = in[k * 256 + at + t];
    __syncthreads();
    sum += view.get((3 - t / 32) * 36 + t % 32);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void target_read_by_method_after_store(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  __syncthreads();
  View to{buf};
  to.put(at + t, View{out}.get(at + T - 1 - t));
}

__global__ void static_method_before_reduce(float *__restrict__ buf, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  View::write(tile, t ^ 9, in[at + t]);
  __syncthreads();
#pragma tma reduce fallback(loop)
  atomicAdd(&buf[at + t], tile[t]);
}

// Harmless.
__global__ void grid_computes_index(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  Grid grid{w};
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = in[grid.at(blockIdx.x * 4 + t / 32, t % 32)];
  __syncthreads();
  out[at + t] = tile[3 - t / 32][31 - t % 32];
}

// Harmless.
__global__ void total_in_registers(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Total total;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    total.add(tile[T - 1 - t]);
    __syncthreads();
  }
  out[at + t] = total.get();
}

struct Stage {
  float (&tile)[T];
  __device__ void fetch(const float *__restrict__ from, int at) {
#pragma tma load fallback(loop)
    tile[threadIdx.x] = from[at + threadIdx.x];
  }
};
// Harmless.
__global__ void method_makes_the_copy(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Stage stage{tile};
  stage.fetch(in, at);
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void rows_from_an_argument_object(float *__restrict__ out, Source source, int n) {
  __shared__ alignas(128) float tile[2][64];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t / 64][t % 64] = source.row(k * 4 + blockIdx.x * 2 + t / 64)[t % 64];
    __syncthreads();
    sum += tile[1 - t / 64][63 - t % 64];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void const_method_of_limits(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Limits limits{n, 0};
#pragma tma load fallback(loop)
  tile[t] = at + t < n ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + limits.grown(3);
}

// Harmless.
__global__ void elements_set_and_read_by_owner(Cell *__restrict__ out, const Cell *__restrict__ in) {
  __shared__ alignas(128) Cell tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Cell mine = in[at + t + 256];
  mine.add(2);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  mine.add(tile[T - 1 - t].get());
  out[at + t] = mine;
}

__global__ void other_elements_set_by_method(float *__restrict__ out, const Cell *__restrict__ in) {
  __shared__ alignas(128) Cell tile[T];
  __shared__ Cell other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  other[T - 1 - t].set(t);
  __syncthreads();
  out[at + t] = tile[t ^ 1].v + other[t].v;
}

__global__ void ring_elements_added_to(float *__restrict__ out, const Cell *__restrict__ in, int n) {
  __shared__ alignas(128) Cell tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    tile[t ^ 1].add(k);
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t].v;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void element_set_right_after_store(Cell *__restrict__ out, const Cell *__restrict__ in) {
  __shared__ alignas(128) Cell tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t].v = in[at + t].v;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  tile[t].set(-5);
  __syncthreads();
  out[512 + at + t].v = tile[t ^ 1].v;
}

__global__ void source_element_set_before_load(Cell *__restrict__ out, Cell *__restrict__ buf) {
  __shared__ alignas(128) Cell tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  buf[at + (t ^ 1)].set(t);
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = buf[at + t];
  __syncthreads();
  out[at + t].v = tile[T - 1 - t].v;
}

// Within a lambda, members are those of the object around it, which it may change.
struct Shifted {
  const float *in;
  float *out;
  int n;
  __device__ void operator()() const {
    __shared__ alignas(128) float tile[T];
    const int off = blockIdx.x * T, t = threadIdx.x;
    auto copy = [&](int i) { tile[i] = off + i < n ? in[off + i] : 0.f; };
#pragma tma load fallback(loop)
    copy(t);
    __syncthreads();
    if (off + t < n)
      out[off + t] = tile[T - 1 - t];
  }
};
template <class Function> __global__ void members_in_a_lambda(Function function) { function(); }

static const Case cases[] = {
    {"members_in_a_lambda", [](const Arrays &a) { members_in_a_lambda<<<4, T>>>(Shifted{a.in, a.out, 350}); }},
    {"element_set_before_store",
     [](const Arrays &a) { element_set_before_store<<<2, T>>>((Cell *)a.out, (const Cell *)a.in); }},
    {"element_added_to_between_rounds",
     [](const Arrays &a) { element_added_to_between_rounds<<<2, T>>>((Cell *)a.out, (const Cell *)a.in, 3); }},
    {"other_elements_read_by_method",
     [](const Arrays &a) { other_elements_read_by_method<<<2, T>>>(a.out, (const Cell *)a.in); }},
    {"view_writes_tile_before_store", [](const Arrays &a) { view_writes_tile_before_store<<<2, T>>>(a.out, a.in); }},
    {"view_by_reference_member_before_store",
     [](const Arrays &a) { view_by_reference_member_before_store<<<2, T>>>(a.out, a.in); }},
    {"chained_methods_before_store", [](const Arrays &a) { chained_methods_before_store<<<2, T>>>(a.out, a.in); }},
    {"base_class_method_before_store", [](const Arrays &a) { base_class_method_before_store<<<2, T>>>(a.out, a.in); }},
    {"shared_object_noted_by_one_thread",
     [](const Arrays &a) { shared_object_noted_by_one_thread<<<2, T>>>(a.out, a.in); }},
    {"source_ahead_by_method", [](const Arrays &a) { source_ahead_by_method<<<2, T>>>(a.out, a.buf, 4); }},
    {"source_ahead_by_element_method",
     [](const Arrays &a) { source_ahead_by_element_method<<<2, T>>>((Cell *)a.out, (Cell *)a.buf, 4); }},
    {"method_named_max_writes_tile", [](const Arrays &a) { method_named_max_writes_tile<<<2, T>>>(a.out, a.in); }},
    {"cursor_moves_unevenly", [](const Arrays &a) { cursor_moves_unevenly<<<2, T>>>(a.out, a.in, 4); }},
    {"pair_flips_each_round", [](const Arrays &a) { pair_flips_each_round<<<2, T>>>(a.out, a.in, a.more, 4); }},
    {"limits_shrunk_before_guard", [](const Arrays &a) { limits_shrunk_before_guard<<<2, T>>>(a.out, a.in, 256); }},
    {"view_reads_tile_before_next_round",
     [](const Arrays &a) { view_reads_tile_before_next_round<<<2, T>>>(a.out, a.in, 3); }},
    {"target_read_by_method_after_store",
     [](const Arrays &a) { target_read_by_method_after_store<<<2, T>>>(a.out, a.buf, a.in); }},
    {"static_method_before_reduce", [](const Arrays &a) { static_method_before_reduce<<<2, T>>>(a.buf, a.in); }},
    {"grid_computes_index", [](const Arrays &a) { grid_computes_index<<<2, T>>>(a.out, a.in, 64); }},
    {"total_in_registers", [](const Arrays &a) { total_in_registers<<<2, T>>>(a.out, a.in, 4); }},
    {"method_makes_the_copy", [](const Arrays &a) { method_makes_the_copy<<<2, T>>>(a.out, a.in); }},
    {"rows_from_an_argument_object",
     [](const Arrays &a) { rows_from_an_argument_object<<<2, T>>>(a.out, Source{a.in,64}, 3); }},
    {"const_method_of_limits", [](const Arrays &a) { const_method_of_limits<<<2, T>>>(a.out, a.in, 200); }},
    {"elements_set_and_read_by_owner",
     [](const Arrays &a) { elements_set_and_read_by_owner<<<2, T>>>((Cell *)a.out, (const Cell *)a.in); }},
    {"other_elements_set_by_method",
     [](const Arrays &a) { other_elements_set_by_method<<<2, T>>>(a.out, (const Cell *)a.in); }},
    {"ring_elements_added_to", [](const Arrays &a) { ring_elements_added_to<<<2, T>>>(a.out, (const Cell *)a.in, 4); }},
    {"element_set_right_after_store",
     [](const Arrays &a) { element_set_right_after_store<<<2, T>>>((Cell *)a.out, (const Cell *)a.in); }},
    {"source_element_set_before_load",
     [](const Arrays &a) { source_element_set_before_load<<<2, T>>>((Cell *)a.out, (Cell *)a.buf); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
