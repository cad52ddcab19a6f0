// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++17 %s
//
// What a copy reads is written between its load and its store: by a pointer that comes out of an array, a copied
// argument or a number that keeps its bits, as another type, by assembly, by another block, or within the statement
// that loads. In each of these kernels the tile has to get what was loaded before.
#include "Inputs/arrays.h"
#include <new>

__device__ inline unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// The two subscripts are equal, which only the launch tells, and name one pointer.
struct Two {
  float *__restrict__ p[2];
};
__global__ void pointer_by_a_number_of_an_array(float *__restrict__ out, Two two, int w) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = two.p[0][at + t];
  two.p[w][at + t] = -7;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// A local copy of the argument has the same pointer.
struct Place {
  float *__restrict__ p;
  int offsets[4];
};
__global__ void pointer_of_a_copied_argument(float *__restrict__ out, Place place, int w) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Place own = place;
  float v = place.p[at + t];
  own.p[at + t + own.offsets[w]] = -7;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// The whole argument is kept in shared memory, with its pointer.
struct Counted {
  float *__restrict__ p;
  size_t n;
};
__global__ void argument_kept_in_shared_memory(float *__restrict__ out, Counted one) {
  __shared__ float tile[T];
  __shared__ Counted kept;
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 0) kept = one;
  __syncthreads();
  float v = one.p[at + t];
  kept.p[at + t] = -7;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// Each block keeps the argument in a variable of the device.
__device__ Counted kept_on_the_device[2];
__global__ void argument_kept_on_the_device(float *__restrict__ out, Counted one) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 0) kept_on_the_device[blockIdx.x] = one;
  __syncthreads();
  float v = one.p[at + t];
  kept_on_the_device[blockIdx.x].p[at + t] = -7;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// The bits of an address are kept as a floating-point number.
__global__ void address_kept_in_a_double(float *__restrict__ out, float *__restrict__ in, float *__restrict__ other,
                                         int w) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  double kept[2];
  kept[0] = __builtin_bit_cast(double, (long long)in);
  kept[1] = __builtin_bit_cast(double, (long long)other);
  float v = in[at + t];
  float *same = (float *)__builtin_bit_cast(long long, kept[w]);
  same[at + t] = -7;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// One statement reads an element and then overwrites it.
__global__ void element_read_and_overwritten_in_one_statement(float *__restrict__ out, float *__restrict__ in, int w) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float kept[2], v;
  kept[1 - w] = 0;
  (v = in[at + t], in[at + t] = -7, kept[w] = v);
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5] + kept[1 - w];
}

// The same happens in a function that the statement calls.
__device__ inline float taken(float &place) {
  float v = place;
  place = -7;
  return v;
}
__global__ void element_taken_in_one_statement(float *__restrict__ out, float *__restrict__ in, int w) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float kept[2], v;
  kept[1 - w] = 0;
  (v = taken(in[at + t]), kept[w] = v);
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5] + kept[1 - w];
}

// What the member points to may alias any other type.
typedef int __attribute__((may_alias)) any_int;
struct Views {
  const float *floats;
  any_int *words;
};
__global__ void written_by_an_alias_in_a_struct(float *__restrict__ out, Views views) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = views.floats[at + t];
  views.words[at + t] = 5;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// An int is constructed where a float was, and ends its life.
__global__ void another_object_in_its_place(float *__restrict__ out, float *in, int *same) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = in[at + t];
  new (same + at + t) int(5);
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// The assembly loads a pointer and stores to where it leads.
__global__ void assembly_follows_a_pointer(float *__restrict__ out, float *__restrict__ in, float **places) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = in[at + t];
  places[at + t] = in + at + t;
  asm volatile("{ .reg .u64 a; ld.global.u64 a, [%0]; st.global.f32 [a], %1; }" ::"l"(places + at + t), "f"(-7.f)
               : "memory");
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// The instruction that keeps the pointer is written without blanks.
__global__ void pointer_kept_by_assembly_without_blanks(float *__restrict__ out, float *__restrict__ in) {
  __shared__ float tile[T];
  __shared__ float *kept[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  asm volatile("st.shared.u64[%0],%1;" ::"r"(shared_address(&kept[t])), "l"(in) : "memory");
  float v = in[at + t];
  kept[t][at + t] = -7;
  __syncthreads();
#pragma tma load fallback(loop)
  tile[t] = v;
  __syncthreads();
  out[at + t] = tile[t ^ 5];
}

// Two blocks of a cluster tell each other by barriers in memory when to go on: one has loaded, the other has written.
__device__ inline void arrive_at(unsigned long long *barrier, unsigned rank) {
  asm volatile("{ .reg .b32 r; mapa.shared::cluster.u32 r, %0, %1; "
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r]; }" ::"r"(shared_address(barrier)),
               "r"(rank)
               : "memory");
}
__device__ inline void wait_at(unsigned long long *barrier) {
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(barrier))
                 : "memory");
}
__global__ void __cluster_dims__(2, 1, 1) written_by_the_other_block(float *__restrict__ out, float *__restrict__ in) {
  __shared__ float tile[T];
  __shared__ unsigned long long barrier;
  int t = threadIdx.x;
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  if (blockIdx.x == 1) {
    wait_at(&barrier);
    in[t] = -7;
    arrive_at(&barrier, 0);
  } else {
    float v = in[t];
    arrive_at(&barrier, 1);
    wait_at(&barrier);
#pragma tma load fallback(loop)
    tile[t] = v;
    __syncthreads();
    out[t] = tile[t ^ 5];
  }
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

float **table_of_places() {
  static float **places = nullptr;
  if (!places) cudaMalloc(&places, 2 * T * sizeof *places);
  return places;
}

// Two statements have one place in the source, as those of generated code may.
__global__ void copy_on_the_line_of_another_statement(float *__restrict__ out, float *__restrict__ in) {
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float v = in[at + t];
  in[at + t] = -7;
  __syncthreads();
#pragma tma load fallback(loop)
#line 2000
  tile[t] = v;
#line 2010
  __syncthreads();
  out[at + t] = tile[t ^ 5];
  __syncthreads();
#line 2000
  tile[t] = v;
#line 2020
  __syncthreads();
  out[at + t] += tile[t ^ 5];
}

static const Case cases[] = {
    {"pointer_by_a_number_of_an_array",
     [](const Arrays &a) { pointer_by_a_number_of_an_array<<<2, T>>>(a.out, Two{{a.in, a.more}}, 0); }},
    {"pointer_of_a_copied_argument",
     [](const Arrays &a) { pointer_of_a_copied_argument<<<2, T>>>(a.out, Place{a.in, {}}, 1); }},
    {"argument_kept_in_shared_memory",
     [](const Arrays &a) { argument_kept_in_shared_memory<<<2, T>>>(a.out, Counted{a.in, 1}); }},
    {"argument_kept_on_the_device",
     [](const Arrays &a) { argument_kept_on_the_device<<<2, T>>>(a.out, Counted{a.in, 1}); }},
    {"address_kept_in_a_double", [](const Arrays &a) { address_kept_in_a_double<<<2, T>>>(a.out, a.in, a.more, 0); }},
    {"element_read_and_overwritten_in_one_statement",
     [](const Arrays &a) { element_read_and_overwritten_in_one_statement<<<2, T>>>(a.out, a.in, 0); }},
    {"element_taken_in_one_statement",
     [](const Arrays &a) { element_taken_in_one_statement<<<2, T>>>(a.out, a.in, 0); }},
    {"written_by_an_alias_in_a_struct",
     [](const Arrays &a) { written_by_an_alias_in_a_struct<<<2, T>>>(a.out, Views{a.in, (any_int *)a.in}); }},
    {"another_object_in_its_place",
     [](const Arrays &a) { another_object_in_its_place<<<2, T>>>(a.out, a.in, (int *)a.in); }},
    {"assembly_follows_a_pointer",
     [](const Arrays &a) { assembly_follows_a_pointer<<<2, T>>>(a.out, a.in, table_of_places()); }},
    {"pointer_kept_by_assembly_without_blanks",
     [](const Arrays &a) { pointer_kept_by_assembly_without_blanks<<<2, T>>>(a.out, a.in); }},
    {"written_by_the_other_block", [](const Arrays &a) { written_by_the_other_block<<<2, T>>>(a.out, a.in); }},
    {"copy_on_the_line_of_another_statement",
     [](const Arrays &a) { copy_on_the_line_of_another_statement<<<2, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
