// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The k nearest of all points for each query: a tile of points in shared memory that all threads of
// the block go through, each with its list in registers. Points are structs of three floats, or of
// four with the squared length, or rows of a matrix whose length is a template argument.

#include "field.cuh"

#include <cfloat>

#define THREADS_PER_BLOCK 256

template <int K>
__device__ __forceinline__ void insert(float (&best_dist)[K], int (&best_idx)[K], float d,
                                       int idx) {
  if (d < best_dist[K - 1]) {
#pragma unroll
    for (int j = K - 1; j > 0; j--) {
      const bool shift = d < best_dist[j - 1];
      const bool here = d < best_dist[j];
      best_idx[j] = shift ? best_idx[j - 1] : here ? idx : best_idx[j];
      best_dist[j] = shift ? best_dist[j - 1] : here ? d : best_dist[j];
    }
    if (d < best_dist[0]) {
      best_dist[0] = d;
      best_idx[0] = idx;
    }
  }
}

template <int K>
__global__ void knn_float3(int n, int m, const float3 *__restrict__ points,
                           const float3 *__restrict__ queries, int *__restrict__ idx) {
  __shared__ float3 tile[THREADS_PER_BLOCK];
  const int q = blockIdx.x * THREADS_PER_BLOCK + threadIdx.x;
  const float3 query = q < m ? queries[q] : make_float3(0, 0, 0);
  float best_dist[K];
  int best_idx[K];
#pragma unroll
  for (int i = 0; i < K; i++)
    best_dist[i] = FLT_MAX, best_idx[i] = -1;

  for (int base = 0; base < n; base += THREADS_PER_BLOCK) {
    __syncthreads();
#pragma tma load
    if (base + threadIdx.x < n)
      tile[threadIdx.x] = points[base + threadIdx.x];
    __syncthreads();
    const int count = min(THREADS_PER_BLOCK, n - base);
    for (int i = 0; i < count; i++) {
      const float3 p = tile[i];
      const float dx = query.x - p.x, dy = query.y - p.y, dz = query.z - p.z;
      insert(best_dist, best_idx, dx * dx + dy * dy + dz * dz, base + i);
    }
  }
  if (q < m) {
    for (int i = 0; i < K; i++)
      idx[q * K + i] = best_idx[i];
  }
}

template <int K>
__global__ void knn_float4(const float4 *points, const float4 *queries, int *idx, int n, int m) {
  extern __shared__ float4 shared_points[];
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 query = queries[min(q, m - 1)];
  float best_dist[K];
  int best_idx[K];
  for (int i = 0; i < K; i++)
    best_dist[i] = FLT_MAX, best_idx[i] = -1;
  const int tiles = (n + blockDim.x - 1) / blockDim.x;
  for (int t = 0; t < tiles; t++) {
    int j = t * blockDim.x + threadIdx.x;
#pragma tma load
    shared_points[threadIdx.x] = j < n ? points[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
    const int count = min((int)blockDim.x, n - t * (int)blockDim.x);
    for (int i = 0; i < count; i++) {
      const float4 p = shared_points[i];
      const float d = p.w - 2.0f * (query.x * p.x + query.y * p.y + query.z * p.z);
      insert(best_dist, best_idx, d, t * (int)blockDim.x + i);
    }
    __syncthreads();
  }
  if (q < m) {
    for (int i = 0; i < K; i++)
      idx[q * K + i] = best_idx[i];
  }
}

// Rows of D floats, 64 of them at once
template <int D, int K>
__global__ void knn_rows(const float *__restrict__ data, const float *__restrict__ queries,
                         int *__restrict__ idx, float *__restrict__ dist, int n, int m) {
  constexpr int TILE = 64;
  __shared__ float tile[TILE][D];
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  float query[D];
#pragma unroll
  for (int i = 0; i < D; i++)
    query[i] = q < m ? queries[q * D + i] : 0.0f;
  float best_dist[K];
  int best_idx[K];
#pragma unroll
  for (int i = 0; i < K; i++)
    best_dist[i] = FLT_MAX, best_idx[i] = -1;

  for (int base = 0; base < n; base += TILE) {
    const int rows = min(TILE, n - base);
#pragma tma load
    for (int i = threadIdx.x; i < rows * D; i += blockDim.x)
      tile[i / D][i % D] = data[base * D + i];
    __syncthreads();
    for (int r = 0; r < rows; r++) {
      float d = 0.0f;
#pragma unroll
      for (int i = 0; i < D; i++) {
        const float diff = query[i] - tile[r][i];
        d += diff * diff;
      }
      insert(best_dist, best_idx, d, base + r);
    }
    __syncthreads();
  }
  if (q < m) {
#pragma unroll
    for (int i = 0; i < K; i++) {
      idx[q * K + i] = best_idx[i];
      dist[q * K + i] = best_dist[i];
    }
  }
}

int main() {
  const int n = field::pick(20000, 600), m = field::pick(32768, 300);
  const int grid = (m + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK;
  Buffer points(size_t(n) * 16, 1), queries(size_t(m) * 16, 2), idx(size_t(m) * 8 * 4, 3);
  field::measure("knn-float3", idx, [&] {
    knn_float3<8><<<grid, THREADS_PER_BLOCK>>>(n, m, points.as<float3>(), queries.as<float3>(),
                                               idx.as<int>());
  });
  field::measure("knn-float4", idx, [&] {
    knn_float4<8><<<grid, THREADS_PER_BLOCK, THREADS_PER_BLOCK * sizeof(float4)>>>(
        points.as<float4>(), queries.as<float4>(), idx.as<int>(), n, m);
  });
  const int rows = field::pick(10000, 150), count = field::pick(32768, 200);
  Buffer data(size_t(rows) * 32 * 4, 4), wanted(size_t(count) * 32 * 4, 5);
  Buffer dist(size_t(count) * 8 * 4, 6);
  field::measure("knn-rows", dist, [&] {
    knn_rows<32, 8><<<(count + 127) / 128, 128>>>(data.as<float>(), wanted.as<float>(),
                                                  idx.as<int>(), dist.as<float>(), rows, count);
  });
}
