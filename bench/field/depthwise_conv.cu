// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolutions of 3 by 3 with the input in shared memory: with channels first, a tile of
// one channel with its halo; for small images, whole images of several channels; with channels
// last, a tile of pixels by 32 channels.

#include "field.cuh"

#define TILE_H 16
#define TILE_W 32

// Channels first: gridDim.z is images times channels
__global__ void depthwise_conv3x3_nchw(const float *__restrict__ input,
                                       const float *__restrict__ weight,
                                       const float *__restrict__ bias, float *__restrict__ output,
                                       int channels, int height, int width) {
  __shared__ float tile[TILE_H + 2][TILE_W + 2];
  __shared__ float w[9];
  const int nc = blockIdx.z, c = nc % channels;
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  const int out_x = blockIdx.x * TILE_W + threadIdx.x;
  const int out_y = blockIdx.y * TILE_H + threadIdx.y;
  const float *in = input + (size_t)nc * height * width;

#pragma tma load fallback(loop)
  if (tid < 9)
    w[tid] = weight[c * 9 + tid];

#pragma tma load
  for (int i = tid; i < (TILE_H + 2) * (TILE_W + 2); i += TILE_H * TILE_W) {
    const int ty = i / (TILE_W + 2), tx = i % (TILE_W + 2);
    const int y = blockIdx.y * TILE_H + ty - 1, x = blockIdx.x * TILE_W + tx - 1;
    tile[ty][tx] = (y >= 0 && y < height && x >= 0 && x < width) ? in[y * width + x] : 0.0f;
  }
  __syncthreads();

  if (out_x < width && out_y < height) {
    float sum = bias[c];
#pragma unroll
    for (int ky = 0; ky < 3; ky++)
#pragma unroll
      for (int kx = 0; kx < 3; kx++)
        sum += tile[threadIdx.y + ky][threadIdx.x + kx] * w[ky * 3 + kx];
    output[(size_t)nc * height * width + out_y * width + out_x] = fmaxf(sum, 0.0f);
  }
}

// Small images: all of CHANNELS images of SIZE by SIZE, padded by zeros that the block writes
template <int SIZE, int CHANNELS>
__global__ void depthwise_conv3x3_small(const float *__restrict__ input,
                                        const float *__restrict__ weight,
                                        float *__restrict__ output, int channels) {
  constexpr int PAD_SIZE = SIZE + 2;
  __shared__ float image[CHANNELS][PAD_SIZE][PAD_SIZE];
  const int c0 = blockIdx.x * CHANNELS, n = blockIdx.y;
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const int tid = (z * SIZE + y) * SIZE + x;

  for (int i = tid; i < CHANNELS * PAD_SIZE * PAD_SIZE; i += CHANNELS * SIZE * SIZE)
    (&image[0][0][0])[i] = 0.0f;
  __syncthreads();
#pragma tma load fallback(loop)
  image[z][y + 1][x + 1] = input[((size_t)(n * channels + c0 + z) * SIZE + y) * SIZE + x];
  __syncthreads();

  const float *w = weight + (c0 + z) * 9;
  float sum = 0.0f;
#pragma unroll
  for (int ky = 0; ky < 3; ky++)
#pragma unroll
    for (int kx = 0; kx < 3; kx++)
      sum += image[z][y + ky][x + kx] * w[ky * 3 + kx];
  output[((size_t)(n * channels + c0 + z) * SIZE + y) * SIZE + x] = sum;
}

#define NHWC_C 32
#define NHWC_H 8
#define NHWC_W 8

// Channels last: threadIdx.x is the channel
__global__ void depthwise_conv3x3_nhwc(const float *__restrict__ x, const float *__restrict__ w,
                                       float *__restrict__ y, int H, int W, int C) {
  __shared__ float s_in[NHWC_H + 2][NHWC_W + 2][NHWC_C];
  const int c_blocks = (C + NHWC_C - 1) / NHWC_C;
  const int n = blockIdx.z / c_blocks, c0 = blockIdx.z % c_blocks * NHWC_C;
  const int h0 = blockIdx.y * NHWC_H, w0 = blockIdx.x * NHWC_W;
  const int c = c0 + threadIdx.x;

#pragma tma load
  for (int i = threadIdx.y; i < (NHWC_H + 2) * (NHWC_W + 2); i += blockDim.y) {
    const int r = i / (NHWC_W + 2), s = i % (NHWC_W + 2);
    const int h = h0 + r - 1, ww = w0 + s - 1;
    s_in[r][s][threadIdx.x] = (h >= 0 && h < H && ww >= 0 && ww < W && c < C)
                                  ? x[(((size_t)n * H + h) * W + ww) * C + c]
                                  : 0.0f;
  }
  __syncthreads();

  float k[9];
#pragma unroll
  for (int i = 0; i < 9; i++)
    k[i] = c < C ? w[i * C + c] : 0.0f;
  for (int i = threadIdx.y; i < NHWC_H * NHWC_W; i += blockDim.y) {
    const int r = i / NHWC_W, s = i % NHWC_W;
    float sum = 0.0f;
#pragma unroll
    for (int t = 0; t < 9; t++)
      sum += s_in[r + t / 3][s + t % 3][threadIdx.x] * k[t];
    if (h0 + r < H && w0 + s < W && c < C)
      y[(((size_t)n * H + h0 + r) * W + w0 + s) * C + c] = sum;
  }
}

int main() {
  for (int size : {field::pick(112, 48), field::pick(150, 37)}) {
    const int n = field::pick(32, 1), c = field::pick(96, 3);
    const size_t bytes = size_t(n) * c * size * size * 4;
    Buffer in(bytes, 1), w(c * 9 * 4, 2), b(c * 4, 3), out(bytes, 4);
    field::measure(size % 4 ? "depthwise-nchw-150" : "depthwise-nchw", out, [&] {
      dim3 grid((size + TILE_W - 1) / TILE_W, (size + TILE_H - 1) / TILE_H, n * c);
      depthwise_conv3x3_nchw<<<grid, dim3(TILE_W, TILE_H)>>>(
          in.as<float>(), w.as<float>(), b.as<float>(), out.as<float>(), c, size, size);
    });
  }
  {
    const int n = field::pick(256, 2), c = field::pick(960, 8);
    const size_t bytes = size_t(n) * c * 14 * 14 * 4;
    Buffer in(bytes, 5), w(c * 9 * 4, 6), out(bytes, 7);
    field::measure("depthwise-small", out, [&] {
      depthwise_conv3x3_small<14, 4>
          <<<dim3(c / 4, n), dim3(14, 14, 4)>>>(in.as<float>(), w.as<float>(), out.as<float>(), c);
    });
  }
  {
    const int n = field::pick(128, 1), c = field::pick(144, 48), h = field::pick(56, 19);
    const size_t bytes = size_t(n) * c * h * h * 4;
    Buffer in(bytes, 8), w(c * 9 * 4, 9), out(bytes, 10);
    field::measure("depthwise-nhwc", out, [&] {
      dim3 grid((h + NHWC_W - 1) / NHWC_W, (h + NHWC_H - 1) / NHWC_H,
                n * ((c + NHWC_C - 1) / NHWC_C));
      depthwise_conv3x3_nhwc<<<grid, dim3(NHWC_C, 8)>>>(in.as<float>(), w.as<float>(),
                                                        out.as<float>(), h, h, c);
    });
  }
}
