// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Needleman-Wunsch, the alignment of two sequences: tiles of 16 x 16 scores, those of one diagonal
// in one launch, first the upper left half of the matrix and then the lower right one. A tile
// needs the row above, the column to the left and the corner.

#include "field.cuh"

#define BLOCK_SIZE 16

__device__ __host__ int maximum(int a, int b, int c) {
  int k = a > b ? a : b;
  return k > c ? k : c;
}

__global__ void needle_cuda_shared_1(int *reference, int *matrix_cuda, int cols, int penalty, int i,
                                     int block_width) {
  int bx = blockIdx.x;
  int tx = threadIdx.x;

  int b_index_x = bx;
  int b_index_y = i - 1 - bx;

  int index = cols * BLOCK_SIZE * b_index_y + BLOCK_SIZE * b_index_x + tx + (cols + 1);
  int index_n = cols * BLOCK_SIZE * b_index_y + BLOCK_SIZE * b_index_x + tx + 1;
  int index_w = cols * BLOCK_SIZE * b_index_y + BLOCK_SIZE * b_index_x + cols;
  int index_nw = cols * BLOCK_SIZE * b_index_y + BLOCK_SIZE * b_index_x;

  __shared__ int temp[BLOCK_SIZE + 1][BLOCK_SIZE + 1];
  __shared__ int ref[BLOCK_SIZE][BLOCK_SIZE];

  if (tx == 0)
    temp[tx][0] = matrix_cuda[index_nw];

#pragma tma load fallback(loop)
  for (int ty = 0; ty < BLOCK_SIZE; ty++)
    ref[ty][tx] = reference[index + cols * ty];
  __syncthreads();

#pragma tma load fallback(loop)
  temp[tx + 1][0] = matrix_cuda[index_w + cols * tx];
  __syncthreads();

#pragma tma load fallback(loop)
  temp[0][tx + 1] = matrix_cuda[index_n];
  __syncthreads();

  for (int m = 0; m < BLOCK_SIZE; m++) {
    if (tx <= m) {
      int t_index_x = tx + 1;
      int t_index_y = m - tx + 1;
      temp[t_index_y][t_index_x] = maximum(
          temp[t_index_y - 1][t_index_x - 1] + ref[t_index_y - 1][t_index_x - 1],
          temp[t_index_y][t_index_x - 1] - penalty, temp[t_index_y - 1][t_index_x] - penalty);
    }
    __syncthreads();
  }
  for (int m = BLOCK_SIZE - 2; m >= 0; m--) {
    if (tx <= m) {
      int t_index_x = tx + BLOCK_SIZE - m;
      int t_index_y = BLOCK_SIZE - tx;
      temp[t_index_y][t_index_x] = maximum(
          temp[t_index_y - 1][t_index_x - 1] + ref[t_index_y - 1][t_index_x - 1],
          temp[t_index_y][t_index_x - 1] - penalty, temp[t_index_y - 1][t_index_x] - penalty);
    }
    __syncthreads();
  }

#pragma tma store fallback(loop)
  for (int ty = 0; ty < BLOCK_SIZE; ty++)
    matrix_cuda[index + ty * cols] = temp[ty + 1][tx + 1];
}

__global__ void needle_cuda_shared_2(int *reference, int *matrix_cuda, int cols, int penalty, int i,
                                     int block_width) {
  int bx = blockIdx.x;
  int tx = threadIdx.x;

  int b_index_x = bx + block_width - i;
  int b_index_y = block_width - bx - 1;

  int index = cols * BLOCK_SIZE * b_index_y + BLOCK_SIZE * b_index_x + tx + (cols + 1);
  int index_n = cols * BLOCK_SIZE * b_index_y + BLOCK_SIZE * b_index_x + tx + 1;
  int index_w = cols * BLOCK_SIZE * b_index_y + BLOCK_SIZE * b_index_x + cols;
  int index_nw = cols * BLOCK_SIZE * b_index_y + BLOCK_SIZE * b_index_x;

  __shared__ int temp[BLOCK_SIZE + 1][BLOCK_SIZE + 1];
  __shared__ int ref[BLOCK_SIZE][BLOCK_SIZE];

#pragma tma load fallback(loop)
  for (int ty = 0; ty < BLOCK_SIZE; ty++)
    ref[ty][tx] = reference[index + cols * ty];
  __syncthreads();

  if (tx == 0)
    temp[tx][0] = matrix_cuda[index_nw];

#pragma tma load fallback(loop)
  temp[tx + 1][0] = matrix_cuda[index_w + cols * tx];
  __syncthreads();

#pragma tma load fallback(loop)
  temp[0][tx + 1] = matrix_cuda[index_n];
  __syncthreads();

  for (int m = 0; m < BLOCK_SIZE; m++) {
    if (tx <= m) {
      int t_index_x = tx + 1;
      int t_index_y = m - tx + 1;
      temp[t_index_y][t_index_x] = maximum(
          temp[t_index_y - 1][t_index_x - 1] + ref[t_index_y - 1][t_index_x - 1],
          temp[t_index_y][t_index_x - 1] - penalty, temp[t_index_y - 1][t_index_x] - penalty);
    }
    __syncthreads();
  }
  for (int m = BLOCK_SIZE - 2; m >= 0; m--) {
    if (tx <= m) {
      int t_index_x = tx + BLOCK_SIZE - m;
      int t_index_y = BLOCK_SIZE - tx;
      temp[t_index_y][t_index_x] = maximum(
          temp[t_index_y - 1][t_index_x - 1] + ref[t_index_y - 1][t_index_x - 1],
          temp[t_index_y][t_index_x - 1] - penalty, temp[t_index_y - 1][t_index_x] - penalty);
    }
    __syncthreads();
  }

#pragma tma store fallback(loop)
  for (int ty = 0; ty < BLOCK_SIZE; ty++)
    matrix_cuda[index + ty * cols] = temp[ty + 1][tx + 1];
}

// Similarities from -5 to 10 and, in the first row and column, what gaps cost.
__global__ void init_matrices(int *reference, int *matrix, int cols, int penalty) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cols * cols;
       i += gridDim.x * blockDim.x) {
    int row = i / cols, column = i % cols;
    reference[i] = (row * 7919 + column * 104729 + row * column) % 16 - 5;
    if (row == 0 || column == 0)
      matrix[i] = -(row + column) * penalty;
  }
}

int main() {
  const int length = field::pick(2048, 64), penalty = 10;
  const int cols = length + 1, block_width = length / BLOCK_SIZE;
  const size_t bytes = size_t(cols) * cols * sizeof(int);
  Buffer reference(bytes, 1), matrix(bytes, 2);
  field::measure("needle", matrix, [&] {
    init_matrices<<<256, 256>>>(reference.as<int>(), matrix.as<int>(), cols, penalty);
    for (int i = 1; i <= block_width; i++)
      needle_cuda_shared_1<<<i, BLOCK_SIZE>>>(reference.as<int>(), matrix.as<int>(), cols, penalty,
                                              i, block_width);
    for (int i = block_width - 1; i >= 1; i--)
      needle_cuda_shared_2<<<i, BLOCK_SIZE>>>(reference.as<int>(), matrix.as<int>(), cols, penalty,
                                              i, block_width);
  });
}
