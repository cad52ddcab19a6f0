// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | tee %t.txt | grep -c Wtilelift-lifted | grep -x 24
// RUN: grep "the place in 'halves' is not followed: it depends on 'n <= 4': choose it by a number that is a variable" %t.txt
// RUN: not grep "2 x 4 x 32" %t.txt
//
// What `?:` chooses: variables one within the other, and the part of a tile that is filled or stored. Elements of
// constant tables and members of constant objects, which device code has as values only.
#include "Inputs/arrays.h"

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

constexpr int starts[4] = {0, 128, 384, 512};
struct Offsets {
  int of[2] = {128, 256};
  struct {
    short first = 256, second = 384;
  } both;
};
struct MoreOffsets : Offsets {
  int third = 128;
};
constexpr MoreOffsets offsets{};
struct Fixed {
  static constexpr long long at[3] = {0, 256, 512};
};
constexpr __host__ __device__ int start_of(int i) { return starts[i] + offsets.both.second; }

__global__ void one_of_three_pointers(float *out, const float *a, const float *b, const float *c) {
  __shared__ float tile[T];
  const float *from = blockIdx.x == 0 ? a : blockIdx.x == 1 ? b : c;
#pragma tma load
  tile[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x];
}
__global__ void largest_of_three(float *out, const float *in, int a, int b, int c) {
  __shared__ float tile[T];
  const int rows = LARGER(LARGER(a, b), c);
  float sum = 0;
  for (int k = 0; k < rows; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * T + threadIdx.x];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void chosen_behind_the_copy(float *out, const float *in, int a, int b, int c) {
  __shared__ float tile[T];
#pragma tma load
  tile[threadIdx.x] = in[c * T + threadIdx.x];
  __syncthreads();
  const int smallest = a < b ? a : b < c ? b : c;
  out[threadIdx.x] = tile[T - 1 - threadIdx.x] + smallest;
}

// An argument that is another number behind a condition.
__global__ void argument_by_a_condition(float *out, const float *in, int first, int w) {
  __shared__ float tile[4][32];
  int moved = 0;
  if (first) {
    moved = first;
    first = first - 1;
  }
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) tile[i / 32][i % 32] = in[(blockIdx.x * 4 + i / 32) * w + first * 4 + i % 32];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[3 - threadIdx.x / 32][threadIdx.x % 32] + moved;
}
// The object's own method changes another member than the one that says where to.
template <class Own> struct Filled {
  float *tile;
  __device__ void fill(const float *in) {
    static_cast<Own *>(this)->before();
#pragma tma load
    tile[threadIdx.x] = in[blockIdx.x * T + threadIdx.x];
    __syncthreads();
    static_cast<Own &>(*this).after();
  }
};
struct Numbered {
  double first = 1;
};
struct Counting : Numbered, Filled<Counting> {
  int fills = 0;
  __device__ void before() { ++fills; }
  __device__ void after() { fills *= 3; }
};
__global__ void in_a_base_of_its_argument(float *out, const float *in) {
  __shared__ float tile[T];
  Counting own;
  own.tile = tile;
  own.fill(in);
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + own.fills;
}

// The other half keeps its numbers.
__global__ void half_by_a_flag(float *out, const float *in, bool second) {
  __shared__ alignas(128) float halves[2][4][32];
  for (int i = threadIdx.x; i < 256; i += T) halves[i / 128][i / 32 % 4][i % 32] = i;
  __syncthreads();
  float(&half)[4][32] = second ? halves[1] : halves[0];
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) half[i / 32][i % 32] = in[(blockIdx.x * 4 + i / 32) * 64 + i % 32];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T)
    out[blockIdx.x * 256 + i] = halves[i / 128][i / 32 % 4][31 - i % 32] + half[0][i % 32];
}
__global__ void half_by_the_block(float *out, const float *in) {
  __shared__ alignas(128) float halves[2 * T];
  for (int i = threadIdx.x; i < 256; i += T) halves[i] = i;
  __syncthreads();
  float *half = halves + (blockIdx.x & 1 ? T : 0);
#pragma tma load
  half[threadIdx.x] = in[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T) out[blockIdx.x * 256 + i] = halves[255 - i];
}
__global__ void half_that_is_stored(float *buf, bool first) {
  __shared__ alignas(128) float halves[2][4][32];
  for (int i = threadIdx.x; i < 256; i += T) halves[i / 128][i / 32 % 4][i % 32] = i;
  __syncthreads();
  float(&half)[4][32] = first ? halves[0] : halves[1];
#pragma tma store
  for (int i = threadIdx.x; i < 128; i += T) buf[(blockIdx.x * 4 + i / 32) * 64 + i % 32] = half[i / 32][i % 32];
}
__global__ void half_by_an_index(float *out, const float *in, bool second) {
  __shared__ alignas(128) float halves[2][T];
#pragma tma load
  halves[second][threadIdx.x] = in[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = halves[second][T - 1 - threadIdx.x];
}
// True of both values of the flag, which nobody finds out.
__global__ void half_by_what_always_holds(float *out, const float *in, bool second) {
  __shared__ alignas(128) float halves[2][T];
#pragma tma load fallback(loop)
  halves[second < 5][threadIdx.x] = in[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = halves[1][T - 1 - threadIdx.x];
}
__global__ void half_by_a_compared_flag(float *out, const float *in, bool second) {
  __shared__ alignas(128) float halves[2][T];
#pragma tma load
  halves[second == false][threadIdx.x] = in[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = halves[!second][T - 1 - threadIdx.x];
}
__global__ void half_by_a_variable(float *out, const float *in, int n) {
  __shared__ alignas(128) float halves[2][T];
  const int half = n > 4;
#pragma tma load
  halves[half][threadIdx.x] = in[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = halves[half][T - 1 - threadIdx.x];
}
// Refused: where 'n > 4' is no number that is zero or one.
__global__ void half_by_a_comparison(float *out, const float *in, int n) {
  __shared__ alignas(128) float halves[2][T];
#pragma tma load fallback(loop)
  halves[n > 4][threadIdx.x] = in[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = halves[n > 4][T - 1 - threadIdx.x];
}

__global__ void at_constant_offsets(float *out, const float *in, int n) {
  __shared__ float a[T], b[T], c[T];
  const int first = n + starts[2], second = n + offsets.of[1];
  const long long third = n + Fixed::at[1] + offsets.both.first;
#pragma tma load
  a[threadIdx.x] = in[first + threadIdx.x];
#pragma tma load
  b[threadIdx.x] = in[second + threadIdx.x];
#pragma tma load
  c[threadIdx.x] = in[third + start_of(1) + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = a[T - 1 - threadIdx.x] + 2 * b[threadIdx.x] + 4 * c[T - 1 - threadIdx.x];
}

// Buffers by hand: the round says which half, or a flag that each round turns.
__global__ void buffers_by_round(float *out, const float *in, int n) {
  __shared__ alignas(128) float halves[2][T];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    float *now = k & 1 ? halves[1] : halves[0];
#pragma tma load
    now[threadIdx.x] = in[k * T + threadIdx.x];
    __syncthreads();
    sum = sum * 2 + now[T - 1 - threadIdx.x] + (k ? halves[(k & 1) ^ 1][threadIdx.x] : 0);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void buffers_by_a_flag(float *out, const float *in, int n) {
  __shared__ alignas(128) float halves[2][T];
  float sum = 0;
  bool second = false;
  for (int k = 0; k < n; ++k) {
#pragma tma load
    (second ? halves[1] : halves[0])[threadIdx.x] = in[k * T + threadIdx.x];
    __syncthreads();
    sum = sum * 2 + halves[second][T - 1 - threadIdx.x] + (k ? halves[!second][threadIdx.x] : 0);
    __syncthreads();
    second = !second;
  }
  out[threadIdx.x] = sum;
}
__global__ void half_by_a_pointer(float *out, const float *in, const float *other) {
  __shared__ alignas(128) float halves[2][T];
  for (int i = threadIdx.x; i < 2 * T; i += T) halves[i / T][i % T] = -i;
  __syncthreads();
#pragma tma load
  (other ? halves[1] : halves[0])[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = halves[0][T - 1 - threadIdx.x] * 3 + halves[1][threadIdx.x];
}
__global__ void quarter_by_two_flags(float *out, const float *in, bool upper, bool odd) {
  __shared__ alignas(128) float parts[4][T];
  for (int i = threadIdx.x; i < 4 * T; i += T) parts[i / T][i % T] = -i;
  __syncthreads();
  float(*half)[T] = upper ? parts + 2 : parts;
#pragma tma load
  (odd ? half[1] : half[0])[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = parts[0][T - 1 - threadIdx.x] * 3 + parts[1][threadIdx.x] * 5 + parts[2][threadIdx.x] * 7 + parts[3][threadIdx.x];
}

// Tables with two dimensions, whose elements are looked up.
__constant__ int limits[2][4] = {{128, 32, 64, 16}, {64, 96, 16, 128}};
__device__ constexpr int order[2][4] = {{3, 1, 0, 2}, {2, 0, 3, 1}};
__global__ void bounds_of_a_table(float *out, const float *in, int q) {
  __shared__ float tile[T];
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
#pragma tma load
    tile[threadIdx.x] = (int)threadIdx.x < limits[q][k] ? in[k * T + threadIdx.x] : 0.f;
    __syncthreads();
    sum = sum * 2 + tile[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void rows_of_a_table(float *out, const float *in, const int (*table)[4]) {
  __shared__ float tile[T];
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[(long long)table[blockIdx.x][k] * T + threadIdx.x];
    __syncthreads();
    sum = sum * 2 + tile[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}
__global__ void slots_of_a_table(float *out, const float *in, int q) {
  __shared__ alignas(128) float parts[4][T];
  for (int k = 0; k < 4; ++k) {
#pragma tma load
    parts[order[q][k]][threadIdx.x] = in[k * T + threadIdx.x];
  }
  __syncthreads();
  for (int k = 0; k < 4; ++k) out[k * T + threadIdx.x] = parts[k][T - 1 - threadIdx.x];
}

// One of many pointers in an argument.
struct Distributions {
  float *of[27];
};
__global__ void one_of_many_pointers(float *out, Distributions all) {
  __shared__ float tile[T];
#pragma tma load
  tile[threadIdx.x] = all.of[19][blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x];
}

// A comma is what stands behind it, where that lies as well.
__global__ void behind_a_comma(float *out, const float *in) {
  __shared__ float tile[T], other[T];
#pragma tma load
  tile[threadIdx.x] = ((void)other, in[blockIdx.x * T + threadIdx.x]);
#pragma tma load
  (0, other)[threadIdx.x] = (tile, in)[blockIdx.x * T + 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = tile[T - 1 - threadIdx.x] + 2 * other[threadIdx.x];
}

static const Case cases[] = {
    {"behind_a_comma", [](const Arrays &a) { behind_a_comma<<<2, T>>>(a.out, a.in); }},
    {"one_of_three_pointers", [](const Arrays &a) { one_of_three_pointers<<<3, T>>>(a.out, a.in, a.more, a.buf); }},
    {"largest_of_three", [](const Arrays &a) { largest_of_three<<<1, T>>>(a.out, a.in, 3, 7, 5); }},
    {"chosen_behind_the_copy", [](const Arrays &a) { chosen_behind_the_copy<<<1, T>>>(a.out, a.in, 3, 2, 1); }},
    {"argument_by_a_condition",
     [](const Arrays &a) {
       argument_by_a_condition<<<2, T>>>(a.out, a.in, 9, 64);
       argument_by_a_condition<<<2, T>>>(a.out + 1024, a.in, 0, 64);
     }},
    {"in_a_base_of_its_argument", [](const Arrays &a) { in_a_base_of_its_argument<<<2, T>>>(a.out, a.in); }},
    {"half_by_a_flag",
     [](const Arrays &a) {
       half_by_a_flag<<<2, T>>>(a.out, a.in, true);
       half_by_a_flag<<<2, T>>>(a.out + 1024, a.in, false);
     }},
    {"half_by_the_block", [](const Arrays &a) { half_by_the_block<<<4, T>>>(a.out, a.in); }},
    {"half_that_is_stored",
     [](const Arrays &a) {
       half_that_is_stored<<<2, T>>>(a.buf, true);
       half_that_is_stored<<<2, T>>>(a.buf + 1024, false);
     }},
    {"half_by_an_index",
     [](const Arrays &a) {
       half_by_an_index<<<2, T>>>(a.out, a.in, true);
       half_by_an_index<<<2, T>>>(a.out + 1024, a.in, false);
     }},
    {"half_by_what_always_holds",
     [](const Arrays &a) {
       half_by_what_always_holds<<<2, T>>>(a.out, a.in, true);
       half_by_what_always_holds<<<2, T>>>(a.out + 1024, a.in, false);
     }},
    {"half_by_a_compared_flag",
     [](const Arrays &a) {
       half_by_a_compared_flag<<<2, T>>>(a.out, a.in, true);
       half_by_a_compared_flag<<<2, T>>>(a.out + 1024, a.in, false);
     }},
    {"half_by_a_variable",
     [](const Arrays &a) {
       half_by_a_variable<<<2, T>>>(a.out, a.in, 3);
       half_by_a_variable<<<2, T>>>(a.out + 1024, a.in, 5);
     }},
    {"half_by_a_comparison",
     [](const Arrays &a) {
       half_by_a_comparison<<<2, T>>>(a.out, a.in, 3);
       half_by_a_comparison<<<2, T>>>(a.out + 1024, a.in, 5);
     }},
    {"buffers_by_round", [](const Arrays &a) { buffers_by_round<<<1, T>>>(a.out, a.in, 7); }},
    {"buffers_by_a_flag", [](const Arrays &a) { buffers_by_a_flag<<<1, T>>>(a.out, a.in, 7); }},
    {"half_by_a_pointer",
     [](const Arrays &a) {
       half_by_a_pointer<<<1, T>>>(a.out, a.in, a.more);
       half_by_a_pointer<<<1, T>>>(a.out + 1024, a.in, nullptr);
     }},
    {"quarter_by_two_flags",
     [](const Arrays &a) {
       for (int i = 0; i < 4; ++i) quarter_by_two_flags<<<1, T>>>(a.out + i * 1024, a.in, i & 1, i & 2);
     }},
    {"bounds_of_a_table",
     [](const Arrays &a) {
       bounds_of_a_table<<<1, T>>>(a.out, a.in, 0);
       bounds_of_a_table<<<1, T>>>(a.out + 1024, a.in, 1);
     }},
    {"rows_of_a_table",
     [](const Arrays &a) {
       const int rows[8] = {5, 2, 7, 0, 3, 3, 1, 6};
       cudaMemcpy(a.ints, rows, sizeof rows, cudaMemcpyHostToDevice);
       rows_of_a_table<<<2, T>>>(a.out, a.in, reinterpret_cast<const int(*)[4]>(a.ints));
     }},
    {"slots_of_a_table",
     [](const Arrays &a) {
       slots_of_a_table<<<1, T>>>(a.out, a.in, 0);
       slots_of_a_table<<<1, T>>>(a.out + 1024, a.in, 1);
     }},
    {"one_of_many_pointers",
     [](const Arrays &a) {
       Distributions all{};
       all.of[19] = a.in;
       one_of_many_pointers<<<2, T>>>(a.out, all);
     }},
    {"at_constant_offsets", [](const Arrays &a) { at_constant_offsets<<<1, T>>>(a.out, a.in, 4); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
