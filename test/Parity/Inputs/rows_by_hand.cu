// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four rows of a (64, 64) tensor of halves through gather4, shared memory and scatter4, as
// somebody writes it who does without tilelift but for its instructions.

#include <cuda.h>
#include <cuda_runtime.h>
#include <tilelift/tilelift.cuh>

#include <cstdio>
#include <vector>

#ifndef ROWS
#define ROWS 4
#endif

using half_bits = unsigned short;
constexpr int Height = 64, Width = 64;

template <int Columns>
__global__ void round_trip(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                           const int *__restrict__ indices, int column) {
  alignas(1024) __shared__ half_bits tile[4][Columns];
  __shared__ tilelift::barrier ready;
  unsigned phase = 0;
  constexpr unsigned bytes = tilelift::gather4_bytes<Columns, tilelift::element_type::f16>;
  static_assert(bytes == sizeof(tile), "");
  int rows[ROWS];
  for (int i = 0; i < ROWS; ++i)
    rows[i] = indices[i];
  if (threadIdx.x == 0) {
    tilelift::set_up(ready);
    tilelift::expect(ready, bytes);
    tilelift::gather4(tile, from, column, rows, ready, tilelift::cache_policy::evict_first);
  }
  __syncthreads();
  tilelift::wait(ready, phase);
  if (threadIdx.x == 0) {
    tilelift::scatter4(to, column, rows, tile);
    tilelift::commit_stores();
    tilelift::finish_stores();
  }
}

CUtensorMap map_of(half_bits *table, int columns, CUtensorMapSwizzle swizzle) {
  CUtensorMap map{};
  void *encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
  const cuuint64_t extents[] = {Width, Height}, strides[] = {Width * 2};
  const cuuint32_t box[] = {cuuint32_t(columns), 1}, steps[] = {1, 1};
  auto result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, table, extents, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    std::printf("error %d\n", int(result));
  return map;
}

template <int Columns> void test(half_bits *table, half_bits *to, int *indices, CUtensorMapSwizzle swizzle) {
  cudaMemset(to, 0, Height * Width * 2);
  round_trip<Columns><<<1, 32>>>(map_of(table, Columns, swizzle), map_of(to, Columns, swizzle), indices, 0);
  std::vector<half_bits> got(Height * Width), numbers(Height * Width);
  cudaMemcpy(got.data(), to, got.size() * 2, cudaMemcpyDeviceToHost);
  cudaMemcpy(numbers.data(), table, got.size() * 2, cudaMemcpyDeviceToHost);
  int right = 0;
  for (int i = 0; i < Height * Width; ++i) {
    const int row = i / Width;
    const bool copied = (row == 5 || row == 0 || row == 63 || row == 31) && i % Width < Columns;
    right += got[i] == (copied ? numbers[i] : 0);
  }
  std::printf("%d columns: %d of %d are right\n", Columns, right, Height * Width);
}

int main() {
  std::vector<half_bits> numbers(Height * Width);
  for (int i = 0; i < Height * Width; ++i)
    numbers[i] = half_bits(i * 13 + 7);
  const int rows[4] = {5, 0, 63, 31};
  half_bits *table, *to;
  int *indices;
  cudaMalloc(&table, numbers.size() * 2);
  cudaMalloc(&to, numbers.size() * 2);
  cudaMalloc(&indices, sizeof rows);
  cudaMemcpy(table, numbers.data(), numbers.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(indices, rows, sizeof rows, cudaMemcpyHostToDevice);
  test<64>(table, to, indices, CU_TENSOR_MAP_SWIZZLE_128B);
  test<32>(table, to, indices, CU_TENSOR_MAP_SWIZZLE_64B);
  test<16>(table, to, indices, CU_TENSOR_MAP_SWIZZLE_32B);
  return cudaDeviceSynchronize() != cudaSuccess;
}
