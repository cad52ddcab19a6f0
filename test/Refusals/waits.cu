// RUN: %verify %s
//
// By TMA, all threads of the block meet at a copy. Where one of them waits ahead of the copy for what another one does
// behind it, with no barrier of the block in between, neither would ever go on.
#include <cuda_runtime.h>

__device__ unsigned asked(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
__device__ void told(unsigned *flag, unsigned value) {
  asm volatile("st.release.cta.u32 [%0], %1;" :: "l"(flag), "r"(value) : "memory");
}

// A lock that an object holds.
struct Lock {
  int *mutex;
  __device__ Lock(int *mutex) : mutex(mutex) {
    while (atomicCAS(mutex, 0, 1))
      __nanosleep(20);
    __threadfence_block();
  }
  __device__ ~Lock() {
    __threadfence_block();
    atomicExch(mutex, 0);
  }
};
__global__ void locked(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  __shared__ int mutex, count;
  if (threadIdx.x == 0)
    mutex = count = 0;
  __syncthreads();
  { // expected-note {{until this is done}}
    Lock lock(&mutex); // expected-note {{it may wait here}}
#pragma tma load threads(128)
    tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{a thread may wait ahead of this copy for what another one does behind it: by TMA, all threads of the block meet at the copy [-Wtilelift-waits-around-copy]}}
    ++count;
  }
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x] + count;
}

// A flag that some threads wait for and another one raises.
__global__ void flagged(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  __shared__ unsigned flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x < 32)
    while (asked(&flag) == 0) // expected-note {{it may wait here}}
      ;
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{a thread may wait ahead of this copy}}
  out[128 + threadIdx.x] = tile[threadIdx.x];
  if (threadIdx.x == 96)
    told(&flag, 1); // expected-note {{until this is done}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

// All ask the same place, but each waits for another number.
__global__ void in_turn(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  __shared__ unsigned turn;
  if (threadIdx.x == 0)
    turn = 0;
  __syncthreads();
  while (asked(&turn) != threadIdx.x) // expected-note {{it may wait here}}
    ;
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{a thread may wait ahead of this copy}}
  told(&turn, threadIdx.x + 1); // expected-note {{until this is done}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

// Each asks another place.
__global__ void chained(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  __shared__ unsigned flags[129];
  flags[threadIdx.x + 1] = 0;
  flags[0] = 1;
  __syncthreads();
  while (!asked(&flags[threadIdx.x])) // expected-note {{it may wait here}}
    ;
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{a thread may wait ahead of this copy}}
  told(&flags[threadIdx.x + 1], 1); // expected-note {{until this is done}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

// A barrier of two warps, of which one comes to it behind its part of a store.
__global__ void named(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  tile[threadIdx.x] = in[127 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory"); // expected-note {{it may wait here}}
#pragma tma store threads(128)
  out[threadIdx.x] = tile[threadIdx.x]; // expected-error {{a thread may wait ahead of this copy}}
  if (threadIdx.x >= 96)
    asm volatile("bar.arrive 1, 64;" ::: "memory"); // expected-note {{until this is done}}
}

// Assembly that asks again by itself, at an mbarrier at which one warp arrives.
__global__ void by_assembly(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  __shared__ unsigned long long barrier;
  const unsigned where = __cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(where) : "memory");
  __syncthreads();
  if (threadIdx.x < 96)
    asm volatile("{.reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again;}" // expected-note {{it may wait here}}
                 :: "r"(where) : "memory");
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{a thread may wait ahead of this copy}}
  if (threadIdx.x >= 96)
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(where) : "memory"); // expected-note {{until this is done}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

// What nobody knows may wait, or end the thread.
__device__ int elsewhere(int *place);
__global__ void unknown(int *out, const int *in) {
  alignas(128) __shared__ int tile[128];
  const int own = elsewhere(out); // expected-error {{some threads of the block may not reach this copy: this statement may send some of them away [-Wtilelift-divergent-copy]}} expected-note {{they may end here, as what is called is not followed}}
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = own;
  __syncthreads();
  out[threadIdx.x] += tile[127 - threadIdx.x];
}

// Blocks take turns, in the order in which they start: those of a cluster would meet at the copy.
__device__ unsigned ticket, served;
__global__ void turns(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  __shared__ unsigned mine;
  if (threadIdx.x == 0) {
    mine = atomicAdd(&ticket, 1);
    while (atomicAdd(&served, 0) != mine)
      ;
  }
  __syncthreads();
#pragma tma load threads(128) multicast(x)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: a block may wait ahead of the copy for what another one does behind it}}
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
  if (threadIdx.x == 0)
    atomicAdd(&served, 1);
}

// Lanes of a warp meet, some of them ahead of the copy and the others behind it.
__global__ void at_a_barrier_of_lanes(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  if (threadIdx.x % 32 < 16)
    __syncwarp(); // expected-note {{it may wait here}}
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{a thread may wait ahead of this copy}}
  if (threadIdx.x % 32 >= 16)
    __syncwarp(); // expected-note {{until this is done}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
__global__ void at_a_vote_of_lanes(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  int any = 0;
  if (threadIdx.x % 32 < 16)
    any = __any_sync(~0u, threadIdx.x == 3); // expected-note {{it may wait here}}
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{a thread may wait ahead of this copy}}
  if (threadIdx.x % 32 >= 16)
    any = __any_sync(~0u, threadIdx.x == 3); // expected-note {{until this is done}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x] + any;
}
__global__ void at_an_exchange_of_lanes(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  int other = 0;
  if (threadIdx.x % 32 < 16)
    other = __shfl_sync(~0u, int(threadIdx.x), 20); // expected-note {{it may wait here}}
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{a thread may wait ahead of this copy}}
  if (threadIdx.x % 32 >= 16)
    other = __shfl_sync(~0u, int(threadIdx.x), 20); // expected-note {{until this is done}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x] + other;
}
__global__ void at_a_barrier_of_lanes_in_assembly(float *out, const float *in) {
  alignas(128) __shared__ float tile[128];
  if (threadIdx.x % 32 < 16)
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); // expected-note {{it may wait here}}
#pragma tma load threads(128)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{a thread may wait ahead of this copy}}
  if (threadIdx.x % 32 >= 16)
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); // expected-note {{until this is done}}
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}
