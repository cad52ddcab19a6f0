// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several tiles in a loop, and the ways to launch: a configuration, a stream,
// a captured graph, more dynamic shared memory than the default, another block
// size than the one that was checked.

#include "harness.cuh"

constexpr int T = 32;

__global__ void sgemm(float *c, const float *a, const float *b, int m, int n, int k) {
  __shared__ float as[T][T], bs[T][T];
  int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0.f;
  for (int k0 = 0; k0 < k; k0 += T) {
#pragma tma load
    as[threadIdx.y][threadIdx.x] =
        row < m && k0 + threadIdx.x < k ? a[row * k + k0 + threadIdx.x] : 0.f;
#pragma tma load
    bs[threadIdx.y][threadIdx.x] =
        k0 + threadIdx.y < k && column < n ? b[(k0 + threadIdx.y) * n + column] : 0.f;
    __syncthreads();
    for (int i = 0; i < T; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

// Each thread reads what it wrote itself: the plain copy needs no barrier.
__global__ void own_element(float *out, const float *in, int rounds) {
  __shared__ float part[256];
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma tma load
    part[threadIdx.x] = in[(blockIdx.x * rounds + round) * 256 + threadIdx.x];
    sum += part[threadIdx.x] * (round + 1);
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// Reads in each round what it wrote in the one before.
__global__ void in_place(float *data) {
  __shared__ float part[256];
  for (int round = 0; round < 20; ++round) {
#pragma tma load
    part[threadIdx.x] = data[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    data[blockIdx.x * 256 + threadIdx.x] = part[255 - threadIdx.x] * 0.5f + part[threadIdx.x];
    __syncthreads();
  }
}

// The tile is used by the threads before each round.
__global__ void written_before(float *out, const float *in, int rounds) {
  __shared__ float part[256];
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    part[threadIdx.x] = sum + round;
    __syncthreads();
    sum += part[255 - threadIdx.x];
    __syncthreads();
#pragma tma load cache(evict_first)
    part[threadIdx.x] = in[(blockIdx.x * rounds + round) * 256 + threadIdx.x];
    __syncthreads();
    sum += part[255 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void with_dynamic(float *out, const float *in, int w, int h) {
  extern __shared__ float scratch[];
  __shared__ float tile[16][16];
  int x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += 128)
    tile[i / 16][i % 16] = y0 + i / 16 < h && x0 + i % 16 < w ? in[(y0 + i / 16) * w + x0 + i % 16] : 0.f;
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128)
    scratch[15000 + i] = tile[i % 16][i / 16];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128)
    out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + i] = scratch[15000 + i];
}

__global__ void any_block(float *out, const float *in) {
  __shared__ float part[512];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 512; i += blockDim.x)
    part[i] = in[blockIdx.x * 512 + i];
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += blockDim.x)
    out[blockIdx.x * 512 + i] = part[511 - i];
}

// What it reads stays in L2.
__global__ void kept(float *out, const float *table, int w, int h) {
  __shared__ float tile[8][32];
  int t = threadIdx.x, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
#pragma tma load persist(table, 0.75)
  tile[t / 32][t % 32] =
      x0 + t % 32 < w && y0 + t / 32 < h ? table[(y0 + t / 32) * w + x0 + t % 32] : 0.f;
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + t] = tile[7 - t / 32][t % 32];
}

void gemm(float *c, const float *a, const float *b, int m, int n, int k, cudaStream_t stream) {
  dim3 block(T, T), grid((n + T - 1) / T, (m + T - 1) / T);
  sgemm<<<grid, block, 0, stream>>>(c, a, b, m, n, k);
}

int main() {
  int shapes[][3] = {{256, 256, 256}, {100, 68, 52}, {33, 31, 30}};
  for (auto &s : shapes) {
    Buffer a(size_t(s[0]) * s[2] * 4, 1), b(size_t(s[2]) * s[1] * 4, 2), c(size_t(s[0]) * s[1] * 4, 3);
    gemm(c.as<float>(), a.as<float>(), b.as<float>(), s[0], s[1], s[2], nullptr);
    report("sgemm " + std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]), c);
  }
  int n = std::getenv("TIME") ? 4096 : 256;
  {
    Buffer a(size_t(n) * n * 4, 1), b(size_t(n) * n * 4, 2), c(size_t(n) * n * 4, 3);
    gemm(c.as<float>(), a.as<float>(), b.as<float>(), n, n, n, nullptr);
    report("sgemm large", c);
    time_it("sgemm", [&] { gemm(c.as<float>(), a.as<float>(), b.as<float>(), n, n, n, nullptr); });
  }
  Buffer in(64 * 7 * 256 * 4, 4), out(64 * 1024 * 4, 5);
  own_element<<<64, 256>>>(out.as<float>(), in.as<float>(), 7);
  report("own_element", out);
  in_place<<<200, 256>>>(out.as<float>());
  report("in_place", out);
  written_before<<<64, 256>>>(out.as<float>(), in.as<float>(), 7);
  report("written_before", out);

  CHECK(cudaFuncSetAttribute(with_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 80000));
  with_dynamic<<<dim3(4, 4), 128, 80000>>>(out.as<float>(), in.as<float>(), 60, 50);
  report("with_dynamic", out);

  any_block<<<20, 128>>>(out.as<float>(), in.as<float>());
  report("any_block 128", out);
  any_block<<<20, 96>>>(out.as<float>(), in.as<float>());
  report("any_block 96", out);

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(64);
  config.blockDim = dim3(256);
  config.stream = stream;
  CHECK(cudaLaunchKernelEx(&config, own_element, out.as<float>(), in.as<const float>(), 5));
  report("launch_ex", out);

  kept<<<dim3(4, 7), 256>>>(out.as<float>(), in.as<float>(), 100, 50);
  report("kept", out);

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  own_element<<<64, 256, 0, stream>>>(out.as<float>(), in.as<float>(), 3);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i)
    CHECK(cudaGraphLaunch(executable, stream));
  report("graph", out);

  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  kept<<<dim3(4, 8), 256, 0, stream>>>(out.as<float>(), in.as<float>(), 104, 64);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, stream));
  report("graph kept", out);
}
