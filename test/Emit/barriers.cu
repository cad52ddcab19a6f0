// RUN: %tilelift --remarks %s -o %t.cu 2>&1 | %FileCheck %s --implicit-check-not=dropped
//
// Which barriers of the program go: those on both sides of which nothing clashes.

__device__ float table[64];
__device__ float scaled(float value) { return value * expf(value) + __shfl_xor_sync(~0u, value, 1); }
__device__ float element(const float *from, int i) { return from[i]; }
__device__ void set(float *to, int i) { to[i] = 0; }
__device__ float looked_up(int i) { return table[i]; }

// Arithmetic, be it in functions, is nobody's business.
__global__ void arithmetic(float *out, const float *in) {
  __shared__ float part[64];
  float sum = scaled(threadIdx.x);
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  // CHECK: barriers.cu:[[@LINE-1]]:3: remark: this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]
  out[threadIdx.x] = part[63 - threadIdx.x] * sum;
}

// Both sides read, one of them by a function.
__global__ void reading(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float part[64], other[64];
  other[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float sum = element(other, 63 - threadIdx.x) + in[threadIdx.x];
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  // CHECK: barriers.cu:[[@LINE-1]]:3: remark: this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]
  out[threadIdx.x] = element(part, 63 - threadIdx.x) + other[threadIdx.x] + sum;
}

// What is read may be what is written.
__global__ void no_restrict(float *out, const float *in) {
  __shared__ float part[64];
  float sum = in[63 - threadIdx.x];
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x] + sum;
}

// What stands before it stores to shared memory, or what stands behind it does.
__global__ void before(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float part[64], other[64];
  other[threadIdx.x] = threadIdx.x;
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = part[threadIdx.x] + other[63 - threadIdx.x];
}

__global__ void behind(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float part[64], other[64];
  other[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float sum = other[63 - threadIdx.x];
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  set(other, threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x] + other[63 - threadIdx.x] + sum;
}

// The same in global memory.
__global__ void global_memory(float *out, const float *in) {
  __shared__ float part[64];
  table[threadIdx.x] = threadIdx.x;
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x] + table[63 - threadIdx.x];
}

__global__ void global_memory_in_a_function(float *out, const float *in) {
  __shared__ float part[64];
  float sum = looked_up(63 - threadIdx.x);
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  table[threadIdx.x] = part[63 - threadIdx.x] + sum;
}

// Who waits for what is on its way makes it everybody's by the barrier behind that.
__global__ void waiting(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ __align__(16) float part[64], other[256];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                   unsigned(__cvta_generic_to_shared(&other[threadIdx.x * 4]))),
               "l"(in + threadIdx.x * 4)
               : "memory");
  __syncthreads();
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x];
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x] + other[255 - threadIdx.x];
}

// Objects may hold the address.
struct Sums {
  float *first;
};
__global__ void holding(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64], other[64];
  Sums sums = {other};
  __syncthreads();
  *(sums.first + n + threadIdx.x) = 1;
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float sum = part[63 - threadIdx.x] + other[63 - threadIdx.x];
  __syncthreads();
  part[threadIdx.x] = sum;
}

// Objects may do as much when they are made.
__shared__ float counts[64];
struct Counter {
  __device__ Counter(int i) : i(i) { counts[i] = i; }
  int i;
};
__global__ void making(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float part[64];
  Counter counter(threadIdx.x);
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x] + counts[63 - counter.i];
}

// And when they end.
struct Guard {
  __device__ ~Guard() { counts[i] = i; }
  int i;
};
__global__ void ending(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float part[64];
  {
    Guard guard{int(threadIdx.x)};
#pragma tma load
    part[threadIdx.x] = in[threadIdx.x];
  }
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x] + counts[63 - threadIdx.x];
}

// Who calls a function may read what it has written.
__device__ void scaled_to(float *to, const float *from) {
  __shared__ float part[64];
  __syncthreads();
#pragma tma load
  part[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  // CHECK: barriers.cu:[[@LINE-1]]:3: remark: this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]
  to[threadIdx.x] = part[63 - threadIdx.x];
  __syncthreads();
}
__global__ void calling(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float sums[64];
  scaled_to(sums, in);
  out[threadIdx.x] = sums[63 - threadIdx.x];
}

// The one that the next round's copy has to wait for.
__global__ void rounds(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64];
  float sum = 0;
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    // CHECK: barriers.cu:[[@LINE-1]]:5: remark: this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]
    sum += part[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// With a producer, nobody waits for it, but for a tile that threads write to.
__global__ void supplied(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64], changed[64];
  float sum = 0;
#pragma tma pipeline stages(2) warp(producer)
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    // CHECK: barriers.cu:[[@LINE-1]]:5: remark: this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]
    sum += part[63 - threadIdx.x];
    __syncthreads();
    // CHECK: barriers.cu:[[@LINE-1]]:5: remark: this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]
  }
#pragma tma pipeline stages(2) warp(producer)
  for (int i = 0; i < n; ++i) {
#pragma tma load
    changed[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    // CHECK: barriers.cu:[[@LINE-1]]:5: remark: this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]
    sum += changed[63 - threadIdx.x];
    __syncthreads();
    changed[threadIdx.x] = sum;
    __syncthreads();
    sum += changed[threadIdx.x ^ 1];
  }
  out[threadIdx.x] = sum;
}

// One that orders nothing by itself may do so once another has gone.
__global__ void two(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float part[64], other[64], last[64];
  float sum = 0;
#pragma tma load
  other[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  // CHECK: barriers.cu:[[@LINE-1]]:3: remark: this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]
  last[threadIdx.x] = other[63 - threadIdx.x];
#pragma tma load
  part[threadIdx.x] = in[64 + threadIdx.x];
  __syncthreads();
  sum += part[63 - threadIdx.x];
#pragma tma load
  other[threadIdx.x] = in[128 + threadIdx.x];
  __syncthreads();
  // CHECK: barriers.cu:[[@LINE-1]]:3: remark: this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]
  out[threadIdx.x] = sum + last[63 - threadIdx.x] + other[63 - threadIdx.x];
}

void run(float *out, const float *in) {
  arithmetic<<<1, 64>>>(out, in);
  reading<<<1, 64>>>(out, in);
  no_restrict<<<1, 64>>>(out, in);
  before<<<1, 64>>>(out, in);
  behind<<<1, 64>>>(out, in);
  global_memory<<<1, 64>>>(out, in);
  global_memory_in_a_function<<<1, 64>>>(out, in);
  waiting<<<1, 64>>>(out, in);
  holding<<<1, 64>>>(out, in, 0);
  making<<<1, 64>>>(out, in);
  ending<<<1, 64>>>(out, in);
  calling<<<1, 64>>>(out, in);
  rounds<<<1, 64>>>(out, in, 4);
  supplied<<<1, 64>>>(out, in, 4);
  two<<<1, 64>>>(out, in);
}
