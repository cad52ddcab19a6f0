// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pixels of more than one instruction: of more channels, or more of them, than a box has. And
// the gradient of the filter, whose pixels a loop sums over.

#include "harness.cuh"

struct K {
  int n, h, w, p, q, pad, stride, c;
};

// A channel of the input that element (r, s) of the filter meets for a pixel of the output.
template <typename T> __device__ T met(const T *in, K k, int pixel, int r, int s, int channel) {
  const int n = pixel / (k.p * k.q), y = pixel / k.q % k.p * k.stride - k.pad + r,
            x = pixel % k.q * k.stride - k.pad + s;
  const bool inside = n < k.n && y >= 0 && y < k.h && x >= 0 && x < k.w;
  return inside ? in[((n * k.h + y) * k.w + x) * k.c + channel] : T(0);
}

// Swizzled as tilelift likes: rows in parts.
template <typename T, int P, int C>
__global__ void freely(unsigned *__restrict__ out, const T *__restrict__ in, K k) {
  __shared__ T tile[P][C];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load
      for (int i = threadIdx.x; i < P * C; i += 128)
        tile[i / C][i % C] = met(in, k, blockIdx.x * P + i / C, r, s, i % C);
      __syncthreads();
      for (int row = threadIdx.x % P; row < P; row += 128)
        for (int i = 0; i < C; ++i)
          sum = sum * 31 + unsigned(tile[row][i] * T(100));
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The same of rows that are short enough for one.
template <typename T, int P, int C>
__global__ void halved(unsigned *__restrict__ out, const T *__restrict__ in, K k) {
  __shared__ T tile[P][C];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load swizzle(32)
      for (int i = threadIdx.x; i < P * C; i += 128)
        tile[i / C][i % C] = met(in, k, blockIdx.x * P + i / C, r, s, i % C);
      __syncthreads();
      for (int row = threadIdx.x % P; row < P; row += 128)
        for (int i = 0; i < C; ++i)
          sum = sum * 31 + unsigned(tile[row][i] * T(100));
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Elements of four bytes.
template <typename T, int P, int C>
__global__ void widened(unsigned *__restrict__ out, const T *__restrict__ in, K k) {
  __shared__ T tile[P][C];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load swizzle(none)
      for (int i = threadIdx.x; i < P * C; i += 128)
        tile[i / C][i % C] = met(in, k, blockIdx.x * P + i / C, r, s, i % C);
      __syncthreads();
      for (int row = threadIdx.x % P; row < P; row += 128)
        for (int i = 0; i < C; ++i)
          sum = sum * 31 + unsigned(tile[row][i] * T(100));
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// One pixel after the other, each in parts.
template <typename T, int P, int C>
__global__ void apart(unsigned *__restrict__ out, const T *__restrict__ in, K k) {
  __shared__ T tile[P][C];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load swizzle(none)
      for (int i = threadIdx.x; i < P * C; i += 128)
        tile[i / C][i % C] = met(in, k, blockIdx.x * P + i / C, r, s, i % C);
      __syncthreads();
      for (int row = threadIdx.x % P; row < P; row += 128)
        for (int i = 0; i < C; ++i)
          sum = sum * 31 + unsigned(tile[row][i] * T(100));
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Some pixels, and then the others.
template <typename T, int P, int C>
__global__ void many(unsigned *__restrict__ out, const T *__restrict__ in, K k) {
  __shared__ T tile[P][C];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load swizzle(none)
      for (int i = threadIdx.x; i < P * C; i += 128)
        tile[i / C][i % C] = met(in, k, blockIdx.x * P + i / C, r, s, i % C);
      __syncthreads();
      for (int row = threadIdx.x % P; row < P; row += 128)
        for (int i = 0; i < C; ++i)
          sum = sum * 31 + unsigned(tile[row][i] * T(100));
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
    for (int i = threadIdx.x; i < 16 * 32; i += 128)
      b[i / 32][i % 32] = met(in, k, m0 + i / 32, r, s, c0 + i % 32);
    __syncthreads();
    for (int j = 0; j < 16; ++j)
      for (int e = 0; e < 8; ++e)
        acc[e] += a[j][threadIdx.x / 4] * b[j][threadIdx.x % 4 * 8 + e];
    __syncthreads();
  }
  for (int e = 0; e < 8; ++e)
    out[((k0 + threadIdx.x / 4) * 9 + f) * k.c + c0 + threadIdx.x % 4 * 8 + e] = acc[e];
}

int main() {
  Buffer in(1 << 22, 3), out(1 << 20, 4);
  unsigned *sums = out.as<unsigned>();
  const K few = {2, 9, 11, 9, 11, 1, 1, 320}, fewer = {2, 5, 5, 5, 5, 1, 1, 1056},
          most = {4, 19, 21, 19, 21, 1, 1, 4};
  freely<short, 16, 320><<<13, 128>>>(sums, in.as<short>(), few);
  report("freely, 320 channels", out);
  widened<short, 16, 320><<<13, 128>>>(sums, in.as<short>(), few);
  report("widened", out);
  freely<float, 8, 1056><<<7, 128>>>(sums, in.as<float>(), fewer);
  report("freely, 4224 bytes a pixel", out);
  apart<float, 8, 1056><<<7, 128>>>(sums, in.as<float>(), fewer);
  report("apart", out);
  many<float, 1200, 4><<<2, 128>>>(sums, in.as<float>(), most);
  report("many", out);
  halved<unsigned char, 320, 64>
      <<<5, 128>>>(sums, in.as<unsigned char>(), {4, 19, 21, 19, 21, 1, 1, 64});
  report("halved", out);
  weights<<<dim3(2, 9, 2), 128>>>(out.as<float>(), in.as<float>(), in.as<float>() + 100000,
                                  {2, 9, 11, 9, 11, 1, 1, 64}, 64);
  report("weights", out);
}
