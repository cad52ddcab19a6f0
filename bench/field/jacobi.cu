// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi iteration: five points in the plane with a tile that has a halo of one cell, which the
// threads at the rim of the block read, and seven points in space with the block going through the
// volume along z, the slice in shared memory and those above and below in registers.

#include "field.cuh"

#define BLOCK_X 32
#define BLOCK_Y 16

__global__ void jacobi2d(const float *__restrict__ a, float *__restrict__ a_new, const int nx,
                         const int ny) {
  __shared__ float tile[BLOCK_Y + 2][BLOCK_X + 2];

  const int ix = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int iy = blockIdx.y * blockDim.y + threadIdx.y + 1;
  const int tx = threadIdx.x + 1;
  const int ty = threadIdx.y + 1;

#pragma tma load fallback(loop)
  if (ix < nx && iy < ny)
    tile[ty][tx] = a[iy * nx + ix];
#pragma tma load fallback(loop)
  if (threadIdx.x == 0 && iy < ny)
    tile[ty][0] = a[iy * nx + ix - 1];
#pragma tma load fallback(loop)
  if (threadIdx.x == BLOCK_X - 1 && ix + 1 < nx && iy < ny)
    tile[ty][BLOCK_X + 1] = a[iy * nx + ix + 1];
#pragma tma load fallback(loop)
  if (threadIdx.y == 0 && ix < nx)
    tile[0][tx] = a[(iy - 1) * nx + ix];
#pragma tma load fallback(loop)
  if (threadIdx.y == BLOCK_Y - 1 && iy + 1 < ny && ix < nx)
    tile[BLOCK_Y + 1][tx] = a[(iy + 1) * nx + ix];
  __syncthreads();

  if (ix < nx - 1 && iy < ny - 1)
    a_new[iy * nx + ix] =
        0.25f * (tile[ty][tx + 1] + tile[ty][tx - 1] + tile[ty + 1][tx] + tile[ty - 1][tx]);
}

// The tile is the block: threads at its rim only read.
__global__ void jacobi2d_overlap(const float *a, float *a_new, int nx, int ny) {
  __shared__ float s[BLOCK_Y][BLOCK_X];
  const int x = blockIdx.x * (BLOCK_X - 2) + threadIdx.x;
  const int y = blockIdx.y * (BLOCK_Y - 2) + threadIdx.y;

#pragma tma load
  if (x < nx && y < ny)
    s[threadIdx.y][threadIdx.x] = a[y * nx + x];
  __syncthreads();

  if (threadIdx.x > 0 && threadIdx.x < BLOCK_X - 1 && threadIdx.y > 0 &&
      threadIdx.y < BLOCK_Y - 1 && x < nx - 1 && y < ny - 1)
    a_new[y * nx + x] = 0.25f * (s[threadIdx.y][threadIdx.x - 1] + s[threadIdx.y][threadIdx.x + 1] +
                                 s[threadIdx.y - 1][threadIdx.x] + s[threadIdx.y + 1][threadIdx.x]);
}

#define Index3D(nx, ny, i, j, k) ((i) + (nx) * ((j) + (ny) * (k)))
#define TILE_X 32
#define TILE_Y 4

// Two columns for each thread, one block apart; neighbours that are not the block's come from
// global memory.
__global__ void block2D_reg_tiling(float c0, float c1, float *A0, float *Anext, int nx, int ny,
                                   int nz) {
  __shared__ float sh_A0[2 * TILE_X * TILE_Y];

  const int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  const int i2 = i + blockDim.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  const int sh_id = threadIdx.x + threadIdx.y * TILE_X * 2;
  const int sh_id2 = sh_id + TILE_X;

  const bool w_region = i > 0 && j > 0 && i < nx - 1 && j < ny - 1;
  const bool w_region2 = j > 0 && i2 < nx - 1 && j < ny - 1;
  const bool x_l_bound = threadIdx.x == 0, x_h_bound = threadIdx.x + blockDim.x == 2 * TILE_X - 1;
  const bool y_l_bound = threadIdx.y == 0, y_h_bound = threadIdx.y == TILE_Y - 1;

  float bottom = A0[Index3D(nx, ny, i, j, 0)], bottom2 = A0[Index3D(nx, ny, i2, j, 0)];

  for (int k = 1; k < nz - 1; k++) {
#pragma tma load
    {
      sh_A0[sh_id] = A0[Index3D(nx, ny, i, j, k)];
      sh_A0[sh_id2] = A0[Index3D(nx, ny, i2, j, k)];
    }
    __syncthreads();

    const float current = sh_A0[sh_id], current2 = sh_A0[sh_id2];
    const float top = A0[Index3D(nx, ny, i, j, k + 1)], top2 = A0[Index3D(nx, ny, i2, j, k + 1)];
    if (w_region) {
      float left = x_l_bound ? A0[Index3D(nx, ny, i - 1, j, k)] : sh_A0[sh_id - 1];
      float up = y_l_bound ? A0[Index3D(nx, ny, i, j - 1, k)] : sh_A0[sh_id - 2 * TILE_X];
      float down = y_h_bound ? A0[Index3D(nx, ny, i, j + 1, k)] : sh_A0[sh_id + 2 * TILE_X];
      Anext[Index3D(nx, ny, i, j, k)] =
          (top + bottom + up + down + left + sh_A0[sh_id + 1]) * c1 - current * c0;
    }
    if (w_region2) {
      float right = x_h_bound ? A0[Index3D(nx, ny, i2 + 1, j, k)] : sh_A0[sh_id2 + 1];
      float up = y_l_bound ? A0[Index3D(nx, ny, i2, j - 1, k)] : sh_A0[sh_id2 - 2 * TILE_X];
      float down = y_h_bound ? A0[Index3D(nx, ny, i2, j + 1, k)] : sh_A0[sh_id2 + 2 * TILE_X];
      Anext[Index3D(nx, ny, i2, j, k)] =
          (top2 + bottom2 + up + down + right + sh_A0[sh_id2 - 1]) * c1 - current2 * c0;
    }
    __syncthreads();
    bottom = current;
    bottom2 = current2;
  }
}

// Slices with a halo in shared memory, three in turn.
__global__ void stencil7_slices(const float *__restrict__ in, float *__restrict__ out, int nx,
                                int ny, int nz) {
  __shared__ float s[3][BLOCK_Y + 2][BLOCK_X + 2];
  const int x0 = blockIdx.x * BLOCK_X - 1, y0 = blockIdx.y * BLOCK_Y - 1;
  const int tid = threadIdx.y * BLOCK_X + threadIdx.x;
  const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;

  for (int z = -1; z <= nz; z++) {
    const int slot = (z + 1) % 3;
#pragma tma load
    for (int t = tid; t < (BLOCK_X + 2) * (BLOCK_Y + 2); t += BLOCK_X * BLOCK_Y) {
      int r = t / (BLOCK_X + 2), c = t % (BLOCK_X + 2);
      int gx = x0 + c, gy = y0 + r;
      bool inside = gx >= 0 && gx < nx && gy >= 0 && gy < ny && z >= 0 && z < nz;
      s[slot][r][c] = inside ? in[(z * ny + gy) * nx + gx] : 0.0f;
    }
    __syncthreads();

    if (z > 0 && x < nx && y < ny) {
      const int below = (z + 2) % 3, here = z % 3; // slices z - 2 and z - 1
      out[((z - 1) * ny + y) * nx + x] =
          -6.0f * s[here][ty][tx] + s[below][ty][tx] + s[slot][ty][tx] + s[here][ty - 1][tx] +
          s[here][ty + 1][tx] + s[here][ty][tx - 1] + s[here][ty][tx + 1];
    }
    __syncthreads();
  }
}

int main() {
  const int nx = field::pick(8192, 70), ny = field::pick(8192, 40);
  const size_t bytes = field::pick(8192 * 8192, 64 * 64 * 5) * 4ul;
  Buffer a(bytes, 1), a_new(bytes, 2);
  field::measure("jacobi-2d", a_new, [&] {
    jacobi2d<<<dim3((nx + BLOCK_X - 3) / BLOCK_X, (ny + BLOCK_Y - 3) / BLOCK_Y),
               dim3(BLOCK_X, BLOCK_Y)>>>(a.as<float>(), a_new.as<float>(), nx, ny);
  });
  field::measure("jacobi-2d-overlap", a_new, [&] {
    jacobi2d_overlap<<<dim3((nx - 2 + BLOCK_X - 3) / (BLOCK_X - 2),
                            (ny - 2 + BLOCK_Y - 3) / (BLOCK_Y - 2)),
                       dim3(BLOCK_X, BLOCK_Y)>>>(a.as<float>(), a_new.as<float>(), nx, ny);
  });
  const int n = field::pick(384, 64), nz = field::pick(384, 5);
  field::measure("stencil-7-reg", a_new, [&] {
    block2D_reg_tiling<<<dim3(n / (2 * TILE_X), n / TILE_Y), dim3(TILE_X, TILE_Y)>>>(
        6.0f / 7, 1.0f / 7, a.as<float>(), a_new.as<float>(), n, n, nz);
  });
  const int mx = field::pick(384, 48), my = field::pick(384, 20);
  field::measure("stencil-7-slices", a_new, [&] {
    stencil7_slices<<<dim3((mx + BLOCK_X - 1) / BLOCK_X, (my + BLOCK_Y - 1) / BLOCK_Y),
                      dim3(BLOCK_X, BLOCK_Y)>>>(a.as<float>(), a_new.as<float>(), mx, my, nz);
  });
}
