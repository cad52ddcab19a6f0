// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 28
//
// Tiles are laid out, named and reached in ways that a copy may change: padded rows and halos that are read across the
// ends of rows, flat indices, negative columns, unions, second names, structs, dynamic memory in parts, and arrays
// beside the tile that rely on where they lie. Some kernels are harmless: they stay within rows and names.
#include "Inputs/arrays.h"

union Both {
  float f[T];
  int i[T];
};
struct Block {
  float tile[4][32];
  float sums[4];
};
struct alignas(16) Four {
  float v[4];
};
__device__ inline float4 quad(const float *p) { return *reinterpret_cast<const float4 *>(p); }
__device__ inline float flat(const float *p, int i) { return p[i]; }
template <int W> __device__ inline float at_row(const float (*rows)[W], int r, int c) { return rows[r][c]; }

__global__ void halo_read_by_flat_pointer(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + t] = flat(&tile[0][0], t + 5);
}

__global__ void halo_read_past_the_end_of_a_row(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  const float *row = tile[t / 64];
  out[blockIdx.x * T + t] = row[t % 64];
}

__global__ void halo_read_at_negative_columns(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1, back = -3;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  float sum = 0;
  for (int d = back; d < 0; ++d) sum = 2 * sum + *(tile[1 + t / 64] + t % 32 + d);
  out[blockIdx.x * T + t] = sum;
}

__global__ void halo_summed_as_one_range(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  float sum = 0;
  for (const float *p = tile[0] + t % 8, *end = tile[3] + 34; p < end; p += 8) sum += *p;
  out[blockIdx.x * T + t] = sum;
}

__global__ void padding_used_by_program(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[4][33];
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t < 4) tile[t][32] = 7 * t;
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = in[at + t];
  __syncthreads();
  out[at + t] = tile[3 - t / 32][31 - t % 32] + tile[t / 32][32];
}

__global__ void padded_rows_read_flat(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[4][36];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = in[at + t];
  __syncthreads();
  out[at + t] = (&tile[0][0])[t / 32 * 36 + 31 - t % 32];
}

__global__ void padding_written_before_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[8][33];
  int t = threadIdx.x, at = blockIdx.x * 256;
  for (int i = t; i < 8 * 33; i += T) (&tile[0][0])[i] = in[at + i];
  __syncthreads();
#pragma tma store fallback(loop)
  for (int i = t; i < 256; i += T) out[at + i] = tile[i / 32][i % 32];
  __syncthreads();
  out[1024 + blockIdx.x * T + t] = tile[t / 16][32];
}

__global__ void union_written_by_other_member(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) Both tile;
  int t = threadIdx.x, at = blockIdx.x * T;
  tile.i[T - 1 - t] = __float_as_int(in[at + t]);
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile.f[t];
}

__global__ void union_read_by_other_member(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) Both tile;
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile.f[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile.i[T - 1 - t] >> 20;
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void second_name_of_a_ring(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const int *bits = reinterpret_cast<const int *>(tile);
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum = 2 * sum + __int_as_float(bits[T - 1 - t]);
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void dynamic_memory_under_two_names(float *__restrict__ out, const float *__restrict__ in) {
  extern __shared__ float dynamic[];
  int t = threadIdx.x, at = blockIdx.x * T;
  float *tile = dynamic, *rest = dynamic + T, *again = rest - T;
  rest[t] = t;
  again[T - 1 - t] = in[at + t];
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  out[512 + at + t] = rest[T - 1 - t];
}

extern __shared__ float4 dynamic_quads[];
__global__ void dynamic_memory_of_two_types(float *__restrict__ out, const float *__restrict__ in) {
  extern __shared__ float dynamic[];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  dynamic[t] = in[at + t];
  __syncthreads();
  float4 v = dynamic_quads[t / 4 ^ 1];
  out[at + t] = v.x + 2 * v.y + 4 * v.z + 8 * v.w;
}

__global__ void quads_of_an_array_behind_the_tile(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  __shared__ float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t;
  for (int k = 0; k < 2; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    float4 v = quad(other + (t / 4 ^ 1) * 4);
    out[k * 256 + at + t] = tile[T - 1 - t] + v.x + v.w;
    __syncthreads();
  }
}

__global__ void quads_of_an_array_before_the_tile(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float other[3][T];
  __shared__ float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  for (int r = 0; r < 3; ++r) other[r][t] = in[512 + at + t] + r;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  float4 v = *reinterpret_cast<float4 *>(&other[1][t / 4 * 4]);
  float2 w = *reinterpret_cast<float2 *>(&other[2][(T - 2 - t) / 2 * 2]);
  out[at + t] = tile[T - 1 - t] + v.x + v.w + w.y;
}

__global__ void quads_written_beside_a_store(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[T];
  __shared__ float first[T];
  __shared__ float second[4];
  int t = threadIdx.x, at = blockIdx.x * T;
  tile[T - 1 - t] = in[at + t];
  if (t < 32) *reinterpret_cast<float4 *>(&first[4 * t]) = make_float4(t, 1, 2, 3);
  if (t == 5) *reinterpret_cast<Four *>(second) = Four{{4, 3, 2, 1}};
  __syncthreads();
#pragma tma store fallback(loop)
  out[at + t] = tile[t];
  out[512 + at + t] = first[t] + second[t % 4];
}

__global__ void distance_of_two_arrays(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2][T];
  int t = threadIdx.x, at = blockIdx.x * T;
  const float *a = tile[0], *b = tile[1];
#pragma tma load fallback(loop)
  for (int r = 0; r < 2; ++r) tile[r][t] = in[r * 256 + at + t];
  __syncthreads();
  out[at + t] = a[(b - a) + T - 1 - t] + int(b - a);
}

__global__ void object_with_tile_and_sums(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) Block block;
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t < 4) block.sums[t] = t;
#pragma tma load fallback(loop)
  block.tile[t / 32][t % 32] = in[at + t];
  __syncthreads();
  Block *b = &block;
  out[at + t] = b->tile[3 - t / 32][t % 32] + b->sums[t % 4] + sizeof(Block);
}

__global__ void size_of_a_halo(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + t] = tile[t / 32][t % 32 + 2] + sizeof(tile) + sizeof(tile[0]) + (&tile[1][0] - &tile[0][0]);
}

// Harmless.
__global__ void halo_read_by_rows(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  int r = t / 32, c = t % 32;
  out[blockIdx.x * T + t] = tile[r][c] + 2 * tile[r][c + 1] + 4 * tile[r][c + 2];
}

// Harmless.
__global__ void padded_for_columns(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[32][33];
  int t = threadIdx.x, at = blockIdx.x * 1024;
#pragma tma load fallback(loop)
  for (int i = t; i < 1024; i += T) tile[i / 32][i % 32] = in[at + i];
  __syncthreads();
  for (int i = t; i < 1024; i += T) out[at + i] = tile[i % 32][i / 32];
}

// Harmless.
__global__ void dynamic_memory_in_two_parts(float *__restrict__ out, const float *__restrict__ in) {
  extern __shared__ float dynamic[];
  int t = threadIdx.x, at = blockIdx.x * T;
  float *rest = dynamic + T;
  rest[t] = t;
#pragma tma load fallback(loop)
  dynamic[t] = in[at + t];
  __syncthreads();
  out[at + t] = dynamic[T - 1 - t] + rest[t ^ 1];
}

// Harmless.
__global__ void rows_passed_to_a_function(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[4][32];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = in[at + t];
  __syncthreads();
  out[at + t] = at_row<32>(tile, 3 - t / 32, t % 32);
}

// Harmless.
__global__ void aligned_array_beside_the_tile(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  __shared__ alignas(16) float other[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  float4 v = quad(other + (t / 4 ^ 1) * 4);
  out[at + t] = tile[T - 1 - t] + v.x + v.w;
}

__global__ void first_row_of_a_halo_subscripted_on(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + t] = tile[0][t + 8];
}

__global__ void neighbour_before_the_first_column(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  float sum = 0;
  for (int d = -1; d <= 1; ++d) sum = 2 * sum + tile[1 + t / 64][t % 32 + d];
  out[blockIdx.x * T + t] = sum;
}

__global__ void next_row_by_a_large_column(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + t] = tile[t / 64][t % 32] + 2 * tile[t / 64][t % 32 + 34];
}

__global__ void padded_rows_subscripted_on(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[4][33];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t / 32][t % 32] = in[at + t];
  __syncthreads();
  out[at + t] = tile[0][t / 32 * 33 + 31 - t % 32];
}

__global__ void planes_subscripted_on(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[2][8][36];
  int t = threadIdx.x, at = blockIdx.x * 512;
#pragma tma load fallback(loop)
  for (int i = t; i < 512; i += T) tile[i / 256][i / 32 % 8][i % 32] = in[at + i];
  __syncthreads();
  for (int i = t; i < 512; i += T) out[at + i] = tile[0][i / 32][31 - i % 32];
}

// More rows than a box has are filled by two boxes, and these have more rows than the tile.
template <int Rows, int Columns> __global__ void two_boxes_of_rows(float *out, const float *in, int h, int w) {
  __shared__ float tile[Rows][Columns];
#pragma tma load
  for (int i = threadIdx.x; i < Rows * Columns; i += T) tile[i / Columns][i % Columns] = i / Columns < h ? in[i / Columns * w + i % Columns] : 0.f;
  __syncthreads();
  for (int i = threadIdx.x; i < Rows * Columns; i += T) out[i] = tile[Rows - 1 - i / Columns][i % Columns];
}
__global__ void two_boxes_of_elements(float4 *out, const float4 *in, int n) {
  __shared__ float4 tile[273];
#pragma tma load
  for (int i = threadIdx.x; i < 273; i += T) tile[i] = i < n ? in[i * 2] : make_float4(0, 0, 0, 0);
  __syncthreads();
  for (int i = threadIdx.x; i < 273; i += T) out[i] = tile[272 - i];
}

// One guard for all rows, which makes a box of one row of them; a swizzle cuts that row.
__global__ void flat_guard_of_long_rows(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[4][32];
  const int t = threadIdx.x, at = blockIdx.x * 128;
#pragma tma load
  for (int i = t; i < 128; i += T) tile[i / 32][i % 32] = at + i < n ? in[at + i] : float(0);
  __syncthreads();
  for (int i = t; i < 128; i += T) out[at + i] = tile[i % 4][i / 4];
}
__global__ void flat_guard_of_short_rows(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[8][16];
  const int t = threadIdx.x, at = blockIdx.x * 128;
#pragma tma load
  for (int i = t; i < 128; i += T) tile[i / 16][i % 16] = at + i < n ? in[at + i] : float(0);
  __syncthreads();
  for (int i = t; i < 128; i += T) out[at + i] = tile[i % 8][i / 8];
}
__global__ void flat_guard_of_wide_elements(double *__restrict__ out, const double *__restrict__ in, int n) {
  __shared__ double tile[8][16];
  const int t = threadIdx.x, at = blockIdx.x * 128;
#pragma tma load
  for (int i = t; i < 128; i += T) tile[i / 16][i % 16] = at + i < n ? in[at + i] : double(0);
  __syncthreads();
  for (int i = t; i < 128; i += T) out[at + i] = tile[i % 8][i / 8];
}
__global__ void flat_guard_of_two_parts_a_row(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[4][64];
  const int t = threadIdx.x, at = blockIdx.x * 256;
#pragma tma load
  for (int i = t; i < 256; i += T) tile[i / 64][i % 64] = at + i < n ? in[at + i] : float(0);
  __syncthreads();
  for (int i = t; i < 256; i += T) out[at + i] = tile[i % 4][i / 4];
}
__global__ void flat_guard_of_narrow_elements(short *__restrict__ out, const short *__restrict__ in, int n) {
  __shared__ short tile[4][64];
  const int t = threadIdx.x, at = blockIdx.x * 256;
#pragma tma load
  for (int i = t; i < 256; i += T) tile[i / 64][i % 64] = at + i < n ? in[at + i] : short(0);
  __syncthreads();
  for (int i = t; i < 256; i += T) out[at + i] = tile[i % 4][i / 4];
}
__global__ void flat_guard_of_planes(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[2][4][32];
  const int t = threadIdx.x, at = blockIdx.x * 256;
#pragma tma load
  for (int i = t; i < 256; i += T) tile[i / 128][i / 32 % 4][i % 32] = at + i < n ? in[at + i] : 0.f;
  __syncthreads();
  for (int i = t; i < 256; i += T) out[at + i] = tile[i % 2][i / 2 % 4][i / 8];
}
__global__ void flat_halo_read_by_columns(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[5][32];
  const int t = threadIdx.x, x0 = (int)blockIdx.x * 152 - 4;
#pragma tma load
  for (int i = t; i < 160; i += T) tile[i / 32][i % 32] = x0 + i < 0 || x0 + i >= n ? 0.f : in[x0 + i];
  __syncthreads();
  for (int i = t; i < 160; i += T) out[blockIdx.x * 160 + i] = tile[i % 5][i / 5];
}

// Indices whose range a name or a conversion does not give. The last one stays within the rows.
namespace sums {
__device__ inline int min(int a, int b) { return a + b; }
} // namespace sums
__global__ void index_by_another_min(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + t] = tile[t / 64][sums::min(t % 32, 6)];
}
__global__ void index_below_a_negative_number(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1, less = t % 8 - 5;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + t] = 0;
  const unsigned column = threadIdx.x;
  if (column < less) // as numbers without a sign
    out[blockIdx.x * T + t] = tile[0][column];
}
__global__ void index_that_its_condition_moves(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + t] = 0;
  if (int column = t % 64; column < 34 && (column += 20) > 0)
    out[blockIdx.x * T + t] = tile[0][column];
}
__global__ void index_behind_a_case(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1, column = t % 64;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  float value = 0;
  switch (w) {
  case 1:
    if (column < 34)
    case 64: value = tile[0][column];
  }
  out[blockIdx.x * T + t] = value;
}
__global__ void index_of_a_signed_maximum(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  const unsigned long long hash = (unsigned long long)t << 57;
  out[blockIdx.x * T + t] = tile[0][max((int)(hash >> 58), 0)];
}
__global__ void index_below_a_number(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34];
  int t = threadIdx.x, x0 = (int)blockIdx.x * 32 - 1;
#pragma tma load
  for (int i = t; i < 4 * 34; i += T) {
    int x = x0 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  float sum = 0;
  if (threadIdx.x < 32)
    for (int r = 0; r < 4; ++r)
      sum += tile[r][threadIdx.x + 1] + tile[r][31 - threadIdx.x];
  out[blockIdx.x * T + t] = sum;
}

static const Case cases[] = {
    {"flat_guard_of_long_rows", [](const Arrays &a) { flat_guard_of_long_rows<<<2, T>>>(a.out, a.in, 200); }},
    {"flat_guard_of_short_rows", [](const Arrays &a) { flat_guard_of_short_rows<<<2, T>>>(a.out, a.in, 200); }},
    {"flat_guard_of_wide_elements",
     [](const Arrays &a) { flat_guard_of_wide_elements<<<2, T>>>((double *)a.out, (const double *)a.in, 200); }},
    {"flat_guard_of_two_parts_a_row",
     [](const Arrays &a) { flat_guard_of_two_parts_a_row<<<2, T>>>(a.out, a.in, 400); }},
    {"flat_guard_of_narrow_elements",
     [](const Arrays &a) { flat_guard_of_narrow_elements<<<2, T>>>((short *)a.out, (const short *)a.in, 400); }},
    {"flat_guard_of_planes", [](const Arrays &a) { flat_guard_of_planes<<<2, T>>>(a.out, a.in, 400); }},
    {"flat_halo_read_by_columns", [](const Arrays &a) { flat_halo_read_by_columns<<<2, T>>>(a.out, a.in, 300); }},
    {"halo_read_by_flat_pointer", [](const Arrays &a) { halo_read_by_flat_pointer<<<2, T>>>(a.out, a.in, 64); }},
    {"halo_read_past_the_end_of_a_row",
     [](const Arrays &a) { halo_read_past_the_end_of_a_row<<<2, T>>>(a.out, a.in, 64); }},
    {"halo_read_at_negative_columns",
     [](const Arrays &a) { halo_read_at_negative_columns<<<2, T>>>(a.out, a.in, 64); }},
    {"halo_summed_as_one_range", [](const Arrays &a) { halo_summed_as_one_range<<<2, T>>>(a.out, a.in, 64); }},
    {"padding_used_by_program", [](const Arrays &a) { padding_used_by_program<<<2, T>>>(a.out, a.in); }},
    {"padded_rows_read_flat", [](const Arrays &a) { padded_rows_read_flat<<<2, T>>>(a.out, a.in); }},
    {"padding_written_before_store", [](const Arrays &a) { padding_written_before_store<<<2, T>>>(a.out, a.in); }},
    {"union_written_by_other_member", [](const Arrays &a) { union_written_by_other_member<<<2, T>>>(a.out, a.in); }},
    {"union_read_by_other_member", [](const Arrays &a) { union_read_by_other_member<<<2, T>>>(a.out, a.in, 3); }},
    {"second_name_of_a_ring", [](const Arrays &a) { second_name_of_a_ring<<<2, T>>>(a.out, a.in, 4); }},
    {"dynamic_memory_under_two_names",
     [](const Arrays &a) { dynamic_memory_under_two_names<<<2, T, 1024>>>(a.out, a.in); }},
    {"dynamic_memory_of_two_types", [](const Arrays &a) { dynamic_memory_of_two_types<<<2, T, 512>>>(a.out, a.in); }},
    {"quads_of_an_array_behind_the_tile",
     [](const Arrays &a) { quads_of_an_array_behind_the_tile<<<2, T>>>(a.out, a.in); }},
    {"quads_of_an_array_before_the_tile",
     [](const Arrays &a) { quads_of_an_array_before_the_tile<<<2, T>>>(a.out, a.in); }},
    {"quads_written_beside_a_store", [](const Arrays &a) { quads_written_beside_a_store<<<2, T>>>(a.out, a.in); }},
    {"distance_of_two_arrays", [](const Arrays &a) { distance_of_two_arrays<<<2, T>>>(a.out, a.in); }},
    {"object_with_tile_and_sums", [](const Arrays &a) { object_with_tile_and_sums<<<2, T>>>(a.out, a.in); }},
    {"size_of_a_halo", [](const Arrays &a) { size_of_a_halo<<<2, T>>>(a.out, a.in, 64); }},
    {"halo_read_by_rows", [](const Arrays &a) { halo_read_by_rows<<<2, T>>>(a.out, a.in, 64); }},
    {"padded_for_columns", [](const Arrays &a) { padded_for_columns<<<2, T>>>(a.out, a.in); }},
    {"dynamic_memory_in_two_parts", [](const Arrays &a) { dynamic_memory_in_two_parts<<<2, T, 1024>>>(a.out, a.in); }},
    {"rows_passed_to_a_function", [](const Arrays &a) { rows_passed_to_a_function<<<2, T>>>(a.out, a.in); }},
    {"aligned_array_beside_the_tile", [](const Arrays &a) { aligned_array_beside_the_tile<<<2, T>>>(a.out, a.in); }},
    {"first_row_of_a_halo_subscripted_on",
     [](const Arrays &a) { first_row_of_a_halo_subscripted_on<<<2, T>>>(a.out, a.in, 64); }},
    {"neighbour_before_the_first_column",
     [](const Arrays &a) { neighbour_before_the_first_column<<<2, T>>>(a.out, a.in, 64); }},
    {"next_row_by_a_large_column", [](const Arrays &a) { next_row_by_a_large_column<<<2, T>>>(a.out, a.in, 64); }},
    {"padded_rows_subscripted_on", [](const Arrays &a) { padded_rows_subscripted_on<<<2, T>>>(a.out, a.in); }},
    {"two_boxes_of_rows", [](const Arrays &a) {
       two_boxes_of_rows<257, 20><<<1, T>>>(a.out, a.in, 250, 20);
       two_boxes_of_rows<260, 12><<<1, T>>>(a.buf, a.in, 250, 12);
       two_boxes_of_rows<260, 12><<<1, T>>>(a.more, a.in, 300, 24);
     }},
    {"two_boxes_of_elements", [](const Arrays &a) {
       two_boxes_of_elements<<<1, T>>>((float4 *)a.out, (const float4 *)a.in, 7);
       two_boxes_of_elements<<<1, T>>>((float4 *)a.buf, (const float4 *)a.in, 273);
     }},
    {"index_by_another_min", [](const Arrays &a) { index_by_another_min<<<2, T>>>(a.out, a.in, 64); }},
    {"index_below_a_negative_number", [](const Arrays &a) { index_below_a_negative_number<<<2, T>>>(a.out, a.in, 64); }},
    {"index_that_its_condition_moves",
     [](const Arrays &a) { index_that_its_condition_moves<<<2, T>>>(a.out, a.in, 64); }},
    {"index_behind_a_case", [](const Arrays &a) { index_behind_a_case<<<2, T>>>(a.out, a.in, 64); }},
    {"index_of_a_signed_maximum", [](const Arrays &a) { index_of_a_signed_maximum<<<2, T>>>(a.out, a.in, 64); }},
    {"index_below_a_number", [](const Arrays &a) { index_below_a_number<<<2, T>>>(a.out, a.in, 64); }},
    {"planes_subscripted_on", [](const Arrays &a) { planes_subscripted_on<<<2, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
