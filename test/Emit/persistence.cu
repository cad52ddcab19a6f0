// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: env TILELIFT_VERBOSE=1 %run -I%runtime -DPROGRAM %s 2>&1 | %FileCheck %s --check-prefix=SAYS
//
// A tensor stays in L2 while a kernel runs: a window of the launch that reaches as far as its
// copies do, in every host, and as much of the cache as the program sets aside around them.

#include <cstdio>
#ifdef PROGRAM
#include <tilelift/persisting_l2.h>
#endif

// CHECK-LABEL: static cudaError_t look_up_tma_launch(
// CHECK: launch.persist("table", 0.5);
// CHECK-NEXT: CUtensorMap tile_map = launch.map<
// CHECK: if (launch.can_lift(
__global__ void look_up(float *out, const float *table, int w, int h) {
  __shared__ float tile[8][32];
  int t = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
#pragma tma load persist(table, 0.5)
  tile[t / 32][t % 32] = x0 + t % 32 < w && y0 + t / 32 < h ? table[(y0 + t / 32) * w + x0 + t % 32] : 0.f;
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + t] = tile[7 - t / 32][t % 32];
}

// Nothing bounds it: as much as one window holds.
__global__ void unbounded(float *out, const float *table) {
  __shared__ float part[256];
#pragma tma load persist(table)
  part[threadIdx.x] = table[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = part[255 - threadIdx.x];
}

// In clusters, where the launch has an attribute already.
__global__ void shared(float *out, const float *table) {
  __shared__ float part[256];
#pragma tma load persist(table) multicast(x)
  part[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = part[255 - threadIdx.x];
}

static size_t set_aside() {
  size_t bytes = 0;
  cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize);
  return bytes;
}

int main() {
  float *out, *table;
  cudaMalloc(&out, 1 << 16);
  cudaMalloc(&table, 1 << 16);
  cudaMemset(table, 1, 1 << 16);
  // SAYS: set aside 11796480
  std::printf("set aside %zu\n", set_aside());
  std::fflush(stdout);
  {
#ifdef PROGRAM
    tilelift::persisting_l2 room(20000000), all(size_t(1) << 40);
    // SAYS-NEXT: set aside 23592960 39321600
    std::printf("set aside %zu %zu\n", room.bytes(), all.bytes());
    std::fflush(stdout);
#endif
    // SAYS-NEXT: tilelift: look_up: TMA, keeps 8192 bytes of 'table' in L2
    look_up<<<dim3(2, 4), 256>>>(out, table, 64, 32);
    // SAYS-NEXT: tilelift: look_up: plain, the stride of 'table' in dimension 1 is 252 (w * 4) bytes, which is no multiple of 16 [stride-16]
    look_up<<<dim3(2, 4), 256>>>(out, table, 63, 32);
    // SAYS-NEXT: tilelift: unbounded: TMA, keeps 134217728 bytes of 'table' in L2
    unbounded<<<2, 256>>>(out, table);
    // SAYS-NEXT: tilelift: shared: TMA, keeps 134217728 bytes of 'table' in L2
    shared<<<4, 256>>>(out, table);
  }
  // SAYS-NEXT: set aside 11796480
  std::printf("set aside %zu\n", set_aside());
  cudaDeviceSynchronize();
  return 0;
}
