// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that a warp of its own makes: blocks of one, two and three dimensions, loops in
// loops and one after another, rounds that make no copy or make it the plain way, tiles that
// the threads change, rounds that are looked up, and barriers and threads that are the program's
// alone.

#include "harness.cuh"

constexpr int T = 16;

// The block's second dimension grows, and who counts its threads must not see that.
__global__ void sgemm(float *__restrict__ c, const float *__restrict__ a,
                      const float *__restrict__ b, int m, int n, int k) {
  __shared__ float as[T][T], bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, column = blockIdx.x * T + tx;
  float sum = 0.f;
#pragma tma pipeline stages(3) warp(producer)
  for (int k0 = 0; k0 < k; k0 += T) {
#pragma tma load
    for (int r = ty; r < T; r += blockDim.y)
      as[r][tx] =
          blockIdx.y * T + r < m && k0 + tx < k ? a[(blockIdx.y * T + r) * k + k0 + tx] : 0.f;
#pragma tma load
    for (int r = ty; r < T; r += blockDim.y)
      bs[r][tx] = k0 + r < k && column < n ? b[(k0 + r) * n + column] : 0.f;
    __syncthreads();
    for (int i = 0; i < T; ++i)
      sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum + blockDim.x * blockDim.y;
}

// Pointers that move before the loop and in it; three dimensions.
__global__ void moving(float *__restrict__ out, const float *__restrict__ in, int rounds, int w) {
  __shared__ float part[128], factor[128];
  int t = threadIdx.x + 8 * (threadIdx.y + 4 * threadIdx.z);
  float sum = 0.f;
  const float *from = in;
  from += blockIdx.x * 128;
  int left = rounds;
#pragma tma pipeline stages(2) warp(producer)
  while (left > 0) {
#pragma tma load
    part[t] = from[t];
    __syncthreads();
    sum += part[127 - t];
#pragma tma load
    factor[t] = in[(rounds - left) * w + t];
    __syncthreads();
    sum -= factor[t ^ 1];
    __syncthreads();
    from += w;
    --left;
  }
  out[blockIdx.x * 128 + t] = sum;
}

// A ring that is handed on from tile to tile and from loop to loop, in blocks of which some
// have nothing to do.
template <int Stages>
__global__ void __launch_bounds__(64, 2)
    persistent(float *__restrict__ out, const float *__restrict__ in, int tiles, int rounds) {
  __shared__ float part[64], other[64];
  if (blockIdx.x == 3)
    return;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (tile % 5 == 4)
      continue;
    int first = tile * rounds, last = first + rounds;
    float sum = 0;
#pragma tma pipeline stages(Stages) warp(producer)
    for (int i = first; i < last; ++i) {
#pragma tma load
      part[threadIdx.x] = in[i * 64 + threadIdx.x];
      __syncthreads();
      sum = sum * 0.5f + part[63 - threadIdx.x];
      __syncthreads();
    }
#pragma tma pipeline stages(2) warp(producer)
    for (int i = last - 1; i >= first; --i) {
#pragma tma load
      other[threadIdx.x] = in[i * 64 + threadIdx.x];
      __syncthreads();
      sum += other[(threadIdx.x + 1) % 64];
      __syncthreads();
    }
    out[tile * 64 + threadIdx.x] = sum;
  }
}

// Some rounds copy nothing, and some copy what TMA does not.
__global__ void some_rounds(float *__restrict__ out, const float *__restrict__ in, int rounds,
                            int h) {
  __shared__ float part[8][32];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
#pragma tma pipeline stages(3) warp(producer)
  for (int i = 0; i < rounds; ++i) {
    if (i % 3 == 1)
      continue;
#pragma tma load
    for (int r = y; r < 8; r += 2) {
      int at = (i * gridDim.x + blockIdx.x) * 8 + r - 4;
      part[r][x] = at >= 0 && at < h ? in[at * 32 + x] : 1.f;
    }
    __syncthreads();
    for (int r = 0; r < 8; ++r)
      sum += part[r][31 - x] * (r + 1);
    __syncthreads();
  }
  out[blockIdx.x * 64 + y * 32 + x] = sum;
}

// The threads change what they have got, and keep something in memory of their own.
__global__ void changed(float *__restrict__ out, const float *__restrict__ in, int rounds) {
  __shared__ float part[128], sums[128];
  sums[threadIdx.x] = 0;
  __syncthreads();
#pragma tma pipeline stages(3) warp(producer)
  for (int i = 0; i < rounds; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 128 + threadIdx.x];
    __syncthreads();
    part[threadIdx.x] *= 2;
    __syncthreads();
    sums[threadIdx.x] += part[127 - threadIdx.x];
    __syncthreads();
    float neighbour = sums[threadIdx.x ^ 32];
    __syncthreads();
    sums[threadIdx.x] += neighbour * 0.25f;
    __syncthreads();
  }
  out[threadIdx.x] = sums[threadIdx.x];
}

// What it copies is stored in each round, too.
__global__ void scaled(float *__restrict__ out, const float *__restrict__ in, int rounds) {
  __shared__ float part[256], result[256];
#pragma tma pipeline stages(auto) warp(producer)
  for (int i = blockIdx.x; i < rounds; i += gridDim.x) {
#pragma tma load
    part[threadIdx.x] = in[i * 256 + threadIdx.x];
    __syncthreads();
    result[threadIdx.x] = part[255 - threadIdx.x] * 3;
    __syncthreads();
#pragma tma store
    out[i * 256 + threadIdx.x] = result[threadIdx.x];
    __syncthreads();
  }
}

// A tile that is copied once, by the program's threads, beside the producer's.
__global__ void filtered(float *__restrict__ out, const float *__restrict__ in,
                         const float *__restrict__ weights, int rounds) {
  __shared__ float weight[64], part[64];
#pragma tma load
  weight[threadIdx.x] = weights[threadIdx.x];
  __syncthreads();
  float sum = 0;
  bool skips = blockIdx.x % 2 != 0;
  if (!skips) {
#pragma tma pipeline stages(4) warp(producer)
    for (int i = 0; i < rounds; ++i) {
#pragma tma load
      part[threadIdx.x] = in[(blockIdx.x * rounds + i) * 64 + threadIdx.x];
      __syncthreads();
      sum += part[63 - threadIdx.x] * weight[(threadIdx.x + i) % 64];
      __syncthreads();
    }
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// Which rounds there are, and which of them copy, is looked up where nobody writes.
__global__ void listed(float *__restrict__ out, const float *__restrict__ in,
                       const int *__restrict__ starts, const unsigned *__restrict__ mask) {
  __shared__ float part[64];
  int first = starts[blockIdx.x], last = starts[blockIdx.x + 1];
  float sum = 0;
#pragma tma pipeline stages(3) warp(producer)
  for (int i = first; i < last; ++i) {
    if (mask[i] % 4 != 0) {
#pragma tma load
      part[threadIdx.x] = in[i * 64 + threadIdx.x];
      __syncthreads();
      sum = sum * 0.5f + part[63 - threadIdx.x];
      __syncthreads();
    }
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

void run_rounds(int rounds) {
  std::string name = " " + std::to_string(rounds) + " rounds";
  Buffer in(size_t(24) * (rounds + 1) * 1024, 4), out(24 * 1024, 6), other(64, 5);
  float *to = out.as<float>();
  const float *from = in.as<float>();
  moving<<<3, dim3(8, 4, 4)>>>(to, from, rounds, 384);
  report("moving" + name, out);
  persistent<2><<<2, 64>>>(to, from, 6, rounds);
  report("persistent<2>" + name, out);
  persistent<3><<<5, 64>>>(to, from, 12, rounds);
  report("persistent<3>" + name, out);
  some_rounds<<<2, dim3(32, 2)>>>(to, from, rounds, rounds * 16 - 7);
  report("some_rounds" + name, out);
  changed<<<1, 128>>>(to, from, rounds);
  report("changed" + name, out);
  scaled<<<2, 256>>>(to, from, rounds);
  report("scaled" + name, out);
  filtered<<<3, 64>>>(to, from, other.as<float>(), rounds);
  report("filtered" + name, out);
  int counts[] = {0, rounds / 3, rounds, rounds};
  CHECK(cudaMemcpy(other.as<int>(), counts, sizeof(counts), cudaMemcpyHostToDevice));
  listed<<<3, 64>>>(to, from, other.as<int>(), in.as<unsigned>());
  report("listed" + name, out);
}

int main() {
  for (int k : {0, 16, 100}) {
    Buffer a(size_t(37) * k * 4, 1), b(size_t(k) * 52 * 4, 2), c(37 * 52 * 4, 3);
    sgemm<<<dim3(4, 3), dim3(T, T)>>>(c.as<float>(), a.as<float>(), b.as<float>(), 37, 52, k);
    report("sgemm " + std::to_string(k), c);
  }
  for (int rounds : {0, 1, 3, 8})
    run_rounds(rounds);
}
