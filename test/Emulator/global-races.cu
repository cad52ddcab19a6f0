// Races in global memory, between threads of a block and between blocks, and what is none.
//
// RUN: %not 3 %run --plain --jobs=1 %s 2>%t.err >%t.out
// RUN: %FileCheck %s < %t.err
// RUN: %FileCheck --check-prefix=OUT %s < %t.out
// RUN: %not 3 %run --plain --jobs=2 %s 2>%t.parallel
// RUN: FileCheck --check-prefix=PARALLEL %s < %t.parallel
// PARALLEL-COUNT-10: error: {{.*}} [global-race]
// RUN: %run --plain -Wno-global-race %s 2>%t.silent
// RUN: %FileCheck --check-prefix=SILENT %s < %t.silent
// SILENT: case in place
// SILENT-NOT: error:

#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

// CHECK-LABEL: case in place
// CHECK: [[@LINE+5]]:{{[0-9]+}}: error: {{read|write}} of 'data' + {{[0-9]+}} bytes races with a {{read|write}} by thread ({{[0-9]+}}, 0, 0): no barrier orders the two [global-race]
// CHECK-NEXT: in kernel 'in_place', block (0, 0, 0), thread ({{[0-9]+}}, 0, 0)
// CHECK-NEXT: [[@LINE+3]]:{{[0-9]+}}: note: the {{read|write}} is here
__global__ void in_place(int *data, int *) {
  int i = threadIdx.x + 1;
  data[i] = data[i - 1] + 1;
}

// CHECK-LABEL: case read of another block's
// CHECK: [[@LINE+6]]:{{[0-9]+}}: error: read of 'data' races with a write by thread (0, 0, 0) of block (0, 0, 0): nothing orders the two blocks [global-race]
// CHECK-NEXT: in kernel 'other_block', block (1, 0, 0), thread (0, 0, 0)
// CHECK-NEXT: [[@LINE+2]]:{{[0-9]+}}: note: the write is here
__global__ void other_block(int *data, int *more) {
  data[blockIdx.x * 64 + threadIdx.x] = 5;
  if (blockIdx.x == 1 && threadIdx.x == 0)
    more[0] = data[0];
}

// CHECK-LABEL: case overwritten by another block
// CHECK: error: write of 'data' + 4 bytes races with a write by thread (1, 0, 0) of block (0, 0, 0): nothing orders the two blocks [global-race]
// CHECK-NEXT: in kernel 'overwritten', block (1, 0, 0), thread (1, 0, 0)
__global__ void overwritten(int *data, int *) {
  if (threadIdx.x == 1)
    data[threadIdx.x] = blockIdx.x + 1;
}

// What is written last has been read by all before, and by nobody after it.
// CHECK-LABEL: case written behind reads
// CHECK: error: write of 'data' races with a read by thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0): nothing orders the two blocks [global-race]
__global__ void behind_reads(int *data, int *more) {
  int sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += data[i];
  more[blockIdx.x * 64 + threadIdx.x] = sum;
  __syncthreads();
  if (blockIdx.x == 1)
    data[threadIdx.x] = sum + 1;
}

// CHECK-LABEL: case bytes of one word
// CHECK-NOT: error:
__global__ void bytes(int *data, int *) {
  reinterpret_cast<unsigned char *>(data)[threadIdx.x + blockIdx.x * 64] = threadIdx.x + 1;
}

// CHECK-LABEL: case one byte
// CHECK: error: write of 'data' races with a write by thread (0, 0, 0): no barrier orders the two [global-race]
__global__ void one_byte(int *data, int *) {
  reinterpret_cast<unsigned char *>(data)[threadIdx.x * 3 / 4] = threadIdx.x + 1;
}

// CHECK-LABEL: case the same value
// CHECK-NOT: error:
__global__ void same_value(int *data, int *) {
  if (data[0] >= 0)
    data[64 + threadIdx.x % 2] = 7;
}

// CHECK-LABEL: case barrier
// CHECK-NOT: error:
__global__ void barrier(int *data, int *) {
  int *own = data + blockIdx.x * 64;
  for (int i = 0; i < 3; ++i) {
    own[threadIdx.x] = i + threadIdx.x;
    __syncthreads();
    int next = own[(threadIdx.x + 1) % 64];
    __syncthreads();
    own[threadIdx.x] = next;
  }
}

// CHECK-LABEL: case atomic
// CHECK-NOT: error:
__global__ void atomics(int *data, int *) {
  atomicAdd(&data[0], 1);
  atomicMax(&data[1], threadIdx.x);
}

// CHECK-LABEL: case reset beside atomic
// CHECK: error: write of 'data' races with {{a write|an atomic or volatile write}} by thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0): nothing orders the two blocks [global-race]
__global__ void reset(int *data, int *) {
  if (threadIdx.x == 0)
    data[0] = 0;
  __syncthreads();
  atomicAdd(&data[0], 1);
}

/// As the programming guide has it.
// CHECK-LABEL: case last block
// CHECK-NOT: error:
__device__ unsigned count;
template <bool isFenced> __device__ void last_block(int *data, int *more) {
  __shared__ bool isLast;
  if (threadIdx.x == 0) {
    more[blockIdx.x] = data[blockIdx.x] + blockIdx.x + 1;
    if (isFenced)
      __threadfence();
    isLast = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x < gridDim.x)
    data[64 + threadIdx.x] = more[threadIdx.x];
}
__global__ void last(int *data, int *more) { last_block<true>(data, more); }

// CHECK-LABEL: case last block without a fence
// CHECK: error: read of 'more' races with a write by thread (0, 0, 0) of block (0, 0, 0): nothing orders the two blocks [global-race]
__global__ void last_unfenced(int *data, int *more) { last_block<false>(data, more); }

// CHECK-LABEL: case volatile flag
// CHECK-NOT: error:
template <typename Fence> __device__ void hand_over(int *data, int *more, Fence fence) {
  volatile int *flag = more + 100;
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      fence();
      *flag = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0)
        ;
      __threadfence();
    }
    __syncthreads();
    more[threadIdx.x] = data[threadIdx.x];
  }
}
__global__ void volatile_flag(int *data, int *more) {
  hand_over(data, more, [] { __threadfence(); });
}

// CHECK-LABEL: case fence of the block alone
// CHECK: error: read of 'data'{{.*}} races with a write by thread ({{[0-9]+}}, 0, 0) of block (0, 0, 0): nothing orders the two blocks [global-race]
__global__ void block_fence(int *data, int *more) {
  hand_over(data, more, [] { __threadfence_block(); });
}

// CHECK-LABEL: case acquire and release
// CHECK-NOT: error:
__global__ void acquire_release(int *data, int *more) {
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(more[100]);
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    data[0] = 3;
    flag.store(1, cuda::std::memory_order_release);
  } else {
    while (flag.load(cuda::std::memory_order_acquire) == 0)
      ;
    more[0] = data[0];
  }
}

// A flag that is one for the threads of a block alone tells nothing to another block.
// CHECK-LABEL: case flag of the block alone
// CHECK: error: read of 'data' races with a write by thread (0, 0, 0) of block (0, 0, 0): nothing orders the two blocks [global-race]
__global__ void block_flag(int *data, int *more) {
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(more[100]);
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    data[0] = 5;
    flag.store(1, cuda::std::memory_order_release);
  } else {
    while (flag.load(cuda::std::memory_order_acquire) == 0)
      ;
    more[0] = data[0];
  }
}
// CHECK-LABEL: case atomic operation of the block alone
// CHECK: error: read of 'data' races with a write by thread (0, 0, 0) of block (0, 0, 0): nothing orders the two blocks [global-race]
__global__ void block_atomic(int *data, int *more) {
  if (threadIdx.x != 0)
    return;
  if (blockIdx.x == 0) {
    data[0] = 5;
    __threadfence();
    atomicExch_block(more + 100, 1);
  } else {
    while (atomicAdd_block(more + 100, 0) == 0)
      ;
    __threadfence();
    more[0] = data[0];
  }
}
// What one thread has heard from another block, it may pass on in its own.
// CHECK-LABEL: case passed on in the block
// CHECK-NOT: error:
__global__ void passed_on(int *data, int *more) {
  cuda::atomic_ref<int, cuda::thread_scope_device> far(more[100]);
  cuda::atomic_ref<int, cuda::thread_scope_block> near(more[101]);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    data[0] = 5;
    far.store(1, cuda::std::memory_order_release);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (far.load(cuda::std::memory_order_acquire) == 0)
      ;
    near.store(1, cuda::std::memory_order_release);
  } else if (blockIdx.x == 1 && threadIdx.x == 32) {
    while (near.load(cuda::std::memory_order_acquire) == 0)
      ;
    more[0] = data[0];
  }
}

// CHECK-LABEL: case flag of a warp in shared memory
// CHECK-NOT: error:
__global__ void shared_flag(int *data, int *more) {
  __shared__ volatile int flag;
  __shared__ int value;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data[blockIdx.x] = value = 4;
    __threadfence_block();
    flag = 1;
  } else if (threadIdx.x == 32) {
    while (flag == 0)
      ;
    __threadfence_block();
    more[blockIdx.x] = data[blockIdx.x] + value;
  }
}

// CHECK-LABEL: case lock
// CHECK-NOT: error:
__global__ void lock(int *data, int *more) {
  if (threadIdx.x % 32 != 0)
    return;
  while (atomicCAS(&more[100], 0, 1) != 0)
    ;
  __threadfence();
  data[0] = data[0] * 3 + 1;
  __threadfence();
  atomicExch(&more[100], 0);
}

// CHECK-LABEL: case grid
// CHECK-NOT: error:
__global__ void grid(int *data, int *more) {
  for (int i = 0; i < 3; ++i) {
    data[blockIdx.x * 64 + threadIdx.x] = i + threadIdx.x;
    cg::this_grid().sync();
    more[blockIdx.x * 64 + threadIdx.x] = data[(blockIdx.x * 64 + threadIdx.x + 64) % 128];
    cg::this_grid().sync();
  }
}

// CHECK-LABEL: case cluster
// CHECK-NOT: error:
__global__ void cluster(int *data, int *more) {
  data[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  more[blockIdx.x * 64 + threadIdx.x] = data[(blockIdx.x * 64 + threadIdx.x + 64) % 128];
}

// CHECK-LABEL: case variable
// CHECK: error: {{read|write}} of 'total' races with a {{read|write}} by thread ({{[0-9]+}}, 0, 0): no barrier orders the two [global-race]
__device__ int total;
__global__ void variable(int *, int *) { total += threadIdx.x; }

// CHECK-LABEL: case pointer in memory
// CHECK: error: {{read|write}} of allocation {{[0-9]+}} races with a {{read|write}} by thread ({{[0-9]+}}, 0, 0): no barrier orders the two [global-race]
__global__ void indirect(int *data, int *) { *reinterpret_cast<int **>(data)[0] += threadIdx.x; }

int *data, *more;

enum How { plain, together, inClusters };

template <typename Kernel> void run(const char *name, Kernel kernel, How how = plain) {
  cudaMemset(data, 0, 1024);
  cudaMemset(more, 0, 1024);
  std::fprintf(stderr, "case %s\n", name);
  cudaLaunchConfig_t config = {};
  config.gridDim = 2;
  config.blockDim = 64;
  cudaLaunchAttribute attribute = {};
  attribute.id =
      how == together ? cudaLaunchAttributeCooperative : cudaLaunchAttributeClusterDimension;
  if (how == together)
    attribute.val.cooperative = 1;
  else
    attribute.val.clusterDim = {2, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = how != plain;
  cudaLaunchKernelEx(&config, kernel, data, more);
  std::printf("%s: %s\n", name, cudaGetErrorString(cudaDeviceSynchronize()));
}

int main() {
  cudaMalloc(&data, 1024);
  cudaMalloc(&more, 1024);
  run("in place", in_place);
  run("read of another block's", other_block);
  run("overwritten by another block", overwritten);
  run("written behind reads", behind_reads);
  run("bytes of one word", bytes);
  run("one byte", one_byte);
  run("the same value", same_value);
  run("barrier", barrier);
  run("atomic", atomics);
  run("reset beside atomic", reset);
  run("last block", last);
  run("last block without a fence", last_unfenced);
  run("volatile flag", volatile_flag, together);
  run("fence of the block alone", block_fence, together);
  run("acquire and release", acquire_release, together);
  run("flag of the block alone", block_flag, together);
  run("atomic operation of the block alone", block_atomic, together);
  run("passed on in the block", passed_on, together);
  run("flag of a warp in shared memory", shared_flag);
  run("lock", lock);
  run("grid", grid, together);
  run("cluster", cluster, inClusters);
  run("variable", variable);
  std::fprintf(stderr, "case pointer in memory\n");
  int *target;
  cudaMalloc(&target, 4);
  cudaMemcpy(data, &target, sizeof target, cudaMemcpyHostToDevice);
  indirect<<<1, 64>>>(data, more);
  // OUT-COUNT-23: no error
  return cudaDeviceSynchronize();
}
