// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat on a chip: a block reads a tile with a ghost zone, does several steps on it, of which each
// shrinks what is valid by a cell, and writes what is left. Cells outside of the chip are left out.

#include "field.cuh"

#define BLOCK_SIZE 16
#define EXPAND_RATE 2 // a step adds one cell on either side
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

__global__ void calculate_temp(int iteration,   // steps of this launch
                               float *power,    // power input
                               float *temp_src, // temperature input
                               float *temp_dst, // temperature output
                               int grid_cols,   // columns of the grid
                               int grid_rows,   // rows of the grid
                               int border_cols, // border offset
                               int border_rows, // border offset
                               float Cap,       // capacitance
                               float Rx, float Ry, float Rz, float step) {
  __shared__ float temp_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float power_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float temp_t[BLOCK_SIZE][BLOCK_SIZE]; // saves temporary results

  const float amb_temp = 80.0f;
  const float step_div_Cap = step / Cap;
  const float Rx_1 = 1 / Rx;
  const float Ry_1 = 1 / Ry;
  const float Rz_1 = 1 / Rz;

  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;

  // blocks overlap: what is valid after the last step is smaller than the block
  int small_block_rows = BLOCK_SIZE - iteration * 2;
  int small_block_cols = BLOCK_SIZE - iteration * 2;

  int blkY = small_block_rows * by - border_rows;
  int blkX = small_block_cols * bx - border_cols;
  int blkYmax = blkY + BLOCK_SIZE - 1;
  int blkXmax = blkX + BLOCK_SIZE - 1;

  int yidx = blkY + ty;
  int xidx = blkX + tx;

  int loadYidx = yidx, loadXidx = xidx;
  int index = grid_cols * loadYidx + loadXidx;

#pragma tma load
  if (IN_RANGE(loadYidx, 0, grid_rows - 1) && IN_RANGE(loadXidx, 0, grid_cols - 1)) {
    temp_on_cuda[ty][tx] = temp_src[index];
    power_on_cuda[ty][tx] = power[index];
  }
  __syncthreads();

  // the part of the tile that lies on the chip
  int validYmin = (blkY < 0) ? -blkY : 0;
  int validYmax =
      (blkYmax > grid_rows - 1) ? BLOCK_SIZE - 1 - (blkYmax - grid_rows + 1) : BLOCK_SIZE - 1;
  int validXmin = (blkX < 0) ? -blkX : 0;
  int validXmax =
      (blkXmax > grid_cols - 1) ? BLOCK_SIZE - 1 - (blkXmax - grid_cols + 1) : BLOCK_SIZE - 1;

  int N = ty - 1;
  int S = ty + 1;
  int W = tx - 1;
  int E = tx + 1;

  N = (N < validYmin) ? validYmin : N;
  S = (S > validYmax) ? validYmax : S;
  W = (W < validXmin) ? validXmin : W;
  E = (E > validXmax) ? validXmax : E;

  bool computed;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (IN_RANGE(tx, i + 1, BLOCK_SIZE - i - 2) && IN_RANGE(ty, i + 1, BLOCK_SIZE - i - 2) &&
        IN_RANGE(tx, validXmin, validXmax) && IN_RANGE(ty, validYmin, validYmax)) {
      computed = true;
      temp_t[ty][tx] =
          temp_on_cuda[ty][tx] +
          step_div_Cap *
              (power_on_cuda[ty][tx] +
               (temp_on_cuda[S][tx] + temp_on_cuda[N][tx] - 2.0f * temp_on_cuda[ty][tx]) * Ry_1 +
               (temp_on_cuda[ty][E] + temp_on_cuda[ty][W] - 2.0f * temp_on_cuda[ty][tx]) * Rx_1 +
               (amb_temp - temp_on_cuda[ty][tx]) * Rz_1);
    }
    __syncthreads();
    if (i == iteration - 1)
      break;
    if (computed) // assign the computation range
      temp_on_cuda[ty][tx] = temp_t[ty][tx];
    __syncthreads();
  }

  // only threads whose cell is valid after the last step write
  if (computed)
    temp_dst[index] = temp_t[ty][tx];
}

int main() {
  const int grid_rows = field::pick(4096, 50), grid_cols = field::pick(4096, 44);
  const int pyramid_height = 2;
  const int borderCols = pyramid_height * EXPAND_RATE / 2;
  const int borderRows = pyramid_height * EXPAND_RATE / 2;
  const int smallBlockCol = BLOCK_SIZE - pyramid_height * EXPAND_RATE;
  const int smallBlockRow = BLOCK_SIZE - pyramid_height * EXPAND_RATE;
  const int blockCols = grid_cols / smallBlockCol + ((grid_cols % smallBlockCol == 0) ? 0 : 1);
  const int blockRows = grid_rows / smallBlockRow + ((grid_rows % smallBlockRow == 0) ? 0 : 1);

  const float t_chip = 0.0005f, chip_height = 0.016f, chip_width = 0.016f;
  const float grid_height = chip_height / grid_rows, grid_width = chip_width / grid_cols;
  const float Cap = 0.5f * 1.75e6f * t_chip * grid_width * grid_height;
  const float Rx = grid_width / (2.0f * 100 * t_chip * grid_height);
  const float Ry = grid_height / (2.0f * 100 * t_chip * grid_width);
  const float Rz = t_chip / (100 * grid_height * grid_width);
  const float max_slope = 3.0e6f / (0.5f * t_chip * 1.75e6f);
  const float step = 0.001f / max_slope;

  const size_t size = size_t(grid_rows) * grid_cols;
  Buffer power(size * 4, 1), src(size * 4, 2), dst(size * 4, 3);
  dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
  dim3 dimGrid(blockCols, blockRows);
  const int total_iterations = pyramid_height;
  field::measure("hotspot", dst, [&] {
    calculate_temp<<<dimGrid, dimBlock>>>(MIN(pyramid_height, total_iterations), power.as<float>(),
                                          src.as<float>(), dst.as<float>(), grid_cols, grid_rows,
                                          borderCols, borderRows, Cap, Rx, Ry, Rz, step);
  });
}
