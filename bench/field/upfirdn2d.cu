// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The filter of StyleGAN: put zeros between pixels, pad, convolve with a filter of 4 by 4, and
// leave pixels out. A block brings the filter, turned round, and the pixels that its results need
// to shared memory; factors and sizes are template arguments.

#include "field.cuh"

struct upfirdn2d_kernel_params {
  const float *x;
  const float *f;
  float *y;
  int2 pad0;
  int2 inSize, outSize; // width, height
  int sizeMinor;        // images times channels
};

__host__ __device__ __forceinline__ int floor_div(int a, int b) {
  int t = 1 - a / b;
  return (a + t * b) / b - t;
}

template <int upx, int upy, int downx, int downy, int filterW, int filterH, int tileOutW,
          int tileOutH>
__global__ void upfirdn2d_kernel_small(upfirdn2d_kernel_params p) {
  const int tileInW = ((tileOutW - 1) * downx + filterW - 1) / upx + 1;
  const int tileInH = ((tileOutH - 1) * downy + filterH - 1) / upy + 1;
  __shared__ float sf[filterH][filterW];
  __shared__ float sx[tileInH][tileInW];

  // Calculate tile index.
  const int tileOutX = blockIdx.x * tileOutW;
  const int tileOutY = blockIdx.y * tileOutH;

  // Load filter (flipped).
#pragma tma load fallback(loop)
  for (int tapIdx = threadIdx.x; tapIdx < filterH * filterW; tapIdx += blockDim.x) {
    int fy = tapIdx / filterW;
    int fx = tapIdx - fy * filterW;
    sf[fy][fx] = p.f[(filterH - 1 - fy) * filterW + filterW - 1 - fx];
  }

  // Loop over images and channels.
  for (int minor = blockIdx.z; minor < p.sizeMinor; minor += gridDim.z) {
    // Load input pixels.
    int tileMidX = tileOutX * downx + upx - 1 - p.pad0.x;
    int tileMidY = tileOutY * downy + upy - 1 - p.pad0.y;
    int tileInX = floor_div(tileMidX, upx);
    int tileInY = floor_div(tileMidY, upy);
    __syncthreads();
#pragma tma load fallback(loop)
    for (int inIdx = threadIdx.x; inIdx < tileInH * tileInW; inIdx += blockDim.x) {
      int relInY = inIdx / tileInW;
      int relInX = inIdx - relInY * tileInW;
      int inX = tileInX + relInX;
      int inY = tileInY + relInY;
      float v = 0;
      if (inX >= 0 && inY >= 0 && inX < p.inSize.x && inY < p.inSize.y)
        v = p.x[((size_t)minor * p.inSize.y + inY) * p.inSize.x + inX];
      sx[relInY][relInX] = v;
    }

    // Loop over output pixels.
    __syncthreads();
    for (int outIdx = threadIdx.x; outIdx < tileOutH * tileOutW; outIdx += blockDim.x) {
      int relOutY = outIdx / tileOutW;
      int relOutX = outIdx - relOutY * tileOutW;
      int outX = tileOutX + relOutX;
      int outY = tileOutY + relOutY;

      // Setup receptive field.
      int midX = tileMidX + relOutX * downx;
      int midY = tileMidY + relOutY * downy;
      int inX = floor_div(midX, upx);
      int inY = floor_div(midY, upy);
      int relInX = inX - tileInX;
      int relInY = inY - tileInY;
      int filterX = (inX + 1) * upx - midX - 1; // flipped
      int filterY = (inY + 1) * upy - midY - 1; // flipped

      // Inner loop.
      if (outX < p.outSize.x && outY < p.outSize.y) {
        float v = 0;
#pragma unroll
        for (int y = 0; y < filterH / upy; y++)
#pragma unroll
          for (int x = 0; x < filterW / upx; x++)
            v += sx[relInY + y][relInX + x] * sf[filterY + y * upy][filterX + x * upx];
        p.y[((size_t)minor * p.outSize.y + outY) * p.outSize.x + outX] = v;
      }
    }
  }
}

// As the original has it, with shared arrays that are volatile.
template <int filterW, int filterH, int tileOutW, int tileOutH>
__global__ void fir_volatile(upfirdn2d_kernel_params p) {
  const int tileInW = tileOutW + filterW - 1;
  const int tileInH = tileOutH + filterH - 1;
  __shared__ volatile float sf[filterH][filterW];
  __shared__ volatile float sx[tileInH][tileInW];
  const int tileOutX = blockIdx.x * tileOutW, tileOutY = blockIdx.y * tileOutH;
#pragma tma load fallback(loop)
  for (int tapIdx = threadIdx.x; tapIdx < filterH * filterW; tapIdx += blockDim.x)
    sf[tapIdx / filterW][tapIdx % filterW] = p.f[tapIdx];
  const int minor = blockIdx.z;
#pragma tma load fallback(loop)
  for (int inIdx = threadIdx.x; inIdx < tileInH * tileInW; inIdx += blockDim.x) {
    int relInY = inIdx / tileInW, relInX = inIdx - relInY * tileInW;
    int inX = tileOutX - p.pad0.x + relInX, inY = tileOutY - p.pad0.y + relInY;
    float v = 0;
    if (inX >= 0 & inY >= 0 & inX < p.inSize.x & inY < p.inSize.y)
      v = p.x[((size_t)minor * p.inSize.y + inY) * p.inSize.x + inX];
    sx[relInY][relInX] = v;
  }
  __syncthreads();
  for (int outIdx = threadIdx.x; outIdx < tileOutH * tileOutW; outIdx += blockDim.x) {
    int relOutY = outIdx / tileOutW, relOutX = outIdx - relOutY * tileOutW;
    int outX = tileOutX + relOutX, outY = tileOutY + relOutY;
    if (outX < p.outSize.x && outY < p.outSize.y) {
      float v = 0;
      for (int y = 0; y < filterH; y++)
        for (int x = 0; x < filterW; x++)
          v += sx[relOutY + y][relOutX + x] * sf[y][x];
      p.y[((size_t)minor * p.outSize.y + outY) * p.outSize.x + outX] = v;
    }
  }
}

// Only the convolution, for factors of one, with a fixed number of pixels for each thread.
template <int filterW, int filterH, int tileW, int tileH>
__global__ void fir_filter(upfirdn2d_kernel_params p) {
  __shared__ float sx[tileH + filterH - 1][tileW + filterW - 1];
  const int x0 = blockIdx.x * tileW, y0 = blockIdx.y * tileH;
  const float *img = p.x + (size_t)blockIdx.z * p.inSize.y * p.inSize.x;
#pragma tma load
  for (int i = threadIdx.y; i < tileH + filterH - 1; i += blockDim.y)
    for (int j = threadIdx.x; j < tileW + filterW - 1; j += blockDim.x) {
      const int y = y0 - p.pad0.y + i, x = x0 - p.pad0.x + j;
      const bool inside = y >= 0 && y < p.inSize.y && x >= 0 && x < p.inSize.x;
      sx[i][j] = inside ? img[y * p.inSize.x + x] : 0.0f;
    }
  __syncthreads();
#pragma unroll
  for (int ty = threadIdx.y; ty < tileH; ty += 8) {
    const int outX = x0 + threadIdx.x, outY = y0 + ty;
    float v = 0.0f;
#pragma unroll
    for (int y = 0; y < filterH; y++)
#pragma unroll
      for (int x = 0; x < filterW; x++)
        v += sx[ty + y][threadIdx.x + x] * __ldg(&p.f[y * filterW + x]);
    if (outX < p.outSize.x && outY < p.outSize.y)
      p.y[((size_t)blockIdx.z * p.outSize.y + outY) * p.outSize.x + outX] = v;
  }
}

int main() {
  const int size = field::pick(512, 36), minor = field::pick(128, 3);
  Buffer f(4 * 4 * 4, 1), x(size_t(minor) * size * size * 4, 2);
  Buffer y(size_t(minor) * 2 * size * 2 * size * 4, 3);
  upfirdn2d_kernel_params p;
  p.x = x.as<float>(), p.f = f.as<float>(), p.y = y.as<float>();
  p.inSize = make_int2(size, size), p.sizeMinor = minor;

  const auto blocks = [](int n, int tile) { return unsigned((n + tile - 1) / tile); };
  p.pad0 = make_int2(2, 2), p.outSize = make_int2(2 * size, 2 * size);
  field::measure("upfirdn2d-up", y, [&] {
    dim3 grid(blocks(p.outSize.x, 64), blocks(p.outSize.y, 16), minor);
    upfirdn2d_kernel_small<2, 2, 1, 1, 4, 4, 64, 16><<<grid, 256>>>(p);
  });
  p.pad0 = make_int2(1, 1), p.outSize = make_int2(size / 2, size / 2);
  field::measure("upfirdn2d-down", y, [&] {
    dim3 grid(blocks(p.outSize.x, 32), blocks(p.outSize.y, 8), minor);
    upfirdn2d_kernel_small<1, 1, 2, 2, 4, 4, 32, 8><<<grid, 256>>>(p);
  });
  p.pad0 = make_int2(2, 2), p.outSize = make_int2(size + 1, size + 1);
  field::measure("upfirdn2d-volatile", y, [&] {
    dim3 grid(blocks(p.outSize.x, 64), blocks(p.outSize.y, 16), minor);
    fir_volatile<4, 4, 64, 16><<<grid, 256>>>(p);
  });
  field::measure("upfirdn2d-filter", y, [&] {
    dim3 grid(blocks(p.outSize.x, 32), blocks(p.outSize.y, 32), minor);
    fir_filter<4, 4, 32, 32><<<grid, dim3(32, 8)>>>(p);
  });
}
