// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles whose rows are swizzled, by what the pragma says and by what the warps do with
// them: read down columns, sixteen bytes at a time, in rings, with halos, through to
// another tensor.

#include "harness.cuh"

constexpr int T = 32;

// Padding that nobody needs any more.
__global__ void transpose(float *out, const float *in, int w, int h) {
  __shared__ float tile[T][T + 1];
  int x0 = blockIdx.x * T, y0 = blockIdx.y * T;
#pragma tma load
  for (int i = threadIdx.y; i < T; i += blockDim.y)
    tile[i][threadIdx.x] = y0 + i < h && x0 + threadIdx.x < w ? in[(y0 + i) * w + x0 + threadIdx.x] : 0.f;
  __syncthreads();
  for (int i = threadIdx.y; i < T; i += blockDim.y)
    if (x0 + i < w && y0 + threadIdx.x < h)
      out[(x0 + i) * h + y0 + threadIdx.x] = tile[threadIdx.x][i];
}

// In by one tile, out by another.
__global__ void transpose_both(float *out, const float *in, int w, int h) {
  __shared__ float from[T][T], to[T][T + 1];
  int x0 = blockIdx.x * T, y0 = blockIdx.y * T;
#pragma tma load swizzle(128)
  for (int i = threadIdx.y; i < T; i += blockDim.y)
    from[i][threadIdx.x] = y0 + i < h && x0 + threadIdx.x < w ? in[(y0 + i) * w + x0 + threadIdx.x] : 0.f;
  __syncthreads();
  for (int i = threadIdx.y; i < T; i += blockDim.y)
    to[threadIdx.x][i] = from[i][threadIdx.x];
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.y; i < T; i += blockDim.y)
    if (x0 + i < w && y0 + threadIdx.x < h)
      out[(x0 + i) * h + y0 + threadIdx.x] = to[i][threadIdx.x];
}

// Each mode, with rows as long as its span and shorter ones.
__global__ void narrow32(unsigned short *out, const unsigned short *in, int w) {
  __shared__ unsigned short tile[16][16];
#pragma tma load swizzle(32)
  for (int i = threadIdx.x; i < 256; i += 64)
    tile[i / 16][i % 16] = in[(i / 16) * w + blockIdx.x * 16 + i % 16];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64)
    out[blockIdx.x * 256 + i] = tile[i % 16][i / 16] + 1;
}
__global__ void narrow64(int *out, const int *in, int w) {
  __shared__ int tile[24][16];
#pragma tma load swizzle(64)
  for (int i = threadIdx.x; i < 24 * 16; i += 64)
    tile[i / 16][i % 16] = in[(i / 16) * w + blockIdx.x * 16 + i % 16];
  __syncthreads();
  for (int i = threadIdx.x; i < 24 * 16; i += 64)
    out[blockIdx.x * 384 + i] = tile[i % 24][i / 24];
}
__global__ void shorter(double *out, const double *in, int w) {
  __shared__ double tile[9][10];
#pragma tma load swizzle(128)
  for (int i = threadIdx.x; i < 90; i += 64)
    tile[i / 10][i % 10] = in[(i / 10) * w + blockIdx.x * 10 + i % 10];
  __syncthreads();
  for (int i = threadIdx.x; i < 90; i += 64)
    out[blockIdx.x * 90 + i] = tile[i % 9][i / 9];
}

// A halo off the 16 bytes, vectors of four.
__global__ void halo(float *out, const float *in, int w, int h) {
  __shared__ float tile[10][26];
  int x0 = int(blockIdx.x) * 24 - 1, y0 = int(blockIdx.y) * 8 - 1;
#pragma tma load swizzle(128)
  for (int i = threadIdx.x; i < 260; i += 96) {
    int y = y0 + i / 26, x = x0 + i % 26;
    tile[i / 26][i % 26] = y >= 0 && y < h && x >= 0 && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 192; i += 96) {
    int r = i % 8, c = i / 8;
    if (y0 + 1 + r < h && x0 + 1 + c < w)
      out[(y0 + 1 + r) * w + x0 + 1 + c] =
          tile[r][c + 1] + tile[r + 2][c + 1] + tile[r + 1][c] + tile[r + 1][c + 2];
  }
}
__global__ void vectors(float4 *out, const float4 *in, int w) {
  __shared__ float4 tile[32][8];
#pragma tma load swizzle(128)
  for (int r = threadIdx.y; r < 32; r += 8)
    tile[r][threadIdx.x] = in[(blockIdx.x * 32 + r) * w + threadIdx.x];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8)
    out[blockIdx.x * 256 + threadIdx.x * 32 + r] = tile[r][threadIdx.x];
}

// A ring of tiles, read down their columns.
__global__ void columns(float *out, const float *in, int w, int rounds) {
  __shared__ float tile[32][32];
  float sum = 0;
#pragma tma pipeline stages(3)
  for (int k = 0; k < rounds; ++k) {
#pragma tma load
    for (int r = threadIdx.y; r < 32; r += 4)
      tile[r][threadIdx.x] = in[(k * 32 + r) * w + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    for (int c = threadIdx.y; c < 32; c += 4)
      sum = sum * 0.5f + tile[threadIdx.x][c];
    __syncthreads();
  }
  out[(blockIdx.x * 4 + threadIdx.y) * 32 + threadIdx.x] = sum;
}

// One long row, and a volume; in place and out again.
__global__ void flat(int *out, const int *in, int w) {
  __shared__ int tile[16 * 32];
#pragma tma load swizzle(128)
  for (int i = threadIdx.x; i < 512; i += 128)
    tile[i] = in[(i / 32) * w + blockIdx.x * 32 + i % 32];
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 128)
    out[blockIdx.x * 512 + i] = tile[i % 16 * 32 + i / 16];
}
__global__ void volume(short *__restrict__ out, const short *__restrict__ in, int w, int h) {
  __shared__ short tile[4][8][64];
#pragma tma load swizzle(128)
  for (int i = threadIdx.x; i < 2048; i += 128)
    tile[i / 512][i / 64 % 8][i % 64] = in[(i / 512 * h + i / 64 % 8) * w + blockIdx.x * 64 + i % 64];
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += 128)
    tile[i % 4][i / 4 % 8][i / 32] += i;
  __syncthreads();
#pragma tma store swizzle(128)
  for (int i = threadIdx.x; i < 2048; i += 128)
    out[(i / 512 * h + i / 64 % 8) * w + blockIdx.x * 64 + i % 64] = tile[i / 512][i / 64 % 8][i % 64];
}

// Swizzles that the program writes itself, in rows of 32, 64 and 128 bytes, and hands on.
template <int Parts> __device__ int swizzled(int row, int part) {
  return part ^ row / (8 / Parts) % Parts;
}
template <int Parts> __device__ unsigned sum_of(const uint4 *rows, int row) {
  unsigned sum = 0;
  for (int part = 0; part < Parts; ++part) {
    uint4 four = rows[row * Parts + swizzled<Parts>(row, part)];
    sum = sum * 31 + four.x * 7 + four.y * 5 + four.z * 3 + four.w;
  }
  return sum;
}
template <int Parts> __global__ void written(unsigned *out, const uint4 *in, int w) {
  __shared__ uint4 tile[48][Parts];
#pragma tma load
  for (int i = threadIdx.x; i < 48 * Parts; i += 64)
    tile[i / Parts][swizzled<Parts>(i / Parts, i % Parts)] =
        in[(blockIdx.x * 48 + i / Parts) * w + i % Parts];
  __syncthreads();
  if (threadIdx.x < 48)
    out[blockIdx.x * 48 + threadIdx.x] = sum_of<Parts>(&tile[0][0], threadIdx.x);
}

// Rows that follow each other in both, one after the other and in a ring that only
// dynamic memory has room for; element by element.
__global__ void written_rows(unsigned *out, const uint4 *in) {
  __shared__ uint4 tile[512];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 64)
    tile[i ^ i / 8 % 8] = in[blockIdx.x * 512 + i];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = sum_of<8>(tile, threadIdx.x);
}
__global__ void written_ring(unsigned short *out, const unsigned short *in, int w, int rounds) {
  __shared__ unsigned short tile[128][64];
  unsigned short sum = 0;
#pragma tma pipeline stages(4)
  for (int k = 0; k < rounds; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < 128 * 64; i += 128) {
      int row = i / 64, part = i / 8 % 8 ^ row % 8;
      tile[row][part * 8 + i % 8] = in[(blockIdx.x * 128 + row) * w + k * 64 + i % 64];
    }
    __syncthreads();
    for (int c = 0; c < 64; ++c)
      sum = sum * 31 + tile[threadIdx.x][(c / 8 ^ threadIdx.x % 8) * 8 + c % 8];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The other way, from a part of a tile.
__global__ void written_out(uint4 *__restrict__ out, const uint4 *__restrict__ in, int w) {
  __shared__ uint4 tile[2][32][8];
  for (int i = threadIdx.x; i < 512; i += 64)
    tile[i / 256][i / 8 % 32][i % 8 ^ i / 8 % 8] = in[blockIdx.x * 512 + i];
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 256; i += 64)
    out[(blockIdx.x * 32 + i / 8) * w + i % 8] = tile[1][i / 8][i % 8 ^ i / 8 % 8];
}

// Rows longer than a swizzle, which are cut: padded, both ways.
__global__ void wide_both(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[64][65], turned[64][64];
  int x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
#pragma tma load
  for (int i = threadIdx.x; i < 64 * 64; i += 256)
    tile[i / 64][i % 64] = y0 + i / 64 < h && x0 + i % 64 < w ? in[(y0 + i / 64) * w + x0 + i % 64] : 0.f;
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 64; i += 256)
    turned[i % 64][i / 64] = tile[i / 64][i % 64] + i;
  __syncthreads();
#pragma tma store swizzle(128)
  for (int i = threadIdx.x; i < 64 * 64; i += 256)
    if (x0 + i / 64 < w && y0 + i % 64 < h)
      out[(x0 + i / 64) * h + y0 + i % 64] = turned[i / 64][i % 64];
}

// A last part that is not whole, rows that start before the copy's, few rows.
template <typename T, int rows, int columns>
__device__ void wide_halo(T *out, const T *in, int w, int h) {
  __shared__ T tile[rows][columns];
  int x0 = int(blockIdx.x) * (columns - 4) - 2, y0 = int(blockIdx.y) * (rows - 2) - 1;
#pragma tma load swizzle(64)
  for (int i = threadIdx.x; i < rows * columns; i += 96) {
    int x = x0 + i % columns, y = y0 + i / columns;
    tile[i / columns][i % columns] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : T(0);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < rows * columns; i += 96)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * rows * columns + i] = tile[i / columns][i % columns];
}

__global__ void wide_floats(float *out, const float *in, int w, int h) {
  wide_halo<float, 10, 68>(out, in, w, h);
}
__global__ void wide_shorts(short *out, const short *in, int w, int h) {
  wide_halo<short, 5, 140>(out, in, w, h);
}
__global__ void wide_chars(char *out, const char *in, int w, int h) {
  wide_halo<char, 3, 276>(out, in, w, h);
}

// One row, which is cut because of where it starts.
__global__ void wide_line(int *out, const int *in, int w) {
  __shared__ int line[1][16];
#pragma tma load swizzle(64)
  if (threadIdx.x < 16)
    line[0][threadIdx.x] = threadIdx.x + 1 < w ? in[blockIdx.x * 64 + threadIdx.x + 1] : 0;
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = line[0][15 - threadIdx.x % 16];
}

// Stages, filled in two halves, of three dimensions.
__global__ void wide_stages(unsigned short *out, const unsigned short *__restrict__ in, int w, int rounds) {
  __shared__ unsigned short tile[2][2][12][64];
  unsigned sum = 0;
  for (int k = 0; k < rounds; ++k) {
#pragma tma load swizzle(32)
    for (int i = threadIdx.x; i < 768; i += 128)
      tile[k % 2][0][i / 64][i % 64] = in[(k * 24 + i / 64) * w + blockIdx.x * 64 + i % 64];
#pragma tma load swizzle(32)
    for (int i = threadIdx.x; i < 768; i += 128)
      tile[k % 2][1][i / 64][i % 64] = in[(k * 24 + 12 + i / 64) * w + blockIdx.x * 64 + i % 64];
    __syncthreads();
    for (int i = threadIdx.x; i < 1536; i += 128)
      sum = sum * 31 + tile[k % 2][i / 768][i % 12][i / 12 % 64];
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Of a ring, in rows that are found by division.
__global__ void wide_ring(int *out, const int *__restrict__ in, int w, int rounds) {
  __shared__ int tile[16 * 96];
  int sum = 0;
#pragma tma pipeline stages(3)
  for (int k = 0; k < rounds; ++k) {
#pragma tma load swizzle(128)
    for (int i = threadIdx.x; i < 1536; i += 128)
      tile[i] = in[(k * 16 + i / 96) * w + blockIdx.x * 96 + i % 96];
    __syncthreads();
    for (int i = threadIdx.x; i < 1536; i += 128)
      sum = sum * 31 + tile[i % 16 * 96 + i / 16];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

template <typename Launch> void test(const std::string &name, Launch launch) {
  Buffer in(1 << 18, 1), out(1 << 18, 2);
  launch(out, in);
  CHECK(cudaGetLastError());
  report(name, out);
}

int main() {
  for (auto [w, h] : {std::pair(96, 64), {100, 44}}) {
    std::string size = " " + std::to_string(w) + "x" + std::to_string(h);
    dim3 grid((w + T - 1) / T, (h + T - 1) / T);
    test("transpose" + size, [&, w = w, h = h](Buffer &out, Buffer &in) {
      transpose<<<grid, dim3(T, 8)>>>(out.as<float>(), in.as<float>(), w, h);
    });
    test("transpose_both" + size, [&, w = w, h = h](Buffer &out, Buffer &in) {
      transpose_both<<<grid, dim3(T, 8)>>>(out.as<float>(), in.as<float>(), w, h);
    });
    test("halo" + size, [&, w = w, h = h](Buffer &out, Buffer &in) {
      halo<<<dim3((w + 23) / 24, (h + 7) / 8), 96>>>(out.as<float>(), in.as<float>(), w, h);
    });
  }
  for (auto [w, h] : {std::pair(128, 64), {180, 100}})
    test("wide_both " + std::to_string(w), [&, w = w, h = h](Buffer &out, Buffer &in) {
      wide_both<<<dim3((w + 63) / 64, (h + 63) / 64), 256>>>(out.as<float>(), in.as<float>(), w, h);
    });
  test("wide_floats", [](Buffer &out, Buffer &in) {
    wide_floats<<<dim3(3, 3), 96>>>(out.as<float>(), in.as<float>(), 160, 21);
  });
  test("wide_shorts", [](Buffer &out, Buffer &in) {
    wide_shorts<<<dim3(2, 3), 96>>>(out.as<short>(), in.as<short>(), 280, 9);
  });
  test("wide_chars", [](Buffer &out, Buffer &in) {
    wide_chars<<<dim3(2, 3), 96>>>(out.as<char>(), in.as<char>(), 448, 5);
  });
  test("wide_line", [](Buffer &out, Buffer &in) { wide_line<<<3, 32>>>(out.as<int>(), in.as<int>(), 20); });
  for (int rounds : {0, 1, 5}) {
    test("wide_stages " + std::to_string(rounds), [&](Buffer &out, Buffer &in) {
      wide_stages<<<2, 128>>>(out.as<unsigned short>(), in.as<unsigned short>(), 136, rounds);
    });
    test("wide_ring " + std::to_string(rounds), [&](Buffer &out, Buffer &in) {
      wide_ring<<<2, 128>>>(out.as<int>(), in.as<int>(), 196, rounds);
    });
  }
  test("narrow32", [](Buffer &out, Buffer &in) {
    narrow32<<<3, 64>>>(out.as<unsigned short>(), in.as<unsigned short>(), 128);
  });
  test("narrow64", [](Buffer &out, Buffer &in) { narrow64<<<3, 64>>>(out.as<int>(), in.as<int>(), 64); });
  test("shorter", [](Buffer &out, Buffer &in) {
    shorter<<<3, 64>>>(out.as<double>(), in.as<double>(), 64);
  });
  test("vectors", [](Buffer &out, Buffer &in) {
    vectors<<<3, dim3(8, 8)>>>(out.as<float4>(), in.as<float4>(), 16);
  });
  for (int rounds : {0, 1, 5})
    test("columns " + std::to_string(rounds), [&](Buffer &out, Buffer &in) {
      columns<<<2, dim3(32, 4)>>>(out.as<float>(), in.as<float>(), 64, rounds);
    });
  test("flat", [](Buffer &out, Buffer &in) { flat<<<3, 128>>>(out.as<int>(), in.as<int>(), 96); });
  test("volume", [](Buffer &out, Buffer &in) {
    volume<<<2, 128>>>(out.as<short>(), in.as<short>(), 128, 8);
  });
  test("written<2>", [](Buffer &out, Buffer &in) {
    written<2><<<3, 64>>>(out.as<unsigned>(), in.as<uint4>(), 5);
  });
  test("written<4>", [](Buffer &out, Buffer &in) {
    written<4><<<3, 64>>>(out.as<unsigned>(), in.as<uint4>(), 4);
  });
  test("written<8>", [](Buffer &out, Buffer &in) {
    written<8><<<3, 64>>>(out.as<unsigned>(), in.as<uint4>(), 9);
  });
  test("written_rows", [](Buffer &out, Buffer &in) {
    written_rows<<<2, 64>>>(out.as<unsigned>(), in.as<uint4>());
  });
  for (int rounds : {0, 2, 7})
    test("written_ring " + std::to_string(rounds), [&](Buffer &out, Buffer &in) {
      written_ring<<<2, 128>>>(out.as<unsigned short>(), in.as<unsigned short>(), 456, rounds);
    });
  test("written_out", [](Buffer &out, Buffer &in) {
    written_out<<<3, 64>>>(out.as<uint4>(), in.as<uint4>(), 11);
  });
}
