// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++20 %s
//
// Copying statements whose places and conditions are more than sums of indices: addresses as numbers, objects whose
// copies and assignments run code, closures that each have captures of their own, numbers that wrap or are read with
// another sign, bits that are read as another type, and a function that only has the name of a library's.
#include "Inputs/arrays.h"

#include <cstring>
#include <cuda/std/utility>

// The address of global memory as a number: what is left of it says where the copy starts.
__global__ void address_rounded_down(float *__restrict__ out, const float *__restrict__ in, int first) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = reinterpret_cast<const float *>(reinterpret_cast<size_t>(in + at + first) & ~size_t(63))[t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void address_with_a_bit_set(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = reinterpret_cast<const float *>(reinterpret_cast<size_t>(in + at) | 64)[t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Whether the tensor starts on no multiple of 64 bytes, asked in two ways.
__global__ void asked_by_the_lowest_bits(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  tile[t] = (reinterpret_cast<size_t>(in) & 63) != 0 ? in[t] : 0.f;
  __syncthreads();
  out[t] = tile[T - 1 - t];
}

__global__ void asked_by_a_remainder(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  tile[t] = reinterpret_cast<size_t>(in) % 64 ? in[t] : 0.f;
  __syncthreads();
  out[t] = tile[T - 1 - t];
}

// The address of shared memory as a number: '^' spreads the parts of a row over the banks.
__global__ void swizzled_by_address(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(1024) float tile[16 * 32];
  int t = threadIdx.x, at = blockIdx.x * 512;
  unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(tile));
#pragma tma load fallback(loop)
  {
    unsigned to = base + t * 16;
    to ^= (t / 8 & 7) << 4;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + at + t * 4));
  }
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
  for (int i = t; i < 512; i += T) out[at + i] = tile[i];
}

// The initialiser of a member names the member of the same object, although a method makes the object.
struct Doubled {
  int once, twice = once + 16;
};
struct Start {
  int once;
  __device__ int of(int n) const {
    Doubled numbers{n};
    return numbers.twice;
  }
};
__global__ void default_of_a_member_in_a_method(float *__restrict__ out, const float *__restrict__ in, Start start,
                                                int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[start.of(n) + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// The assignment that a class gets by itself runs the one that its members have.
struct Negated {
  float value;
  Negated() = default;
  __device__ Negated(const Negated &other) : value(other.value) {}
  __device__ Negated &operator=(const Negated &other) {
    value = -other.value;
    return *this;
  }
};
struct Two {
  Negated first, second;
};
__global__ void assigned_by_members(float *__restrict__ out, const Two *__restrict__ in) {
  __shared__ alignas(128) char bytes[T * sizeof(Two)];
  int t = threadIdx.x, at = blockIdx.x * T;
  Two *tile = reinterpret_cast<Two *>(bytes);
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t].first.value;
}

// So does the constructor that copies.
struct Later {
  int value;
  __device__ Later(int n) : value(n) {}
  __device__ Later(const Later &other) : value(other.value + 16) {}
};
struct Holder {
  Later first;
};
__global__ void copied_by_members(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Holder one{n};
  Holder other = one;
#pragma tma load fallback(loop)
  tile[t] = in[other.first.value + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// A pair of references assigns to what they refer to.
__global__ void pair_of_references(float *__restrict__ out, const float *__restrict__ in, int n, int m) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    int a = n, b = m, c = 64, d = 128;
    cuda::std::pair<int &, int &> to(a, b), from(c, d);
    to = from;
    tile[t] = in[a + b + at + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// The union without a name lies behind the first member.
struct Tagged {
  int first;
  union {
    int number;
    float value;
  };
  __device__ Tagged(int n, int m) : first(n), number(m) {}
};
__global__ void member_of_an_unnamed_union(float *__restrict__ out, const float *__restrict__ in, int n, int m) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Tagged start(n, m);
#pragma tma load fallback(loop)
  tile[t] = in[start.first + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Each closure has captures of its own, even if one lambda made both.
__device__ auto plus(int n) {
  return [n](int i) { return n + i; };
}
__device__ auto plus_named_anew(int n) {
  return [first = n](int i) { return first + i; };
}
__global__ void two_closures_of_one_lambda(float *__restrict__ out, const float *__restrict__ in, int n, int m) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    auto one = plus(n), other = plus(m);
    tile[t] = in[one(at + t)];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void two_closures_with_named_captures(float *__restrict__ out, const float *__restrict__ in, int n, int m) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    auto one = plus_named_anew(n), other = plus_named_anew(m);
    tile[t] = in[one(at + t)];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void two_closures_made_before_the_copy(float *__restrict__ out, const float *__restrict__ in, int n, int m) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  auto one = plus(n), other = plus(m);
#pragma tma load fallback(loop)
  tile[t] = in[one(at + t) + 4 * other(0)];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// What a closure counts is not counted by its copy.
__global__ void copied_closure(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    auto one = [first = n](int i) mutable { return (first += 32) + i; };
    auto other = one;
    one(0);
    tile[t] = in[other(at + t)];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// A closure keeps the number that it captured.
__global__ void changed_behind_the_capture(float *__restrict__ out, const float *__restrict__ in, int n, int m) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    int first = n;
    auto plus_first = [=](int i) { return first + i; };
    first = m;
    tile[t] = in[plus_first(at + t)];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// An unsigned step counts down: the sum wraps, and only then is it converted.
__global__ void counted_down_by_an_unsigned_number(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  for (int k = 64; k > 0; k += -16u) {
#pragma tma load fallback(loop)
    tile[t] = k >= 40 ? in[k * 8 + t] : 0.f;
    __syncthreads();
    out[k * 8 + t] = tile[T - 1 - t];
    __syncthreads();
  }
}

__global__ void counted_down_by_an_unsigned_argument(float *__restrict__ out, const float *__restrict__ in,
                                                     unsigned step) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  for (int k = 1024; k > 500; k += step) {
#pragma tma load fallback(loop)
    tile[t] = k >= 1000 ? in[k + t] : 0.f;
    __syncthreads();
    out[k + t] = tile[T - 1 - t];
    __syncthreads();
  }
}

__global__ void ring_counted_down_by_an_unsigned_number(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 64; k > 0; k += -16u) {
#pragma tma load fallback(loop)
    tile[t] = k >= 40 ? in[k * 8 + t] : 0.f;
    __syncthreads();
    out[k * 8 + t] = tile[T - 1 - t];
    __syncthreads();
  }
}

__global__ void ring_counted_down_by_an_unsigned_argument(float *__restrict__ out, const float *__restrict__ in,
                                                          unsigned step) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 1024; k > 500; k += step) {
#pragma tma load fallback(loop)
    tile[t] = k >= 1000 ? in[k + t] : 0.f;
    __syncthreads();
    out[k + t] = tile[T - 1 - t];
    __syncthreads();
  }
}

// Counters of 8 bits that start again from the other end: 200, 232, 8, and 100, 114, -128.
__global__ void counter_that_wraps(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  for (unsigned char k = 200; k != 40; k += 32) {
#pragma tma load fallback(loop)
    tile[t] = k >= 100 ? in[k * 4 + t] : 0.f;
    __syncthreads();
    out[k * 4 + t] = tile[T - 1 - t];
    __syncthreads();
  }
}

__global__ void signed_counter_that_wraps(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  for (signed char k = 100; k != -114; k += 14) {
#pragma tma load fallback(loop)
    tile[t] = k >= 0 ? in[1024 + k * 4 + t] : 0.f;
    __syncthreads();
    out[1024 + k * 16 + t] = tile[T - 1 - t];
    __syncthreads();
  }
}

__global__ void ring_with_a_counter_that_wraps(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
#pragma tma pipeline stages(2) fallback(loop)
  for (unsigned char k = 200; k != 40; k += 32) {
#pragma tma load fallback(loop)
    tile[t] = k >= 100 ? in[k * 4 + t] : 0.f;
    __syncthreads();
    out[k * 4 + t] = tile[T - 1 - t];
    __syncthreads();
  }
}

// Bytes of a table that are read with the other sign.
__global__ void signed_table_as_unsigned(float *__restrict__ out, const float *__restrict__ in,
                                         const signed char *__restrict__ table) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[1024 + (unsigned char)table[blockIdx.x] * 4 + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void unsigned_table_as_signed(float *__restrict__ out, const float *__restrict__ in,
                                         const unsigned char *__restrict__ table) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[1024 + (signed char)table[blockIdx.x] * 4 + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// The same bits under another sign, by a union and by a reference.
__global__ void union_of_two_signs(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    union {
      unsigned char all;
      signed char some;
    } number;
    number.all = n;
    tile[t] = in[1024 + number.some + at + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void reference_of_another_sign(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    unsigned char number = n;
    tile[t] = in[1024 + reinterpret_cast<signed char &>(number) + at + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Two members share a byte.
__global__ void bit_fields_as_a_byte(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    struct {
      unsigned char low : 4, high : 4;
    } halves = {4, 2};
    unsigned char first;
    memcpy(&first, &halves, 1);
    tile[t] = in[first + at + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// A table of floats holds the bits of whole numbers.
__global__ void bits_of_a_float(float *__restrict__ out, const float *__restrict__ in,
                                const float *__restrict__ table) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    float bits = table[blockIdx.x];
    tile[t] = in[reinterpret_cast<int &>(bits) + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Whether a number is zero, of which the upper bits are lost.
__global__ void truth_of_a_product(float *__restrict__ out, const float *__restrict__ in, unsigned n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = (bool)(n * 2) ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void truth_of_a_sum(float *__restrict__ out, const float *__restrict__ in, unsigned n, unsigned m) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = n + m ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void truth_of_bits_shifted_out(float *__restrict__ out, const float *__restrict__ in, unsigned n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = n << 24 ? in[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void truth_of_a_byte(float *__restrict__ out, const float *__restrict__ in, unsigned n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    unsigned char low = n;
    tile[t] = low ? in[at + t] : 0.f;
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// The program's own function has the name of the library's, and starts elsewhere.
namespace app::cuda {
struct Group {
  int first;
};
__device__ void memcpy_async(const Group &group, float *to, const float *from, size_t bytes) {
  for (size_t i = 0; i < bytes / 4; ++i) to[i] = from[group.first + i];
}
} // namespace app::cuda
__global__ void function_with_a_name_of_the_library(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2 * T];
  int t = threadIdx.x, at = blockIdx.x * 256;
#pragma tma load fallback(loop)
  app::cuda::memcpy_async(app::cuda::Group{4}, &tile[2 * t], &in[at + 2 * t], 8);
  __syncthreads();
  for (int i = t; i < 256; i += T) out[at + i] = tile[255 - i];
}

// The second half goes to the tile or, for large numbers, would go past the end of another array.
__global__ void second_half_to_one_of_two_arrays(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[2 * T];
  __shared__ alignas(128) float other[T];
  int t = threadIdx.x;
  other[t] = 0;
  __syncthreads();
#pragma tma load fallback(loop)
  for (int i = t; i < 2 * T; i += T) {
    float *to = i < T || n <= 100 ? tile : other;
    to[i] = in[i];
  }
  __syncthreads();
  for (int i = t; i < 2 * T; i += T) out[i] = tile[2 * T - 1 - i];
  out[2 * T + t] = other[t];
}

// Bytes for each block, of 4 different numbers.
static unsigned char *bytes_of(const Arrays &a) {
  const signed char numbers[4] = {-56, 8, 16, -4};
  cudaMemcpy(a.words, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  return (unsigned char *)a.words;
}

static const Case cases[] = {
    {"address_rounded_down", [](const Arrays &a) { address_rounded_down<<<2, T>>>(a.out, a.in, 36); }},
    {"address_with_a_bit_set", [](const Arrays &a) { address_with_a_bit_set<<<2, T>>>(a.out, a.in); }},
    {"asked_by_the_lowest_bits",
     [](const Arrays &a) {
       asked_by_the_lowest_bits<<<1, T>>>(a.out, a.in);
       asked_by_the_lowest_bits<<<1, T>>>(a.out + T, a.in + 4);
     }},
    {"asked_by_a_remainder",
     [](const Arrays &a) {
       asked_by_a_remainder<<<1, T>>>(a.out, a.in);
       asked_by_a_remainder<<<1, T>>>(a.out + T, a.in + 4);
     }},
    {"swizzled_by_address", [](const Arrays &a) { swizzled_by_address<<<2, T>>>(a.out, a.in); }},
    {"default_of_a_member_in_a_method",
     [](const Arrays &a) { default_of_a_member_in_a_method<<<2, T>>>(a.out, a.in, Start{256}, 64); }},
    {"assigned_by_members", [](const Arrays &a) { assigned_by_members<<<2, T>>>(a.out, (const Two *)a.in); }},
    {"copied_by_members", [](const Arrays &a) { copied_by_members<<<2, T>>>(a.out, a.in, 64); }},
    {"pair_of_references", [](const Arrays &a) { pair_of_references<<<2, T>>>(a.out, a.in, 4, 8); }},
    {"member_of_an_unnamed_union", [](const Arrays &a) { member_of_an_unnamed_union<<<2, T>>>(a.out, a.in, 64, 128); }},
    {"two_closures_of_one_lambda", [](const Arrays &a) { two_closures_of_one_lambda<<<2, T>>>(a.out, a.in, 64, 128); }},
    {"two_closures_with_named_captures",
     [](const Arrays &a) { two_closures_with_named_captures<<<2, T>>>(a.out, a.in, 64, 128); }},
    {"two_closures_made_before_the_copy",
     [](const Arrays &a) { two_closures_made_before_the_copy<<<2, T>>>(a.out, a.in, 64, 128); }},
    {"copied_closure", [](const Arrays &a) { copied_closure<<<2, T>>>(a.out, a.in, 64); }},
    {"changed_behind_the_capture", [](const Arrays &a) { changed_behind_the_capture<<<2, T>>>(a.out, a.in, 64, 128); }},
    {"counted_down_by_an_unsigned_number",
     [](const Arrays &a) { counted_down_by_an_unsigned_number<<<1, T>>>(a.out, a.in); }},
    {"counted_down_by_an_unsigned_argument",
     [](const Arrays &a) { counted_down_by_an_unsigned_argument<<<1, T>>>(a.out, a.in, 0u - 128); }},
    {"ring_counted_down_by_an_unsigned_number",
     [](const Arrays &a) { ring_counted_down_by_an_unsigned_number<<<1, T>>>(a.out, a.in); }},
    {"ring_counted_down_by_an_unsigned_argument",
     [](const Arrays &a) { ring_counted_down_by_an_unsigned_argument<<<1, T>>>(a.out, a.in, 0u - 128); }},
    {"counter_that_wraps", [](const Arrays &a) { counter_that_wraps<<<1, T>>>(a.out, a.in); }},
    {"signed_counter_that_wraps", [](const Arrays &a) { signed_counter_that_wraps<<<1, T>>>(a.out + 1024, a.in); }},
    {"ring_with_a_counter_that_wraps", [](const Arrays &a) { ring_with_a_counter_that_wraps<<<1, T>>>(a.out, a.in); }},
    {"signed_table_as_unsigned",
     [](const Arrays &a) { signed_table_as_unsigned<<<4, T>>>(a.out, a.in, (signed char *)bytes_of(a)); }},
    {"unsigned_table_as_signed",
     [](const Arrays &a) { unsigned_table_as_signed<<<4, T>>>(a.out, a.in, bytes_of(a)); }},
    {"union_of_two_signs", [](const Arrays &a) { union_of_two_signs<<<2, T>>>(a.out, a.in, 200); }},
    {"reference_of_another_sign",
     [](const Arrays &a) { reference_of_another_sign<<<2, T>>>(a.out, a.in, 200); }},
    {"bit_fields_as_a_byte", [](const Arrays &a) { bit_fields_as_a_byte<<<2, T>>>(a.out, a.in); }},
    {"bits_of_a_float",
     [](const Arrays &a) {
       const int numbers[2] = {64, 8};
       cudaMemcpy(a.words, numbers, sizeof numbers, cudaMemcpyHostToDevice);
       bits_of_a_float<<<2, T>>>(a.out, a.in, (const float *)a.words);
     }},
    {"truth_of_a_product", [](const Arrays &a) { truth_of_a_product<<<2, T>>>(a.out, a.in, 0x80000000u); }},
    {"truth_of_a_sum", [](const Arrays &a) { truth_of_a_sum<<<2, T>>>(a.out, a.in, ~0u, 1); }},
    {"truth_of_bits_shifted_out", [](const Arrays &a) { truth_of_bits_shifted_out<<<2, T>>>(a.out, a.in, 0x100); }},
    {"truth_of_a_byte", [](const Arrays &a) { truth_of_a_byte<<<2, T>>>(a.out, a.in, 0x100); }},
    {"function_with_a_name_of_the_library",
     [](const Arrays &a) { function_with_a_name_of_the_library<<<2, T>>>(a.out, a.in); }},
    {"second_half_to_one_of_two_arrays",
     [](const Arrays &a) { second_half_to_one_of_two_arrays<<<1, T>>>(a.out, a.in, 50); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
