// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many products of small matrices, 32 x 32 each, one after the other.

#include "bench.cuh"
#include "by_hand.cuh"

constexpr int S = 32, SIZE = S * S;

__device__ inline void multiply(float (&c)[S][S], const float (&a)[S][S], const float (&b)[S][S]) {
  for (int r = threadIdx.y; r < S; r += 8) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < S; ++i)
      sum += a[r][i] * b[i][threadIdx.x];
    c[r][threadIdx.x] = sum;
  }
}

__global__ void __launch_bounds__(256) batched(float *__restrict__ c, const float *__restrict__ a,
                                               const float *__restrict__ b, int count) {
  __shared__ float as[S][S], bs[S][S], cs[S][S];
#pragma tma pipeline stages(3)
  for (int m = blockIdx.x; m < count; m += gridDim.x) {
#pragma tma load
    for (int r = threadIdx.y; r < S; r += 8)
      as[r][threadIdx.x] = a[m * SIZE + r * S + threadIdx.x];
#pragma tma load
    for (int r = threadIdx.y; r < S; r += 8)
      bs[r][threadIdx.x] = b[m * SIZE + r * S + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < S; r += 8) {
      float sum = 0;
#pragma unroll
      for (int i = 0; i < S; ++i)
        sum += as[r][i] * bs[i][threadIdx.x];
      cs[r][threadIdx.x] = sum;
    }
    __syncthreads();
#pragma tma store
    for (int r = threadIdx.y; r < S; r += 8)
      c[m * SIZE + r * S + threadIdx.x] = cs[r][threadIdx.x];
    __syncthreads();
  }
}

__global__ void __launch_bounds__(256)
    batched_by_hand(float *c, const float *a, const float *b, int count) {
  constexpr int stages = 3;
  __shared__ alignas(128) float as[stages][S][S], bs[stages][S][S], cs[2][S][S];
  __shared__ uint64_t full[stages];
  namespace ptx = by_hand::ptx;
  bool leads = threadIdx.x == 0 && threadIdx.y == 0;
  auto issue = [&](int m, int stage) {
    by_hand::expect(full[stage], 2 * SIZE * 4);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, as[stage], a + m * SIZE, SIZE * 4,
                       &full[stage]);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, bs[stage], b + m * SIZE, SIZE * 4,
                       &full[stage]);
  };
  if (leads) {
    for (uint64_t &each : full)
      by_hand::init(each);
    for (int i = 0; i < stages - 1; ++i)
      if (blockIdx.x + i * gridDim.x < count)
        issue(blockIdx.x + i * gridDim.x, i);
  }
  __syncthreads();
  int round = 0;
  for (int m = blockIdx.x; m < count; m += gridDim.x, ++round) {
    int ahead = m + (stages - 1) * gridDim.x;
    if (leads && ahead < count)
      issue(ahead, (round + stages - 1) % stages);
    by_hand::wait(full[round % stages], round / stages % 2);
    multiply(cs[round % 2], as[round % stages], bs[round % stages]);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (leads) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, c + m * SIZE, cs[round % 2],
                         SIZE * 4);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{}); // the other tile is free
    }
    __syncthreads();
  }
  if (leads)
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

int main() {
  int count = 65536;
  size_t bytes = size_t(count) * SIZE * 4;
  Buffer a(bytes, 1), b(bytes, 2), c(bytes, 3);
  work("batched-32x32", 3. * double(bytes), 2. * S * S * S * count);
  dim3 block(S, 8);
  int blocks = 132 * 6;
  kernel("batched-32x32", c,
         [&] { batched<<<blocks, block>>>(c.as<float>(), a.as<float>(), b.as<float>(), count); });
  other("batched-32x32", "by-hand", c, [&] {
    batched_by_hand<<<blocks, block>>>(c.as<float>(), a.as<float>(), b.as<float>(), count);
  });
}
