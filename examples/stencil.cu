// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A blur over an image with a halo: the tile is two pixels larger on each side,
// and what lies outside the image counts as zero. One pragma.

#include "check.h"

constexpr int TX = 128, TY = 16, R = 2;

__global__ void blur(float *out, const float *in, int w, int h) {
  __shared__ float tile[TY + 2 * R][TX + 2 * R];
  int x0 = blockIdx.x * TX - R, y0 = blockIdx.y * TY - R;
#pragma tma load
  for (int i = threadIdx.x; i < (TY + 2 * R) * (TX + 2 * R); i += blockDim.x) {
    int r = i / (TX + 2 * R), c = i % (TX + 2 * R), y = y0 + r, x = x0 + c;
    tile[r][c] = (y >= 0 && y < h && x >= 0 && x < w) ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < TX * TY; i += blockDim.x) {
    int r = i / TX, c = i % TX, y = y0 + R + r, x = x0 + R + c;
    float sum = tile[r + R][c + R];
    for (int k = 1; k <= R; ++k)
      sum += tile[r + R - k][c + R] + tile[r + R + k][c + R] + tile[r + R][c + R - k] +
             tile[r + R][c + R + k];
    if (x < w && y < h)
      out[y * w + x] = sum / (4 * R + 1);
  }
}

int main() {
  const int w = 1000, h = 700;
  std::vector<float> image = numbers(size_t(w) * h), expected(image.size());
  auto at = [&](int x, int y) {
    return x < 0 || x >= w || y < 0 || y >= h ? 0.f : image[size_t(y) * w + x];
  };
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      float sum = at(x, y);
      for (int k = 1; k <= R; ++k)
        sum += at(x, y - k) + at(x, y + k) + at(x - k, y) + at(x + k, y);
      expected[size_t(y) * w + x] = sum / (4 * R + 1);
    }

  Array in(image), out(image.size());
  dim3 grid((w + TX - 1) / TX, (h + TY - 1) / TY);
  blur<<<grid, 256>>>(out, in, w, h);
  return verdict("blur", out.fetch(), expected);
}
