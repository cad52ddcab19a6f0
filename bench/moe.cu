// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer of experts: each of them has a matrix, and multiplies it with the tokens that are
// his. A block gathers the rows of its tokens, ahead of their rounds, and scatters the rows of
// its result, which are added up per token elsewhere. Tokens are sorted by expert, and each
// expert's are filled up to whole tiles by -1.

#include "bench.cuh"

constexpr int TOP = 2, ROWS = 32, COLUMNS = 128, DEPTH = 64, THREADS = 256;

/// `slots` has TOP numbers for each token, in some order.
__global__ void __launch_bounds__(THREADS)
    experts(float *__restrict__ out, const float *__restrict__ in,
            const float *__restrict__ weights, const int *__restrict__ slots,
            const int *__restrict__ expert_of, int hidden, int width) {
  __shared__ __align__(16) float as[ROWS][DEPTH], bs[DEPTH][COLUMNS], result[ROWS][COLUMNS];
  const int t = threadIdx.x, first = blockIdx.y * ROWS, n0 = blockIdx.x * COLUMNS;
  const int expert = expert_of[blockIdx.y], row = t / 32 * 4, column = t % 32 * 4;
  float sums[4][4] = {};
#pragma tma pipeline stages(2) warp(producer)
  for (int k0 = 0; k0 < hidden; k0 += DEPTH) {
#pragma tma load
    for (int i = t; i < ROWS * DEPTH / 4; i += THREADS) {
      const int r = i / (DEPTH / 4), c = i % (DEPTH / 4) * 4, slot = slots[first + r];
      float4 value = {};
      if (slot >= 0)
        value = *reinterpret_cast<const float4 *>(&in[slot / TOP * hidden + k0 + c]);
      *reinterpret_cast<float4 *>(&as[r][c]) = value;
    }
#pragma tma load
    for (int i = t; i < DEPTH * COLUMNS / 4; i += THREADS) {
      const int r = i / (COLUMNS / 4), c = i % (COLUMNS / 4) * 4;
      *reinterpret_cast<float4 *>(&bs[r][c]) =
          *reinterpret_cast<const float4 *>(&weights[(expert * hidden + k0 + r) * width + n0 + c]);
    }
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < DEPTH; ++k) {
      const float4 b = *reinterpret_cast<const float4 *>(&bs[k][column]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float a = as[row + i][k];
        sums[i][0] += a * b.x;
        sums[i][1] += a * b.y;
        sums[i][2] += a * b.z;
        sums[i][3] += a * b.w;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4 *>(&result[row + i][column]) =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
  __syncthreads();
#pragma tma store
  for (int i = t; i < ROWS * COLUMNS / 4; i += THREADS) {
    const int r = i / (COLUMNS / 4), c = i % (COLUMNS / 4) * 4, slot = slots[first + r];
    if (slot >= 0)
      *reinterpret_cast<float4 *>(&out[slot * width + n0 + c]) =
          *reinterpret_cast<const float4 *>(&result[r][c]);
  }
}

int main() {
  const int tokens = 4096, count = 8, hidden = 1024, width = 2048;
  std::vector<int> slots, expert_of;
  for (int expert = 0; expert < count; ++expert) {
    for (int slot = 0; slot < tokens * TOP; ++slot)
      if ((slot / TOP * 2654435761u >> 9) % count == unsigned(expert + slot % TOP * 3) % count)
        slots.push_back(slot);
    slots.resize((slots.size() + ROWS - 1) / ROWS * ROWS, -1);
    expert_of.resize(slots.size() / ROWS, expert);
  }
  size_t bytes = size_t(tokens) * hidden * 4, weight_bytes = size_t(count) * width * hidden * 4;
  size_t out_bytes = size_t(tokens) * TOP * width * 4;
  Buffer in(bytes, 1), weights(weight_bytes, 2), out(out_bytes, 3);
  Buffer slot_buffer(slots.size() * 4, 4), expert_buffer(expert_of.size() * 4, 5);
  CHECK(cudaMemcpy(slot_buffer.as<int>(), slots.data(), slots.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(expert_buffer.as<int>(), expert_of.data(), expert_of.size() * 4,
                   cudaMemcpyHostToDevice));
  work("moe", double(bytes + weight_bytes + out_bytes), 2. * tokens * TOP * hidden * width);
  kernel("moe", out, [&] {
    experts<<<dim3(width / COLUMNS, unsigned(expert_of.size())), THREADS>>>(
        out.as<float>(), in.as<float>(), weights.as<float>(), slot_buffer.as<int>(),
        expert_buffer.as<int>(), hidden, width);
  });
}
