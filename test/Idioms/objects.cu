// Objects that tell where elements lie: base classes, constructors of all kinds.
//
// RUN: %run --compare --schedules=2 --remarks %s 2>&1 | %FileCheck %s
// CHECK-COUNT-5: remark: lifted: tile copy of 8 x 32 f32 (1024 bytes) from 'in' to 'tile'
// CHECK-COUNT-10: case memory

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

#define OUT (blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x)

struct Origin {
  int x, y;
};

struct Pitch {
  int w;
  __device__ Pitch(int w) : w(w) {}
};

// An aggregate: the base class comes first between the braces.
struct Window : Origin {
  int w;
  __device__ int at(int i, int j) const { return (y + i) * w + x + j; }
};

__global__ void aggregate(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  Window window{{int(blockIdx.x) * 32, 8}, w};
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = in[window.at(threadIdx.y, threadIdx.x)];
  __syncthreads();
  out[OUT] = tile[7 - threadIdx.y][threadIdx.x];
}

// Two base classes with constructors, and a constructor that leaves it to another.
struct View : Origin, Pitch {
  const float *in;
  __device__ View(const float *in, int w, int x, int y) : Origin{x, y}, Pitch(w), in(in) {}
  __device__ View(const float *in, int w) : View(in, w, 4, 1) {}
  __device__ float operator()(int i, int j) const { return in[(y + i) * w + x + j]; }
};

__global__ void constructed(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  View view(in, w, blockIdx.x * 32, 8);
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = view(threadIdx.y, threadIdx.x);
  __syncthreads();
  out[OUT] = tile[7 - threadIdx.y][threadIdx.x];
}

__global__ void delegated(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
#pragma tma load
  {
    View view(in, w);
    tile[threadIdx.y][threadIdx.x] = view(threadIdx.y, threadIdx.x);
  }
  __syncthreads();
  out[OUT] = tile[7 - threadIdx.y][threadIdx.x];
}

// A constructor of the base class, inherited; its argument is evaluated once.
struct Shifted : Pitch {
  using Pitch::Pitch;
};

__global__ void inherited(float *out, const float *in) {
  __shared__ float tile[8][32];
#pragma tma load
  {
    int w = 64;
    Shifted shifted(w++);
    Pitch next(w++);
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * shifted.w + threadIdx.x + next.w + w - 131];
  }
  __syncthreads();
  out[OUT] = tile[7 - threadIdx.y][threadIdx.x];
}

// What an iterator's base class knows of the iterator.
template <class Pointer, class Own> struct Adaptor {
  Pointer pointer;
  __device__ decltype(auto) operator[](int i) const { return pointer[i]; }
  __device__ Own operator+(int i) const { return {pointer + i}; }
};
struct Iterator : Adaptor<const float *, Iterator> {};

__global__ void adapted(float *out, const float *in, int w) {
  __shared__ float tile[8][32];
  Iterator from{in}, block = from + blockIdx.x * 32;
#pragma tma load
  tile[threadIdx.y][threadIdx.x] = block[threadIdx.y * w + threadIdx.x];
  __syncthreads();
  out[OUT] = tile[7 - threadIdx.y][threadIdx.x];
}

int main() {
  aggregate<<<2, dim3(32, 8)>>>(numbers(512), numbers(16 * 64), 64);
  constructed<<<2, dim3(32, 8)>>>(numbers(512), numbers(16 * 64), 64);
  delegated<<<1, dim3(32, 8)>>>(numbers(256), numbers(16 * 64), 64);
  inherited<<<1, dim3(32, 8)>>>(numbers(256), numbers(16 * 64));
  adapted<<<2, dim3(32, 8)>>>(numbers(512), numbers(16 * 64), 64);
  return finish();
}
