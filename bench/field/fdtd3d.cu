// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stencil of radius 4 along all three axes, as seismic programs have it: the block goes through
// the volume along z, keeps the cells in front and behind in registers, and has a tile with halos
// for the slice that it is at. The volume is padded by the radius on all sides.

#include "field.cuh"

#define RADIUS 4
#define BDIMX 32
#define BDIMY 16

__constant__ float stencil[RADIUS + 1];

__global__ void FiniteDifferences3D(float *output, const float *input, const int dimx,
                                    const int dimy, const int dimz) {
  __shared__ float tile[BDIMY + 2 * RADIUS][BDIMX + 2 * RADIUS];

  const int gtidx = blockIdx.x * blockDim.x + threadIdx.x;
  const int gtidy = blockIdx.y * blockDim.y + threadIdx.y;
  const int ltidx = threadIdx.x;
  const int ltidy = threadIdx.y;
  const int workx = blockDim.x;
  const int worky = blockDim.y;
  const int stride_y = dimx + 2 * RADIUS;
  const int stride_z = stride_y * (dimy + 2 * RADIUS);

  int inputIndex = RADIUS * stride_y + RADIUS + gtidy * stride_y + gtidx;
  int outputIndex = 0;
  float infront[RADIUS];
  float behind[RADIUS];
  float current;

  const int tx = ltidx + RADIUS;
  const int ty = ltidy + RADIUS;

  bool validr = true;
  bool validw = true;
  if (gtidx >= dimx + RADIUS || gtidy >= dimy + RADIUS)
    validr = false;
  if (gtidx >= dimx || gtidy >= dimy)
    validw = false;

  for (int i = RADIUS - 2; i >= 0; i--) {
    if (validr)
      behind[i] = input[inputIndex];
    inputIndex += stride_z;
  }
  if (validr)
    current = input[inputIndex];
  outputIndex = inputIndex;
  inputIndex += stride_z;
  for (int i = 0; i < RADIUS; i++) {
    if (validr)
      infront[i] = input[inputIndex];
    inputIndex += stride_z;
  }

  for (int iz = 0; iz < dimz; iz++) {
    for (int i = RADIUS - 1; i > 0; i--)
      behind[i] = behind[i - 1];
    behind[0] = current;
    current = infront[0];
#pragma unroll
    for (int i = 0; i < RADIUS - 1; i++)
      infront[i] = infront[i + 1];
    if (validr)
      infront[RADIUS - 1] = input[inputIndex];

    inputIndex += stride_z;
    outputIndex += stride_z;
    __syncthreads();

    // Halo above and below
#pragma tma load
    if (ltidy < RADIUS) {
      tile[ltidy][tx] = input[outputIndex - RADIUS * stride_y];
      tile[ltidy + worky + RADIUS][tx] = input[outputIndex + worky * stride_y];
    }
    // Halo left and right
#pragma tma load
    if (ltidx < RADIUS) {
      tile[ty][ltidx] = input[outputIndex - RADIUS];
      tile[ty][ltidx + workx + RADIUS] = input[outputIndex + workx];
    }
    tile[ty][tx] = current;
    __syncthreads();

    float value = stencil[0] * current;
#pragma unroll
    for (int i = 1; i <= RADIUS; i++) {
      value += stencil[i] * (infront[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] +
                             tile[ty][tx - i] + tile[ty][tx + i]);
    }
    if (validw)
      output[outputIndex] = value;
  }
}

// The same with the whole slice read into the tile, halos as parts of it.
__global__ void FiniteDifferences3DSlice(float *output, const float *input, const int dimx,
                                         const int dimy, const int dimz) {
  __shared__ float s_data[BDIMY + 2 * RADIUS][BDIMX + 2 * RADIUS];

  const int ix = blockIdx.x * blockDim.x + threadIdx.x;
  const int iy = blockIdx.y * blockDim.y + threadIdx.y;
  const int nx = dimx + 2 * RADIUS;
  const int ny = dimy + 2 * RADIUS;
  const int tx = threadIdx.x + RADIUS;
  const int ty = threadIdx.y + RADIUS;
  const int stride = nx * ny;
  int in_idx = (iy + RADIUS) * nx + ix + RADIUS;

  float queue[2 * RADIUS + 1];
  const bool inside = ix < dimx && iy < dimy;
  if (inside)
    for (int i = 0; i < 2 * RADIUS; i++)
      queue[i + 1] = input[in_idx + i * stride];

  for (int iz = RADIUS; iz < dimz + RADIUS; iz++) {
#pragma unroll
    for (int i = 0; i < 2 * RADIUS; i++)
      queue[i] = queue[i + 1];
    if (inside)
      queue[2 * RADIUS] = input[in_idx + (iz + RADIUS) * stride];

    __syncthreads();
#pragma tma load
    for (int y = threadIdx.y; y < BDIMY + 2 * RADIUS; y += BDIMY)
      for (int x = threadIdx.x; x < BDIMX + 2 * RADIUS; x += BDIMX) {
        int gx = blockIdx.x * BDIMX + x, gy = blockIdx.y * BDIMY + y;
        if (gx < nx && gy < ny)
          s_data[y][x] = input[(iz * ny + gy) * nx + gx];
      }
    __syncthreads();

    if (inside) {
      float value = stencil[0] * queue[RADIUS];
#pragma unroll
      for (int i = 1; i <= RADIUS; i++) {
        value += stencil[i] * (s_data[ty - i][tx] + s_data[ty + i][tx]);
        value += stencil[i] * (s_data[ty][tx - i] + s_data[ty][tx + i]);
        value += stencil[i] * (queue[RADIUS - i] + queue[RADIUS + i]);
      }
      output[in_idx + iz * stride] = value;
    }
  }
}

int main() {
  const int dimx = field::pick(376, 40), dimy = field::pick(376, 20), dimz = field::pick(376, 5);
  const float coefficients[RADIUS + 1] = {0.4f, 0.09f, 0.05f, 0.03f, 0.01f};
  CHECK(cudaMemcpyToSymbol(stencil, coefficients, sizeof(coefficients)));
  const size_t cells = size_t(dimx + 2 * RADIUS) * (dimy + 2 * RADIUS) * (dimz + 2 * RADIUS);
  // The first cell behind the halo is where a line of 128 bytes begins.
  const size_t padding = 128 - RADIUS * sizeof(float);
  Buffer in(cells * 4 + 128, 1, padding), out(cells * 4 + 128, 2, padding);
  dim3 dimBlock(BDIMX, BDIMY);
  dim3 dimGrid((dimx + BDIMX - 1) / BDIMX, (dimy + BDIMY - 1) / BDIMY);
  field::measure("fdtd3d", out, [&] {
    FiniteDifferences3D<<<dimGrid, dimBlock>>>(out.as<float>(), in.as<float>(), dimx, dimy, dimz);
  });
  field::measure("fdtd3d-slice", out, [&] {
    FiniteDifferences3DSlice<<<dimGrid, dimBlock>>>(out.as<float>(), in.as<float>(), dimx, dimy,
                                                    dimz);
  });
}
