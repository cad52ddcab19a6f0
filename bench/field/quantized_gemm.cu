// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of activations in half precision and quantized weights that the kernel dequantizes:
// int8 weights that go through a tile of their own; int4 weights, eight in a word, that are
// dequantized on their way to shared memory, with a padded and guarded tile of activations;
// and the matrix-vector product of the first GPTQ programs, with the vector in shared memory.

#include "field.cuh"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

#define DIVUP(a, b) (((a) + (b) - 1) / (b))

__global__ void fillHalves(half *x, size_t n, unsigned seed, float scale, float offset) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned h = (unsigned(i) + seed) * 2654435761u;
    x[i] = __float2half(float(h >> 20) / 4096.0f * scale + offset);
  }
}

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> FragA;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> FragC;

// weight: N x K, one scale for each of its rows.
__global__ void __launch_bounds__(128)
    gemm_w8a16(const half *__restrict__ input, const int8_t *__restrict__ weight,
               const half *__restrict__ scales, half *__restrict__ output, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 64, PAD = 8;
  __shared__ half a_smem[BM][BK + PAD];
  __shared__ half b_smem[BN][BK + PAD];
  __shared__ __align__(16) int8_t q_smem[BN][BK];
  __shared__ float c_smem[BM][BN + 4];
  const int tid = threadIdx.x, warp = tid / 32;
  const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
  FragC acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::fill_fragment(acc[i][j], 0.0f);

  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma tma load
#pragma unroll
    for (int i = tid; i < BM * BK / 8; i += 128) {
      const int r = i / (BK / 8), c = i % (BK / 8) * 8;
      *reinterpret_cast<uint4 *>(&a_smem[r][c]) =
          *reinterpret_cast<const uint4 *>(&input[(m0 + r) * K + k0 + c]);
    }
#pragma tma load
#pragma unroll
    for (int i = tid; i < BN * BK / 16; i += 128) {
      const int r = i / (BK / 16), c = i % (BK / 16) * 16;
      *reinterpret_cast<int4 *>(&q_smem[r][c]) =
          *reinterpret_cast<const int4 *>(&weight[(n0 + r) * K + k0 + c]);
    }
    __syncthreads();
#pragma unroll
    for (int i = tid; i < BN * BK / 4; i += 128) {
      const int r = i / (BK / 4), c = i % (BK / 4) * 4;
      const char4 q = *reinterpret_cast<const char4 *>(&q_smem[r][c]);
      *reinterpret_cast<half2 *>(&b_smem[r][c]) = __floats2half2_rn(q.x, q.y);
      *reinterpret_cast<half2 *>(&b_smem[r][c + 2]) = __floats2half2_rn(q.z, q.w);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      FragA a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(a[i], &a_smem[warp / 2 * 32 + i * 16][kk], BK + PAD);
        wmma::load_matrix_sync(b[i], &b_smem[warp % 2 * 32 + i * 16][kk], BK + PAD);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(&c_smem[warp / 2 * 32 + i * 16][warp % 2 * 32 + j * 16], acc[i][j],
                              BN + 4, wmma::mem_row_major);
  __syncthreads();
  for (int i = tid; i < BM * BN; i += 128) {
    const int r = i / BN, c = i % BN;
    output[(m0 + r) * N + n0 + c] = __float2half(c_smem[r][c] * __half2float(scales[n0 + c]));
  }
}

#define GROUP_SIZE 128

// qweight: K x N / 8, zeros: K / 128 x N / 8, scales: K / 128 x N. M is what the batch has.
__global__ void __launch_bounds__(128)
    gemm_w4a16(const half *__restrict__ A, const uint32_t *__restrict__ qweight,
               const half *__restrict__ scales, const uint32_t *__restrict__ zeros,
               half *__restrict__ C, int M, int N, int K) {
  __shared__ half A_shared[64 * (32 + 8)];
  __shared__ half B_shared[32 * (64 + 8)];
  __shared__ half C_shared[64 * 64];
  const int warp = threadIdx.x / 32;
  const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::fill_fragment(acc[i][j], __float2half(0.0f));

  for (int k0 = 0; k0 < K; k0 += 32) {
    __syncthreads();
#pragma tma load
    for (int ax0 = 0; ax0 < 2; ++ax0) {
      const int row = ax0 * 32 + threadIdx.x / 4, col = threadIdx.x % 4 * 8;
      if (m0 + row < M)
        *(uint4 *)(A_shared + row * 40 + col) = *(uint4 *)(A + (m0 + row) * K + k0 + col);
      else
        *(uint4 *)(A_shared + row * 40 + col) = make_uint4(0, 0, 0, 0);
    }
    const int group = k0 / GROUP_SIZE;
#pragma tma load fallback(loop)
    for (int ax1 = 0; ax1 < 2; ++ax1) {
      const int k = ax1 * 16 + threadIdx.x / 8, word = threadIdx.x % 8;
      const uint32_t q = qweight[(k0 + k) * (N / 8) + n0 / 8 + word];
      const uint32_t z = zeros[group * (N / 8) + n0 / 8 + word];
      for (int e = 0; e < 8; ++e) {
        const int value = int(q >> (e * 4) & 15) - int(z >> (e * 4) & 15);
        B_shared[k * 72 + word * 8 + e] =
            __hmul(__int2half_rn(value), scales[group * N + n0 + word * 8 + e]);
      }
    }
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      FragA a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(a[i], A_shared + (warp / 2 * 32 + i * 16) * 40 + kk, 40);
        wmma::load_matrix_sync(b[i], B_shared + kk * 72 + warp % 2 * 32 + i * 16, 72);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
  }

  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(C_shared + (warp / 2 * 32 + i * 16) * 64 + warp % 2 * 32 + j * 16,
                              acc[i][j], 64, wmma::mem_row_major);
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 64 * 8; i += 128) {
    const int row = i / 8, col = i % 8 * 8;
    if (m0 + row < M)
      *(uint4 *)(C + (m0 + row) * N + n0 + col) = *(uint4 *)(C_shared + row * 64 + col);
  }
}

const int BLOCKWIDTH = 256;
const int BLOCKHEIGHT = 32;

// mat: height x width words, of which each has eight weights of a column.
__global__ void VecQuant4MatMulKernel(const float *__restrict__ vec, const int *__restrict__ mat,
                                      float *__restrict__ mul, const float *__restrict__ scales,
                                      const float *__restrict__ zeros, int height, int width) {
  const int col = BLOCKWIDTH * blockIdx.x + threadIdx.x;
  const int b = blockIdx.y;
  __shared__ float blockvec[BLOCKHEIGHT * 8];

  const float scale = scales[col];
  const float zero = zeros[col];
  float res = 0;
  for (int row = 0; row < height; row += BLOCKHEIGHT) {
    __syncthreads();
#pragma tma load
    blockvec[threadIdx.x] = vec[b * height * 8 + row * 8 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < BLOCKHEIGHT; ++i) {
      const unsigned int tmp = mat[(row + i) * width + col];
      for (int e = 0; e < 8; ++e)
        res += (scale * float((tmp >> (e * 4)) & 0xF) - zero) * blockvec[i * 8 + e];
    }
  }
  mul[b * width + col] = res;
}

int main() {
  const int blocks = field::pick(256, 2);
  const int m = field::pick(1024, 128), n = field::pick(4096, 128), k = field::pick(4096, 256);
  Buffer a(size_t(m) * k * 2, 1), w(size_t(n) * k, 2), s(size_t(n) * k / GROUP_SIZE * 2, 3);
  Buffer z(size_t(n) * k / GROUP_SIZE / 2, 4), c(size_t(m) * n * 2, 5);
  fillHalves<<<blocks, 256>>>(a.as<half>(), size_t(m) * k, 1, 0.25f, -0.125f);
  fillHalves<<<blocks, 256>>>(s.as<half>(), size_t(n) * k / GROUP_SIZE, 2, 0.01f, 0.005f);
  field::measure("gemm-w8a16", c, [&] {
    gemm_w8a16<<<dim3(n / 64, m / 64), 128>>>(a.as<half>(), w.as<int8_t>(), s.as<half>(),
                                              c.as<half>(), m, n, k);
  });
  const int batch = m - 41;
  field::measure("gemm-w4a16", c, [&] {
    gemm_w4a16<<<dim3(n / 64, DIVUP(batch, 64)), 128>>>(
        a.as<half>(), w.as<uint32_t>(), s.as<half>(), z.as<uint32_t>(), c.as<half>(), batch, n, k);
  });
  const int height = field::pick(1024, 64), width = field::pick(8192, 512), vectors = 8;
  Buffer vec(size_t(vectors) * height * 32, 6), mat(size_t(height) * width * 4, 7);
  Buffer scales(size_t(width) * 4, 8), zeros(size_t(width) * 4, 9);
  Buffer mul(size_t(vectors) * width * 4, 10);
  field::measure("matvec-4bit", mul, [&] {
    dim3 grid(DIVUP(width, BLOCKWIDTH), vectors);
    VecQuant4MatMulKernel<<<grid, BLOCKWIDTH>>>(vec.as<float>(), mat.as<int>(), mul.as<float>(),
                                                scales.as<float>(), zeros.as<float>(), height,
                                                width);
  });
}
