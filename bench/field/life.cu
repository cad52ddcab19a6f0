// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The game of life on bytes: a tile with a halo on a board that ends in dead cells, and blocks that
// overlap by a cell on a board that has ghost rows and columns.

#include "field.cuh"

#define BLOCK_X 32
#define BLOCK_Y 16
typedef unsigned char cell;

__global__ void life_halo(const cell *__restrict__ board, cell *__restrict__ next, int width,
                          int height) {
  __shared__ cell tile[BLOCK_Y + 2][BLOCK_X + 2];
  const int x0 = blockIdx.x * BLOCK_X - 1, y0 = blockIdx.y * BLOCK_Y - 1;

#pragma tma load
  for (int r = threadIdx.y; r < BLOCK_Y + 2; r += BLOCK_Y)
    for (int c = threadIdx.x; c < BLOCK_X + 2; c += BLOCK_X) {
      int x = x0 + c, y = y0 + r;
      tile[r][c] = (x >= 0 && x < width && y >= 0 && y < height) ? board[y * width + x] : 0;
    }
  __syncthreads();

  const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int neighbors = 0;
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++)
      neighbors += tile[threadIdx.y + dy][threadIdx.x + dx];
  const cell alive = tile[threadIdx.y + 1][threadIdx.x + 1];
  neighbors -= alive;
  next[y * width + x] = neighbors == 3 || (alive && neighbors == 2);
}

// The board has a ghost cell on each side, int cells; 30 x 14 of the block's threads have a cell.
__global__ void GOL(int dim, int *grid, int *newGrid) {
  int iy = (blockDim.y - 2) * blockIdx.y + threadIdx.y;
  int ix = (blockDim.x - 2) * blockIdx.x + threadIdx.x;
  int id = iy * (dim + 2) + ix;

  int i = threadIdx.y;
  int j = threadIdx.x;
  int numNeighbors;

  __shared__ int s_grid[BLOCK_Y][BLOCK_X];

#pragma tma load
  if (ix <= dim + 1 && iy <= dim + 1)
    s_grid[i][j] = grid[id];
  __syncthreads();

  if (iy <= dim && ix <= dim) {
    if (i != 0 && i != blockDim.y - 1 && j != 0 && j != blockDim.x - 1) {
      numNeighbors = s_grid[i + 1][j] + s_grid[i - 1][j] + s_grid[i][j + 1] + s_grid[i][j - 1] +
                     s_grid[i + 1][j + 1] + s_grid[i - 1][j - 1] + s_grid[i - 1][j + 1] +
                     s_grid[i + 1][j - 1];
      int cell = s_grid[i][j];
      if (cell == 1 && numNeighbors < 2)
        newGrid[id] = 0;
      else if (cell == 1 && (numNeighbors == 2 || numNeighbors == 3))
        newGrid[id] = 1;
      else if (cell == 1 && numNeighbors > 3)
        newGrid[id] = 0;
      else if (cell == 0 && numNeighbors == 3)
        newGrid[id] = 1;
      else
        newGrid[id] = cell;
    }
  }
}

template <typename T> __global__ void init_board(T *board, size_t count) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    unsigned hash = unsigned(i) * 2654435761u;
    hash ^= hash >> 13, hash *= 0x846ca68bu;
    board[i] = (hash >> 20) % 3 == 0;
  }
}

int main() {
  const int width = field::pick(16384, 80), height = field::pick(16384, 40);
  const int dim = field::pick(8192, 70), pitch = dim + 2;
  const size_t bytes = std::max(size_t(width) * height, size_t(pitch) * pitch * 4);
  Buffer board(bytes, 1), next(bytes, 2);
  init_board<<<256, 256>>>(board.as<cell>(), size_t(width) * height);
  field::measure("life-halo", next, [&] {
    life_halo<<<dim3((width + BLOCK_X - 1) / BLOCK_X, (height + BLOCK_Y - 1) / BLOCK_Y),
                dim3(BLOCK_X, BLOCK_Y)>>>(board.as<cell>(), next.as<cell>(), width, height);
  });
  init_board<<<256, 256>>>(board.as<int>(), size_t(pitch) * pitch);
  field::measure("life-ghosts", next, [&] {
    dim3 blockSize(BLOCK_X, BLOCK_Y);
    dim3 gridSize((dim + BLOCK_X - 3) / (BLOCK_X - 2), (dim + BLOCK_Y - 3) / (BLOCK_Y - 2));
    GOL<<<gridSize, blockSize>>>(dim, board.as<int>(), next.as<int>());
  });
}
