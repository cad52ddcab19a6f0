// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All shortest paths by tiles of 32 x 32, three launches for each tile of the diagonal: the tile
// itself, those in its row and column, and the others, with int distances.

#include "field.cuh"

#define BLOCK_SIZE 32
#define INF (1 << 29)

// primary tile
__global__ void fw_phase1(int *dist, int n, int round) {
  __shared__ int tile[BLOCK_SIZE][BLOCK_SIZE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = round * BLOCK_SIZE + ty, j = round * BLOCK_SIZE + tx;

#pragma tma load
  tile[ty][tx] = dist[i * n + j];
  __syncthreads();
  for (int k = 0; k < BLOCK_SIZE; k++) {
    int through = tile[ty][k] + tile[k][tx];
    __syncthreads();
    if (through < tile[ty][tx])
      tile[ty][tx] = through;
    __syncthreads();
  }
#pragma tma store
  dist[i * n + j] = tile[ty][tx];
}

// tiles in the row (blockIdx.y == 0) and in the column (blockIdx.y == 1) of the primary one
__global__ void fw_phase2(int *dist, int n, int round) {
  if (blockIdx.x == round)
    return;
  __shared__ int primary[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ int current[BLOCK_SIZE][BLOCK_SIZE];
  const int tx = threadIdx.x, ty = threadIdx.y;

  int i = round * BLOCK_SIZE + ty, j = round * BLOCK_SIZE + tx;
#pragma tma load
  primary[ty][tx] = dist[i * n + j];

  if (blockIdx.y == 0)
    j = blockIdx.x * BLOCK_SIZE + tx;
  else
    i = blockIdx.x * BLOCK_SIZE + ty;
#pragma tma load fallback(loop)
  current[ty][tx] = dist[i * n + j];
  __syncthreads();

  int best = current[ty][tx];
  for (int k = 0; k < BLOCK_SIZE; k++) {
    int through =
        blockIdx.y == 0 ? primary[ty][k] + current[k][tx] : current[ty][k] + primary[k][tx];
    __syncthreads();
    best = min(best, through);
    current[ty][tx] = best;
    __syncthreads();
  }
#pragma tma store fallback(loop)
  dist[i * n + j] = current[ty][tx];
}

// the others
__global__ void fw_phase3(int *dist, int n, int round) {
  if (blockIdx.x == round || blockIdx.y == round)
    return;
  __shared__ int row[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ int col[BLOCK_SIZE][BLOCK_SIZE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = blockIdx.y * blockDim.y + ty, j = blockIdx.x * blockDim.x + tx;
  const int i_row = round * BLOCK_SIZE + ty, j_col = round * BLOCK_SIZE + tx;

#pragma tma load
  row[ty][tx] = dist[i_row * n + j];
#pragma tma load
  col[ty][tx] = dist[i * n + j_col];
  __syncthreads();

  int best = dist[i * n + j];
#pragma unroll
  for (int k = 0; k < BLOCK_SIZE; k++)
    best = min(best, col[ty][k] + row[k][tx]);
  dist[i * n + j] = best;
}

// Edges from an eighth of all pairs, of length 1 to 100.
__global__ void make_graph(int *dist, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x) {
    unsigned hash = unsigned(i) * 2654435761u;
    hash ^= hash >> 15;
    dist[i] = i / n == i % n ? 0 : hash % 8 ? INF : int(hash / 8 % 100) + 1;
  }
}

int main() {
  const int n = field::pick(1024, 96);
  const size_t bytes = size_t(n) * n * sizeof(int);
  Buffer graph(bytes, 1), dist(bytes, 2);
  make_graph<<<64, 256>>>(graph.as<int>(), n);
  field::measure("floyd-warshall", dist, [&] {
    CHECK(cudaMemcpyAsync(dist.as<int>(), graph.as<int>(), bytes, cudaMemcpyDeviceToDevice));
    const dim3 block(BLOCK_SIZE, BLOCK_SIZE);
    const int rounds = n / BLOCK_SIZE;
    for (int round = 0; round < rounds; round++) {
      fw_phase1<<<1, block>>>(dist.as<int>(), n, round);
      fw_phase2<<<dim3(rounds, 2), block>>>(dist.as<int>(), n, round);
      fw_phase3<<<dim3(rounds, rounds), block>>>(dist.as<int>(), n, round);
    }
  });
}
