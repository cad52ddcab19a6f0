// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Star stencils with a guarded halo, one template for several tiles; and the
// same filled by nested loops and in three dimensions.

#include "harness.cuh"

template <int TX, int TY, int R>
__global__ void star(float *out, const float *in, int w, int h) {
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
    float sum = tile[r + R][c + R] * 0.5f;
    for (int k = 1; k <= R; ++k)
      sum += 0.1f * (tile[r + R - k][c + R] + tile[r + R + k][c + R] + tile[r + R][c + R - k] +
                     tile[r + R][c + R + k]);
    if (x < w && y < h)
      out[y * w + x] = sum;
  }
}

__global__ void box_blur(float *out, const float *in, int w, int h) {
  __shared__ float tile[18][34];
  int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
#pragma tma load
  for (int r = threadIdx.y; r < 18; r += blockDim.y)
    for (int c = threadIdx.x; c < 34; c += blockDim.x) {
      int y = y0 + r, x = x0 + c;
      if (y < 0 || y >= h || x < 0 || x >= w)
        tile[r][c] = 0.f;
      else
        tile[r][c] = in[y * w + x];
    }
  __syncthreads();
  int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < 9; ++i)
    sum += tile[threadIdx.y + i / 3][threadIdx.x + i % 3];
  if (x < w && y < h)
    out[y * w + x] = sum;
}

__global__ void laplace_3d(float *out, const float *in, int nx, int ny, int nz) {
  __shared__ float tile[6][10][34];
  int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1, z0 = blockIdx.z * 4 - 1;
#pragma tma load
  for (int i = threadIdx.x; i < 6 * 10 * 34; i += blockDim.x) {
    int c = i % 34, r = i / 34 % 10, s = i / 340;
    int x = x0 + c, y = y0 + r, z = z0 + s;
    bool inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
    tile[s][r][c] = inside ? in[(z * ny + y) * nx + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 4 * 8 * 32; i += blockDim.x) {
    int c = i % 32 + 1, r = i / 32 % 8 + 1, s = i / 256 + 1;
    int x = x0 + c, y = y0 + r, z = z0 + s;
    float v = -6.f * tile[s][r][c] + tile[s - 1][r][c] + tile[s + 1][r][c] + tile[s][r - 1][c] +
              tile[s][r + 1][c] + tile[s][r][c - 1] + tile[s][r][c + 1];
    if (x < nx && y < ny && z < nz)
      out[(z * ny + y) * nx + x] = v;
  }
}

template <int TX, int TY, int R> void run_star(float *out, const float *in, int w, int h) {
  dim3 grid((w + TX - 1) / TX, (h + TY - 1) / TY);
  star<TX, TY, R><<<grid, 256>>>(out, in, w, h);
}

template <int TX, int TY, int R> void stars(const char *name) {
  int sizes[][2] = {{256, 256}, {500, 350}, {501, 167}, {64, 1}, {4, 4}, {130, 17}};
  for (auto &size : sizes)
    for (size_t offset : {0, 4, 16}) {
      int w = size[0], h = size[1];
      Buffer in(size_t(w) * h * 4, 1, offset), out(size_t(w) * h * 4, 2);
      run_star<TX, TY, R>(out.as<float>(), in.as<float>(), w, h);
      report(std::string(name) + " " + std::to_string(w) + "x" + std::to_string(h) + "+" +
                 std::to_string(offset),
             out);
    }
  int n = std::getenv("TIME") ? 16384 : 512;
  Buffer in(size_t(n) * n * 4, 1), out(size_t(n) * n * 4, 2);
  run_star<TX, TY, R>(out.as<float>(), in.as<float>(), n, n);
  report(std::string(name) + " large", out);
  time_it(name, [&] { run_star<TX, TY, R>(out.as<float>(), in.as<float>(), n, n); });
}

int main() {
  stars<128, 16, 2>("star_128x16_r2");
  stars<32, 32, 2>("star_32x32_r2");
  stars<64, 32, 4>("star_64x32_r4");

  int sizes[][2] = {{256, 128}, {333, 77}, {40, 3}};
  for (auto &size : sizes) {
    int w = size[0], h = size[1];
    Buffer in(size_t(w) * h * 4, 3), out(size_t(w) * h * 4, 4);
    dim3 grid((w + 31) / 32, (h + 15) / 16), block(32, 16);
    box_blur<<<grid, block>>>(out.as<float>(), in.as<float>(), w, h);
    report("box_blur " + std::to_string(w) + "x" + std::to_string(h), out);
  }

  int volumes[][3] = {{64, 32, 16}, {100, 21, 9}, {33, 8, 5}};
  for (auto &v : volumes) {
    Buffer in(size_t(v[0]) * v[1] * v[2] * 4, 5), out(size_t(v[0]) * v[1] * v[2] * 4, 6);
    dim3 grid((v[0] + 31) / 32, (v[1] + 7) / 8, (v[2] + 3) / 4);
    laplace_3d<<<grid, 256>>>(out.as<float>(), in.as<float>(), v[0], v[1], v[2]);
    report("laplace_3d " + std::to_string(v[0]) + "x" + std::to_string(v[1]) + "x" +
               std::to_string(v[2]),
           out);
  }
  int n = std::getenv("TIME") ? 768 : 64;
  Buffer in(size_t(n) * n * n * 4, 5), out(size_t(n) * n * n * 4, 6);
  dim3 grid((n + 31) / 32, (n + 7) / 8, (n + 3) / 4);
  laplace_3d<<<grid, 256>>>(out.as<float>(), in.as<float>(), n, n, n);
  report("laplace_3d large", out);
  time_it("laplace_3d",
          [&] { laplace_3d<<<grid, 256>>>(out.as<float>(), in.as<float>(), n, n, n); });
}
