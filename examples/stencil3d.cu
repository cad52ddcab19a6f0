// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of a heat equation in three dimensions: a box of rank three with a
// halo all around.

#include "check.h"

constexpr int TX = 32, TY = 8, TZ = 4;

__global__ void heat(float *out, const float *in, int nx, int ny, int nz) {
  __shared__ float box[TZ + 2][TY + 2][TX + 2];
  int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1, z0 = blockIdx.z * TZ - 1;
#pragma tma load
  for (int s = threadIdx.z; s < TZ + 2; s += blockDim.z)
    for (int r = threadIdx.y; r < TY + 2; r += blockDim.y)
      for (int c = threadIdx.x; c < TX + 2; c += blockDim.x) {
        int x = x0 + c, y = y0 + r, z = z0 + s;
        bool inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
        box[s][r][c] = inside ? in[(z * ny + y) * nx + x] : 0.f;
      }
  __syncthreads();
  int c = threadIdx.x + 1, r = threadIdx.y + 1, s = threadIdx.z + 1;
  int x = x0 + c, y = y0 + r, z = z0 + s;
  float around = box[s - 1][r][c] + box[s + 1][r][c] + box[s][r - 1][c] + box[s][r + 1][c] +
                 box[s][r][c - 1] + box[s][r][c + 1];
  if (x < nx && y < ny && z < nz)
    out[(z * ny + y) * nx + x] = box[s][r][c] + 0.1f * (around - 6 * box[s][r][c]);
}

int main() {
  const int nx = 100, ny = 61, nz = 37;
  std::vector<float> field = numbers(size_t(nx) * ny * nz), expected(field.size());
  auto at = [&](int x, int y, int z) {
    bool inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
    return inside ? field[(size_t(z) * ny + y) * nx + x] : 0.f;
  };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        float around = at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) + at(x, y + 1, z) +
                       at(x, y, z - 1) + at(x, y, z + 1);
        expected[(size_t(z) * ny + y) * nx + x] = at(x, y, z) + 0.1f * (around - 6 * at(x, y, z));
      }

  Array in(field), out(field.size());
  dim3 block(TX, TY, TZ);
  dim3 grid((nx + TX - 1) / TX, (ny + TY - 1) / TY, (nz + TZ - 1) / TZ);
  heat<<<grid, block>>>(out, in, nx, ny, nz);
  return verdict("heat", out.fetch(), expected);
}
