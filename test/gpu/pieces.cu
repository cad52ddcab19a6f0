// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pixels of more than one instruction: of more channels, or more of them, than a box has. And
// the gradient of the filter, whose pixels a loop sums over.

#include "harness.cuh"

struct K {
  int n, h, w, p, q, pad, stride, c;
};

// 320 channels: elements of four bytes, or parts of a swizzle.
__global__ void wide(unsigned *__restrict__ out, const short *__restrict__ in, K k) {
  __shared__ short tile[16][320];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load
      for (int i = threadIdx.x; i < 16 * 320; i += 128) {
        int m = blockIdx.x * 16 + i / 320, n = m / (k.p * k.q),
            y = m / k.q % k.p * k.stride - k.pad + r, x = m % k.q * k.stride - k.pad + s;
        tile[i / 320][i % 320] = n < k.n && y >= 0 && y < k.h && x >= 0 && x < k.w
                                     ? in[((n * k.h + y) * k.w + x) * k.c + i % 320]
                                     : 0;
      }
      __syncthreads();
      for (int i = 0; i < 320; ++i)
        sum = sum * 31 + tile[threadIdx.x % 16][i];
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// 1200 pixels in two copies.
__global__ void many(unsigned *__restrict__ out, const float *__restrict__ in, K k) {
  __shared__ float tile[1200][4];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load
      for (int i = threadIdx.x; i < 1200 * 4; i += 128) {
        int m = blockIdx.x * 1200 + i / 4, n = m / (k.p * k.q),
            y = m / k.q % k.p * k.stride - k.pad + r, x = m % k.q * k.stride - k.pad + s;
        tile[i / 4][i % 4] = n < k.n && y >= 0 && y < k.h && x >= 0 && x < k.w
                                 ? in[((n * k.h + y) * k.w + x) * 4 + i % 4]
                                 : 0.f;
      }
      __syncthreads();
      for (int i = threadIdx.x; i < 4800; i += 128)
        sum = sum * 31 + __float_as_uint(tile[i / 4][i % 4]);
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// 4224 bytes a pixel: too long for elements of eight bytes.
__global__ void longest(unsigned *__restrict__ out, const float *__restrict__ in, K k) {
  __shared__ float tile[8][1056];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load
      for (int i = threadIdx.x; i < 8 * 1056; i += 128) {
        int m = blockIdx.x * 8 + i / 1056, n = m / (k.p * k.q),
            y = m / k.q % k.p * k.stride - k.pad + r, x = m % k.q * k.stride - k.pad + s;
        tile[i / 1056][i % 1056] = n < k.n && y >= 0 && y < k.h && x >= 0 && x < k.w
                                       ? in[((n * k.h + y) * k.w + x) * k.c + i % 1056]
                                       : 0;
      }
      __syncthreads();
      for (int i = 0; i < 1056; ++i)
        sum = sum * 31 + __float_as_uint(tile[threadIdx.x % 8][i]);
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Rows of two swizzled parts.
__global__ void panels(unsigned *__restrict__ out, const unsigned char *__restrict__ in, K k) {
  __shared__ unsigned char tile[320][64];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load swizzle(32)
      for (int i = threadIdx.x; i < 320 * 64; i += 128) {
        int m = blockIdx.x * 320 + i / 64, n = m / (k.p * k.q),
            y = m / k.q % k.p * k.stride - k.pad + r, x = m % k.q * k.stride - k.pad + s;
        tile[i / 64][i % 64] = n < k.n && y >= 0 && y < k.h && x >= 0 && x < k.w
                                   ? in[((n * k.h + y) * k.w + x) * k.c + i % 64]
                                   : 0;
      }
      __syncthreads();
      for (int i = threadIdx.x; i < 320 * 64; i += 128)
        sum = sum * 31 + tile[i / 64][i % 64];
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The filter is the block's.
__global__ void weights(float *__restrict__ out, const float *__restrict__ dy,
                        const float *__restrict__ in, K k, int kout) {
  __shared__ float a[16][32], b[16][32];
  const int f = blockIdx.y, r = f / 3, s = f % 3, c0 = blockIdx.x * 32, k0 = blockIdx.z * 32;
  float acc[8] = {};
  for (int m0 = 0; m0 < k.n * k.p * k.q; m0 += 16) {
#pragma tma load
    for (int i = threadIdx.x; i < 16 * 32; i += 128) {
      int m = m0 + i / 32;
      a[i / 32][i % 32] = m < k.n * k.p * k.q ? dy[m * kout + k0 + i % 32] : 0.f;
    }
#pragma tma load
    for (int i = threadIdx.x; i < 16 * 32; i += 128) {
      int m = m0 + i / 32, n = m / (k.p * k.q), y = m / k.q % k.p * k.stride - k.pad + r,
          x = m % k.q * k.stride - k.pad + s;
      b[i / 32][i % 32] = n < k.n && y >= 0 && y < k.h && x >= 0 && x < k.w
                              ? in[((n * k.h + y) * k.w + x) * k.c + c0 + i % 32]
                              : 0.f;
    }
    __syncthreads();
    for (int j = 0; j < 16; ++j)
      for (int e = 0; e < 8; ++e)
        acc[e] += a[j][threadIdx.x / 4] * b[j][threadIdx.x % 4 * 8 + e];
    __syncthreads();
  }
  for (int e = 0; e < 8; ++e)
    out[((k0 + threadIdx.x / 4) * 9 + f) * k.c + c0 + threadIdx.x % 4 * 8 + e] = acc[e];
}

// One pixel after the other, each in parts.
__global__ void apart(unsigned *__restrict__ out, const float *__restrict__ in, K k) {
  __shared__ float tile[8][1056];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load swizzle(none)
      for (int i = threadIdx.x; i < 8 * 1056; i += 128) {
        int m = blockIdx.x * 8 + i / 1056, n = m / (k.p * k.q),
            y = m / k.q % k.p * k.stride - k.pad + r, x = m % k.q * k.stride - k.pad + s;
        tile[i / 1056][i % 1056] = n < k.n && y >= 0 && y < k.h && x >= 0 && x < k.w
                                       ? in[((n * k.h + y) * k.w + x) * k.c + i % 1056]
                                       : 0;
      }
      __syncthreads();
      for (int i = 0; i < 1056; ++i)
        sum = sum * 31 + __float_as_uint(tile[threadIdx.x % 8][i]);
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Elements of four bytes, without a swizzle.
__global__ void widened(unsigned *__restrict__ out, const short *__restrict__ in, K k) {
  __shared__ short tile[16][320];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load swizzle(none)
      for (int i = threadIdx.x; i < 16 * 320; i += 128) {
        int m = blockIdx.x * 16 + i / 320, n = m / (k.p * k.q),
            y = m / k.q % k.p * k.stride - k.pad + r, x = m % k.q * k.stride - k.pad + s;
        tile[i / 320][i % 320] = n < k.n && y >= 0 && y < k.h && x >= 0 && x < k.w
                                     ? in[((n * k.h + y) * k.w + x) * k.c + i % 320]
                                     : 0;
      }
      __syncthreads();
      for (int i = 0; i < 320; ++i)
        sum = sum * 31 + tile[threadIdx.x % 16][i];
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

int main() {
  Buffer in(1 << 22, 3), out(1 << 20, 4);
  unsigned *sums = out.as<unsigned>();
  wide<<<13, 128>>>(sums, in.as<short>(), {2, 9, 11, 9, 11, 1, 1, 320});
  report("wide", out);
  widened<<<13, 128>>>(sums, in.as<short>(), {2, 9, 11, 9, 11, 1, 1, 320});
  report("widened", out);
  many<<<2, 128>>>(sums, in.as<float>(), {4, 19, 21, 19, 21, 1, 1, 4});
  report("many", out);
  longest<<<7, 128>>>(sums, in.as<float>(), {2, 5, 5, 5, 5, 1, 1, 1056});
  report("longest", out);
  apart<<<7, 128>>>(sums, in.as<float>(), {2, 5, 5, 5, 5, 1, 1, 1056});
  report("apart", out);
  panels<<<5, 128>>>(sums, in.as<unsigned char>(), {4, 19, 21, 19, 21, 1, 1, 64});
  report("panels", out);
  weights<<<dim3(2, 9, 2), 128>>>(out.as<float>(), in.as<float>(), in.as<float>() + 100000,
                                  {2, 9, 11, 9, 11, 1, 1, 64}, 64);
  report("weights", out);
}
