// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speckle reducing anisotropic diffusion in two kernels: the first computes derivatives and the
// coefficient of diffusion, the second the divergence and the new image. A tile holds the block's
// cells, and one tile each the cells of the neighbours, which are the block's own at the border.

#include "field.cuh"

#define BLOCK_SIZE 16

__global__ void srad_cuda_1(float *E_C, float *W_C, float *N_C, float *S_C, float *J_cuda,
                            float *C_cuda, int cols, int rows, float q0sqr) {
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;

  int index = cols * BLOCK_SIZE * by + BLOCK_SIZE * bx + cols * ty + tx;
  int index_n = cols * BLOCK_SIZE * by + BLOCK_SIZE * bx + tx - cols;
  int index_s = cols * BLOCK_SIZE * by + BLOCK_SIZE * bx + cols * BLOCK_SIZE + tx;
  int index_w = cols * BLOCK_SIZE * by + BLOCK_SIZE * bx + cols * ty - 1;
  int index_e = cols * BLOCK_SIZE * by + BLOCK_SIZE * bx + cols * ty + BLOCK_SIZE;

  float n, w, e, s, jc, g2, l, num, den, qsqr, c;

  __shared__ float temp[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float temp_result[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float north[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float south[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float east[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float west[BLOCK_SIZE][BLOCK_SIZE];

  // the cells of the neighbours, at the border those of the block
  if (by == 0)
    index_n = BLOCK_SIZE * bx + tx;
  if (by == gridDim.y - 1)
    index_s = cols * BLOCK_SIZE * (gridDim.y - 1) + BLOCK_SIZE * bx + cols * (BLOCK_SIZE - 1) + tx;
  if (bx == 0)
    index_w = cols * BLOCK_SIZE * by + cols * ty;
  if (bx == gridDim.x - 1)
    index_e = cols * BLOCK_SIZE * by + BLOCK_SIZE * (gridDim.x - 1) + cols * ty + BLOCK_SIZE - 1;

#pragma tma load fallback(loop)
  north[ty][tx] = J_cuda[index_n];
#pragma tma load fallback(loop)
  south[ty][tx] = J_cuda[index_s];
#pragma tma load fallback(loop)
  west[ty][tx] = J_cuda[index_w];
#pragma tma load fallback(loop)
  east[ty][tx] = J_cuda[index_e];
#pragma tma load
  temp[ty][tx] = J_cuda[index];
  __syncthreads();

  jc = temp[ty][tx];

  n = (ty == 0 ? north[ty][tx] : temp[ty - 1][tx]) - jc;
  s = (ty == BLOCK_SIZE - 1 ? south[ty][tx] : temp[ty + 1][tx]) - jc;
  w = (tx == 0 ? west[ty][tx] : temp[ty][tx - 1]) - jc;
  e = (tx == BLOCK_SIZE - 1 ? east[ty][tx] : temp[ty][tx + 1]) - jc;

  g2 = (n * n + s * s + w * w + e * e) / (jc * jc);
  l = (n + s + w + e) / jc;

  num = (0.5f * g2) - ((1.0f / 16.0f) * (l * l));
  den = 1 + (.25f * l);
  qsqr = num / (den * den);

  // diffusion coefficient
  den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
  c = 1.0f / (1.0f + den);

  // saturate diffusion coefficient
  if (c < 0) {
    temp_result[ty][tx] = 0;
  } else if (c > 1) {
    temp_result[ty][tx] = 1;
  } else {
    temp_result[ty][tx] = c;
  }
  __syncthreads();

#pragma tma store
  C_cuda[index] = temp_result[ty][tx];
  E_C[index] = e;
  W_C[index] = w;
  S_C[index] = s;
  N_C[index] = n;
}

__global__ void srad_cuda_2(float *E_C, float *W_C, float *N_C, float *S_C, float *J_cuda,
                            float *J_out, float *C_cuda, int cols, int rows, float lambda) {
  int bx = blockIdx.x;
  int by = blockIdx.y;
  int tx = threadIdx.x;
  int ty = threadIdx.y;

  int index = cols * BLOCK_SIZE * by + BLOCK_SIZE * bx + cols * ty + tx;
  int index_s = cols * BLOCK_SIZE * by + BLOCK_SIZE * bx + cols * BLOCK_SIZE + tx;
  int index_e = cols * BLOCK_SIZE * by + BLOCK_SIZE * bx + cols * ty + BLOCK_SIZE;
  float cc, cn, cs, ce, cw, d_sum;

  __shared__ float south_c[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float east_c[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float c_cuda_temp[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float c_cuda_result[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float temp[BLOCK_SIZE][BLOCK_SIZE];

#pragma tma load
  temp[ty][tx] = J_cuda[index];
  __syncthreads();

  if (by == gridDim.y - 1)
    index_s = cols * BLOCK_SIZE * (gridDim.y - 1) + BLOCK_SIZE * bx + cols * (BLOCK_SIZE - 1) + tx;
#pragma tma load fallback(loop)
  south_c[ty][tx] = C_cuda[index_s];
  __syncthreads();

  if (bx == gridDim.x - 1)
    index_e = cols * BLOCK_SIZE * by + BLOCK_SIZE * (gridDim.x - 1) + cols * ty + BLOCK_SIZE - 1;
#pragma tma load fallback(loop)
  east_c[ty][tx] = C_cuda[index_e];
  __syncthreads();

#pragma tma load
  c_cuda_temp[ty][tx] = C_cuda[index];
  __syncthreads();

  cc = c_cuda_temp[ty][tx];
  cn = cc;
  cs = ty == BLOCK_SIZE - 1 ? south_c[ty][tx] : c_cuda_temp[ty + 1][tx];
  cw = cc;
  ce = tx == BLOCK_SIZE - 1 ? east_c[ty][tx] : c_cuda_temp[ty][tx + 1];

  // divergence (equ 58)
  d_sum = cn * N_C[index] + cs * S_C[index] + cw * W_C[index] + ce * E_C[index];

  // image update (equ 61)
  c_cuda_result[ty][tx] = temp[ty][tx] + 0.25f * lambda * d_sum;
  __syncthreads();

#pragma tma store
  J_out[index] = c_cuda_result[ty][tx];
}

int main() {
  const int cols = field::pick(4096, 48), rows = field::pick(4096, 32);
  const size_t bytes = size_t(cols) * rows * sizeof(float);
  Buffer J(bytes, 1), C(bytes, 2), E(bytes, 3), W(bytes, 4), N(bytes, 5), S(bytes, 6);
  Buffer result(bytes, 7);
  dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
  dim3 dimGrid(cols / BLOCK_SIZE, rows / BLOCK_SIZE);
  field::measure("srad-1", C, [&] {
    srad_cuda_1<<<dimGrid, dimBlock>>>(E.as<float>(), W.as<float>(), N.as<float>(), S.as<float>(),
                                       J.as<float>(), C.as<float>(), cols, rows, 0.05f);
  });
  field::measure("srad-2", result, [&] {
    srad_cuda_2<<<dimGrid, dimBlock>>>(E.as<float>(), W.as<float>(), N.as<float>(), S.as<float>(),
                                       J.as<float>(), result.as<float>(), C.as<float>(), cols, rows,
                                       0.5f);
  });
}
