// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %run --compare --schedules=2 %s
// RUN: %tilelift --check --remarks %s 2>&1 | grep -c "remark: lifted:" | grep -x 11
//
// Threads that wait ahead of a copy, and for nothing that comes behind it: for other blocks, for all threads of their
// own, for none, or with a barrier in between.
#include "Inputs/arrays.h"

__device__ unsigned asked(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
__device__ void told(unsigned *flag, unsigned value) {
  asm volatile("st.release.gpu.u32 [%0], %1;" :: "l"(flag), "r"(value) : "memory");
}

// Who does not succeed at once tries again with what it found: somebody else has succeeded.
__device__ void raise(unsigned *most, unsigned value) {
  unsigned old = atomicAdd(most, 0), assumed;
  do {
    assumed = old;
    old = atomicCAS(most, assumed, value > assumed ? value : assumed);
  } while (old != assumed);
}
__global__ void tried_again(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  __shared__ unsigned most;
  const int t = threadIdx.x;
  if (t == 0) most = 0;
  __syncthreads();
  raise(&most, 3 * t % 101);
#pragma tma load
  tile[t] = in[t];
  raise(&most, 7 * t % 97);
  __syncthreads();
  out[t] = tile[T - 1 - t] + most;
}
// The same by its flag, on the bits of a float.
__device__ void add(float *sum, float value) {
  int *bits = reinterpret_cast<int *>(sum);
  int old = atomicAdd(bits, 0), assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value + __int_as_float(assumed)));
  } while (assumed != old);
}
__global__ void added(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float sum;
  const int t = threadIdx.x;
  if (t == 0) sum = 0;
  __syncthreads();
  add(&sum, t % 5);
#pragma tma load
  tile[t] = in[t];
  add(&sum, 1);
  __syncthreads();
  out[t] = tile[T - 1 - t] + sum;
}
// All threads of a block wait for the block before, which has told it by then, or will.
__global__ void after_another_block(float *out, float *buf, unsigned *flags) {
  __shared__ alignas(128) float tile[T];
  const int t = threadIdx.x, b = blockIdx.x;
  while (b > 0 && asked(&flags[b - 1]) == 0)
    ;
#pragma tma load
  tile[t] = buf[b * T + t];
  out[b * T + t] = b;
  __syncthreads();
  buf[(b + 1) * T + t] = tile[T - 1 - t] + 1;
  __threadfence();
  __syncthreads();
  if (t == 0) told(&flags[b], 1);
}
// One thread waits, the others at the barrier.
__global__ void behind_a_barrier(float *out, float *buf, unsigned *flags) {
  __shared__ alignas(128) float tile[T];
  const int t = threadIdx.x, b = blockIdx.x;
  if (b > 0 && t == 5)
    while (atomicAdd(&flags[b - 1], 0) == 0)
      ;
  __syncthreads();
#pragma tma load
  tile[t] = buf[b * T + t];
  __syncthreads();
  buf[(b + 1) * T + t] = tile[T - 1 - t] + 2;
  __threadfence();
  __syncthreads();
  if (t == 0) atomicExch(&flags[b], 1);
  out[b * T + t] = tile[t];
}
// A barrier by its number that all threads come to.
__global__ void at_a_named_barrier(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  __shared__ float side[T];
  const int t = threadIdx.x;
  side[t] = 2 * t;
  asm volatile("bar.sync 1, 128;" ::: "memory");
#pragma tma load
  tile[t] = in[t];
  const float other = side[T - 1 - t];
  asm volatile("bar.sync 1, 128;" ::: "memory");
  side[t] = other;
  __syncthreads();
  out[t] = tile[T - 1 - t] + side[t ^ 1];
}
// A tile that is held under a lock, which is free again ahead of the copy.
__global__ void unlocked(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  __shared__ int mutex, count;
  const int t = threadIdx.x;
  if (t == 0) mutex = count = 0;
  __syncthreads();
  while (atomicCAS(&mutex, 0, 1))
    __nanosleep(20);
  __threadfence_block();
  ++count;
  __threadfence_block();
  atomicExch(&mutex, 0);
#pragma tma load
  tile[t] = in[t];
  __syncthreads();
  out[t] = tile[T - 1 - t] + count;
}
// All threads arrive at an mbarrier of the program's own before they wait for it, and once more later.
__global__ void ahead_of_the_copy(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  __shared__ unsigned long long barrier;
  const int t = threadIdx.x;
  const unsigned where = __cvta_generic_to_shared(&barrier);
  if (t == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 128;" :: "r"(where) : "memory");
  __syncthreads();
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(where) : "memory");
  unsigned done = 0;
  while (!done)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(where) : "memory");
#pragma tma load
  tile[t] = in[t];
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(where) : "memory");
  __syncthreads();
  out[t] = tile[T - 1 - t];
}
// Half of the threads arrive at a named barrier ahead of the copy. Who arrives goes on; the others wait behind the copy.
__global__ void arrived_at_a_named_barrier(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  const int t = threadIdx.x;
  if (t >= T / 2) asm volatile("bar.arrive 4, 128;" ::: "memory");
#pragma tma load
  tile[t] = in[t];
  if (t < T / 2) asm volatile("bar.sync 4, 128;" ::: "memory");
  __syncthreads();
  out[t] = tile[T - 1 - t];
}
// Lanes that meet ahead of the copy and again behind it, all of them each time.
__global__ void between_meetings_of_lanes(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  const int t = threadIdx.x;
  const int ahead = __shfl_xor_sync(~0u, t, 5);
  __syncwarp();
#pragma tma load
  tile[t] = in[t];
  const int behind = __shfl_xor_sync(~0u, t, 9);
  __syncthreads();
  if (t < 32) out[T + t] = __reduce_add_sync(~0u, ahead);
  out[t] = tile[T - 1 - t] + ahead + behind;
}
// At barriers of their own ahead of the copy and behind it, and lanes that have none in common.
__global__ void at_two_named_barriers(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  const int t = threadIdx.x;
  if (t < T / 2) asm volatile("bar.arrive 4, 128;" ::: "memory");
  else asm volatile("bar.sync 4, 128;" ::: "memory");
#pragma tma load
  tile[t] = in[t];
  if (t >= T / 2) asm volatile("bar.arrive 5, 128;" ::: "memory");
  else asm volatile("bar.sync 5, 128;" ::: "memory");
  if (t < T / 2) out[t] = tile[t + T / 2];
}
__global__ void with_even_and_odd_lanes(float *out, const float *in) {
  __shared__ alignas(128) float tile[T];
  const int t = threadIdx.x;
  int other = 0;
  if (t & 1) other = __shfl_sync(0xaaaaaaaau, 7 * t, 3);
#pragma tma load
  tile[t] = in[t];
  if (!(t & 1)) other = __shfl_sync(0x55555555u, 3 * t, 2);
  __syncthreads();
  out[t] = tile[T - 1 - t] + other;
}

static const Case cases[] = {
    {"tried_again", [](const Arrays &a) { tried_again<<<1, T>>>(a.out, a.in); }},
    {"added", [](const Arrays &a) { added<<<1, T>>>(a.out, a.in); }},
    {"after_another_block", [](const Arrays &a) { after_another_block<<<4, T>>>(a.out, a.buf, a.words); }},
    {"behind_a_barrier", [](const Arrays &a) { behind_a_barrier<<<4, T>>>(a.out, a.buf, a.words); }},
    {"at_a_named_barrier", [](const Arrays &a) { at_a_named_barrier<<<1, T>>>(a.out, a.in); }},
    {"unlocked", [](const Arrays &a) { unlocked<<<1, T>>>(a.out, a.in); }},
    {"ahead_of_the_copy", [](const Arrays &a) { ahead_of_the_copy<<<1, T>>>(a.out, a.in); }},
    {"arrived_at_a_named_barrier", [](const Arrays &a) { arrived_at_a_named_barrier<<<1, T>>>(a.out, a.in); }},
    {"between_meetings_of_lanes", [](const Arrays &a) { between_meetings_of_lanes<<<1, T>>>(a.out, a.in); }},
    {"at_two_named_barriers", [](const Arrays &a) { at_two_named_barriers<<<1, T>>>(a.out, a.in); }},
    {"with_even_and_odd_lanes", [](const Arrays &a) { with_even_and_odd_lanes<<<1, T>>>(a.out, a.in); }}};
int main(int argc, char **argv) { return run_cases(cases, argc, argv); }
