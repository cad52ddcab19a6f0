// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of images that look at a pixel's neighbours: a median of 3 by 3 bytes, whose block brings
// its pixels and, by the threads at the sides, those beside them, and a bilateral filter of 5 by 5.

#include "field.cuh"

#define BLOCK_W 16
#define BLOCK_H 16

__device__ __forceinline__ void cmp_swap(unsigned char &a, unsigned char &b) {
  const unsigned char lo = a < b ? a : b;
  b = a < b ? b : a;
  a = lo;
}

__device__ __forceinline__ unsigned char median9(unsigned char *v) {
  cmp_swap(v[1], v[2]), cmp_swap(v[4], v[5]), cmp_swap(v[7], v[8]);
  cmp_swap(v[0], v[1]), cmp_swap(v[3], v[4]), cmp_swap(v[6], v[7]);
  cmp_swap(v[1], v[2]), cmp_swap(v[4], v[5]), cmp_swap(v[7], v[8]);
  cmp_swap(v[0], v[3]), cmp_swap(v[5], v[8]), cmp_swap(v[4], v[7]);
  cmp_swap(v[3], v[6]), cmp_swap(v[1], v[4]), cmp_swap(v[2], v[5]);
  cmp_swap(v[4], v[7]), cmp_swap(v[4], v[2]), cmp_swap(v[6], v[4]);
  cmp_swap(v[4], v[2]);
  return v[4];
}

__global__ void median_filter_shared(const unsigned char *input, unsigned char *output, int width,
                                     int height) {
  __shared__ unsigned char tile[BLOCK_H + 2][BLOCK_W + 2];
  const int x = blockIdx.x * BLOCK_W + threadIdx.x;
  const int y = blockIdx.y * BLOCK_H + threadIdx.y;
  const int tid = threadIdx.y * BLOCK_W + threadIdx.x;

  // A flat loop over the tile with its border, zeros outside
#pragma tma load
  for (int i = tid; i < (BLOCK_W + 2) * (BLOCK_H + 2); i += BLOCK_W * BLOCK_H) {
    int ty = i / (BLOCK_W + 2), tx = i % (BLOCK_W + 2);
    int gy = blockIdx.y * BLOCK_H + ty - 1, gx = blockIdx.x * BLOCK_W + tx - 1;
    tile[ty][tx] = (gx >= 0 && gx < width && gy >= 0 && gy < height) ? input[gy * width + gx] : 0;
  }
  __syncthreads();
  if (x >= width || y >= height)
    return;

  unsigned char v[9];
#pragma unroll
  for (int dy = 0; dy < 3; dy++)
#pragma unroll
    for (int dx = 0; dx < 3; dx++)
      v[dy * 3 + dx] = tile[threadIdx.y + dy][threadIdx.x + dx];
  output[y * width + x] = median9(v);
}

// The centre by all threads, the sides by those at the border of the block.
__global__ void median_filter_sides(const float *input, float *output, int width, int height) {
  __shared__ float s[BLOCK_H + 2][BLOCK_W + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const bool is_x_left = threadIdx.x == 0, is_x_right = threadIdx.x == BLOCK_W - 1;
  const bool is_y_top = threadIdx.y == 0, is_y_bottom = threadIdx.y == BLOCK_H - 1;

  // Clear the border, then load what there is
  if (is_x_left)
    s[ty][tx - 1] = 0;
  else if (is_x_right)
    s[ty][tx + 1] = 0;
  if (is_y_top) {
    s[ty - 1][tx] = 0;
    if (is_x_left)
      s[ty - 1][tx - 1] = 0;
    else if (is_x_right)
      s[ty - 1][tx + 1] = 0;
  } else if (is_y_bottom) {
    s[ty + 1][tx] = 0;
    if (is_x_right)
      s[ty + 1][tx + 1] = 0;
    else if (is_x_left)
      s[ty + 1][tx - 1] = 0;
  }

#pragma tma load fallback(loop)
  s[ty][tx] = input[y * width + x];
#pragma tma load fallback(loop)
  if (is_x_left && x > 0)
    s[ty][tx - 1] = input[y * width + x - 1];
  else if (is_x_right && x < width - 1)
    s[ty][tx + 1] = input[y * width + x + 1];
#pragma tma load fallback(loop)
  if (is_y_top && y > 0)
    s[ty - 1][tx] = input[(y - 1) * width + x];
  else if (is_y_bottom && y < height - 1)
    s[ty + 1][tx] = input[(y + 1) * width + x];
  __syncthreads();

  // Median of the five of a cross: the corners are left out
  float v[5] = {s[ty - 1][tx], s[ty][tx - 1], s[ty][tx], s[ty][tx + 1], s[ty + 1][tx]};
#pragma unroll
  for (int i = 0; i < 3; i++)
#pragma unroll
    for (int j = i + 1; j < 5; j++)
      if (v[i] > v[j]) {
        const float t = v[i];
        v[i] = v[j];
        v[j] = t;
      }
  output[y * width + x] = v[2];
}

#define BF_RADIUS 2
#define BF_TILE_X 32
#define BF_TILE_Y 8

__constant__ float spatial_weight[(2 * BF_RADIUS + 1) * (2 * BF_RADIUS + 1)];

__global__ void bilateral_filter_5x5(float *__restrict__ dst, const float *__restrict__ src,
                                     int width, int height, float inv_sigma_range) {
  __shared__ float tile[BF_TILE_Y + 2 * BF_RADIUS][BF_TILE_X + 2 * BF_RADIUS];
  const int x0 = blockIdx.x * BF_TILE_X - BF_RADIUS, y0 = blockIdx.y * BF_TILE_Y - BF_RADIUS;
#pragma tma load
  for (int ly = threadIdx.y; ly < BF_TILE_Y + 2 * BF_RADIUS; ly += BF_TILE_Y)
    for (int lx = threadIdx.x; lx < BF_TILE_X + 2 * BF_RADIUS; lx += BF_TILE_X) {
      const int y = min(max(y0 + ly, 0), height - 1);
      const int x = min(max(x0 + lx, 0), width - 1);
      tile[ly][lx] = src[y * width + x];
    }
  __syncthreads();

  const int x = blockIdx.x * BF_TILE_X + threadIdx.x, y = blockIdx.y * BF_TILE_Y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float center = tile[threadIdx.y + BF_RADIUS][threadIdx.x + BF_RADIUS];
  float sum = 0.0f, norm = 0.0f;
#pragma unroll
  for (int dy = 0; dy <= 2 * BF_RADIUS; dy++)
#pragma unroll
    for (int dx = 0; dx <= 2 * BF_RADIUS; dx++) {
      const float value = tile[threadIdx.y + dy][threadIdx.x + dx];
      const float diff = value - center;
      const float w =
          spatial_weight[dy * (2 * BF_RADIUS + 1) + dx] * __expf(-diff * diff * inv_sigma_range);
      sum += w * value;
      norm += w;
    }
  dst[y * width + x] = sum / norm;
}

int main() {
  const int width = field::pick(7680, 64), height = field::pick(4320, 48);
  Buffer in(size_t(width) * height * 4, 1), out(size_t(width) * height * 4, 2);
  for (int w : {width, field::pick(7000, 50)}) {
    field::measure(w == width ? "median-3x3-bytes" : "median-3x3-bytes-7000", out, [&] {
      dim3 grid((w + BLOCK_W - 1) / BLOCK_W, (height + BLOCK_H - 1) / BLOCK_H);
      median_filter_shared<<<grid, dim3(BLOCK_W, BLOCK_H)>>>(in.as<unsigned char>(),
                                                             out.as<unsigned char>(), w, height);
    });
  }
  field::measure("median-cross-sides", out, [&] {
    dim3 grid(width / BLOCK_W, height / BLOCK_H);
    median_filter_sides<<<grid, dim3(BLOCK_W, BLOCK_H)>>>(in.as<float>(), out.as<float>(), width,
                                                          height);
  });
  float weights[25];
  for (int i = 0; i < 25; i++)
    weights[i] = 1.0f / (1 + abs(i / 5 - 2) + abs(i % 5 - 2));
  CHECK(cudaMemcpyToSymbol(spatial_weight, weights, sizeof weights));
  field::measure("bilateral-5x5", out, [&] {
    dim3 grid((width + BF_TILE_X - 1) / BF_TILE_X, (height + BF_TILE_Y - 1) / BF_TILE_Y);
    bilateral_filter_5x5<<<grid, dim3(BF_TILE_X, BF_TILE_Y)>>>(out.as<float>(), in.as<float>(),
                                                               width, height, 2.0f);
  });
}
