// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products that overlap their loads and arithmetic by hand: the next tiles are loaded into
// registers early and stored to shared memory late; two buffers take turns by `cur ^ 1`; and
// both at once, as most of the fast SGEMMs for older GPUs have it, with A transposed on the way.

#include "field.cuh"

#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8
#define FLOAT4(x) (reinterpret_cast<float4 *>(&(x))[0])
#define CFLOAT4(x) (reinterpret_cast<const float4 *>(&(x))[0])

__device__ __forceinline__ void computeTile(float (*s_a)[BM], float (*s_b)[BN],
                                            float (&r_c)[TM][TN], int tx, int ty) {
  float r_a[TM], r_b[TN];
#pragma unroll
  for (int k = 0; k < BK; k++) {
    FLOAT4(r_a[0]) = FLOAT4(s_a[k][ty * TM / 2]);
    FLOAT4(r_a[4]) = FLOAT4(s_a[k][ty * TM / 2 + BM / 2]);
    FLOAT4(r_b[0]) = FLOAT4(s_b[k][tx * TN / 2]);
    FLOAT4(r_b[4]) = FLOAT4(s_b[k][tx * TN / 2 + BN / 2]);
#pragma unroll
    for (int m = 0; m < TM; m++)
#pragma unroll
      for (int n = 0; n < TN; n++)
        r_c[m][n] += r_a[m] * r_b[n];
  }
}

__device__ __forceinline__ void storeTile(float *c, float (&r_c)[TM][TN], int tx, int ty, int N) {
#pragma unroll
  for (int i = 0; i < TM; i++) {
    int row = blockIdx.y * BM + ty * TM / 2 + i % 4 + i / 4 * BM / 2;
    int col = blockIdx.x * BN + tx * TN / 2;
    FLOAT4(c[row * N + col]) = FLOAT4(r_c[i][0]);
    FLOAT4(c[row * N + col + BN / 2]) = FLOAT4(r_c[i][4]);
  }
}

// C = A^T * B: a tile of A^T already is as the product reads it.
__global__ void sgemmPrefetchRegisters(const float *__restrict__ a, const float *__restrict__ b,
                                       float *__restrict__ c, int M, int N, int K) {
  __shared__ float s_a[BK][BM];
  __shared__ float s_b[BK][BN];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int tid = ty * blockDim.x + tx;
  const int load_k = tid >> 5, load_mn = (tid & 31) << 2;
  const int load_a_gmem_m = blockIdx.y * BM + load_mn;
  const int load_b_gmem_n = blockIdx.x * BN + load_mn;
  float r_c[TM][TN] = {0.0f};

  float4 r_load_a = CFLOAT4(a[load_k * M + load_a_gmem_m]);
  float4 r_load_b = CFLOAT4(b[load_k * N + load_b_gmem_n]);
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma tma load fallback(loop)
    FLOAT4(s_a[load_k][load_mn]) = r_load_a;
#pragma tma load fallback(loop)
    FLOAT4(s_b[load_k][load_mn]) = r_load_b;
    __syncthreads();
    if (k0 + BK < K) {
      r_load_a = CFLOAT4(a[(k0 + BK + load_k) * M + load_a_gmem_m]);
      r_load_b = CFLOAT4(b[(k0 + BK + load_k) * N + load_b_gmem_n]);
    }
    computeTile(s_a, s_b, r_c, tx, ty);
    __syncthreads();
  }
  storeTile(c, r_c, tx, ty, N);
}

// The same product with two buffers, of which one is filled directly while the other is used.
__global__ void sgemmDoubleBuffer(const float *__restrict__ a, const float *__restrict__ b,
                                  float *__restrict__ c, int M, int N, int K) {
  __shared__ float s_a[2][BK][BM];
  __shared__ float s_b[2][BK][BN];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int tid = ty * blockDim.x + tx;
  const int load_k = tid >> 5, load_mn = (tid & 31) << 2;
  const float *gmem_a = a + blockIdx.y * BM;
  const float *gmem_b = b + blockIdx.x * BN;
  float r_c[TM][TN] = {0.0f};

#pragma tma load
  FLOAT4(s_a[0][load_k][load_mn]) = CFLOAT4(gmem_a[load_k * M + load_mn]);
#pragma tma load
  FLOAT4(s_b[0][load_k][load_mn]) = CFLOAT4(gmem_b[load_k * N + load_mn]);
  __syncthreads();

  int cur = 0;
  for (int bk = 1; bk <= K / BK; bk++) {
    if (bk < K / BK) {
#pragma tma load
      FLOAT4(s_a[cur ^ 1][load_k][load_mn]) = CFLOAT4(gmem_a[(bk * BK + load_k) * M + load_mn]);
#pragma tma load
      FLOAT4(s_b[cur ^ 1][load_k][load_mn]) = CFLOAT4(gmem_b[(bk * BK + load_k) * N + load_mn]);
    }
    computeTile(s_a[cur], s_b[cur], r_c, tx, ty);
    __syncthreads();
    cur ^= 1;
  }
  storeTile(c, r_c, tx, ty, N);
}

// C = A * B with two buffers, registers in between, and A transposed on its way.
__global__ void sgemmDoubleBufferRegisters(float *__restrict__ a, float *__restrict__ b,
                                           float *__restrict__ c, const int M, const int N,
                                           const int K) {
  const int bx = blockIdx.x, by = blockIdx.y;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int tid = ty * blockDim.x + tx;
  __shared__ float s_a[2][BK][BM];
  __shared__ float s_b[2][BK][BN];
  float r_load_a[4], r_load_b[4];
  float r_c[TM][TN] = {0.0f};

  int load_a_smem_m = tid >> 1, load_a_smem_k = (tid & 1) << 2;
  int load_b_smem_k = tid >> 5, load_b_smem_n = (tid & 31) << 2;
  int load_a_gmem_m = by * BM + load_a_smem_m;
  int load_b_gmem_n = bx * BN + load_b_smem_n;

  {
    int load_a_gmem_addr = load_a_gmem_m * K + load_a_smem_k;
    int load_b_gmem_addr = load_b_smem_k * N + load_b_gmem_n;
    FLOAT4(r_load_a[0]) = FLOAT4(a[load_a_gmem_addr]);
    FLOAT4(r_load_b[0]) = FLOAT4(b[load_b_gmem_addr]);
    s_a[0][load_a_smem_k][load_a_smem_m] = r_load_a[0];
    s_a[0][load_a_smem_k + 1][load_a_smem_m] = r_load_a[1];
    s_a[0][load_a_smem_k + 2][load_a_smem_m] = r_load_a[2];
    s_a[0][load_a_smem_k + 3][load_a_smem_m] = r_load_a[3];
#pragma tma load fallback(loop)
    FLOAT4(s_b[0][load_b_smem_k][load_b_smem_n]) = FLOAT4(r_load_b[0]);
  }
  __syncthreads();

  for (int bk = 1; bk < (K + BK - 1) / BK; bk++) {
    int smem_sel = (bk - 1) & 1;
    int smem_sel_next = bk & 1;
    int load_a_gmem_addr = load_a_gmem_m * K + bk * BK + load_a_smem_k;
    int load_b_gmem_addr = (bk * BK + load_b_smem_k) * N + load_b_gmem_n;
    FLOAT4(r_load_a[0]) = FLOAT4(a[load_a_gmem_addr]);
    FLOAT4(r_load_b[0]) = FLOAT4(b[load_b_gmem_addr]);

    computeTile(s_a[smem_sel], s_b[smem_sel], r_c, tx, ty);

    s_a[smem_sel_next][load_a_smem_k][load_a_smem_m] = r_load_a[0];
    s_a[smem_sel_next][load_a_smem_k + 1][load_a_smem_m] = r_load_a[1];
    s_a[smem_sel_next][load_a_smem_k + 2][load_a_smem_m] = r_load_a[2];
    s_a[smem_sel_next][load_a_smem_k + 3][load_a_smem_m] = r_load_a[3];
#pragma tma load fallback(loop)
    FLOAT4(s_b[smem_sel_next][load_b_smem_k][load_b_smem_n]) = FLOAT4(r_load_b[0]);
    __syncthreads();
  }
  int last = (K / BK - 1) & 1;
  computeTile(s_a[last], s_b[last], r_c, tx, ty);
  storeTile(c, r_c, tx, ty, N);
}

int main() {
  const int m = field::pick(4096, 256), n = field::pick(4096, 128), k = field::pick(4096, 40);
  Buffer a(size_t(m) * k * 4, 1), b(size_t(k) * n * 4, 2), c(size_t(m) * n * 4, 3);
  dim3 block(BN / TN, BM / TM), grid(n / BN, m / BM);
  field::measure("sgemm-prefetch-registers", c, [&] {
    sgemmPrefetchRegisters<<<grid, block>>>(a.as<float>(), b.as<float>(), c.as<float>(), m, n, k);
  });
  field::measure("sgemm-double-buffer", c, [&] {
    sgemmDoubleBuffer<<<grid, block>>>(a.as<float>(), b.as<float>(), c.as<float>(), m, n, k);
  });
  field::measure("sgemm-double-buffer-registers", c, [&] {
    sgemmDoubleBufferRegisters<<<grid, block>>>(a.as<float>(), b.as<float>(), c.as<float>(), m, n,
                                                k);
  });
}
