// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 23
//
// Unsigned numbers of 64 bits that are too large for signed ones, such as SIZE_MAX for "none": in guards, in rows that
// are left out, in checks for overflow, in quotients, in products of two numbers of 32 bits, and in what is chosen before
// the copy.
// Each kernel is launched with a small number and with large ones.
#include "Inputs/arrays.h"

namespace {
constexpr size_t none = size_t(-1);

__device__ void use(float *out, const float (&tile)[8][32]) {
  for (int i = threadIdx.x; i < 256; i += T) out[i] = tile[7 - i / 32][i % 32];
}

// Guards of the whole copy.
__global__ void plus_one_is_not_zero(float *__restrict__ out, const float *__restrict__ in, size_t m) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = m + 1 != 0 ? in[i / 32 * 64 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}
__global__ void is_none(float *__restrict__ out, const float *__restrict__ in, size_t m) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = m + 1 == 0 ? in[i / 32 * 64 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}
__global__ void is_more_than_five(float *__restrict__ out, const float *__restrict__ in, size_t m) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = m > 5 ? in[i / 32 * 64 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}
__global__ void up_to(float *__restrict__ out, const float *__restrict__ in, size_t m) {
  __shared__ float tile[8][32];
#pragma tma load
  for (size_t i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = i < m ? in[i] : 0.f;
  __syncthreads();
  use(out, tile);
}

// The first row.
__global__ void chosen_by_none(float *__restrict__ out, const float *__restrict__ in, size_t m) {
  __shared__ float tile[8][32];
  const int y = m == none ? 1 : 6;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[(y + i / 32) * 64 + i % 32];
  __syncthreads();
  use(out, tile);
}
__global__ void chosen_by_a_sum(float *__restrict__ out, const float *__restrict__ in, size_t m) {
  __shared__ float tile[8][32];
  const int y = m + 1 > 0 ? 1 : 6;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[(y + i / 32) * 64 + i % 32];
  __syncthreads();
  use(out, tile);
}
__global__ void chosen_by_a_check_for_overflow(float *__restrict__ out, const float *__restrict__ in, size_t m) {
  __shared__ float tile[8][32];
  const int y = m + 5 < m ? 1 : 6;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[(y + i / 32) * 64 + i % 32];
  __syncthreads();
  use(out, tile);
}
__global__ void chosen_by_a_truth(float *__restrict__ out, const float *__restrict__ in, size_t m) {
  __shared__ float tile[8][32];
  const int y = !(m + 1) ? 1 : 6;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[(y + i / 32) * 64 + i % 32];
  __syncthreads();
  use(out, tile);
}
__global__ void leaves_at_zero(float *__restrict__ out, const float *__restrict__ in, size_t m) {
  __shared__ float tile[8][32];
  if (m == 0) return;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[i / 32 * 64 + i % 32];
  __syncthreads();
  use(out, tile);
}

// Rows that are looked up, some of which are none.
__global__ void rows_plus_one(float *__restrict__ out, const float *__restrict__ in, const size_t *__restrict__ rows) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = rows[i / 32] + 1 != 0 ? in[rows[i / 32] * 32 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}
__global__ void rows_unless_none(float *__restrict__ out, const float *__restrict__ in, const size_t *__restrict__ rows) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const size_t row = rows[i / 32];
    tile[i / 32][i % 32] = row != none ? in[row * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}
__global__ void rows_below(float *__restrict__ out, const float *__restrict__ in, const size_t *__restrict__ rows,
                           size_t n) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = rows[i / 32] < n ? in[rows[i / 32] * 32 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}

// A part of a view, which goes on to the end where no length is given.
struct View {
  const float *data;
  size_t size;
  __device__ View part(size_t first, size_t length = none) const {
    if (length == none) return {data + first, size - first};
    return {data + first, length};
  }
};
__global__ void part_of_a_view(float *__restrict__ out, const float *__restrict__ in, size_t m) {
  __shared__ float tile[8][32];
  const View part = View{in, 4096}.part(64);
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = part.data[i];
  __syncthreads();
  use(out, tile);
  if (m == 3) out[0] = part.size;
}

// A product of two numbers of 32 bits may be too large for a signed number of 64 bits.
using u64 = unsigned long long;
__global__ void bits_of_a_hash(float *__restrict__ out, const float *__restrict__ in, unsigned n) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[((u64(n) * 0x9E3779B9u) >> 59) * 32 + i];
  __syncthreads();
  use(out, tile);
}
__global__ void bits_of_a_hash_of_a_key(float *__restrict__ out, const float *__restrict__ in,
                                        const unsigned *__restrict__ keys) {
  __shared__ float tile[8][32];
  const u64 hash = u64(keys[blockIdx.x]) * 0x9E3779B9u;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[(hash >> 59) * 32 + i];
  __syncthreads();
  use(out + blockIdx.x * 256, tile);
}
__global__ void quotient_of_a_product(float *__restrict__ out, const float *__restrict__ in, unsigned n, unsigned m) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[(u64(n) * m) / (1ull << 59) * 32 + i];
  __syncthreads();
  use(out, tile);
}
__global__ void upper_word_of_a_product(float *__restrict__ out, const float *__restrict__ in, unsigned n, unsigned m) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[(unsigned(u64(n) * m >> 32) >> 27) * 32 + i];
  __syncthreads();
  use(out, tile);
}
__global__ void chosen_by_a_product(float *__restrict__ out, const float *__restrict__ in, unsigned n, unsigned m) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[(u64(n) * m > (1ull << 62) ? 3 : 4) * 32 + i];
  __syncthreads();
  use(out, tile);
}

// The launcher divides before it has tested the numbers: 2^63 by 2^64 - 1 as much as the least signed number by -1,
// which no processor can, and which a kernel may leave out.
__global__ void first_row_is_a_quotient(float *__restrict__ out, const float *__restrict__ in, size_t m, size_t by) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const size_t row = m / by + i / 32;
    tile[i / 32][i % 32] = row < 40 ? in[row * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}
__global__ void first_row_is_a_rest(float *__restrict__ out, const float *__restrict__ in, size_t m, size_t by) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const size_t row = m % by + i / 32;
    tile[i / 32][i % 32] = row < 40 ? in[row * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}
__global__ void first_row_is_the_opposite(float *__restrict__ out, const float *__restrict__ in, size_t m, size_t by) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const size_t row = (m ^ ~size_t(0)) + i / 32;
    tile[i / 32][i % 32] = row < 40 ? in[row * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}
__global__ void first_row_has_a_bit_of_the_opposite(float *__restrict__ out, const float *__restrict__ in, size_t m,
                                                    size_t by) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const size_t row = (m ^ ~size_t(4)) + 120 + i / 32;
    tile[i / 32][i % 32] = row < 40 ? in[row * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}
__global__ void divides_by_what_is_positive(float *__restrict__ out, const float *__restrict__ in, long long m,
                                            long long by) {
  __shared__ float tile[8][32];
  if (by > 0) {
#pragma tma load
    for (int i = threadIdx.x; i < 256; i += T) {
      const long long j = m / by * 4 + i;
      tile[i / 32][i % 32] = j >= 0 && j < 3000 ? in[j] : 0.f;
    }
    __syncthreads();
    use(out, tile);
  }
}

const unsigned *keys() {
  static unsigned *keys = nullptr;
  const unsigned numbers[4] = {0xffffffffu, 12345, 0xfffffff0u, 7};
  if (!keys) cudaMalloc(&keys, sizeof numbers);
  cudaMemcpy(keys, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  return keys;
}
const size_t *table() {
  static size_t *rows = nullptr;
  const size_t numbers[8] = {1, none, 3, 2, 9, none, 0, 5};
  if (!rows) cudaMalloc(&rows, sizeof numbers);
  cudaMemcpy(rows, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  return rows;
}
} // namespace

#define WITH_EACH(kernel)                                                                                              \
  {#kernel, [](const Arrays &a) {                                                                                      \
     kernel<<<1, T>>>(a.out, a.in, 2);                                                                                 \
     kernel<<<1, T>>>(a.out + 256, a.in, 100);                                                                         \
     kernel<<<1, T>>>(a.out + 512, a.in, none);                                                                        \
     kernel<<<1, T>>>(a.out + 768, a.in, none - 2);                                                                    \
     kernel<<<1, T>>>(a.out + 1024, a.in, size_t(1) << 63);                                                            \
     kernel<<<1, T>>>(a.out + 1280, a.in, 0);                                                                          \
   }}

#define WITH_PRODUCTS(kernel)                                                                                          \
  {#kernel, [](const Arrays &a) {                                                                                      \
     kernel<<<1, T>>>(a.out, a.in, 0xffffffffu, 0xfffffff0u);                                                          \
     kernel<<<1, T>>>(a.out + 256, a.in, 0x7fffffffu, 0xfffffff0u);                                                    \
     kernel<<<1, T>>>(a.out + 512, a.in, 5, 7);                                                                        \
   }}

#define WITH_DIVISORS(kernel)                                                                                          \
  {#kernel, [](const Arrays &a) {                                                                                      \
     kernel<<<1, T>>>(a.out, a.in, 100, 7);                                                                            \
     kernel<<<1, T>>>(a.out + 256, a.in, 1ull << 63, none);                                                            \
     kernel<<<1, T>>>(a.out + 512, a.in, none, none);                                                                  \
     kernel<<<1, T>>>(a.out + 768, a.in, none, 1ull << 63);                                                            \
   }}

static const Case cases[] = {
    WITH_DIVISORS(first_row_is_a_quotient),
    WITH_DIVISORS(first_row_is_a_rest),
    WITH_DIVISORS(first_row_is_the_opposite),
    WITH_DIVISORS(first_row_has_a_bit_of_the_opposite),
    WITH_DIVISORS(divides_by_what_is_positive),
    {"bits_of_a_hash",
     [](const Arrays &a) {
       bits_of_a_hash<<<1, T>>>(a.out, a.in, 0xffffffffu);
       bits_of_a_hash<<<1, T>>>(a.out + 256, a.in, 12345);
     }},
    {"bits_of_a_hash_of_a_key", [](const Arrays &a) { bits_of_a_hash_of_a_key<<<4, T>>>(a.out, a.in, keys()); }},
    WITH_PRODUCTS(quotient_of_a_product),
    WITH_PRODUCTS(upper_word_of_a_product),
    WITH_PRODUCTS(chosen_by_a_product),
    WITH_EACH(plus_one_is_not_zero),
    WITH_EACH(is_none),
    WITH_EACH(is_more_than_five),
    WITH_EACH(up_to),
    WITH_EACH(chosen_by_none),
    WITH_EACH(chosen_by_a_sum),
    WITH_EACH(chosen_by_a_check_for_overflow),
    WITH_EACH(chosen_by_a_truth),
    WITH_EACH(leaves_at_zero),
    WITH_EACH(part_of_a_view),
    {"rows_plus_one", [](const Arrays &a) { rows_plus_one<<<1, T>>>(a.out, a.in, table()); }},
    {"rows_unless_none", [](const Arrays &a) { rows_unless_none<<<1, T>>>(a.out, a.in, table()); }},
    {"rows_below", [](const Arrays &a) { rows_below<<<1, T>>>(a.out, a.in, table(), 7); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
