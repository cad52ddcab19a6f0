// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of all elements before: the block's tree in shared memory with two elements for a thread and
// offsets against bank conflicts; a tile of several elements for a thread, which comes in by rows
// of threads and is read by runs; and the pass that adds the sums of the blocks before.

#include "field.cuh"

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

// exclusive, n elements a block, the sums of blocks go to `sums`
__global__ void prescan(int *g_odata, int *g_idata, int *sums, int n) {
  extern __shared__ int temp[];
  int thid = threadIdx.x;
  int offset = 1;

  int ai = thid;
  int bi = thid + (n / 2);
  int bankOffsetA = CONFLICT_FREE_OFFSET(ai);
  int bankOffsetB = CONFLICT_FREE_OFFSET(bi);
#pragma tma load fallback(loop)
  {
    temp[ai + bankOffsetA] = g_idata[blockIdx.x * n + ai];
    temp[bi + bankOffsetB] = g_idata[blockIdx.x * n + bi];
  }

  for (int d = n >> 1; d > 0; d >>= 1) { // build sum in place up the tree
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      ai += CONFLICT_FREE_OFFSET(ai);
      bi += CONFLICT_FREE_OFFSET(bi);
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (thid == 0) {
    sums[blockIdx.x] = temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)];
    temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0;
  }
  for (int d = 1; d < n; d *= 2) { // traverse down tree & build scan
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      ai += CONFLICT_FREE_OFFSET(ai);
      bi += CONFLICT_FREE_OFFSET(bi);
      int t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();

#pragma tma store fallback(loop)
  {
    g_odata[blockIdx.x * n + ai] = temp[ai + bankOffsetA];
    g_odata[blockIdx.x * n + bi] = temp[bi + bankOffsetB];
  }
}

// inclusive within a tile: in by rows of threads, summed by runs, and out by rows again
template <int BLOCK_THREADS, int ITEMS_PER_THREAD>
__global__ void block_scan_kernel(const int *d_in, int *d_out, int num_items) {
  constexpr int TILE_SIZE = BLOCK_THREADS * ITEMS_PER_THREAD;
  __shared__ int items[TILE_SIZE];
  __shared__ int warp_sums[BLOCK_THREADS / 32];

  const int tile_base = blockIdx.x * TILE_SIZE;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

#pragma tma load
#pragma unroll
  for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
    int item = i * BLOCK_THREADS + threadIdx.x;
    items[item] = tile_base + item < num_items ? d_in[tile_base + item] : 0;
  }
  __syncthreads();

  int data[ITEMS_PER_THREAD];
  int total = 0;
#pragma unroll
  for (int i = 0; i < ITEMS_PER_THREAD; ++i)
    data[i] = total += items[threadIdx.x * ITEMS_PER_THREAD + i];

  int inclusive = total;
#pragma unroll
  for (int delta = 1; delta < 32; delta *= 2) {
    int other = __shfl_up_sync(0xffffffffu, inclusive, delta);
    if (lane >= delta)
      inclusive += other;
  }
  if (lane == 31)
    warp_sums[warp] = inclusive;
  __syncthreads();
  int prefix = inclusive - total;
#pragma unroll
  for (int i = 0; i < BLOCK_THREADS / 32; ++i)
    if (i < warp)
      prefix += warp_sums[i];

#pragma unroll
  for (int i = 0; i < ITEMS_PER_THREAD; ++i)
    items[threadIdx.x * ITEMS_PER_THREAD + i] = prefix + data[i];
  __syncthreads();

#pragma tma store
#pragma unroll
  for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
    int item = i * BLOCK_THREADS + threadIdx.x;
    if (tile_base + item < num_items)
      d_out[tile_base + item] = items[item];
  }
}

// The scan that doubles its distance, between two halves of shared memory.
__global__ void hillis_steele_scan(const int *g_idata, int *g_odata, int n) {
  extern __shared__ int buffer[];
  int *temp = buffer;
  int thid = threadIdx.x;
  int pout = 0, pin = 1;

  g_idata += blockIdx.x * n;
#pragma tma load
  temp[pout * n + thid] = g_idata[thid];
  __syncthreads();

  for (int offset = 1; offset < n; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (thid >= offset)
      temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
    else
      temp[pout * n + thid] = temp[pin * n + thid];
    __syncthreads();
  }
#pragma tma store fallback(loop)
  g_odata[blockIdx.x * n + thid] = temp[pout * n + thid];
}

// Numbers from 0 to 99, whose sums an int holds.
__global__ void init_numbers(int *numbers, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    numbers[i] = (unsigned(i) * 2654435761u >> 8) % 100;
}

int main() {
  const int n = 1024, blocks = field::pick(32768, 3), num_items = n * blocks - 100;
  const size_t bytes = size_t(n) * blocks * sizeof(int);
  Buffer in(bytes, 1), out(bytes, 2), sums(blocks * sizeof(int), 3);
  init_numbers<<<256, 256>>>(in.as<int>(), n * blocks);
  field::measure("scan-tree", out, [&] {
    prescan<<<blocks, n / 2, (n + n / NUM_BANKS) * sizeof(int)>>>(out.as<int>(), in.as<int>(),
                                                                  sums.as<int>(), n);
  });
  field::measure("scan-tile", out, [&] {
    block_scan_kernel<128, 16>
        <<<(num_items + 2047) / 2048, 128>>>(in.as<int>(), out.as<int>(), num_items);
  });
  field::measure("scan-doubling", out, [&] {
    hillis_steele_scan<<<blocks, n, 2 * n * sizeof(int)>>>(in.as<int>(), out.as<int>(), n);
  });
}
