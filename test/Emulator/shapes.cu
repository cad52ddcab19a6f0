// Tiles with rows that always lie outside, fills of 16 bytes, rows of one unit,
// unsigned rows above the first, two copies to one tile of which the first may run
// as a loop, or needs more room: all of them lift, and copy the same bytes.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK: shapes.cu:[[#]]:3: remark: lifted: tile copy of 3 x 64 u64 (1536 bytes) from 'in' to 'tile'
// CHECK: shapes.cu:[[#]]:3: remark: lifted: tile copy of 8 x 36 f32 (1152 bytes) from 'in' to 'tile', rows of 36 elements, starting at 2
// CHECK: remark: lifted under a guard: tile copy of 8 x 64 u64
// CHECK: note: at the copy: h - blockIdx.y * 8 - 8 >= 0
// CHECK: remark: lifted under a guard: tile copy of 8 x 32 f16
// CHECK: remark: lifted: tile copy of 32 x 16 u8 (512 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 64 x 4 i32 (1024 bytes) from 'in' to 'tile', rows of 4 elements, starting at 0
// CHECK: remark: lifted: tile copy of 16 x 36 f32 (2304 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted{{.*}}: tile copy of 4 x 32 f32 (512 bytes) from 'in' to 'tile'
// CHECK: remark: lifted under a guard: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in2' to 'tile'
// CHECK: remark: lifted under a guard: tile copy of 6 x 32 f64 (1536 bytes) from 'in' to 'tile'
// CHECK: remark: lifted: tile copy of 1024 u16 (2048 bytes) from 'in' to 'tile' in 4 pieces, rows of 1000 elements, starting at 0
// CHECK: remark: lifted: 1-D bulk copy of 2000 bytes from 'in2' to 'tile'

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define OUT(count) out[(blockIdx.y * gridDim.x + blockIdx.x) * (count) + i]

// Row 0 lies above the tensor for every block.
__global__ void above(float4 *out, const float4 *in, int w, int h) {
  __shared__ float4 tile[3][32];
#pragma tma load
  for (int i = threadIdx.x; i < 96; i += blockDim.x) {
    int y = i / 32 - 1, x = blockIdx.x * 32 + i % 32;
    tile[i / 32][i % 32] = y >= 0 && y < h && x < w ? in[y * w + x] : float4{};
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 96; i += blockDim.x)
    OUT(96) = tile[i % 3][i / 3];
}

// Columns on both sides.
__global__ void around(float *out, const float *in, int h) {
  __shared__ float tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    int y = blockIdx.y * 8 + i / 32, x = i % 32 - 2;
    float value = 0;
    if (y < h && x >= 0 && x < 28)
      value = in[y * 28 + x];
    tile[i / 32][i % 32] = value;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    OUT(256) = tile[i % 8][i / 8];
}

// Two kernels, as the instances of a template have to need the same operations.
__global__ void wide_fill(uint4 *out, const uint4 *in, int w, int h) {
  __shared__ uint4 tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    int y = blockIdx.y * 8 + i / 32, x = blockIdx.x * 32 + i % 32;
    tile[i / 32][i % 32] = y < h && x < w ? in[y * w + x] : make_uint4(7, 0, 0, 9);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    OUT(256) = tile[i % 8][i / 8];
}

__global__ void half_fill(__half *out, const __half *in, int w, int h) {
  __shared__ __half tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    int y = blockIdx.y * 8 + i / 32, x = blockIdx.x * 32 + i % 32;
    tile[i / 32][i % 32] = y < h && x < w ? in[y * w + x] : __float2half(1.f);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    OUT(256) = tile[i % 8][i / 8];
}

// One access of 16 bytes is a whole row.
__global__ void unit_rows(unsigned char *out, const unsigned char *in, int w, int h) {
  __shared__ __align__(16) unsigned char tile[32][16];
#pragma tma load
  for (int r = threadIdx.x; r < 32; r += blockDim.x) {
    int y = blockIdx.y * 32 + r - 4;
    *reinterpret_cast<uint4 *>(&tile[r][0]) =
        y >= 0 && y < h ? *reinterpret_cast<const uint4 *>(&in[y * w + blockIdx.x * 16]) : uint4{};
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += blockDim.x)
    OUT(512) = tile[i % 32][i / 32];
}

// A column of the tensor.
__global__ void column(int *out, const int *in, int w, int h) {
  __shared__ int tile[64][1];
#pragma tma load
  for (int r = threadIdx.x; r < 64; r += blockDim.x)
    tile[r][0] = blockIdx.y * 64 + r < h ? in[(blockIdx.y * 64 + r) * w + blockIdx.x * 4] : int{};
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    OUT(64) = tile[63 - i][0];
}

// -2 + r is a huge number in the first two rows.
__global__ void unsigned_rows(float *out, const float *in, unsigned w, unsigned h) {
  __shared__ float tile[16][36];
#pragma tma load
  for (unsigned r = 0; r < 16; ++r)
    for (unsigned c = threadIdx.x; c < 36; c += blockDim.x)
      tile[r][c] = -2 + r < h && blockIdx.x * 36 + c < w
                       ? in[(-2 + r) * w + blockIdx.x * 36 + c] : 0.f;
  __syncthreads();
  for (int i = threadIdx.x; i < 576; i += blockDim.x)
    OUT(576) = tile[i % 16][i / 16];
}

// Of `x <= w - 1` the right side is the extent, though it is the one that may wrap.
__device__ float at(const float *in, size_t y, unsigned h, size_t x, unsigned w) {
  return (size_t)h > (size_t)y && x <= w - 1 ? in[y * w + x] : 0.f;
}

__global__ void extents_in_a_helper(float *out, const float *in, unsigned w, unsigned h) {
  __shared__ float tile[8][32];
  size_t y = blockIdx.y * 8 + threadIdx.y, x = blockIdx.x * 32 + threadIdx.x;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = at(in, y, h, x, w);
  __syncthreads();
  out[(blockIdx.y * 2 + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[7 - threadIdx.y][31 - threadIdx.x];
}

// -1 is the largest number of 64 bits, not a small one.
__global__ void wrapped_row(float *out, const float *in, int w) {
  __shared__ float tile[4][32];
#pragma tma load
  for (int r = 0; r < 4; ++r) {
    size_t y = r - 1, x = blockIdx.x * 32 + threadIdx.x;
    tile[r][threadIdx.x] = y < 6 && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int r = 0; r < 4; ++r)
    out[blockIdx.x * 128 + r * 32 + threadIdx.x] = tile[3 - r][threadIdx.x];
}

// What the first copy's loop writes needs a fence before the second copy.
__global__ void twice(float *out, const float *in, const float *in2, int w, int h) {
  __shared__ float tile[8][32];
  int y = blockIdx.y * 8 + threadIdx.y, x = blockIdx.x * 32 + threadIdx.x;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = y < h && x < w ? in[y * w + x] : 1.f;
  __syncthreads();
  float sum = tile[7 - threadIdx.y][31 - threadIdx.x];
  __syncthreads();
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = y < h && x < w ? in2[y * w + x] : 0.f;
  __syncthreads();
  out[(blockIdx.y * 2 + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x] =
      sum + tile[7 - threadIdx.y][31 - threadIdx.x];
}

// Of six rows only the last is inside.
__global__ void one_row(double *out, const double *in, int w, int h) {
  __shared__ double tile[6][32];
#pragma tma load
  for (int r = threadIdx.y; r < 6; r += 2) {
    int y = r - 5, x = blockIdx.x * 32 + threadIdx.x;
    tile[r][threadIdx.x] = y >= 0 && y < h && x < w ? in[y * w + x] : 0.;
  }
  __syncthreads();
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 192; i += 64)
    OUT(192) = tile[i % 6][i / 6];
}

// The first copy's box is longer than the tile, the second's is not.
__global__ void pieces(short *out, const short *in, const short *in2, int w) {
  __shared__ short tile[1000];
#pragma tma load
  for (int i = threadIdx.x; i < 1000; i += blockDim.x)
    tile[i] = blockIdx.x * 1000 + i < w ? in[blockIdx.x * 1000 + i] : 0;
  __syncthreads();
  for (int i = threadIdx.x; i < 1000; i += blockDim.x)
    out[blockIdx.x * 2000 + i] = tile[999 - i];
  __syncthreads();
#pragma tma load
  for (int i = threadIdx.x; i < 1000; i += blockDim.x)
    tile[i] = in2[blockIdx.x * 1000 + i];
  __syncthreads();
  for (int i = threadIdx.x; i < 1000; i += blockDim.x)
    out[blockIdx.x * 2000 + 1000 + i] = tile[999 - i];
}

template <typename T> T *numbers(size_t count) {
  std::vector<unsigned char> bytes(count * sizeof(T));
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = (i * 37 + i / 251) % 119 + 1;
  T *memory;
  cudaMalloc(&memory, bytes.size());
  cudaMemcpy(memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  return memory;
}

int main() {
  dim3 grid(2, 2);
  above<<<grid, 64>>>(numbers<float4>(4 * 96), numbers<float4>(50 * 9), 50, 9);
  around<<<dim3(1, 3), 64>>>(numbers<float>(3 * 256), numbers<float>(28 * 20), 20);
  wide_fill<<<grid, 64>>>(numbers<uint4>(4 * 256), numbers<uint4>(50 * 13), 50, 13);
  half_fill<<<grid, 64>>>(numbers<__half>(4 * 256), numbers<__half>(48 * 13), 48, 13);
  unit_rows<<<grid, 32>>>(numbers<unsigned char>(4 * 512), numbers<unsigned char>(32 * 50), 32, 50);
  column<<<grid, 64>>>(numbers<int>(4 * 64), numbers<int>(8 * 100), 8, 100);
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = 32;
  cudaLaunchKernelEx(&config, unsigned_rows, numbers<float>(4 * 576),
                     (const float *)numbers<float>(56 * 10), 56u, 10u);
  extents_in_a_helper<<<grid, dim3(32, 8)>>>(numbers<float>(1024), numbers<float>(56 * 13), 56, 13);
  wrapped_row<<<2, 32>>>(numbers<float>(256), numbers<float>(56 * 6), 56);
  twice<<<grid, dim3(32, 8)>>>(numbers<float>(1024), numbers<float>(56 * 13),
                               numbers<float>(56 * 13), 56, 13);
  one_row<<<grid, dim3(32, 2)>>>(numbers<double>(4 * 192), numbers<double>(50 * 4), 50, 4);
  pieces<<<3, 64>>>(numbers<short>(6000), numbers<short>(2504), numbers<short>(3000), 2504);
  return cudaDeviceSynchronize();
}
