// RUN: %verify %s
//
// What stands around a copy, and that the lifted kernel could not do as the plain one does.

#include <cuda_runtime.h>

// The tile of another round is another one.
__global__ void kept(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  const float *first = nullptr;
  float sum = 0;
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * 64 + threadIdx.x]; // expected-error {{an address in 'tile' may be used in another round than the one in which it is taken, or decides what is done: a tile that is filled ahead lives from the copy to the end of its round, and the next round's has another address [-Wtilelift-tile-kept]}}
    if (k == 0)
      first = &tile[63 - threadIdx.x];
    __syncthreads();
    sum += *first;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// As a number, too.
__global__ void kept_as_a_number(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  size_t first = 0;
  float sum = 0;
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * 64 + threadIdx.x]; // expected-error {{an address in 'tile' may be used in another round}}
    if (k == 0)
      first = reinterpret_cast<size_t>(tile);
    __syncthreads();
    sum += reinterpret_cast<float *>(first)[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// A pointer that each round takes anew is that round's.
__global__ void taken_anew(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  float sum = 0;
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * 64 + threadIdx.x];
    __syncthreads();
    for (const float *at = tile; at < tile + 64; at += 8)
      sum += *at;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__device__ unsigned memory() {
  unsigned size;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
  return size;
}
__global__ void asked(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[64];
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{the kernel asks for the size of its shared memory, of which the lifted one has more [-Wtilelift-shared-size-asked]}}
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x] + memory(); // expected-note {{it is asked for here}}
}

// Who has left does not come to the next round.
__global__ void left(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * 64 + threadIdx.x]; // expected-error {{some threads of the block may not reach this copy: some threads may leave the loop around it, and not come to its next round}}
    out[k * 64 + threadIdx.x] = tile[threadIdx.x];
    if (threadIdx.x < 32 * k)
      break; // expected-note {{they may leave here}}
  }
}

__device__ void end() { asm volatile("exit;"); }
__global__ void ended(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * 64 + threadIdx.x]; // expected-error {{some threads may leave the loop around it, and not come to its next round}}
    out[k * 64 + threadIdx.x] = tile[threadIdx.x];
    if (threadIdx.x < 32 * k)
      end(); // expected-note {{they may end here}}
  }
}

// What a pointer leads to may do anything.
__device__ float (*chosen)(float);
__global__ void calls_by_pointer(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * 64 + threadIdx.x]; // expected-error {{some threads may leave the loop around it, and not come to its next round}}
    __syncthreads();
    out[k * 64 + threadIdx.x] = chosen(tile[63 - threadIdx.x]); // expected-note {{they may end here, as what is called is not followed}}
    __syncthreads();
  }
}
__global__ void called_before(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  for (int k = 0; k < n; ++k) // expected-error {{this statement may send some of them away}}
    out[k * 64 + threadIdx.x] = chosen(in[k]); // expected-note {{they may end here, as what is called is not followed}}
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// All leave together.
__global__ void left_by_all(float *__restrict__ out, const float *__restrict__ in, int n, int most) {
  __shared__ float tile[64];
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * 64 + threadIdx.x];
    __syncthreads();
    out[k * 64 + threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
    if (k == most)
      return;
  }
}

// Rows that would be longer are used across their ends.
__global__ void across(float *__restrict__ out, const float *__restrict__ in, int w) {
  __shared__ float tile[4][34]; // expected-error {{'tile' has to be laid out with rows of 160 bytes instead of 136, but its rows may be used beyond their ends: as far as the indices are known, they are from 0 to 127 [-Wtilelift-layout-escapes]}}
#pragma tma load
  for (int i = threadIdx.x; i < 4 * 34; i += 128) {
    int x = int(blockIdx.x) * 32 - 1 + i % 34;
    tile[i / 34][i % 34] = x >= 0 && x < w ? in[(i / 34) * w + x] : 0.f;
  }
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[0][threadIdx.x];
}

// What is done depends on the tile's address, which is another one in each stage.
__global__ void decided_by_the_address(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  float sum = 0;
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; ++k) {
#pragma tma load
    tile[threadIdx.x] = in[k * 64 + threadIdx.x]; // expected-error {{an address in 'tile' may be used in another round than the one in which it is taken, or decides what is done}}
    __syncthreads();
    sum += (size_t)tile & 256 ? tile[threadIdx.x] : 0;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

void run(float *out, const float *in) {
  kept<<<1, 64>>>(out, in, 4);
  kept_as_a_number<<<1, 64>>>(out, in, 4);
  decided_by_the_address<<<1, 64>>>(out, in, 4);
  taken_anew<<<1, 64>>>(out, in, 4);
  asked<<<1, 64>>>(out, in);
  left<<<1, 64>>>(out, in, 4);
  ended<<<1, 64>>>(out, in, 4);
  left_by_all<<<1, 64>>>(out, in, 4, 2);
  across<<<2, 128>>>(out, in, 64);
  calls_by_pointer<<<1, 64>>>(out, in, 4);
  called_before<<<1, 64>>>(out, in, 4);
}
