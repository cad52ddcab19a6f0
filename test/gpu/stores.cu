// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that are stored to global memory: guarded at every side, transposed, in rounds,
// with rows of any length, next to values that must stay as they are; in place, and read
// again by the block or by others.

#include "harness.cuh"

constexpr int T = 32;

// A transpose with a padded tile: whoever stores has not written what goes out.
__global__ void transpose(float *out, const float *in, int w, int h) {
  __shared__ float tile[T][T + 1];
  int x = blockIdx.x * T, y = blockIdx.y * T;
  for (int i = threadIdx.y; i < T; i += blockDim.y)
    if (y + i < h && x + threadIdx.x < w)
      tile[threadIdx.x][i] = in[(y + i) * w + x + threadIdx.x];
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.y; i < T; i += blockDim.y)
    if (x + i < w && y + threadIdx.x < h)
      out[(x + i) * h + y + threadIdx.x] = tile[i][threadIdx.x];
}

// In and out by TMA, what is between in place.
__global__ void scale(float *__restrict__ out, const float *__restrict__ in, int w, int h,
                      float factor) {
  __shared__ float tile[16][64];
  int x0 = blockIdx.x * 64, y0 = blockIdx.y * 16;
#pragma tma load
  for (int i = threadIdx.x; i < 16 * 64; i += blockDim.x) {
    int y = y0 + i / 64, x = x0 + i % 64;
    tile[i / 64][i % 64] = y < h && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 16 * 64; i += blockDim.x)
    tile[i / 64][i % 64] *= factor;
#pragma tma store
  for (int i = threadIdx.x; i < 16 * 64; i += blockDim.x) {
    int y = y0 + i / 64, x = x0 + i % 64;
    if (y < h && x < w)
      out[y * w + x] = tile[i / 64][i % 64];
  }
}

// Rows of a length that is no multiple of 16 bytes end in the middle of what TMA writes.
__global__ void ends(int *out, int n, int pitch) {
  __shared__ int part[8][32];
  for (int r = 0; r < 8; ++r)
    part[r][threadIdx.x] = (blockIdx.x * 8 + r) * 1000 + threadIdx.x;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 8; ++r)
    if (blockIdx.x * 32 + threadIdx.x < n)
      out[(blockIdx.y * 8 + r) * pitch + blockIdx.x * 32 + threadIdx.x] = part[r][threadIdx.x];
}

// One row, guarded: whole blocks are bulk copies.
__global__ void line(unsigned *out, unsigned n) {
  __shared__ unsigned part[256];
  part[255 - threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
  __syncthreads();
  unsigned i = blockIdx.x * 256 + threadIdx.x;
#pragma tma store
  if (i < n)
    out[i] = part[threadIdx.x];
}

// A box that starts left of the tensor, and above it.
__global__ void halo(float *out, int w, int h) {
  __shared__ float tile[12][40];
  for (int i = threadIdx.x; i < 12 * 40; i += blockDim.x)
    tile[i / 40][i % 40] = i + blockIdx.x;
  __syncthreads();
  int x0 = int(blockIdx.x) * 40 - 4, y0 = int(blockIdx.y) * 12 - 3;
#pragma tma store
  for (int i = threadIdx.x; i < 12 * 40; i += blockDim.x) {
    int y = y0 + i / 40, x = x0 + i % 40;
    if (y >= 0 && y < h && x >= 0 && x < w)
      out[y * w + x] = tile[i / 40][i % 40];
  }
}

// The tile is written again in each round; vectors go out.
__global__ void rounds(float4 *__restrict__ out, const float4 *__restrict__ in, int count) {
  __shared__ float4 part[128];
  for (int round = 0; round < count; ++round) {
    float4 value = in[(blockIdx.x * count + round) * 128 + threadIdx.x];
    value.x += round;
    part[127 - threadIdx.x] = value;
    __syncthreads();
#pragma tma store
    out[(blockIdx.x * count + round) * 128 + threadIdx.x] = part[threadIdx.x];
    __syncthreads();
  }
}

// No barrier between a store and what is written next: the copy needs one of its own.
__global__ void own_element(int *out, int count) {
  __shared__ int part[128];
  for (int round = 0; round < count; ++round) {
    part[threadIdx.x] = round * 1000 + blockIdx.x * 128 + threadIdx.x;
#pragma tma store
    out[(round * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = part[threadIdx.x];
  }
}

// Each round stores to where the one before did.
__global__ void same_place(int *out, int count) {
  __shared__ int part[128];
  for (int round = 0; round < count; ++round) {
    part[127 - threadIdx.x] = round * 1000 + blockIdx.x * 128 + threadIdx.x;
    __syncthreads();
#pragma tma store
    out[blockIdx.x * 128 + threadIdx.x] = part[threadIdx.x];
    __syncthreads();
  }
}

// What was stored is read again by the block, and what is there already before.
__global__ void read_again(int *out, int w) {
  __shared__ int part[4][64];
  int old = out[blockIdx.x * 64 + threadIdx.x];
  for (int r = 0; r < 4; ++r)
    part[r][63 - threadIdx.x] = old + r;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 4; ++r)
    out[r * w + blockIdx.x * 64 + threadIdx.x] = part[r][threadIdx.x];
  __syncthreads();
  int sum = 0;
  for (int r = 0; r < 4; ++r)
    sum += out[r * w + blockIdx.x * 64 + (threadIdx.x ^ 5)];
  __syncthreads();
  out[4 * w + blockIdx.x * 64 + threadIdx.x] = sum;
}

// The last block adds up what all have stored.
__device__ unsigned finished;
__global__ void last_block(int *out, int *total) {
  __shared__ int part[64];
  __shared__ bool isLast;
  part[63 - threadIdx.x] = blockIdx.x + threadIdx.x;
  __syncthreads();
#pragma tma store
  out[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    isLast = atomicAdd(&finished, 1) == gridDim.x - 1;
  __syncthreads();
  if (!isLast)
    return;
  __threadfence();
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b)
    sum += reinterpret_cast<volatile int *>(out)[b * 64 + threadIdx.x];
  total[threadIdx.x] = sum;
  if (threadIdx.x == 0)
    finished = 0;
}

// A tile that several statements read, in a helper; rows longer than a box.
__device__ void put(float *to, const float (&row)[320]) {
#pragma tma store
  for (int i = threadIdx.x; i < 320; i += blockDim.x)
    to[i] = row[i];
}
__global__ void helper(float *out) {
  __shared__ float part[320];
  for (int round = 0; round < 3; ++round) {
    for (int i = threadIdx.x; i < 320; i += blockDim.x)
      part[i] = round * 1000 + i;
    __syncthreads();
    put(out + (round * 3 + blockIdx.x) * 400, part);
    __syncthreads();
  }
}

// Two tiles by one statement, three dimensions, halves.
__global__ void volume(unsigned short *__restrict__ a, unsigned short *b, int w, int h, int d) {
  __shared__ unsigned short one[4][8][32], two[4][8][32];
  for (int i = threadIdx.x; i < 4 * 8 * 32; i += blockDim.x) {
    one[i / 256][i / 32 % 8][i % 32] = i;
    two[i / 256][i / 32 % 8][i % 32] = ~i;
  }
  __syncthreads();
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, z0 = blockIdx.z * 4;
#pragma tma store
  for (int i = threadIdx.x; i < 4 * 8 * 32; i += blockDim.x) {
    int x = x0 + i % 32, y = y0 + i / 32 % 8, z = z0 + i / 256;
    if (x < w && y < h && z < d) {
      a[(z * h + y) * w + x] = one[i / 256][i / 32 % 8][i % 32];
      b[(z * h + y) * w + x] = two[i / 256][i / 32 % 8][i % 32];
    }
  }
}

// From a ring of tiles, through to another tensor.
__global__ void through(float *__restrict__ out, const float *__restrict__ in, int count) {
  __shared__ float part[256];
#pragma tma pipeline stages(3)
  for (int i = blockIdx.x; i < count; i += gridDim.x) {
#pragma tma load
    part[threadIdx.x] = in[i * 256 + threadIdx.x];
    __syncthreads();
#pragma tma store
    out[i * 256 + threadIdx.x] = part[threadIdx.x];
    __syncthreads();
  }
}

// Rows that are far apart and in no order that a box has.
__global__ void scattered(float *out, const int *rows, int w) {
  __shared__ float part[4][64];
  for (int r = 0; r < 4; ++r)
    part[r][63 - threadIdx.x] = r * 100 + threadIdx.x + blockIdx.x;
  __syncthreads();
  const int row = rows[blockIdx.x];
#pragma tma store cache(evict_first)
  for (int r = 0; r < 4; ++r)
    out[(row * 4 + r) * w + threadIdx.x] = part[r][threadIdx.x];
}

// Several rows that all go to one place: the last one stays.
__global__ void overlapping(int *out, int stride) {
  __shared__ int part[4][32];
  for (int r = 0; r < 4; ++r)
    part[r][threadIdx.x] = r * 100 + threadIdx.x;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 4; ++r)
    out[r * stride + threadIdx.x] = part[r][threadIdx.x];
}

template <typename Launch> void test(const char *name, Launch launch) {
  Buffer in(1 << 20, 1), out(1 << 20, 2);
  launch(out, in);
  CHECK(cudaGetLastError());
  report(name, out);
}

int main() {
  for (auto [w, h] : {std::pair(128, 64), {100, 60}, {33, 40}}) {
    std::string size = " " + std::to_string(w) + "x" + std::to_string(h);
    test(("transpose" + size).c_str(), [&, w = w, h = h](Buffer &out, Buffer &in) {
      transpose<<<dim3((w + T - 1) / T, (h + T - 1) / T), dim3(T, 8)>>>(
          out.as<float>(), in.as<float>(), w, h);
    });
    test(("scale" + size).c_str(), [&, w = w, h = h](Buffer &out, Buffer &in) {
      scale<<<dim3((w + 63) / 64, (h + 15) / 16), 128>>>(out.as<float>(), in.as<float>(), w, h, 1.5f);
    });
    test(("halo" + size).c_str(), [&, w = w, h = h](Buffer &out, Buffer &) {
      halo<<<dim3((w + 43) / 40, (h + 14) / 12), 96>>>(out.as<float>(), w, h);
    });
    test(("volume" + size).c_str(), [&, w = w, h = h](Buffer &out, Buffer &) {
      volume<<<dim3((w + 31) / 32, (h + 7) / 8, 2), 128>>>(
          out.as<unsigned short>(), out.as<unsigned short>() + (1 << 18), w, h, 7);
    });
  }
  for (int n : {96, 90, 64, 33})
    test(("ends " + std::to_string(n)).c_str(), [&](Buffer &out, Buffer &) {
      ends<<<dim3(3, 2), 32>>>(out.as<int>(), n, 96);
    });
  for (unsigned n : {1024u, 1023u, 700u, 255u, 0u})
    test(("line " + std::to_string(n)).c_str(), [&](Buffer &out, Buffer &) {
      line<<<4, 256>>>(out.as<unsigned>(), n);
    });
  for (int count : {0, 1, 4}) {
    std::string many = " " + std::to_string(count);
    test(("rounds" + many).c_str(), [&](Buffer &out, Buffer &in) {
      rounds<<<3, 128>>>(out.as<float4>(), in.as<float4>(), count);
    });
    test(("own_element" + many).c_str(), [&](Buffer &out, Buffer &) {
      own_element<<<3, 128>>>(out.as<int>(), count);
    });
    test(("same_place" + many).c_str(), [&](Buffer &out, Buffer &) {
      same_place<<<3, 128>>>(out.as<int>(), count);
    });
    test(("through" + many).c_str(), [&](Buffer &out, Buffer &in) {
      through<<<2, 256>>>(out.as<float>(), in.as<float>(), count * 3);
    });
  }
  test("read_again", [&](Buffer &out, Buffer &) { read_again<<<3, 64>>>(out.as<int>(), 512); });
  test("read_again odd", [&](Buffer &out, Buffer &) { read_again<<<3, 64>>>(out.as<int>(), 513); });
  test("last_block", [&](Buffer &out, Buffer &) {
    last_block<<<7, 64>>>(out.as<int>(), out.as<int>() + 10000);
  });
  test("helper", [&](Buffer &out, Buffer &) { helper<<<3, 64>>>(out.as<float>()); });
  Buffer rows(64, 3);
  int order[] = {5, 0, 3, 1};
  CHECK(cudaMemcpy(rows.as<int>(), order, sizeof(order), cudaMemcpyHostToDevice));
  test("scattered", [&](Buffer &out, Buffer &) {
    scattered<<<4, 64>>>(out.as<float>(), rows.as<int>(), 128);
  });
  for (int stride : {32, 64, 0})
    test(("overlapping " + std::to_string(stride)).c_str(), [&](Buffer &out, Buffer &) {
      overlapping<<<1, 32>>>(out.as<int>(), stride);
    });
}
