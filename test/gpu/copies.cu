// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types, vector accesses, ranks, and contiguous copies.

#include "harness.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __global__ void typed(T *out, const T *in, int w, int h) {
  __shared__ T tile[8][64];
  int x0 = blockIdx.x * 64, y0 = blockIdx.y * 8;
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += blockDim.x) {
    int r = i / 64, c = i % 64;
    tile[r][c] = (y0 + r < h && x0 + c < w) ? in[size_t(y0 + r) * w + x0 + c] : T(0);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += blockDim.x)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 512 + i] = tile[i % 8][i / 8];
}

// float4 stores into a float tile, guarded by the vector's first element.
__global__ void float4_guarded(float *out, const float *in, int w, int h) {
  __shared__ float tile[16][64];
  int x0 = blockIdx.x * 64, y0 = blockIdx.y * 16;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    int r = i / 16, c = i % 16 * 4;
    float4 value = make_float4(0.f, 0.f, 0.f, 0.f);
    if (y0 + r < h && x0 + c < w)
      value = *reinterpret_cast<const float4 *>(&in[(y0 + r) * w + x0 + c]);
    *reinterpret_cast<float4 *>(&tile[r][c]) = value;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 1024 + i] = tile[i % 16][i / 16];
}

// Whose guard may end before the first vector: nothing is rounded up to zero.
__global__ void ends_before(float *out, const float *in, int w, int n, long long d,
                            unsigned long long e) {
  __shared__ float tile[16][64], thirds[16][64];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    int r = i / 16, c = i % 16 * 4, x = 128 - blockIdx.x * 64 + c;
    float4 value = make_float4(0.f, 0.f, 0.f, 0.f);
    if (x < 4 * n + d - (long long)e)
      value = *reinterpret_cast<const float4 *>(&in[r * w + x]);
    *reinterpret_cast<float4 *>(&tile[r][c]) = value;
  }
#pragma tma load
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    int r = i / 64, c = i % 64, x = 128 - blockIdx.x * 64 + c;
    thirds[r][c] = 3 * x < 3 * n + d ? in[r * w + x] : 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    out[blockIdx.x * 1024 + i] = tile[i % 16][i / 16] + 2 * thirds[i % 16][i / 16];
}

// What the program divides is no part of what the guard's end is divided by.
__global__ void starts_at_quotient(float *out, const float *in, int pitch, int w, int n) {
  __shared__ float tile[16][64];
  int s = (w + 3) / 4 * 4;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    int r = i / 16, c = i % 16 * 4;
    float4 value = make_float4(0.f, 0.f, 0.f, 0.f);
    if (s + blockIdx.x * 64 + c < w + 8 * n)
      value = *reinterpret_cast<const float4 *>(&in[r * pitch + s + blockIdx.x * 64 + c]);
    *reinterpret_cast<float4 *>(&tile[r][c]) = value;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    out[blockIdx.x * 1024 + i] = tile[i % 16][i / 16];
}

__global__ void uint4_rows(uint4 *out, const uint4 *in, int pitch, int rows) {
  __shared__ uint4 tile[32][8];
  int row = threadIdx.x / 8, column = threadIdx.x % 8;
#pragma tma load
  tile[row][column] = in[(blockIdx.y * 32 + row) * pitch + blockIdx.x * 8 + column];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] =
      tile[threadIdx.x % 32][threadIdx.x / 32];
}

__global__ void half2_rows(half *out, const half *in, int k, int m) {
  __shared__ half tile[16][64];
  half sum = __float2half(0.f);
  for (int k0 = 0; k0 < k; k0 += 64) {
#pragma tma load
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
      int r = i / 32, c = i % 32 * 2, y = blockIdx.x * 16 + r;
      half2 v = __float2half2_rn(0.f);
      if (y < m)
        v = *(const half2 *)&in[y * k + k0 + c];
      *(half2 *)&tile[r][c] = v;
    }
    __syncthreads();
    for (int c = 0; c < 64; ++c)
      sum = __hadd(sum, tile[threadIdx.x % 16][c]);
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Contiguous, of any length: no tensor map.
__global__ void contiguous(float *out, const float *in) {
  __shared__ float part[1000];
#pragma tma load
  for (int i = threadIdx.x; i < 1000; i += blockDim.x)
    part[i] = in[blockIdx.x * 1000 + i];
  __syncthreads();
  for (int i = threadIdx.x; i < 1000; i += blockDim.x)
    out[blockIdx.x * 1000 + i] = part[999 - i];
}

__global__ void contiguous_halo(float *out, const float *in) {
  __shared__ float part[256 + 6];
#pragma tma load
  for (int i = threadIdx.x; i < 262; i += blockDim.x)
    part[i] = in[blockIdx.x * 256 + i + 5];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 7; ++k)
    sum += part[threadIdx.x + k];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// One dimension with a guard; longer than a box.
__global__ void guarded_1d(float *out, const float *in, int n) {
  __shared__ float part[1024 + 2];
  int first = blockIdx.x * 1024 - 1;
#pragma tma load
  for (int i = threadIdx.x; i < 1026; i += blockDim.x)
    part[i] = first + i >= 0 && first + i < n ? in[first + i] : 0.f;
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    if (blockIdx.x * 1024 + i < n)
      out[blockIdx.x * 1024 + i] = part[i] + 2 * part[i + 1] + part[i + 2];
}

// A batch of matrices: the batch is a dimension with a box of one.
__global__ void batched(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  const float *matrix = in + size_t(blockIdx.z) * w * h;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    int r = i / 32, c = i % 32;
    tile[r][c] = y0 + r < h && x0 + c < w ? matrix[(y0 + r) * w + x0 + c] : 0.f;
  }
  __syncthreads();
  out[((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * 256 + threadIdx.x] =
      tile[threadIdx.x % 8][threadIdx.x / 8];
}

// Rows from the last, some of them behind the end: such a box reads nothing of its tensor, and may
// not start where nothing is.
__global__ void backwards(float *out, const float *in, int w, int h, int rounds) {
  __shared__ float tile[4][32];
  float sum = 0;
  for (int outer = 0; outer < 2; ++outer)
    for (int k = rounds - outer; k-- > 0;) {
#pragma tma load
      for (int i = threadIdx.x; i < 128; i += 128)
        tile[i / 32][i % 32] =
            k * 4 + i / 32 < h ? in[(k * 4 + i / 32) * w + blockIdx.x * 32 + i % 32] : 0.f;
      __syncthreads();
      sum = sum * 3 + tile[threadIdx.x % 4][threadIdx.x / 4];
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Five dimensions, all guarded.
__global__ void five(float *out, const float *in, int a, int b, int c, int d, int e) {
  __shared__ float tile[2][2][3][4][8];
  int e0 = blockIdx.x * 8, d0 = blockIdx.y * 4 - 1, c0 = blockIdx.z * 3;
#pragma tma load
  for (int i = threadIdx.x; i < 2 * 2 * 3 * 4 * 8; i += blockDim.x) {
    int ie = i % 8, id = i / 8 % 4, ic = i / 32 % 3, ib = i / 96 % 2, ia = i / 192;
    bool inside = e0 + ie < e && d0 + id >= 0 && d0 + id < d && c0 + ic < c && ib < b && ia < a;
    tile[ia][ib][ic][id][ie] =
        inside ? in[((((size_t)ia * b + ib) * c + c0 + ic) * d + d0 + id) * e + e0 + ie] : 0.f;
  }
  __syncthreads();
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  for (int i = threadIdx.x; i < 384; i += blockDim.x)
    out[block * 384 + i] = tile[i / 192][i / 96 % 2][i / 32 % 3][i / 8 % 4][i % 8];
}

template <typename T> void types(const char *name) {
  int sizes[][2] = {{256, 64}, {96, 20}, {100, 9}};
  for (auto &size : sizes) {
    int w = size[0], h = size[1];
    dim3 grid((w + 63) / 64, (h + 7) / 8);
    Buffer in(size_t(w) * h * sizeof(T), 11), out(grid.x * grid.y * 512 * sizeof(T), 12);
    typed<T><<<grid, 128>>>(out.as<T>(), in.as<T>(), w, h);
    report(std::string(name) + " " + std::to_string(w) + "x" + std::to_string(h), out);
  }
}

int main() {
  types<unsigned char>("u8");
  types<short>("i16");
  types<half>("half");
  types<__nv_bfloat16>("bf16");
  types<float>("float");
  types<unsigned>("u32");
  types<double>("double");
  types<long long>("i64");
  for (int w : {256, 100, 64}) {
    dim3 grid((w + 63) / 64, 3);
    Buffer in(size_t(w) * 41 * 4, 13), out(grid.x * 3 * 1024 * 4, 14);
    float4_guarded<<<grid, 128>>>(out.as<float>(), in.as<float>(), w, 41);
    report("float4_guarded " + std::to_string(w), out);
  }
  for (int d : {-3, -4, -5, -8, -13, -200, 5})
    for (unsigned long long e : {0, 3, 4}) {
      Buffer in(256 * 16 * 4, 15), out(3 * 1024 * 4, 16);
      ends_before<<<3, 128>>>(out.as<float>(), in.as<float>(), 256, 16, d, e);
      report("ends_before " + std::to_string(d) + " " + std::to_string(e), out);
    }
  for (int w : {64, 61}) {
    Buffer in(512 * 16 * 4, 15), out(2 * 1024 * 4, 16);
    starts_at_quotient<<<2, 128>>>(out.as<float>(), in.as<float>(), 512, w, 4);
    report("starts_at_quotient " + std::to_string(w), out);
  }
  {
    Buffer in(64 * 64 * 16, 15), out(8 * 2 * 256 * 16, 16);
    uint4_rows<<<dim3(8, 2), 256>>>(out.as<uint4>(), in.as<uint4>(), 64, 64);
    report("uint4_rows", out);
  }
  for (int m : {64, 50}) {
    Buffer in(256 * 64 * 2, 17), out(4 * 128 * 2, 18);
    half2_rows<<<4, 128>>>(out.as<half>(), in.as<half>(), 256, m);
    report("half2_rows " + std::to_string(m), out);
  }
  {
    Buffer in(4096 * 20 * 4, 21), out(2 * 128 * 4, 22);
    backwards<<<2, 128>>>(out.as<float>(), in.as<float>(), 4096, 20, 8);
    report("backwards", out);
  }
  for (size_t offset : {0, 4}) {
    std::string suffix = "+" + std::to_string(offset);
    Buffer in(20 * 1000 * 4, 19, offset), out(20 * 1000 * 4, 20);
    contiguous<<<20, 128>>>(out.as<float>(), in.as<float>());
    report("contiguous" + suffix, out);
    contiguous_halo<<<20, 256>>>(out.as<float>(), in.as<float>());
    report("contiguous_halo" + suffix, out);
    for (int n : {20000, 4097, 1000, 3}) {
      guarded_1d<<<(n + 1023) / 1024, 256>>>(out.as<float>(), in.as<float>(), n);
      report("guarded_1d " + std::to_string(n) + suffix, out);
    }
  }
  for (int w : {64, 36, 33}) {
    Buffer in(size_t(w) * 19 * 5 * 4, 21), out(2 * 3 * 5 * 256 * 4, 22);
    batched<<<dim3(2, 3, 5), 256>>>(out.as<float>(), in.as<float>(), w, 19);
    report("batched " + std::to_string(w), out);
  }
  for (int e : {16, 12, 7}) {
    Buffer in(size_t(2 * 2 * 5 * 7) * e * 4, 23), out(2 * 2 * 2 * 384 * 4, 24);
    five<<<dim3(2, 2, 2), 128>>>(out.as<float>(), in.as<float>(), 2, 2, 5, 7, e);
    report("five " + std::to_string(e), out);
  }
}
