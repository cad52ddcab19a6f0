// RUN: %verify %s
//
// What real programs do that TMA can't, each with the reason. Those that it can do in spite
// of how they look are in test/Idioms/traps.cu.

#include <cuda_fp16.h>

// The end of the matrix is none of its rows': beyond a row's end lies the next one.
__global__ void flat_bound(float *out, const float *in, int w, int h) {
  __shared__ float tile[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
#pragma tma load threads(16, 16)
  tile[threadIdx.y][threadIdx.x] = y * w + x < w * h ? in[y * w + x] : 0.f; // expected-error {{[-Wtilelift-uneven-guard]}}
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Rows of 72 bytes, spelled out by everybody who reads them, four elements at a time.
__global__ void halo_by_hand(float4 *out, const float *in, int w, int h) {
  __shared__ float tile[18 * 18]; // expected-error {{'tile' has to be laid out with rows of 96 bytes instead of 72, but it is accessed 16 bytes at a time, across rows [-Wtilelift-layout-escapes]}}
  const int mx = 16, off = 1;
  int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 16 - 1;
#pragma tma load threads(16, 16)
  for (int sj = threadIdx.y; sj < 18; sj += 16)
    for (int si = threadIdx.x; si < 18; si += 16) {
      int x = x0 + si, y = y0 + sj;
      tile[sj * (mx + 2 * off) + si] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.f;
    }
  __syncthreads();
  out[threadIdx.x] = *(float4 *)&tile[threadIdx.y * 4];
}

// Rows of n + 1 elements, with n known.
__global__ void odd_pitch(float *out, const float *in) {
  __shared__ float tile[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
#pragma tma load threads(16, 16)
  tile[threadIdx.y][threadIdx.x] = in[y * 513 + x]; // expected-error {{the stride of 'in' in dimension 1 is 2052 bytes, which is no multiple of 16 (stride-16) [-Wtilelift-rule-violated]}}
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Transposed on the way.
__global__ void transposed(float *out, const float *a, int k) {
  __shared__ float at[16][64];
#pragma tma load threads(256)
  for (int i = threadIdx.x; i < 1024; i += 256)
    at[i % 16][i / 16] = a[(blockIdx.y * 64 + i / 16) * k + i % 16]; // expected-error {{[-Wtilelift-not-contiguous]}}
  __syncthreads();
  const float *row = at[threadIdx.x / 64]; // expected-note {{'at' is not laid out transposed: its address is taken}}
  out[threadIdx.x] = row[threadIdx.x % 64];
}

// Orders that look like a swizzle of TMA and are none.
__global__ void rotated(float4 *out, const float4 *in, int w) {
  __shared__ float4 tile[16][4];
#pragma tma load threads(4, 16)
  tile[threadIdx.y][(threadIdx.x + threadIdx.y / 2) % 4] = in[threadIdx.y * w + threadIdx.x]; // expected-error {{[-Wtilelift-uneven-steps]}}
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void crossed(float4 *out, const float4 *in, int w) {
  __shared__ float4 tile[16][16];
#pragma tma load threads(16, 16)
  tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[threadIdx.y * w + threadIdx.x]; // expected-error {{[-Wtilelift-uneven-steps]}}
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

// Threads that have left do not wait, and the one that copies may be among them.
__global__ void left(float *out, const float *in, const int *n) {
  __shared__ float line[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= *n)
    return;
#pragma tma load threads(256)
  line[threadIdx.x] = in[i]; // expected-error {{[-Wtilelift-divergent-copy]}}
  __syncthreads();
  out[i] = line[threadIdx.x ^ 1];
}

// Two images in turn, and members that become arrays.
__global__ void in_turn(float *out, const float *a, const float *b) {
  __shared__ float pairs[256];
#pragma tma load threads(128)
  {
    pairs[2 * threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x];
    pairs[2 * threadIdx.x + 1] = b[blockIdx.x * 128 + threadIdx.x]; // expected-error {{'pairs' comes from 'a' or from 'b', element by element: give each an array of its own [-Wtilelift-two-sources]}}
  }
  __syncthreads();
  out[threadIdx.x] = pairs[255 - threadIdx.x];
}

struct Particle {
  float x, mass;
};
__global__ void apart(float *out, const Particle *in) {
  __shared__ float xs[128];
#pragma tma load threads(128)
  xs[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x].x; // expected-error {{[-Wtilelift-not-contiguous]}}
  __syncthreads();
  out[threadIdx.x] = xs[127 - threadIdx.x];
}

// Another type on the way.
__global__ void widened(float *out, const __half *in) {
  __shared__ float line[128];
#pragma tma load threads(128)
  line[threadIdx.x] = __half2float(in[blockIdx.x * 128 + threadIdx.x]); // expected-error {{'line[0]' is not a copy: the value is computed by '__half2float' [-Wtilelift-computed-value]}}
  __syncthreads();
  out[threadIdx.x] = line[127 - threadIdx.x];
}

// A box whose size no launch tells, and one that each block has to itself.
__global__ void wide_as_asked(float *out, const float *in, int filter) {
  extern __shared__ float part[];
  int width = 16 + 2 * (filter / 2);
#pragma tma load threads(64)
  for (int i = threadIdx.x; i < width; i += 64) // expected-error {{this loop's trip count depends on 'i < width': a tile has a size that is known when compiling [-Wtilelift-unbounded-loop]}} expected-note {{no launch gives the argument 'filter' as a constant: make it one, or a template parameter}}
    part[i] = in[blockIdx.x * 16 + i];
  __syncthreads();
  out[blockIdx.x * 16 + threadIdx.x] = part[threadIdx.x];
}

__global__ void wide_as_the_block(float *out, const float *in, float scale) {
  extern __shared__ float part[];
  int first = floorf(blockIdx.x * scale), last = ceilf((blockIdx.x + 1) * scale);
#pragma tma load threads(64)
  for (int i = threadIdx.x; i < last - first; i += 64) // expected-error {{[-Wtilelift-unbounded-loop]}}
    part[i] = in[first + i];
  __syncthreads();
  out[blockIdx.x * 16 + threadIdx.x] = part[threadIdx.x];
}
