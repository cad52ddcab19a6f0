// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer of experts: each of them has a matrix of halves, and multiplies it with the tokens
// that are his. A block gathers the rows of its tokens, ahead of their rounds, and scatters the
// rows of its result, which one expert after the other has added up for a token elsewhere.
// Tokens are sorted by expert, and each expert's are filled up to whole tiles by -1.

#include "bench.cuh"
#include "tensor_cores.cuh"

constexpr int TOP = 2, THREADS = 256;

/// `slots` has TOP numbers for each token, in some order.
__global__ void __launch_bounds__(THREADS)
    experts(half *__restrict__ out, const half *__restrict__ in, const half *__restrict__ weights,
            const int *__restrict__ slots, const int *__restrict__ expert_of, int hidden,
            int width) {
  __shared__ __align__(1024) SquareTile as, bs;
  __shared__ __align__(128) half result[SQUARE][SQUARE];
  const int t = threadIdx.x, first = blockIdx.y * SQUARE, n0 = blockIdx.x * SQUARE;
  const int column = expert_of[blockIdx.y] * width + n0;
  SquareSums sums;
#pragma tma pipeline stages(3) warp(producer)
  for (int k0 = 0; k0 < hidden; k0 += 64) {
#pragma tma load
    for (int i = t; i < SQUARE * 8; i += THREADS) {
      const int row = i / 8, part = i % 8, slot = slots[first + row];
      uint4 value = {};
      if (slot >= 0)
        value = *reinterpret_cast<const uint4 *>(&in[slot / TOP * hidden + k0 + part * 8]);
      *reinterpret_cast<uint4 *>(&as[row][(part ^ row % 8) * 8]) = value;
    }
#pragma tma load
    for (int i = t; i < SQUARE * 8; i += THREADS)
      *reinterpret_cast<uint4 *>(&bs[i / 8][(i % 8 ^ i / 8 % 8) * 8]) =
          *reinterpret_cast<const uint4 *>(&weights[(column + i / 8) * hidden + k0 + i % 8 * 8]);
    __syncthreads();
    multiply(sums, as, bs);
    __syncthreads();
  }
  write(&result[0][0], sums, 0, 0, SQUARE);
  __syncthreads();
#pragma tma store
  for (int i = t; i < SQUARE * SQUARE / 8; i += THREADS) {
    const int row = i / (SQUARE / 8), part = i % (SQUARE / 8), slot = slots[first + row];
    if (slot >= 0)
      *reinterpret_cast<uint4 *>(&out[slot * width + n0 + part * 8]) =
          *reinterpret_cast<const uint4 *>(&result[row][part * 8]);
  }
}

int main() {
  const int tokens = 8192, count = 8, hidden = 2048, width = 4096;
  std::vector<int> slots, expert_of;
  for (int expert = 0; expert < count; ++expert) {
    for (int slot = 0; slot < tokens * TOP; ++slot)
      if ((slot / TOP * 2654435761u >> 9) % count == unsigned(expert + slot % TOP * 3) % count)
        slots.push_back(slot);
    slots.resize((slots.size() + SQUARE - 1) / SQUARE * SQUARE, -1);
    expert_of.resize(slots.size() / SQUARE, expert);
  }
  size_t bytes = size_t(tokens) * hidden * 2, weight_bytes = size_t(count) * width * hidden * 2;
  size_t out_bytes = size_t(tokens) * TOP * width * 2;
  Buffer in(bytes, 1), weights(weight_bytes, 2), out(out_bytes, 3);
  std::vector<half> numbers(weight_bytes / 2);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = __float2half(float(i * 2654435761u >> 13 & 2047) / 1024.f - 1.f);
  CHECK(cudaMemcpy(in.as<half>(), numbers.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(weights.as<half>(), numbers.data(), weight_bytes, cudaMemcpyHostToDevice));
  Buffer slot_buffer(slots.size() * 4, 4), expert_buffer(expert_of.size() * 4, 5);
  CHECK(cudaMemcpy(slot_buffer.as<int>(), slots.data(), slots.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(expert_buffer.as<int>(), expert_of.data(), expert_of.size() * 4,
                   cudaMemcpyHostToDevice));
  work("moe", double(bytes + weight_bytes + out_bytes), 2. * tokens * TOP * hidden * width);
  kernel("moe", out, [&] {
    experts<<<dim3(width / SQUARE, unsigned(expert_of.size())), THREADS>>>(
        out.as<half>(), in.as<half>(), weights.as<half>(), slot_buffer.as<int>(),
        expert_buffer.as<int>(), hidden, width);
  });
}
