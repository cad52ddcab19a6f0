// Blocks that wait for one another by an atomic operation that changes nothing: whoever only looks gives way.
//
// RUN: timeout 120 %run --plain --jobs=1 %s | FileCheck %s
// RUN: timeout 120 %run --plain --jobs=1 --seed=1 %s | FileCheck %s
// RUN: timeout 120 %run --plain --seed=2 %s | FileCheck %s

#include <cstdio>
#include <cuda_runtime.h>

enum { Add, Swap, Most };

// Each block has its turn; in the usual order, the last one that starts comes first.
template <int Look> __global__ void in_turn(unsigned *sums, unsigned *turn) {
  if (threadIdx.x == 0) {
    const unsigned mine = gridDim.x - 1 - blockIdx.x;
    while ((Look == Add    ? atomicAdd(turn, 0u)
            : Look == Swap ? atomicCAS(turn, ~0u, ~0u)
                           : atomicMax((int *)turn, -1)) != mine) {
    }
    __threadfence();
  }
  __syncthreads();
  sums[255 - threadIdx.x] = sums[255 - threadIdx.x] * 3 + blockIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    atomicExch(turn, gridDim.x - blockIdx.x);
}

template <int Look> void run(const char *name) {
  unsigned *sums, *turn, first;
  cudaMalloc((void **)&sums, 1024);
  cudaMalloc((void **)&turn, 4);
  cudaMemset(sums, 0, 1024);
  cudaMemset(turn, 0, 4);
  in_turn<Look><<<4, 256>>>(sums, turn);
  cudaMemcpy(&first, sums, 4, cudaMemcpyDeviceToHost);
  std::printf("%s: %u\n", name, first); // ((3 * 3 + 2) * 3 + 1) * 3
}

int main() {
  run<Add>("a sum");    // CHECK: a sum: 102
  run<Swap>("a swap");  // CHECK: a swap: 102
  run<Most>("a maximum"); // CHECK: a maximum: 102
}
