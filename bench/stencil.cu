// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Star stencils on a plane and in a volume, with halos that are guarded on all sides.

#include "bench.cuh"
#include "by_hand.cuh"

template <int TX, int TY, int R> __global__ void star(float *out, const float *in, int w, int h) {
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

template <int TX, int TY, int R>
__global__ void star_by_hand(float *out, const __grid_constant__ CUtensorMap map, int w, int h) {
  constexpr int lead = (4 - R % 4) % 4, pitch = (lead + TX + 2 * R + 3) / 4 * 4;
  __shared__ alignas(128) float tile[TY + 2 * R][pitch];
  __shared__ uint64_t ready;
  int x0 = blockIdx.x * TX - R, y0 = blockIdx.y * TY - R;
  if (threadIdx.x == 0) {
    by_hand::init(ready);
    by_hand::expect(ready, sizeof(tile));
    by_hand::load(&tile, map, {x0 - lead, y0}, ready);
  }
  __syncthreads();
  by_hand::wait(ready, 0);
  for (int i = threadIdx.x; i < TX * TY; i += blockDim.x) {
    int r = i / TX, c = i % TX, y = y0 + R + r, x = x0 + R + c;
    float sum = tile[r + R][c + R + lead] * 0.5f;
    for (int k = 1; k <= R; ++k)
      sum += 0.1f * (tile[r + R - k][c + R + lead] + tile[r + R + k][c + R + lead] +
                     tile[r + R][c + R - k + lead] + tile[r + R][c + R + k + lead]);
    if (x < w && y < h)
      out[y * w + x] = sum;
  }
}

constexpr int BX = 32, BY = 8, BZ = 4;

__global__ void laplace(float *out, const float *in, int w, int h, int d) {
  __shared__ float tile[BZ + 2][BY + 2][BX + 2];
  int x0 = blockIdx.x * BX - 1, y0 = blockIdx.y * BY - 1, z0 = blockIdx.z * BZ - 1;
#pragma tma load
  for (int i = threadIdx.x; i < (BZ + 2) * (BY + 2) * (BX + 2); i += blockDim.x) {
    int c = i % (BX + 2), r = i / (BX + 2) % (BY + 2), p = i / (BX + 2) / (BY + 2);
    int x = x0 + c, y = y0 + r, z = z0 + p;
    bool inside = x >= 0 && x < w && y >= 0 && y < h && z >= 0 && z < d;
    tile[p][r][c] = inside ? in[(size_t(z) * h + y) * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < BZ * BY * BX; i += blockDim.x) {
    int c = i % BX + 1, r = i / BX % BY + 1, p = i / BX / BY + 1;
    int x = x0 + c, y = y0 + r, z = z0 + p;
    float sum = tile[p][r][c - 1] + tile[p][r][c + 1] + tile[p][r - 1][c] + tile[p][r + 1][c] +
                tile[p - 1][r][c] + tile[p + 1][r][c] - 6.f * tile[p][r][c];
    if (x < w && y < h && z < d)
      out[(size_t(z) * h + y) * w + x] = sum;
  }
}

__global__ void laplace_by_hand(float *out, const __grid_constant__ CUtensorMap map, int w, int h,
                                int d) {
  __shared__ alignas(128) float tile[BZ + 2][BY + 2][BX + 8];
  __shared__ uint64_t ready;
  int x0 = blockIdx.x * BX - 1, y0 = blockIdx.y * BY - 1, z0 = blockIdx.z * BZ - 1;
  if (threadIdx.x == 0) {
    by_hand::init(ready);
    by_hand::expect(ready, sizeof(tile));
    by_hand::load(&tile, map, {x0 - 3, y0, z0}, ready);
  }
  __syncthreads();
  by_hand::wait(ready, 0);
  for (int i = threadIdx.x; i < BZ * BY * BX; i += blockDim.x) {
    int c = i % BX + 4, r = i / BX % BY + 1, p = i / BX / BY + 1;
    int x = x0 + c - 3, y = y0 + r, z = z0 + p;
    float sum = tile[p][r][c - 1] + tile[p][r][c + 1] + tile[p][r - 1][c] + tile[p][r + 1][c] +
                tile[p - 1][r][c] + tile[p + 1][r][c] - 6.f * tile[p][r][c];
    if (x < w && y < h && z < d)
      out[(size_t(z) * h + y) * w + x] = sum;
  }
}

template <int TX, int TY, int R> void run_star(const char *name, int n) {
  Buffer in(size_t(n) * n * 4, 1), out(size_t(n) * n * 4, 2);
  work(name, 8. * n * n, (4. * R + 2) * n * n);
  dim3 grid((n + TX - 1) / TX, (n + TY - 1) / TY);
  kernel(name, out, [&] { star<TX, TY, R><<<grid, 256>>>(out.as<float>(), in.as<float>(), n, n); });
  constexpr int pitch = ((4 - R % 4) % 4 + TX + 2 * R + 3) / 4 * 4;
  other(name, "by-hand", out, [&] {
    CUtensorMap map = by_hand::map_of(in.as<float>(), {n, n}, {pitch, TY + 2 * R});
    star_by_hand<TX, TY, R><<<grid, 256>>>(out.as<float>(), map, n, n);
  });
}

int main() {
  run_star<128, 16, 2>("star-128x16-r2", 16384);
  run_star<64, 32, 4>("star-64x32-r4", 16384);
  int n = 768;
  size_t cells = size_t(n) * n * n;
  Buffer in(cells * 4, 1), out(cells * 4, 2);
  work("laplace-3d", 8. * double(cells), 8. * double(cells));
  dim3 grid(n / BX, n / BY, n / BZ);
  kernel("laplace-3d", out,
         [&] { laplace<<<grid, 256>>>(out.as<float>(), in.as<float>(), n, n, n); });
  other("laplace-3d", "by-hand", out, [&] {
    CUtensorMap map = by_hand::map_of(in.as<float>(), {n, n, n}, {BX + 8, BY + 2, BZ + 2});
    laplace_by_hand<<<grid, 256>>>(out.as<float>(), map, n, n, n);
  });
  other("copy", "device-to-device", out, [&] {
    CHECK(cudaMemcpyAsync(out.as<char>(), in.as<char>(), cells * 4, cudaMemcpyDeviceToDevice));
  });
  work("copy", 8. * double(cells), 0);
}
