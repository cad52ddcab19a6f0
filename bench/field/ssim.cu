// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structural similarity of two images, as training of splats computes it: a tile of 16 by 16 pixels
// with a halo of 5 of each image and channel, zeros outside, and Gauss filters along rows and then
// along columns.

#include "field.cuh"

#define BLOCK_X 16
#define BLOCK_Y 16
#define HALO 5
#define SHARED_X (BLOCK_X + 2 * HALO)
#define SHARED_Y (BLOCK_Y + 2 * HALO)

__constant__ float cGauss[11] = {
    0.001028380123898387f, 0.0075987582094967365f, 0.036000773310661316f, 0.10936068743467331f,
    0.21300552785396576f,  0.26601171493530273f,   0.21300552785396576f,  0.10936068743467331f,
    0.036000773310661316f, 0.0075987582094967365f, 0.001028380123898387f};

// Value of channel c of image b, zero outside
__device__ __forceinline__ float get_pix_value(const float *img, int b, int c, int y, int x, int CH,
                                               int H, int W) {
  if (x < 0 || x >= W || y < 0 || y >= H) {
    return 0.0f;
  }
  return img[b * CH * H * W + c * H * W + y * W + x];
}

__global__ void fusedssimCUDA(int H, int W, int CH, float C1, float C2,
                              const float *__restrict__ img1, const float *__restrict__ img2,
                              float *__restrict__ ssim_map) {
  const int bIdx = blockIdx.z;
  const int pix_y = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int pix_x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int pix_id = pix_y * W + pix_x;
  const int num_pix = H * W;

  __shared__ float sTile[SHARED_Y][SHARED_X][2];
  __shared__ float xconv[SHARED_Y][BLOCK_X][5];

  for (int c = 0; c < CH; ++c) {
    // 1) Load (img1, img2) tile + halo into shared memory
    {
      const int tileSize = SHARED_Y * SHARED_X;
      const int threads = BLOCK_X * BLOCK_Y;
      const int steps = (tileSize + threads - 1) / threads;
      const int tileStartY = blockIdx.y * BLOCK_Y;
      const int tileStartX = blockIdx.x * BLOCK_X;

#pragma tma load fallback(loop)
      for (int s = 0; s < steps; ++s) {
        int tid = s * threads + (threadIdx.y * blockDim.x + threadIdx.x);
        if (tid < tileSize) {
          int local_y = tid / SHARED_X;
          int local_x = tid % SHARED_X;
          int gy = tileStartY + local_y - HALO;
          int gx = tileStartX + local_x - HALO;

          sTile[local_y][local_x][0] = get_pix_value(img1, bIdx, c, gy, gx, CH, H, W);
          sTile[local_y][local_x][1] = get_pix_value(img2, bIdx, c, gy, gx, CH, H, W);
        }
      }
    }
    __syncthreads();

    // 2) Horizontal convolution: sums of X, X^2, Y, Y^2, XY, two rows a thread
    for (int ly = threadIdx.y; ly < SHARED_Y; ly += BLOCK_Y) {
      const int lx = threadIdx.x + HALO;
      float sumX = 0.f, sumX2 = 0.f, sumY = 0.f, sumY2 = 0.f, sumXY = 0.f;
#pragma unroll
      for (int d = -HALO; d <= HALO; ++d) {
        const float w = cGauss[HALO + d];
        const float X = sTile[ly][lx + d][0];
        const float Y = sTile[ly][lx + d][1];
        sumX += X * w;
        sumX2 += X * X * w;
        sumY += Y * w;
        sumY2 += Y * Y * w;
        sumXY += X * Y * w;
      }
      xconv[ly][threadIdx.x][0] = sumX;
      xconv[ly][threadIdx.x][1] = sumX2;
      xconv[ly][threadIdx.x][2] = sumY;
      xconv[ly][threadIdx.x][3] = sumY2;
      xconv[ly][threadIdx.x][4] = sumXY;
    }
    __syncthreads();

    // 3) Vertical convolution and the result
    const int ly = threadIdx.y + HALO;
    float out0 = 0.f, out1 = 0.f, out2 = 0.f, out3 = 0.f, out4 = 0.f;
#pragma unroll
    for (int d = -HALO; d <= HALO; ++d) {
      const float w = cGauss[HALO + d];
      const float *p = xconv[ly + d][threadIdx.x];
      out0 += p[0] * w;
      out1 += p[1] * w;
      out2 += p[2] * w;
      out3 += p[3] * w;
      out4 += p[4] * w;
    }
    if (pix_x < W && pix_y < H) {
      const float mu1_sq = out0 * out0, mu2_sq = out2 * out2;
      const float sigma1_sq = out1 - mu1_sq, sigma2_sq = out3 - mu2_sq;
      const float sigma12 = out4 - out0 * out2;
      const float A = mu1_sq + mu2_sq + C1, B = sigma1_sq + sigma2_sq + C2;
      ssim_map[bIdx * CH * num_pix + c * num_pix + pix_id] =
          (2.f * out0 * out2 + C1) * (2.f * sigma12 + C2) / (A * B);
    }
    __syncthreads();
  }
}

// The older way: one image after the other into a tile of its own, by a function.
template <int CH>
__device__ void load_into_shared(float pixels[SHARED_Y][SHARED_X], const float *inp, const int H,
                                 const int W, const int i) {
  const int tx = threadIdx.x, ty = threadIdx.y;
#pragma tma load fallback(loop)
  for (int y = ty; y < SHARED_Y; y += BLOCK_Y) {
    for (int x = tx; x < SHARED_X; x += BLOCK_X) {
      pixels[y][x] = get_pix_value(inp, 0, i, blockIdx.y * BLOCK_Y + y - HALO,
                                   blockIdx.x * BLOCK_X + x - HALO, CH, H, W);
    }
  }
}

__device__ float do_conv(float pixels[SHARED_Y][SHARED_X], float other[SHARED_Y][SHARED_X]) {
  float sum = 0.0f;
  for (int dy = 0; dy <= 2 * HALO; dy++) {
    float line = 0.0f;
#pragma unroll
    for (int dx = 0; dx <= 2 * HALO; dx++)
      line += cGauss[dx] * pixels[threadIdx.y + dy][threadIdx.x + dx] *
              other[threadIdx.y + dy][threadIdx.x + dx];
    sum += cGauss[dy] * line;
  }
  return sum;
}

template <int CH>
__global__ void correlationCUDA(int H, int W, const float *img1, const float *img2, float *map) {
  const int pix_y = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int pix_x = blockIdx.x * BLOCK_X + threadIdx.x;
  __shared__ float buf1[SHARED_Y][SHARED_X];
  __shared__ float buf2[SHARED_Y][SHARED_X];
  for (int i = 0; i < CH; i++) {
    load_into_shared<CH>(buf1, img1, H, W, i);
    load_into_shared<CH>(buf2, img2, H, W, i);
    __syncthreads();
    const float xy = do_conv(buf1, buf2), xx = do_conv(buf1, buf1), yy = do_conv(buf2, buf2);
    if (pix_x < W && pix_y < H)
      map[i * H * W + pix_y * W + pix_x] = 2.0f * xy / (xx + yy);
    __syncthreads();
  }
}

// In one channel and without functions: all sums in one loop over the window.
__global__ void ssim_window(const float *__restrict__ img1, const float *__restrict__ img2,
                            float *__restrict__ map, int H, int W) {
  __shared__ float s1[SHARED_Y][SHARED_X];
  __shared__ float s2[SHARED_Y][SHARED_X];
  const int x0 = blockIdx.x * BLOCK_X - HALO, y0 = blockIdx.y * BLOCK_Y - HALO;
#pragma tma load
  for (int i = threadIdx.y * BLOCK_X + threadIdx.x; i < SHARED_X * SHARED_Y;
       i += BLOCK_X * BLOCK_Y) {
    const int ly = i / SHARED_X, lx = i % SHARED_X, y = y0 + ly, x = x0 + lx;
    const bool inside = x >= 0 && x < W && y >= 0 && y < H;
    s1[ly][lx] = inside ? img1[y * W + x] : 0.0f;
    s2[ly][lx] = inside ? img2[y * W + x] : 0.0f;
  }
  __syncthreads();

  float mu1 = 0, mu2 = 0, s11 = 0, s22 = 0, s12 = 0;
  for (int dy = 0; dy < 2 * HALO + 1; dy++) {
#pragma unroll
    for (int dx = 0; dx < 2 * HALO + 1; dx++) {
      const float w = cGauss[dy] * cGauss[dx];
      const float a = s1[threadIdx.y + dy][threadIdx.x + dx];
      const float b = s2[threadIdx.y + dy][threadIdx.x + dx];
      mu1 += w * a, mu2 += w * b;
      s11 += w * a * a, s22 += w * b * b, s12 += w * a * b;
    }
  }
  const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x < W && y < H) {
    const float C1 = 0.0001f, C2 = 0.0009f;
    const float c12 = s12 - mu1 * mu2, c11 = s11 - mu1 * mu1, c22 = s22 - mu2 * mu2;
    map[y * W + x] =
        (2 * mu1 * mu2 + C1) * (2 * c12 + C2) / ((mu1 * mu1 + mu2 * mu2 + C1) * (c11 + c22 + C2));
  }
}

int main() {
  const int W = field::pick(1920, 44), H = field::pick(4320, 37), CH = 3;
  for (int width : {W, field::pick(1000, 30)}) {
    const size_t bytes = size_t(CH) * H * width * 4;
    Buffer a(bytes, 1), b(bytes, 2), map(bytes, 3);
    const dim3 grid((width + BLOCK_X - 1) / BLOCK_X, (H + BLOCK_Y - 1) / BLOCK_Y, 1);
    const dim3 block(BLOCK_X, BLOCK_Y);
    const std::string size = width == W ? "" : "-1000";
    field::measure(("ssim-fused" + size).c_str(), map, [&] {
      fusedssimCUDA<<<grid, block>>>(H, width, CH, 0.0001f, 0.0009f, a.as<float>(), b.as<float>(),
                                     map.as<float>());
    });
    field::measure(("ssim-two-tiles" + size).c_str(), map, [&] {
      correlationCUDA<3><<<grid, block>>>(H, width, a.as<float>(), b.as<float>(), map.as<float>());
    });
    field::measure(("ssim-window" + size).c_str(), map, [&] {
      ssim_window<<<grid, block>>>(a.as<float>(), b.as<float>(), map.as<float>(), H, width);
    });
  }
}
