// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 24
//
// Addresses of tiles, other shared memory and tensors are kept: in shared memory, in structs and arrays, as numbers, as
// bytes, from one round to the next, and in pairs that change places. Some kernels are harmless: what is kept is used
// within its round, or leads elsewhere.
#include "Inputs/arrays.h"
#include <cstddef>

struct Kept {
  float *p;
  int n;
};
__device__ inline unsigned number_of(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ inline float at_number(unsigned from) {
  return *static_cast<const float *>(__cvta_shared_to_generic(from));
}

// What an argument was before it was moved on is what another pointer keeps.
__global__ void argument_moved_on(float *out, const float *in, int pitch) {
  __shared__ float tile[4][96];
  const float *from = in;
  in += (blockIdx.y * 4 + threadIdx.x / 32) * pitch + threadIdx.x % 32;
#pragma tma load
  for (int i = 0; i < 2; i++)
    tile[threadIdx.x / 32][threadIdx.x % 32 + i * 32 + 16] = in[i * 32];
  if (threadIdx.x % 32 < 16)
    tile[threadIdx.x / 32][threadIdx.x % 32] = tile[threadIdx.x / 32][threadIdx.x % 32 + 80] = from[threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.x; i < 384; i += T)
    out[blockIdx.y * 384 + i] = tile[i % 4][i / 4];
}
__global__ void in_shared_memory_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float *where;
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 0) where = tile;
  __syncthreads();
  where[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void array_in_shared_memory_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[4][32];
  __shared__ float *rows[4];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t < 4) rows[t] = tile[3 - t];
  __syncthreads();
  rows[t / 32][t % 32] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t / 32][t % 32];
}

__global__ void in_a_struct_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Kept kept = {tile + (t ^ 1), 1};
  Kept again = kept;
  *again.p = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void struct_in_shared_memory_reads_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  __shared__ Kept kept;
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 0) kept = Kept{other, T};
  __syncthreads();
  float *p = kept.p;
  p[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1] + p[kept.n - 1 - t];
}

__global__ void as_size_t_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  size_t number = reinterpret_cast<size_t>(tile) + (T - 1 - t) * sizeof(float);
  *reinterpret_cast<float *>(number) = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void as_bytes_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  std::byte *bytes = reinterpret_cast<std::byte *>(&tile[T - 1 - t]);
  const std::byte *from = reinterpret_cast<const std::byte *>(in + at + t);
  for (int i = 0; i < 4; ++i) bytes[i] = from[i];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
}

__global__ void as_chars_read_from_other_array(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ int other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  char *chars = reinterpret_cast<char *>(other);
  for (int i = 0; i < 4; ++i) chars[4 * t + i] = i == 0 ? t : 0;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[t ^ 1] + chars[4 * (T - 1 - t)];
}

__global__ void source_ahead_as_bytes(float *__restrict__ out, std::byte *buf, int n) {
  __shared__ alignas(128) std::byte tile[4 * T];
  int t = threadIdx.x, at = blockIdx.x * 4 * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    for (int i = t; i < 4 * T; i += T) tile[i] = buf[k * 1024 + at + i];
    __syncthreads();
    sum += int(tile[4 * T - 1 - t]) & 7;
    reinterpret_cast<float *>(buf)[(k + 1) * 256 + at / 4 + t] = sum;
    __syncthreads();
  }
  out[at / 4 + t] = sum;
}

__global__ void element_of_first_round_kept(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *kept[2] = {nullptr, nullptr};
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    if (k < 2) kept[k] = &tile[(t + k) ^ 1];
    __syncthreads();
    sum = 2 * sum + *kept[0];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void number_of_first_round_kept(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  unsigned kept = 0;
  float sum = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    if (k == 0) kept = number_of(&tile[T - 1 - t]);
    __syncthreads();
    sum = 2 * sum + at_number(kept);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void struct_of_first_round_kept(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  Kept kept{};
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t / 32][t % 32] = in[k * 256 + at + t];
    if (!kept.p) kept.p = tile[3 - t / 32];
    __syncthreads();
    sum = 2 * sum + kept.p[t % 32];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void distance_between_rounds(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *first = nullptr;
  int sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    if (k == 0) first = tile;
    __syncthreads();
    sum = 2 * sum + int(&tile[t] - first) + int(tile[T - 1 - t]);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void address_is_a_result(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ unsigned seen[4];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    if (t == 0) seen[k & 3] = number_of(tile);
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum + (seen[0] == seen[1]) + (seen[1] == seen[3]);
}

__global__ void pair_of_tiles_changes_places(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float a[T];
  __shared__ alignas(128) float b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float *now = a, *then = b, sum = 0;
  then[t] = 1;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    now[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + now[T - 1 - t] - then[T - 1 - t];
    __syncthreads();
    float *c = now;
    now = then, then = c;
  }
  out[at + t] = sum;
}

__global__ void array_of_sources(float *__restrict__ out, const float *__restrict__ in,
                                 const float *__restrict__ more) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *from[2] = {in, more};
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
#pragma tma load fallback(loop)
    tile[t] = from[k & 1][k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void target_kept_in_shared_memory(float *out, float *buf, const float *in) {
  __shared__ alignas(128) float tile[T];
  __shared__ const float *results;
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[t] = in[at + t];
  if (t == 3) results = out + at;
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  __syncthreads();
  buf[at + t] = results[T - 1 - t];
}

__global__ void source_kept_as_a_number(float *out, float *buf, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  uintptr_t later = reinterpret_cast<uintptr_t>(buf + at + t);
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = buf[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    *reinterpret_cast<float *>(later + (k + 1) * 1024) = sum;
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void element_kept_within_its_round(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    const float *theirs = &tile[T - 1 - t];
    sum = 2 * sum + *theirs;
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void number_of_a_plain_tile(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  unsigned from = number_of(&tile[T - 1 - t]);
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + at_number(from);
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void pointer_to_another_array_kept(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float *mine = &other[t], sum = 0;
  *mine = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    *mine += tile[T - 1 - t];
    __syncthreads();
  }
  sum = other[T - 1 - t];
  out[at + t] = sum;
}

// Harmless.
__global__ void target_kept_and_stored_to_elsewhere(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float *later = out + 1024 + at;
  tile[t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  later[t] = t;
}

// Harmless.
__global__ void source_in_an_argument_struct(float *__restrict__ out, Kept kept) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = at + t < kept.n ? kept.p[at + t] : 0.f;
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

__global__ void last_rounds_element_kept(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *last = nullptr;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + (last ? *last : 1);
    last = tile + (T - 1 - t);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void kept_in_shared_memory_across_rounds(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  __shared__ const float *where;
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    if (k == 0 && t == 0) where = tile;
    __syncthreads();
    sum = 2 * sum + where[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void kept_by_producers_threads(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  size_t kept = 0;
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    if (!kept) kept = reinterpret_cast<size_t>(&tile[T - 1 - t]);
    sum = 2 * sum + *reinterpret_cast<const float *>(kept);
    __syncthreads();
  }
  out[at + t] = sum;
}

static const Case cases[] = {
    {"argument_moved_on", [](const Arrays &a) { argument_moved_on<<<dim3(1, 4), T>>>(a.out, a.in, 64); }},
    {"in_shared_memory_before_store", [](const Arrays &a) { in_shared_memory_before_store<<<2, T>>>(a.out, a.in); }},
    {"array_in_shared_memory_before_store",
     [](const Arrays &a) { array_in_shared_memory_before_store<<<2, T>>>(a.out, a.in); }},
    {"in_a_struct_before_store", [](const Arrays &a) { in_a_struct_before_store<<<2, T>>>(a.out, a.in); }},
    {"struct_in_shared_memory_reads_other_array",
     [](const Arrays &a) { struct_in_shared_memory_reads_other_array<<<2, T>>>(a.out, a.in); }},
    {"as_size_t_before_store", [](const Arrays &a) { as_size_t_before_store<<<2, T>>>(a.out, a.in); }},
    {"as_bytes_before_store", [](const Arrays &a) { as_bytes_before_store<<<2, T>>>(a.out, a.in); }},
    {"as_chars_read_from_other_array", [](const Arrays &a) { as_chars_read_from_other_array<<<2, T>>>(a.out, a.in); }},
    {"source_ahead_as_bytes", [](const Arrays &a) { source_ahead_as_bytes<<<2, T>>>(a.out, (std::byte *)a.buf, 4); }},
    {"element_of_first_round_kept", [](const Arrays &a) { element_of_first_round_kept<<<2, T>>>(a.out, a.in, 4); }},
    {"number_of_first_round_kept", [](const Arrays &a) { number_of_first_round_kept<<<2, T>>>(a.out, a.in, 4); }},
    {"struct_of_first_round_kept", [](const Arrays &a) { struct_of_first_round_kept<<<2, T>>>(a.out, a.in, 4); }},
    {"distance_between_rounds", [](const Arrays &a) { distance_between_rounds<<<2, T>>>(a.out, a.in, 4); }},
    {"address_is_a_result", [](const Arrays &a) { address_is_a_result<<<2, T>>>(a.out, a.in, 4); }},
    {"pair_of_tiles_changes_places", [](const Arrays &a) { pair_of_tiles_changes_places<<<2, T>>>(a.out, a.in, 4); }},
    {"array_of_sources", [](const Arrays &a) { array_of_sources<<<2, T>>>(a.out, a.in, a.more); }},
    {"target_kept_in_shared_memory",
     [](const Arrays &a) { target_kept_in_shared_memory<<<2, T>>>(a.out, a.buf, a.in); }},
    {"source_kept_as_a_number", [](const Arrays &a) { source_kept_as_a_number<<<2, T>>>(a.out, a.buf, 4); }},
    {"element_kept_within_its_round", [](const Arrays &a) { element_kept_within_its_round<<<2, T>>>(a.out, a.in, 4); }},
    {"number_of_a_plain_tile", [](const Arrays &a) { number_of_a_plain_tile<<<2, T>>>(a.out, a.in, 3); }},
    {"pointer_to_another_array_kept", [](const Arrays &a) { pointer_to_another_array_kept<<<2, T>>>(a.out, a.in, 4); }},
    {"target_kept_and_stored_to_elsewhere",
     [](const Arrays &a) { target_kept_and_stored_to_elsewhere<<<2, T>>>(a.out, a.in); }},
    {"source_in_an_argument_struct",
     [](const Arrays &a) { source_in_an_argument_struct<<<2, T>>>(a.out, Kept{a.in,256}); }},
    {"last_rounds_element_kept", [](const Arrays &a) { last_rounds_element_kept<<<2, T>>>(a.out, a.in, 5); }},
    {"kept_in_shared_memory_across_rounds",
     [](const Arrays &a) { kept_in_shared_memory_across_rounds<<<2, T>>>(a.out, a.in, 4); }},
    {"kept_by_producers_threads", [](const Arrays &a) { kept_by_producers_threads<<<2, T>>>(a.out, a.in, 4); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
