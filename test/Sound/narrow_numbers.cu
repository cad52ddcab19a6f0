// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++20 %s
//
// Numbers of few bits and their signs: bits that are shifted out and back, bytes and words from memory that a variable
// of another type takes, compared numbers of two signs, indices of 8 and 16 bits that come around, and small numbers
// that each round moves. Beside them, pointers that are read from memory and used as pointers to another type, and a
// bit of the library that is assigned to another.
#include "Inputs/arrays.h"

#include <cuda/std/bitset>
#include <initializer_list>

namespace {
template <typename Type> Type *table_of(std::initializer_list<Type> entries) {
  Type *table;
  cudaMalloc((void **)&table, entries.size() * sizeof(Type));
  cudaMemcpy(table, entries.begin(), entries.size() * sizeof(Type), cudaMemcpyHostToDevice);
  return table;
}

// A shift to the left and one back keep the low bits only, and give them a sign.
__global__ void low_byte_with_its_sign(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[1024 + ((n << 24) >> 24) * 4 + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void low_four_bits_of_an_unsigned_number(float *__restrict__ out, const float *__restrict__ in, unsigned n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[1024 + ((int(n) << 28) >> 28) * 4 + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void lowest_bit_as_a_mask(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, block = blockIdx.x;
#pragma tma load fallback(loop)
  tile[t] = in[((((block & 1) << 31) >> 31) & 64) + at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// An unsigned number of a table is kept in a larger type, and is read with a sign from there.
__global__ void byte_kept_as_an_int(float *__restrict__ out, const float *__restrict__ in,
                                    const unsigned char *__restrict__ table) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T, code = table[blockIdx.x];
#pragma tma load fallback(loop)
  tile[t] = in[1024 + (signed char)code * 4 + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void word_kept_as_a_size(float *__restrict__ out, const float *__restrict__ in,
                                    const unsigned *__restrict__ table) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  size_t word = table[blockIdx.x];
#pragma tma load fallback(loop)
  tile[t] = in[1024 + (long long)(int)word * 4 + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// A negative byte of a table is a large number of 16 bits: -1 is 65535.
__global__ void signed_byte_kept_in_16_bits(float *__restrict__ out, const float *__restrict__ in,
                                            const signed char *__restrict__ table) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  unsigned short row = table[blockIdx.x];
#pragma tma load fallback(loop)
  tile[t] = in[1024 + (row - 65280) * 4 + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// A byte of a table takes a sign before it is divided.
__global__ void signed_byte_divided_in_place(float *__restrict__ out, const float *__restrict__ in,
                                             const unsigned char *__restrict__ table) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    signed char row = table[blockIdx.x];
    row /= 4;
    tile[t] = in[1024 + row * 4 + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void signed_byte_shifted_in_place(float *__restrict__ out, const float *__restrict__ in,
                                             const unsigned char *__restrict__ table) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    signed char row = table[blockIdx.x];
    row >>= 2;
    tile[t] = in[1024 + row * 4 + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Of an unsigned number and a signed one, both are compared as unsigned: -1 is the largest number.
__global__ void largest_of_unsigned_and_signed(unsigned *__restrict__ out) {
  __shared__ alignas(128) int tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 40 - t;
  __syncthreads();
#pragma tma reduce fallback(loop)
  out[at + t] = max(out[at + t], tile[t]);
}

__global__ void smallest_of_unsigned_and_signed(unsigned *__restrict__ out) {
  __shared__ alignas(128) int tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 40 - t;
  __syncthreads();
#pragma tma reduce fallback(loop)
  out[at + t] = min(out[at + t], tile[t]);
}

__global__ void smallest_of_unsigned_and_signed_of_64_bits(unsigned long long *__restrict__ out) {
  __shared__ alignas(128) long long tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 40 - t;
  __syncthreads();
#pragma tma reduce fallback(loop)
  out[at + t] = min(out[at + t], tile[t]);
}

__global__ void largest_of_signed_and_unsigned(int *__restrict__ out) {
  __shared__ alignas(128) unsigned tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = 40 - t;
  __syncthreads();
#pragma tma reduce fallback(loop)
  out[at + t] = max(tile[t], out[at + t]);
}

// A pointer to numbers that is read from memory leads to four numbers at a time.
__constant__ float *constant_pointer;
__device__ float *device_pointer;

__global__ void quads_by_a_table(float *__restrict__ out, const float *const *__restrict__ table) {
  __shared__ alignas(128) float4 tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = reinterpret_cast<const float4 *>(table[blockIdx.x])[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t].y;
}

__global__ void quads_by_a_constant(float *__restrict__ out) {
  __shared__ alignas(128) float4 tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = reinterpret_cast<const float4 *>(constant_pointer)[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t].y;
}

__global__ void quads_by_a_variable_of_the_device(float *__restrict__ out) {
  __shared__ alignas(128) float4 tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = reinterpret_cast<const float4 *>(device_pointer)[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t].y;
}

__global__ void quads_stored_by_a_table(float *const *__restrict__ table) {
  __shared__ alignas(128) float4 tile[T];
  int t = threadIdx.x;
  tile[t] = make_float4(t, 2 * t, 3 * t, blockIdx.x);
  __syncthreads();
#pragma tma store fallback(loop)
  reinterpret_cast<float4 *>(table[blockIdx.x])[256 + t] = tile[t];
}

// A number of 8 bits moves beside the counter of the loop and comes around, which the counter does not.
__global__ void signed_byte_beside_the_counter(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  signed char phase = 120;
  for (int k = 0; k < 16; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[1024 + phase * 4 + t];
    __syncthreads();
    out[k * T + t] = tile[T - 1 - t];
    __syncthreads();
    phase += 1;
  }
}

__global__ void byte_in_the_head_beside_the_counter(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  unsigned char phase = 250;
  for (int k = 0; k < 16; ++k, ++phase) {
#pragma tma load fallback(loop)
    tile[t] = in[1024 + phase * 4 + t];
    __syncthreads();
    out[k * T + t] = tile[T - 1 - t];
    __syncthreads();
  }
}

__global__ void signed_byte_in_a_ring(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  signed char phase = 120;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < 16; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[1024 + phase * 4 + t];
    __syncthreads();
    out[k * T + t] = tile[T - 1 - t];
    __syncthreads();
    phase += 1;
  }
}

__global__ void signed_byte_of_a_producer(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x;
  signed char phase = 120;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < 16; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[1024 + phase * 4 + t];
    __syncthreads();
    out[k * T + t] = tile[T - 1 - t];
    __syncthreads();
    phase += 1;
  }
}

// A reference to a bit is an object of the library: its assignment changes the bit and not the reference.
__global__ void bit_assigned_to_a_bit(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    cuda::std::bitset<32> bits(4);
    bits[0] = bits[2];
    tile[t] = in[(bits[0] ? 256 : 0) + at + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void bit_assigned_to_a_named_bit(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  {
    cuda::std::bitset<32> bits(4);
    cuda::std::bitset<32>::reference lowest = bits[0];
    lowest = bits[2];
    tile[t] = in[(bits[0] ? 256 : 0) + at + t];
  }
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// 256 rows are a ring, which an index of 8 bits goes through: from the newest row back, and forwards while the tile is
// filled from its end.
__global__ void ring_of_rows_read_backwards(float *__restrict__ out, const float *__restrict__ in, int newest) {
  __shared__ alignas(128) float tile[8][16];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  tile[t / 16][t % 16] = in[(unsigned char)(newest - t / 16) * 16 + t % 16];
  __syncthreads();
  out[t] = tile[7 - t / 16][t % 16];
}

__global__ void ring_of_rows_into_a_turned_tile(float *__restrict__ out, const float *__restrict__ in, int first) {
  __shared__ alignas(128) float tile[8][16];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  tile[7 - t / 16][t % 16] = in[(unsigned char)(first + t / 16) * 16 + t % 16];
  __syncthreads();
  out[t] = tile[t / 16][15 - t % 16];
}

// The pitch from row to row is an argument that is negative, and the place of a row is a number of 8 or 16 bits, which
// comes around. The address of the tile is kept.
__global__ void byte_index_with_a_negative_pitch(float *__restrict__ out, const float *__restrict__ in, int first,
                                                 int pitch) {
  __shared__ alignas(128) float tile[8][20];
  float *volatile kept = &tile[0][0];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 128; i += T) {
    unsigned char at = first + i / 16 * pitch;
    tile[i / 16][i % 16] = in[at + i % 16];
  }
  __syncthreads();
  out[t] = kept[t / 16 * 20 + t % 16];
}

__global__ void index_of_16_bits_with_a_negative_pitch(float *__restrict__ out, const float *__restrict__ in, int first,
                                                       int pitch) {
  __shared__ alignas(128) float tile[8][20];
  float *volatile kept = &tile[0][0];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 128; i += T) {
    unsigned short at = first + i / 16 * pitch;
    tile[i / 16][i % 16] = in[at + i % 16];
  }
  __syncthreads();
  out[t] = kept[t / 16 * 20 + t % 16];
}

// All that an index of 16 bits reaches, and other numbers before it.
float *large_array(const Arrays &a) {
  float *large;
  cudaMalloc((void **)&large, 10 * N * sizeof(float));
  for (int i = 0; i < 10; ++i)
    cudaMemcpy(large + i * N, i ? a.in : a.more, N * sizeof(float), cudaMemcpyDeviceToDevice);
  return large + N;
}

unsigned char *bytes() { return table_of<unsigned char>({255, 156, 240, 7, 248, 192, 128, 100}); }
signed char *signed_bytes() { return table_of<signed char>({-1, -100, -16, -32, -8, -64, -128, -5}); }
} // namespace

static const Case cases[] = {
    {"low_byte_with_its_sign", [](const Arrays &a) { low_byte_with_its_sign<<<4, T>>>(a.out, a.in, 200); }},
    {"low_four_bits_of_an_unsigned_number",
     [](const Arrays &a) { low_four_bits_of_an_unsigned_number<<<4, T>>>(a.out, a.in, 13); }},
    {"lowest_bit_as_a_mask", [](const Arrays &a) { lowest_bit_as_a_mask<<<4, T>>>(a.out, a.in); }},
    {"byte_kept_as_an_int", [](const Arrays &a) { byte_kept_as_an_int<<<8, T>>>(a.out, a.in, bytes()); }},
    {"signed_byte_divided_in_place",
     [](const Arrays &a) { signed_byte_divided_in_place<<<8, T>>>(a.out, a.in, bytes()); }},
    {"signed_byte_shifted_in_place",
     [](const Arrays &a) { signed_byte_shifted_in_place<<<8, T>>>(a.out, a.in, bytes()); }},
    {"largest_of_unsigned_and_signed", [](const Arrays &a) { largest_of_unsigned_and_signed<<<4, T>>>(a.words); }},
    {"smallest_of_unsigned_and_signed",
     [](const Arrays &a) { smallest_of_unsigned_and_signed<<<4, T>>>((unsigned *)a.ints); }},
    {"smallest_of_unsigned_and_signed_of_64_bits",
     [](const Arrays &a) { smallest_of_unsigned_and_signed_of_64_bits<<<4, T>>>((unsigned long long *)a.words); }},
    {"largest_of_signed_and_unsigned", [](const Arrays &a) { largest_of_signed_and_unsigned<<<4, T>>>(a.ints); }},
    {"quads_by_a_table",
     [](const Arrays &a) {
       quads_by_a_table<<<4, T>>>(a.out, table_of<const float *>({a.in, a.more, a.in + 512, a.more + 256}));
     }},
    {"quads_by_a_constant",
     [](const Arrays &a) {
       cudaMemcpyToSymbol(constant_pointer, &a.in, sizeof a.in);
       quads_by_a_constant<<<4, T>>>(a.out);
     }},
    {"quads_by_a_variable_of_the_device",
     [](const Arrays &a) {
       cudaMemcpyToSymbol(device_pointer, &a.in, sizeof a.in);
       quads_by_a_variable_of_the_device<<<4, T>>>(a.out);
     }},
    {"quads_stored_by_a_table",
     [](const Arrays &a) {
       quads_stored_by_a_table<<<4, T>>>(table_of<float *>({a.out, a.out + 2048, a.out + 4096, a.out + 6144}));
     }},
    {"signed_byte_beside_the_counter",
     [](const Arrays &a) { signed_byte_beside_the_counter<<<1, T>>>(a.out, a.in); }},
    {"byte_in_the_head_beside_the_counter",
     [](const Arrays &a) { byte_in_the_head_beside_the_counter<<<1, T>>>(a.out, a.in); }},
    {"signed_byte_in_a_ring", [](const Arrays &a) { signed_byte_in_a_ring<<<1, T>>>(a.out, a.in); }},
    {"signed_byte_of_a_producer", [](const Arrays &a) { signed_byte_of_a_producer<<<1, T>>>(a.out, a.in); }},
    {"bit_assigned_to_a_bit", [](const Arrays &a) { bit_assigned_to_a_bit<<<4, T>>>(a.out, a.in); }},
    {"bit_assigned_to_a_named_bit", [](const Arrays &a) { bit_assigned_to_a_named_bit<<<4, T>>>(a.out, a.in); }},
    {"ring_of_rows_read_backwards",
     [](const Arrays &a) { ring_of_rows_read_backwards<<<1, T>>>(a.out, a.in + 2048, 3); }},
    {"ring_of_rows_into_a_turned_tile",
     [](const Arrays &a) {
       ring_of_rows_into_a_turned_tile<<<1, T>>>(a.out, a.in + 2048, 252);
       ring_of_rows_into_a_turned_tile<<<1, T>>>(a.buf, a.in + 2048, -4);
     }},
    {"byte_index_with_a_negative_pitch",
     [](const Arrays &a) { byte_index_with_a_negative_pitch<<<1, T>>>(a.out, a.in + 1024, 64, -32); }},
    {"index_of_16_bits_with_a_negative_pitch",
     [](const Arrays &a) { index_of_16_bits_with_a_negative_pitch<<<1, T>>>(a.out, large_array(a), 128, -64); }},
    {"signed_byte_kept_in_16_bits",
     [](const Arrays &a) { signed_byte_kept_in_16_bits<<<8, T>>>(a.out, a.in, signed_bytes()); }},
    {"word_kept_as_a_size",
     [](const Arrays &a) {
       word_kept_as_a_size<<<4, T>>>(a.out, a.in, table_of<unsigned>({~0u, 0u - 64, 5, 0u - 3}));
     }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
