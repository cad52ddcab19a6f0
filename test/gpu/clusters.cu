// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that several blocks of a cluster get at once: along each axis and two of them, in
// boxes, in rows, with pixels, once and in loops, in rings that the leader fills or a warp of
// its own; tiles that threads change; grids that have no whole clusters, and programs that have
// clusters already.

#include "harness.cuh"

constexpr int T = 16;

// Rows of tiles are the same for all columns of blocks, and the other way round.
__global__ void product(float *__restrict__ c, const float *__restrict__ a,
                        const float *__restrict__ b, int m, int n, int k) {
  __shared__ float as[T][T], bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, column = blockIdx.x * T + tx;
  float sum = 0.f;
#pragma tma pipeline stages(3)
  for (int k0 = 0; k0 < k; k0 += T) {
#pragma tma load multicast(x)
    as[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.f;
#pragma tma load multicast(y)
    bs[ty][tx] = k0 + ty < k && column < n ? b[(k0 + ty) * n + column] : 0.f;
    __syncthreads();
    for (int i = 0; i < T; ++i)
      sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

// A warp of its own; a tile that all blocks share, one that some do, and one that is a block's.
__global__ void supplied(float *__restrict__ c, const float *__restrict__ a,
                         const float *__restrict__ b, const float *__restrict__ f, int rounds) {
  __shared__ float as[4][64], bs[4][64], fs[4][64];
  int t = threadIdx.x;
  float sum = 0.f;
#pragma tma pipeline stages(2) warp(producer)
  for (int r = 0; r < rounds; ++r) {
#pragma tma load multicast(x, 4)
    for (int i = t; i < 256; i += 128)
      as[i / 64][i % 64] = a[((blockIdx.y * rounds + r) * 4 + i / 64) * 64 + i % 64];
#pragma tma load
    for (int i = t; i < 256; i += 128)
      bs[i / 64][i % 64] = b[((blockIdx.x * rounds + r) * 4 + i / 64) * 64 + i % 64];
    __syncthreads();
    sum += as[t % 4][t / 2] * bs[t / 32][t % 64];
#pragma tma load multicast(x, 4, y, 2)
    for (int i = t; i < 256; i += 128)
      fs[i / 64][i % 64] = f[(r * 4 + i / 64) * 64 + i % 64];
    __syncthreads();
    sum += fs[t % 4][t / 2];
    __syncthreads();
  }
  c[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + t] = sum;
}

// Once, and in a loop without a pipeline; threads change what they got.
__global__ void unpiped(float *__restrict__ c, const float *__restrict__ a,
                        const float *__restrict__ b, int rounds) {
  __shared__ float once[32][32], again[8][128];
  int t = threadIdx.x;
#pragma tma load multicast(z, 2)
  for (int i = t; i < 1024; i += 128)
    once[i / 32][i % 32] = a[(blockIdx.x * 32 + i / 32) * 32 + i % 32];
  __syncthreads();
  float sum = once[t % 32][t / 4];
  for (int r = 0; r < rounds; ++r) {
#pragma tma load multicast(x, 4)
    for (int i = t; i < 1024; i += 128)
      again[i / 128][i % 128] = b[((blockIdx.z * rounds + r) * 8 + i / 128) * 128 + i % 128];
    __syncthreads();
    again[t % 8][t] += sum + float(blockIdx.x);
    __syncthreads();
    sum += again[7 - t % 8][127 - t];
    __syncthreads();
  }
  c[(blockIdx.z * gridDim.x + blockIdx.x) * 128 + t] = sum;
}

// Contiguous bytes, and rows that are copied one by one; only some rounds load.
__global__ void bytes(int *__restrict__ out, const int *__restrict__ table,
                      const int *__restrict__ rows, int rounds, int pitch) {
  __shared__ int line[512], part[6][64];
  int t = threadIdx.x, sum = 0;
  for (int r = 0; r < rounds; ++r) {
#pragma tma load multicast(y)
    for (int i = t; i < 512; i += 64)
      line[i] = table[(blockIdx.x * rounds + r) * 512 + i];
    if (r % 3 != 1) {
#pragma tma load multicast(y)
      for (int i = t; i < 6 * 64; i += 64)
        part[i / 64][i % 64] = rows[(r * 6 + i / 64) * pitch + i % 64];
    }
    __syncthreads();
    sum += line[t * 8 + blockIdx.y % 8] * part[t % 6][t];
    __syncthreads();
  }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + t] = sum;
}

// A convolution: the filter is the same for all pixels, the pixels for all filters.
constexpr int PIXELS = 64, CHANNELS = 32;
struct Image {
  int height, width, images;
};
__global__ void convolution(float *__restrict__ out, const float *__restrict__ in,
                            const float *__restrict__ filter, Image s) {
  __shared__ __align__(128) float pixels[PIXELS][CHANNELS], weights[9][CHANNELS];
  int t = threadIdx.x;
  float sum = 0.f;
  for (int k = 0; k < 9; ++k) {
#pragma tma load multicast(y)
    for (int i = t; i < PIXELS * CHANNELS; i += PIXELS) {
      int p = blockIdx.x * PIXELS + i / CHANNELS, n = p / (s.height * s.width);
      int h = p / s.width % s.height + k / 3 - 1, w = p % s.width + k % 3 - 1;
      bool inside = n < s.images && h >= 0 && h < s.height && w >= 0 && w < s.width;
      pixels[i / CHANNELS][i % CHANNELS] =
          inside ? in[((n * s.height + h) * s.width + w) * CHANNELS + i % CHANNELS] : 0.f;
    }
#pragma tma load multicast(x)
    for (int i = t; i < 9 * CHANNELS; i += PIXELS)
      weights[i / CHANNELS][i % CHANNELS] = filter[(blockIdx.y * 9 + i / CHANNELS) * CHANNELS + i % CHANNELS];
    __syncthreads();
    for (int c = 0; c < CHANNELS; ++c)
      sum += pixels[t][c] * weights[k][c];
    __syncthreads();
  }
  int p = blockIdx.x * PIXELS + t;
  if (p < s.images * s.height * s.width)
    out[blockIdx.y * s.images * s.height * s.width + p] = sum;
}

// Rows of 128 bytes, swizzled; the type and the number of blocks vary.
template <typename Element, int Columns, int Blocks>
__global__ void turned(Element *__restrict__ out, const Element *__restrict__ in, int pitch) {
  __shared__ Element tile[32][Columns];
  int t = threadIdx.x;
  Element sum = 0;
#pragma tma pipeline
  for (int r = 0; r < 4; ++r) {
#pragma tma load multicast(x, Blocks) swizzle(128)
    for (int i = t; i < 32 * Columns; i += 128)
      tile[i / Columns][i % Columns] =
          in[(blockIdx.y * 32 + i / Columns) * pitch + r * Columns + i % Columns];
    __syncthreads();
    sum += tile[t % 32][t / 32 * 5 % Columns];
    __syncthreads();
  }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + t] = sum;
}

// Rows that are shorter than their swizzle: no part of such a tile is a box.
__global__ void narrow(float *__restrict__ out, const float *__restrict__ in, int pitch) {
  __shared__ float tile[32][20];
  int t = threadIdx.x;
#pragma tma load multicast(x) swizzle(128)
  for (int i = t; i < 32 * 16; i += 128)
    tile[i / 16][i % 16] = in[(blockIdx.y * 32 + i / 16) * pitch + i % 16];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + t] = tile[t % 32][t / 32 * 5];
}

// Longer rows, which are cut.
__global__ void cut(float *__restrict__ out, const float *__restrict__ in, int pitch) {
  __shared__ float tile[32][64];
  int t = threadIdx.x;
#pragma tma load multicast(x, 4) swizzle(128)
  for (int i = t; i < 32 * 64; i += 128)
    tile[i / 64][i % 64] = in[(blockIdx.y * 32 + i / 64) * pitch + i % 64];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + t] = tile[t % 32][t / 32 * 13];
}

// The program's own clusters, of the shape that the copies share tiles in.
__global__ void __cluster_dims__(2, 1, 1)
    fixed(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float line[256];
#pragma tma load multicast(x)
  line[threadIdx.x] = in[blockIdx.y * 256 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] = line[255 - threadIdx.x];
}
__global__ void asked(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float line[256];
#pragma tma load multicast(x)
  line[threadIdx.x] = in[blockIdx.y * 256 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] = line[255 - threadIdx.x];
}

void products() {
  int n = 128, k = 80;
  for (int m : {96, 40}) { // of the other, an axis of the grid has no pairs
    Buffer a(size_t(m) * k * 4, 1), b(size_t(k) * n * 4, 2), c(size_t(m) * n * 4, 3);
    product<<<dim3(n / T, (m + T - 1) / T), dim3(T, T)>>>(c.as<float>(), a.as<float>(), b.as<float>(),
                                                          m, n, k);
    report("product " + std::to_string(m), c);
  }
}

void rings() {
  for (int rounds : {1, 2, 7}) {
    dim3 grid(8, 6);
    Buffer a(size_t(grid.y) * rounds * 1024, 4), b(size_t(grid.x) * rounds * 1024, 5);
    Buffer f(size_t(rounds) * 1024, 6), c(size_t(grid.x) * grid.y * 512, 7);
    supplied<<<grid, 128>>>(c.as<float>(), a.as<float>(), b.as<float>(), f.as<float>(), rounds);
    report("supplied " + std::to_string(rounds), c);
  }
}

void rounds() {
  dim3 grid(8, 1, 6);
  Buffer a(size_t(grid.x) * 4096, 8), b(size_t(grid.z) * 5 * 4096, 9);
  Buffer c(size_t(grid.x) * grid.z * 512, 10);
  unpiped<<<grid, 128>>>(c.as<float>(), a.as<float>(), b.as<float>(), 5);
  report("unpiped", c);
  Buffer table(4 * 7 * 2048, 11), rows(7 * 6 * 100 * 4, 12), out(4 * 6 * 256, 13);
  bytes<<<dim3(4, 6), 64>>>(out.as<int>(), table.as<int>(), rows.as<int>(), 7, 100);
  report("bytes", out);
}

void pixels() {
  Image s{12, 20, 3};
  int all = s.height * s.width * s.images, blocks = (all + PIXELS - 1) / PIXELS;
  Buffer in(size_t(all) * CHANNELS * 4, 14), filter(4 * 9 * CHANNELS * 4, 15);
  Buffer out(size_t(all) * 4 * 4, 16);
  convolution<<<dim3(blocks, 4), PIXELS>>>(out.as<float>(), in.as<float>(), filter.as<float>(), s);
  report("convolution", out);
}

void types() {
  Buffer in(64 * 1024 * 4, 17), out(8 * 2 * 128 * 4, 18);
  turned<float, 32, 2><<<dim3(8, 2), 128>>>(out.as<float>(), in.as<float>(), 256);
  report("turned float", out);
  narrow<<<dim3(8, 2), 128>>>(out.as<float>(), in.as<float>(), 256);
  report("narrow", out);
  cut<<<dim3(8, 2), 128>>>(out.as<float>(), in.as<float>(), 256);
  report("cut", out);
  turned<unsigned short, 64, 8><<<dim3(8, 2), 128>>>(out.as<unsigned short>(), in.as<unsigned short>(), 512);
  report("turned short", out);
}

void own(unsigned width) {
  Buffer in(4 * 1024, 19), out(8 * 4 * 1024, 20);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {width, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(8, 4);
  config.blockDim = 256;
  config.attrs = &cluster;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, asked, out.as<float>(), static_cast<const float *>(in.as<float>())));
  report("asked " + std::to_string(width), out);
}

int main() {
  products();
  rings();
  rounds();
  pixels();
  types();
  Buffer in(4 * 1024, 19), out(8 * 4 * 1024, 20);
  fixed<<<dim3(8, 4), 256>>>(out.as<float>(), in.as<float>());
  report("fixed", out);
  own(2);
  own(4);
}
