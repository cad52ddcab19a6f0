// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of 2 KiB that an index picks, as embeddings and the tokens of experts are: nothing
// but memory, which comes from anywhere.

#include "bench.cuh"
#include "by_hand.cuh"

#include <numeric>
#include <random>

constexpr int Width = 128, Rows = 16, Threads = 128; // 16 bytes each

__global__ void __launch_bounds__(Threads)
    gather(uint4 *__restrict__ out, const uint4 *__restrict__ table, const int *__restrict__ rows) {
  __shared__ uint4 tile[Rows][Width];
  const int first = blockIdx.x * Rows;
#pragma tma load
  for (int i = threadIdx.x; i < Rows * Width; i += Threads)
    tile[i / Width][i % Width] = table[size_t(rows[first + i / Width]) * Width + i % Width];
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < Rows * Width; i += Threads)
    out[size_t(first) * Width + i] = tile[i / Width][i % Width];
}

__global__ void __launch_bounds__(32)
    gather_by_hand(uint4 *out, const uint4 *table, const int *rows) {
  namespace ptx = by_hand::ptx;
  __shared__ alignas(128) uint4 tile[Rows][Width];
  __shared__ uint64_t full;
  const int first = blockIdx.x * Rows, lane = threadIdx.x;
  if (lane == 0) {
    by_hand::init(full);
    by_hand::expect(full, sizeof(tile));
  }
  __syncwarp();
  if (lane < Rows)
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[lane],
                       table + size_t(rows[first + lane]) * Width, sizeof(tile[0]), &full);
  by_hand::wait(full, 0);
  if (lane == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + size_t(first) * Width, tile,
                       sizeof(tile));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
  }
}

int main() {
  const int count = 1 << 18;
  const size_t bytes = size_t(count) * Width * 16;
  Buffer table(bytes, 1), out(bytes, 2), index(count * sizeof(int), 3);
  std::vector<int> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(7));
  CHECK(cudaMemcpy(index.as<int>(), rows.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  work("gather", 2. * double(bytes), 0);
  kernel("gather", out, [&] {
    gather<<<count / Rows, Threads>>>(out.as<uint4>(), table.as<uint4>(), index.as<int>());
  });
  other("gather", "by-hand", out, [&] {
    gather_by_hand<<<count / Rows, 32>>>(out.as<uint4>(), table.as<uint4>(), index.as<int>());
  });
}
