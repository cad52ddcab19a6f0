//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs operations on the TMA unit, one block or one cluster each, many a launch,
// and hands back every byte that they could have changed.
//
// Knows nothing of the model's opinion: what to run and what to expect comes
// from outside.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEST_CONFORMANCE_HARDWARE_CUH
#define TILELIFT_TEST_CONFORMANCE_HARDWARE_CUH

#include "Audience.h"
#include "Descriptor.h"
#include "Instructions.cuh"

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace tilelift::conformance {

/// Ends the process with the name of the error, which is what a test of faults
/// reads.
inline void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::printf("error %s\n", cudaGetErrorName(error));
  std::fflush(stdout);
  std::_Exit(3);
}

struct Operation {
  bool bulk = false;
  TensorCopy tensor;
  BulkCopy untyped;
  Audience audience;
  uint32_t expected[mostPeers] = {}; ///< bytes that each block's barrier waits for

  __host__ __device__ Transfer transfer() const {
    return bulk ? untyped.transfer : tensor.transfer;
  }
};

enum class Outcome : uint32_t { Completed, NeverCompleted, MoreBytesThanExpected };

/// As many maps as fit well in a kernel's parameters, where they are guaranteed
/// to be seen.
constexpr int batchSize = 128;

struct Maps {
  CUtensorMap map[batchSize];
};

inline __device__ bool waitFor(uint32_t barrier, uint32_t parity) {
  for (int i = 0; i < 2000; ++i) {
    uint32_t done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    if (done)
      return true;
  }
  return false;
}

inline __device__ void issue(const Operation &operation, const void *map, uint32_t window,
                             uint32_t barrier) {
  TensorCopy tensor = operation.tensor;
  tensor.shared += window;
  const BulkCopy &untyped = operation.untyped;
  const uint16_t mask = operation.audience.mask;
  if (operation.transfer() == Transfer::Load) {
    if (operation.bulk)
      load(untyped, window + uint32_t(untyped.targetAddress), barrier, mask);
    else
      load(tensor, map, tensor.shared, barrier, mask);
    return;
  }
  if (operation.transfer() == Transfer::Prefetch)
    return prefetch(tensor, map);
  uint32_t source = window + uint32_t(untyped.sourceAddress);
  if (operation.bulk)
    operation.transfer() == Transfer::Store ? store(untyped, source) : reduce(untyped, source);
  else if (operation.transfer() == Transfer::Store)
    store(tensor, map, tensor.shared);
  else
    reduce(tensor, map, tensor.shared);
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

/// Whether bytes arrive at the barrier although its phase is complete: they
/// would keep the next one from completing.
inline __device__ bool isQuiet(uint32_t barrier) {
  __nanosleep(1000);
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
  return waitFor(barrier, 1);
}

inline __device__ void waitForCluster() {
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

inline __device__ uint32_t rankInCluster() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// A block of cluster i performs operations[i]. Each block has a window of shared
/// memory, which starts on a multiple of 1024 bytes; a multiple of 16 bytes is
/// copied in and out.
static __global__ void perform(const __grid_constant__ Maps maps, const Operation *operations,
                               uint32_t peers, uint8_t *windows, uint32_t windowBytes,
                               Outcome *outcomes) {
  extern __shared__ uint8_t dynamicShared[];
  __shared__ alignas(8) uint64_t barrierStorage;
  uint32_t barrier = uint32_t(__cvta_generic_to_shared(&barrierStorage));
  uint32_t start = uint32_t(__cvta_generic_to_shared(dynamicShared));
  uint32_t padding = (1024 - start % 1024) % 1024;
  uint4 *window = reinterpret_cast<uint4 *>(dynamicShared + padding);
  uint4 *image = reinterpret_cast<uint4 *>(windows + size_t(blockIdx.x) * windowBytes);
  for (uint32_t i = threadIdx.x; i < windowBytes / 16; i += blockDim.x)
    window[i] = image[i];
  if (threadIdx.x == 0)
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(barrier)
        : "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
  const Operation &operation = operations[blockIdx.x / peers];
  const uint32_t rank = rankInCluster();
  if (threadIdx.x == 0)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(operation.expected[rank])
                 : "memory");
  waitForCluster();

  if (threadIdx.x == 0 && rank == operation.audience.speaker)
    issue(operation, &maps.map[blockIdx.x / peers], start + padding, barrier);
  bool completed = waitFor(barrier, 0);
  if (threadIdx.x == 0)
    outcomes[blockIdx.x] = !completed          ? Outcome::NeverCompleted
                           : !isQuiet(barrier) ? Outcome::MoreBytesThanExpected
                                               : Outcome::Completed;
  waitForCluster();
  for (uint32_t i = threadIdx.x; i < windowBytes / 16; i += blockDim.x)
    image[i] = window[i];
}

/// Memory for a batch, on both sides. Operation i owns the i-th region of
/// global memory, and its cluster's blocks the windows of shared memory from
/// i * peers on; the host sees what they were in `before` and what became of them
/// in `after`.
class Hardware {
public:
  static constexpr uint32_t maxRegion = 512 << 10;
  static constexpr uint32_t maxWindow = 224 << 10;

  /// For batches of at most so many operations, each of a cluster of so many blocks.
  explicit Hardware(int most, int peers = 1) : peers(peers) {
    check(cudaMalloc(&deviceRegions, size_t(most) * maxRegion));
    check(cudaMalloc(&deviceWindows, size_t(most) * peers * maxWindow));
    check(cudaMalloc(&deviceOperations, sizeof(operations)));
    check(cudaMalloc(&deviceOutcomes, sizeof(outcomes)));
    for (Image *image : {&before, &after}) {
      image->regions.resize(size_t(most) * maxRegion);
      image->windows.resize(size_t(most) * peers * maxWindow);
    }
    check(cudaFuncSetAttribute(perform, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               maxWindow + 1024));
    tiled = reinterpret_cast<decltype(tiled)>(function("cuTensorMapEncodeTiled", 12000));
    im2col = reinterpret_cast<decltype(im2col)>(function("cuTensorMapEncodeIm2col", 12000));
    wide = reinterpret_cast<decltype(wide)>(function("cuTensorMapEncodeIm2colWide", 12080));
  }

  /// The device address of the region of operation `i`, if all have so many bytes.
  uint64_t regionAddress(int i, uint32_t regionBytes) const {
    return reinterpret_cast<uint64_t>(deviceRegions) + uint64_t(i) * regionBytes;
  }

  /// Works only in the thread that this was made in: others have no context.
  CUresult encode(const Descriptor &d, CUtensorMap &map) const {
    CUtensorMapDataType type = CUtensorMapDataType(d.type);
    void *address = reinterpret_cast<void *>(d.address);
    CUtensorMapInterleave interleave = CUtensorMapInterleave(d.interleave);
    CUtensorMapSwizzle swizzle = CUtensorMapSwizzle(d.swizzle);
    CUtensorMapL2promotion promotion = CUtensorMapL2promotion(d.promotion);
    CUtensorMapFloatOOBfill fill = CUtensorMapFloatOOBfill(d.fill);
    switch (d.mode) {
    case MapMode::Tiled:
      return tiled(&map, type, d.rank, address, d.extents, d.strides, d.box, d.elementStrides,
                   interleave, swizzle, promotion, fill);
    case MapMode::Im2col:
      return im2col(&map, type, d.rank, address, d.extents, d.strides, d.lower, d.upper, d.channels,
                    d.pixels, d.elementStrides, interleave, swizzle, promotion, fill);
    default:
      return wide(&map, type, d.rank, address, d.extents, d.strides, d.lower[0], d.upper[0],
                  d.channels, d.pixels, d.elementStrides, interleave,
                  d.mode == MapMode::Im2colW ? CU_TENSOR_MAP_IM2COL_WIDE_MODE_W
                                             : CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128,
                  swizzle, promotion, fill);
    }
  }

  /// Performs the first `count` operations.
  void run(int count, uint32_t regionBytes, uint32_t windowBytes) {
    const size_t regions = size_t(count) * regionBytes;
    const size_t windows = size_t(count) * peers * windowBytes;
    check(cudaMemcpy(deviceRegions, before.regions.data(), regions, cudaMemcpyHostToDevice));
    check(cudaMemcpy(deviceWindows, before.windows.data(), windows, cudaMemcpyHostToDevice));
    check(cudaMemcpy(deviceOperations, operations, sizeof(operations), cudaMemcpyHostToDevice));
    cudaLaunchAttribute cluster = {cudaLaunchAttributeClusterDimension};
    cluster.val.clusterDim = {unsigned(peers), 1, 1};
    const cudaLaunchConfig_t launch = {
        unsigned(count * peers), 128, windowBytes + 1024, nullptr, &cluster, 1};
    check(cudaLaunchKernelEx(&launch, perform, maps, deviceOperations, uint32_t(peers),
                             deviceWindows, windowBytes, deviceOutcomes));
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(after.regions.data(), deviceRegions, regions, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(after.windows.data(), deviceWindows, windows, cudaMemcpyDeviceToHost));
    check(cudaMemcpy(outcomes, deviceOutcomes, sizeof(outcomes), cudaMemcpyDeviceToHost));
  }

  struct Image {
    std::vector<uint8_t> regions, windows;
  };
  const int peers;
  Image before, after;
  Maps maps = {};
  Operation operations[batchSize];
  Outcome outcomes[batchSize * mostPeers] = {}; ///< of each block

private:
  static void *function(const char *name, unsigned version) {
    void *found = nullptr;
    check(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault));
    return found;
  }

  uint8_t *deviceRegions = nullptr, *deviceWindows = nullptr;
  Operation *deviceOperations = nullptr;
  Outcome *deviceOutcomes = nullptr;
  decltype(&cuTensorMapEncodeTiled) tiled = nullptr;
  decltype(&cuTensorMapEncodeIm2col) im2col = nullptr;
  decltype(&cuTensorMapEncodeIm2colWide) wide = nullptr;
};

} // namespace tilelift::conformance

#endif
