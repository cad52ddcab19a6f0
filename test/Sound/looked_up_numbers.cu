// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=3 -std=c++17 %s
// RUN: %tilelift --remarks %s -o %t.cu -- -std=c++17 2>&1 | grep -c Wtilelift-lifted | grep -x 9
//
// Tables of rows whose entries are converted before a guard asks them: unsigned ones that are read as signed, long ones
// of which only a part is the row. What the conversion needs to be exact is asked of each entry, also of one that the
// guard would leave out if the conversion were exact.
#include "Inputs/arrays.h"

#include <initializer_list>

namespace {
template <typename Number> const Number *table_of(std::initializer_list<Number> numbers) {
  Number *table;
  cudaMalloc((void **)&table, numbers.size() * sizeof(Number));
  cudaMemcpy(table, numbers.begin(), numbers.size() * sizeof(Number), cudaMemcpyHostToDevice);
  return table;
}
typedef unsigned long long u64;
constexpr u64 key = 0xabcdef01ull << 32; // has the highest bit set

__device__ void use(float *out, const float (&tile)[8][32]) {
  for (int i = threadIdx.x; i < 256; i += T) out[i] = tile[i % 8][i / 8];
}

// An entry has a key in its upper half and a row in its lower half, or is none.
__global__ void row_under_a_key(float *out, const float *__restrict__ in, const u64 *__restrict__ entries) {
  __shared__ alignas(128) float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = entries[i / 32] != ~0ull ? in[(unsigned)entries[i / 32] * 32 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}
__global__ void masked_row_under_a_key(float *out, const float *__restrict__ in, const u64 *__restrict__ entries) {
  __shared__ alignas(128) float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = entries[i / 32] != ~0ull ? in[(entries[i / 32] & 127) * 32 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}
__global__ void entry_that_is_not_zero(float *out, const float *__restrict__ in, const u64 *__restrict__ entries) {
  __shared__ alignas(128) float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const u64 entry = entries[i / 32];
    const int row = int(entry);
    tile[i / 32][i % 32] = entry ? in[row * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}

// The table ends within the tile. Of a row behind its end nothing is looked up, whatever is asked of the others.
__global__ void row_under_a_key_before_the_end(float *out, const float *__restrict__ in, const u64 *__restrict__ entries,
                                               int count) {
  __shared__ alignas(128) float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const u64 entry = i / 32 < count ? entries[i / 32] : ~0ull;
    tile[i / 32][i % 32] = entry != ~0ull ? in[(unsigned)entry * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}

// The largest unsigned entry is -1, which is below any number of rows.
__global__ void unsigned_row_below(float *out, const float *__restrict__ in, const unsigned *__restrict__ rows, int n) {
  __shared__ alignas(128) float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T)
    tile[i / 32][i % 32] = (int)rows[i / 32] < n ? in[((int)rows[i / 32] + 1) * 32 + i % 32] : 0.f;
  __syncthreads();
  use(out, tile);
}
__global__ void unsigned_row_in_a_variable(float *out, const float *__restrict__ in, const unsigned *__restrict__ rows,
                                           int n) {
  __shared__ alignas(128) float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const int row = rows[i / 32];
    tile[i / 32][i % 32] = row < n ? in[(row + 1) * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}

// Flags lie in the upper half of a signed entry.
__global__ void lower_half_below(float *out, const float *__restrict__ in, const long long *__restrict__ rows, int n) {
  __shared__ alignas(128) float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    const int row = int(rows[i / 32]);
    tile[i / 32][i % 32] = row < n ? in[row * 32 + i % 32] : 0.f;
  }
  __syncthreads();
  use(out, tile);
}

// The same where rows are stored, or added to others.
__global__ void stored_under_a_key(float *out, const float *__restrict__ in, const u64 *__restrict__ entries) {
  __shared__ alignas(128) float tile[8][32];
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[i] + 1;
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 256; i += T)
    if (entries[i / 32] != ~0ull) out[(entries[i / 32] & 127) * 32 + i % 32] = tile[i / 32][i % 32];
}
__global__ void added_under_a_key(float *out, const float *__restrict__ in, const u64 *__restrict__ entries) {
  __shared__ alignas(128) float tile[8][32];
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[i] + 1;
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < 256; i += T)
    if (entries[i / 32] != ~0ull) out[(entries[i / 32] & 127) * 32 + i % 32] += tile[i / 32][i % 32];
}

const u64 *entries_with_keys() { return table_of<u64>({key | 1, ~0ull, key | 3, 2, 9, key | 90, 7, key | 5}); }
const u64 *entries_without_keys() { return table_of<u64>({1, ~0ull, 3, 2, 9, 90, 7, 5}); }
const unsigned *unsigned_rows() { return table_of<unsigned>({1, 0xffffffffu, 3, 2, 9, 90, 0, 5}); }
} // namespace

static const Case cases[] = {
    {"row_under_a_key", [](const Arrays &a) { row_under_a_key<<<1, T>>>(a.out, a.in, entries_with_keys()); }},
    {"row_without_a_key", [](const Arrays &a) { row_under_a_key<<<1, T>>>(a.out, a.in, entries_without_keys()); }},
    {"masked_row_under_a_key",
     [](const Arrays &a) { masked_row_under_a_key<<<1, T>>>(a.out, a.in, entries_with_keys()); }},
    {"masked_row_without_a_key",
     [](const Arrays &a) { masked_row_under_a_key<<<1, T>>>(a.out, a.in, entries_without_keys()); }},
    {"entry_that_is_not_zero",
     [](const Arrays &a) {
       entry_that_is_not_zero<<<1, T>>>(a.out, a.in, table_of<u64>({key | 1, 4, key | 3, 2, 9, key | 90, 0, key | 5}));
     }},
    {"row_under_a_key_before_the_end",
     [](const Arrays &a) {
       row_under_a_key_before_the_end<<<1, T>>>(a.out, a.in, table_of<u64>({key | 1, ~0ull, key | 3, 2, 9}), 5);
     }},
    {"row_without_a_key_before_the_end",
     [](const Arrays &a) {
       row_under_a_key_before_the_end<<<1, T>>>(a.out, a.in, table_of<u64>({1, ~0ull, 3, 2, 9}), 5);
     }},
    {"unsigned_row_below", [](const Arrays &a) { unsigned_row_below<<<1, T>>>(a.out, a.in, unsigned_rows(), 50); }},
    {"unsigned_row_in_a_variable",
     [](const Arrays &a) { unsigned_row_in_a_variable<<<1, T>>>(a.out, a.in, unsigned_rows(), 50); }},
    {"lower_half_below",
     [](const Arrays &a) {
       lower_half_below<<<1, T>>>(a.out, a.in, table_of<long long>({1, 4, 1ll << 40 | 3, 2, 9, 1ll << 32 | 90, 0, 5}),
                                  100);
     }},
    {"stored_under_a_key", [](const Arrays &a) { stored_under_a_key<<<1, T>>>(a.out, a.in, entries_with_keys()); }},
    {"added_under_a_key", [](const Arrays &a) { added_under_a_key<<<1, T>>>(a.buf, a.in, entries_with_keys()); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
