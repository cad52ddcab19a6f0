// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse matrix times a vector: once with the columns cut into blocks of 2048, whose part of x is
// in shared memory while the rows go through their entries there; once with the entries of 256 rows
// brought in by the whole block; and once for a matrix of diagonals.

#include "field.cuh"

#define COL_BLOCK 2048
#define BLOCK_SIZE 256
#define NNZ_TILE 1536

// row_ptr has a row of its own for each block of columns; columns count from the block's first one
__global__ void spmv_col_blocks(int rows, int cols, int num_col_blocks,
                                const int *__restrict__ row_ptr,
                                const unsigned short *__restrict__ col_idx,
                                const float *__restrict__ vals, const float *__restrict__ x,
                                float *__restrict__ y) {
  __shared__ float xs[COL_BLOCK];
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int cb = 0; cb < num_col_blocks; cb++) {
    const int col0 = cb * COL_BLOCK;
#pragma tma load
    for (int i = threadIdx.x; i < COL_BLOCK; i += blockDim.x)
      if (col0 + i < cols)
        xs[i] = x[col0 + i];
    __syncthreads();

    if (row < rows) {
      const int *ptr = row_ptr + cb * (rows + 1);
      for (int k = ptr[row]; k < ptr[row + 1]; k++)
        sum += vals[k] * xs[col_idx[k]];
    }
    __syncthreads();
  }
  if (row < rows)
    y[row] = sum;
}

// entries of 256 rows by the whole block, then a row for each thread
__global__ void spmv_csr_stream(int rows, const int *__restrict__ row_ptr,
                                const int *__restrict__ col_idx, const float *__restrict__ vals,
                                const float *__restrict__ x, float *__restrict__ y) {
  __shared__ float s_vals[NNZ_TILE];
  __shared__ int s_cols[NNZ_TILE];
  __shared__ int s_ptr[BLOCK_SIZE + 1];
  const int first = blockIdx.x * BLOCK_SIZE;
  const int tid = threadIdx.x;

#pragma tma load fallback(loop)
  for (int i = tid; i < BLOCK_SIZE + 1; i += BLOCK_SIZE)
    if (first + i <= rows)
      s_ptr[i] = row_ptr[first + i];
  const int begin = row_ptr[first];
  const int count = row_ptr[min(first + BLOCK_SIZE, rows)] - begin;
#pragma tma load fallback(loop)
  for (int i = tid; i < count; i += BLOCK_SIZE) {
    s_vals[i] = vals[begin + i];
    s_cols[i] = col_idx[begin + i];
  }
  __syncthreads();

  if (first + tid < rows) {
    float sum = 0.0f;
    for (int k = s_ptr[tid] - begin; k < s_ptr[tid + 1] - begin; k++)
      sum += s_vals[k] * x[s_cols[k]];
    y[first + tid] = sum;
  }
}

#define HALF_BAND 16

// 2 * 16 + 1 diagonals, each an array of its own, x with what is beside the block's rows
__global__ void spmv_dia(int n, const float *__restrict__ diag, const float *__restrict__ x,
                         float *__restrict__ y) {
  __shared__ float xs[BLOCK_SIZE + 2 * HALF_BAND];
  const int row0 = blockIdx.x * BLOCK_SIZE;
#pragma tma load
  for (int i = threadIdx.x; i < BLOCK_SIZE + 2 * HALF_BAND; i += BLOCK_SIZE) {
    const int col = row0 - HALF_BAND + i;
    xs[i] = col >= 0 && col < n ? x[col] : 0.0f;
  }
  __syncthreads();

  const int row = row0 + threadIdx.x;
  if (row < n) {
    float sum = 0.0f;
#pragma unroll 4
    for (int d = 0; d <= 2 * HALF_BAND; d++)
      sum += diag[(size_t)d * n + row] * xs[threadIdx.x + d];
    y[row] = sum;
  }
}

// Rows have from `least` to `least + 2` entries; so many do those before `row` have.
__device__ __host__ inline int entries_before(int row, int shift, int least) {
  int entries = least * row + row / 3 * 3;
  for (int r = row / 3 * 3; r < row; r++)
    entries += (r + shift) % 3;
  return entries;
}

template <typename Index>
__global__ void make_csr(int rows, int cols, int shift, int least, int base, int *row_ptr,
                         Index *col_idx) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row <= rows;
       row += gridDim.x * blockDim.x) {
    const int begin = base + entries_before(row, shift, least);
    row_ptr[row] = begin;
    if (row < rows)
      for (int k = begin; k < base + entries_before(row + 1, shift, least); k++)
        col_idx[k] = (unsigned(k) * 2654435761u >> 7) % cols;
  }
}

int main() {
  const int rows = field::pick(2000000, 600), cols = field::pick(16000, 5000);
  const int blocks = (cols + COL_BLOCK - 1) / COL_BLOCK;
  const size_t most = size_t(rows) * blocks * 4;
  Buffer ptr((rows + 1) * blocks * 4ul, 1), idx(most * 4, 2), vals(most * 4, 3);
  Buffer x(std::max(rows, cols) * 4ul, 4), y(rows * 4ul, 5);
  for (int cb = 0, base = 0; cb < blocks; cb++) {
    make_csr<<<256, 256>>>(rows, std::min(COL_BLOCK, cols - cb * COL_BLOCK), cb, 2, base,
                           ptr.as<int>() + cb * (rows + 1), idx.as<unsigned short>());
    base += entries_before(rows, cb, 2);
  }
  field::measure("spmv-column-blocks", y, [&] {
    spmv_col_blocks<<<(rows + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(
        rows, cols, blocks, ptr.as<int>(), idx.as<unsigned short>(), vals.as<float>(),
        x.as<float>(), y.as<float>());
  });
  make_csr<<<256, 256>>>(rows, rows, 0, 4, 0, ptr.as<int>(), idx.as<int>());
  field::measure("spmv-stream", y, [&] {
    spmv_csr_stream<<<(rows + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(
        rows, ptr.as<int>(), idx.as<int>(), vals.as<float>(), x.as<float>(), y.as<float>());
  });
  const int n = field::pick(1900000, 600);
  Buffer diag(size_t(n) * (2 * HALF_BAND + 1) * 4, 6);
  field::measure("spmv-diagonals", y, [&] {
    spmv_dia<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(n, diag.as<float>(), x.as<float>(),
                                                                y.as<float>());
  });
}
