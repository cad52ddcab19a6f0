// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 35
//
// Tiles, kernels and what stands beside them are declared in all the ways that C++ has, with names that others might
// want: several in one line, in blocks and loops, by aliases, local types and constants, packs, in namespaces. What is
// lifted has to compile and to mean the same. All copies here are harmless.
#include "Inputs/arrays.h"

namespace one {
namespace {
__device__ inline float more(float x) { return x + 1; }
} // namespace
} // namespace one
namespace tools {
struct barrier {
  int n;
};
__device__ inline int leader(int t) { return t == 0; }
} // namespace tools
struct Pixel {
  unsigned char r, g, b, a;
};
template <class A> struct Traits {
  using type = A;
  static constexpr int rows = 4;
};

// Harmless.
__global__ void several_in_one_declaration(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float a[T], b[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  a[t] = in[at + t];
  b[t] = t;
  __syncthreads();
  out[at + t] = a[T - 1 - t] + b[t ^ 1];
}

// Harmless.
__global__ void ring_among_several_in_one_declaration(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float other[T], tile[T], last;
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  other[t] = 1;
  if (t == 0) last = 2;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t] + other[t ^ 1] + last;
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void alias_of_the_element(float *__restrict__ out, const float *__restrict__ in) {
  using scalar = float;
  __shared__ alignas(128) scalar tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
__global__ void alias_of_the_element_of_a_halo(float *__restrict__ out, const float *__restrict__ in, int w) {
  typedef float scalar;
  __shared__ scalar tile[4][34];
  int t = threadIdx.x;
#pragma tma load fallback(loop)
  for (int i = t; i < 4 * 34; i += T) {
    int x = (int)blockIdx.x * 32 - 1 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[i / 34 * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * T + t] = tile[3 - t / 32][t % 32 + 2];
}

// Harmless.
__global__ void alias_of_the_element_of_a_ring(float *__restrict__ out, const float *__restrict__ in, int n) {
  using scalar = Traits<float>::type;
  __shared__ scalar tile[Traits<scalar>::rows][32];
  int t = threadIdx.x, at = blockIdx.x * T;
  scalar sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t / 32][t % 32] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[3 - t / 32][t % 32];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void alias_of_a_row(float *__restrict__ out, const float *__restrict__ in, int n) {
  using Row = float[32];
  __shared__ alignas(128) Row tile[4];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t / 32][t % 32] = in[k * 256 + at + t];
    __syncthreads();
    Row &row = tile[3 - t / 32];
    sum += row[t % 32];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
template <class A> __global__ void dependent_element_of_a_ring(A *__restrict__ out, const A *__restrict__ in, int n) {
  using scalar = typename Traits<A>::type;
  __shared__ scalar tile[4][36];
  int t = threadIdx.x, at = blockIdx.x * T;
  scalar sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t / 32][t % 32] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[3 - t / 32][t % 32];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void constants_of_the_kernel(float *__restrict__ out, const float *__restrict__ in, int n) {
  constexpr int rows = 4, columns = T / rows, stages = rows - 1;
  __shared__ float tile[rows][columns];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(stages) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t / columns][t % columns] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[rows - 1 - t / columns][t % columns];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void local_structs_beside_the_tile(float *__restrict__ out, const Pixel *__restrict__ in, int n) {
  struct Sum {
    int r = 0, b = 0;
    __device__ void add(Pixel p) { r += p.r, b += p.b; }
  };
  __shared__ Pixel tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  Sum sum;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum.add(tile[T - 1 - t]);
    __syncthreads();
  }
  out[at + t] = sum.r + 2 * sum.b;
}

// Harmless.
__global__ void object_of_a_local_struct(float *__restrict__ out, const float *__restrict__ in, int n) {
  struct Storage {
    float tile[T];
    float sums[4];
  };
  __shared__ alignas(128) Storage storage;
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t < 4) storage.sums[t] = t;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    storage.tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += storage.tile[T - 1 - t] + storage.sums[k];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void object_without_a_type_name(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) struct {
    float tile[T];
    float scale;
  } shared;
  int t = threadIdx.x, at = blockIdx.x * T;
  if (t == 3) shared.scale = 2;
#pragma tma load fallback(loop)
  shared.tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = shared.tile[T - 1 - t] * shared.scale;
}

// Harmless.
__global__ void declared_in_the_loop(float *__restrict__ out, const float *__restrict__ in, int n) {
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
    __shared__ alignas(128) float tile[T];
#pragma tma load fallback(loop)
    tile[t] = in[k * 256 + at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void declared_in_two_blocks_by_one_name(float *__restrict__ out, const float *__restrict__ in) {
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  {
    __shared__ alignas(128) float tile[T];
#pragma tma load fallback(loop)
    tile[t] = in[at + t];
    __syncthreads();
    sum += tile[T - 1 - t];
  }
  {
    __shared__ alignas(128) float tile[4][32];
#pragma tma load fallback(loop)
    tile[t / 32][t % 32] = in[256 + at + t];
    __syncthreads();
    sum += tile[3 - t / 32][t % 32];
  }
  out[at + t] = sum;
}

// Harmless.
__global__ void declared_the_other_way_round(float *__restrict__ out, const float *__restrict__ in) {
  float static __shared__ tile[T];
  alignas(64) __shared__ float other[T];
  auto const t = threadIdx.x, at = blockIdx.x * T;
  other[t] = t;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + other[t ^ 1];
}

// Harmless.
__global__ void names_that_others_might_want(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ alignas(128) float tile[T];
  int tma_barrier = threadIdx.x, tma_phase = blockIdx.x * T, tile_ring = 1, tma_memory = 2, tile_map = 3;
  float tma_round = 0;
#pragma tma pipeline stages(2) fallback(loop)
  for (int k = 0; k < n; ++k) {
#pragma tma load fallback(loop)
    tile[tma_barrier] = in[k * 256 + tma_phase + tma_barrier];
    __syncthreads();
    tma_round += tile[T - 1 - tma_barrier] + tile_ring + tma_memory + tile_map;
    __syncthreads();
  }
  out[tma_phase + tma_barrier] = tma_round;
}

// Harmless.
__global__ void names_of_types_and_functions(float *__restrict__ out, const float *__restrict__ in) {
  using namespace tools;
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  barrier wait{leader(t)}, load{2}, expect{3};
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + wait.n + load.n + expect.n;
}

namespace tilelift_user {
__global__ void plain_tma(float *__restrict__ out, const float *__restrict__ in) {
  out[blockIdx.x * T + threadIdx.x] = in[blockIdx.x * T + threadIdx.x];
}
} // namespace tilelift_user
__device__ float plain_tma_plan = 1;
using tilelift_user::plain_tma;
// Harmless.
__global__ void plain(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + plain_tma_plan;
}

namespace one {
namespace {
// Harmless.
__global__ void in_a_nameless_namespace(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = more(tile[T - 1 - t]);
}
} // namespace
} // namespace one

// Harmless.
extern "C" __global__ void with_a_c_name(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// Harmless.
template <class... Rest>
__global__ void with_a_pack_of_arguments(float *__restrict__ out, const float *__restrict__ in, Rest... rest) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t] + (rest + ...);
}

// Harmless.
__global__ void overloaded(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load fallback(loop)
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}
__global__ void overloaded(int *__restrict__ out, const int *__restrict__ in) {
  out[blockIdx.x * T + threadIdx.x] = in[blockIdx.x * T + threadIdx.x];
}

// Harmless.
__global__ void shadowed_names(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ alignas(128) float tile[T];
  int t = threadIdx.x, at = blockIdx.x * T;
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    int from = at + k * 256;
#pragma tma load fallback(loop)
    tile[t] = in[from + t];
    __syncthreads();
    {
      float tile = 3, in = 2, from = 1;
      sum += tile * in + from;
    }
    sum += tile[T - 1 - t];
    __syncthreads();
  }
  out[at + t] = sum;
}

__global__ void address_of_the_dynamic_array(float *__restrict__ out, const float *__restrict__ in) {
  extern __shared__ char bytes_of_any[];
  float *tile = reinterpret_cast<float *>(&bytes_of_any);
  int t = threadIdx.x, at = blockIdx.x * T;
#pragma tma load
  tile[t] = in[at + t];
  __syncthreads();
  out[at + t] = tile[T - 1 - t];
}

// An array beside the copies is moved where rings take the beginning of the memory.
__global__ void address_of_an_array_behind_rings(float *__restrict__ out, const float *__restrict__ in, int n) {
  extern __shared__ float others[];
  __shared__ alignas(128) float tile[6144];
  int t = threadIdx.x;
  float *mine = (float *)&others, sum = 0;
  mine[t] = in[t];
#pragma tma pipeline stages(3)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    for (int i = t; i < 6144; i += T) tile[i] = in[k * 512 + i];
    __syncthreads();
    sum = sum * 2 + tile[6143 - t] + mine[T - 1 - t];
    __syncthreads();
  }
  out[blockIdx.x * T + t] = sum;
}

// Declarators that differ, in one declaration.
__global__ void pointer_before_the_tile(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float *chosen, tile[8][32], others[T];
  int t = threadIdx.x, at = blockIdx.x * 256;
  others[t] = t;
  if (t == 0) chosen = others + 5;
#pragma tma load
  for (int i = t; i < 256; i += T) tile[i / 32][i % 32] = in[at + i];
  __syncthreads();
  out[at / 2 + t] = tile[t % 8][t / 8] + *chosen + sizeof others;
}
__global__ void declarators_behind_the_tile(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float (tile)[8][32] /* rows, columns */, // and others
      more[4][32], (*row)[32], *const *none, last;
  int t = threadIdx.x, at = blockIdx.x * 256;
  more[t / 32][t % 32] = t;
  if (t == 0) row = more + 2, none = nullptr, last = 3;
#pragma tma load
  for (int i = t; i < 256; i += T) tile[i / 32][i % 32] = in[at + i];
  __syncthreads();
  out[at / 2 + t] = tile[t % 8][t / 8] + (*row)[t % 32] + last + !none;
}
__global__ void pointer_among_tiles_of_rings(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float one[8][32], *chosen, two[8][32], others[T];
  int t = threadIdx.x;
  float sum = 0;
  others[t] = t;
  if (t == 0) chosen = others + 3;
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    for (int i = t; i < 256; i += T) one[i / 32][i % 32] = in[k * 256 + i];
#pragma tma load
    for (int i = t; i < 256; i += T) two[i / 32][i % 32] = in[k * 256 + 64 + i];
    __syncthreads();
    sum = sum * 2 + one[t % 8][t / 8] - two[t % 8][t / 8] + *chosen;
    __syncthreads();
  }
  out[blockIdx.x * T + t] = sum;
}
__global__ void declared_in_a_head(float *__restrict__ out, const float *__restrict__ in, int n) {
  int t = threadIdx.x, at = blockIdx.x * 256;
  if (__shared__ float tile[8][32]; n > 0) {
#pragma tma load
    for (int i = t; i < 256; i += T) tile[i / 32][i % 32] = in[at + i];
    __syncthreads();
    out[at / 2 + t] = tile[t % 8][t / 8];
  }
}

// Types whose names mean something else where tiles with a layout of their own are described, or have no name there.
namespace one {
namespace {
struct Hidden {
  int a, b, c, d;
};
} // namespace
} // namespace one
struct block {
  int a, b, c, d;
};
namespace detail {
struct V {
  int a, b, c, d;
};
} // namespace detail
namespace app {
namespace detail {
struct V {
  int d, c, b, a;
};
} // namespace detail
__global__ void elements_of_an_outer_namespace(float *__restrict__ out, const ::detail::V *__restrict__ in, int n) {
  __shared__ ::detail::V tile[16][8];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i / 8][i % 8] = i / 8 < n ? in[i] : ::detail::V{};
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 16][threadIdx.x / 16].b;
}
} // namespace app
__global__ void elements_without_a_namespace_name(float *__restrict__ out, const one::Hidden *__restrict__ in, int n) {
  __shared__ one::Hidden tile[16][8];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i / 8][i % 8] = i / 8 < n ? in[i] : one::Hidden{};
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 16][threadIdx.x / 16].b;
}
__global__ void pointers_to_hidden_elements(float *__restrict__ out, one::Hidden *const *__restrict__ in, int n) {
  __shared__ one::Hidden *tile[8][16];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i / 16][i % 16] = i / 16 < n ? in[i] : nullptr;
  __syncthreads();
  out[threadIdx.x] = float(reinterpret_cast<unsigned long long>(tile[threadIdx.x % 8][threadIdx.x / 8]) % 1023);
}
__global__ void elements_named_like_a_member(float *__restrict__ out, const block *__restrict__ in, int n) {
  __shared__ block tile[16][8];
#pragma tma load
  for (int i = threadIdx.x; i < T; i += T) tile[i / 8][i % 8] = i / 8 < n ? in[i] : block{};
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 16][threadIdx.x / 16].b;
}

static const Case cases[] = {
    {"elements_of_an_outer_namespace",
     [](const Arrays &a) { app::elements_of_an_outer_namespace<<<1, T>>>(a.out, (const detail::V *)a.in, 14); }},
    {"elements_without_a_namespace_name",
     [](const Arrays &a) { elements_without_a_namespace_name<<<1, T>>>(a.out, (const one::Hidden *)a.in, 14); }},
    {"pointers_to_hidden_elements",
     [](const Arrays &a) { pointers_to_hidden_elements<<<1, T>>>(a.out, (one::Hidden *const *)a.in, 6); }},
    {"elements_named_like_a_member",
     [](const Arrays &a) { elements_named_like_a_member<<<1, T>>>(a.out, (const block *)a.in, 14); }},
    {"pointer_before_the_tile", [](const Arrays &a) { pointer_before_the_tile<<<2, T>>>(a.out, a.in); }},
    {"declarators_behind_the_tile", [](const Arrays &a) { declarators_behind_the_tile<<<2, T>>>(a.out, a.in); }},
    {"pointer_among_tiles_of_rings",
     [](const Arrays &a) { pointer_among_tiles_of_rings<<<2, T>>>(a.out, a.in, 4); }},
    {"declared_in_a_head", [](const Arrays &a) { declared_in_a_head<<<2, T>>>(a.out, a.in, 4); }},
    {"address_of_an_array_behind_rings",
     [](const Arrays &a) { address_of_an_array_behind_rings<<<2, T, T * 4>>>(a.out, a.in, 4); }},
    {"address_of_the_dynamic_array",
     [](const Arrays &a) { address_of_the_dynamic_array<<<2, T, T * 4>>>(a.out, a.in); }},
    {"several_in_one_declaration", [](const Arrays &a) { several_in_one_declaration<<<2, T>>>(a.out, a.in); }},
    {"ring_among_several_in_one_declaration",
     [](const Arrays &a) { ring_among_several_in_one_declaration<<<2, T>>>(a.out, a.in, 4); }},
    {"alias_of_the_element", [](const Arrays &a) { alias_of_the_element<<<2, T>>>(a.out, a.in); }},
    {"alias_of_the_element_of_a_halo",
     [](const Arrays &a) { alias_of_the_element_of_a_halo<<<2, T>>>(a.out, a.in, 64); }},
    {"alias_of_the_element_of_a_ring",
     [](const Arrays &a) { alias_of_the_element_of_a_ring<<<2, T>>>(a.out, a.in, 4); }},
    {"alias_of_a_row", [](const Arrays &a) { alias_of_a_row<<<2, T>>>(a.out, a.in, 4); }},
    {"dependent_element_of_a_ring",
     [](const Arrays &a) {
       dependent_element_of_a_ring<float><<<2, T>>>(a.out, a.in, 4);
       dependent_element_of_a_ring<int><<<2, T>>>((int *)a.out + 1024, (const int *)a.in, 4);
     }},
    {"constants_of_the_kernel", [](const Arrays &a) { constants_of_the_kernel<<<2, T>>>(a.out, a.in, 4); }},
    {"local_structs_beside_the_tile",
     [](const Arrays &a) { local_structs_beside_the_tile<<<2, T>>>(a.out, (const Pixel *)a.in, 4); }},
    {"object_of_a_local_struct", [](const Arrays &a) { object_of_a_local_struct<<<2, T>>>(a.out, a.in, 4); }},
    {"object_without_a_type_name", [](const Arrays &a) { object_without_a_type_name<<<2, T>>>(a.out, a.in); }},
    {"declared_in_the_loop", [](const Arrays &a) { declared_in_the_loop<<<2, T>>>(a.out, a.in, 4); }},
    {"declared_in_two_blocks_by_one_name",
     [](const Arrays &a) { declared_in_two_blocks_by_one_name<<<2, T>>>(a.out, a.in); }},
    {"declared_the_other_way_round", [](const Arrays &a) { declared_the_other_way_round<<<2, T>>>(a.out, a.in); }},
    {"names_that_others_might_want", [](const Arrays &a) { names_that_others_might_want<<<2, T>>>(a.out, a.in, 4); }},
    {"names_of_types_and_functions", [](const Arrays &a) { names_of_types_and_functions<<<2, T>>>(a.out, a.in); }},
    {"plain", [](const Arrays &a) { plain<<<2, T>>>(a.out, a.in); plain_tma<<<2, T>>>(a.out + 1024, a.in); }},
    {"in_a_nameless_namespace", [](const Arrays &a) { one::in_a_nameless_namespace<<<2, T>>>(a.out, a.in); }},
    {"with_a_c_name", [](const Arrays &a) { with_a_c_name<<<2, T>>>(a.out, a.in); }},
    {"with_a_pack_of_arguments", [](const Arrays &a) { with_a_pack_of_arguments<<<2, T>>>(a.out, a.in, 1, 2.f, 3u); }},
    {"overloaded",
     [](const Arrays &a) {
       overloaded<<<2, T>>>(a.out, a.in);
       overloaded<<<2, T>>>((int *)a.out + 1024, (const int *)a.in);
     }},
    {"shadowed_names", [](const Arrays &a) { shadowed_names<<<2, T>>>(a.out, a.in); }},
};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
