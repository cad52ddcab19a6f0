// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %not 1 %tilelift --check %s -- -std=c++17 2>&1 | grep -c "stays a plain loop" | grep -x 1
//
// Kernels as libraries write them: launches in arguments of macros that expand them for each type, packs of arguments,
// objects that refer to tiles, tensors that carry arrays of sizes and strides, rows that an operator makes.
#include "Inputs/arrays.h"
#include <cstring>

#define DISPATCH(is_double, ...)                                                                                       \
  [&] {                                                                                                                \
    if (is_double) { using scalar_t = double; return __VA_ARGS__(); }                                                  \
    using scalar_t = float; return __VA_ARGS__();                                                                      \
  }()
template <typename scalar_t> __global__ void flipped(scalar_t *out, const scalar_t *__restrict__ in) {
  __shared__ alignas(16) scalar_t row[T];
#pragma tma load
  row[threadIdx.x] = in[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = row[T - 1 - threadIdx.x];
}
static void flip(const Arrays &a, bool is_double) {
  DISPATCH(is_double, [&] { flipped<scalar_t><<<4, T>>>((scalar_t *)a.out, (const scalar_t *)a.in); });
}

// For editors that do not know the three angles.
#define KERNEL_ARGS(grid, block) <<<grid, block>>>
static void flip_behind_a_macro(const Arrays &a) { flipped<float> KERNEL_ARGS(dim3(4, 1), T)(a.out, a.in); }

template <typename... Ps> __global__ void several(float *out, const float *in, Ps... ps) {
  __shared__ alignas(16) float rows[sizeof...(Ps)][T];
#pragma tma load
  for (int i = 0; i < (int)sizeof...(Ps); ++i)
    rows[i][threadIdx.x] = in[i * T + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = rows[0][T - 1 - threadIdx.x] + rows[1][threadIdx.x] + (ps + ...);
}

struct Loader {
  float (&s)[T];
  const float *g;
  __device__ void load(int k) {
#pragma tma load
    s[threadIdx.x] = g[k * T + threadIdx.x];
  }
};
__global__ void by_a_reference(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(16) float a[T]; float acc = 0;
  Loader m{a, in};
  for (int k = 0; k < n; ++k) {
    m.load(k);
    __syncthreads();
    acc = acc * 2 + a[T - 1 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = acc;
}
// A reference to a counter: the object does not change, what it refers to does.
struct Stepper {
  int &k;
  __device__ void step() const { k += 2; }
};
__global__ void by_a_stepper(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(16) float a[T]; float acc = 0; int k = 0;
  Stepper s{k};
  while (k < n) {
    __syncthreads();
#pragma tma load fallback(loop)
    a[threadIdx.x] = in[k * T + threadIdx.x];
    __syncthreads();
    acc = acc * 2 + a[T - 1 - threadIdx.x];
    s.step();
  }
  out[threadIdx.x] = acc;
}

// An argument that decides whether there is anything to copy.
__global__ void switched(float *out, const float *in, bool copies, int n) {
  __shared__ alignas(128) float s[T];
#pragma tma load
  s[threadIdx.x] = copies && threadIdx.x < n ? in[threadIdx.x] : 0;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}

struct Row { const float *d; __device__ const float &operator[](int i) const { return d[i]; } };
struct Tensor {
  const float *data; int strides[2]; int sizes[2];
  __device__ Row operator[](int i) const { return {data + i * strides[0]}; }
  __device__ int size(int d) const { return sizes[d]; }
};
__global__ void of_tensors(float *__restrict__ out, Tensor a, Tensor b) {
  __shared__ alignas(128) float s[4][32], u[4][32]; const int x = threadIdx.x, y = threadIdx.y;
#pragma tma load
  s[y][x] = y < a.sizes[0] && x < a.size(1) ? a[y][x] : 0.f;
#pragma tma load
  u[y][x] = y < b.sizes[0] && x < b.size(1) ? b.data[y * b.strides[0] + x] : 0.f;
  __syncthreads();
  out[y * 32 + x] = s[3 - y][x] + 3 * u[y][31 - x];
}

// Bits are moved by memcpy, as std::bit_cast does: into the tile, through a register and between types.
struct alignas(16) Packed {
  Packed() = default;
  __device__ explicit Packed(int4 bits) { memcpy(&payload, &bits, sizeof bits); }
  __device__ int4 bits() const { int4 bits; memcpy(&bits, payload, sizeof bits); return bits; }
  float payload[4];
};
__device__ inline Packed packed_at(const float *at) { return Packed(*reinterpret_cast<const int4 *>(at)); }
__global__ void by_memcpy(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float4 direct[T], through[T];
  __shared__ Packed packed[T];
  const float *from = in + (blockIdx.x * T + threadIdx.x) * 4;
#pragma tma load
  memcpy(&direct[threadIdx.x], from, sizeof(float4));
#pragma tma load
  { float4 cell; memcpy(&cell, from, sizeof cell); through[threadIdx.x] = cell; }
#pragma tma load
  packed[threadIdx.x] = packed_at(from);
  __syncthreads();
  const int t = T - 1 - threadIdx.x;
  out[blockIdx.x * T + threadIdx.x] = direct[t].y + 2 * through[t].z + 3 * packed[t].payload[3];
}
__global__ void stored_by_memcpy(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ Packed packed[T];
  packed[T - 1 - threadIdx.x] = packed_at(in + (blockIdx.x * T + threadIdx.x) * 4);
  __syncthreads();
#pragma tma store
  { int4 bits = packed[threadIdx.x].bits(); memcpy(out + (blockIdx.x * T + threadIdx.x) * 4, &bits, sizeof bits); }
}

// Clang's headers lack some of the intrinsics with cache hints.
__global__ void with_cache_hints(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float row[T];
#pragma tma load
  row[threadIdx.x] = __ldca(&in[blockIdx.x * T + threadIdx.x]);
  __syncthreads();
  const float value = row[T - 1 - threadIdx.x] + __ldlu(&in[n]);
  __stcs(&out[blockIdx.x * T + threadIdx.x], value);
  __stcg(&out[(gridDim.x + blockIdx.x) * T + threadIdx.x], value * 2);
  __stwb(&out[(2 * gridDim.x + blockIdx.x) * T + threadIdx.x], 3);
}

// The built-in variables are copied as a whole.
__global__ void with_copied_indices(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ alignas(128) float tile[4][32];
  const uint3 thread = threadIdx, block = blockIdx;
  const dim3 size = blockDim;
  const auto &grid = gridDim;
  const unsigned x = block.x * 32 + thread.x, y = block.y * 4 + thread.y;
#pragma tma load
  for (unsigned row = thread.y; row < 4; row += size.y) tile[row][thread.x] = in[(block.y * 4 + row) * w + x];
  __syncthreads();
  out[y * grid.x * 32 + x] = tile[3 - thread.y][31 - thread.x];
}

static const Case cases[] = {
    {"flipped floats", [](const Arrays &a) { flip(a, false); }},
    {"flipped doubles", [](const Arrays &a) { flip(a, true); }},
    {"flipped behind a macro", flip_behind_a_macro},
    {"several", [](const Arrays &a) { several<<<1, T>>>(a.out, a.in, 1, 2.f); }},
    {"by_a_reference", [](const Arrays &a) { by_a_reference<<<1, T>>>(a.out, a.in, 5); }},
    {"by_a_stepper", [](const Arrays &a) { by_a_stepper<<<1, T>>>(a.out, a.in, 9); }},
    {"switched on", [](const Arrays &a) { switched<<<1, T>>>(a.out, a.in, true, 100); }},
    {"switched off", [](const Arrays &a) { switched<<<1, T>>>(a.out, a.in, false, 100); }},
    {"by_memcpy", [](const Arrays &a) { by_memcpy<<<2, T>>>(a.out, a.in); }},
    {"stored_by_memcpy", [](const Arrays &a) { stored_by_memcpy<<<2, T>>>(a.out, a.in); }},
    {"with_cache_hints", [](const Arrays &a) { with_cache_hints<<<2, T>>>(a.out, a.in, 7); }},
    {"with_copied_indices", [](const Arrays &a) { with_copied_indices<<<dim3(2, 2), dim3(32, 4)>>>(a.out, a.in, 64); }},
    {"of_tensors", [](const Arrays &a) {
       of_tensors<<<1, dim3(32, 4)>>>(a.out, {a.in, {64, 1}, {3, 32}}, {a.more, {36, 1}, {4, 30}});
     }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
