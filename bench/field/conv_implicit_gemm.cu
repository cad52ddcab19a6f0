// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution of images with channels last as an implicit matrix product on tensor cores. Each
// thread finds out once which filter rows and columns its pixels may read, keeps that as bits, and
// has cp.async fill in zeros where the bit is not set, as the iterators of libraries do.

#include "field.cuh"

#include <cuda_fp16.h>

#define BM 128
#define BN 128
#define BK 32
#define SKEW 8
#define THREADS 256

struct ConvParams {
  int N, H, W, C; // input
  int K, R, S;    // filter
  int P, Q;       // output
  int stride, pad, dilation;
};

__device__ __forceinline__ void cp_async_zfill(void *smem, const void *gmem, bool pred) {
  const uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(smem));
  const int src_size = pred ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(addr), "l"(gmem),
               "r"(src_size));
}

__device__ __forceinline__ void cp_async_fence() { asm volatile("cp.async.commit_group;\n" ::); }

template <int N> __device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N));
}

__device__ __forceinline__ void ldmatrix_x4(uint32_t (&r)[4], const half *p) {
  const uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addr));
}

__device__ __forceinline__ void ldmatrix_x2(uint32_t (&r)[2], const half *p) {
  const uint32_t addr = static_cast<uint32_t>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(addr));
}

__device__ __forceinline__ void mma16816(float (&d)[4], const uint32_t (&a)[4],
                                         const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The pixels of a tile, 32 channels of each, for one element of the filter.
__device__ __forceinline__ void
load_input_tile(half (*As)[BK + SKEW], const half *x, int row, int col, const int (&offset)[2],
                const uint32_t (&mask_h)[2], const uint32_t (&mask_w)[2], int r, int s, int delta) {
#pragma tma load fallback(loop)
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const bool valid = ((mask_h[i] >> r) & 1) && ((mask_w[i] >> s) & 1);
    cp_async_zfill(&As[row + i * 64][col], valid ? x + offset[i] + delta : x, valid);
  }
}

__device__ __forceinline__ void load_filter_tile(half (*Bs)[BK + SKEW], const half *w, ConvParams p,
                                                 int row, int col, int n0, int rs, int c0) {
#pragma tma load
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int k = n0 + row + i * 64;
    const bool valid = k < p.K;
    cp_async_zfill(&Bs[row + i * 64][col],
                   valid ? w + ((size_t)k * p.R * p.S + rs) * p.C + c0 + col : w, valid);
  }
}

// y[n,p,q,k] = sum over r, s, c of x[n, p * stride - pad + r, q * stride - pad + s, c] * w[k,r,s,c]
__global__ void __launch_bounds__(THREADS)
    conv2d_implicit_gemm_nhwc(const half *__restrict__ x, const half *__restrict__ w,
                              half *__restrict__ y, ConvParams p) {
  __shared__ __align__(16) half As[2][BM][BK + SKEW];
  __shared__ __align__(16) half Bs[2][BN][BK + SKEW];

  const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
  const int warp_m = warp / 4 * 64, warp_n = warp % 4 * 32;
  const int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN;

  // Four threads for the 32 channels of a pixel, 64 pixels at once, twice.
  const int row = tid / 4, col = tid % 4 * 8;
  int offset[2];
  uint32_t mask_h[2] = {0, 0}, mask_w[2] = {0, 0};
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int m = m0 + row + i * 64;
    const int n = m / (p.P * p.Q), pq = m % (p.P * p.Q);
    const int h0 = pq / p.Q * p.stride - p.pad, w0 = pq % p.Q * p.stride - p.pad;
    offset[i] = ((n * p.H + h0) * p.W + w0) * p.C + col;
    for (int r = 0; r < p.R; r++) {
      const int h = h0 + r * p.dilation;
      if (n < p.N && h >= 0 && h < p.H)
        mask_h[i] |= 1u << r;
    }
    for (int s = 0; s < p.S; s++) {
      const int ww = w0 + s * p.dilation;
      if (ww >= 0 && ww < p.W)
        mask_w[i] |= 1u << s;
    }
  }

  float acc[4][4][4] = {};
  const int c_steps = p.C / BK, steps = p.R * p.S * c_steps;

  load_input_tile(As[0], x, row, col, offset, mask_h, mask_w, 0, 0, 0);
  load_filter_tile(Bs[0], w, p, row, col, n0, 0, 0);
  cp_async_fence();
  for (int step = 0; step < steps; step++) {
    const int cur = step & 1;
    cp_async_wait<0>();
    __syncthreads();
    if (step + 1 < steps) {
      const int rs = (step + 1) / c_steps, c0 = (step + 1) % c_steps * BK;
      const int r = rs / p.S, s = rs % p.S;
      const int delta = (r * p.W + s) * p.dilation * p.C + c0;
      load_input_tile(As[cur ^ 1], x, row, col, offset, mask_h, mask_w, r, s, delta);
      load_filter_tile(Bs[cur ^ 1], w, p, row, col, n0, rs, c0);
      cp_async_fence();
    }

#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[4][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 4; i++)
        ldmatrix_x4(a[i], &As[cur][warp_m + i * 16 + lane % 16][kk + lane / 16 * 8]);
#pragma unroll
      for (int j = 0; j < 4; j++)
        ldmatrix_x2(b[j], &Bs[cur][warp_n + j * 8 + lane % 8][kk + lane / 8 % 2 * 8]);
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          mma16816(acc[i][j], a[i], b[j]);
    }
  }

  const int pixels = p.N * p.P * p.Q;
#pragma unroll
  for (int i = 0; i < 4; i++)
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int m = m0 + warp_m + i * 16 + lane / 4 + h * 8;
        const int k = n0 + warp_n + j * 8 + lane % 4 * 2;
        if (m < pixels && k < p.K)
          *reinterpret_cast<half2 *>(&y[(size_t)m * p.K + k]) =
              __floats2half2_rn(acc[i][j][h * 2], acc[i][j][h * 2 + 1]);
      }
}

__global__ void fill_half(half *p, size_t n, float scale) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    p[i] = __float2half(scale * (float((i * 2654435761u >> 7) % 1000) * 0.002f - 1.0f));
}

int main() {
  ConvParams p;
  p.N = field::pick(32, 1), p.H = p.W = field::pick(56, 12), p.C = field::pick(128, 64);
  p.K = field::pick(256, 136), p.R = p.S = 3;
  for (int stride = 1; stride <= 2; stride++) {
    p.stride = stride, p.pad = 1, p.dilation = 1;
    p.P = (p.H + 2 * p.pad - p.dilation * (p.R - 1) - 1) / stride + 1;
    p.Q = (p.W + 2 * p.pad - p.dilation * (p.S - 1) - 1) / stride + 1;
    const size_t in = size_t(p.N) * p.H * p.W * p.C, filter = size_t(p.K) * p.R * p.S * p.C;
    const int pixels = p.N * p.P * p.Q;
    Buffer x(in * 2, 1), w(filter * 2, 2), y(size_t(pixels) * p.K * 2, 3);
    fill_half<<<blocks_for(in), 256>>>(x.as<half>(), in, 1.0f);
    fill_half<<<blocks_for(filter), 256>>>(w.as<half>(), filter, 0.1f);
    field::measure(stride == 1 ? "conv-implicit-gemm" : "conv-implicit-gemm-stride-2", y, [&] {
      dim3 grid((pixels + BM - 1) / BM, (p.K + BN - 1) / BN);
      conv2d_implicit_gemm_nhwc<<<grid, THREADS>>>(x.as<half>(), w.as<half>(), y.as<half>(), p);
    });
  }
}
