// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long an SM takes for copies of single rows that come from L2: boxes and bulk copies of
// several lengths, which one thread asks for, or all lanes of a warp.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -Iruntime/include -Itest/gpu -Ibench bench/single_rows.cu

#include "by_hand.cuh"

#include <tilelift/tilelift.cuh>

constexpr int STAGES = 4, ROUNDS = 2000, TABLE = 4096, INDICES = 1024, BLOCKS = 132;

template <int Rows, unsigned Bytes, bool IsBox, int Lanes>
__global__ void rows_of(const char *table, const int *indices,
                        const __grid_constant__ CUtensorMap map, char *out) {
  extern __shared__ __align__(1024) char memory[];
  __shared__ tilelift::barrier full[STAGES];
  tilelift::begin(full);
  for (int round = 0; round < ROUNDS + STAGES - 1; ++round) {
    const int slot = round % STAGES, before = round - (STAGES - 1);
    char *tile = memory + slot * int(Rows * Bytes);
    if (round < ROUNDS) {
      if (threadIdx.x == 0)
        tilelift::expect(full[slot], Rows * Bytes);
      __syncwarp();
    }
    if (round < ROUNDS && int(threadIdx.x) < Lanes) {
      auto index = [&](int row) { return indices[(round * Rows + row) % INDICES]; };
      if constexpr (IsBox)
        tilelift::load_rows<Rows, Bytes, Lanes>(
            tile, Bytes, map, full[slot],
            [&](int row) -> tilelift::corner<2> { return {{0, index(row)}}; });
      else
        tilelift::load_byte_rows<Rows, Bytes, Lanes>(
            tile, Bytes, full[slot],
            [&](int row) -> const void * { return table + index(row) * size_t(Bytes); });
    }
    if (before >= 0) {
      unsigned phase = before / STAGES % 2;
      tilelift::wait(full[before % STAGES], phase);
    }
    __syncwarp();
  }
  out[blockIdx.x * 32 + threadIdx.x] = memory[threadIdx.x];
}

template <int Rows, unsigned Bytes, bool IsBox, int Lanes>
void measure(const Buffer &table, const Buffer &indices, const Buffer &out) {
  CUtensorMap map =
      by_hand::map_of(table.as<float>(), {int(Bytes / 4), TABLE}, {IsBox ? int(Bytes / 4) : 4, 1});
  auto kernel = rows_of<Rows, Bytes, IsBox, Lanes>;
  const int memory = STAGES * int(Rows * Bytes);
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, memory));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times(9);
  for (float &ms : times) {
    CHECK(cudaEventRecord(begin));
    kernel<<<BLOCKS, 32, memory>>>(table.as<char>(), indices.as<int>(), map, out.as<char>());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
  }
  std::sort(times.begin(), times.end());
  const double ns = times[times.size() / 2] * 1e6 / ROUNDS / Rows;
  std::printf("%s of %u bytes by %d: %.1f ns each, %.2f TB/s\n", IsBox ? "boxes" : "bytes", Bytes,
              Lanes, ns, BLOCKS * Bytes / ns / 1e3);
}

int main() {
  Buffer table(TABLE * 2048, 1), indices(INDICES * 4, 2), out(BLOCKS * 32, 3);
  std::vector<int> picked(INDICES);
  for (int i = 0; i < INDICES; ++i)
    picked[i] = int(i * 2654435761u % TABLE);
  CHECK(cudaMemcpy(indices.as<int>(), picked.data(), INDICES * 4, cudaMemcpyHostToDevice));
  measure<64, 128, true, 1>(table, indices, out);
  measure<64, 128, true, 32>(table, indices, out);
  measure<64, 128, false, 1>(table, indices, out);
  measure<64, 128, false, 32>(table, indices, out);
  measure<64, 256, true, 32>(table, indices, out);
  measure<64, 512, true, 32>(table, indices, out);
  measure<64, 512, false, 32>(table, indices, out);
  measure<16, 1024, true, 32>(table, indices, out);
  measure<16, 1024, false, 32>(table, indices, out);
}
