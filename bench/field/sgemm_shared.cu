// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second step of every tutorial on matrix products: a tile of A and a tile of B in shared
// memory, one result for each thread, pointers that the loop moves.

#include "field.cuh"

template <const int BLOCKSIZE>
__global__ void sgemm_shared_mem_block(int M, int N, int K, float alpha, const float *A,
                                       const float *B, float beta, float *C) {
  const uint cRow = blockIdx.x;
  const uint cCol = blockIdx.y;

  __shared__ float As[BLOCKSIZE * BLOCKSIZE];
  __shared__ float Bs[BLOCKSIZE * BLOCKSIZE];

  const uint threadCol = threadIdx.x % BLOCKSIZE;
  const uint threadRow = threadIdx.x / BLOCKSIZE;

  A += cRow * BLOCKSIZE * K;
  B += cCol * BLOCKSIZE;
  C += cRow * BLOCKSIZE * N + cCol * BLOCKSIZE;

  float tmp = 0.0;
  for (int bkIdx = 0; bkIdx < K; bkIdx += BLOCKSIZE) {
#pragma tma load
    As[threadRow * BLOCKSIZE + threadCol] = A[threadRow * K + threadCol];
#pragma tma load
    Bs[threadRow * BLOCKSIZE + threadCol] = B[threadRow * N + threadCol];

    __syncthreads();
    A += BLOCKSIZE;
    B += BLOCKSIZE * N;

    for (int dotIdx = 0; dotIdx < BLOCKSIZE; ++dotIdx) {
      tmp += As[threadRow * BLOCKSIZE + dotIdx] * Bs[dotIdx * BLOCKSIZE + threadCol];
    }
    __syncthreads();
  }
  C[threadRow * N + threadCol] = alpha * tmp + beta * C[threadRow * N + threadCol];
}

int main() {
  const int n = field::pick(2048, 64);
  Buffer a(size_t(n) * n * 4, 1), b(size_t(n) * n * 4, 2), c(size_t(n) * n * 4, 3);
  field::measure("sgemm-shared", c, [&] {
    dim3 gridDim(n / 32, n / 32);
    dim3 blockDim(32 * 32);
    sgemm_shared_mem_block<32>
        <<<gridDim, blockDim>>>(n, n, n, 1.0f, a.as<float>(), b.as<float>(), 0.0f, c.as<float>());
  });
}
