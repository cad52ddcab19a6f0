// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer norm with the row in shared memory: a block for each row of a known length, and a warp for
// each row with weight, bias and rows as vectors of four floats in dynamic shared memory.

#include "field.cuh"

__device__ __forceinline__ float warpReduceSum(float val) {
  for (int offset = 16; offset > 0; offset /= 2) {
    val += __shfl_xor_sync(0xFFFFFFFF, val, offset);
  }
  return val;
}

template <int BLOCK_SIZE> __device__ float blockReduceSum(float val) {
  __shared__ float shared[32];
  const int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
  val = warpReduceSum(val);
  __syncthreads();
  if (lane == 0)
    shared[wid] = val;
  __syncthreads();
  val = lane < BLOCK_SIZE / 32 ? shared[lane] : 0.0f;
  return warpReduceSum(val);
}

template <int HIDDEN, int BLOCK_SIZE>
__global__ void layernorm_smem_kernel(float *__restrict__ out, const float *__restrict__ inp,
                                      const float *__restrict__ gamma,
                                      const float *__restrict__ beta, float eps) {
  __shared__ float row[HIDDEN];
  const int tid = threadIdx.x;
  const float *x = inp + (size_t)blockIdx.x * HIDDEN;
  float *y = out + (size_t)blockIdx.x * HIDDEN;

#pragma tma load
  for (int i = tid; i < HIDDEN; i += BLOCK_SIZE)
    row[i] = x[i];
  __syncthreads();

  float sum = 0.0f;
  for (int i = tid; i < HIDDEN; i += BLOCK_SIZE)
    sum += row[i];
  const float mean = blockReduceSum<BLOCK_SIZE>(sum) / HIDDEN;

  float sq = 0.0f;
  for (int i = tid; i < HIDDEN; i += BLOCK_SIZE) {
    const float diff = row[i] - mean;
    sq += diff * diff;
  }
  const float rstd = rsqrtf(blockReduceSum<BLOCK_SIZE>(sq) / HIDDEN + eps);

  for (int i = tid; i < HIDDEN; i += BLOCK_SIZE)
    row[i] = (row[i] - mean) * rstd * gamma[i] + beta[i];
  __syncthreads();
#pragma tma store
  for (int i = tid; i < HIDDEN; i += BLOCK_SIZE)
    y[i] = row[i];
}

// blockDim is (32, 8): a warp has a row, the block has weight and bias.
__global__ void layernorm_forward_kernel6(float *out, float *mean, float *rstd,
                                          const float *__restrict__ inp,
                                          const float *__restrict__ weight,
                                          const float *__restrict__ bias, int N, int C) {
  extern __shared__ char params[];
  const int C4 = C / 4;
  float4 *s_weight = reinterpret_cast<float4 *>(params);
  float4 *s_bias = s_weight + C4;
  float4 *s_in = s_bias + C4 + threadIdx.y * C4;

  const int sidx = threadIdx.x + 32 * threadIdx.y;
#pragma tma load
  for (int i = sidx; i < C4; i += blockDim.y * 32) {
    s_weight[i] = reinterpret_cast<const float4 *>(weight)[i];
    s_bias[i] = reinterpret_cast<const float4 *>(bias)[i];
  }
  __syncthreads();

  const int idx = blockIdx.x * blockDim.y + threadIdx.y;
  if (idx >= N)
    return;
  inp += (size_t)idx * C;
  out += (size_t)idx * C;

  const float eps = 1e-5f;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < C4; c += 32) {
    const float4 in_data = reinterpret_cast<const float4 *>(inp)[c];
    sum += in_data.x + in_data.y + in_data.z + in_data.w;
    s_in[c] = in_data;
  }
  sum = warpReduceSum(sum);
  const float m = sum / C;
  float v = 0.0f;
  for (int c = threadIdx.x; c < C4; c += 32) {
    const float4 d = s_in[c];
    v += (d.x - m) * (d.x - m) + (d.y - m) * (d.y - m) + (d.z - m) * (d.z - m) +
         (d.w - m) * (d.w - m);
  }
  v = warpReduceSum(v) / C;
  const float s = rsqrtf(v + eps);
  for (int c = threadIdx.x; c < C4; c += 32) {
    const float4 d = s_in[c], w = s_weight[c], b = s_bias[c];
    float4 o;
    o.x = s * (d.x - m) * w.x + b.x;
    o.y = s * (d.y - m) * w.y + b.y;
    o.z = s * (d.z - m) * w.z + b.z;
    o.w = s * (d.w - m) * w.w + b.w;
    __stcs(reinterpret_cast<float4 *>(out) + c, o);
  }
  if (threadIdx.x == 0) {
    mean[idx] = m;
    rstd[idx] = s;
  }
}

int main() {
  {
    constexpr int C = 4096;
    const int N = field::pick(16384, 5);
    Buffer in(size_t(N) * C * 4, 1), w(C * 4, 2), b(C * 4, 3), out(size_t(N) * C * 4, 4);
    field::measure("layernorm-smem", out, [&] {
      layernorm_smem_kernel<C, 256>
          <<<N, 256>>>(out.as<float>(), in.as<float>(), w.as<float>(), b.as<float>(), 1e-5f);
    });
  }
  {
    const int C = 768, N = field::pick(65536, 21);
    Buffer in(size_t(N) * C * 4, 5), w(C * 4, 6), b(C * 4, 7), out(size_t(N) * C * 4, 8);
    Buffer mean(size_t(N) * 4, 9), rstd(size_t(N) * 4, 10);
    const int block_y = 256 / 32;
    const size_t smem = (2 + block_y) * C * sizeof(float);
    field::measure("layernorm-warp-rows", out, [&] {
      layernorm_forward_kernel6<<<(N + block_y - 1) / block_y, dim3(32, block_y), smem>>>(
          out.as<float>(), mean.as<float>(), rstd.as<float>(), in.as<float>(), w.as<float>(),
          b.as<float>(), N, C);
    });
  }
}
