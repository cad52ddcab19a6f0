// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++20 %s
// RUN: %tilelift --check --remarks %s -- -std=c++20 2>&1 | grep -c Wtilelift-lifted | grep -x 9
//
// Numbers with a sign that are shifted to the left until they come out with another one: in guards, in what is chosen
// before the copy, and in rows that are looked up. Each is launched with a number that keeps its sign and with ones that
// do not.
#include "Inputs/arrays.h"

namespace {
__device__ void use(float *out, const float (&tile)[8][32]) {
  for (int i = threadIdx.x; i < 256; i += T) out[i] = tile[7 - i / 32][i % 32];
}

// Parts of a number with their signs.
__global__ void up_to_the_low_half(float *__restrict__ out, const float *__restrict__ in, long long n) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = i / 32 < ((n << 48) >> 48) ? in[i / 32 * 64 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}
__global__ void up_to_the_low_half_of_int(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = i / 32 < ((n << 16) >> 16) ? in[i / 32 * 64 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}
__global__ void chosen_by_the_low_word(float *__restrict__ out, const float *__restrict__ in, long long n) {
  __shared__ float tile[8][32];
  const int y = ((n << 32) >> 32) < 0 ? 1 : 6;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[(y + i / 32) * 64 + i % 32];
  __syncthreads();
  use(out, tile);
}

// A bit as a sign.
__global__ void with_bit_15(float *__restrict__ out, const float *__restrict__ in, long long n) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = (n << 48) >= 0 ? in[i / 32 * 64 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}
__global__ void with_bit_of_the_block(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = (n << (blockIdx.x + 28)) >= 0 ? in[i / 32 * 64 + i % 32] : 0.f;
  __syncthreads();
  use(out + blockIdx.x * 256, tile);
}
__global__ void with_bit_of_the_block_of_long(float *__restrict__ out, const float *__restrict__ in, long long n) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = (n << (blockIdx.x + 28)) >= 0 ? in[i / 32 * 64 + i % 32] : 0.f;
  __syncthreads();
  use(out + blockIdx.x * 256, tile);
}

// Rows.
__global__ void row_in_the_low_word(float *__restrict__ out, const float *__restrict__ in,
                                    const long long *__restrict__ packed) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const long long row = (packed[i / 32] << 32) >> 32;
    tile[i / 32][i % 32] = row >= 0 ? in[row * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}
__global__ void rows_by_mask(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ rows,
                             int mask) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const int r = blockIdx.x * 8 + i / 32;
    tile[i / 32][i % 32] = (mask << (30 - r)) >= 0 ? in[rows[r] * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}

// A stride of a power of two, which loses no bits.
__global__ void rows_of_a_power(float *__restrict__ out, const float *__restrict__ in, long long log) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = in[((long long)(i / 32) << log) + i % 32];
  __syncthreads();
  use(out, tile);
}

const long long *packed_rows() {
  static long long *rows = nullptr;
  // The word above a row is another number's. Shifting it out is what the kernel is for.
  const long long numbers[8] = {1, 0xffffffffll, 3, 2, 9, 0xfffffff0ll, 0, 5};
  if (!rows) cudaMalloc(&rows, sizeof numbers);
  cudaMemcpy(rows, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  return rows;
}
const int *row_numbers() {
  static int *rows = nullptr;
  const int numbers[8] = {4, 1, 7, 0, 2, 11, 3, 6};
  if (!rows) cudaMalloc(&rows, sizeof numbers);
  cudaMemcpy(rows, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  return rows;
}
} // namespace

#define WITH_EACH(kernel, blocks)                                                                                      \
  {#kernel, [](const Arrays &a) {                                                                                      \
     kernel<<<blocks, T>>>(a.out, a.in, 3);                                                                            \
     kernel<<<blocks, T>>>(a.out + 1024, a.in, 0xfffd);                                                                \
     kernel<<<blocks, T>>>(a.out + 2048, a.in, 0x8003);                                                                \
     kernel<<<blocks, T>>>(a.out + 3072, a.in, 1);                                                                     \
   }}

static const Case cases[] = {
    WITH_EACH(up_to_the_low_half, 1),
    WITH_EACH(up_to_the_low_half_of_int, 1),
    WITH_EACH(with_bit_15, 1),
    WITH_EACH(with_bit_of_the_block, 4),
    {"with_bit_of_the_block_of_long",
     [](const Arrays &a) {
       with_bit_of_the_block_of_long<<<4, T>>>(a.out, a.in, 1ll << 32);
       with_bit_of_the_block_of_long<<<4, T>>>(a.out + 1024, a.in, 1ll << 35);
       with_bit_of_the_block_of_long<<<4, T>>>(a.out + 2048, a.in, 5);
     }},
    {"chosen_by_the_low_word",
     [](const Arrays &a) {
       chosen_by_the_low_word<<<1, T>>>(a.out, a.in, 5);
       chosen_by_the_low_word<<<1, T>>>(a.out + 256, a.in, 0x80000000ll);
       chosen_by_the_low_word<<<1, T>>>(a.out + 512, a.in, 0xffffffffll);
     }},
    {"row_in_the_low_word", [](const Arrays &a) { row_in_the_low_word<<<1, T>>>(a.out, a.in, packed_rows()); }},
    {"rows_by_mask",
     [](const Arrays &a) {
       for (int mask : {1, 2, 3, 0})
         rows_by_mask<<<1, T>>>(a.out + mask * 256, a.in, row_numbers(), mask);
     }},
    {"rows_of_a_power",
     [](const Arrays &a) {
       rows_of_a_power<<<1, T>>>(a.out, a.in, 5);
       rows_of_a_power<<<1, T>>>(a.out + 256, a.in, 7);
     }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
