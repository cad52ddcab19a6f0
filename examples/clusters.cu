// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiled product once more: blocks that are side by side need the same rows of the first
// matrix, blocks below each other the same columns of the second. In clusters of two by two, each
// loads half of every tile for both that need it.

#include "check.h"

constexpr int T = 32;

__global__ void matmul(float *__restrict__ c, const float *__restrict__ a,
                       const float *__restrict__ b, int m, int n, int k) {
  __shared__ float as[T][T], bs[T][T];
  int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0.f;
#pragma tma pipeline stages(3)
  for (int k0 = 0; k0 < k; k0 += T) {
    int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
#pragma tma load multicast(x)
    as[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.f;
#pragma tma load multicast(y)
    bs[threadIdx.y][threadIdx.x] = kb < k && column < n ? b[kb * n + column] : 0.f;
    __syncthreads();
    for (int i = 0; i < T; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

int main() {
  const int m = 120, n = 180, k = 148;
  std::vector<float> a = numbers(size_t(m) * k), b = numbers(size_t(k) * n);
  std::vector<float> expected(size_t(m) * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(a[size_t(i) * k + l]) * b[size_t(l) * n + j];
      expected[size_t(i) * n + j] = float(sum);
    }

  Array da(a), db(b), dc(expected.size());
  dim3 block(T, T), grid((n + T - 1) / T, (m + T - 1) / T);
  matmul<<<grid, block>>>(dc, da, db, m, n, k);
  return verdict("clusters", dc.fetch(), expected);
}
