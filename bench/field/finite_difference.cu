// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of periodic fields of 64 x 64 x 64 cells along x, y and z with a nine-point stencil:
// pencils of whole lines in shared memory, 4 lines of them or 32, the periodic images beside them.

#include "field.cuh"

const int mx = 64, my = 64, mz = 64;
const int sPencils = 4;  // small # pencils
const int lPencils = 32; // large # pencils

__constant__ float c_ax, c_bx, c_cx, c_dx;

// x derivatives: the field is [plane][j][i], any number of planes
template <int pencils> __global__ void derivative_x(const float *f, float *df) {
  __shared__ float s_f[pencils][mx + 8]; // 4-wide halo

  int i = threadIdx.x;
  int j = blockIdx.x * blockDim.y + threadIdx.y;
  int k = blockIdx.y;
  int si = i + 4;       // local i for shared memory access + halo offset
  int sj = threadIdx.y; // local j for shared memory access

  int globalIdx = k * mx * my + j * mx + i;
#pragma tma load
  s_f[sj][si] = f[globalIdx];
  __syncthreads();

  // periodic images
  if (i < 4) {
    s_f[sj][si - 4] = s_f[sj][si + mx - 4];
    s_f[sj][si + mx] = s_f[sj][si];
  }
  __syncthreads();

  df[globalIdx] =
      (c_ax * (s_f[sj][si + 1] - s_f[sj][si - 1]) + c_bx * (s_f[sj][si + 2] - s_f[sj][si - 2]) +
       c_cx * (s_f[sj][si + 3] - s_f[sj][si - 3]) + c_dx * (s_f[sj][si + 4] - s_f[sj][si - 4]));
}

// 32 lines at once: 64 x 32 cells by 64 x 8 threads
__global__ void derivative_x_lPencils(const float *f, float *df) {
  __shared__ float s_f[lPencils][mx + 8];

  int i = threadIdx.x;
  int jBase = blockIdx.x * lPencils;
  int k = blockIdx.y;
  int si = i + 4;

#pragma tma load
  for (int sj = threadIdx.y; sj < lPencils; sj += blockDim.y) {
    int globalIdx = k * mx * my + (jBase + sj) * mx + i;
    s_f[sj][si] = f[globalIdx];
  }
  __syncthreads();

  if (i < 4) {
    for (int sj = threadIdx.y; sj < lPencils; sj += blockDim.y) {
      s_f[sj][si - 4] = s_f[sj][si + mx - 4];
      s_f[sj][si + mx] = s_f[sj][si];
    }
  }
  __syncthreads();

  for (int sj = threadIdx.y; sj < lPencils; sj += blockDim.y) {
    int globalIdx = k * mx * my + (jBase + sj) * mx + i;
    df[globalIdx] =
        (c_ax * (s_f[sj][si + 1] - s_f[sj][si - 1]) + c_bx * (s_f[sj][si + 2] - s_f[sj][si - 2]) +
         c_cx * (s_f[sj][si + 3] - s_f[sj][si - 3]) + c_dx * (s_f[sj][si + 4] - s_f[sj][si - 4]));
  }
}

// y derivatives: 4 columns, one cell for each thread
__global__ void derivative_y(const float *f, float *df) {
  __shared__ float s_f[my + 8][sPencils];

  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = threadIdx.y;
  int k = blockIdx.y;
  int si = threadIdx.x;
  int sj = j + 4;

  int globalIdx = k * mx * my + j * mx + i;
#pragma tma load
  s_f[sj][si] = f[globalIdx];
  __syncthreads();

  if (j < 4) {
    s_f[sj - 4][si] = s_f[sj + my - 4][si];
    s_f[sj + my][si] = s_f[sj][si];
  }
  __syncthreads();

  df[globalIdx] =
      (c_ax * (s_f[sj + 1][si] - s_f[sj - 1][si]) + c_bx * (s_f[sj + 2][si] - s_f[sj - 2][si]) +
       c_cx * (s_f[sj + 3][si] - s_f[sj - 3][si]) + c_dx * (s_f[sj + 4][si] - s_f[sj - 4][si]));
}

// y derivatives with 32 columns, so that reads are coalesced
__global__ void derivative_y_lPencils(const float *f, float *df) {
  __shared__ float s_f[my + 8][lPencils];

  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int k = blockIdx.y;
  int si = threadIdx.x;

#pragma tma load
  for (int j = threadIdx.y; j < my; j += blockDim.y) {
    int globalIdx = k * mx * my + j * mx + i;
    int sj = j + 4;
    s_f[sj][si] = f[globalIdx];
  }
  __syncthreads();

  int sj = threadIdx.y + 4;
  if (sj < 8) {
    s_f[sj - 4][si] = s_f[sj + my - 4][si];
    s_f[sj + my][si] = s_f[sj][si];
  }
  __syncthreads();

  for (int j = threadIdx.y; j < my; j += blockDim.y) {
    int globalIdx = k * mx * my + j * mx + i;
    int sj = j + 4;
    df[globalIdx] =
        (c_ax * (s_f[sj + 1][si] - s_f[sj - 1][si]) + c_bx * (s_f[sj + 2][si] - s_f[sj - 2][si]) +
         c_cx * (s_f[sj + 3][si] - s_f[sj - 3][si]) + c_dx * (s_f[sj + 4][si] - s_f[sj - 4][si]));
  }
}

// z derivatives with 32 columns, a field for each blockIdx.z
__global__ void derivative_z_lPencils(const float *f, float *df) {
  __shared__ float s_f[mz + 8][lPencils];

  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y;
  int si = threadIdx.x;
  f += blockIdx.z * mx * my * mz;
  df += blockIdx.z * mx * my * mz;

#pragma tma load
  for (int k = threadIdx.y; k < mz; k += blockDim.y) {
    int globalIdx = k * mx * my + j * mx + i;
    int sk = k + 4;
    s_f[sk][si] = f[globalIdx];
  }
  __syncthreads();

  int sk = threadIdx.y + 4;
  if (sk < 8) {
    s_f[sk - 4][si] = s_f[sk + mz - 4][si];
    s_f[sk + mz][si] = s_f[sk][si];
  }
  __syncthreads();

  for (int k = threadIdx.y; k < mz; k += blockDim.y) {
    int globalIdx = k * mx * my + j * mx + i;
    int sk = k + 4;
    df[globalIdx] =
        (c_ax * (s_f[sk + 1][si] - s_f[sk - 1][si]) + c_bx * (s_f[sk + 2][si] - s_f[sk - 2][si]) +
         c_cx * (s_f[sk + 3][si] - s_f[sk - 3][si]) + c_dx * (s_f[sk + 4][si] - s_f[sk - 4][si]));
  }
}

int main() {
  const int fields = field::pick(160, 2), planes = field::pick(160 * mz, 3);
  const float a = 4.f / 5.f * 64, b = -1.f / 5.f * 64, c = 4.f / 105.f * 64, d = -1.f / 280.f * 64;
  CHECK(cudaMemcpyToSymbol(c_ax, &a, sizeof(float)));
  CHECK(cudaMemcpyToSymbol(c_bx, &b, sizeof(float)));
  CHECK(cudaMemcpyToSymbol(c_cx, &c, sizeof(float)));
  CHECK(cudaMemcpyToSymbol(c_dx, &d, sizeof(float)));
  const size_t bytes = size_t(fields) * mx * my * mz * sizeof(float);
  Buffer f(bytes, 1), df(bytes, 2);
  field::measure("derivative-x-4", df, [&] {
    derivative_x<sPencils>
        <<<dim3(my / sPencils, planes), dim3(mx, sPencils)>>>(f.as<float>(), df.as<float>());
  });
  field::measure("derivative-x-32", df, [&] {
    derivative_x_lPencils<<<dim3(my / lPencils, planes), dim3(mx, 8)>>>(f.as<float>(),
                                                                        df.as<float>());
  });
  field::measure("derivative-y-4", df, [&] {
    derivative_y<<<dim3(mx / sPencils, planes), dim3(sPencils, my)>>>(f.as<float>(),
                                                                      df.as<float>());
  });
  field::measure("derivative-y-32", df, [&] {
    derivative_y_lPencils<<<dim3(mx / lPencils, planes), dim3(lPencils, 8)>>>(f.as<float>(),
                                                                              df.as<float>());
  });
  field::measure("derivative-z-32", df, [&] {
    derivative_z_lPencils<<<dim3(mx / lPencils, field::pick(my, 3), fields), dim3(lPencils, 8)>>>(
        f.as<float>(), df.as<float>());
  });
}
