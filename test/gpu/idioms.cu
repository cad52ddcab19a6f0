// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel for each way to write a guarded or unguarded 2-D copy. Each writes
// every element of its tile to the output, so that equal bytes mean equal tiles.

#include "harness.cuh"

constexpr int W = 32, H = 8;

// Writes the tile out whole, wherever it came from.
template <typename Tile> __device__ void dump(float *out, Tile &tile, int rows, int columns) {
  int block = blockIdx.y * gridDim.x + blockIdx.x;
  int threads = blockDim.x * blockDim.y;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < rows * columns; i += threads)
    out[size_t(block) * rows * columns + i] = tile[i / columns][i % columns];
}

__global__ void one_element(float *out, const float *in, int w, int h) {
  __shared__ float tile[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = x < w && y < h ? in[y * w + x] : 0.f;
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 16 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}

__global__ void row_steps(float *out, const float *in, int w, int h) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma tma load
#pragma unroll
  for (int j = 0; j < 32; j += 8)
    if (x < w && y + j < h)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    else
      tile[threadIdx.y + j][threadIdx.x] = 0;
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 1024 + (threadIdx.y + j) * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y + j];
}

__global__ void hoisted(float *out, const float *in, int w, int h) {
  __shared__ float tile[H][W];
  const int row = threadIdx.x / W, column = threadIdx.x % W, rows = blockDim.x / W;
  const int y0 = blockIdx.y * H, x0 = blockIdx.x * W;
#pragma tma load
  for (int r = row; r < H; r += rows) {
    float value = 0.f;
    if (y0 + r < h && x0 + column < w)
      value = in[(y0 + r) * w + x0 + column];
    tile[r][column] = value;
  }
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] =
      tile[threadIdx.x % H][threadIdx.x / H];
}

__global__ void early_continue(float *out, const float *in, int w, int h) {
  __shared__ float tile[H][W];
  int x0 = blockIdx.x * W - 4, y0 = blockIdx.y * H - 1;
#pragma tma load
  for (int i = threadIdx.x; i < H * W; i += blockDim.x) {
    int r = i / W, c = i % W;
    if (y0 + r < 0 || y0 + r >= h || x0 + c < 0 || x0 + c >= w) {
      tile[r][c] = 0.f;
      continue;
    }
    tile[r][c] = in[(y0 + r) * w + x0 + c];
  }
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] =
      tile[threadIdx.x % H][threadIdx.x / H];
}

__global__ void clamped_bounds(float *out, const float *in, int w, int h) {
  __shared__ float tile[H][W];
  int x0 = blockIdx.x * W, y0 = blockIdx.y * H;
#pragma tma load
  {
    for (int r = threadIdx.y; r < H; r += blockDim.y)
      tile[r][threadIdx.x] = 0.f;
    for (int r = threadIdx.y; r < min(H, h - y0); r += blockDim.y)
      if (threadIdx.x < w - x0)
        tile[r][threadIdx.x] = in[(y0 + r) * w + x0 + threadIdx.x];
  }
  __syncthreads();
  dump(out, tile, H, W);
}

__global__ void unsigned_guard(float *out, const float *in, int w, int h) {
  __shared__ float tile[H][W];
  int x0 = blockIdx.x * W - 8, y0 = blockIdx.y * H - 2;
#pragma tma load
  for (unsigned i = threadIdx.x; i < H * W; i += blockDim.x) {
    int r = i >> 5, c = i & 31;
    bool inside = unsigned(y0 + r) < unsigned(h) && unsigned(x0 + c) < unsigned(w);
    tile[r][c] = inside ? __ldg(&in[(y0 + r) * w + x0 + c]) : 0.f;
  }
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] =
      tile[threadIdx.x % H][threadIdx.x / H];
}

// No guard: the tensor is padded, so that the halo may be read.
__global__ void unguarded_halo(float *out, const float *in, int pitch) {
  __shared__ float tile[H + 2][W + 2];
  const float *from = in + (blockIdx.y * H) * pitch + blockIdx.x * W;
#pragma tma load
  for (int i = threadIdx.x; i < (H + 2) * (W + 2); i += blockDim.x)
    tile[i / (W + 2)][i % (W + 2)] = from[i / (W + 2) * pitch + i % (W + 2)];
  __syncthreads();
  int r = threadIdx.x / W + 1, c = threadIdx.x % W + 1;
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] =
      tile[r - 1][c] + tile[r + 1][c] + tile[r][c - 1] + tile[r][c + 1];
}

// A guard without else: the border keeps what the threads stored before.
__global__ void stale_border(float *out, const float *in, int w, int h) {
  __shared__ float tile[H][W];
  int x0 = blockIdx.x * W, y0 = blockIdx.y * H, r = threadIdx.x / W, c = threadIdx.x % W;
  tile[r][c] = -float(threadIdx.x);
  __syncthreads();
#pragma tma load cache(evict_last) promote(64)
  if (y0 + r < h && x0 + c < w)
    tile[r][c] = in[(y0 + r) * w + x0 + c];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] =
      tile[threadIdx.x % H][threadIdx.x / H];
}

// The row start is not known to be a multiple of 16 bytes: tested at the copy.
__global__ void uneven_start(float *out, const float *in, int w, int h, int step) {
  __shared__ float tile[H][W];
  int x0 = blockIdx.x * step, y0 = blockIdx.y * H;
#pragma tma load
  for (int i = threadIdx.x; i < H * W; i += blockDim.x) {
    int r = i / W, c = i % W;
    tile[r][c] = y0 + r < h && x0 + c < w ? in[(y0 + r) * w + x0 + c] : 0.f;
  }
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x] =
      tile[threadIdx.x % H][threadIdx.x / H];
}

template <typename Launch>
void guarded(const char *name, int bx, int by, size_t cells, Launch launch) {
  int sizes[][2] = {{256, 64}, {100, 37}, {67, 19}, {32, 8}, {12, 3}};
  for (auto &size : sizes)
    for (size_t offset : {0, 4}) {
      int w = size[0], h = size[1];
      dim3 grid((w + bx - 1) / bx, (h + by - 1) / by);
      Buffer in(size_t(w) * h * 4, 7, offset), out(size_t(grid.x) * grid.y * cells * 4, 8);
      launch(grid, out.as<float>(), in.as<float>(), w, h);
      report(std::string(name) + " " + std::to_string(w) + "x" + std::to_string(h) + "+" +
                 std::to_string(offset),
             out);
    }
}

int main() {
  guarded("one_element", 16, 16, 256, [](dim3 grid, float *out, const float *in, int w, int h) {
    one_element<<<grid, dim3(16, 16)>>>(out, in, w, h);
  });
  guarded("row_steps", 32, 32, 1024, [](dim3 grid, float *out, const float *in, int w, int h) {
    row_steps<<<grid, dim3(32, 8)>>>(out, in, w, h);
  });
  guarded("hoisted", W, H, 256, [](dim3 grid, float *out, const float *in, int w, int h) {
    hoisted<<<grid, 256>>>(out, in, w, h);
  });
  guarded("early_continue", W, H, 256, [](dim3 grid, float *out, const float *in, int w, int h) {
    early_continue<<<grid, 256>>>(out, in, w, h);
  });
  guarded("clamped_bounds", W, H, 256, [](dim3 grid, float *out, const float *in, int w, int h) {
    dim3 block(32, 4);
    clamped_bounds<<<grid, block>>>(out, in, w, h);
  });
  guarded("unsigned_guard", W, H, 256, [](dim3 grid, float *out, const float *in, int w, int h) {
    unsigned_guard<<<grid, 256>>>(out, in, w, h);
  });
  guarded("stale_border", W, H, 256, [](dim3 grid, float *out, const float *in, int w, int h) {
    stale_border<<<grid, 256>>>(out, in, w, h);
  });
  for (int step : {32, 33, 28})
    guarded(("uneven_start_" + std::to_string(step)).c_str(), step, H, 256,
            [step](dim3 grid, float *out, const float *in, int w, int h) {
              uneven_start<<<grid, 256>>>(out, in, w, h, step);
            });
  for (int pitch : {1028, 1026, 1040}) {
    Buffer in(size_t(pitch) * 260 * 4, 9), out(size_t(32) * 32 * 256 * 4, 10);
    unguarded_halo<<<dim3(32, 32), 256>>>(out.as<float>(), in.as<float>(), pitch);
    report("unguarded_halo " + std::to_string(pitch), out);
  }
}
