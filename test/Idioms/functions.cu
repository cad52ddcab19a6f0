// Copies in functions, methods and lambdas that the kernel calls.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// RUN: %tilelift %s -o - 2>/dev/null | %FileCheck %s --check-prefix=TEXT

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define OUT (threadIdx.y * 32 + threadIdx.x)

// One function for two tiles of two tensors, in a loop.
// CHECK: functions.cu:[[@LINE+5]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'a' to 'left'
// CHECK: functions.cu:[[@LINE+4]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'b' to 'right'
__device__ void load_tile(float (*tile)[32], const float *in, int x0, int y0, int w, int h) {
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = x < w && y < h ? in[y * w + x] : 0.f;
}
// TEXT: template <typename tma_plan>
// TEXT-NEXT: __device__ void load_tile_tma(tma_plan, tilelift::barrier &tma_barrier, unsigned &tma_phase, const CUtensorMap &left_map,
// TEXT-NEXT: float (*tile)[32], const float *in, int x0, int y0, int w, int h) {
// TEXT: if (tilelift::leader(tma_plan::block)) {
// TEXT: tilelift::load(tile, left_map, {x0, y0}, tma_barrier);
// TEXT: __device__ void load_tile_tma_1(tma_plan, tilelift::barrier &tma_barrier, unsigned &tma_phase, const CUtensorMap &right_map,

__global__ void two_tiles(float *out, const float *a, const float *b, int w, int h) {
  __shared__ float left[8][32], right[8][32];
  float sum = 0;
  for (int k = 0; k < w; k += 32) {
    load_tile(left, a, k, blockIdx.x * 8, w, h);
    load_tile(right, b, k, blockIdx.x * 8, w, h);
    __syncthreads();
    sum += left[7 - threadIdx.y][threadIdx.x] * right[threadIdx.y][31 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * 256 + OUT] = sum;
}
// TEXT: load_tile_tma(two_tiles_tma_plan{}, tma_barrier, tma_phase, left_map, left, a, k, blockIdx.x * 8, w, h);
// TEXT: load_tile_tma_1(two_tiles_tma_plan{}, tma_barrier, tma_phase, right_map, right, b, k, blockIdx.x * 8, w, h);

// CHECK: functions.cu:[[#]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tiles'
// CHECK: functions.cu:[[#]]:3: remark: lifted: tile copy of 16 x 16 f32 (1024 bytes) from 'in' to 'tiles'
// TEXT: __device__ void fill_tma(tma_plan, {{.*}}, const CUtensorMap &tiles_1_map,
// TEXT-NEXT: T (&tile)[R][C], const T *in, int w, int first = 0) {
// TEXT: tilelift::load(&tile[0][0], tiles_1_map, {0, tma_plan::tiles_start_1 * int(blockIdx.x)}, tma_barrier);
// TEXT: fill_tma(tma_plan{}, tma_barrier, tma_phase, tiles_1_map, tiles[0], in, w);
// A template, called by a template through another function, by a reference.
template <typename T, int R, int C>
__device__ void fill(T (&tile)[R][C], const T *in, int w, int first = 0) {
#pragma tma load
  for (int i = threadIdx.x; i < R * C; i += blockDim.x)
    tile[i / C][i % C] = in[(blockIdx.x * R + i / C) * w + first + i % C];
}

template <typename T, int R, int C> __device__ void fill_both(T (&tiles)[2][R][C], const T *in, int w) {
  fill(tiles[0], in, w);
  fill<T, R, C>(tiles[1], in, w, C);
}

template <int R, int C> __global__ void from_templates(float *out, const float *in, int w) {
  __shared__ float tiles[2][R][C];
  fill_both(tiles, in, w);
  __syncthreads();
  for (int i = threadIdx.x; i < R * C; i += blockDim.x)
    out[blockIdx.x * R * C + i] = tiles[0][R - 1 - i / C][i % C] + tiles[1][i / C][i % C];
}

// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'next'
// TEXT: tilelift::load(tile, tile_map, {0, this->first}, tma_barrier);
// TEXT: __device__ void read_next_tma({{.*}},
// TEXT-NEXT: float (*tile)[32]);
// TEXT: __device__ void Reader::read_next_tma(
// TEXT: reader.read_tma(by_methods_tma_plan{}, tma_barrier, tma_phase, tile_map, tile);
// Methods: the object knows where to read from.
struct Reader {
  const float *in;
  int w, first;
  __device__ Reader(const float *in, int w) : in(in), w(w), first(blockIdx.x * 8) {}
  __device__ void advance(int rows) { first += rows; }
  __device__ void read(float (*tile)[32]) const {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[(first + threadIdx.y) * w + threadIdx.x];
  }
  __device__ void read_next(float (*tile)[32]);
};

__device__ void Reader::read_next(float (*tile)[32]) {
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[(first + 16 + threadIdx.y) * w + threadIdx.x];
}

__global__ void by_methods(float *out, const float *in, int w) {
  __shared__ float tile[8][32], next[8][32];
  Reader reader(in, w);
  reader.advance(8);
  reader.read(tile);
  reader.read_next(next);
  __syncthreads();
  out[blockIdx.x * 256 + OUT] = tile[7 - threadIdx.y][threadIdx.x] + next[threadIdx.y][threadIdx.x];
}

// CHECK: remark: lifted: 1-D bulk copy of 1024 bytes from 'in' to 'row', contiguous and unguarded
// TEXT: __shared__ __align__(128) float row[256];
// TEXT: tilelift::load_bytes(row, in + (long long)first, tma_plan::row_bytes, tma_barrier);
// A function with a tile of its own.
__device__ float sum_of_row(const float *in, int first) {
  __shared__ float row[256];
#pragma tma load
  row[OUT] = in[first + OUT];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 32; ++i)
    sum += row[threadIdx.y * 32 + i];
  __syncthreads();
  return sum;
}

__global__ void own_tile(float *out, const float *in) {
  float sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += sum_of_row(in, k * 256);
  out[OUT] = sum;
}

// CHECK: remark: lifted under a guard: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tiles'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// TEXT: auto load = [&](int k) {
// TEXT: tilelift::load(tilelift::advance(tiles, 1024 * (k % 2)), tiles_map, {32 * k, 0}, tma_barrier);
// TEXT: auto load = [in, w, &tma_phase, &tile_map](int x0) {
// TEXT: tilelift::load(tile, tile_map, {x0, 0}, tma_barrier);
// Lambdas, called before a loop and in it.
__global__ void by_lambda(float *out, const float *in, int w, int n) {
  __shared__ float tiles[2][8][32];
  auto load = [&](int k) {
#pragma tma load
    tiles[k % 2][threadIdx.y][threadIdx.x] = in[threadIdx.y * w + k * 32 + threadIdx.x];
  };
  auto store = [=](float value) { out[OUT] = value; };
  load(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    if (k + 1 < n)
      load(k + 1);
    __syncthreads();
    sum += tiles[k % 2][7 - threadIdx.y][threadIdx.x];
    __syncthreads();
  }
  store(sum);
}

__global__ void by_narrow_lambda(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  auto load = [in, w](int x0) {
#pragma tma load
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * w + x0 + threadIdx.x];
  };
  load(blockIdx.x * 32);
  __syncthreads();
  out[blockIdx.x * 256 + OUT] = tile[7 - threadIdx.y][threadIdx.x];
}

// Objects that are called like functions.
template <int N> struct Rows {
  const float *in;
  // CHECK: functions.cu:[[@LINE+4]]:5: remark: lifted: 1-D bulk copy of 256 bytes from 'in' to 'row'
  // CHECK: functions.cu:[[@LINE+3]]:5: remark: lifted: 1-D bulk copy of 256 bytes from 'in' to 'row'
  __device__ void operator()(float (&tile)[N], int row) const {
#pragma tma load
    tile[threadIdx.x] = in[row * N + threadIdx.x];
  }
};
// TEXT: {{^ *}}template <typename tma_plan>
// TEXT-NEXT: __device__ void call_tma(tma_plan, tilelift::barrier &tma_barrier, unsigned &tma_phase,

__global__ void by_operators(float *out, const float *in) {
  __shared__ float row[64];
  Rows<64> rows{in};
  rows(row, blockIdx.x);
  __syncthreads();
  float sum = row[63 - threadIdx.x];
  __syncthreads();
  rows.operator()(row, blockIdx.x + 1);
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = sum + row[63 - threadIdx.x];
}
// TEXT: rows.call_tma(by_operators_tma_plan{}, tma_barrier, tma_phase, row, blockIdx.x);
// TEXT: rows.call_tma_1(by_operators_tma_plan{}, tma_barrier, tma_phase, row, blockIdx.x + 1);

// Which half of the tile it is only the kernel knows; the function has a pointer there.
// CHECK: functions.cu:[[@LINE+4]]:3: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'halves'
// CHECK: functions.cu:[[@LINE+3]]:3: remark: lifted: 8 1-D bulk copies of 128 bytes from 'in' to 'halves', a row each
__device__ void load_half(float *half, const float *in, int w) {
#pragma tma load
  for (int r = threadIdx.x / 32; r < 8; r += 2)
    half[r * 32 + threadIdx.x % 32] = in[r * w + threadIdx.x % 32];
}
// TEXT: tilelift::load(half, halves_1_map, {0, 0}, tma_barrier);
// TEXT: tilelift::load_bytes(tilelift::advance(half, row_0 * 128), tilelift::row_at(in, row_0 * (4 * (long long)w)),

__global__ void by_halves(float *out, const float *in, int w, int n) {
  __shared__ float halves[2 * 256];
  int which = 0;
  load_half(halves + which * 256, in, w);
  float sum = 0;
  for (int i = 1; i < n; ++i) {
    load_half(halves + (1 - which) * 256, in + 32, w);
    __syncthreads();
    sum += halves[which * 256 + threadIdx.x * 3] * i;
    in += 32;
    which = 1 - which;
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum + halves[which * 256 + threadIdx.x];
}

int main() {
  two_tiles<<<3, dim3(32, 8)>>>(numbers(3 * 256), numbers(128 * 20), numbers(128 * 20), 128, 20);
  from_templates<8, 32><<<2, 64>>>(numbers(512), numbers(64 * 16), 64);
  from_templates<16, 16><<<2, 128>>>(numbers(512), numbers(32 * 32), 32);
  by_methods<<<2, dim3(32, 8)>>>(numbers(512), numbers(48 * 32), 32);
  own_tile<<<1, dim3(32, 8)>>>(numbers(256), numbers(1024));
  by_lambda<<<1, dim3(32, 8)>>>(numbers(256), numbers(8 * 128), 128, 4);
  by_narrow_lambda<<<2, dim3(32, 8)>>>(numbers(512), numbers(8 * 64), 64);
  by_operators<<<2, 64>>>(numbers(128), numbers(192));
  by_halves<<<2, 64>>>(numbers(128), numbers(8 * 256), 256, 8);
  return finish();
}
