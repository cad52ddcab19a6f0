// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that copy through cuda::pipeline, as the toolkit's guide and samples show it: a product
// of matrices with several stages of small tiles, a product with tiles for registers, and batches
// that a whole block copies and reduces, by a pipeline of the thread, by one of the block, and by
// copies of a cooperative group.

#include "field.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr int maxStages = 4;

// Tiles of 32 x 32, one element of each for every thread.
template <int BLOCK>
__global__ void matmulMultiStage(float *__restrict__ C, const float *__restrict__ A,
                                 const float *__restrict__ B, int wA, int wB) {
  __shared__ float As[maxStages][BLOCK][BLOCK];
  __shared__ float Bs[maxStages][BLOCK][BLOCK];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * BLOCK + ty, col = blockIdx.x * BLOCK + tx;
  auto pipe = cuda::make_pipeline();
  const auto shape = cuda::aligned_size_t<alignof(float)>(sizeof(float));
  float sum = 0.0f;
  const int tiles = wA / BLOCK;
  for (int i = 0, next = 0; i < tiles; ++i) {
    for (; next < i + maxStages && next < tiles; ++next) {
      pipe.producer_acquire();
      const int j = next % maxStages;
#pragma tma load fallback(loop)
      cuda::memcpy_async(&As[j][ty][tx], &A[row * wA + next * BLOCK + tx], shape, pipe);
#pragma tma load fallback(loop)
      cuda::memcpy_async(&Bs[j][ty][tx], &B[(next * BLOCK + ty) * wB + col], shape, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    const int j = i % maxStages;
#pragma unroll
    for (int k = 0; k < BLOCK; ++k)
      sum += As[j][ty][k] * Bs[j][k][tx];
    pipe.consumer_release();
    __syncthreads();
  }
  C[row * wB + col] = sum;
}

constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;

// C = A^T * B by tiles of 128 x 128 and three stages, with waits by number.
__global__ void sgemmPipeline(const float *__restrict__ a, const float *__restrict__ b,
                              float *__restrict__ c, int M, int N, int K) {
  constexpr int stages = 3;
  __shared__ alignas(16) float s_a[stages][BK][BM];
  __shared__ alignas(16) float s_b[stages][BK][BN];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const int load_k = tid / 32, load_mn = tid % 32 * 4;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  auto pipe = cuda::make_pipeline();
  const cuda::aligned_size_t<16> size(16);
  const auto load = [&](int stage, int k0) {
    pipe.producer_acquire();
#pragma tma load fallback(loop)
    for (int k = load_k; k < BK; k += 8)
      cuda::memcpy_async(&s_a[stage][k][load_mn], &a[(k0 + k) * M + m0 + load_mn], size, pipe);
#pragma tma load fallback(loop)
    for (int k = load_k; k < BK; k += 8)
      cuda::memcpy_async(&s_b[stage][k][load_mn], &b[(k0 + k) * N + n0 + load_mn], size, pipe);
  };
  float sum[TM][TN] = {};
  for (int s = 0; s < stages - 1; ++s) {
    load(s, s * BK);
    pipe.producer_commit();
  }
  for (int k0 = 0, stage = 0; k0 < K; k0 += BK, stage = (stage + 1) % stages) {
    cuda::pipeline_consumer_wait_prior<stages - 2>(pipe);
    __syncthreads();
    if (k0 + (stages - 1) * BK < K)
      load((stage + stages - 1) % stages, k0 + (stages - 1) * BK);
    pipe.producer_commit();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float r_a[TM], r_b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i)
        r_a[i] = s_a[stage][k][ty * TM + i];
#pragma unroll
      for (int i = 0; i < TN; ++i)
        r_b[i] = s_b[stage][k][tx + i * 16];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j)
          sum[i][j] += r_a[i] * r_b[j];
    }
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j)
      c[(m0 + ty * TM + i) * N + n0 + tx + j * 16] = sum[i][j];
}

constexpr int batch = 2048, threads = 256;

__device__ __forceinline__ float reduceBatch(const float *values, float weight) {
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < batch / threads; ++i) {
    const float x = values[i * threads + threadIdx.x];
    const float y = values[(i * threads + threadIdx.x + 1) % batch];
    sum = fmaf(x, y, sum * weight);
  }
  return sum;
}

// A thread's own pipeline with two stages.
__global__ void streamByThread(float *out, const float *__restrict__ in, int batches,
                               float weight) {
  __shared__ alignas(16) float stage[2][batch];
  auto pipe = cuda::make_pipeline();
  const cuda::aligned_size_t<16> size(16);
  const float *own = in + size_t(blockIdx.x) * batches * batch;
  float sum = 0.0f;
  pipe.producer_acquire();
#pragma tma load fallback(loop)
  for (int i = threadIdx.x * 4; i < batch; i += threads * 4)
    cuda::memcpy_async(&stage[0][i], &own[i], size, pipe);
  pipe.producer_commit();
  for (int b = 0; b < batches; ++b) {
    if (b + 1 < batches) {
      pipe.producer_acquire();
#pragma tma load fallback(loop)
      for (int i = threadIdx.x * 4; i < batch; i += threads * 4)
        cuda::memcpy_async(&stage[(b + 1) % 2][i], &own[(b + 1) * batch + i], size, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    sum += reduceBatch(stage[b % 2], weight);
    __syncthreads();
    pipe.consumer_release();
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

// The block's pipeline: the block copies together, and no barrier of the block is needed.
template <int STAGES>
__global__ void streamByBlock(float *out, const float *__restrict__ in, int batches, float weight) {
  using State = cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES>;
  __shared__ alignas(16) float stage[STAGES][batch];
  __shared__ alignas(State) char state[sizeof(State)];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, reinterpret_cast<State *>(state));
  const float *own = in + size_t(blockIdx.x) * batches * batch;
  float sum = 0.0f;
  for (int b = 0, fetched = 0; b < batches; ++b) {
    for (; fetched < batches && fetched < b + STAGES; ++fetched) {
      pipe.producer_acquire();
#pragma tma load fallback(loop)
      cuda::memcpy_async(block, stage[fetched % STAGES], own + fetched * batch,
                         cuda::aligned_size_t<16>(batch * sizeof(float)), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += reduceBatch(stage[b % STAGES], weight);
    pipe.consumer_release();
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

// Copies of a cooperative group, in two stages.
__global__ void streamByGroup(float *out, const float *__restrict__ in, int batches, float weight) {
  __shared__ alignas(16) float stage[2][batch];
  auto block = cg::this_thread_block();
  const float *own = in + size_t(blockIdx.x) * batches * batch;
  const cuda::aligned_size_t<16> size(batch * sizeof(float));
  float sum = 0.0f;
#pragma tma load fallback(loop)
  cg::memcpy_async(block, stage[0], own, size);
  for (int b = 0; b < batches; ++b) {
    if (b + 1 < batches) {
#pragma tma load fallback(loop)
      cg::memcpy_async(block, stage[(b + 1) % 2], own + (b + 1) * batch, size);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    sum += reduceBatch(stage[b % 2], weight);
    block.sync();
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

int main() {
  const int n = field::pick(2048, 128), k = field::pick(2048, 128);
  const int blocks = field::pick(1056, 4), batches = field::pick(64, 5);
  Buffer a(size_t(n) * k * 4, 1), b(size_t(k) * n * 4, 2), c(size_t(n) * n * 4, 3);
  Buffer in(size_t(blocks) * batches * batch * 4, 4), out(size_t(blocks) * threads * 4, 5);
  field::measure("pipeline-matmul-multistage", c, [&] {
    matmulMultiStage<32>
        <<<dim3(n / 32, n / 32), dim3(32, 32)>>>(c.as<float>(), a.as<float>(), b.as<float>(), k, n);
  });
  field::measure("pipeline-sgemm", c, [&] {
    sgemmPipeline<<<dim3(n / BN, n / BM), 256>>>(a.as<float>(), b.as<float>(), c.as<float>(), n, n,
                                                 k);
  });
  field::measure("pipeline-stream-thread", out, [&] {
    streamByThread<<<blocks, threads>>>(out.as<float>(), in.as<float>(), batches, 0.5f);
  });
  field::measure("pipeline-stream-block-2", out, [&] {
    streamByBlock<2><<<blocks, threads>>>(out.as<float>(), in.as<float>(), batches, 0.5f);
  });
  field::measure("pipeline-stream-block-3", out, [&] {
    streamByBlock<3><<<blocks, threads>>>(out.as<float>(), in.as<float>(), batches, 0.5f);
  });
  field::measure("pipeline-stream-group", out, [&] {
    streamByGroup<<<blocks, threads>>>(out.as<float>(), in.as<float>(), batches, 0.5f);
  });
}
