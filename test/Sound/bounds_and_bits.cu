// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 38
// RUN: %tilelift %s -o %t.cu && %nvcc -std=c++17 -arch=sm_90a -w -c %t.cu -I%S -o %t.o
//
// Several axes that are compared with one value, indices that are put together from bits, operations that leave data as
// it is, arguments that are computed from variables of the caller, counters that move by arguments, and what heads of loops declare.
#include "Inputs/arrays.h"

__global__ void square(float *out, const float *in, int n) {
  __shared__ float m[16][16];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) m[i / 16][i % 16] = i / 16 < n && i % 16 < n ? in[i / 16 * n + i % 16] : 0.f;
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T) out[i] = m[i % 16][i / 16];
}

// The bounds of the two axes are a number apart.
__global__ void square_with_border(float *out, const float *in, int n) {
  __shared__ float m[12][16];
#pragma tma load
  for (int i = threadIdx.x; i < 192; i += T) {
    const int r = i / 16 + 3, c = i % 16;
    m[i / 16][c] = r < n && c < n ? in[r * n + c] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 192; i += T) out[i] = m[11 - i / 16][i % 16] + 1;
}

// Blocks on the diagonal begin at the same row and column, here with unsigned numbers.
__global__ void diagonal(float *out, const float *in, int n) {
  __shared__ float m[8][16];
  const int first = blockIdx.x * 8;
#pragma tma load
  m[threadIdx.y][threadIdx.x] = first + threadIdx.y < n && first + threadIdx.x < n ? in[(first + threadIdx.y) * n + first + threadIdx.x] : 0.f;
  __syncthreads();
  out[(blockIdx.x * 8 + threadIdx.y) * 16 + threadIdx.x] = m[7 - threadIdx.y][15 - threadIdx.x];
}

__global__ void cube(float *out, const float *in, int n) {
  __shared__ float m[4][4][8];
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) {
    const int z = i / 32, y = i / 8 % 4, x = i % 8;
    m[z][y][x] = z < n && y < n && x < n ? in[(z * n + y) * n + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 128; i += T) out[i] = m[3 - i / 32][i / 8 % 4][7 - i % 8];
}

__global__ void put_square(float *out, const float *in, int n) {
  __shared__ alignas(128) float m[16][16];
  for (int i = threadIdx.x; i < 256; i += T) m[i / 16][i % 16] = in[i] + 2;
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 256; i += T)
    if (i / 16 < n && i % 16 < n) out[i / 16 * n + i % 16] = m[i / 16][i % 16];
}

// The low bits are free, so that `|` and `^` add.
__global__ void by_bits(float *out, const float *in, int w) {
  __shared__ float t[8][16];
  const int x = blockIdx.x & 3, y = blockIdx.x >> 2;
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) t[i >> 4][i & 15] = in[(y << 3 | i >> 4) * w + ((i & 15) ^ x << 4)];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = t[threadIdx.x & 7][threadIdx.x >> 3];
}

__global__ void by_bits_of_argument(float *out, const float *in, unsigned w, unsigned x) {
  __shared__ float t[8][16];
#pragma tma load
  for (unsigned i = threadIdx.x; i < 128; i += T) t[i >> 4][i & 15] = in[(i >> 4) * w + (x << 4 | (i & 15))];
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x & 7][threadIdx.x >> 3];
}

// These do not add: the numbers have bits in common.
__global__ void bits_in_common(float *out, const float *in, int x) {
  __shared__ float t[2][64];
  const int row = x << 1 | 2;
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) t[i / 64][i % 64] = in[row * 64 + i];
  __syncthreads();
  out[threadIdx.x] = t[1 - threadIdx.x / 64][threadIdx.x % 64];
}

template <int Scale, int Shift> __global__ void scaled(int *out, const int *in) {
  __shared__ int t[256];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) t[i] = (in[blockIdx.x * 256 + i] * Scale + 0) >> Shift;
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < 256; i += T) out[blockIdx.x * 256 + i] += 0 + t[i];
}

// What is passed is a sum or a product; the parameter is its name.
__device__ void row_of(float *t, const float *from, int row, int w) {
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) t[i] = from[row * w + i];
}
__global__ void rows(float *out, const float *in, int n, int w) {
  __shared__ float t[128];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    row_of(t, in, k * 4 + blockIdx.x, w);
    __syncthreads();
    sum = sum * 2 + t[threadIdx.x ^ k];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
__device__ void piece_of(float *t, const float *from, int piece) {
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) t[i] = from[piece * 128 + i];
}
__global__ void pieces(float *out, const float *in, int n, int m) {
  __shared__ float t[128];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    piece_of(t, in, k * m);
    __syncthreads();
    sum = sum * 2 + t[threadIdx.x ^ k];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__device__ void box_of(float (*t)[32], const float *from, int row, int column, int w) {
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) t[i / 32][i % 32] = from[(row * 2 - 1 + i / 32) * w + 64 - column + i % 32];
}
__global__ void boxes(float *out, const float *in, int n, int m, int w) {
  __shared__ float t[8][32];
  float sum = 0;
  for (int k = 1; k < n; ++k) {
    box_of(t, in, k + m, 4 * k + 4 * m, w);
    __syncthreads();
    sum = sum * 2 + t[threadIdx.x % 8][threadIdx.x % 32];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__device__ void piece_at_end(float *t, const float *from, long long piece) {
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += T) t[i] = from[8064 - 128 * piece + i];
}
__global__ void from_end(float *out, const float *in, int n, int m) {
  __shared__ float t[128];
  piece_at_end(t, in, n + m);
  __syncthreads();
  out[threadIdx.x] = t[127 - threadIdx.x];
}

// The lowest bits of what a mask leaves are zero.
__global__ void by_masked_bits(float *out, const float *in, int w) {
  __shared__ float t[8][64];
  const int x = (blockIdx.x & 2) << 5, y = blockIdx.x << 3 & 8;
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += T) t[i / 64][i % 64] = in[(y | i / 64) * w + (x ^ i % 64)];
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += T) out[blockIdx.x * 512 + i] = t[i % 8][i / 8];
}

// Masks with bits above those of the other operand, as a complement has them.
__global__ void aligned_down(float *out, const float *in, unsigned j, unsigned log) {
  __shared__ float t[128], u[128], v[128];
  const unsigned to_three = blockIdx.x * 5 & ~3u, to_argument = blockIdx.x & ~(j - 1), by_minus = blockIdx.x & -j;
  const unsigned low = blockIdx.x & ~(~0u << log);
#pragma tma load
  t[threadIdx.x] = in[to_three * 128 + threadIdx.x];
#pragma tma load
  u[threadIdx.x] = in[(to_argument + by_minus) * 128 + threadIdx.x];
#pragma tma load
  v[threadIdx.x] = in[low * 128 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = t[127 - threadIdx.x] + 2 * u[threadIdx.x ^ 1] + 3 * v[threadIdx.x ^ 2];
}
__global__ void bitonic(int *out, const int *in, int j) {
  __shared__ int t[256];
  const unsigned i0 = blockIdx.x, first = (i0 & ~(j - 1u)) << 1 | (i0 & (j - 1u));
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) t[i] = in[first * 256 + i];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T) out[blockIdx.x * 256 + i] = t[255 - i] + 1;
}

// Rows whose distance is a power of two that only the host knows.
__global__ void shifted_rows(float *out, const float *in, int log) {
  __shared__ float t[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) t[i / 32][i % 32] = in[((blockIdx.x * 8 + i / 32) << log) + i % 32];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T) out[blockIdx.x * 256 + i] = t[i % 8][i / 8];
}
__global__ void shifted_start(float *out, const float *in, int log) {
  __shared__ float t[128];
#pragma tma load
  t[threadIdx.x] = in[((blockIdx.x + 4LL) << log) + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = t[127 - threadIdx.x];
}

// The host does not know between which numbers such a counter lies.
__global__ void by_steps(float *out, const float *in, int n, int step, int w) {
  __shared__ float t[8][32];
  float sum = 0;
  for (int k = 0; k < n; k += step) {
#pragma tma load
    for (int i = threadIdx.x; i < 256; i += T) t[i / 32][i % 32] = in[(k + i / 32) * w + int(blockIdx.x) * 32 + i % 32];
    __syncthreads();
    sum = sum / 2 + t[threadIdx.x % 8][threadIdx.x % 32];
    __syncthreads();
  }
  for (int k = 1; k < n; k <<= 1) {
#pragma tma load
    for (int i = threadIdx.x; i < 256; i += T) t[i / 32][i % 32] = in[(k + i / 32) * w + int(blockIdx.x) * 32 + i % 32];
    __syncthreads();
    sum = sum / 2 + t[threadIdx.x % 8][threadIdx.x % 32];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
__global__ void from_outer(float *out, const float *in, int m, int n) {
  __shared__ float t[64];
  float sum = 0;
  for (int j = 0; j < m; ++j) {
    const float *from = in;
    for (int k = j; k < n; k++, from += 64) {
#pragma tma load
      for (int i = threadIdx.x; i < 64; i += T) t[i] = from[i];
      __syncthreads();
      sum = sum / 2 + t[63 - threadIdx.x % 64];
      __syncthreads();
    }
  }
  out[threadIdx.x] = sum;
}

// What the heads of loops and of a switch declare.
__global__ void declared_in_heads(float *out, const float *in, int m) {
  __shared__ float t[64];
  float sum = 0;
  while (int left = m * 16) {
#pragma tma load
    for (int i = threadIdx.x; i < 64; i += T) t[i] = in[left + i];
    __syncthreads();
    sum = sum / 2 + t[63 - threadIdx.x % 64];
    __syncthreads();
    --m;
  }
  for (int k = 0; const int rest = 5 - k; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < 64; i += T) t[i] = in[rest * 64 + i];
    __syncthreads();
    sum = sum / 2 + t[63 - threadIdx.x % 64];
    __syncthreads();
  }
  switch (const float *from = in + 16; const int twice = m * 2) {
  case 0:
#pragma tma load
    for (int i = threadIdx.x; i < 64; i += T) t[i] = from[twice + i];
    __syncthreads();
    sum = sum / 2 + t[63 - threadIdx.x % 64];
  }
  out[threadIdx.x] = sum;
}

// What is looked up for a condition on the way is looked up by the same words at the copy.
__global__ void tested_lookup(float *out, const float *__restrict__ in, const int *__restrict__ list, int n) {
  __shared__ float t[128];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    if (list[k] > 100) continue;
#pragma tma load
    t[threadIdx.x] = in[list[k] * 32 + threadIdx.x];
    __syncthreads();
    sum = sum / 2 + t[127 - threadIdx.x];
    __syncthreads();
  }
  for (int k = 0; k < n && list[k] < 90; ++k) {
#pragma tma load
    t[threadIdx.x] = in[list[k] * 32 + threadIdx.x];
    __syncthreads();
    sum = sum / 2 + t[127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// A window with a left end that is an argument, in front of the array or behind it, where some blocks are outside of
// the window and nobody reads at its end.
__global__ void from_an_argument(float *__restrict__ out, const float *__restrict__ in, int n, int from) {
  __shared__ float tile[256];
  const int t = threadIdx.x, at = blockIdx.x * 256;
#pragma tma load
  for (int i = t; i < 256; i += T) tile[i] = at + i >= from && at + i < n ? in[at + i] : 0.f;
  __syncthreads();
  for (int i = t; i < 256; i += T) out[at + i] = tile[255 - i];
}
__global__ void columns_from_an_argument(float *__restrict__ out, const float *__restrict__ in, int left, int right) {
  __shared__ float tile[8][32];
  const int t = threadIdx.x, x = blockIdx.x * 32 + t % 32;
#pragma tma load
  for (int y = t / 32; y < 8; y += T / 32) tile[y][t % 32] = x < left || x >= right ? 0.f : in[y * 128 + x];
  __syncthreads();
  for (int i = t; i < 256; i += T) out[blockIdx.x * 256 + i] = tile[i % 8][i / 8];
}
__global__ void rows_from_an_argument(float *__restrict__ out, const float *__restrict__ in, int top, int bottom) {
  __shared__ float tile[8][32];
  const int t = threadIdx.x, y0 = blockIdx.x * 8;
#pragma tma load
  for (int y = t / 32; y < 8; y += T / 32)
    tile[y][t % 32] = y0 + y >= top && y0 + y < bottom ? in[(y0 + y) * 32 + t % 32] : 0.f;
  __syncthreads();
  for (int i = t; i < 256; i += T) out[blockIdx.x * 256 + i] = tile[i % 8][i / 8];
}

static // Images are counted in unsigned numbers, and compared with a signed one.
__global__ void images(float *out, const float *in, int images, int h, int w, int c, int r, int s) {
  __shared__ alignas(128) float pixels[32][16];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += T) {
    unsigned m = blockIdx.x * 32 + i / 16, n = m / (h * w), p = m / w % h, q = m % w;
    int y = int(p) - 1 + r, x = int(q) - 1 + s;
    bool inside = n < images && y >= 0 && x >= 0 && y < h && x < w;
    pixels[i / 16][i % 16] = inside ? in[((n * h + y) * w + x) * c + i % 16] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += T) out[blockIdx.x * 512 + i] = pixels[i / 16][i % 16];
}
// Rows end where the launch says, and where the tile's own columns do.
__global__ void two_ends(float *out, const float *in, int w, int h, int most) {
  __shared__ alignas(128) float rows[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) {
    int r = i / 32, c = i % 32, y = int(blockIdx.y) * 8 + r, x = int(blockIdx.x) * 32 + c - 1;
    rows[r][c] = x >= 0 && x < (w & ~3) && y < h && c < most ? in[y * 72 + x] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T) out[(blockIdx.x + gridDim.x * blockIdx.y) * 256 + i] = rows[i / 32][i % 32];
}
// What is computed without a sign, and then divided with one. The copy asks in each block whether that is an `int`.
__global__ void unsigned_sums(float *out, const float *in, const int *ints, int n) {
  __shared__ alignas(128) float tile[T];
  const int t = threadIdx.x, o = ints[blockIdx.x];
#pragma tma load
  {
    const int c = (int)(o + 0x7fffffe0u) / 0x1000000 * 2 + t;
    tile[t] = c >= -256 && c < n ? in[c + 256] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + t] = tile[T - 1 - t];
}

__global__ void unsigned_products(float *out, const float *in, int n) {
  __shared__ alignas(128) float tile[T];
  const int t = threadIdx.x;
  float sum = 0;
  auto add = [&](int o) {
#pragma tma load
    {
      const int c = (int)(o * 0x10000001u) % 64 + t;
      tile[t] = c >= 0 && c < n ? in[c] : 0.f;
    }
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  };
  for (int i = 2; i < 40; i += 4)
    add(i);
  add(6);
  out[t] = sum;
}

// The memory's declaration stands right behind the brace.
__global__ void no_space(float *out, const float *in) {extern __shared__ float4 memory[];
  float(*tile)[T] = reinterpret_cast<float(*)[T]>(memory);
  const int t = threadIdx.x;
#pragma tma load
  tile[0][t] = in[t];
  __syncthreads();
  out[t] = tile[0][T - 1 - t];
}

// A counter of 8 bits comes around, and leads to rows ahead of the pointer.
__global__ void narrow_counter(float *out, const float *in) {
  __shared__ alignas(128) float tile[4][32];
  const int t = threadIdx.x;
  float sum = 0;
  auto add = [&](int row) {
#pragma tma load
    tile[t / 32][t % 32] = in[(row + t / 32) * 32 + t % 32];
    __syncthreads();
    sum = 2 * sum + tile[t % 4][t / 4];
    __syncthreads();
  };
  signed char row = 0;
  for (int i = 0; i < 9; ++i) {
    add(row);
    row += 24;
  }
  add(4);
  out[t] = sum;
}

const Case cases[] = {
    {"narrow_counter", [](const Arrays &a) { narrow_counter<<<1, T>>>(a.out, a.in + 4096); }},
    {"unsigned_sums", [](const Arrays &a) { unsigned_sums<<<16, T>>>(a.out, a.in, a.ints, 144); }},
    {"unsigned_products", [](const Arrays &a) { unsigned_products<<<1, T>>>(a.out, a.in, 144); }},
    {"no_space", [](const Arrays &a) { no_space<<<1, T, T * sizeof(float)>>>(a.out, a.in); }},
    {"from_an_argument",
     [](const Arrays &a) {
       from_an_argument<<<4, T>>>(a.out, a.in, 64, -8);
       from_an_argument<<<4, T>>>(a.out + 1024, a.in, 1 << 22, 1 << 20);
       from_an_argument<<<4, T>>>(a.out + 2048, a.in, 600, 300);
     }},
    {"columns_from_an_argument",
     [](const Arrays &a) {
       columns_from_an_argument<<<4, T>>>(a.out, a.in, -1 << 20, -4);
       columns_from_an_argument<<<4, T>>>(a.out + 1024, a.in, 1 << 20, 1 << 21);
       columns_from_an_argument<<<4, T>>>(a.out + 2048, a.in, 20, 68);
     }},
    {"rows_from_an_argument",
     [](const Arrays &a) {
       rows_from_an_argument<<<4, T>>>(a.out, a.in, -1 << 16, -1);
       rows_from_an_argument<<<4, T>>>(a.out + 1024, a.in, 1 << 16, 1 << 17);
       rows_from_an_argument<<<4, T>>>(a.out + 2048, a.in, 5, 19);
     }},
    {"square", [](const Arrays &a) {
       square<<<1, T>>>(a.out, a.in, 12);
       square<<<1, T>>>(a.buf, a.in, 24);
     }},
    {"square_with_border", [](const Arrays &a) {
       square_with_border<<<1, T>>>(a.out, a.in, 12);
       square_with_border<<<1, T>>>(a.buf, a.in, 20);
     }},
    {"diagonal", [](const Arrays &a) { diagonal<<<4, dim3(16, 8)>>>(a.out, a.in, 28); }},
    {"cube", [](const Arrays &a) {
       cube<<<1, T>>>(a.out, a.in, 4);
       cube<<<1, T>>>(a.buf, a.in, 12);
     }},
    {"put_square", [](const Arrays &a) {
       put_square<<<1, T>>>(a.out, a.in, 12);
       put_square<<<1, T>>>(a.buf, a.in, 32);
     }},
    {"by_bits", [](const Arrays &a) { by_bits<<<8, T>>>(a.out, a.in, 64); }},
    {"by_bits_of_argument", [](const Arrays &a) { by_bits_of_argument<<<1, T>>>(a.out, a.in, 64, 3); }},
    {"bits_in_common", [](const Arrays &a) {
       bits_in_common<<<1, T>>>(a.out, a.in, 3);
       bits_in_common<<<1, T>>>(a.buf, a.in, 4);
     }},
    {"scaled", [](const Arrays &a) { scaled<1, 0><<<3, T>>>((int *)a.words, a.ints); }},
    {"rows", [](const Arrays &a) { rows<<<3, T>>>(a.out, a.in, 5, 128); }},
    {"pieces", [](const Arrays &a) { pieces<<<1, T>>>(a.out, a.in, 5, 3); }},
    {"boxes", [](const Arrays &a) { boxes<<<1, T>>>(a.out, a.in, 5, 2, 128); }},
    {"images", [](const Arrays &a) { for (int i = 0; i < 9; ++i) images<<<4, T>>>(a.out + i * 16, a.in, 5, 4, 5, 16, i / 3, i % 3); }},
    {"two_ends", [](const Arrays &a) { two_ends<<<dim3(3, 2), T>>>(a.out, a.in, 71, 13, 32); two_ends<<<dim3(3, 2), T>>>(a.buf, a.in, 71, 13, 9); }},
    {"from_end", [](const Arrays &a) { from_end<<<1, T>>>(a.out, a.in, 3, 9); }},
    {"by_masked_bits", [](const Arrays &a) { by_masked_bits<<<4, T>>>(a.out, a.in, 128); }},
    {"aligned_down", [](const Arrays &a) { aligned_down<<<9, T>>>(a.out, a.in, 4, 3); }},
    {"bitonic", [](const Arrays &a) { bitonic<<<8, T>>>((int *)a.out, a.ints, 4); }},
    {"shifted_rows", [](const Arrays &a) { shifted_rows<<<4, T>>>(a.out, a.in, 6); }},
    {"shifted_start", [](const Arrays &a) { shifted_start<<<4, T>>>(a.out, a.in, 7); }},
    {"by_steps", [](const Arrays &a) { by_steps<<<2, T>>>(a.out, a.in, 96, 8, 64); }},
    {"from_outer", [](const Arrays &a) { from_outer<<<1, T>>>(a.out, a.in, 3, 5); }},
    {"tested_lookup", [](const Arrays &a) { tested_lookup<<<1, T>>>(a.out, a.in, a.ints, 30); }},
    {"declared_in_heads", [](const Arrays &a) { declared_in_heads<<<1, T>>>(a.out, a.in, 3); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
