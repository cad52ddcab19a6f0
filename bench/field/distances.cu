// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All distances between two sets of points, the first half of nearest neighbours by brute force:
// tiles of 16 by 16 of both sets, coordinates down and points along the rows, guarded at the ends;
// and the same for points that lie one after the other.

#include "field.cuh"

#define BLOCK_DIM 16

// a is (dim, a_count) with pitch a_pitch, b alike; dist is (a_count, b_count).
__global__ void compute_distances(const float *ref, int ref_width, int ref_pitch,
                                  const float *query, int query_width, int query_pitch, int height,
                                  float *dist) {
  __shared__ float shared_A[BLOCK_DIM][BLOCK_DIM];
  __shared__ float shared_B[BLOCK_DIM][BLOCK_DIM];
  __shared__ int begin_A, begin_B, step_A, step_B, end_A;

  int tx = threadIdx.x, ty = threadIdx.y;
  float ssd = 0.f;

  // Loop parameters
  if (tx == 0 && ty == 0) {
    begin_A = BLOCK_DIM * blockIdx.y;
    begin_B = BLOCK_DIM * blockIdx.x;
    step_A = BLOCK_DIM * ref_pitch;
    step_B = BLOCK_DIM * query_pitch;
    end_A = begin_A + (height - 1) * ref_pitch;
  }
  __syncthreads();

  // Conditions
  int cond0 = (begin_A + tx < ref_width);
  int cond1 = (begin_B + tx < query_width);
  int cond2 = (begin_A + ty < ref_width);

  // Loop over all the sub-matrices of A and B required to compute the block
  for (int a = begin_A, b = begin_B; a <= end_A; a += step_A, b += step_B) {
#pragma tma load fallback(loop)
    if (a / ref_pitch + ty < height) {
      shared_A[ty][tx] = (cond0) ? ref[a + ref_pitch * ty + tx] : 0;
      shared_B[ty][tx] = (cond1) ? query[b + query_pitch * ty + tx] : 0;
    } else {
      shared_A[ty][tx] = 0;
      shared_B[ty][tx] = 0;
    }
    __syncthreads();

    if (cond2 && cond1) {
      for (int k = 0; k < BLOCK_DIM; ++k) {
        float tmp = shared_A[k][ty] - shared_B[k][tx];
        ssd += tmp * tmp;
      }
    }
    __syncthreads();
  }
  if (cond2 && cond1) {
    dist[(begin_A + ty) * query_pitch + begin_B + tx] = ssd;
  }
}

// The variant with these values in registers, and one width for each matrix
__global__ void cuComputeDistanceGlobal(const float *A, int wA, const float *B, int wB, int dim,
                                        float *AB) {
  __shared__ float shared_A[BLOCK_DIM][BLOCK_DIM];
  __shared__ float shared_B[BLOCK_DIM][BLOCK_DIM];
  int tx = threadIdx.x, ty = threadIdx.y;
  float ssd = 0;

  int begin_A = BLOCK_DIM * blockIdx.y;
  int begin_B = BLOCK_DIM * blockIdx.x;
  int step_A = BLOCK_DIM * wA;
  int step_B = BLOCK_DIM * wB;
  int end_A = begin_A + (dim - 1) * wA;

  int cond0 = (begin_A + tx < wA);
  int cond1 = (begin_B + tx < wB);
  int cond2 = (begin_A + ty < wA);

  for (int a = begin_A, b = begin_B; a <= end_A; a += step_A, b += step_B) {
#pragma tma load
    if (a / wA + ty < dim) {
      shared_A[ty][tx] = (cond0) ? A[a + wA * ty + tx] : 0;
      shared_B[ty][tx] = (cond1) ? B[b + wB * ty + tx] : 0;
    } else {
      shared_A[ty][tx] = 0;
      shared_B[ty][tx] = 0;
    }
    __syncthreads();

    if (cond2 && cond1) {
      for (int k = 0; k < BLOCK_DIM; ++k)
        ssd += (shared_A[k][ty] - shared_B[k][tx]) * (shared_A[k][ty] - shared_B[k][tx]);
    }
    __syncthreads();
  }
  if (cond2 && cond1)
    AB[(begin_A + ty) * wB + begin_B + tx] = ssd;
}

// Points one after the other: x is (n, d), y is (m, d). Both tiles have points along the rows.
__global__ void pairwise_distance_kernel(const float *__restrict__ x, const float *__restrict__ y,
                                         float *__restrict__ out, int n, int m, int d) {
  __shared__ float xs[BLOCK_DIM][BLOCK_DIM + 1];
  __shared__ float ys[BLOCK_DIM][BLOCK_DIM + 1];
  const int i = blockIdx.y * BLOCK_DIM + threadIdx.y;
  const int j = blockIdx.x * BLOCK_DIM + threadIdx.x;
  const int y_row = blockIdx.x * BLOCK_DIM + threadIdx.y;
  float acc = 0.0f;
  for (int k0 = 0; k0 < d; k0 += BLOCK_DIM) {
    const int k = k0 + threadIdx.x;
#pragma tma load
    xs[threadIdx.y][threadIdx.x] = (i < n && k < d) ? x[i * d + k] : 0.0f;
#pragma tma load
    ys[threadIdx.y][threadIdx.x] = (y_row < m && k < d) ? y[y_row * d + k] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int t = 0; t < BLOCK_DIM; t++) {
      const float diff = xs[threadIdx.y][t] - ys[threadIdx.x][t];
      acc = fmaf(diff, diff, acc);
    }
    __syncthreads();
  }
  if (i < n && j < m)
    out[i * m + j] = sqrtf(acc);
}

int main() {
  const int dim = field::pick(120, 40), n = field::pick(8192, 48), m = field::pick(8000, 36);
  Buffer a(size_t(dim) * n * 4, 1), b(size_t(dim) * m * 4, 2), out(size_t(n) * m * 4, 3);
  dim3 t16(BLOCK_DIM, BLOCK_DIM);
  dim3 grid((m + BLOCK_DIM - 1) / BLOCK_DIM, (n + BLOCK_DIM - 1) / BLOCK_DIM);
  field::measure("distances-pitch", out, [&] {
    compute_distances<<<grid, t16>>>(a.as<float>(), n, n, b.as<float>(), m, m, dim,
                                     out.as<float>());
  });
  field::measure("distances-columns", out, [&] {
    cuComputeDistanceGlobal<<<grid, t16>>>(a.as<float>(), n, b.as<float>(), m, dim,
                                           out.as<float>());
  });
  field::measure("distances-rows", out, [&] {
    pairwise_distance_kernel<<<grid, t16>>>(a.as<float>(), b.as<float>(), out.as<float>(), n, m,
                                            dim);
  });
}
