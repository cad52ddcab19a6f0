// Mistakes of ordinary kernels, and what a program sees of them.
//
// RUN: %not 3 %run --plain %s 2>%t.err >%t.out
// RUN: %FileCheck %s < %t.err
// RUN: %FileCheck --check-prefix=OUT %s < %t.out

#include <cstdio>
#include <cuda_runtime.h>

// CHECK-LABEL: case write past the end
// CHECK: [[@LINE+4]]:{{[0-9]+}}: error: write of 4 bytes at 'out' + 256 bytes, which has 256 [out-of-range]
// CHECK-NEXT: in kernel 'past_end', block (1, 0, 0), thread (0, 0, 0)
// OUT: write past the end: an illegal memory access was encountered
__global__ void past_end(float *out, const float *in) {
  out[blockIdx.x * 64 + threadIdx.x] = in[0];
}

// CHECK-LABEL: case host pointer
// CHECK: error: read of 4 bytes at 0x{{[0-9a-f]+}}, which is no memory of the device [out-of-range]
__global__ void host_pointer(float *out, const float *in) { out[threadIdx.x] = *in; }

// CHECK-LABEL: case null pointer
// CHECK: error: read of 4 bytes at the null pointer + 8 bytes [out-of-range]
__global__ void null_pointer(float *out, const float *in) { out[threadIdx.x] = in[2]; }

// CHECK-LABEL: case released memory
// CHECK: error: read of 4 bytes at 0x{{[0-9a-f]+}}, in memory of 64 bytes that was released [out-of-range]
__global__ void released(float *out, const float *in) { out[threadIdx.x] = in[2]; }

// CHECK-LABEL: case shared out of range
// CHECK: error: write of 4 bytes at byte 1028 of shared memory, which has 1028 [out-of-range]
__global__ void shared_range(float *out, const float *) {
  __shared__ float tile[257];
  tile[threadIdx.x] = tile[threadIdx.x + 64] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
  __syncthreads();
  tile[threadIdx.x * 4 + int(out[threadIdx.x]) * 5] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

// CHECK-LABEL: case misaligned
// CHECK: error: read of {{16|8}} bytes at 'in' + {{12|4}} bytes is not aligned to {{16|8}} bytes [misaligned]
// OUT: misaligned: misaligned address
__global__ void unaligned(float *out, const float *in) {
  *reinterpret_cast<float4 *>(out) = *reinterpret_cast<const float4 *>(in + 1);
}

// CHECK-LABEL: case race
// CHECK: [[@LINE+6]]:{{[0-9]+}}: error: read of 'tile' + 252 bytes races with a write by thread (63, 0, 0): no barrier orders the two [race]
// CHECK-NEXT: in kernel 'racy', block (0, 0, 0), thread (0, 0, 0)
// CHECK: [[@LINE+3]]:{{[0-9]+}}: note: the write is here
__global__ void racy(float *out, const float *in) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = threadIdx.x == 0 ? (__syncwarp(1), tile[63]) : 0;
}

// CHECK-LABEL: case uninitialised
// CHECK: error: read of 'tile' + 128 bytes, which nobody has written [uninitialised-read]
__global__ void uninitialised(float *out, const float *in) {
  __shared__ float tile[64];
  if (threadIdx.x < 32)
    tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

// CHECK-LABEL: case divergent barrier
// CHECK: error: 32 of 64 threads wait at barrier 1 forever: the others do not come [never-completes]
// CHECK: error: 32 of 64 threads wait at barrier 2 forever: the others do not come [never-completes]
// OUT: divergent barrier: the launch timed out and was terminated
__global__ void divergent(float *out, const float *) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
  out[threadIdx.x] = 1;
}

// CHECK-LABEL: case missing lanes
// CHECK: error: 16 of 64 threads wait at barrier 1 forever: the others do not come [never-completes]
// CHECK: error: 16 of 64 threads wait for other lanes of their warp forever: some lanes of the mask do not come [never-completes]
__global__ void lanes(float *out, const float *) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = __shfl_sync(~0u, threadIdx.x, 1);
  else if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory");
}

// CHECK-LABEL: case assertion
// CHECK: plain-mistakes.cu:{{[0-9]+}}: {{.*}}: block: [0,0,0], thread: [5,0,0] Assertion `threadIdx.x != 5` failed.
// OUT: assertion: device-side assert triggered
#include <cassert>
__global__ void assertion(float *, const float *) { assert(threadIdx.x != 5); }

// CHECK-LABEL: case trap
// CHECK: error: the kernel stops itself with a trap [trap]
__global__ void trap(float *, const float *) { __trap(); }

// CHECK-LABEL: case unknown instruction
// CHECK: error: the emulator cannot run 'wgmma.fence.sync.aligned' [not-emulated]
__global__ void unknown(float *, const float *) { asm volatile("wgmma.fence.sync.aligned;"); }

float *in, *out;

template <typename Kernel>
void run(const char *name, Kernel kernel, unsigned blocks = 1, const float *from = in) {
  std::fprintf(stderr, "case %s\n", name);
  kernel<<<blocks, 64>>>(out, from);
  std::printf("%s: %s\n", name, cudaGetErrorString(cudaDeviceSynchronize()));
  cudaDeviceReset(); // errors of kernels are sticky
  cudaMalloc(&in, 64 * 4);
  cudaMalloc(&out, 64 * 4);
}

int main() {
  cudaMalloc(&in, 64 * 4);
  cudaMalloc(&out, 64 * 4);
  run("write past the end", past_end, 2);
  static float own = 1;
  run("host pointer", host_pointer, 1, &own);
  run("null pointer", null_pointer, 1, nullptr);
  float *gone;
  cudaMalloc(&gone, 64);
  cudaFree(gone);
  run("released memory", released, 1, gone);
  run("shared out of range", shared_range);
  run("misaligned", unaligned);
  run("race", racy);
  run("uninitialised", uninitialised);
  run("divergent barrier", divergent);
  run("missing lanes", lanes);
  run("assertion", assertion);
  run("trap", trap);
  run("unknown instruction", unknown);
  return 0;
}
