// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `persist` brings: rows of 2 KiB that an index picks from a small table are added to a
// stream of others, which takes the table's place in L2 again and again. With a window on the
// table, in what the device sets aside by itself, and in as much as the table needs.

#include "bench.cuh"

#include <random>
#include <tilelift/persisting_l2.h>

constexpr int Width = 128, Rows = 8, Threads = 128; // 16 bytes each

__device__ inline void add(uint4 *out, const uint4 *in, const uint4 (&tile)[Rows][Width]) {
#pragma unroll
  for (int row = 0; row < Rows; ++row) {
    uint4 a = in[row * Width + threadIdx.x], b = tile[row][threadIdx.x];
    out[row * Width + threadIdx.x] = make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  }
}

__global__ void __launch_bounds__(Threads)
    passing(uint4 *__restrict__ out, const uint4 *__restrict__ in, const uint4 *__restrict__ table,
            const int *__restrict__ rows, int count) {
  __shared__ uint4 tile[Rows][Width];
  const size_t first = size_t(blockIdx.x) * Rows;
#pragma tma load
  for (int i = threadIdx.x; i < Rows * Width; i += Threads) {
    const int row = rows[first + i / Width];
    tile[i / Width][i % Width] =
        row >= 0 && row < count ? table[size_t(row) * Width + i % Width] : make_uint4(0, 0, 0, 0);
  }
  __syncthreads();
  add(out + first * Width, in + first * Width, tile);
}

__global__ void __launch_bounds__(Threads)
    resident(uint4 *__restrict__ out, const uint4 *__restrict__ in, const uint4 *__restrict__ table,
             const int *__restrict__ rows, int count) {
  __shared__ uint4 tile[Rows][Width];
  const size_t first = size_t(blockIdx.x) * Rows;
#pragma tma load persist(table)
  for (int i = threadIdx.x; i < Rows * Width; i += Threads) {
    const int row = rows[first + i / Width];
    tile[i / Width][i % Width] =
        row >= 0 && row < count ? table[size_t(row) * Width + i % Width] : make_uint4(0, 0, 0, 0);
  }
  __syncthreads();
  add(out + first * Width, in + first * Width, tile);
}

int main() {
  const int lines = 1 << 19;
  const size_t line = Width * 16, bytes = lines * line;
  Buffer in(bytes, 1), out(bytes, 2), index(lines * sizeof(int), 3);
  for (int megabytes : {8, 16, 32}) {
    const int count = megabytes << 9;
    Buffer table(count * line, 4);
    std::vector<int> rows(lines);
    std::mt19937 random(7);
    for (int &row : rows)
      row = int(random() % unsigned(count));
    CHECK(cudaMemcpy(index.as<int>(), rows.data(), lines * sizeof(int), cudaMemcpyHostToDevice));
    auto measured = [&](const char *how, bool stays) {
      const std::string name = how + std::to_string(megabytes);
      work(name.c_str(), 2. * double(bytes), 0);
      kernel(name.c_str(), out, [&] {
        if (stays)
          resident<<<lines / Rows, Threads>>>(out.as<uint4>(), in.as<uint4>(), table.as<uint4>(),
                                              index.as<int>(), count);
        else
          passing<<<lines / Rows, Threads>>>(out.as<uint4>(), in.as<uint4>(), table.as<uint4>(),
                                             index.as<int>(), count);
      });
    };
    measured("resident-none-", false);
    measured("resident-", true);
    tilelift::persisting_l2 room(table.size());
    measured("resident-room-", true);
  }
}
