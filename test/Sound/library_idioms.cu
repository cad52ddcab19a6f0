// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 -std=c++17 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c Wtilelift-lifted | grep -x 16
// RUN: %tilelift %s -o %t.cu && %nvcc -std=c++17 -arch=sm_90a -w -c %t.cu -I%S -o %t.o
//
// What libraries of kernels do around their copies: one template for indices of several types, axes that trade places on
// their way to memory, views that are chosen by a method, and functions that get a pointer to where a round begins.
#include "Inputs/arrays.h"

// An index is an int in one instance and a long in another one; the text is one for both.
template <typename Index, typename Element>
__global__ void degrees(Element *out, const Element *offsets, Index n) {
  __shared__ Element ends[T + 2];
  const Index first = Index(blockIdx.x) * T;
#pragma tma load
  for (int i = threadIdx.x; i < T + 2; i += T) ends[i] = first + i <= n ? offsets[first + i] : Element{0};
  __syncthreads();
  if (first + threadIdx.x < n) out[first + threadIdx.x] = ends[threadIdx.x + 1] - ends[threadIdx.x];
}

template <typename Index>
__device__ void put(const float (&tile)[2][4][16], float *out, Index z, Index y, Index height, Index width) {
#pragma tma store
  for (int i = threadIdx.x; i < 128; i += T)
    out[((z + i / 64) * height + y + i / 16 % 4) * width + i % 16] = tile[i / 64][i / 16 % 4][i % 16];
}
template <typename Index> __global__ void volume(const float *in, float *out, Index height, Index width) {
  __shared__ float tile[2][4][16];
  for (int i = threadIdx.x; i < 128; i += T) tile[i / 64][i / 16 % 4][i % 16] = in[blockIdx.x * 128 + i] + 1;
  __syncthreads();
  put<Index>(tile, out, Index(blockIdx.y) * 2, Index(blockIdx.x) * 4, height, width);
}

// Quotients of two types.
template <typename Index> __global__ void halves(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  const Index first = blockIdx.x % 1000;
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = in[(first / 2 + i / 32) * w + first / 3 * 4 + i % 32];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T) out[blockIdx.x * 256 + i] = tile[7 - i / 32][i % 32];
}

// Heads and rows trade places; the distance from one row to the next is the shorter one.
template <int Heads, int Dim> __global__ void split_heads(const float *in, float *out, int rows) {
  __shared__ float tile[4][Heads][Dim];
  const int first = blockIdx.x * 4;
  for (int i = threadIdx.x; i < 4 * Heads * Dim; i += T) {
    const int s = i / (Heads * Dim), h = i / Dim % Heads, d = i % Dim;
    tile[s][h][d] = in[((first + s) * Heads + h) * Dim + d];
  }
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 4 * Heads * Dim; i += T) {
    const int s = i / (Heads * Dim), h = i / Dim % Heads, d = i % Dim;
    out[(h * rows + first + s) * Dim + d] = tile[s][h][d];
  }
}
__global__ void add_heads(const float *in, float *out) {
  __shared__ float tile[4][8][16];
  for (int i = threadIdx.x; i < 512; i += T) tile[i / 128][i / 16 % 8][i % 16] = in[i];
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < 512; i += T)
    atomicAdd(&out[(i / 16 % 8 * 12 + blockIdx.x * 4 + i / 128) * 16 + i % 16], tile[i / 128][i / 16 % 8][i % 16]);
}

// Rows are added to where a table in shared memory says.
__global__ void add_rows(float *out, const float *in, const int *to, int w) {
  __shared__ float rows[16][32];
  __shared__ int where[16];
  if (threadIdx.x < 16) where[threadIdx.x] = to[threadIdx.x] % 24 - 2;
  for (int i = threadIdx.x; i < 512; i += T) rows[i / 32][i % 32] = in[i] + blockIdx.x;
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < 512; i += T) {
    const int row = where[i / 32];
    if (row >= 0) atomicAdd(&out[row * w + blockIdx.x * 32 + i % 32], rows[i / 32][i % 32]);
  }
}

// The name of a member is no variable's, whatever variable has that name, too.
struct Sizes { int m, n, k; };
__global__ void counted_down(float *out, const float *in, Sizes p, int w) {
  __shared__ float tile[16][32];
  float sum = 0;
  int left = (p.k + 15) / 16;
#pragma tma pipeline stages(3)
  for (; left > 0; --left) {
    const int first = ((p.k + 15) / 16 - left) * 16;
#pragma tma load
    for (int i = threadIdx.x; i < 512; i += T) tile[i / 32][i % 32] = first + i / 32 < p.k ? in[(first + i / 32) * w + i % 32] : 0.f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += tile[k][threadIdx.x % 32] * (k + 1);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Views that a method chooses.
struct Column { const float *data; int size; };
struct Table {
  Column left, right;
  __device__ const Column &column(int i) const { return i == 0 ? left : right; }
  __device__ const Column *at(int i) const { return i == 0 ? &left : &right; }
  __device__ Column copy(int i) const { return i == 0 ? left : right; }
};
template <int Number> __global__ void column(float *out, Table table) {
  __shared__ float one[T], two[T], three[T];
  const Column &c = table.column(Number);
  const Column copied = table.copy(Number);
#pragma tma load
  one[threadIdx.x] = c.data[blockIdx.x * T + threadIdx.x];
#pragma tma load
  two[threadIdx.x] = table.at(Number)->data[blockIdx.x * T + threadIdx.x];
#pragma tma load
  three[threadIdx.x] = copied.data[blockIdx.x * T + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * T + threadIdx.x] = one[T - 1 - threadIdx.x] + 2 * two[threadIdx.x] + three[threadIdx.x ^ 1] * copied.size;
}

// A function gets a pointer to where the round begins, which it has no other name for.
__device__ void receive(float *tile, const float *from) {
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i] = from[i];
}
__global__ void by_pointer(float *out, const float *in, int n) {
  __shared__ float tile[256];
  for (int at = blockIdx.x * 256; at < n; at += gridDim.x * 256) {
    receive(tile, in + at);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += T) out[at + i] = tile[i ^ 3] + 1;
    __syncthreads();
  }
}

// What others may change is declared volatile, and copied through a pointer to what is not.
struct Mailbox { const volatile float *from; int width; };
__global__ void mailbox(volatile float *to, Mailbox box) {
  __shared__ alignas(128) float tile[8][32], sum[256];
  const float *from = (const float *)box.from;
  float *plain = const_cast<float *>(to);
#pragma tma load
  for (int i = threadIdx.x; i < 256; i += T) tile[i / 32][i % 32] = from[i / 32 * box.width + i % 32];
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += T) sum[i] = tile[7 - i / 32][i % 32] + blockIdx.x;
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < 256; i += T) plain[blockIdx.x * 256 + i] = sum[i];
}

static const Case cases[] = {
    {"degrees", [](const Arrays &a) {
       degrees<int, float><<<3, T>>>(a.out, a.in, 300);
       degrees<long, int><<<3, T>>>((int *)a.buf, a.ints, 40);
     }},
    {"volume", [](const Arrays &a) {
       volume<int><<<dim3(3, 2), T>>>(a.in, a.out, 12, 32);
       volume<long><<<dim3(2, 2), T>>>(a.in, a.buf, 8, 16);
     }},
    {"halves", [](const Arrays &a) {
       halves<int><<<4, T>>>(a.out, a.in, 64);
       halves<long><<<4, T>>>(a.buf, a.in, 128);
     }},
    {"split_heads", [](const Arrays &a) { split_heads<4, 16><<<3, T>>>(a.in, a.out, 12); }},
    {"add_heads", [](const Arrays &a) { add_heads<<<3, T>>>(a.in, a.out); }},
    {"add_rows", [](const Arrays &a) { add_rows<<<2, T>>>(a.out, a.in, a.ints, 64); }},
    {"counted_down", [](const Arrays &a) { counted_down<<<1, T>>>(a.out, a.in, Sizes{1, 2, 60}, 32); }},
    {"column", [](const Arrays &a) {
       column<0><<<2, T>>>(a.out, Table{{a.in, 3}, {a.in + 512, 5}});
       column<0><<<2, T>>>(a.buf, Table{{a.more, 7}, {a.in + 512, 5}});
     }},
    {"mailbox", [](const Arrays &a) { mailbox<<<2, T>>>(a.out, Mailbox{a.in, 64}); }},
    {"by_pointer", [](const Arrays &a) { by_pointer<<<2, T>>>(a.out, a.in, 1024); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
