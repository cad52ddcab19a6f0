// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlashAttention's forward pass as those write it who want to show it on one page: a warp for each
// head of each sequence, tiles of floats one behind the other in shared memory, each thread copies
// and computes the row that is its own.

#include "field.cuh"

#include <cmath>

template <int Bc, int Br, int d>
__global__ void forward_kernel(const float *Q, const float *K, const float *V, const int N,
                               const int Tc, const int Tr, const float softmax_scale, float *l,
                               float *m, float *O) {
  int tx = threadIdx.x;
  int bx = blockIdx.x, by = blockIdx.y; // batch and head index

  // Offset into Q,K,V,O,l,m - different for each batch and head
  int qkv_offset = (bx * gridDim.y * N * d) + (by * N * d);
  int lm_offset = (bx * gridDim.y * N) + (by * N);

  extern __shared__ float sram[];
  constexpr int tile_size = Bc * d;
  float *Qi = sram;
  float *Kj = &sram[tile_size];
  float *Vj = &sram[tile_size * 2];
  float *S = &sram[tile_size * 3];

  for (int j = 0; j < Tc; j++) {
    // Load Kj, Vj to SRAM
#pragma tma load
    for (int x = 0; x < d; x++) {
      Kj[(tx * d) + x] = K[qkv_offset + (tile_size * j) + (tx * d) + x];
      Vj[(tx * d) + x] = V[qkv_offset + (tile_size * j) + (tx * d) + x];
    }
    __syncthreads();

    for (int i = 0; i < Tr; i++) {
      // Load Qi to SRAM, l and m to registers
#pragma tma load
      for (int x = 0; x < d; x++) {
        Qi[(tx * d) + x] = Q[qkv_offset + (tile_size * i) + (tx * d) + x];
      }
      float row_m_prev = m[lm_offset + (Br * i) + tx];
      float row_l_prev = l[lm_offset + (Br * i) + tx];

      // S = QK^T, row_m = rowmax(S)
      float row_m = -INFINITY;
      for (int y = 0; y < Bc; y++) {
        float sum = 0;
        for (int x = 0; x < d; x++) {
          sum += Qi[(tx * d) + x] * Kj[(y * d) + x];
        }
        sum *= softmax_scale;
        S[(Bc * tx) + y] = sum;
        if (sum > row_m)
          row_m = sum;
      }

      // P = exp(S - row_m), row_l = rowsum(P)
      float row_l = 0;
      for (int y = 0; y < Bc; y++) {
        S[(Bc * tx) + y] = __expf(S[(Bc * tx) + y] - row_m);
        row_l += S[(Bc * tx) + y];
      }

      float row_m_new = max(row_m_prev, row_m);
      float row_l_new =
          (__expf(row_m_prev - row_m_new) * row_l_prev) + (__expf(row_m - row_m_new) * row_l);

      // Write O, l, m to HBM
      for (int x = 0; x < d; x++) {
        float pv = 0;
        for (int y = 0; y < Bc; y++) {
          pv += S[(Bc * tx) + y] * Vj[(y * d) + x];
        }
        O[qkv_offset + (tile_size * i) + (tx * d) + x] =
            (1 / row_l_new) * ((row_l_prev * __expf(row_m_prev - row_m_new) *
                                O[qkv_offset + (tile_size * i) + (tx * d) + x]) +
                               (__expf(row_m - row_m_new) * pv));
      }
      m[lm_offset + (Br * i) + tx] = row_m_new;
      l[lm_offset + (Br * i) + tx] = row_l_new;
    }
    __syncthreads(); // otherwise, thread can use the wrong Kj, Vj in inner loop
  }
}

// The same with queries outside, as the second FlashAttention has them: a block for each tile of
// queries, which stay in shared memory, and the result is kept in registers.
template <int Bc, int Br, int d>
__global__ void forward_kernel_v2(const float *__restrict__ Q, const float *__restrict__ K,
                                  const float *__restrict__ V, float *__restrict__ O, int N,
                                  float scale) {
  __shared__ float q_tile[Br][d + 1];
  __shared__ float k_tile[Bc][d];
  __shared__ float v_tile[Bc][d];

  const int tid = threadIdx.x;
  const int q_start = blockIdx.x * Br;
  const size_t base = (size_t)(blockIdx.z * gridDim.y + blockIdx.y) * N * d;

#pragma tma load
  for (int i = tid; i < Br * d; i += Br) {
    int r = i / d, c = i % d;
    q_tile[r][c] = (q_start + r < N) ? Q[base + (size_t)(q_start + r) * d + c] : 0.0f;
  }

  float m_i = -INFINITY, l_i = 0.0f;
  float acc[d];
  for (int x = 0; x < d; x++)
    acc[x] = 0.0f;

  for (int k_start = 0; k_start < N; k_start += Bc) {
    __syncthreads();
#pragma tma load
    for (int i = tid; i < Bc * d; i += Br) {
      int r = i / d, c = i % d;
      if (k_start + r < N) {
        k_tile[r][c] = K[base + (size_t)(k_start + r) * d + c];
        v_tile[r][c] = V[base + (size_t)(k_start + r) * d + c];
      } else {
        k_tile[r][c] = 0.0f;
        v_tile[r][c] = 0.0f;
      }
    }
    __syncthreads();

    for (int y = 0; y < Bc && k_start + y < N; y++) {
      float s = 0.0f;
#pragma unroll
      for (int x = 0; x < d; x++)
        s += q_tile[tid][x] * k_tile[y][x];
      s *= scale;
      float m_new = fmaxf(m_i, s);
      float p = __expf(s - m_new), correction = __expf(m_i - m_new);
      l_i = l_i * correction + p;
#pragma unroll
      for (int x = 0; x < d; x++)
        acc[x] = acc[x] * correction + p * v_tile[y][x];
      m_i = m_new;
    }
  }
  if (q_start + tid < N) {
    for (int x = 0; x < d; x++)
      O[base + (size_t)(q_start + tid) * d + x] = acc[x] / l_i;
  }
}

__global__ void init_lm(float *l, float *m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    l[i] = 0.0f;
    m[i] = -INFINITY;
  }
}

int main() {
  const int Bc = 32, Br = 32, d = 64;
  const int B = field::pick(16, 1), nh = field::pick(12, 2);
  {
    const int N = field::pick(128, 64);
    const int Tc = N / Bc, Tr = N / Br, rows = B * nh * N;
    const float softmax_scale = 1.0f / sqrtf(float(d));
    Buffer q(size_t(rows) * d * 4, 1), k(size_t(rows) * d * 4, 2), v(size_t(rows) * d * 4, 3);
    Buffer o(size_t(rows) * d * 4, 4), l(size_t(rows) * 4, 5), m(size_t(rows) * 4, 6);
    const int sram_size = (3 * Bc * d * sizeof(float)) + (Bc * Br * sizeof(float));
    field::measure("attention-minimal", o, [&] {
      init_lm<<<(rows + 255) / 256, 256>>>(l.as<float>(), m.as<float>(), rows);
      dim3 grid_dim(B, nh); // batch_size x num_heads
      dim3 block_dim(Bc);   // Bc threads per block
      forward_kernel<Bc, Br, d><<<grid_dim, block_dim, sram_size>>>(
          q.as<float>(), k.as<float>(), v.as<float>(), N, Tc, Tr, softmax_scale, l.as<float>(),
          m.as<float>(), o.as<float>());
    });
  }
  {
    const int N = field::pick(1000, 77);
    const size_t bytes = size_t(B) * nh * N * d * 4;
    Buffer q(bytes, 7), k(bytes, 8), v(bytes, 9), o(bytes, 10);
    field::measure("attention-minimal-v2", o, [&] {
      dim3 grid((N + 63) / 64, nh, B);
      forward_kernel_v2<32, 64, 64>
          <<<grid, 64>>>(q.as<float>(), k.as<float>(), v.as<float>(), o.as<float>(), N, 0.125f);
    });
  }
}
