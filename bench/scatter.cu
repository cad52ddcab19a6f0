// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that go where an index says, as those of sorted tokens go back: tiles of four shapes, from
// few long rows to many short ones. Nobody promises that two rows of a tile go to different
// places, so lifted code asks.

#include "bench.cuh"

#include <numeric>
#include <random>

constexpr int Threads = 256;

template <int Rows, int Width>
__global__ void __launch_bounds__(Threads)
    scatter(uint4 *__restrict__ out, const uint4 *__restrict__ in, const int *__restrict__ rows) {
  __shared__ uint4 tile[Rows][Width];
  const int first = blockIdx.x * Rows;
#pragma tma load
  for (int i = threadIdx.x; i < Rows * Width; i += Threads)
    tile[i / Width][i % Width] = in[size_t(first) * Width + i];
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < Rows * Width; i += Threads)
    out[size_t(rows[first + i / Width]) * Width + i % Width] = tile[i / Width][i % Width];
}

template <int Rows, int Width> void measureRows(const char *name) {
  const int count = (1 << 28) / (Width * 16);
  const size_t bytes = size_t(count) * Width * 16;
  Buffer in(bytes, 1), out(bytes, 2), index(count * sizeof(int), 3);
  std::vector<int> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(7));
  CHECK(cudaMemcpy(index.as<int>(), rows.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  work(name, 2. * double(bytes), 0);
  kernel(name, out, [&] {
    scatter<Rows, Width><<<count / Rows, Threads>>>(out.as<uint4>(), in.as<uint4>(), index.as<int>());
  });
}

int main() {
  measureRows<16, 32>("scatter_16x512");
  measureRows<32, 32>("scatter_32x512");
  measureRows<64, 16>("scatter_64x256");
  measureRows<128, 8>("scatter_128x128");
}
