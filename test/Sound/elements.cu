// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %not 1 %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 15
//
// Tiles whose rows could lie elsewhere, of which the kernel gets at more than one element by one address: by casts to
// references, references, methods of elements, std::addressof. Tiles that others write through numbers and assembly.
// Elements whose size is no power of two.
#include "Inputs/arrays.h"

// A tile of 64 rows of 32 floats is swizzled if nothing forbids it.
namespace reference_cast {
struct alignas(16) F8 { float v[8]; };
__global__ void k(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[64][32];
  int t = threadIdx.x;
  float s = 0;
#pragma tma load
  for (int i = t; i < 2048; i += T) tile[i / 32][i % 32] = in[i / 32 * 40 + i % 32];
  __syncthreads();
  for (int j = 0; j < 32; j++) s += tile[t % 64][j];
  const F8 &f = reinterpret_cast<const F8 &>(tile[t % 64][8 * (t / 64)]);
  out[t] = s + f.v[t % 8] + f.v[7];
}
} // namespace reference_cast

namespace wide_reference {
__global__ void k(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[64][32];
  int t = threadIdx.x;
  float s = 0;
#pragma tma load
  for (int i = t; i < 2048; i += T) tile[i / 32][i % 32] = in[i / 32 * 40 + i % 32];
  __syncthreads();
  for (int j = 0; j < 32; j++) s += tile[t % 64][j];
  const float4 &f = reinterpret_cast<const float4 &>(tile[t % 64][4 * (t / 64)]);
  out[t] = s + f.x + f.y * 3 + f.w;
}
} // namespace wide_reference

namespace element_reference {
__device__ float sum_of(const float &first) {
  const float *at = &first;
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum = sum * 2 + at[i];
  return sum;
}
__global__ void k(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[64][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 2048; i += T) tile[i / 32][i % 32] = in[i / 32 * 40 + i % 32];
  __syncthreads();
  float s = 0;
  for (int j = 0; j < 32; j++) s += tile[t % 64][j];
  out[t] = s + sum_of(tile[t % 64][t / 5]);
}
} // namespace element_reference

namespace only_one_element {
__device__ float twice(const float &value) { return 2 * value; }
__global__ void k(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[64][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 2048; i += T) tile[i / 32][i % 32] = in[i / 32 * 40 + i % 32];
  __syncthreads();
  float s = 0;
  for (int j = 0; j < 32; j++) s += twice(tile[t % 64][j]);
  out[t] = s;
}
} // namespace only_one_element

namespace address_of {
__global__ void k(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[64][32];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 2048; i += T) tile[i / 32][i % 32] = in[i / 32 * 40 + i % 32];
  __syncthreads();
  float s = 0;
  for (int j = 0; j < 32; j++) s += tile[t % 64][j];
  out[t] = s + __builtin_addressof(tile[t % 64][t / 5])[3];
}
} // namespace address_of

namespace method_of_element {
struct Point {
  float a, b;
  __device__ float slope() const { return this[1].b - b; }
};
__global__ void k(float *__restrict__ out, const Point *__restrict__ in) {
  __shared__ Point tile[64][16];
  int t = threadIdx.x;
#pragma tma load
  for (int i = t; i < 1024; i += T) tile[i / 16][i % 16] = in[i / 16 * 20 + i % 16];
  __syncthreads();
  float s = 0;
  for (int j = 0; j < 16; j++) s += tile[t % 64][j].a;
  for (int j = 0; j < 15; j++) s = s * 3 + tile[t % 64][j].slope();
  out[t] = s;
}
} // namespace method_of_element

namespace halo_read_flat {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[18][34];
  int t = threadIdx.x, x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
#pragma tma load fallback(loop)
  for (int i = t; i < 18 * 34; i += T) {
    int y = y0 + i / 34, x = x0 + i % 34;
    tile[i / 34][i % 34] = y >= 0 && y < h && x >= 0 && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  float (&flat)[612] = reinterpret_cast<float (&)[612]>(tile[0][0]);
  for (int i = t; i < 612; i += T) out[(blockIdx.y * 2 + blockIdx.x) * 612 + i] = flat[i];
}
} // namespace halo_read_flat

namespace written_by_assembly {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[16][32];
  int t = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  unsigned at = (unsigned)__cvta_generic_to_shared(&tile[0][0]);
  for (int i = t; i < 512; i += T)
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at + i * 4), "f"(9.f) : "memory");
  __syncthreads();
#pragma tma load
  for (int i = t; i < 512; i += T) {
    int y = y0 + i / 32, x = x0 + i % 32;
    if (y < h && x < w) tile[i / 32][i % 32] = in[y * w + x];
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[(blockIdx.y * 2 + blockIdx.x) * 512 + i] = tile[i / 32][i % 32];
}
} // namespace written_by_assembly

namespace written_by_number {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[16][32];
  int t = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  size_t at = __cvta_generic_to_shared(&tile[0][0]);
  float *again = (float *)__cvta_shared_to_generic(at);
  for (int i = t; i < 512; i += T) again[i] = 9;
  __syncthreads();
#pragma tma load
  for (int i = t; i < 512; i += T) {
    int y = y0 + i / 32, x = x0 + i % 32;
    if (y < h && x < w) tile[i / 32][i % 32] = in[y * w + x];
  }
  __syncthreads();
  for (int i = t; i < 512; i += T) out[(blockIdx.y * 2 + blockIdx.x) * 512 + i] = tile[i / 32][i % 32];
}
} // namespace written_by_number

namespace read_by_lambda {
__global__ void k(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[512];
  int t = threadIdx.x, i = t;
  auto at = [&] { return i; };
#pragma tma load fallback(loop)
  for (; i < 512; i += T) tile[i] = in[i];
  __syncthreads();
  out[t] = tile[511 - t] + at();
}
} // namespace read_by_lambda

namespace twelve_bytes {
__global__ void k(float3 *__restrict__ out, const float3 *__restrict__ in, int w, int h) {
  __shared__ float3 tile[16][32];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += T) {
    int x = x0 + i % 32, y = y0 + i / 32;
    tile[i / 32][i % 32] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : float3{0, 0, 0};
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += T)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 512 + i] = tile[i / 32][i % 32];
}
} // namespace twelve_bytes

namespace twelve_bytes_and_a_halo {
__global__ void k(float3 *__restrict__ out, const float3 *__restrict__ in, int w) {
  __shared__ float3 tile[16][32];
  int x0 = blockIdx.x * 32 - 16, y0 = blockIdx.y * 16;
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += T) {
    int x = x0 + i % 32, y = y0 + i / 32;
    tile[i / 32][i % 32] = x >= 0 && x < w ? in[y * w + x] : float3{0, 0, 0};
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += T)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 512 + i] = tile[i / 32][i % 32];
}
} // namespace twelve_bytes_and_a_halo

namespace three_bytes {
struct Pixel { unsigned char r, g, b; };
__global__ void k(Pixel *__restrict__ out, const Pixel *__restrict__ in, int w, int h) {
  __shared__ Pixel tile[16][32];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += T) {
    int x = x0 + i % 32, y = y0 + i / 32;
    tile[i / 32][i % 32] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : Pixel{0, 0, 0};
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += T)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 512 + i] = tile[i / 32][i % 32];
}
} // namespace three_bytes

// A cell is one of four bytes or of sixteen, by the branch.
namespace members_elsewhere {
__global__ void k(float4 *__restrict__ out, const float4 *__restrict__ in, int n) {
  __shared__ float4 tile[T];
  int t = threadIdx.x, i = blockIdx.x * T + t;
#pragma tma load
  if (i < n)
    tile[t] = in[i];
  else {
    tile[t].x = 0;
    tile[t].y = 0;
    tile[t].z = 0;
    tile[t].w = 0;
  }
  __syncthreads();
  out[i] = tile[T - 1 - t];
}
} // namespace members_elsewhere

namespace members_then_all {
__global__ void k(float4 *__restrict__ out, const float4 *__restrict__ in, int n) {
  __shared__ float4 tile[T];
  int t = threadIdx.x, i = blockIdx.x * T + t;
#pragma tma load
  if (i >= n) {
    tile[t].x = 0;
    tile[t].y = 0;
    tile[t].z = tile[t].w = 0;
  } else
    tile[t] = in[i];
  __syncthreads();
  out[i] = tile[T - 1 - t];
}
} // namespace members_then_all

// Where a copy starts is no whole number of the argument's elements.
namespace half_an_element {
__global__ void k(const float2 *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[T];
  int t = threadIdx.x;
#pragma tma load
  tile[t] = ((const float *)in)[blockIdx.x * n + t];
  __syncthreads();
  ((float *)((float2 *)out + blockIdx.x * T))[t] = tile[T - 1 - t];
}
} // namespace half_an_element

// No launch has room for what comes behind the end, wherever the tile begins.
namespace behind_a_quotient {
__global__ void k(float *__restrict__ out, const float *__restrict__ in, int n) {
  extern __shared__ char all[];
  float4 *tile = reinterpret_cast<float4 *>(all) + n / 4;
  int t = threadIdx.x * 4;
#pragma tma load
  for (int i = t; i < n; i += blockDim.x * 4)
    tile[i / 4] = *reinterpret_cast<const float4 *>(in + i);
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x * 4)
    *(float4 *)(out + blockIdx.x * n + i) = tile[n / 4 - 1 - i / 4];
}
} // namespace behind_a_quotient

static const Case cases[] = {
    {"members_elsewhere", [](const Arrays &a) { members_elsewhere::k<<<3, T>>>((float4 *)a.out, (const float4 *)a.in, 300); }},
    {"members_then_all", [](const Arrays &a) { members_then_all::k<<<3, T>>>((float4 *)a.out, (const float4 *)a.in, 300); }},
    {"half_an_element", [](const Arrays &a) { half_an_element::k<<<3, T>>>((const float2 *)a.in, a.out, 300); }},
    {"behind_a_quotient", [](const Arrays &a) { behind_a_quotient::k<<<5, T, 2 * T * 4>>>(a.out, a.in, T); }},
    {"reference_cast", [](const Arrays &a) { reference_cast::k<<<1, T>>>(a.out, a.in); }},
    {"wide_reference", [](const Arrays &a) { wide_reference::k<<<1, T>>>(a.out, a.in); }},
    {"element_reference", [](const Arrays &a) { element_reference::k<<<1, T>>>(a.out, a.in); }},
    {"only_one_element", [](const Arrays &a) { only_one_element::k<<<1, T>>>(a.out, a.in); }},
    {"address_of", [](const Arrays &a) { address_of::k<<<1, T>>>(a.out, a.in); }},
    {"method_of_element", [](const Arrays &a) { method_of_element::k<<<1, T>>>(a.out, (const method_of_element::Point *)a.in); }},
    {"halo_read_flat", [](const Arrays &a) { halo_read_flat::k<<<dim3(2, 4), T>>>(a.out, a.in, 64, 60); }},
    {"written_by_assembly", [](const Arrays &a) { written_by_assembly::k<<<dim3(2, 4), T>>>(a.out, a.in, 60, 58); }},
    {"written_by_number", [](const Arrays &a) { written_by_number::k<<<dim3(2, 4), T>>>(a.out, a.in, 60, 58); }},
    {"read_by_lambda", [](const Arrays &a) { read_by_lambda::k<<<1, T>>>(a.out, a.in); }},
    {"twelve_bytes", [](const Arrays &a) { twelve_bytes::k<<<dim3(2, 2), T>>>((float3 *)a.out, (const float3 *)a.in, 64, 30); }},
    {"twelve_bytes_and_a_halo", [](const Arrays &a) { twelve_bytes_and_a_halo::k<<<dim3(2, 2), T>>>((float3 *)a.out, (const float3 *)a.in, 64); }},
    {"three_bytes", [](const Arrays &a) { three_bytes::k<<<dim3(2, 4), T>>>((three_bytes::Pixel *)a.out, (const three_bytes::Pixel *)a.in, 64, 60); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
