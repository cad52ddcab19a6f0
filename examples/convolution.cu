// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A 3x3 convolution as a matrix product: rows are pixels, numbered through all images, columns
// are filters. Which pixel an element belongs to is written down as people do, by division; the
// tile of pixels becomes one im2col copy for each element of the filter.

#include "check.h"

constexpr int PIXELS = 32, CHANNELS = 32, FILTERS = 16;

__global__ void convolution(float *__restrict__ out, const float *__restrict__ in,
                            const float *__restrict__ weights, int images, int height, int width) {
  __shared__ float pixels[PIXELS][CHANNELS], filter[CHANNELS][FILTERS];
  const int t = threadIdx.x, first = blockIdx.x * PIXELS;
  float sums[2] = {};
  for (int r = -1; r <= 1; ++r)
    for (int s = -1; s <= 1; ++s) {
#pragma tma load
      for (int i = t; i < PIXELS * CHANNELS; i += blockDim.x) {
        const int pixel = first + i / CHANNELS, n = pixel / (height * width);
        const int y = pixel / width % height + r, x = pixel % width + s;
        const bool inside = n < images && y >= 0 && y < height && x >= 0 && x < width;
        pixels[i / CHANNELS][i % CHANNELS] =
            inside ? in[((n * height + y) * width + x) * CHANNELS + i % CHANNELS] : 0.f;
      }
#pragma tma load
      for (int i = t; i < CHANNELS * FILTERS; i += blockDim.x)
        filter[i / FILTERS][i % FILTERS] = weights[((r + 1) * 3 + s + 1) * CHANNELS * FILTERS + i];
      __syncthreads();
      for (int c = 0; c < CHANNELS; ++c)
        for (int i = 0; i < 2; ++i)
          sums[i] += pixels[t / FILTERS + i * 16][c] * filter[c][t % FILTERS];
      __syncthreads();
    }
  for (int i = 0; i < 2; ++i)
    if (const int pixel = first + t / FILTERS + i * 16; pixel < images * height * width)
      out[pixel * FILTERS + t % FILTERS] = sums[i];
}

int main() {
  const int images = 2, height = 11, width = 14;
  std::vector<float> in = numbers(images * height * width * CHANNELS);
  std::vector<float> weights = numbers(9 * CHANNELS * FILTERS);
  std::vector<float> expected(images * height * width * FILTERS);
  for (int pixel = 0; pixel < images * height * width; ++pixel)
    for (int f = 0; f < FILTERS; ++f) {
      double sum = 0;
      for (int k = 0; k < 9; ++k) {
        const int y = pixel / width % height + k / 3 - 1, x = pixel % width + k % 3 - 1;
        const int from = pixel + (k / 3 - 1) * width + k % 3 - 1;
        for (int c = 0; y >= 0 && y < height && x >= 0 && x < width && c < CHANNELS; ++c)
          sum += double(in[from * CHANNELS + c]) * weights[(k * CHANNELS + c) * FILTERS + f];
      }
      expected[pixel * FILTERS + f] = float(sum);
    }

  Array din(in), dweights(weights), out(expected.size());
  convolution<<<(images * height * width + PIXELS - 1) / PIXELS, 256>>>(out, din, dweights, images,
                                                                        height, width);
  return verdict("convolution", out.fetch(), expected);
}
