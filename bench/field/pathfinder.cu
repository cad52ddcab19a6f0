// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PathFinder: the cheapest way down a grid of costs. A block has a line of sums with a ghost zone
// and goes down several rows at once; each row shrinks what is valid by a cell on either side.

#include "field.cuh"

#define BLOCK_SIZE 256
#define HALO 1
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

__global__ void dynproc_kernel(int iteration, int *gpuWall, int *gpuSrc, int *gpuResults, int cols,
                               int rows, int startStep, int border) {
  __shared__ int prev[BLOCK_SIZE];
  __shared__ int result[BLOCK_SIZE];

  int bx = blockIdx.x;
  int tx = threadIdx.x;

  // blocks overlap: what is valid after the last row is smaller than the block
  int small_block_cols = BLOCK_SIZE - iteration * HALO * 2;
  int blkX = small_block_cols * bx - border;
  int blkXmax = blkX + BLOCK_SIZE - 1;
  int xidx = blkX + tx;

  int validXmin = (blkX < 0) ? -blkX : 0;
  int validXmax = (blkXmax > cols - 1) ? BLOCK_SIZE - 1 - (blkXmax - cols + 1) : BLOCK_SIZE - 1;

  int W = tx - 1;
  int E = tx + 1;
  W = (W < validXmin) ? validXmin : W;
  E = (E > validXmax) ? validXmax : E;
  bool isValid = IN_RANGE(tx, validXmin, validXmax);

#pragma tma load
  if (IN_RANGE(xidx, 0, cols - 1)) {
    prev[tx] = gpuSrc[xidx];
  }
  __syncthreads();

  bool computed;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && isValid) {
      computed = true;
      int left = prev[W];
      int up = prev[tx];
      int right = prev[E];
      int shortest = MIN(left, up);
      shortest = MIN(shortest, right);
      int index = cols * (startStep + i) + xidx;
      result[tx] = shortest + gpuWall[index];
    }
    __syncthreads();
    if (i == iteration - 1)
      break;
    if (computed)
      prev[tx] = result[tx];
    __syncthreads();
  }

  // only threads whose cell is valid after the last row write
  if (computed)
    gpuResults[xidx] = result[tx];
}

// Costs from 0 to 9.
__global__ void init_wall(int *wall, size_t count) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    wall[i] = unsigned(i * 2654435761u >> 7) % 10;
}

int main() {
  const int cols = field::pick(1000000, 900), rows = field::pick(100, 13);
  const int pyramid_height = field::pick(20, 4), borderCols = pyramid_height * HALO;
  const int smallBlockCol = BLOCK_SIZE - pyramid_height * HALO * 2;
  const int blockCols = cols / smallBlockCol + ((cols % smallBlockCol == 0) ? 0 : 1);

  Buffer wall(size_t(rows) * cols * 4, 1), first(cols * 4, 2), second(cols * 4, 3);
  init_wall<<<256, 256>>>(wall.as<int>(), size_t(rows) * cols);
  int *gpuResult[2] = {first.as<int>(), second.as<int>()};
  const int launches = (rows - 1 + pyramid_height - 1) / pyramid_height;
  field::measure("pathfinder", launches % 2 ? second : first, [&] {
    CHECK(cudaMemcpyAsync(gpuResult[0], wall.as<int>(), cols * 4, cudaMemcpyDeviceToDevice));
    int src = 1, dst = 0;
    for (int t = 0; t < rows - 1; t += pyramid_height) {
      int temp = src;
      src = dst;
      dst = temp;
      dynproc_kernel<<<blockCols, BLOCK_SIZE>>>(MIN(pyramid_height, rows - 1 - t),
                                                wall.as<int>() + cols, gpuResult[src],
                                                gpuResult[dst], cols, rows, t, borderCols);
    }
  });
}
