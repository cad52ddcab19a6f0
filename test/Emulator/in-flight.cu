// Global memory that is used while a copy reads it or a store writes it.
//
// RUN: %not 3 %run --plain --jobs=1 %s 2>%t.err >%t.out
// RUN: %FileCheck %s < %t.err
// RUN: %FileCheck --check-prefix=OUT %s < %t.out

#include <cstdio>
#include <cuda_runtime.h>
#include <tilelift/tilelift.cuh>

using box = tilelift::box<float, 32, 8>;

#define ARGUMENTS float *out, float *in, const __grid_constant__ CUtensorMap map
#define TILE                                                                                       \
  __shared__ tilelift::barrier ready;                                                              \
  __shared__ alignas(128) float tile[8][32];                                                       \
  unsigned phase = tilelift::begin(ready);

__device__ void load(void *tile, const CUtensorMap &map, int y, tilelift::barrier &ready) {
  if (tilelift::leader())
    tilelift::expect(ready, box::bytes), tilelift::load(tile, map, {0, y}, ready);
}

__device__ void fill(float (&tile)[8][32]) {
  for (int i = threadIdx.x; i < 256; i += 64)
    tile[i / 32][i % 32] = i;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

__device__ void store(const CUtensorMap &map, void *tile, int y, bool isSum = false) {
  unsigned from = unsigned(__cvta_generic_to_shared(tile));
  if (isSum)
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {0, %2}], [%1];"
                 ::"l"(&map), "r"(from), "r"(y) : "memory");
  else
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {0, %2}], [%1];"
                 ::"l"(&map), "r"(from), "r"(y) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void waitRead() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ void waitAll() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }

// CHECK-LABEL: case source written
// CHECK: [[@LINE+6]]:{{[0-9]+}}: error: write of 'in' while a copy may still read it: the copy was not waited for [source-changed]
// CHECK-NEXT: in kernel 'source_written', block (0, 0, 0), thread (0, 0, 0)
// CHECK-NEXT: {{.*}}in-flight.cu:[[#]]:{{[0-9]+}}: note: the copy is issued here
__global__ void source_written(ARGUMENTS) {
  TILE
  load(tile, map, 0, ready);
  in[threadIdx.x] = 1;
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// Whoever has waited may write, and others behind a barrier.
// CHECK-LABEL: case source written later
__global__ void source_written_later(ARGUMENTS) {
  TILE
  load(tile, map, 0, ready);
  tilelift::wait(ready, phase);
  in[threadIdx.x] = 1;
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// CHECK-LABEL: case source written by another block
// CHECK: error: write of 'in' + 4 bytes races with a copy by block (0, 0, 0): nothing orders the two blocks [global-race]
__global__ void by_another_block(ARGUMENTS) {
  TILE
  if (blockIdx.x == 0) {
    load(tile, map, 0, ready);
    tilelift::wait(ready, phase);
    out[threadIdx.x] = tile[0][threadIdx.x % 32];
  } else if (threadIdx.x == 1) {
    in[threadIdx.x] = 1;
  }
}

// A box may bring more than anybody reads: what happens to the rest is no race.
// CHECK-LABEL: case unused part written by the next block
// CHECK-LABEL: case unused part written by the block before
// CHECK-NOT: error:
template <int writer> __global__ void unused_written(ARGUMENTS) {
  TILE
  if (blockIdx.x == writer) {
    in[16 + threadIdx.x % 16] = 1 + threadIdx.x % 16;
  } else {
    load(tile, map, 0, ready);
    tilelift::wait(ready, phase);
    out[threadIdx.x] = tile[0][threadIdx.x % 16];
  }
}

// CHECK-LABEL: case used part written by the block before
// CHECK: error: copy of 'in' + 60 bytes races with a write by thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0): nothing orders the two blocks [global-race]
// CHECK-NEXT: in kernel 'used_written', block (1, 0, 0), thread (0, 0, 0)
__global__ void used_written(ARGUMENTS) {
  TILE
  if (blockIdx.x == 0) {
    in[15 + threadIdx.x % 16] = 1 + threadIdx.x % 16;
    asm volatile("fence.proxy.async;" ::: "memory");
  } else {
    load(tile, map, 0, ready);
    tilelift::wait(ready, phase);
    out[threadIdx.x] = tile[0][threadIdx.x % 16];
  }
}

// The writer is named, although it is the reader that makes it a race.
// CHECK-LABEL: case used after it was written
// CHECK: [[@LINE+13]]:{{[0-9]+}}: error: write of 'in' + 12 bytes races with a copy by block (0, 0, 0): nothing orders the two blocks [global-race]
// CHECK-NEXT: in kernel 'used_later', block (1, 0, 0), thread (3, 0, 0)
__global__ void used_later(ARGUMENTS) {
  TILE
  volatile float *flag = in + 1024;
  if (blockIdx.x == 0) {
    load(tile, map, 0, ready);
    tilelift::wait(ready, phase);
    while (*flag == 0)
      ;
    out[threadIdx.x] = tile[0][threadIdx.x % 32];
  } else {
    if (threadIdx.x == 3)
      in[threadIdx.x] = 1;
    __syncthreads();
    *flag = 1;
  }
}

// CHECK-LABEL: case source of bytes written
// CHECK: error: write of 'in' + 252 bytes while a copy may still read it: the copy was not waited for [source-changed]
__global__ void bytes_written(ARGUMENTS) {
  TILE
  if (tilelift::leader())
    tilelift::expect(ready, 256), tilelift::load_bytes(tile, in, 256, ready);
  if (threadIdx.x == 63)
    in[threadIdx.x] = 1;
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[threadIdx.x / 32][threadIdx.x % 32];
}

// CHECK-LABEL: case source of cp.async
// CHECK: error: write of 'in' while a copy may still read it: the copy was not waited for [source-changed]
__global__ void cp_async(ARGUMENTS) {
  __shared__ alignas(16) float tile[64];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.commit_group;" ::"r"(
                   unsigned(__cvta_generic_to_shared(tile + threadIdx.x))),
               "l"(in + threadIdx.x)
               : "memory");
  in[threadIdx.x] = 2;
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  out[threadIdx.x] = tile[threadIdx.x];
}

// That a store has read its tile does not say that it has written.
// CHECK-LABEL: case store read back
// CHECK: error: read of 'in' before the store to it was waited for [read-in-flight]
// CHECK: note: the store is issued here
__global__ void read_back(ARGUMENTS) {
  __shared__ alignas(128) float tile[8][32];
  fill(tile);
  if (tilelift::leader())
    store(map, tile, 0), waitRead();
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (tilelift::leader())
    waitAll();
}

// CHECK-LABEL: case store read back later
__global__ void read_back_later(ARGUMENTS) {
  __shared__ alignas(128) float tile[8][32];
  fill(tile);
  if (tilelift::leader())
    store(map, tile, 0), waitRead(), waitAll();
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  in[threadIdx.x] = 0;
}

// CHECK-LABEL: case target written
// CHECK: error: write of 'in' while a store to it is under way [write-in-flight]
__global__ void target_written(ARGUMENTS) {
  __shared__ alignas(128) float tile[8][32];
  fill(tile);
  if (tilelift::leader())
    store(map, tile, 0), waitRead();
  __syncthreads();
  in[threadIdx.x] = -1;
}

// CHECK-LABEL: case copied from the target
// CHECK: error: copy of 'in' before the store to it was waited for [read-in-flight]
__global__ void copied_back(ARGUMENTS) {
  __shared__ alignas(128) float source[8][32];
  TILE
  fill(source);
  if (tilelift::leader())
    store(map, source, 0), waitRead();
  load(tile, map, 0, ready);
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// CHECK-LABEL: case stored over the source
// CHECK: error: store to 'in' while a copy may still read it: the copy was not waited for [source-changed]
__global__ void stored_over(ARGUMENTS) {
  __shared__ alignas(128) float source[8][32];
  TILE
  fill(source);
  load(tile, map, 0, ready);
  if (tilelift::leader())
    store(map, source, 0), waitAll();
  tilelift::wait(ready, phase);
  out[threadIdx.x] = tile[0][threadIdx.x % 32];
}

// CHECK-LABEL: case stores of two blocks
// CHECK: error: store to 'in'{{.*}} races with a store by block (0, 0, 0): nothing orders the two blocks [global-race]
__global__ void two_stores(ARGUMENTS) {
  __shared__ alignas(128) float tile[8][32];
  for (int i = threadIdx.x; i < 256; i += 64)
    tile[i / 32][i % 32] = blockIdx.x + 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (tilelift::leader())
    store(map, tile, 0), waitAll();
}

// CHECK-LABEL: case the same stores of two blocks
__global__ void same_stores(ARGUMENTS) {
  __shared__ alignas(128) float tile[8][32];
  fill(tile);
  if (tilelift::leader())
    store(map, tile, 0), waitAll();
}

// CHECK-LABEL: case sums of two blocks
__global__ void sums(ARGUMENTS) {
  __shared__ alignas(128) float tile[8][32];
  fill(tile);
  if (tilelift::leader())
    store(map, tile, 0, true), waitAll();
}

float *in, *out;

template <typename Kernel>
void run(const char *name, Kernel kernel, unsigned blocks = 1, bool isTogether = false) {
  cudaMemset(in, 0, 64 * 64 * 4);
  tilelift::launch launch("test", {1, 64}, {64, 1, 1});
  CUtensorMap map = launch.map<box>(tilelift::element_type::f32, "tile", "in", in,
                                    {{32, "32"}, {64, "64", 128, "128"}});
  std::fprintf(stderr, "case %s\n", name);
  if (isTogether) {
    void *arguments[] = {&out, &in, &map};
    cudaLaunchCooperativeKernel(kernel, blocks, 64, arguments, 0, nullptr);
  } else {
    kernel<<<blocks, 64>>>(out, in, map);
  }
  std::printf("%s: %s\n", name, cudaGetErrorString(cudaDeviceSynchronize()));
}

int main() {
  cudaMalloc(&in, 64 * 64 * 4);
  cudaMalloc(&out, 64 * 4);
  run("source written", source_written);
  run("source written later", source_written_later);
  run("source written by another block", by_another_block, 2);
  run("unused part written by the next block", unused_written<1>, 2);
  run("unused part written by the block before", unused_written<0>, 2);
  run("used part written by the block before", used_written, 2);
  run("used after it was written", used_later, 2, true);
  run("source of bytes written", bytes_written);
  run("source of cp.async", cp_async);
  run("store read back", read_back);
  run("store read back later", read_back_later);
  run("target written", target_written);
  run("copied from the target", copied_back);
  run("stored over the source", stored_over);
  run("stores of two blocks", two_stores, 2);
  run("the same stores of two blocks", same_stores, 2);
  run("sums of two blocks", sums, 2);
  // OUT-COUNT-17: no error
  return 0;
}
