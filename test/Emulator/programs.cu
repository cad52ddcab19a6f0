// What ordinary programs use: each case computes something known.
//
// RUN: %run --plain %s | %FileCheck %s
// RUN: %run --plain --seed=7 %s | %FileCheck %s

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdio>
#include <numeric>
#include <vector>

namespace cg = cooperative_groups;

int *result;

template <typename... Parameters, typename... Arguments>
void run(const char *name, int count, void (*kernel)(Parameters...), dim3 grid, dim3 block,
         size_t shared, Arguments... arguments) {
  cudaMemset(result, 0, 4096 * 4);
  kernel<<<grid, block, shared>>>(arguments...);
  std::vector<int> host(count);
  cudaMemcpy(host.data(), result, count * 4, cudaMemcpyDeviceToHost);
  std::printf("%s: %lld, %s\n", name, std::accumulate(host.begin(), host.end(), 0ll),
              cudaGetErrorString(cudaGetLastError()));
}

// CHECK: groups: 8128, no error
__global__ void groups(int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int sum = cg::reduce(tile, int(threadIdx.x), cg::plus<int>());
  if (tile.thread_rank() == 0)
    out[tile.meta_group_rank()] = sum;
  block.sync();
}

// CHECK: coalesced: 64, no error
__global__ void coalesced(int *out) {
  if (threadIdx.x % 2) {
    auto active = cg::coalesced_threads();
    if (active.thread_rank() == 0)
      atomicAdd(out, int(active.num_threads()));
  }
}

// Lanes that are active at one place are another group than those at the next, which some lanes come to at once. Each
// group counts its lanes, however they come to it: 85 of 128 and 102 of them in all.
// CHECK: coalesced twice: 187, no error
__global__ void coalesced_twice(int *out) {
  if (threadIdx.x % 3) {
    auto first = cg::coalesced_threads();
    const int leader = first.shfl(int(threadIdx.x), 0);
    first.sync();
    if (leader == int(threadIdx.x))
      atomicAdd(out, int(first.size()));
  }
  if (threadIdx.x % 5) {
    auto second = cg::coalesced_threads();
    const int leader = second.shfl(int(threadIdx.x), 0);
    if (second.any(leader == int(threadIdx.x)) && leader == int(threadIdx.x))
      atomicAdd(out, int(second.size()));
    second.sync();
  }
}

// Threads that wait for a flag in shared memory, all of them at the same time.
// CHECK: flagged: 8128, no error
__global__ void flagged(int *out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x >= 64)
    while (flag == 0)
      ;
  if (threadIdx.x == 3)
    flag = 1;
  __syncthreads();
  out[threadIdx.x] = threadIdx.x;
}

// CHECK: block reduce: 8128, no error
__global__ void block_reduce(int *out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage temporary;
  int sum = Reduce(temporary).Sum(int(threadIdx.x));
  if (threadIdx.x == 0)
    *out = sum;
}

// CHECK: block scan: 349504, no error
__global__ void block_scan(int *out) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage temporary;
  int value;
  Scan(temporary).InclusiveSum(int(threadIdx.x), value);
  out[threadIdx.x] = value;
}

// CHECK: barrier: 127, no error
__global__ void barrier(int *out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  __shared__ int values[128];
  Barrier &ready = *reinterpret_cast<Barrier *>(storage);
  if (threadIdx.x == 0)
    init(&ready, blockDim.x);
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  ready.arrive_and_wait();
  if (threadIdx.x == 0)
    *out = values[127];
}

// Half of the threads arrive at a barrier of all and end; the others wait for them.
// CHECK: arrive and end: 64, no error
__global__ void arrive_and_end(int *out) {
  __shared__ int values[64];
  if (threadIdx.x < 64) {
    values[threadIdx.x] = threadIdx.x;
    asm volatile("bar.arrive 2, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 2, 128;" ::: "memory");
    atomicAdd(out, values[127 - threadIdx.x] == 127 - threadIdx.x);
  }
}

// CHECK: memcpy_async: 8128, no error
__global__ void memcpy_async(int *out, const int *in) {
  __shared__ int values[128];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, values, in, sizeof values);
  cg::wait(block);
  out[threadIdx.x] = values[127 - threadIdx.x];
}

// CHECK: pipeline: 73536, no error
__global__ void pipeline(int *out, const int *in) {
  __shared__ int values[2][128];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(&values[i % 2][threadIdx.x], &in[i * 128 + threadIdx.x],
                       cuda::aligned_size_t<4>(4), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    sum += values[i % 2][threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// CHECK: cp.async: 8128, no error
__global__ void cp_async(int *out, const int *in) {
  __shared__ alignas(16) int values[128];
  if (threadIdx.x < 32) {
    unsigned to = unsigned(__cvta_generic_to_shared(&values[threadIdx.x * 4]));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group; cp.async.wait_group 0;" ::"r"(to),
                 "l"(in + threadIdx.x * 4) : "memory");
  }
  __syncthreads();
  out[threadIdx.x] = values[127 - threadIdx.x];
}

// CHECK: wmma: 4096, no error
__global__ void wmma(int *out) {
  using namespace nvcuda::wmma;
  __shared__ __half a[256], b[256];
  __shared__ float c[256];
  for (int i = threadIdx.x; i < 256; i += 32)
    a[i] = b[i] = __float2half(1.f);
  __syncwarp();
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    out[i] = int(c[i]);
}

// CHECK: cluster: 48, no error
__global__ void cluster(int *out) {
  __shared__ int value;
  unsigned rank, blocks, here = unsigned(__cvta_generic_to_shared(&value));
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  if (threadIdx.x == 0)
    value = int(rank);
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0)
    for (unsigned other = 0; other < blocks; ++other) {
      unsigned there;
      int theirs;
      asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(other));
      asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(theirs) : "r"(there));
      atomicAdd(out, theirs);
    }
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// CHECK: dynamic: 1128, no error
__global__ void dynamic(int *out) {
  extern __shared__ int values[];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

// Each dynamic array starts on its own alignment: 16 and 128 bytes behind 8 static ones.
// CHECK: dynamic starts: 144, no error
__global__ void dynamic_starts(int *out) {
  __shared__ alignas(8) char first[8];
  extern __shared__ float small[];
  extern __shared__ __align__(128) unsigned char aligned[];
  first[0] = 1;
  unsigned start = __cvta_generic_to_shared(first);
  out[0] = __cvta_generic_to_shared(small) - start + __cvta_generic_to_shared(aligned) - start;
  small[0] = aligned[0] = 1;
}

// CHECK: virtual: 28, no error
struct Shape {
  __device__ virtual int corners() const = 0;
};
struct Triangle : Shape {
  __device__ int corners() const override { return 3; }
};
struct Square : Shape {
  __device__ int corners() const override { return 4; }
};
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ int (*function)(int) = twice;
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void virtuals(int *out) {
  Triangle triangle;
  Square square;
  const Shape *shape = threadIdx.x % 2 ? static_cast<const Shape *>(&triangle) : &square;
  atomicAdd(out, function(shape->corners()) + (threadIdx.x == 0 ? fibonacci(7) + 1 : 0));
}

// CHECK: heap: 64, no error
__global__ void heap(int *out) {
  int *own = static_cast<int *>(malloc(64));
  own[threadIdx.x % 16] = 1;
  atomicAdd(out, own[threadIdx.x % 16]);
  free(own);
}

// CHECK: thread 1 says hello 1.50
// CHECK: printed: 0, no error
__global__ void prints() {
  if (threadIdx.x == 1)
    printf("thread %d says %s %.2f\n", int(threadIdx.x), "hello", 1.5);
}

// CHECK: own cluster: 48, no error
__global__ void __cluster_dims__(2, 1, 1) own_cluster(int *out) {
  unsigned rank, blocks;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  if (threadIdx.x == 0)
    out[blockIdx.x] = 10 * blocks + 8 * rank;
}

// CHECK: constant: 10, no error
__constant__ int numbers[4] = {1, 2, 3, 4};
__global__ void constants(int *out) { out[threadIdx.x] = numbers[threadIdx.x]; }

// CHECK: grid sync: 64, no error
__global__ void grid_sync(int *out) {
  cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0)
    atomicAdd(&out[1000], 1);
  grid.sync();
  if (threadIdx.x == 0)
    out[blockIdx.x] = out[1000];
}

int main() {
  cudaMalloc(&result, 4096 * 4);
  int *in;
  cudaMalloc(&in, 1024 * 4);
  std::vector<int> counting(1024);
  std::iota(counting.begin(), counting.end(), 0);
  cudaMemcpy(in, counting.data(), 4096, cudaMemcpyHostToDevice);
  run("groups", 16, groups, 1, 128, 0, result);
  run("coalesced", 1, coalesced, 1, 128, 0, result);
  run("coalesced twice", 1, coalesced_twice, 1, 128, 0, result);
  run("flagged", 128, flagged, 1, 128, 0, result);
  run("block reduce", 1, block_reduce, 1, 128, 0, result);
  run("block scan", 128, block_scan, 1, 128, 0, result);
  run("barrier", 1, barrier, 1, 128, 0, result);
  run("arrive and end", 1, arrive_and_end, 1, 128, 0, result);
  run("memcpy_async", 128, memcpy_async, 1, 128, 0, result, static_cast<const int *>(in));
  run("pipeline", 128, pipeline, 1, 128, 0, result, static_cast<const int *>(in));
  run("cp.async", 128, cp_async, 1, 128, 0, result, static_cast<const int *>(in));
  run("wmma", 256, wmma, 1, 32, 0, result);
  cudaMemset(result, 0, 4);
  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = 32;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {4, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, cluster, result);
  int sum = 0;
  cudaMemcpy(&sum, result, 4, cudaMemcpyDeviceToHost);
  std::printf("cluster: %d, %s\n", sum, cudaGetErrorString(cudaGetLastError()));
  run("dynamic", 48, dynamic, 1, 48, 48 * 4, result);
  run("dynamic starts", 1, dynamic_starts, 1, 1, 512, result);
  run("virtual", 1, virtuals, 1, 2, 0, result);
  run("heap", 1, heap, 2, 32, 0, result);
  run("printed", 1, prints, 1, 2, 0);
  run("own cluster", 2, own_cluster, 2, 32, 0, result);
  int more[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(numbers, more, sizeof more);
  run("constant", 4, constants, 1, 4, 0, result);
  cudaMemset(result, 0, 4096 * 4);
  void *arguments[] = {&result};
  cudaLaunchCooperativeKernel(reinterpret_cast<void *>(grid_sync), dim3(8), dim3(32), arguments, 0, nullptr);
  int answers[8];
  cudaMemcpy(answers, result, sizeof answers, cudaMemcpyDeviceToHost);
  std::printf("grid sync: %d, %s\n", std::accumulate(answers, answers + 8, 0), cudaGetErrorString(cudaGetLastError()));
  return 0;
}
