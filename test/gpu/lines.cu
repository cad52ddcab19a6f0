// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions whose blocks go through one line of all images: im2col with dimensions that stand
// still, and im2col::w where there is that.

#include "harness.cuh"

struct Shape {
  int n, h, w, p, q, pad, stride;
};

// The line is the block's and the filter's.
__global__ void images(unsigned *__restrict__ out, const unsigned short *__restrict__ in, Shape k, int c) {
  __shared__ unsigned short tile[64][32];
  unsigned sum = 0;
  const int line = blockIdx.y * k.stride - k.pad;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s)
      for (int c0 = 0; c0 < c; c0 += 32) {
#pragma tma load swizzle(64)
        for (int i = threadIdx.x; i < 64 * 32; i += 128) {
          const int m = blockIdx.x * 64 + i / 32, x = m % k.q * k.stride - k.pad + s, y = line + r;
          const bool inside = m / k.q < k.n && y >= 0 && y < k.h && x >= 0 && x < k.w;
          tile[i / 32][i % 32] = inside ? in[((m / k.q * k.h + y) * k.w + x) * c + c0 + i % 32] : 0;
        }
        __syncthreads();
        for (int i = 0; i < 32; ++i)
          sum = sum * 31 + tile[threadIdx.x % 64][i];
        __syncthreads();
      }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = sum;
}

// In a ring, ahead of which L2 fetches; two blocks have the tile in common. Swizzled by the program.
__global__ void shared(unsigned *__restrict__ out, const uint4 *__restrict__ in, Shape k) {
  __shared__ uint4 tile[32][8];
  unsigned sum = blockIdx.z;
#pragma tma pipeline stages(2)
  for (int f = 0; f < 9; ++f) {
#pragma tma load multicast(z) prefetch(2)
    for (int i = threadIdx.x; i < 32 * 8; i += 128) {
      const int m = blockIdx.x * 32 + i / 8, x = m % k.q - k.pad + f % 3, y = int(blockIdx.y) - k.pad + f / 3;
      uint4 value = {0, 0, 0, 0};
      if (m < k.n * k.q && unsigned(y) < unsigned(k.h) && unsigned(x) < unsigned(k.w))
        value = in[((m / k.q * k.h + y) * k.w + x) * 8 + i % 8];
      tile[i / 8][i % 8 ^ i / 8 % 8] = value;
    }
    __syncthreads();
    for (int part = 0; part < 8; ++part) {
      const uint4 value = tile[threadIdx.x % 32][part ^ threadIdx.x % 8];
      sum = sum * 31 + (value.x ^ value.y * 3 ^ value.z * 5 ^ value.w * 7);
    }
    __syncthreads();
  }
  out[((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = sum;
}

// Two lines stand still, those of a volume, of which nobody leaves the far side only.
__global__ void volumes(unsigned *__restrict__ out, const float *__restrict__ in, int n, int d, int h, int w,
                        int q) {
  __shared__ float tile[32][16];
  float sum = 0;
  for (int f = 0; f < 2; ++f)
    for (int r = -1; r <= 1; ++r)
      for (int s = 0; s < 4; ++s) {
#pragma tma load swizzle(64)
        for (int i = threadIdx.x; i < 32 * 16; i += 128) {
          const int m = blockIdx.x * 32 + i / 16, image = m / q, x = m % q * 2 + s - 1;
          const int y = blockIdx.y + r, z = blockIdx.z + f;
          const bool inside = image < n && z < d && y >= 0 && y < h && x >= 0 && x < w;
          tile[i / 16][i % 16] = inside ? in[(((image * d + z) * h + y) * w + x) * 16 + i % 16] : 0.f;
        }
        __syncthreads();
        for (int i = 0; i < 16; ++i)
          sum = sum * 0.75f + tile[threadIdx.x % 32][i];
        __syncthreads();
      }
  out[((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * 128 + threadIdx.x] =
      __float_as_uint(sum);
}

// The gradient counts lines down. Without a swizzle, there is im2col alone.
__global__ void gradient(unsigned *__restrict__ out, const int *__restrict__ in, Shape k) {
  __shared__ int tile[16][8];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r) {
#pragma tma load swizzle(none)
    for (int i = threadIdx.x; i < 128; i += 128) {
      const int m = blockIdx.x * 16 + i / 8, x = m % k.q, y = int(blockIdx.y) + k.pad - r;
      tile[i / 8][i % 8] =
          m < k.n * k.q && y >= 0 && y < k.h && x < k.w ? in[((m / k.q * k.h + y) * k.w + x) * 8 + i % 8] : 0;
    }
    __syncthreads();
    for (int i = 0; i < 8; ++i)
      sum = sum * 31 + tile[threadIdx.x % 16][i];
    __syncthreads();
  }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = sum;
}

int main() {
  Buffer in(1 << 22, 3), out(1 << 22, 4);
  unsigned *sums = out.as<unsigned>();
  auto blocks = [](int pixels, int of) { return unsigned(pixels + of - 1) / unsigned(of); };
  auto shape = [](int n, int h, int w, int pad, int stride) {
    return Shape{n, h, w, (h + 2 * pad - 3) / stride + 1, (w + 2 * pad - 3) / stride + 1, pad, stride};
  };
  for (int pad : {0, 1, 3})
    for (int stride : {1, 2}) {
      const Shape k = shape(4, 11, 23, pad, stride);
      images<<<dim3(blocks(k.n * k.q, 64), k.p), 128>>>(sums, in.as<unsigned short>(), k, 64);
      report("images " + std::to_string(pad) + " " + std::to_string(stride), out);
    }
  const Shape even = shape(3, 9, 14, 1, 1);
  shared<<<dim3(blocks(even.n * even.q, 32), even.p, 2), 128>>>(sums, in.as<uint4>(), even);
  report("shared", out);
  volumes<<<dim3(blocks(2 * 9, 32), 6, 5), 128>>>(sums, in.as<float>(), 2, 5, 6, 18, 9);
  report("volumes", out);
  gradient<<<dim3(blocks(3 * 13, 16), 9), 128>>>(sums, in.as<int>(), {3, 7, 13, 9, 13, 2, 1});
  report("gradient", out);
  // Lines that im2col cannot reach: im2col::w knows where they are.
  const Shape tall = shape(2, 300, 9, 1, 1);
  images<<<dim3(blocks(tall.n * tall.q, 64), tall.p), 128>>>(sums, in.as<unsigned short>(), tall, 32);
  report("tall images", out);
}
