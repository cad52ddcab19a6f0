// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 9
//
// The plan of a kernel stands outside of it. How the kernel calls the type of a ring's tile, or of the cells of a tile with
// longer rows, need not mean anything there.
#include "Inputs/arrays.h"

namespace views {
template <int W> struct Plane { float v[W]; };
struct Cell { float v; };
using Number = float;
} // namespace views
enum { Size = 120 };
template <class> struct Pair { float v[Size]; };

// Tiles of 480 bytes, which need slots.
__global__ void by_an_alias(float *__restrict__ out, const float *__restrict__ in, int n) {
  using Line = views::Plane<Size>;
  __shared__ alignas(128) Line here;
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3)
  for (int z = 0; z < n; ++z) {
#pragma tma load
    here.v[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here.v[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}
template <int W> __global__ void by_a_dependent_alias(float *__restrict__ out, const float *__restrict__ in, int n) {
  using Line = views::Plane<W>;
  __shared__ alignas(128) Line here;
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3)
  for (int z = 0; z < n; ++z) {
#pragma tma load
    here.v[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here.v[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}
__global__ void by_a_using_declaration(float *__restrict__ out, const float *__restrict__ in, int n) {
  using views::Plane;
  __shared__ alignas(128) Plane<Size> here;
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3)
  for (int z = 0; z < n; ++z) {
#pragma tma load
    here.v[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here.v[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}
__global__ void by_a_using_directive(float *__restrict__ out, const float *__restrict__ in, int n) {
  using namespace views;
  __shared__ alignas(128) Plane<Size> here;
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3)
  for (int z = 0; z < n; ++z) {
#pragma tma load
    here.v[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here.v[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}
__global__ void by_a_namespace_alias(float *__restrict__ out, const float *__restrict__ in, int n) {
  namespace v = views;
  __shared__ alignas(128) v::Plane<Size> here;
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3)
  for (int z = 0; z < n; ++z) {
#pragma tma load
    here.v[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here.v[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}
__global__ void by_a_local_array(float *__restrict__ out, const float *__restrict__ in, int n) {
  float count[Size];
  __shared__ alignas(128) views::Plane<sizeof count / sizeof *count> here;
  count[n] = 0;
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3)
  for (int z = 0; z < n; ++z) {
#pragma tma load
    here.v[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here.v[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}
__global__ void of_aliased_elements(float *__restrict__ out, const float *__restrict__ in, int n) {
  using namespace views;
  __shared__ alignas(128) Number here[Size];
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3)
  for (int z = 0; z < n; ++z) {
#pragma tma load
    here[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}
__global__ void by_an_alias_of_an_array(float *__restrict__ out, const float *__restrict__ in, int n) {
  using Line = float[Size];
  __shared__ alignas(128) Line here;
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3)
  for (int z = 0; z < n; ++z) {
#pragma tma load
    here[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

// Nobody else can name these.
__global__ void of_a_local_class(float *__restrict__ out, const float *__restrict__ in, int n) {
  struct Line { float v[Size]; };
  __shared__ alignas(128) Line here;
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int z = 0; z < n; ++z) {
#pragma tma load fallback(loop)
    here.v[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here.v[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}
__global__ void of_a_class_without_a_name(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) struct { float v[Size]; } here;
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int z = 0; z < n; ++z) {
#pragma tma load fallback(loop)
    here.v[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here.v[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}
__global__ void of_a_class_made_of_a_local_one(float *__restrict__ out, const float *__restrict__ in, int n) {
  struct Local {};
  __shared__ alignas(128) Pair<Local> here;
  int t = threadIdx.x; float sum = 0;
#pragma tma pipeline stages(3) fallback(loop)
  for (int z = 0; z < n; ++z) {
#pragma tma load fallback(loop)
    here.v[t] = in[z * Size + t];
    __syncthreads();
    sum = 2 * sum + here.v[Size - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

// The rows of a halo tile become longer.
__global__ void of_aliased_cells(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  using namespace views;
  __shared__ Cell tile[10][18];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
#pragma tma load
  for (int i = threadIdx.x; i < 180; i += T) {
    int r = i / 18, c = i % 18, y = blockIdx.y * 8 + r - 1, x = blockIdx.x * 16 + c - 1;
    tile[r][c].v = y >= 0 && y < h && x >= 0 && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  out[(blockIdx.y * 8 + ty) * w + blockIdx.x * 16 + tx] = tile[ty][tx + 1].v + tile[ty + 2][tx + 1].v;
}

static const Case cases[] = {
    {"by_an_alias", [](const Arrays &a) { by_an_alias<<<1, Size>>>(a.out, a.in, 5); }},
    {"by_a_dependent_alias", [](const Arrays &a) { by_a_dependent_alias<Size><<<1, Size>>>(a.out, a.in, 5); }},
    {"by_a_using_declaration", [](const Arrays &a) { by_a_using_declaration<<<1, Size>>>(a.out, a.in, 5); }},
    {"by_a_using_directive", [](const Arrays &a) { by_a_using_directive<<<1, Size>>>(a.out, a.in, 5); }},
    {"by_a_namespace_alias", [](const Arrays &a) { by_a_namespace_alias<<<1, Size>>>(a.out, a.in, 5); }},
    {"by_a_local_array", [](const Arrays &a) { by_a_local_array<<<1, Size>>>(a.out, a.in, 5); }},
    {"of_aliased_elements", [](const Arrays &a) { of_aliased_elements<<<1, Size>>>(a.out, a.in, 5); }},
    {"by_an_alias_of_an_array", [](const Arrays &a) { by_an_alias_of_an_array<<<1, Size>>>(a.out, a.in, 5); }},
    {"of_a_local_class", [](const Arrays &a) { of_a_local_class<<<1, Size>>>(a.out, a.in, 5); }},
    {"of_a_class_without_a_name", [](const Arrays &a) { of_a_class_without_a_name<<<1, Size>>>(a.out, a.in, 5); }},
    {"of_a_class_made_of_a_local_one", [](const Arrays &a) { of_a_class_made_of_a_local_one<<<1, Size>>>(a.out, a.in, 5); }},
    {"of_aliased_cells", [](const Arrays &a) { of_aliased_cells<<<dim3(4, 4), T>>>(a.out, a.in, 64, 32); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
