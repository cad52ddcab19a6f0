// A block copies to the shared memory of another one of its cluster, and then uses its own again.
//
// RUN: %not 3 %run --plain --jobs=1 %s 2>%t.err >%t.out
// RUN: %FileCheck %s < %t.err
// RUN: %FileCheck --check-prefix=OUT %s < %t.out

#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

__device__ uint32_t address_of(const void *place) { return uint32_t(__cvta_generic_to_shared(place)); }
__device__ uint32_t in_other_block(const void *place) {
  uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address_of(place)), "r"(blockIdx.x ^ 1));
  return there;
}
__device__ void meet() { asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory"); }

// Sends `from` to `to` of the other block, where `here` is the barrier that counts the bytes.
struct Exchange {
  uint64_t &here;

  __device__ void begin() {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(address_of(&here))
                   : "memory");
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(address_of(&here)) : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    meet();
  }
  __device__ void send(float *to, const float *from) {
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                     in_other_block(to)),
                 "r"(address_of(from)), "r"(in_other_block(&here))
                 : "memory");
  }
  __device__ void wait() {
    uint32_t done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(address_of(&here))
                   : "memory");
  }
};

// CHECK-LABEL: case at once
// CHECK: [[@LINE+9]]:{{[0-9]+}}: error: write of 'mine' + 20 bytes while a store may still read it: its group was not waited for [source-changed]
__global__ void at_once(float *out) {
  __shared__ alignas(8) uint64_t full;
  __shared__ alignas(16) float mine[64], theirs[64];
  mine[threadIdx.x] = threadIdx.x + 1000 * blockIdx.x;
  Exchange exchange{full};
  exchange.begin();
  if (threadIdx.x == 0) {
    exchange.send(theirs, mine);
    mine[5] = -1;
  }
  exchange.wait();
  out[blockIdx.x * 64 + threadIdx.x] = theirs[threadIdx.x];
  meet();
}

// The other block has waited for the bytes, and said so.
// CHECK-LABEL: case behind the other's barrier
// CHECK-NOT: error:
__global__ void behind(float *out) {
  __shared__ alignas(8) uint64_t full;
  __shared__ alignas(16) float mine[64], theirs[64];
  mine[threadIdx.x] = threadIdx.x + 1000 * blockIdx.x;
  Exchange exchange{full};
  exchange.begin();
  if (threadIdx.x == 0)
    exchange.send(theirs, mine);
  exchange.wait();
  meet();
  mine[threadIdx.x] = -1;
  out[blockIdx.x * 64 + threadIdx.x] = theirs[threadIdx.x];
}

template <typename Kernel> void run(const char *name, Kernel kernel) {
  float *out, got[128];
  cudaMalloc(&out, sizeof got);
  std::fprintf(stderr, "case %s\n", name);
  cudaLaunchConfig_t config = {};
  config.gridDim = 2;
  config.blockDim = 64;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  std::printf("%s: %s, %g and %g\n", name, cudaGetErrorString(cudaGetLastError()), got[9], got[73]);
}

int main() {
  run("at once", at_once);
  // OUT: behind the other's barrier: no error, 1009 and 9
  run("behind the other's barrier", behind);
  return 0;
}
