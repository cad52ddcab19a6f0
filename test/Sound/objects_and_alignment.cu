// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++20 %s
//
// The text of a lifted kernel leaves out what only its copies needed, gives others' memory a new place, and holds on to
// values that nothing changes. Here a variable that only a copy reads does something at its end, a value changes behind
// a promise not to change it, and dynamic memory lies where the program has asked for.
#include "Inputs/arrays.h"

// Adds to a word when it ends.
struct Ticket {
  unsigned *word;
  int row;
  __device__ ~Ticket() { atomicAdd(word, 1u); }
};
struct Booking {
  Ticket ticket;
  int row;
};

// The copy alone reads the variable, but the objects in the array act when the kernel ends.
__global__ void array_of_tickets(float *__restrict__ out, const float *__restrict__ in, unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  Ticket pair[2] = {{words, 3}, {words + 1, 4}};
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + pair[0].row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The array has two dimensions.
__global__ void table_of_tickets(float *__restrict__ out, const float *__restrict__ in, unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  Ticket table[1][2] = {{{words, 3}, {words + 1, 4}}};
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + table[0][1].row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The objects have no destructor of their own, but one of them has a part that has.
__global__ void array_of_bookings(float *__restrict__ out, const float *__restrict__ in, unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  Booking one[1] = {{{words, 3}, 4}};
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + one[0].row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// A reference keeps a temporary alive, which acts when the kernel ends.
__global__ void ticket_kept_by_reference(float *__restrict__ out, const float *__restrict__ in,
                                         unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  const Ticket &ticket = Ticket{words, 3};
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + ticket.row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// So does a reference to what is to be moved from.
__global__ void ticket_kept_by_forwarding_reference(float *__restrict__ out, const float *__restrict__ in,
                                                    unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  auto &&ticket = Ticket{words, 3};
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + ticket.row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// A reference to a part keeps the whole alive.
__global__ void ticket_kept_by_its_row(float *__restrict__ out, const float *__restrict__ in,
                                       unsigned *__restrict__ words) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  const int &row = Ticket{words, 3}.row;
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// A function takes a value as a constant and changes it all the same, as the variable itself is none.
__device__ void set_to_three(const int &value) { const_cast<int &>(value) = 3; }
__device__ void call_by_pointer(void (*function)(const int &), const int &value) { function(value); }
__device__ void call_by_reference(void (&function)(const int &), const int &value) { function(value); }

__global__ void set_by_function_pointer(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  call_by_pointer(set_to_three, row);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

__global__ void set_by_function_reference(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  call_by_reference(set_to_three, row);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The pointer leads to a method.
struct Setter {
  __device__ void set(const int &value) const { const_cast<int &>(value) = 3; }
};
__device__ void call_method(void (Setter::*method)(const int &) const, const int &value) {
  Setter setter;
  (setter.*method)(value);
}
__global__ void set_by_method_pointer(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  call_method(&Setter::set, row);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The method that is named has no body, the one that is called changes the value.
struct Rule {
  __device__ virtual void apply(const int &value) const = 0;
};
struct Three : Rule {
  __device__ void apply(const int &value) const override { const_cast<int &>(value) = 3; }
};
__device__ void apply_to(const Rule &rule, const int &value) { rule.apply(value); }
__global__ void set_by_virtual_method(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  Three three;
  apply_to(three, row);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The method that is named has a body that changes nothing, the one that is called has another.
struct Usual {
  __device__ virtual void apply(const int &) const {}
};
struct Special : Usual {
  __device__ void apply(const int &value) const override { const_cast<int &>(value) = 3; }
};
__device__ void apply_usual_to(const Usual &usual, const int &value) { usual.apply(value); }
__global__ void set_by_overriding_method(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  Special special;
  apply_usual_to(special, row);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The same by operators, by which a call and a conversion are written.
struct Offset {
  __device__ virtual int operator()(int) const { return 0; }
  __device__ virtual operator int() const { return 0; }
};
struct Far : Offset {
  __device__ int operator()(int by) const override { return 3 * by; }
  __device__ operator int() const override { return 2; }
};
__device__ int offset_of(const Offset &offset) { return offset(1) + offset; }
__global__ void row_of_overriding_operators(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  Far far;
  const int row = offset_of(far);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The class of the object is plain to see, and it is not the one that is named.
__global__ void row_of_an_object_cast_to_its_base(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  Special special;
  static_cast<const Usual &>(special).apply(row);
  Far far;
  row += static_cast<const Offset &>(far)(1);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// A constructor has no statement in its body, but its initialisers change the value.
struct SetByMember {
  int copy;
  __device__ explicit SetByMember(const int &value) : copy(const_cast<int &>(value) = 3) {}
};
__global__ void set_by_member_initialiser(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  SetByMember set(row);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The initialiser is that of a base.
struct SetByBase : SetByMember {
  __device__ explicit SetByBase(const int &value) : SetByMember(value) {}
};
__global__ void set_by_base_initialiser(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  SetByBase set(row);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The initialiser is another constructor.
struct SetByOther {
  int copy;
  __device__ SetByOther(const int &value, int) : copy(const_cast<int &>(value) = 3) {}
  __device__ explicit SetByOther(const int &value) : SetByOther(value, 1) {}
};
__global__ void set_by_other_constructor(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  SetByOther set(row);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The initialiser stands with the member.
struct SetByDefault {
  const int &value;
  int copy = const_cast<int &>(value) = 3;
  __device__ explicit SetByDefault(const int &v) : value(v) {}
};
__global__ void set_by_default_initialiser(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  SetByDefault set(row);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// A function makes the object that changes the value.
struct SetByAddress {
  int copy;
  __device__ explicit SetByAddress(const int *value) : copy(const_cast<int &>(*value) = 3) {}
};
__device__ void make_one(const int &value) { SetByAddress set(&value); }
__global__ void set_by_object_of_a_function(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, row = 0;
  make_one(row);
#pragma tma load fallback(loop)
  tile[t] = in[(blockIdx.x + row) * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

// The program asks for an alignment of its dynamic memory, in which it has a right to trust. Rings that are dynamic
// memory as well leave it what it has.
__global__ void aligned_memory_beside_a_ring(float *__restrict__ out, const float *__restrict__ in,
                                             unsigned *__restrict__ words, int n) {
  __shared__ float tile[41][32];
  extern __shared__ __align__(1024) float aligned[];
  int t = threadIdx.x;
  float sum = 0;
  aligned[t] = t;
  if (t == 0) words[blockIdx.x] = (unsigned)__cvta_generic_to_shared(aligned) % 1024;
#pragma tma pipeline stages(11) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    for (int i = t; i < 41 * 32; i += T) tile[i / 32][i % 32] = in[(k * 8 + i / 32) * 32 + i % 32];
    __syncthreads();
    sum = 2 * sum + tile[40 - t / 32][t % 32];
    __syncthreads();
  }
  out[blockIdx.x * T + t] = sum + aligned[t];
}

// A warp of its own fills the ring.
__global__ void aligned_memory_beside_a_producer(float *__restrict__ out, const float *__restrict__ in,
                                                 unsigned *__restrict__ words, int n) {
  __shared__ float tile[41][32];
  extern __shared__ __align__(1024) float aligned[];
  int t = threadIdx.x;
  float sum = 0;
  aligned[t] = t;
  if (t == 0) words[blockIdx.x] = (unsigned)__cvta_generic_to_shared(aligned) % 1024;
#pragma tma pipeline stages(11) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    for (int i = t; i < 41 * 32; i += T) tile[i / 32][i % 32] = in[(k * 8 + i / 32) * 32 + i % 32];
    __syncthreads();
    sum = 2 * sum + tile[40 - t / 32][t % 32];
    __syncthreads();
  }
  out[blockIdx.x * T + t] = sum + aligned[t];
}

// The element's type asks for the alignment.
struct alignas(1024) Page {
  float values[256];
};
__global__ void page_beside_a_ring(float *__restrict__ out, const float *__restrict__ in, unsigned *__restrict__ words,
                                   int n) {
  __shared__ float tile[41][32];
  extern __shared__ Page pages[];
  int t = threadIdx.x;
  float sum = 0;
  pages[0].values[t] = t;
  if (t == 0) words[blockIdx.x] = (unsigned)__cvta_generic_to_shared(pages) % 1024;
#pragma tma pipeline stages(11) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    for (int i = t; i < 41 * 32; i += T) tile[i / 32][i % 32] = in[(k * 8 + i / 32) * 32 + i % 32];
    __syncthreads();
    sum = 2 * sum + tile[40 - t / 32][t % 32];
    __syncthreads();
  }
  out[blockIdx.x * T + t] = sum + pages[0].values[t];
}

// The tile itself is the dynamic memory, and needs less of an alignment than the program asks for.
__global__ void aligned_dynamic_tile(float *__restrict__ out, const float *__restrict__ in,
                                     unsigned *__restrict__ words) {
  extern __shared__ __align__(1024) float aligned[];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  aligned[t] = in[blockIdx.x * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = aligned[T - 1 - t];
  if (t == 0) words[blockIdx.x] = (unsigned)__cvta_generic_to_shared(aligned) % 1024;
}

// The tile is a part of it.
__global__ void tile_in_aligned_memory(float *__restrict__ out, const float *__restrict__ in,
                                       unsigned *__restrict__ words) {
  extern __shared__ __align__(1024) float aligned[];
  float(*tile)[32] = (float(*)[32])aligned;
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = in[blockIdx.x * T + t];
  __syncthreads();
  out[blockIdx.x * T + t] = tile[3 - t / 32][t % 32];
  if (t == 0) words[blockIdx.x] = (unsigned)__cvta_generic_to_shared(aligned) % 1024;
}

static const Case cases[] = {
    {"array_of_tickets", [](const Arrays &a) { array_of_tickets<<<2, T>>>(a.out, a.in, a.words); }},
    {"table_of_tickets", [](const Arrays &a) { table_of_tickets<<<2, T>>>(a.out, a.in, a.words); }},
    {"array_of_bookings", [](const Arrays &a) { array_of_bookings<<<2, T>>>(a.out, a.in, a.words); }},
    {"ticket_kept_by_reference", [](const Arrays &a) { ticket_kept_by_reference<<<2, T>>>(a.out, a.in, a.words); }},
    {"ticket_kept_by_forwarding_reference",
     [](const Arrays &a) { ticket_kept_by_forwarding_reference<<<2, T>>>(a.out, a.in, a.words); }},
    {"ticket_kept_by_its_row", [](const Arrays &a) { ticket_kept_by_its_row<<<2, T>>>(a.out, a.in, a.words); }},
    {"set_by_function_pointer", [](const Arrays &a) { set_by_function_pointer<<<2, T>>>(a.out, a.in); }},
    {"set_by_function_reference", [](const Arrays &a) { set_by_function_reference<<<2, T>>>(a.out, a.in); }},
    {"set_by_method_pointer", [](const Arrays &a) { set_by_method_pointer<<<2, T>>>(a.out, a.in); }},
    {"set_by_virtual_method", [](const Arrays &a) { set_by_virtual_method<<<2, T>>>(a.out, a.in); }},
    {"set_by_overriding_method", [](const Arrays &a) { set_by_overriding_method<<<2, T>>>(a.out, a.in); }},
    {"row_of_overriding_operators", [](const Arrays &a) { row_of_overriding_operators<<<2, T>>>(a.out, a.in); }},
    {"row_of_an_object_cast_to_its_base",
     [](const Arrays &a) { row_of_an_object_cast_to_its_base<<<2, T>>>(a.out, a.in); }},
    {"set_by_member_initialiser", [](const Arrays &a) { set_by_member_initialiser<<<2, T>>>(a.out, a.in); }},
    {"set_by_base_initialiser", [](const Arrays &a) { set_by_base_initialiser<<<2, T>>>(a.out, a.in); }},
    {"set_by_other_constructor", [](const Arrays &a) { set_by_other_constructor<<<2, T>>>(a.out, a.in); }},
    {"set_by_default_initialiser", [](const Arrays &a) { set_by_default_initialiser<<<2, T>>>(a.out, a.in); }},
    {"set_by_object_of_a_function", [](const Arrays &a) { set_by_object_of_a_function<<<2, T>>>(a.out, a.in); }},
    {"aligned_memory_beside_a_ring",
     [](const Arrays &a) { aligned_memory_beside_a_ring<<<2, T, 1024>>>(a.out, a.in, a.words, 4); }},
    {"aligned_memory_beside_a_producer",
     [](const Arrays &a) { aligned_memory_beside_a_producer<<<2, T, 1024>>>(a.out, a.in, a.words, 4); }},
    {"page_beside_a_ring", [](const Arrays &a) { page_beside_a_ring<<<2, T, 1024>>>(a.out, a.in, a.words, 4); }},
    {"aligned_dynamic_tile", [](const Arrays &a) { aligned_dynamic_tile<<<2, T, 1024>>>(a.out, a.in, a.words); }},
    {"tile_in_aligned_memory", [](const Arrays &a) { tile_in_aligned_memory<<<2, T, 1024>>>(a.out, a.in, a.words); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
