// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that a program compiles while it runs: host.cpp has the rest. Nothing here launches it,
// so the pragma says which block it is for.

extern "C" __global__ void blur(float *out, const float *in, int w, int h) {
  constexpr int X = 128, Y = 16, R = 2;
  __shared__ float tile[Y + 2 * R][X + 2 * R];
  int x0 = blockIdx.x * X - R, y0 = blockIdx.y * Y - R;
#pragma tma load threads(256)
  for (int i = threadIdx.x; i < (Y + 2 * R) * (X + 2 * R); i += blockDim.x) {
    int r = i / (X + 2 * R), c = i % (X + 2 * R), y = y0 + r, x = x0 + c;
    tile[r][c] = (y >= 0 && y < h && x >= 0 && x < w) ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < X * Y; i += blockDim.x) {
    int r = i / X + R, c = i % X + R, y = y0 + r, x = x0 + c;
    float sum = tile[r][c];
    for (int k = 1; k <= R; ++k)
      sum += tile[r - k][c] + tile[r + k][c] + tile[r][c - k] + tile[r][c + k];
    if (x < w && y < h)
      out[y * w + x] = sum;
  }
}
