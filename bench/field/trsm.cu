// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// L X = B for a lower triangular L, by tiles of 32 x 32: a launch solves the tiles of one row, and
// a second one subtracts what they mean for the rows below. And a matrix's square, the step of its
// power, for a size that is no multiple of the tile.

#include "field.cuh"

#define NB 32
#define TILE_WIDTH 16

// X(row) = L(row, row)^-1 B(row), a thread for each column, in place
__global__ void trsm_diagonal(int n, int m, const float *__restrict__ L, float *B, int row) {
  __shared__ float sL[NB][NB + 1];
  __shared__ float sB[NB][NB];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * NB + tx;

#pragma tma load
#pragma unroll
  for (int i = 0; i < NB; i += 8)
    sL[ty + i][tx] = L[(row + ty + i) * n + row + tx];
#pragma tma load
#pragma unroll
  for (int i = 0; i < NB; i += 8)
    sB[ty + i][tx] = B[(row + ty + i) * m + col];
  __syncthreads();

  for (int k = 0; k < NB; k++) {
    if (ty == 0)
      sB[k][tx] /= sL[k][k];
    __syncthreads();
    for (int i = k + 1 + ty; i < NB; i += 8)
      sB[i][tx] -= sL[i][k] * sB[k][tx];
    __syncthreads();
  }
#pragma tma store
#pragma unroll
  for (int i = 0; i < NB; i += 8)
    B[(row + ty + i) * m + col] = sB[ty + i][tx];
}

// B(below) -= L(below, row) X(row)
__global__ void trsm_update(int n, int m, const float *__restrict__ L, float *B, int row) {
  __shared__ float sL[NB][NB];
  __shared__ float sX[NB][NB];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int below = row + NB + blockIdx.y * NB, col = blockIdx.x * NB + tx;

#pragma tma load
#pragma unroll
  for (int i = 0; i < NB; i += 8) {
    sL[ty + i][tx] = L[(below + ty + i) * n + row + tx];
    sX[ty + i][tx] = B[(row + ty + i) * m + col];
  }
  __syncthreads();

  float sum[NB / 8] = {0};
#pragma unroll
  for (int k = 0; k < NB; k++)
#pragma unroll
    for (int i = 0; i < NB / 8; i++)
      sum[i] += sL[ty + 8 * i][k] * sX[k][tx];
#pragma unroll
  for (int i = 0; i < NB / 8; i++)
    B[(below + ty + 8 * i) * m + col] -= sum[i];
}

// result = scale * a * a
__global__ void matrix_square(const double *a, double *result, int n, double scale) {
  __shared__ double ds_M[TILE_WIDTH][TILE_WIDTH];
  __shared__ double ds_N[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  int Row = by * TILE_WIDTH + ty;
  int Col = bx * TILE_WIDTH + tx;
  double Pvalue = 0;

  for (int m = 0; m < (n - 1) / TILE_WIDTH + 1; ++m) {
#pragma tma load
    if (Row < n && m * TILE_WIDTH + tx < n)
      ds_M[ty][tx] = a[Row * n + m * TILE_WIDTH + tx];
    else
      ds_M[ty][tx] = 0;
#pragma tma load
    if (Col < n && m * TILE_WIDTH + ty < n)
      ds_N[ty][tx] = a[(m * TILE_WIDTH + ty) * n + Col];
    else
      ds_N[ty][tx] = 0;
    __syncthreads();

    for (int k = 0; k < TILE_WIDTH; ++k)
      Pvalue += ds_M[ty][k] * ds_N[k][tx];
    __syncthreads();
  }
  if (Row < n && Col < n)
    result[Row * n + Col] = Pvalue * scale;
}

__global__ void add_to_diagonal(float *L, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    L[i * n + i] += n;
}

// Doubles from 0 to 1.
__global__ void init_doubles(double *a, size_t count) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    a[i] = (unsigned(i) * 2654435761u >> 8) / double(1 << 24);
}

int main() {
  const int n = field::pick(2048, 96), m = field::pick(2048, 64);
  const size_t bytes = size_t(n) * m * sizeof(float);
  Buffer L(size_t(n) * n * 4, 1), right(bytes, 2), B(bytes, 3);
  add_to_diagonal<<<(n + 255) / 256, 256>>>(L.as<float>(), n);
  field::measure("trsm", B, [&] {
    CHECK(cudaMemcpyAsync(B.as<float>(), right.as<float>(), bytes, cudaMemcpyDeviceToDevice));
    for (int row = 0; row < n; row += NB) {
      trsm_diagonal<<<m / NB, dim3(NB, 8)>>>(n, m, L.as<float>(), B.as<float>(), row);
      if (row + NB < n)
        trsm_update<<<dim3(m / NB, (n - row - NB) / NB), dim3(NB, 8)>>>(n, m, L.as<float>(),
                                                                        B.as<float>(), row);
    }
  });
  const int size = field::pick(1500, 50);
  Buffer a(size_t(size) * size * 8, 4), result(size_t(size) * size * 8, 5);
  init_doubles<<<64, 256>>>(a.as<double>(), size_t(size) * size);
  field::measure("matrix-square", result, [&] {
    dim3 dimGrid((size - 1) / TILE_WIDTH + 1, (size - 1) / TILE_WIDTH + 1);
    matrix_square<<<dimGrid, dim3(TILE_WIDTH, TILE_WIDTH)>>>(a.as<double>(), result.as<double>(),
                                                             size, 1.0 / size);
  });
}
