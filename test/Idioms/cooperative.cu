// Launches of blocks that wait for each other.
//
// RUN: env TILELIFT_VERBOSE=1 %run --compare --remarks %s 2>&1 | %FileCheck %s
// CHECK-NOT: is no launch
// CHECK: cooperative.cu:[[#]]:3: remark: lifted: tile copy of 64 f32 (256 bytes) from 'in' to 'tile'
// CHECK: tilelift: neighbours: TMA
// CHECK: tilelift: neighbours: TMA
// CHECK: tilelift: neighbours: plain, the {{[0-9]+}} blocks of a cooperative launch have to run at once, of the lifted kernel {{[0-9]+}} do [cooperative-grid]
// CHECK-NOT: tilelift:
//
// RUN: %tilelift %s -o - 2>/dev/null | %FileCheck %s --check-prefix=TEXT
// TEXT: ::tilelift::launch_with(neighbours_tma_launch, ::tilelift::cooperative(grid, 64, bytes, stream), arguments)
// TEXT: ::tilelift::launch_with(neighbours_tma_launch, ::tilelift::cooperative(dim3(4), dim3(64)), arguments)

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "Inputs/numbers.h"

__global__ void neighbours(float *out, const float *in, int n) {
  __shared__ float tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
#pragma tma load
  tile[threadIdx.x] = i < n ? in[i] : 0.f;
  __syncthreads();
  out[i] = tile[63 - threadIdx.x];
  cooperative_groups::this_grid().sync();
  float next = out[(i + 64) % (gridDim.x * 64)];
  cooperative_groups::this_grid().sync();
  out[i] += next;
}

void launch(unsigned blocks, size_t bytes, cudaStream_t stream) {
  float *out = numbers(blocks * 64);
  const float *in = numbers(blocks * 64);
  int n = int(blocks) * 64 - 17;
  void *arguments[] = {&out, &in, &n};
  dim3 grid(blocks);
  cudaLaunchCooperativeKernel((const void *)neighbours, grid, 64, arguments, bytes, stream);
}

int main() {
  launch(7, 0, nullptr);
  float *out = numbers(256);
  const float *in = numbers(256);
  int n = 250;
  void *arguments[] = {&out, &in, &n};
  cudaLaunchCooperativeKernel(neighbours, dim3(4), dim3(64), arguments);

  // Two plain blocks fill a processor's shared memory to the last byte.
  int processors = 0, all = 0, reserved = 0;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
  cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, 0);
  int bytes = all / 2 - reserved - 256;
  cudaFuncSetAttribute(neighbours, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  launch(2 * processors, bytes, nullptr);
  return finish();
}
