// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax over the rows of a matrix, a row in shared memory at a time.

#include "bench.cuh"
#include "by_hand.cuh"

constexpr int N = 4096, THREADS = 256;

template <typename Operation>
__device__ float reduced(float value, float *partial, Operation operation) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = operation(value, __shfl_xor_sync(~0u, value, distance));
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[0];
  for (int i = 1; i < THREADS / 32; ++i)
    value = operation(value, partial[i]);
  return value;
}
struct Greater {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

__global__ void __launch_bounds__(THREADS)
    softmax(float *__restrict__ out, const float *__restrict__ in, int rows) {
  __shared__ float row[N];
  __shared__ float partial[32];
#pragma tma pipeline stages(2)
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
#pragma tma load
    for (int i = threadIdx.x; i < N; i += THREADS)
      row[i] = in[r * N + i];
    __syncthreads();
    float greatest = -INFINITY;
    for (int i = threadIdx.x; i < N; i += THREADS)
      greatest = fmaxf(greatest, row[i]);
    greatest = reduced(greatest, partial, Greater());
    float sum = 0;
    for (int i = threadIdx.x; i < N; i += THREADS)
      sum += row[i] = __expf(row[i] - greatest);
    float scale = 1 / reduced(sum, partial, Sum());
    for (int i = threadIdx.x; i < N; i += THREADS)
      out[r * N + i] = row[i] * scale;
    __syncthreads();
  }
}

__global__ void __launch_bounds__(THREADS) softmax_by_hand(float *out, const float *in, int rows) {
  __shared__ alignas(128) float ring[2][N];
  __shared__ float partial[32];
  __shared__ uint64_t full[2];
  auto issue = [&](int r, int stage) {
    by_hand::expect(full[stage], N * 4);
    by_hand::ptx::cp_async_bulk(by_hand::ptx::space_cluster, by_hand::ptx::space_global,
                                ring[stage], in + r * N, N * 4, &full[stage]);
  };
  if (threadIdx.x == 0) {
    by_hand::init(full[0]);
    by_hand::init(full[1]);
    if (blockIdx.x < rows)
      issue(blockIdx.x, 0);
  }
  __syncthreads();
  int stage = 0, phase = 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    if (threadIdx.x == 0 && r + gridDim.x < rows) {
      by_hand::ptx::fence_proxy_async(by_hand::ptx::space_shared);
      issue(r + gridDim.x, stage ^ 1);
    }
    by_hand::wait(full[stage], phase);
    float *row = ring[stage];
    float greatest = -INFINITY;
    for (int i = threadIdx.x; i < N; i += THREADS)
      greatest = fmaxf(greatest, row[i]);
    greatest = reduced(greatest, partial, Greater());
    float sum = 0;
    for (int i = threadIdx.x; i < N; i += THREADS)
      sum += row[i] = __expf(row[i] - greatest);
    float scale = 1 / reduced(sum, partial, Sum());
    for (int i = threadIdx.x; i < N; i += THREADS)
      out[r * N + i] = row[i] * scale;
    by_hand::ptx::fence_proxy_async(by_hand::ptx::space_shared);
    __syncthreads();
    phase ^= stage;
    stage ^= 1;
  }
}

int main() {
  int rows = 32768;
  size_t bytes = size_t(rows) * N * 4;
  Buffer in(bytes, 1), out(bytes, 2);
  work("softmax", 2. * double(bytes), 5. * rows * N);
  int blocks = 132 * 6;
  kernel("softmax", out,
         [&] { softmax<<<blocks, THREADS>>>(out.as<float>(), in.as<float>(), rows); });
  other("softmax", "by-hand", out,
        [&] { softmax_by_hand<<<blocks, THREADS>>>(out.as<float>(), in.as<float>(), rows); });
}
