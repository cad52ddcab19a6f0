// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that are filled rounds ahead of where they are used: loops of all forms, with
// fewer rounds than stages and with none, one inside another and one after another,
// tiles of odd sizes, copies that some rounds make the plain way.

#include "harness.cuh"

constexpr int T = 16;

__global__ void sgemm(float *c, const float *a, const float *b, int m, int n, int k) {
  __shared__ float as[T][T], bs[T][T];
  int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0.f;
#pragma tma pipeline stages(3)
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

// Pointers and indices that the body moves, one tile used before the other is asked for.
__global__ void moving(float *out, const float *in, const float *factors, int rounds, int w) {
  __shared__ float part[128], factor[128];
  float sum = 0.f;
  const float *from = in + blockIdx.x * 128;
  int left = rounds;
#pragma tma pipeline stages(4)
  while (left > 0) {
#pragma tma load
    part[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    sum += part[127 - threadIdx.x];
#pragma tma load
    factor[threadIdx.x] = factors[(rounds - left) * 128 + threadIdx.x];
    __syncthreads();
    sum -= factor[threadIdx.x ^ 1];
    __syncthreads();
    from += w;
    --left;
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Each thread reads what it wrote itself: the plain copy needs no barrier.
__global__ void own_element(float *out, const float *in, int rounds) {
  __shared__ float part[256];
  float sum = 0;
#pragma tma pipeline stages(2)
  for (unsigned round = 0; round != unsigned(rounds); round++) {
#pragma tma load
    part[threadIdx.x] = in[(blockIdx.x * rounds + round) * 256 + threadIdx.x];
    sum += part[threadIdx.x] * (round + 1);
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// A ring that is handed on from tile to tile, and from loop to loop.
template <int Stages>
__global__ void persistent(float *__restrict__ out, const float *__restrict__ in, int tiles,
                           int rounds) {
  __shared__ float part[64], other[64];
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    float sum = 0;
#pragma tma pipeline stages(Stages)
    for (int i = 0; i < rounds; ++i) {
#pragma tma load
      part[threadIdx.x] = in[(tile * rounds + i) * 64 + threadIdx.x];
      __syncthreads();
      sum = sum * 0.5f + part[63 - threadIdx.x];
      __syncthreads();
    }
#pragma tma pipeline stages(2)
    for (int i = rounds - 1; i >= 0; i -= 2) {
#pragma tma load
      other[threadIdx.x] = in[(tile * rounds + i) * 64 + threadIdx.x];
      __syncthreads();
      sum = sum * 0.5f + other[threadIdx.x ^ 1];
      __syncthreads();
      if (i % 3 == 0)
        continue;
      sum += 1;
    }
    out[tile * 64 + threadIdx.x] = sum;
  }
}

// Tiles ahead in the loop over tiles itself.
__global__ void strided(float *__restrict__ out, const float *__restrict__ in, int tiles) {
  __shared__ float part[64];
#pragma tma pipeline stages(3)
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
#pragma tma load
    part[threadIdx.x] = in[tile * 64 + threadIdx.x];
    __syncthreads();
    out[tile * 64 + threadIdx.x] = part[63 - threadIdx.x] * 2;
    __syncthreads();
  }
}

// Planes with halos: rows that have to be moved apart, and zeros outside.
__global__ void planes(float *__restrict__ out, const float *__restrict__ in, int w, int h, int d) {
  __shared__ float tile[10][18];
  int x0 = blockIdx.x * 16, y0 = blockIdx.y * 8;
#pragma tma pipeline stages(3)
  for (int z = 0; z < d; ++z) {
#pragma tma load
    for (int i = threadIdx.x; i < 180; i += 128) {
      int y = y0 + i / 18 - 1, x = x0 + i % 18 - 1;
      tile[i / 18][i % 18] = y >= 0 && y < h && x >= 0 && x < w ? in[(z * h + y) * w + x] : 0.f;
    }
    __syncthreads();
    int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
    if (y0 + ty < h && x0 + tx < w)
      out[(z * h + y0 + ty) * w + x0 + tx] = tile[ty][tx + 1] + tile[ty + 2][tx + 1] +
                                             tile[ty + 1][tx] + tile[ty + 1][tx + 2];
    __syncthreads();
  }
}

// Clamped at the border: boxes that do not lie inside are copied by the threads.
__global__ void clamped(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[128];
#pragma tma pipeline stages(2)
  for (int x0 = 0; x0 < n; x0 += 120) {
#pragma tma load
    part[threadIdx.x] = in[min(max(x0 + int(threadIdx.x) - 4, 0), n - 1)];
    __syncthreads();
    if (threadIdx.x >= 4 && threadIdx.x < 124 && x0 + threadIdx.x - 4 < n)
      out[x0 + threadIdx.x - 4] = part[threadIdx.x - 4] + part[threadIdx.x + 4];
    __syncthreads();
  }
}

// Tiles that would not all be aligned, one of them passed on by its address.
__device__ float last(const float *row) { return row[32]; }
__global__ void uneven(float *__restrict__ out, const float *__restrict__ in, int rounds) {
  __shared__ float tile[4][36];
  float sum = 0;
#pragma tma pipeline stages(5)
  for (int i = 0; i < rounds; ++i) {
#pragma tma load
    for (int r = threadIdx.y; r < 4; r += 2)
      for (int c = threadIdx.x; c < 36; c += 32)
        tile[r][c] = in[((blockIdx.x * rounds + i) * 4 + r) * 36 + c];
    __syncthreads();
    sum += tile[3][threadIdx.x] + last(tile[threadIdx.y]);
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.y * 32 + threadIdx.x] = sum;
}

// The end of a row is left out, and nobody looks at it; the block works in the tile.
__global__ void in_the_tile(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline stages(3)
  for (int i = 0; i < n; i += 64) {
#pragma tma load outside(any)
    if (i + threadIdx.x < n)
      part[threadIdx.x] = in[i + threadIdx.x];
    __syncthreads();
    part[threadIdx.x] *= 2;
    __syncthreads();
    int other = threadIdx.x ^ 1;
    if (i + threadIdx.x < n)
      out[i + threadIdx.x] = i + other < n ? part[other] : 0.f;
    __syncthreads();
  }
}

// More than a block has of static memory, beside dynamic memory of the launch's own.
template <int Stages>
__global__ void large(float *__restrict__ out, const float *__restrict__ in, int rounds) {
  extern __shared__ float sums[];
  __shared__ float part[64][64], scale[3];
  sums[threadIdx.x] = 0.f;
#pragma tma pipeline stages(Stages)
  for (int k = 0; k < rounds; ++k) {
#pragma tma load swizzle(none)
    for (int i = threadIdx.x; i < 4096; i += 128)
      part[i / 64][i % 64] = in[(k * 64 + i / 64) * 64 + i % 64];
#pragma tma load
    if (threadIdx.x < 3)
      scale[threadIdx.x] = in[k * 4 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      sums[threadIdx.x] += part[threadIdx.x / 2][threadIdx.x % 2 * 32 + i] * scale[i % 3];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sums[threadIdx.x];
}

// The same, of rows that are swizzled, so that they start on more than those above.
template <int Stages>
__global__ void large_columns(int *__restrict__ out, const int *__restrict__ in, int rounds) {
  __shared__ int part[64][32];
  int sum = 0;
#pragma tma pipeline stages(Stages)
  for (int k = 0; k < rounds; ++k) {
#pragma tma load swizzle(128)
    for (int i = threadIdx.x; i < 2048; i += 128)
      part[i / 32][i % 32] = in[(k * 64 + i / 32) * 32 + i % 32];
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      sum = sum * 3 + part[threadIdx.x / 2][i];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// A tile that each round writes anew and stores takes turns with another one; one that a
// round adds to, or writes half of, does not.
template <int Kind>
__global__ void stored(float *__restrict__ out, const float *__restrict__ in, int rounds) {
  __shared__ float part[128];
  __shared__ float result[128];
  result[threadIdx.x] = 1.f;
  for (int outer = 0; outer < 2; ++outer) {
#pragma tma pipeline stages(3)
    for (int k = 0; k < rounds; ++k) {
#pragma tma load
      part[threadIdx.x] = in[(outer * rounds + k) * 128 + threadIdx.x];
      __syncthreads();
      if (Kind == 0)
        result[threadIdx.x] = part[127 - threadIdx.x] * 2.f;
      else if (Kind == 1)
        result[threadIdx.x] += part[127 - threadIdx.x];
      else if (threadIdx.x % 2)
        result[threadIdx.x] = part[127 - threadIdx.x] * 3.f;
      __syncthreads();
#pragma tma store
      out[((blockIdx.x * 2 + outer) * rounds + k) * 128 + threadIdx.x] = result[threadIdx.x];
    }
  }
}
__global__ void stored_anew(float *__restrict__ out, const float *__restrict__ in, int rounds) {
  __shared__ float part[128], result[2][64];
  for (int outer = 0; outer < 2; ++outer) {
#pragma tma pipeline stages(3)
    for (int k = 0; k < rounds; ++k) {
#pragma tma load
      part[threadIdx.x] = in[(outer * rounds + k) * 128 + threadIdx.x];
      __syncthreads();
      for (int i = threadIdx.x; i < 128; i += 128)
        result[i / 64][i % 64] = part[127 - i] * 2.f;
      __syncthreads();
#pragma tma store
      out[((blockIdx.x * 2 + outer) * rounds + k) * 128 + threadIdx.x] =
          result[threadIdx.x / 64][threadIdx.x % 64];
    }
  }
}

// Rounds that make no copy, by conditions of their own.
__global__ void some_rounds(float *__restrict__ out, const float *__restrict__ in, int n, int skip) {
  __shared__ float even[128], rare[64], late[2][64];
  float sum = 0.f;
  for (int outer = 0; outer < 2; ++outer) {
#pragma tma pipeline stages(3)
    for (int k = 0; k < n; ++k) {
      if (k % skip == 1)
        continue;
      if ((k + outer) % 2 == 0) {
#pragma tma load
        even[threadIdx.x] = in[k * 128 + threadIdx.x];
        __syncthreads();
        sum = sum * 0.5f + even[127 - threadIdx.x];
        if (k > 2 || skip == 4) {
#pragma tma load
          if (threadIdx.x < 64)
            rare[threadIdx.x] = in[k * 64 + threadIdx.x];
          __syncthreads();
          sum += rare[threadIdx.x / 2];
        }
      } else {
#pragma tma load
        late[threadIdx.x / 64][threadIdx.x % 64] = in[k * 128 + outer * 64 + threadIdx.x];
        __syncthreads();
        sum -= late[threadIdx.x % 2][threadIdx.x / 2];
      }
      __syncthreads();
    }
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Which rounds there are, and which of them copy, is looked up where nobody writes.
__global__ void listed(float *__restrict__ out, const float *__restrict__ in,
                       const int *__restrict__ starts, const unsigned *__restrict__ mask) {
  __shared__ float part[128];
  float sum = 0;
#pragma tma pipeline stages(3)
  for (int i = starts[blockIdx.x]; i < starts[blockIdx.x + 1]; ++i) {
    if (mask[i] % 4 == 0)
      continue;
#pragma tma load
    part[threadIdx.x] = in[i * 128 + threadIdx.x];
    __syncthreads();
    sum = sum * 0.5f + part[127 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

void run_sgemm(int m, int n, int k) {
  std::string size = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  Buffer a(size_t(m) * k * 4, 1), b(size_t(k) * n * 4, 2), c(size_t(m) * n * 4, 3);
  dim3 block(T, T), grid((n + T - 1) / T, (m + T - 1) / T);
  sgemm<<<grid, block>>>(c.as<float>(), a.as<float>(), b.as<float>(), m, n, k);
  report("sgemm " + size, c);
}

// L2 fetches what rounds to come will copy: boxes, contiguous bytes, pixels; where a copy is made in
// some rounds, and where it is tested.
__global__ void fetched(float *__restrict__ out, const float *__restrict__ in, int rounds, int h, int w) {
  __shared__ float box[8][32], line[128], pixels[32][32];
  int t = threadIdx.x;
  float sum = 0.f;
  const float *from = in + blockIdx.x * 128;
#pragma tma pipeline stages(2)
  for (int k = 0; k < rounds; ++k) {
#pragma tma load prefetch(2)
    for (int i = t; i < 256; i += 128)
      box[i / 32][i % 32] = k * 8 + i / 32 < h && i % 32 < w ? in[(k * 8 + i / 32) * w + i % 32] : 0.f;
#pragma tma load prefetch(3) cache(evict_first)
    for (int i = t; i < 32 * 32; i += 128) {
      int p = k * 32 + i / 32, y = p / 6, x = p % 6 + 1;
      pixels[i / 32][i % 32] = y < h && x < 6 ? in[(y * 6 + x) * 32 + i % 32] : 0.f;
    }
    __syncthreads();
    sum += box[t % 8][t / 4] - pixels[t % 32][t / 4];
    if (k % 3 != 1) {
#pragma tma load prefetch(1)
      line[t] = from[t];
      __syncthreads();
      sum -= line[127 - t];
    }
    __syncthreads();
    from += w;
  }
  out[blockIdx.x * 128 + t] = sum;
}
__global__ void fetched_by_producer(float *__restrict__ out, const float *__restrict__ in, int rounds, int w) {
  __shared__ float part[4][32];
  int t = threadIdx.x, left = rounds;
  float sum = 0.f;
#pragma tma pipeline stages(3) warp(producer)
  while (left > 0) {
#pragma tma load prefetch(4)
    part[t / 32][t % 32] = in[(left * 4 + t / 32) * w + t % 32];
    __syncthreads();
    sum += part[t % 4][t / 4];
    __syncthreads();
    --left;
  }
  out[blockIdx.x * 128 + t] = sum;
}

void run_rounds(int rounds) {
  std::string name = " " + std::to_string(rounds) + " rounds";
  Buffer in(size_t(40) * (rounds + 1) * 1024, 4), factors(size_t(rounds + 1) * 512, 5);
  Buffer out(40 * 1024, 6);
  moving<<<3, 128>>>(out.as<float>(), in.as<float>(), factors.as<float>(), rounds, 1024);
  report("moving" + name, out);
  own_element<<<3, 256>>>(out.as<float>(), in.as<float>(), rounds);
  report("own_element" + name, out);
  persistent<2><<<2, 64>>>(out.as<float>(), in.as<float>(), 5, rounds);
  report("persistent<2>" + name, out);
  persistent<4><<<3, 64>>>(out.as<float>(), in.as<float>(), 7, rounds);
  report("persistent<4>" + name, out);
  strided<<<3, 64>>>(out.as<float>(), in.as<float>(), rounds * 2);
  report("strided" + name, out);
  uneven<<<2, dim3(32, 2)>>>(out.as<float>(), in.as<float>(), rounds);
  report("uneven" + name, out);
  for (int skip : {2, 4, 100}) {
    some_rounds<<<2, 128>>>(out.as<float>(), in.as<float>(), rounds, skip);
    report("some_rounds " + std::to_string(skip) + name, out);
  }
  int counts[] = {0, rounds / 3, rounds, rounds};
  CHECK(cudaMemcpy(factors.as<int>(), counts, sizeof(counts), cudaMemcpyHostToDevice));
  listed<<<3, 128>>>(out.as<float>(), in.as<float>(), factors.as<int>(), in.as<unsigned>());
  report("listed" + name, out);
  Buffer stores(size_t(2) * 2 * (rounds + 1) * 512, 9);
  stored<0><<<2, 128>>>(stores.as<float>(), in.as<float>(), rounds);
  report("stored<0>" + name, stores);
  stored<1><<<2, 128>>>(stores.as<float>(), in.as<float>(), rounds);
  report("stored<1>" + name, stores);
  stored<2><<<2, 128>>>(stores.as<float>(), in.as<float>(), rounds);
  report("stored<2>" + name, stores);
  stored_anew<<<2, 128>>>(stores.as<float>(), in.as<float>(), rounds);
  report("stored_anew" + name, stores);
  large<2><<<2, 128, 512>>>(out.as<float>(), in.as<float>(), rounds);
  report("large<2>" + name, out);
  large<5><<<2, 128, 512>>>(out.as<float>(), in.as<float>(), rounds);
  report("large<5>" + name, out);
  large_columns<7><<<2, 128>>>(out.as<int>(), in.as<int>(), rounds);
  report("large_columns" + name, out);
}

int main() {
  run_sgemm(64, 48, 96);
  run_sgemm(40, 52, 20);
  for (int rounds : {0, 1, 2, 3, 4, 9})
    run_rounds(rounds);
  Buffer in(64 * 40 * 9 * 4, 7), out(64 * 40 * 9 * 4, 8);
  for (int rounds : {0, 1, 3, 8})
    for (int w : {40, 42}) {
      fetched<<<2, 128>>>(out.as<float>(), in.as<float>(), rounds, 50, w);
      report("fetched " + std::to_string(rounds) + " of " + std::to_string(w), out);
      fetched_by_producer<<<1, 128>>>(out.as<float>(), in.as<float>(), rounds, w);
      report("fetched_by_producer " + std::to_string(rounds) + " of " + std::to_string(w), out);
    }
  planes<<<dim3(3, 3), 128>>>(out.as<float>(), in.as<float>(), 40, 20, 9);
  report("planes", out);
  planes<<<dim3(3, 3), 128>>>(out.as<float>(), in.as<float>(), 36, 17, 2);
  report("planes of another size", out);
  in_the_tile<<<1, 64>>>(out.as<float>(), in.as<float>(), 1003);
  report("in_the_tile", out);
  clamped<<<1, 128>>>(out.as<float>(), in.as<float>(), 1000);
  report("clamped", out);
  clamped<<<1, 128>>>(out.as<float>(), in.as<float>(), 100);
  report("clamped everywhere", out);
}
