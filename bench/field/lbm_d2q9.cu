// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lattice Boltzmann with nine directions in the plane, periodic. The first kernel moves what goes
// left and right within shared memory, as the first programs of this kind did to keep their writes
// aligned; the second one pulls from a tile with a halo.

#include "field.cuh"

#define NUM_THREADS 128
#define Q 9

__constant__ float w[Q] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                           1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
__constant__ int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

__device__ void collide(float *f, float omega) {
  float rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int q = 0; q < Q; q++) {
    rho += f[q];
    ux += cx[q] * f[q];
    uy += cy[q] * f[q];
  }
  ux /= rho;
  uy /= rho;
  const float usq = 1.5f * (ux * ux + uy * uy);
#pragma unroll
  for (int q = 0; q < Q; q++) {
    float cu = 3.0f * (cx[q] * ux + cy[q] * uy);
    float feq = w[q] * rho * (1.0f + cu + 0.5f * cu * cu - usq);
    f[q] += omega * (feq - f[q]);
  }
}

// A block does 128 cells of one row. Directions are arrays of their own, one behind the other.
__global__ void LBCollProp(int nx, int ny, const float *__restrict__ f_old,
                           float *__restrict__ f_new, float omega) {
  // what leaves the row of 128 comes back at its other end, and is not used there
  __shared__ float F_E[NUM_THREADS], F_NE[NUM_THREADS], F_SE[NUM_THREADS];
  __shared__ float F_W[NUM_THREADS], F_NW[NUM_THREADS], F_SW[NUM_THREADS];

  const int tx = threadIdx.x;
  const int x = blockIdx.x * NUM_THREADS + tx;
  const int y = blockIdx.y;
  const int size = nx * ny;
  const int k = y * nx + x;

  float f[Q];
#pragma unroll
  for (int q = 0; q < Q; q++)
    f[q] = f_old[q * size + k];
  collide(f, omega);

  const int right = (tx + 1) % NUM_THREADS, left = (tx + NUM_THREADS - 1) % NUM_THREADS;
  F_E[right] = f[1];
  F_NE[right] = f[5];
  F_SE[right] = f[8];
  F_W[left] = f[3];
  F_NW[left] = f[6];
  F_SW[left] = f[7];
  __syncthreads();

  const int yn = y + 1 < ny ? y + 1 : 0, ys = y > 0 ? y - 1 : ny - 1;
  const int kn = yn * nx + x, ks = ys * nx + x;
  f_new[k] = f[0];
  f_new[2 * size + kn] = f[2];
  f_new[4 * size + ks] = f[4];

  // the first cell of a row of 128 comes from the block to the left, the last one from the right
  const int xr = blockIdx.x + 1 < gridDim.x ? x + 1 : 0;
  const int xl = blockIdx.x > 0 ? x - 1 : nx - 1;
#pragma tma store fallback(loop)
  if (tx > 0) {
    f_new[1 * size + k] = F_E[tx];
    f_new[5 * size + kn] = F_NE[tx];
    f_new[8 * size + ks] = F_SE[tx];
  }
#pragma tma store fallback(loop)
  if (tx < NUM_THREADS - 1) {
    f_new[3 * size + k] = F_W[tx];
    f_new[6 * size + kn] = F_NW[tx];
    f_new[7 * size + ks] = F_SW[tx];
  }
  if (tx == NUM_THREADS - 1) {
    f_new[1 * size + y * nx + xr] = f[1];
    f_new[5 * size + yn * nx + xr] = f[5];
    f_new[8 * size + ys * nx + xr] = f[8];
  }
  if (tx == 0) {
    f_new[3 * size + y * nx + xl] = f[3];
    f_new[6 * size + yn * nx + xl] = f[6];
    f_new[7 * size + ys * nx + xl] = f[7];
  }
}

#define TX 32
#define TY 8

// Pull: a tile with a halo for each direction, the border wraps around.
__global__ void LBPullTile(int nx, int ny, const float *f_old, float *f_new, float omega) {
  __shared__ float tile[Q][TY + 2][TX + 2];

  const int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1;
  const int tid = threadIdx.y * TX + threadIdx.x;

#pragma tma load
  for (int q = 0; q < Q; q++)
    for (int i = tid; i < (TX + 2) * (TY + 2); i += TX * TY) {
      int gx = (x0 + i % (TX + 2) + nx) % nx;
      int gy = (y0 + i / (TX + 2) + ny) % ny;
      tile[q][i / (TX + 2)][i % (TX + 2)] = f_old[(q * ny + gy) * nx + gx];
    }
  __syncthreads();

  const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  float f[Q];
  f[0] = tile[0][ty][tx];
  f[1] = tile[1][ty][tx - 1];
  f[2] = tile[2][ty - 1][tx];
  f[3] = tile[3][ty][tx + 1];
  f[4] = tile[4][ty + 1][tx];
  f[5] = tile[5][ty - 1][tx - 1];
  f[6] = tile[6][ty - 1][tx + 1];
  f[7] = tile[7][ty + 1][tx + 1];
  f[8] = tile[8][ty + 1][tx - 1];
  collide(f, omega);
#pragma unroll
  for (int q = 0; q < Q; q++)
    f_new[(q * ny + y) * nx + x] = f[q];
}

int main() {
  const int nx = field::pick(2048, 256), ny = field::pick(2048, 20);
  const size_t bytes = size_t(nx) * ny * Q * sizeof(float);
  Buffer f_old(bytes, 1), f_new(bytes, 2);
  field::measure("lbm-propagate", f_new, [&] {
    LBCollProp<<<dim3(nx / NUM_THREADS, ny), NUM_THREADS>>>(nx, ny, f_old.as<float>(),
                                                            f_new.as<float>(), 1.2f);
  });
  field::measure("lbm-pull", f_new, [&] {
    LBPullTile<<<dim3((nx + TX - 1) / TX, (ny + TY - 1) / TY), dim3(TX, TY)>>>(
        nx, ny, f_old.as<float>(), f_new.as<float>(), 1.2f);
  });
}
