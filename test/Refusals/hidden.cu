// RUN: %verify %s
//
// What could go wrong unseen: threads that leave on ways that are not followed,
// values that only look uniform, tiles with two layouts.

__device__ int lane() {
  int id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

__global__ void hidden_lane(float *out, const float *in) {
  __shared__ float part[64];
  if (lane() > 3) { // expected-error {{some threads of the block may not reach this copy: 'lane() > 3' may differ}}
#pragma tma load threads(64)
    part[threadIdx.x] = in[threadIdx.x];
  }
  out[threadIdx.x] = part[threadIdx.x];
}

__device__ int chosen();

__global__ void elsewhere(float *out, const float *in) {
  __shared__ float part[64];
  if (chosen()) { // expected-error {{some threads of the block may not reach this copy: this statement may send some of them away [-Wtilelift-divergent-copy]}} expected-note {{they may end here, as what is called is not followed}}
#pragma tma load threads(64)
    part[threadIdx.x] = in[threadIdx.x];
  }
  out[threadIdx.x] = part[threadIdx.x];
}

// Who has the address of a number may change it, in each thread to another one.
__global__ void pointed_to(float *out, const float *in, int n) {
  __shared__ float part[64];
  const int *limit = &n;
  float sum = 0;
  for (int i = 0; i < n; ++i) { // expected-error {{some threads of the block may not reach this copy: 'i < n' may differ between threads: 'n' may be changed through a pointer, a reference or a lambda [-Wtilelift-divergent-copy]}}
#pragma tma load threads(64)
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    sum += part[63 - threadIdx.x] + *limit;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void switched_away(float *out, const float *in) {
  __shared__ float part[64];
  switch (threadIdx.x) { // expected-error {{some threads of the block may not reach this copy: this statement may send some of them away}}
  case 3:
    return;
  }
#pragma tma load threads(64)
  part[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void searched(float *out, const float *in) {
  __shared__ float part[64];
  for (int i = 0; in[i] < 0.f; ++i) // expected-error {{some threads of the block may not reach this copy: this statement may send some of them away}}
    if (in[i + threadIdx.x] == 1.f)
      return;
#pragma tma load threads(64)
  part[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void set_by_assembly(float *out, const float *in) {
  __shared__ float part[64];
  int offset = 0;
  asm("mov.u32 %0, %%smid;" : "=r"(offset));
#pragma tma load threads(64)
  part[threadIdx.x] = in[offset + threadIdx.x]; // expected-error {{the address of this load is not followed: it is changed by a statement that is not followed [-Wtilelift-unknown-index]}}
  out[threadIdx.x] = part[threadIdx.x];
}

// What assembly sets may differ between threads, in each round anew.
__global__ void set_in_each_round(float *out, const float *in, int n) {
  __shared__ float part[64];
  float sum = 0;
  int offset = 0;
  for (int i = 0; i < n; ++i) {
#pragma tma load threads(64)
    part[threadIdx.x] = in[offset + threadIdx.x]; // expected-error {{[-Wtilelift-unknown-index]}}
    __syncthreads();
    sum += part[63 - threadIdx.x];
    asm("mov.u32 %0, %%laneid;" : "=r"(offset));
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void two_layouts(float *out, const float *in, int w, int h) { // expected-warning {{'two_layouts' is launched nowhere in this file: the lifted kernel 'two_layouts_tma' is not used}}
  __shared__ float tile[8][36];
  int y = blockIdx.y * 8 + threadIdx.y;
  for (int side = 0; side < 2; ++side) {
    if (side == 0) {
      int x = blockIdx.x * 64 + int(threadIdx.x) - 1;
#pragma tma load threads(36, 8)
      tile[threadIdx.y][threadIdx.x] = y < h && x >= 0 && x < w ? in[y * w + x] : 0.f;
    } else {
      int x = blockIdx.x * 64 + int(threadIdx.x) - 2;
#pragma tma load threads(36, 8)
      tile[threadIdx.y][threadIdx.x] = y < h && x >= 0 && x < w ? in[y * w + x] : 0.f; // expected-error {{'tile' takes part in several copies that need different layouts: rows of 40 elements starting at 2 here, of 40 starting at 3 before [-Wtilelift-layouts-clash]}}
    }
    __syncthreads();
    out[threadIdx.x] = tile[7][threadIdx.x];
    __syncthreads();
  }
}

template <int N> __global__ void special(float *out, const float *in);
template <> __global__ void special<64>(float *out, const float *in) {
  __shared__ float part[64];
  // expected-error@+1 {{a copy in an explicit specialization is not available yet}}
#pragma tma load threads(64)
  part[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = part[threadIdx.x];
}

__shared__ float at_file_scope[64]; // expected-error {{a tile that is declared outside of the kernel ('at_file_scope') is not available yet}}
__global__ void into_the_file(float *out, const float *in) {
#pragma tma load threads(64)
  at_file_scope[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  __syncthreads();
  out[threadIdx.x] = at_file_scope[63 - threadIdx.x];
}

// Which variable a lambda's reference is bound to is not followed, and a structured binding is named by its parts.
__global__ void unnamed(float *out, const float *in, int n) {
  __shared__ float part[64];
  auto load = [&](float (&to)[64]) {
#pragma tma load threads(64)
    to[threadIdx.x] = in[threadIdx.x]; // expected-error {{what 'to' refers to is set by the annotated statement; the tool does not follow that reference [-Wtilelift-variable-escapes]}}
    __syncthreads();
    out[threadIdx.x] = to[63 - threadIdx.x];
  };
  load(part);
  auto [first, last] = int2{0, n};
  for (int k = 0; k < 3; ++k) {
    __syncthreads();
#pragma tma load threads(64)
    part[threadIdx.x] = in[first + threadIdx.x]; // expected-error {{the address of this load is not followed: it depends on '[first, last]', which may be changed through a pointer, a reference or a lambda [-Wtilelift-unknown-index]}}
    __syncthreads();
    out[threadIdx.x] += part[63 - threadIdx.x];
    (k == 0 ? first : last) += 64;
  }
}
