// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A filter of an image with the coefficients in constant memory and a tile with its halo in shared
// memory. What is outside of the image is a constant, the nearest pixel, or the image reflected.

#include "field.cuh"

#define MASK_WIDTH 7
#define RADIUS (MASK_WIDTH / 2)
#define TILE_WIDTH 16
#define BLOCK_WIDTH (TILE_WIDTH + MASK_WIDTH - 1)

__constant__ float M[MASK_WIDTH][MASK_WIDTH];

// A thread for each element of the input tile, of which the inner ones compute.
__global__ void convolution_2D_tiled_kernel(const float *in, float *out, int width, int height) {
  __shared__ float N_ds[BLOCK_WIDTH][BLOCK_WIDTH];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row_o = blockIdx.y * TILE_WIDTH + ty;
  const int col_o = blockIdx.x * TILE_WIDTH + tx;
  const int row_i = row_o - RADIUS;
  const int col_i = col_o - RADIUS;

#pragma tma load
  if ((row_i >= 0) && (row_i < height) && (col_i >= 0) && (col_i < width)) {
    N_ds[ty][tx] = in[row_i * width + col_i];
  } else {
    N_ds[ty][tx] = 0.0f;
  }
  __syncthreads();

  if (ty < TILE_WIDTH && tx < TILE_WIDTH) {
    float output = 0.0f;
    for (int i = 0; i < MASK_WIDTH; i++) {
      for (int j = 0; j < MASK_WIDTH; j++) {
        output += M[i][j] * N_ds[i + ty][j + tx];
      }
    }
    if (row_o < height && col_o < width) {
      out[row_o * width + col_o] = output;
    }
  }
}

#define BW 32
#define BH 8
#define SW (BW + 2 * RADIUS)
#define SH (BH + 2 * RADIUS)

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return min(max(v, lo), hi); }

// -1 is 1 and n is n - 2, as reflect101 of image libraries
__device__ __forceinline__ int reflect101(int v, int n) {
  if (v < 0)
    v = -v;
  if (v >= n)
    v = 2 * n - 2 - v;
  return v;
}

struct BrdConstant {
  float val;
  __device__ __forceinline__ float at(const float *src, int y, int x, int rows, int cols,
                                      int step) const {
    return (x >= 0 && x < cols && y >= 0 && y < rows) ? src[y * step + x] : val;
  }
};

struct BrdReplicate {
  __device__ __forceinline__ float at(const float *src, int y, int x, int rows, int cols,
                                      int step) const {
    return src[clampi(y, 0, rows - 1) * step + clampi(x, 0, cols - 1)];
  }
};

struct BrdReflect101 {
  __device__ __forceinline__ float at(const float *src, int y, int x, int rows, int cols,
                                      int step) const {
    return src[reflect101(y, rows) * step + reflect101(x, cols)];
  }
};

template <typename Border>
__global__ void filter2D(const float *__restrict__ src, float *__restrict__ dst, int rows, int cols,
                         int step, Border border) {
  __shared__ float smem[SH][SW];
  const int x = blockIdx.x * BW + threadIdx.x;
  const int y = blockIdx.y * BH + threadIdx.y;

#pragma tma load
  for (int dy = threadIdx.y; dy < SH; dy += BH) {
    for (int dx = threadIdx.x; dx < SW; dx += BW) {
      smem[dy][dx] = border.at(src, blockIdx.y * BH + dy - RADIUS, blockIdx.x * BW + dx - RADIUS,
                               rows, cols, step);
    }
  }
  __syncthreads();
  if (x >= cols || y >= rows)
    return;

  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < MASK_WIDTH; i++)
#pragma unroll
    for (int j = 0; j < MASK_WIDTH; j++)
      sum += M[i][j] * smem[threadIdx.y + i][threadIdx.x + j];
  dst[y * step + x] = sum;
}

int main() {
  float mask[MASK_WIDTH][MASK_WIDTH];
  for (int i = 0; i < MASK_WIDTH; i++)
    for (int j = 0; j < MASK_WIDTH; j++)
      mask[i][j] = float(i * 3 + j + 1) / 1024;
  CHECK(cudaMemcpyToSymbol(M, mask, sizeof mask));

  // An image of the usual size, one whose width no tile divides, and one with padded rows.
  const int widths[] = {field::pick(1920 * 4, 96), field::pick(1000, 76), field::pick(4001, 83)};
  const char *suffixes[] = {"", "-1000", "-padded"};
  for (int i = 0; i < 3; i++) {
    const int height = field::pick(i == 1 ? 20000 : 1080 * 4, 45);
    const int width = widths[i], step = i == 2 ? (width + 31) / 32 * 32 : width;
    const size_t bytes = size_t(height) * step * 4;
    Buffer in(bytes, 1), out(bytes, 2);
    const std::string size = suffixes[i];
    if (step == width) {
      field::measure(("filter-tiled" + size).c_str(), out, [&] {
        dim3 block(BLOCK_WIDTH, BLOCK_WIDTH);
        dim3 grid((width + TILE_WIDTH - 1) / TILE_WIDTH, (height + TILE_WIDTH - 1) / TILE_WIDTH);
        convolution_2D_tiled_kernel<<<grid, block>>>(in.as<float>(), out.as<float>(), width,
                                                     height);
      });
    }
    const dim3 grid((width + BW - 1) / BW, (height + BH - 1) / BH);
    const dim3 block(BW, BH);
    field::measure(("filter-constant" + size).c_str(), out, [&] {
      filter2D<<<grid, block>>>(in.as<float>(), out.as<float>(), height, width, step,
                                BrdConstant{0.5f});
    });
    field::measure(("filter-replicate" + size).c_str(), out, [&] {
      filter2D<<<grid, block>>>(in.as<float>(), out.as<float>(), height, width, step,
                                BrdReplicate{});
    });
    field::measure(("filter-reflect" + size).c_str(), out, [&] {
      filter2D<<<grid, block>>>(in.as<float>(), out.as<float>(), height, width, step,
                                BrdReflect101{});
    });
  }
}
