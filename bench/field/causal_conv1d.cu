// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The causal convolution of four steps that state space models have in front: with channels last,
// chunks of 64 steps by 64 channels and three steps of halo in padded rows, in and out by vectors;
// and with the sequence last, a chunk of one channel and its halo.

#include "field.cuh"

#include <cuda_fp16.h>

struct ConvParamsBase {
  int batch, dim, seqlen, width;
  int x_batch_stride, x_l_stride;
  int out_batch_stride, out_l_stride;
  const half *x_ptr;
  const float *weight_ptr, *bias_ptr;
  half *out_ptr;
  bool silu_activation;
};

template <int kNThreads_, int kWidth_, int kChunkSizeL_> struct Causal_conv1d_channellast_traits {
  using input_t = half;
  using vec_t = uint4;
  static constexpr int kNThreads = kNThreads_;
  static constexpr int kWidth = kWidth_;
  static constexpr int kChunkSizeL = kChunkSizeL_;
  static constexpr int kNElts = 16 / sizeof(input_t);
  static constexpr int kNEltsPerRow = 128 / sizeof(input_t);
  static constexpr int kNThreadsPerRow = kNEltsPerRow / kNElts;
  static constexpr int kNColsPerLoad = kNThreads / kNThreadsPerRow;
  static constexpr int kNLoads = kChunkSizeL / kNColsPerLoad;
};

template <typename Ktraits>
__global__ __launch_bounds__(Ktraits::kNThreads) void causal_conv1d_channellast_fwd_kernel(
    ConvParamsBase params) {
  constexpr int kWidth = Ktraits::kWidth;
  constexpr int kNElts = Ktraits::kNElts;
  constexpr int kNThreadsPerC = Ktraits::kNThreadsPerRow;
  constexpr int kLPerLoad = Ktraits::kNColsPerLoad;
  constexpr int kChunkSizeL = Ktraits::kChunkSizeL;
  constexpr int kChunkSizeC = Ktraits::kNEltsPerRow;
  using input_t = typename Ktraits::input_t;
  using vec_t = typename Ktraits::vec_t;

  // Shared memory.
  __shared__ input_t x_smem[kWidth - 1 + kChunkSizeL][kChunkSizeC + kNElts];

  const int batch_id = blockIdx.x;
  const int chunk_l_id = blockIdx.y;
  const int chunk_c_id = blockIdx.z;
  const int tid = threadIdx.x;
  const int l_idx = tid / kNThreadsPerC;
  const int c_idx = tid % kNThreadsPerC;
  const input_t *x = params.x_ptr + batch_id * params.x_batch_stride +
                     (chunk_l_id * kChunkSizeL + l_idx) * params.x_l_stride +
                     chunk_c_id * kChunkSizeC + c_idx * kNElts;
  input_t *out = params.out_ptr + batch_id * params.out_batch_stride +
                 (chunk_l_id * kChunkSizeL + l_idx) * params.out_l_stride +
                 chunk_c_id * kChunkSizeC + c_idx * kNElts;

#pragma tma load
#pragma unroll
  for (int l = 0; l < Ktraits::kNLoads; ++l) {
    input_t x_vals_load[kNElts] = {};
    if (chunk_l_id * kChunkSizeL + l * kLPerLoad + l_idx < params.seqlen &&
        chunk_c_id * kChunkSizeC + c_idx * kNElts < params.dim) {
      reinterpret_cast<vec_t *>(x_vals_load)[0] =
          *reinterpret_cast<const vec_t *>(x + l * kLPerLoad * params.x_l_stride);
    }
    reinterpret_cast<vec_t *>(x_smem[kWidth - 1 + l * kLPerLoad + l_idx])[c_idx] =
        reinterpret_cast<vec_t *>(x_vals_load)[0];
  }
  // Load the elements from the previous chunk that are needed for convolution.
#pragma tma load
  if (l_idx < kWidth - 1) {
    input_t x_vals_load[kNElts] = {};
    if (chunk_l_id * kChunkSizeL + l_idx - (kWidth - 1) >= 0 &&
        chunk_l_id * kChunkSizeL + l_idx - (kWidth - 1) < params.seqlen &&
        chunk_c_id * kChunkSizeC + c_idx * kNElts < params.dim) {
      reinterpret_cast<vec_t *>(x_vals_load)[0] =
          *reinterpret_cast<const vec_t *>(x - (kWidth - 1) * params.x_l_stride);
    }
    reinterpret_cast<vec_t *>(x_smem[l_idx])[c_idx] = reinterpret_cast<vec_t *>(x_vals_load)[0];
  }
  __syncthreads();

  constexpr int kLPerThread = kChunkSizeL * kChunkSizeC / Ktraits::kNThreads;
  constexpr int kNThreadsPerRow = kChunkSizeL / kLPerThread;
  const int row_idx = tid / kNThreadsPerRow;
  const int col_idx = tid % kNThreadsPerRow;
  const int c = chunk_c_id * kChunkSizeC + row_idx;

  const float bias_val = c < params.dim ? params.bias_ptr[c] : 0.f;
  float weight_vals[kWidth] = {0};
  if (c < params.dim) {
#pragma unroll
    for (int w = 0; w < kWidth; ++w)
      weight_vals[w] = params.weight_ptr[c * kWidth + w];
  }
  float x_vals[kWidth - 1 + kLPerThread];
#pragma unroll
  for (int i = 0; i < kWidth - 1 + kLPerThread; ++i)
    x_vals[i] = __half2float(x_smem[col_idx * kLPerThread + i][row_idx]);

  float out_vals[kLPerThread];
#pragma unroll
  for (int i = 0; i < kLPerThread; ++i) {
    out_vals[i] = bias_val;
#pragma unroll
    for (int w = 0; w < kWidth; ++w)
      out_vals[i] += weight_vals[w] * x_vals[i + w];
    if (params.silu_activation)
      out_vals[i] = out_vals[i] / (1 + __expf(-out_vals[i]));
  }

  __syncthreads();
#pragma unroll
  for (int i = 0; i < kLPerThread; ++i)
    x_smem[col_idx * kLPerThread + i][row_idx] = __float2half(out_vals[i]);
  __syncthreads();

#pragma tma store
#pragma unroll
  for (int l = 0; l < Ktraits::kNLoads; ++l) {
    if (chunk_l_id * kChunkSizeL + l * kLPerLoad + l_idx < params.seqlen &&
        chunk_c_id * kChunkSizeC + c_idx * kNElts < params.dim) {
      *reinterpret_cast<vec_t *>(out + l * kLPerLoad * params.out_l_stride) =
          reinterpret_cast<vec_t *>(x_smem[l * kLPerLoad + l_idx])[c_idx];
    }
  }
}

#define CHUNK 1024
#define KERNEL_SIZE 4

// x and y are (batch * channels, length): a block has a chunk of one channel.
__global__ void causal_conv1d_kernel(const float *__restrict__ x, const float *__restrict__ weight,
                                     const float *__restrict__ bias, float *__restrict__ y,
                                     int channels, int length) {
  __shared__ float s_x[CHUNK + KERNEL_SIZE - 1];
  const int row = blockIdx.y, channel = row % channels;
  const int start = blockIdx.x * CHUNK;
  const float *x_row = x + (size_t)row * length;

#pragma tma load
  for (int i = threadIdx.x; i < CHUNK + KERNEL_SIZE - 1; i += blockDim.x) {
    int pos = start + i - (KERNEL_SIZE - 1);
    s_x[i] = (pos >= 0 && pos < length) ? x_row[pos] : 0.0f;
  }
  __syncthreads();

  for (int i = threadIdx.x; i < CHUNK && start + i < length; i += blockDim.x) {
    float acc = bias[channel];
#pragma unroll
    for (int k = 0; k < KERNEL_SIZE; k++)
      acc += weight[channel * KERNEL_SIZE + k] * s_x[i + k];
    y[(size_t)row * length + start + i] = acc / (1.0f + expf(-acc));
  }
}

__global__ void fill_half(half *p, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    p[i] = __float2half(float((i * 2654435761u >> 7) % 1000) * 0.002f - 1.0f);
}

int main() {
  ConvParamsBase p;
  p.batch = field::pick(8, 2), p.dim = field::pick(2048, 72), p.seqlen = field::pick(8190, 150);
  p.width = 4, p.silu_activation = true;
  p.x_l_stride = p.out_l_stride = p.dim;
  p.x_batch_stride = p.out_batch_stride = p.dim * p.seqlen;
  const size_t count = size_t(p.batch) * p.dim * p.seqlen;
  Buffer w(p.dim * 4 * 4, 3), b(p.dim * 4, 4);
  p.weight_ptr = w.as<float>(), p.bias_ptr = b.as<float>();
  {
    Buffer x(count * 2, 1), out(count * 2, 2);
    fill_half<<<blocks_for(count), 256>>>(x.as<half>(), count);
    p.x_ptr = x.as<half>(), p.out_ptr = out.as<half>();
    using Ktraits = Causal_conv1d_channellast_traits<128, 4, 64>;
    field::measure("causal-conv1d-channels-last", out, [&] {
      dim3 grid(p.batch, (p.seqlen + Ktraits::kChunkSizeL - 1) / Ktraits::kChunkSizeL,
                (p.dim + Ktraits::kNEltsPerRow - 1) / Ktraits::kNEltsPerRow);
      causal_conv1d_channellast_fwd_kernel<Ktraits><<<grid, Ktraits::kNThreads>>>(p);
    });
  }
  for (int length : {field::pick(8192, 2048), field::pick(8190, 2046)}) {
    const int channels = field::pick(2048, 3), batch = field::pick(4, 1);
    const size_t bytes = size_t(batch) * channels * length * 4;
    Buffer x(bytes, 5), out(bytes, 6);
    field::measure(length % 4 ? "causal-conv1d-odd" : "causal-conv1d", out, [&] {
      dim3 grid((length + CHUNK - 1) / CHUNK, batch * channels);
      causal_conv1d_kernel<<<grid, 256>>>(x.as<float>(), w.as<float>(), b.as<float>(),
                                          out.as<float>(), channels, length);
    });
  }
}
