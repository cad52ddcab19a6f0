// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products whose tiles are filled by functions of their own: one for tiles of 32 x 32,
// by 32 x 8 threads, and one for tiles of 64 x 32 by vectors, each with guards.

#include "field.cuh"

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define LD4(p) (*reinterpret_cast<const float4 *>(p))

__device__ __forceinline__ void load_tile_32x32(float (&dst)[32][32], const float *src, int ld,
                                                int row0, int col0, int rows, int cols) {
#pragma tma load
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int r = row0 + threadIdx.y + i;
    const int c = col0 + threadIdx.x;
    dst[threadIdx.y + i][threadIdx.x] = (r < rows && c < cols) ? src[r * ld + c] : 0.f;
  }
}

__global__ void __launch_bounds__(256)
    sgemm_32x32(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
                int M, int N, int K) {
  __shared__ float sA[32][32];
  __shared__ float sB[32][32];
  const int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  float acc[4] = {0.f, 0.f, 0.f, 0.f};
  const int tiles = (K + 31) / 32;
  for (int t = 0; t < tiles; ++t) {
    load_tile_32x32(sA, A, K, row0, t * 32, M, K);
    load_tile_32x32(sB, B, N, t * 32, col0, K, N);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const float b = sB[k][threadIdx.x];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        acc[i] = fmaf(sA[threadIdx.y + i * 8][k], b, acc[i]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int r = row0 + threadIdx.y + i * 8, c = col0 + threadIdx.x;
    if (r < M && c < N)
      C[r * N + c] = acc[i];
  }
}

// A linear layer: out = inp * weight^T + bias; both tiles are 64 rows of 32 floats.
__device__ void load_64x32(float *tile, const float *base, int stride, int row0, int k0, int rows) {
#pragma tma load
  for (int i = threadIdx.x; i < 64 * 8; i += 256) {
    int r = i / 8, v = i % 8;
    float4 x = make_float4(0.f, 0.f, 0.f, 0.f);
    if (row0 + r < rows)
      x = LD4(base + (row0 + r) * stride + k0 + v * 4);
    *reinterpret_cast<float4 *>(tile + r * 32 + v * 4) = x;
  }
}

__global__ void linear_forward(float *out, const float *inp, const float *weight, const float *bias,
                               int BT, int C, int OC) {
  __shared__ __align__(16) float lhs_s[64 * 32];
  __shared__ __align__(16) float rhs_s[64 * 32];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float vals[4][4] = {};
  if (bias != NULL) {
    for (int j = 0; j < 4; j++) {
      int o = blockIdx.x * 64 + tx + j * 16;
      for (int i = 0; i < 4; i++)
        vals[i][j] = o < OC ? bias[o] : 0.f;
    }
  }
  for (int so = 0; so < C; so += 32) {
    __syncthreads();
    load_64x32(lhs_s, inp, C, blockIdx.y * 64, so, BT);
    load_64x32(rhs_s, weight, C, blockIdx.x * 64, so, OC);
    __syncthreads();
    for (int si = 0; si < 32; si += 4) {
      float4 rhs[4];
      for (int j = 0; j < 4; j++)
        rhs[j] = LD4(&rhs_s[(tx + j * 16) * 32 + si]);
      for (int i = 0; i < 4; i++) {
        float4 lhs = LD4(&lhs_s[(ty + i * 16) * 32 + si]);
        for (int j = 0; j < 4; j++) {
          vals[i][j] += lhs.x * rhs[j].x;
          vals[i][j] += lhs.y * rhs[j].y;
          vals[i][j] += lhs.z * rhs[j].z;
          vals[i][j] += lhs.w * rhs[j].w;
        }
      }
    }
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      int bt = blockIdx.y * 64 + ty + i * 16, o = blockIdx.x * 64 + tx + j * 16;
      if (bt < BT && o < OC)
        out[bt * OC + o] = vals[i][j];
    }
}

int main() {
  const int m = field::pick(2000, 72), n = field::pick(1920, 100), k = field::pick(2040, 76);
  Buffer a(size_t(m) * k * 4, 1), b(size_t(k) * n * 4, 2), c(size_t(m) * n * 4, 3);
  field::measure("sgemm-loader-32x32", c, [&] {
    sgemm_32x32<<<dim3(CEIL_DIV(n, 32), CEIL_DIV(m, 32)), dim3(32, 8)>>>(
        a.as<float>(), b.as<float>(), c.as<float>(), m, n, k);
  });
  // GPT-2's: B * T = 4 * 1024 tokens, and what comes of 768 channels.
  const int BT = field::pick(4 * 1024, 150), C = field::pick(768, 96),
            OC = field::pick(3 * 768, 80);
  Buffer inp(size_t(BT) * C * 4, 4), weight(size_t(OC) * C * 4, 5), bias(size_t(OC) * 4, 6);
  Buffer out(size_t(BT) * OC * 4, 7);
  field::measure("linear-loader-64x32", out, [&] {
    dim3 gridDim(CEIL_DIV(OC, 64), CEIL_DIV(BT, 64));
    linear_forward<<<gridDim, 256>>>(out.as<float>(), inp.as<float>(), weight.as<float>(),
                                     bias.as<float>(), BT, C, OC);
  });
}
