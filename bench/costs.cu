// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a copy by TMA brings, by the size of its tile, by how many elements each thread had
// to load, and by whether they were guarded: what the cost model in docs/costs.md is made of.

#include "bench.cuh"

/// A tile goes out again with its rows turned round.
template <int Columns, int Rows, int Threads>
__global__ void __launch_bounds__(Threads)
    rows(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[Rows][Columns];
  int x0 = blockIdx.x * Columns, y0 = blockIdx.y * Rows;
#pragma tma load
  for (int i = threadIdx.x; i < Rows * Columns; i += Threads)
    tile[i / Columns][i % Columns] = in[(y0 + i / Columns) * w + x0 + i % Columns];
  __syncthreads();
  for (int i = threadIdx.x; i < Rows * Columns; i += Threads)
    out[(y0 + i / Columns) * w + x0 + i % Columns] = tile[i / Columns][Columns - 1 - i % Columns];
}

/// The same by vectors.
template <int Columns, int Rows, int Threads>
__global__ void __launch_bounds__(Threads)
    vectors(float4 *__restrict__ out, const float4 *__restrict__ in, int w) {
  __shared__ float4 tile[Rows][Columns];
  int at = blockIdx.y * Rows * w + blockIdx.x * Columns;
#pragma tma load
  for (int i = threadIdx.x; i < Rows * Columns; i += Threads)
    tile[i / Columns][i % Columns] = in[at + i / Columns * w + i % Columns];
  __syncthreads();
  for (int i = threadIdx.x; i < Rows * Columns; i += Threads)
    out[at + i / Columns * w + i % Columns] = tile[i / Columns][Columns - 1 - i % Columns];
}

/// The sum of an element and its neighbours, zero outside.
template <int Columns, int Rows, int Threads>
__global__ void __launch_bounds__(Threads)
    guarded(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[Rows + 2][Columns + 2];
  int x0 = int(blockIdx.x) * Columns - 1, y0 = int(blockIdx.y) * Rows - 1;
#pragma tma load
  for (int i = threadIdx.x; i < (Rows + 2) * (Columns + 2); i += Threads) {
    int y = y0 + i / (Columns + 2), x = x0 + i % (Columns + 2);
    tile[i / (Columns + 2)][i % (Columns + 2)] =
        y >= 0 && y < h && x >= 0 && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < Rows * Columns; i += Threads) {
    int r = i / Columns + 1, c = i % Columns + 1;
    if (y0 + r < h && x0 + c < w)
      out[(y0 + r) * w + x0 + c] =
          tile[r][c] + tile[r - 1][c] + tile[r + 1][c] + tile[r][c - 1] + tile[r][c + 1];
  }
}

/// The same rows, one tile after the other in each block.
template <int Columns, int Rows, int Threads>
__global__ void __launch_bounds__(Threads)
    looped(float *__restrict__ out, const float *__restrict__ in, int w, int h) {
  __shared__ float tile[Rows][Columns];
  int x0 = blockIdx.x * Columns;
  for (int y0 = blockIdx.y * Rows; y0 < h; y0 += gridDim.y * Rows) {
#pragma tma load
    for (int i = threadIdx.x; i < Rows * Columns; i += Threads)
      tile[i / Columns][i % Columns] = in[(y0 + i / Columns) * w + x0 + i % Columns];
    __syncthreads();
    for (int i = threadIdx.x; i < Rows * Columns; i += Threads)
      out[(y0 + i / Columns) * w + x0 + i % Columns] = tile[i / Columns][Columns - 1 - i % Columns];
    __syncthreads();
  }
}

/// Each with a tensor that keeps the memory busy, and with one tile for each SM.
template <typename Launch>
void sizes(const char *family, int columns, int rows, int threads, int element, Buffer &out,
           Launch launch) {
  for (int n : {8192, 0}) {
    int w = n ? n / (element / 4) : columns * 12, h = n ? n : rows * 11;
    std::string name = "cost-" + std::string(family) + "-" + std::to_string(columns) + "x" +
                       std::to_string(rows) + "x" + std::to_string(element) + "-by-" +
                       std::to_string(threads) + (n ? "" : "-few");
    work(name.c_str(), 2. * w * h * element, double(w) * h);
    kernel(name.c_str(), out, [&] { launch(dim3(w / columns, h / rows), w, h); });
  }
}

template <int Columns, int Rows, int Threads> void run_rows(Buffer &in, Buffer &out) {
  sizes("rows", Columns, Rows, Threads, 4, out, [&](dim3 grid, int w, int) {
    rows<Columns, Rows, Threads><<<grid, Threads>>>(out.as<float>(), in.as<float>(), w);
  });
}
template <int Columns, int Rows, int Threads> void run_vectors(Buffer &in, Buffer &out) {
  sizes("vectors", Columns, Rows, Threads, 16, out, [&](dim3 grid, int w, int) {
    vectors<Columns, Rows, Threads><<<grid, Threads>>>(out.as<float4>(), in.as<float4>(), w);
  });
}
template <int Columns, int Rows, int Threads> void run_guarded(Buffer &in, Buffer &out) {
  sizes("guarded", Columns, Rows, Threads, 4, out, [&](dim3 grid, int w, int h) {
    guarded<Columns, Rows, Threads><<<grid, Threads>>>(out.as<float>(), in.as<float>(), w, h);
  });
}
template <int Columns, int Rows, int Threads> void run_looped(Buffer &in, Buffer &out) {
  sizes("looped", Columns, Rows, Threads, 4, out, [&](dim3 grid, int w, int h) {
    grid.y = (grid.y + 7) / 8;
    looped<Columns, Rows, Threads><<<grid, Threads>>>(out.as<float>(), in.as<float>(), w, h);
  });
}

int main() {
  Buffer in(size_t(8192) * 8192 * 4, 1), out(size_t(8192) * 8192 * 4, 2);
  run_rows<32, 2, 64>(in, out);
  run_rows<32, 4, 128>(in, out);
  run_rows<32, 8, 256>(in, out);
  run_rows<32, 32, 1024>(in, out);
  run_rows<32, 8, 128>(in, out);
  run_rows<32, 16, 128>(in, out);
  run_rows<64, 16, 128>(in, out);
  run_rows<64, 32, 128>(in, out);
  run_rows<128, 32, 128>(in, out);
  run_rows<128, 64, 256>(in, out);
  run_vectors<8, 16, 128>(in, out);
  run_vectors<16, 16, 128>(in, out);
  run_vectors<32, 16, 128>(in, out);
  run_vectors<32, 32, 128>(in, out);
  run_guarded<16, 4, 64>(in, out);
  run_guarded<32, 4, 128>(in, out);
  run_guarded<32, 8, 256>(in, out);
  run_guarded<32, 32, 1024>(in, out);
  run_guarded<32, 16, 128>(in, out);
  run_guarded<64, 32, 128>(in, out);
  run_guarded<128, 32, 128>(in, out);
  run_looped<32, 4, 128>(in, out);
  run_looped<32, 16, 128>(in, out);
  run_looped<64, 32, 128>(in, out);
  run_looped<128, 32, 128>(in, out);
}
