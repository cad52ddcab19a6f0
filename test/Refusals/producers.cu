// RUN: %verify %s
//
// Loops whose copies no warp of its own can make.

#include <cooperative_groups.h>

__device__ float total(float value) {
  __shared__ float sums[64];
  sums[threadIdx.x] = value;
  __syncthreads();
  return sums[63 - threadIdx.x];
}

__device__ unsigned threads() { return blockDim.x; }

// What stands in defaults has no place of its own.
struct Shape {
  unsigned threads;
  __device__ Shape(unsigned threads = blockDim.x) : threads(threads) {}
};
struct Member {
  unsigned threads = blockDim.x;
};
__global__ void default_argument(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: the constructor of 'Shape' uses the size of the block, and this warp is not counted in it}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    Shape shape; // expected-note {{that is here}}
    out[i * 64 + threadIdx.x] = part[shape.threads - 1 - threadIdx.x];
    __syncthreads();
  }
}
__global__ void default_initialiser(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: a statement uses the size of the block, and this warp is not counted in it}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    Member member{}; // expected-note {{that is here}}
    out[i * 64 + threadIdx.x] = part[member.threads - 1 - threadIdx.x];
    __syncthreads();
  }
}

// The block has no room for it, or no place.
__global__ void full(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[1024];
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: with it the block has 1056 threads, and may have 1024 [-Wtilelift-no-producer]}}
#pragma tma load
    part[threadIdx.x] = in[i * 1024 + threadIdx.x];
    __syncthreads();
    out[i * 1024 + threadIdx.x] = part[1023 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void uneven(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[48];
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: a block of 48 threads does not end with a whole warp}}
#pragma tma load
    part[threadIdx.x] = in[i * 48 + threadIdx.x];
    __syncthreads();
    out[i * 48 + threadIdx.x] = part[47 - threadIdx.x];
    __syncthreads();
  }
}

// Who speaks of the whole block would mean it, too.
__global__ void counted(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: 'threads' uses the size of the block, and this warp is not counted in it}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x] * threads(); // expected-note {{that is here}}
    __syncthreads();
  }
}

__global__ void met(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: 'total' would wait for it}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = total(part[63 - threadIdx.x]); // expected-note {{that is here}}
    __syncthreads();
  }
}

__global__ void voted(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: '__syncthreads_count' would wait for it}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = __syncthreads_count(part[63 - threadIdx.x] > 0); // expected-note {{that is here}}
  }
}

__global__ void assembled(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: assembly would wait for it}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    asm volatile("bar.sync 0;" ::: "memory"); // expected-note {{that is here}}
  }
}

__global__ void grouped(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  auto block = cooperative_groups::this_thread_block();
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: 'size' uses the size of the block, and this warp is not counted in it}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    block.sync();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x] * block.size(); // expected-note {{that is here}}
    __syncthreads();
  }
}

#define MEET __syncthreads()
__global__ void hidden(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: a macro's barrier would wait for it}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    MEET; // expected-note {{that is here}}
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

// A barrier of so many threads would wait for those that are gone.
__global__ void leaving(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64], sums[64];
  float sum = 0;
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: some threads may leave the kernel ahead of a barrier}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    sum += part[63 - threadIdx.x];
    __syncthreads();
  }
  if (sum < threadIdx.x)
    return; // expected-note {{that is here}}
  sums[threadIdx.x] = sum;
  __syncthreads();
  out[threadIdx.x] = sums[63 - threadIdx.x];
}

__global__ void ended(float *__restrict__ out, const float *__restrict__ in, int n) { // expected-note {{that is here}}
  __shared__ float part[64];
  float sum = 0;
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: some threads may end ahead of a barrier}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    sum += part[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
  asm volatile("exit;");
}

// What leads to the loop depends on what the others do.
__global__ void looked_up(float *__restrict__ out, const float *__restrict__ in, int *counts) {
  __shared__ float part[64];
  int n = counts[blockIdx.x]; // expected-note {{that is here}}
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: what comes before it reads memory that the kernel may write to}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
    __syncthreads();
    counts[i] = 0;
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void returning(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  if (out[blockIdx.x] > 0) // expected-note {{that is here}}
    return;
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: what comes before it reads memory that the kernel may write to}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void by_thread(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  int last = n + threadIdx.x / 64; // expected-note {{that is here}}
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: what comes before it may differ between threads}}
    if (i < last) {
#pragma tma load
      part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
      __syncthreads();
      out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    }
    __syncthreads();
  }
}

__global__ void switched(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  switch (n) { // expected-note {{that is here}}
  case 4: {
#pragma tma pipeline warp(producer)
    for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: the way there leads through a statement that it does not follow}}
#pragma tma load
      part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
      __syncthreads();
      out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
      __syncthreads();
    }
  }
  }
}

struct Range {
  int first, last;
};
__global__ void in_objects(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  Range rows = {1, n}; // expected-note {{that is here}}
#pragma tma pipeline warp(producer)
  for (int i = rows.first; i < rows.last; ++i) { // expected-error {{no warp of its own can make the copies of this loop: on the way there is 'rows', which is no number or pointer of the thread's own}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

// Whose text is not the kernel's own.
__device__ void fill(float (&tile)[64], const float *from) {
#pragma tma load
  tile[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
}
__global__ void filling(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64], other[64];
  fill(other, in);
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: a function that the kernel calls makes copies, too}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x] + other[threadIdx.x];
    __syncthreads();
  }
}

#define BOUNDED __launch_bounds__(64)
__global__ void BOUNDED bounded(float *__restrict__ out, const float *__restrict__ in, int n) { // expected-error {{no warp of its own can make the copies of this loop: a macro bounds the kernel's launch}}
  __shared__ float part[64];
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

// What they read is written before.
__global__ void written(float *out, const float *in, int n) {
  __shared__ float part[64];
  out[threadIdx.x] = 1; // expected-note {{that is here}}
  float sum = 0;
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: 'in', which they read, may be written before: declare what is written '__restrict__'}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
    __syncthreads();
    sum += part[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void signalled(float *__restrict__ out, const float *in, unsigned *__restrict__ flag, int n) {
  __shared__ float part[64];
  float sum = 0;
  while (atomicAdd(flag, 0) == 0) { // expected-note {{that is here}}
  }
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) { // expected-error {{no warp of its own can make the copies of this loop: others may have written to 'in', which they read, by the time that the block gets there}}
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-note {{so this copy is not lifted}}
    __syncthreads();
    sum += part[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// It needs the tiles at once.
__global__ void late(float *__restrict__ out, const float *__restrict__ in, int n) {
  float sum = 0;
  sum += 1;
  __shared__ float part[64]; // expected-note {{declare it first in the kernel}}
#pragma tma pipeline warp(producer)
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x]; // expected-error {{no warp of its own can make the copies of this loop: 'part' is declared behind other statements}}
    __syncthreads();
    sum += part[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

void run(float *out, const float *in, int *counts, unsigned *flag) {
  default_argument<<<1, 64>>>(out, in, 4);
  default_initialiser<<<1, 64>>>(out, in, 4);
  full<<<1, 1024>>>(out, in, 4);
  uneven<<<1, 48>>>(out, in, 4);
  counted<<<1, 64>>>(out, in, 4);
  met<<<1, 64>>>(out, in, 4);
  voted<<<1, 64>>>(out, in, 4);
  assembled<<<1, 64>>>(out, in, 4);
  grouped<<<1, 64>>>(out, in, 4);
  hidden<<<1, 64>>>(out, in, 4);
  leaving<<<1, 64>>>(out, in, 4);
  ended<<<1, 64>>>(out, in, 4);
  looked_up<<<1, 64>>>(out, in, counts);
  returning<<<1, 64>>>(out, in, 4);
  by_thread<<<1, 64>>>(out, in, 4);
  switched<<<1, 64>>>(out, in, 4);
  in_objects<<<1, 64>>>(out, in, 4);
  filling<<<1, 64>>>(out, in, 4);
  bounded<<<1, 64>>>(out, in, 4);
  written<<<1, 64>>>(out, in, 4);
  signalled<<<1, 64>>>(out, in, flag, 4);
  late<<<1, 64>>>(out, in, 4);
}
