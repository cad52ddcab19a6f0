// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=5 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c "remark: lifted.*: \(gather\|scatter\) of 8 rows" | grep -x 21
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c "remark: lifted.*: gather of 2 rows: tile copies of 4 x 32" | grep -x 1
//
// Rows that a table looks up, and a mask in memory that says which of them are there. What the mask's type holds decides
// what its test means: of a number that is never negative, "not zero" is one bound, and the row may be looked up behind
// it.
#include "Inputs/arrays.h"

#include <initializer_list>

namespace {
constexpr int R = 8, C = 32; // rows and columns of a tile

template <class M> const M *mask_of(std::initializer_list<M> numbers) {
  M *mask;
  cudaMalloc(&mask, numbers.size() * sizeof(M));
  cudaMemcpy(mask, numbers.begin(), numbers.size() * sizeof(M), cudaMemcpyHostToDevice);
  return mask;
}

__device__ void use(float *out, const float (&tile)[R][C]) {
  for (int i = threadIdx.x; i < R * C; i += blockDim.x) out[blockIdx.x * R * C + i] = tile[R - 1 - i / C][i % C];
}

template <class M>
__global__ void rows_if(float *out, const float *__restrict__ in, const int *__restrict__ rows,
                        const M *__restrict__ mask) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    int q = blockIdx.x * R + i / C;
    tile[i / C][i % C] = mask[q] ? in[rows[q] * C + i % C] : 0;
  }
  __syncthreads();
  use(out, tile);
}

// Which thread looks up a row first says nothing about the columns that others copy of it.
template <int threads>
__global__ void columns_below(float *out, const float *__restrict__ in, const int *__restrict__ rows, int w) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += threads) {
    const int r = i / C, c = i % C;
    tile[r][c] = c < w ? in[rows[blockIdx.x * R + r] * C + c] : 0;
  }
  __syncthreads();
  use(out, tile);
}

// A row that its mask leaves out is no part of the tensor, however many of its elements the box of a row has in the
// outermost dimension: a page of four rows, and a stretch of a tensor of one dimension.
__global__ void pages_below(float *out, const float *__restrict__ in, const int *__restrict__ rows, int pages, int h) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    const int r = i / C, page = r / 4, y = rows[page] * 4 - 2 + r % 4;
    tile[r][i % C] = page < pages && y >= 0 && y < h ? in[y * C + i % C] : 0;
  }
  __syncthreads();
  use(out, tile);
}
__global__ void stretches_below(float *out, const float *__restrict__ in, const int *__restrict__ rows, int n,
                                long long end) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    const long long at = rows[i / C] * 4ll - 4 + i % C;
    tile[i / C][i % C] = i / C < n && at >= 0 && at < end ? in[at] : 0;
  }
  __syncthreads();
  use(out, tile);
}

template <class M>
__global__ void rows_if_above(float *out, const float *__restrict__ in, const int *__restrict__ rows,
                              const M *__restrict__ mask) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    int q = blockIdx.x * R + i / C;
    float value = 0;
    if (mask[q] > 1) {
      int row = rows[q];
      value = in[row * C + i % C];
    }
    tile[i / C][i % C] = value;
  }
  __syncthreads();
  use(out, tile);
}

__global__ void rows_if_odd(float *out, const float *__restrict__ in, const int *__restrict__ rows,
                            const int *__restrict__ mask) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    int q = blockIdx.x * R + i / C;
    tile[i / C][i % C] = mask[q] & 1 ? in[rows[q] * C + i % C] : 0;
  }
  __syncthreads();
  use(out, tile);
}

__global__ void rows_of_words(float *out, const float *__restrict__ in, const int *__restrict__ rows,
                              const unsigned *__restrict__ words) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    int q = blockIdx.x * R + i / C, row = rows[q];
    tile[i / C][i % C] = row >= 0 && (words[q / 32] >> (q % 32)) & 1 ? in[row * C + i % C] : 0;
  }
  __syncthreads();
  use(out, tile);
}

// The highest bit of a word without a sign is one like others.
__global__ void rows_of_long_words(float *out, const float *__restrict__ in,
                                   const unsigned long long *__restrict__ words) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    int q = blockIdx.x * R + i / C;
    tile[i / C][i % C] = (words[q / 64] & (1ull << (q % 64))) != 0 ? in[q * C + i % C] : 0;
  }
  __syncthreads();
  use(out, tile);
}

// What is not followed exactly wraps around, also more than once.
__global__ void doubled(float *out, const float *__restrict__ in, const unsigned long long *__restrict__ mask,
                        unsigned long long most) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64)
    tile[i / C][i % C] = mask[blockIdx.x * R + i / C] * 2 < most ? in[i] : 0;
  __syncthreads();
  use(out, tile);
}
__global__ void lowered(float *out, const float *__restrict__ in, const unsigned long long *__restrict__ mask,
                        unsigned long long most) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64)
    tile[i / C][i % C] = mask[blockIdx.x * R + i / C] - 5 < most ? in[i] : 0;
  __syncthreads();
  use(out, tile);
}
__global__ void doubled_is(float *out, const float *__restrict__ in, const unsigned long long *__restrict__ mask,
                           unsigned long long number) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64)
    tile[i / C][i % C] = mask[blockIdx.x * R + i / C] * 4 == number ? in[i] : 0;
  __syncthreads();
  use(out, tile);
}

// Of what is divided, or gets a sign, all bits count.
__global__ void thirds_of_doubled(float *out, const float *__restrict__ in, const unsigned long long *__restrict__ mask,
                                  unsigned long long most) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    unsigned long long number = mask[blockIdx.x * R + i / C];
    tile[i / C][i % C] = number * 2 / 3 < most ? in[i] : 0;
  }
  __syncthreads();
  use(out, tile);
}
__global__ void rest_of_doubled(float *out, const float *__restrict__ in, const unsigned long long *__restrict__ mask,
                                unsigned long long most) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    unsigned long long number = mask[blockIdx.x * R + i / C];
    tile[i / C][i % C] = number * 2 % 7 < most ? in[i] : 0;
  }
  __syncthreads();
  use(out, tile);
}
__global__ void bits_of_next(float *out, const float *__restrict__ in, const unsigned long long *__restrict__ mask,
                             unsigned long long most) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    unsigned long long number = mask[blockIdx.x * R + i / C];
    tile[i / C][i % C] = ((number + 1) | 6) < most ? in[i] : 0;
  }
  __syncthreads();
  use(out, tile);
}
__global__ void with_a_sign(float *out, const float *__restrict__ in, const unsigned long long *__restrict__ mask,
                            unsigned long long most) {
  __shared__ float tile[R][C];
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += 64) {
    unsigned long long number = mask[blockIdx.x * R + i / C];
    tile[i / C][i % C] = (long long)(number + 5) < (long long)most ? in[i] : 0;
  }
  __syncthreads();
  use(out, tile);
}

__global__ void stored_if(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ rows,
                          const bool *__restrict__ mask) {
  __shared__ alignas(128) float tile[R][C];
  for (int i = threadIdx.x; i < R * C; i += 64) tile[i / C][i % C] = in[blockIdx.x * R * C + i] + 1;
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < R * C; i += 64) {
    int q = blockIdx.x * R + i / C;
    if (mask[q]) out[rows[q] * C + i % C] = tile[i / C][i % C];
  }
}

__global__ void added_if(int *__restrict__ out, const float *__restrict__ in, const int *__restrict__ rows,
                         const unsigned char *__restrict__ mask) {
  __shared__ alignas(128) int tile[R][C];
  for (int i = threadIdx.x; i < R * C; i += 64) tile[i / C][i % C] = int(in[i]) + 1;
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < R * C; i += 64) {
    int q = blockIdx.x * R + i / C;
    if (mask[q]) atomicAdd(&out[rows[q] * C + i % C], tile[i / C][i % C]);
  }
}

// Where a row is not there, there is none to look up.
const int *rows(int absent) {
  return mask_of({5, 9, 1, absent, 7, 2, absent, 4, absent, 3, 6, 8, absent, 30, 31, 0});
}
const bool *flags() { return mask_of<bool>({1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1}); }
const unsigned long long *longs() {
  constexpr unsigned long long top = 1ull << 63;
  return mask_of<unsigned long long>(
      {0, top, 1, top + 1, 3, ~0ull, top + 4, 2, 9, top / 2, top - 1, 7, 5, top - 2, top / 2 + 1, 1});
}
template <class M> const M *numbers() { return mask_of<M>({2, 9, 3, 0, 7, 2, 0, 4, 0, 3, 120, 8, 1, 5, 4, 3}); }
} // namespace

static const Case cases[] = {
    {"bool", [](const Arrays &a) { rows_if<<<2, 64>>>(a.out, a.in, rows(1 << 30), flags()); }},
    {"unsigned char",
     [](const Arrays &a) { rows_if<<<2, 64>>>(a.out, a.in, rows(77), numbers<unsigned char>()); }},
    {"unsigned", [](const Arrays &a) { rows_if<<<2, 64>>>(a.out, a.in, rows(77), numbers<unsigned>()); }},
    {"columns_below<50>",
     [](const Arrays &a) {
       columns_below<50><<<2, 50>>>(a.out, a.in, rows(77), 20);
       columns_below<50><<<2, 50>>>(a.buf, a.in, rows(77), 3);
       columns_below<50><<<2, 50>>>(a.more, a.in, rows(77), 0);
     }},
    {"columns_below<40>", [](const Arrays &a) { columns_below<40><<<2, 40>>>(a.out, a.in, rows(77), 20); }},
    {"pages_below",
     [](const Arrays &a) {
       pages_below<<<1, 64>>>(a.out, a.in, rows(77), 1, 100);
       pages_below<<<1, 64>>>(a.buf, a.in, rows(77), 0, 9);
     }},
    {"stretches_below",
     [](const Arrays &a) {
       stretches_below<<<1, 64>>>(a.out, a.in, rows(77), 5, 100);
       stretches_below<<<1, 64>>>(a.buf, a.in, rows(77), 0, 100);
     }},
    {"above: signed char",
     [](const Arrays &a) { rows_if_above<<<2, 64>>>(a.out, a.in, rows(1 << 30), numbers<signed char>()); }},
    {"above: unsigned short",
     [](const Arrays &a) { rows_if_above<<<2, 64>>>(a.out, a.in, rows(1 << 30), numbers<unsigned short>()); }},
    {"above: unsigned",
     [](const Arrays &a) { rows_if_above<<<2, 64>>>(a.out, a.in, rows(1 << 30), numbers<unsigned>()); }},
    {"rows_if_odd", [](const Arrays &a) { rows_if_odd<<<2, 64>>>(a.out, a.in, rows(77), numbers<int>()); }},
    {"rows_of_words",
     [](const Arrays &a) { rows_of_words<<<2, 64>>>(a.out, a.in, rows(-1), mask_of<unsigned>({0x5ab7})); }},
    {"rows_of_long_words",
     [](const Arrays &a) {
       rows_of_long_words<<<8, 64>>>(a.out, a.in, mask_of<unsigned long long>({0xd000'0000'f0f0'0005ull}));
       rows_of_long_words<<<8, 64>>>(a.buf, a.in, mask_of<unsigned long long>({0x5000'0000'f0f0'0005ull}));
     }},
    {"doubled",
     [](const Arrays &a) {
       doubled<<<2, 64>>>(a.out, a.in, longs(), 5);
       doubled<<<2, 64>>>(a.buf, a.in, numbers<unsigned long long>(), 5);
     }},
    {"lowered", [](const Arrays &a) { lowered<<<2, 64>>>(a.out, a.in, longs(), ~0ull >> 1); }},
    {"thirds_of_doubled", [](const Arrays &a) { thirds_of_doubled<<<2, 64>>>(a.out, a.in, longs(), ~0ull >> 1); }},
    {"rest_of_doubled", [](const Arrays &a) { rest_of_doubled<<<2, 64>>>(a.out, a.in, longs(), 5); }},
    {"bits_of_next", [](const Arrays &a) { bits_of_next<<<2, 64>>>(a.out, a.in, longs(), ~0ull >> 1); }},
    {"with_a_sign",
     [](const Arrays &a) {
       with_a_sign<<<2, 64>>>(a.out, a.in, longs(), 10);
       with_a_sign<<<2, 64>>>(a.buf, a.in, numbers<unsigned long long>(), 10);
     }},
    {"doubled_is", [](const Arrays &a) { doubled_is<<<2, 64>>>(a.out, a.in, longs(), 4); }},
    {"stored_if", [](const Arrays &a) { stored_if<<<2, 64>>>(a.out, a.in, rows(1 << 30), flags()); }},
    {"added_if",
     [](const Arrays &a) {
       added_if<<<2, 64>>>(reinterpret_cast<int *>(a.buf), a.in, rows(77), numbers<unsigned char>());
     }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
