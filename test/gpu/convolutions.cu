// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as matrix products, whose tiles of pixels im2col fills.

#include "harness.cuh"

#include <array>

#include <cuda_fp16.h>

struct Shape {
  int n, h, w, c, p, q, r, s, pad, stride, dilation;
};

constexpr int Pixels = 64, Channels = 32;

// What the threads make of a tile: a sum of their own for each pixel.
template <typename T, int Rows, int Columns>
__device__ unsigned mixed(T (&tile)[Rows][Columns], unsigned sum) {
  for (int i = 0; i < Columns; ++i)
    sum = sum * 31 + unsigned(tile[threadIdx.x % Rows][i]);
  return sum;
}

// The usual one, filter by filter, channel block by channel block.
__global__ void forward(unsigned *__restrict__ out, const unsigned short *__restrict__ in, Shape k) {
  __shared__ unsigned short tile[Pixels][Channels];
  unsigned sum = 0;
  const int first = blockIdx.x * Pixels;
  for (int r = 0; r < k.r; ++r)
    for (int s = 0; s < k.s; ++s)
      for (int c = 0; c < k.c; c += Channels) {
#pragma tma load
        for (int i = threadIdx.x; i < Pixels * Channels; i += 128) {
          const int m = first + i / Channels, rest = m % (k.p * k.q);
          const int y = rest / k.q * k.stride - k.pad + r * k.dilation;
          const int x = rest % k.q * k.stride - k.pad + s * k.dilation;
          const bool inside =
              m < k.n * k.p * k.q && y >= 0 && y < k.h && x >= 0 && x < k.w && c + i % Channels < k.c;
          tile[i / Channels][i % Channels] =
              inside ? in[((m / (k.p * k.q) * k.h + y) * k.w + x) * k.c + c + i % Channels] : 0;
        }
        __syncthreads();
        sum = mixed(tile, sum);
        __syncthreads();
      }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The filter and the blocks of channels in one loop of a ring, 16 bytes for each thread, in
// rows that the program swizzles.
__global__ void ring(unsigned *__restrict__ out, const __half *__restrict__ in, int n, int h, int w, int c,
                     int p, int q, int pad) {
  __shared__ uint4 tile[Pixels][8];
  unsigned sum = 0;
  const int blocks = c / 64;
#pragma tma pipeline stages(3)
  for (int k = 0; k < 9 * blocks; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < Pixels * 8; i += 128) {
      const int row = i / 8, part = i % 8, m = blockIdx.x * Pixels + row;
      const int x = m % q - pad + k / blocks % 3, y = m / q % p - pad + k / blocks / 3, image = m / q / p;
      uint4 value = {0, 0, 0, 0};
      if (image < n && unsigned(y) < unsigned(h) && unsigned(x) < unsigned(w))
        value = *reinterpret_cast<const uint4 *>(
            in + ((image * h + y) * w + x) * c + k % blocks * 64 + part * 8);
      tile[row][part ^ row % 8] = value;
    }
    __syncthreads();
    for (int part = 0; part < 8; ++part) {
      const uint4 value = tile[threadIdx.x % Pixels][part ^ threadIdx.x % 8];
      sum = sum * 31 + (value.x ^ value.y * 3 ^ value.z * 5 ^ value.w * 7);
    }
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The gradient of the input counts the filter down; images are the grid's.
__global__ void gradient(unsigned *__restrict__ out, const int *__restrict__ in, int h, int w, int p, int q,
                         int pad) {
  __shared__ int tile[32][16];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 5; ++s) {
#pragma tma load swizzle(64)
      for (int i = threadIdx.x; i < 512; i += 128) {
        const int m = blockIdx.x * 32 + i / 16, y = m / q + pad - r, x = m % q + pad - s;
        tile[i / 16][i % 16] = m < p * q && y >= 0 && y < h && x >= 0 && x < w
                                   ? in[((blockIdx.y * h + y) * w + x) * 16 + i % 16]
                                   : 0;
      }
      __syncthreads();
      for (int i = 0; i < 16; ++i)
        sum = sum * 31 + tile[threadIdx.x % 32][i];
      __syncthreads();
    }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = sum;
}

// Sequences, and volumes.
__global__ void sequence(unsigned *__restrict__ out, const unsigned char *__restrict__ in, int n, int w,
                         int q, int stride) {
  __shared__ unsigned char tile[96][64];
  unsigned sum = 0;
  for (int s = 0; s < 7; ++s) {
#pragma tma load
    for (int i = threadIdx.x; i < 96 * 64; i += 128) {
      const int m = blockIdx.x * 96 + i / 64, x = m % q * stride - 3 + s;
      tile[i / 64][i % 64] = m < n * q && x >= 0 && x < w ? in[(m / q * w + x) * 64 + i % 64] : 0;
    }
    __syncthreads();
    sum = mixed(tile, sum);
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The filter is counted from below its middle, by as much as the launch says.
__global__ void centred(unsigned *__restrict__ out, const unsigned *__restrict__ in, int n, int h,
                        int w, int reach) {
  __shared__ unsigned tile[32][32];
  const int first = blockIdx.x * 32;
  unsigned sum = 0;
  for (int r = -reach; r <= reach; ++r)
    for (int s = -reach; s < reach + 1; ++s) {
#pragma tma load
      for (int i = threadIdx.x; i < 32 * 32; i += 128) {
        const int pixel = first + i / 32, image = pixel / (h * w);
        const int y = pixel / w % h + r, x = pixel % w + s * 2;
        const bool inside = image < n && y >= 0 && y < h && x >= 0 && x < w;
        tile[i / 32][i % 32] = inside ? in[((image * h + y) * w + x) * 32 + i % 32] : 0;
      }
      __syncthreads();
      for (int c = 0; c < 8; ++c)
        sum = sum * 31 + tile[threadIdx.x % 32][threadIdx.x / 32 * 8 + c];
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void volume(unsigned *__restrict__ out, const unsigned short *__restrict__ in, int n, int d,
                       int h, int w, int o, int p, int q) {
  __shared__ unsigned short tile[64][16];
  unsigned sum = 0;
  for (int t = 0; t < 27; ++t) {
#pragma tma load
    for (int i = threadIdx.x; i < 64 * 16; i += 128) {
      int m = blockIdx.x * 64 + i / 16;
      const int x = m % q * 2 - 1 + t % 3, y = m / q % p * 2 - 1 + t / 3 % 3, z = m / (q * p) % o - 1 + t / 9;
      m /= o * p * q;
      unsigned short value = 0;
      if (m < n && z >= 0 && z < d && y >= 0 && y < h && x >= 0 && x < w)
        value = in[(((m * d + z) * h + y) * w + x) * 16 + i % 16];
      tile[i / 16][i % 16] = value;
    }
    __syncthreads();
    sum = mixed(tile, sum);
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Sizes that are known when compiling. Where whole lines or images fill a tile, it is a box of them.
template <int Size, int Stride>
__device__ unsigned short pixel_of(const unsigned short *in, int n, int m, int r, int s, int c) {
  constexpr int Outputs = Size / Stride;
  const int image = m / (Outputs * Outputs);
  const int y = m / Outputs % Outputs * Stride - 1 + r, x = m % Outputs * Stride - 1 + s;
  const bool inside = image < n && y >= 0 && y < Size && x >= 0 && x < Size;
  return inside ? in[((image * Size + y) * Size + x) * 32 + c] : 0;
}

template <int Size, int Stride>
__global__ void any_size(unsigned *__restrict__ out, const unsigned short *__restrict__ in, int n) {
  __shared__ unsigned short tile[128][32];
  unsigned sum = 0;
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
#pragma tma load
      for (int i = threadIdx.x; i < 128 * 32; i += 128)
        tile[i / 32][i % 32] = pixel_of<Size, Stride>(in, n, blockIdx.x * 128 + i / 32, r, s, i % 32);
      __syncthreads();
      sum = mixed(tile, sum);
      __syncthreads();
    }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void whole_images(unsigned *__restrict__ out, const unsigned short *__restrict__ in, int n) {
  __shared__ unsigned short tile[128][32];
  unsigned sum = 0;
  for (int t = 0; t < 9; ++t) {
#pragma tma load
    for (int i = threadIdx.x; i < 128 * 32; i += 128)
      tile[i / 32][i % 32] = pixel_of<8, 1>(in, n, blockIdx.x * 128 + i / 32, t / 3, t % 3, i % 32);
    __syncthreads();
    sum = mixed(tile, sum);
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

__global__ void whole_lines(unsigned *__restrict__ out, const unsigned short *__restrict__ in, int n) {
  __shared__ unsigned short tile[128][32];
  unsigned sum = 0;
  for (int t = 0; t < 9; ++t) {
#pragma tma load
    for (int i = threadIdx.x; i < 128 * 32; i += 128)
      tile[i / 32][i % 32] = pixel_of<16, 1>(in, n, blockIdx.x * 128 + i / 32, t / 3, t % 3, i % 32);
    __syncthreads();
    sum = mixed(tile, sum);
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

int main() {
  auto test = [](const std::string &name, auto &&launch) {
    Buffer in(1 << 22, 3), out(1 << 20, 4);
    launch(out.as<unsigned>(), in);
    report(name, out);
  };
  auto blocks = [](int pixels, int of) { return (pixels + of - 1) / of; };
  for (auto [size, filter, pad, stride, dilation] :
       {std::array{14, 3, 1, 1, 1}, {15, 3, 1, 2, 1}, {9, 5, 2, 1, 2}, {8, 1, 0, 1, 1}, {11, 2, 0, 3, 1}}) {
    const int q = (size + 2 * pad - (filter - 1) * dilation - 1) / stride + 1;
    const Shape shape{3, size, size, 40, q, q, filter, filter, pad, stride, dilation};
    test("forward " + std::to_string(size), [&](unsigned *out, Buffer &in) {
      forward<<<blocks(3 * q * q, Pixels), 128>>>(out, in.as<unsigned short>(), shape);
    });
  }
  // Fewer pixels and more than a filter of that size gives.
  for (int q : {5, 20})
    test("forward to " + std::to_string(q), [&](unsigned *out, Buffer &in) {
      forward<<<blocks(2 * q * q, Pixels), 128>>>(out, in.as<unsigned short>(),
                                                 Shape{2, 14, 14, 64, q, q, 3, 3, 1, 1, 1});
    });
  for (int pad : {0, 1, 2})
    test("ring " + std::to_string(pad), [&](unsigned *out, Buffer &in) {
      const int p = 10 + 2 * pad - 2, q = 13 + 2 * pad - 2;
      ring<<<blocks(2 * p * q, Pixels), 128>>>(out, in.as<__half>(), 2, 10, 13, 128, p, q, pad);
    });
  test("gradient", [&](unsigned *out, Buffer &in) {
    gradient<<<dim3(blocks(11 * 7, 32), 3), 128>>>(out, in.as<int>(), 9, 9, 11, 7, 2);
  });
  for (int stride : {1, 2})
    test("sequence " + std::to_string(stride), [&](unsigned *out, Buffer &in) {
      const int q = 99 / stride + 1;
      sequence<<<blocks(3 * q, 96), 128>>>(out, in.as<unsigned char>(), 3, 100, q, stride);
    });
  for (int reach : {0, 1, 3})
    test("centred " + std::to_string(reach), [&](unsigned *out, Buffer &in) {
      centred<<<blocks(3 * 11 * 14, 32), 128>>>(out, in.as<unsigned>(), 3, 11, 14, reach);
    });
  test("whole images", [&](unsigned *out, Buffer &in) {
    whole_images<<<2, 128>>>(out, in.as<unsigned short>(), 3);
  });
  test("whole lines", [&](unsigned *out, Buffer &in) {
    whole_lines<<<6, 128>>>(out, in.as<unsigned short>(), 3);
  });
  test("any size 20", [&](unsigned *out, Buffer &in) {
    any_size<20, 1><<<10, 128>>>(out, in.as<unsigned short>(), 3);
  });
  test("any size 40 by 2", [&](unsigned *out, Buffer &in) {
    any_size<40, 2><<<10, 128>>>(out, in.as<unsigned short>(), 3);
  });
  test("volume", [&](unsigned *out, Buffer &in) {
    volume<<<blocks(2 * 5 * 4 * 3, 64), 128>>>(out, in.as<unsigned short>(), 2, 5, 8, 6, 5, 4, 3);
  });
  return 0;
}
