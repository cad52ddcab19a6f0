// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer of experts: the rows of an expert's tokens are gathered, ahead of their rounds,
// multiplied with his matrix, and scattered to where each token has a row for each of its
// experts. Tokens are sorted by expert; -1 fills the last tile of each.

#include "check.h"

constexpr int TOP = 2, ROWS = 16, COLUMNS = 32, DEPTH = 64;

__global__ void experts(float *__restrict__ out, const float *__restrict__ in,
                        const float *__restrict__ weights, const int *__restrict__ slots,
                        const int *__restrict__ expert_of, int hidden, int width) {
  __shared__ float as[ROWS][DEPTH], bs[DEPTH][COLUMNS], result[ROWS][COLUMNS];
  const int t = threadIdx.x, first = blockIdx.y * ROWS, n0 = blockIdx.x * COLUMNS;
  const int expert = expert_of[blockIdx.y];
  float sums[ROWS / 8] = {};
#pragma tma pipeline stages(2) warp(producer)
  for (int k0 = 0; k0 < hidden; k0 += DEPTH) {
#pragma tma load
    for (int i = t; i < ROWS * DEPTH; i += blockDim.x) {
      const int slot = slots[first + i / DEPTH];
      as[i / DEPTH][i % DEPTH] = slot >= 0 ? in[slot / TOP * hidden + k0 + i % DEPTH] : 0.f;
    }
#pragma tma load
    for (int i = t; i < DEPTH * COLUMNS; i += blockDim.x)
      bs[i / COLUMNS][i % COLUMNS] =
          weights[(expert * hidden + k0 + i / COLUMNS) * width + n0 + i % COLUMNS];
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k)
      for (int i = 0; i < ROWS / 8; ++i)
        sums[i] += as[t / 32 + i * 8][k] * bs[k][t % 32];
    __syncthreads();
  }
  for (int i = 0; i < ROWS / 8; ++i)
    result[t / 32 + i * 8][t % 32] = sums[i];
  __syncthreads();
  // Rows of 128 bytes are short for TMA: without this, tilelift would leave the loop.
#pragma tma store lift(always)
  for (int i = t; i < ROWS * COLUMNS; i += blockDim.x) {
    const int slot = slots[first + i / COLUMNS];
    if (slot >= 0)
      out[slot * width + n0 + i % COLUMNS] = result[i / COLUMNS][i % COLUMNS];
  }
}

int main() {
  const int tokens = 40, count = 4, hidden = 192, width = 64;
  std::vector<float> in = numbers(tokens * hidden), weights = numbers(count * hidden * width);
  std::vector<float> expected(tokens * TOP * width);
  std::vector<int> slots, expert_of;
  for (int expert = 0; expert < count; ++expert) {
    for (int slot = 0; slot < tokens * TOP; ++slot) {
      if ((slot / TOP + slot % TOP * 2) % count != expert)
        continue;
      slots.push_back(slot);
      for (int n = 0; n < width; ++n) {
        double sum = 0;
        for (int k = 0; k < hidden; ++k)
          sum += double(in[slot / TOP * hidden + k]) * weights[(expert * hidden + k) * width + n];
        expected[slot * width + n] = float(sum);
      }
    }
    slots.resize((slots.size() + ROWS - 1) / ROWS * ROWS, -1);
    expert_of.resize(slots.size() / ROWS, expert);
  }

  Array din(in), dweights(weights), out(expected.size());
  Array dslots(slots), dexpert_of(expert_of);
  dim3 grid(width / COLUMNS, unsigned(expert_of.size()));
  experts<<<grid, 256>>>(out, din, dweights, dslots, dexpert_of, hidden, width);
  return verdict("experts", out.fetch(), expected);
}
