// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %tilelift --remarks %s -o %t.cu 2>&1 | grep -c "remark: the copies of this loop are made up to" | grep -x 10
//
// Loops for which no pragma asks for a pipeline. In the first nine, copies are made ahead, but for the second loop of a row, of their rounds; in the others they
// must not be.
#include "Inputs/arrays.h"

#include <cuda_fp16.h>
#include <mma.h>

// Both loops of a nest, of which the inner one runs anew for each round of the outer one.
__global__ void nested(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  for (int y = 0; y < n; ++y)
  {
    for (int x = y; x < n; ++x) {
#pragma tma load
      tile[threadIdx.x] = in[(y * n + x) * T + threadIdx.x];
      __syncthreads();
      sum = 2 * sum + tile[T - 1 - threadIdx.x];
      __syncthreads();
    }
  }
  out[threadIdx.x] = sum;
}
// Two loops in a row that fill the same tile.
__global__ void in_a_row(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ more, int n) {
  __shared__ float first[T], second[T];
  float sum = 0;
  for (int x = 0; x < n; ++x) {
#pragma tma load
    first[threadIdx.x] = in[x * T + threadIdx.x];
    __syncthreads();
    sum = 2 * sum + first[T - 1 - threadIdx.x];
    __syncthreads();
  }
  for (int x = n; x-- > 0;) {
#pragma tma load
    second[threadIdx.x] = more[x * T + threadIdx.x];
    __syncthreads();
    sum = 2 * sum + second[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// No round.
__global__ void none(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[T];
  float sum = 0;
#pragma unroll 2
  for (int x = 0; x < n; ++x) {
#pragma tma load
    tile[threadIdx.x] = in[x * T + threadIdx.x];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * T + threadIdx.x] = sum;
}
// A copy that some rounds make, by a pointer that all of them move.
__global__ void some_rounds(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  int x = 0;
  while (x < n) {
    if (x % 3 != 1) {
#pragma tma load
      tile[threadIdx.x] = in[threadIdx.x];
      __syncthreads();
      sum = 2 * sum + tile[T - 1 - threadIdx.x];
      __syncthreads();
    }
    in += T;
    ++x;
  }
  out[threadIdx.x] = sum;
}
// A tile beside one that cannot be lifted, and a store in the loop.
__global__ void beside(float *__restrict__ out, float *__restrict__ buf, const float *__restrict__ in, int n) {
  __shared__ float tile[T], other[T];
  for (int x = 0; x < n; ++x) {
#pragma tma load
    tile[threadIdx.x] = in[x * T + threadIdx.x];
    other[T - 1 - threadIdx.x] = in[x * T + threadIdx.x / 2];
    __syncthreads();
    other[threadIdx.x] += tile[T - 1 - threadIdx.x];
    __syncthreads();
#pragma tma store
    out[x * T + threadIdx.x] = other[threadIdx.x];
    __syncthreads();
  }
  buf[threadIdx.x] = other[threadIdx.x];
}
template <int Step> __global__ void instances(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  for (int x = 0; x < n; x += Step) {
#pragma tma load
    tile[threadIdx.x] = in[x * T + threadIdx.x];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// A function gets the tile's address, and reads fragments of a matrix there.
using Sums = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;
__device__ void multiply(Sums &sums, const half *matrix) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, col_major> right;
  load_matrix_sync(left, matrix, 16);
  load_matrix_sync(right, matrix, 16);
  mma_sync(sums, left, right, sums);
}
__global__ void to_a_function(float *__restrict__ out, const half *__restrict__ in, int n) {
  __shared__ half tile[16][16];
  Sums sums;
  nvcuda::wmma::fill_fragment(sums, 0.0f);
  for (int x = 0; x < n; ++x) {
#pragma tma load
    for (int i = threadIdx.x; i < 256; i += T)
      tile[i / 16][i % 16] = in[x * 256 + i];
    __syncthreads();
    multiply(sums, &tile[0][0]);
    __syncthreads();
  }
  nvcuda::wmma::store_matrix_sync(out + threadIdx.x / 32 * 256, sums, 16, nvcuda::wmma::mem_row_major);
}
// The threads copy in rounds whose rows do not start on 16 bytes.
__global__ void some_by_threads(float *__restrict__ out, const float *__restrict__ in, int n, int pitch) {
  __shared__ float tile[T];
  float sum = 0;
  for (int x = 0; x < n; ++x) {
#pragma tma load
    tile[threadIdx.x] = in[x * pitch + threadIdx.x];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// What is asked of the tile's address has the same answer in all stages.
__device__ float last_of(const float *from, const float *end) {
  float sum = 0;
  for (const float *at = from; at != end; ++at)
    sum = 2 * sum + *at;
  return from && (size_t(end) & 15) == 0 ? sum : 0;
}
__global__ void asked_of_the_address(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  for (int x = 0; x < n; ++x) {
#pragma tma load
    tile[threadIdx.x] = in[x * T + threadIdx.x];
    __syncthreads();
    sum += last_of(tile + threadIdx.x / 4 * 4, tile + T);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// The tile's address is the same in all rounds, which what is done depends on.
__device__ bool is_odd(const float *tile) { return ((size_t)tile & 512) != 0; }
__global__ void remembers_the_address(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  bool was_odd = false;
  for (int x = 0; x < n; ++x) {
#pragma tma load
    tile[threadIdx.x] = in[x * T + threadIdx.x];
    __syncthreads();
    if (x == 0)
      was_odd = is_odd(tile);
    sum = 2 * sum + tile[T - 1 - threadIdx.x] + (is_odd(tile) == was_odd ? 0 : 1000);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void reads_where_the_first_round_did(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  unsigned at = 0;
  for (int x = 0; x < n; ++x) {
#pragma tma load
    tile[threadIdx.x] = in[x * T + threadIdx.x];
    __syncthreads();
    if (x == 0)
      for (int bit = 0; bit < 20; ++bit)
        if ((unsigned)__cvta_generic_to_shared(tile) >> bit & 1)
          at |= 1u << bit;
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(at + 4 * threadIdx.x) : "memory");
    sum = 2 * sum + tile[T - 1 - threadIdx.x] + value;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__constant__ float by_address[4] = {1, 2, 3, 4};
__global__ void looks_up_by_the_address(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[T];
  float sum = 0, first = 0;
  for (int x = 0; x < n; ++x) {
#pragma tma load
    tile[threadIdx.x] = in[x * T + threadIdx.x];
    __syncthreads();
    const float found = by_address[(size_t)tile >> 9 & 3];
    first = x == 0 ? found : first;
    sum = 2 * sum + tile[T - 1 - threadIdx.x] + (found - first);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// With two tiles, and what lies outside of the kernel, the block would have more memory than there is.
__shared__ float of_the_file[9200];
__global__ void beside_an_array(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[1536];
  of_the_file[threadIdx.x] = 1;
  float sum = 0;
  for (int x = 0; x < n; ++x) {
#pragma tma load
    for (int i = threadIdx.x; i < 1536; i += T)
      tile[i] = in[x * T + i];
    __syncthreads();
    sum = 2 * sum + tile[1535 - threadIdx.x] + of_the_file[threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__device__ __noinline__ float of_a_function(float value) {
  __shared__ float values[10000];
  values[threadIdx.x] = value;
  __syncthreads();
  return values[T - 1 - threadIdx.x];
}
__global__ void beside_a_function(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[1024];
  float sum = 0;
  for (int x = 0; x < n; ++x) {
#pragma tma load
    for (int i = threadIdx.x; i < 1024; i += T)
      tile[i] = in[x * T + i];
    __syncthreads();
    sum = 2 * sum + of_a_function(tile[1023 - threadIdx.x]);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// A round reads what the one before it wrote.
__global__ void through_memory(float *out, float *buf, int n) {
  __shared__ float tile[T];
  for (int x = 0; x < n; ++x) {
#pragma tma load
    tile[threadIdx.x] = buf[x * T + threadIdx.x];
    __syncthreads();
    buf[(x + 1) * T + threadIdx.x] = 1 + tile[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = buf[n * T + threadIdx.x];
}
// The tile is used behind the loop.
__global__ void used_behind(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[T];
  float sum = 0;
  for (int x = 0; x < n; ++x) {
    __syncthreads();
#pragma tma load
    tile[threadIdx.x] = in[x * T + threadIdx.x];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - threadIdx.x];
  }
  out[threadIdx.x] = sum + tile[threadIdx.x];
}
// Rounds leave what earlier ones brought.
__global__ void kept(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[2 * T];
  float sum = 0;
  tile[threadIdx.x] = tile[T + threadIdx.x] = 1;
  __syncthreads();
  for (int x = 0; x < n; ++x) {
#pragma tma load
    if (x * T + threadIdx.x < 3 * T)
      tile[threadIdx.x] = in[x * T + threadIdx.x];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - threadIdx.x] + tile[T + threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// The loop may be left in the middle.
__global__ void left(float *__restrict__ out, const float *__restrict__ in, int n, int last) {
  __shared__ float tile[T];
  float sum = 0;
  for (int x = 0; x < n; ++x) {
#pragma tma load
    tile[threadIdx.x] = in[x * T + threadIdx.x];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - threadIdx.x];
    __syncthreads();
    if (x == last)
      break;
  }
  out[threadIdx.x] = sum;
}
// What is to be copied is found in memory that the loop changes.
__global__ void looked_up(float *__restrict__ out, const float *__restrict__ in, int *which, int n) {
  __shared__ float tile[T];
  float sum = 0;
  for (int x = 0; x < n; ++x) {
#pragma tma load
    tile[threadIdx.x] = in[which[0] % 8 * T + threadIdx.x];
    __syncthreads();
    sum = 2 * sum + tile[T - 1 - threadIdx.x];
    if (threadIdx.x == 0)
      which[0] += x;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

const Case cases[] = {
    {"nested", [](const Arrays &a) { nested<<<1, T>>>(a.out, a.in, 5); }},
    {"in_a_row", [](const Arrays &a) { in_a_row<<<1, T>>>(a.out, a.in, a.more, 5); }},
    {"none", [](const Arrays &a) { none<<<4, T>>>(a.out, a.in, 0); }},
    {"some_rounds", [](const Arrays &a) { some_rounds<<<1, T>>>(a.out, a.in, 11); }},
    {"beside", [](const Arrays &a) { beside<<<1, T>>>(a.out, a.buf, a.in, 7); }},
    {"instances", [](const Arrays &a) { instances<1><<<1, T>>>(a.out, a.in, 7); }},
    {"instances by threes", [](const Arrays &a) { instances<3><<<1, T>>>(a.out, a.in, 7); }},
    {"to_a_function", [](const Arrays &a) { to_a_function<<<1, T>>>(a.out, (const half *)a.in, 7); }},
    {"some_by_threads", [](const Arrays &a) { some_by_threads<<<1, T>>>(a.out, a.in, 9, T + 2); }},
    {"asked_of_the_address", [](const Arrays &a) { asked_of_the_address<<<1, T>>>(a.out, a.in, 7); }},
    {"remembers_the_address", [](const Arrays &a) { remembers_the_address<<<1, T>>>(a.out, a.in, 7); }},
    {"reads_where_the_first_round_did", [](const Arrays &a) { reads_where_the_first_round_did<<<1, T>>>(a.out, a.in, 7); }},
    {"looks_up_by_the_address", [](const Arrays &a) { looks_up_by_the_address<<<1, T>>>(a.out, a.in, 7); }},
    {"beside_an_array", [](const Arrays &a) { beside_an_array<<<1, T>>>(a.out, a.in, 5); }},
    {"beside_a_function", [](const Arrays &a) { beside_a_function<<<1, T>>>(a.out, a.in, 5); }},
    {"through_memory", [](const Arrays &a) { through_memory<<<1, T>>>(a.out, a.buf, 7); }},
    {"used_behind", [](const Arrays &a) { used_behind<<<1, T>>>(a.out, a.in, 7); }},
    {"kept", [](const Arrays &a) { kept<<<1, T>>>(a.out, a.in, 7); }},
    {"left", [](const Arrays &a) { left<<<1, T>>>(a.out, a.in, 7, 4); }},
    {"looked_up", [](const Arrays &a) { looked_up<<<1, T>>>(a.out, a.in, a.ints, 7); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
