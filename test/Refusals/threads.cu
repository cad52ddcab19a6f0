// RUN: %verify %s
//
// Who executes the copy.

__global__ void nobody_launches(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load
  // expected-error@-1 {{the block size of 'nobody_launches' is not visible: no launch in this file gives it as a constant; add 'threads(x, y, z)' to the pragma [-Wtilelift-unknown-block]}}
  part[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void some_left(float *out, const float *in, const int *__restrict__ n) {
  __shared__ float part[64];
  if (blockIdx.x * 64 + threadIdx.x >= *n)
    return;
#pragma tma load threads(64)
  part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x]; // expected-error {{some threads of the block may not reach this copy: thread 1 does where 'blockIdx.x * 64 >= -1 && blockIdx.x * 64 - n[0] <= -2', and thread 0 does where 'blockIdx.x * 64 >= 0 && blockIdx.x * 64 - n[0] <= -1' [-Wtilelift-divergent-copy]}}
  out[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x];
}

__global__ void half_the_block(float *out, const float *in) {
  __shared__ float part[64];
  if (threadIdx.x < 32) { // expected-note {{thread 32 does not go on from here}}
#pragma tma load threads(64)
    part[threadIdx.x] = in[threadIdx.x]; // expected-error {{some threads of the block may not reach this copy}}
  }
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void data_decides(float *out, const float *in) {
  __shared__ float part[64];
  if (in[threadIdx.x] > 0.f) { // expected-error {{some threads of the block may not reach this copy: 'in[threadIdx.x] > 0.f' may differ}}
#pragma tma load threads(64)
    part[threadIdx.x] = in[threadIdx.x];
  }
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void twice(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x / 2] = in[threadIdx.x]; // expected-error {{byte 0 of 'part' is written by thread 0 and again, from elsewhere, by thread 1 [-Wtilelift-clashing-stores]}}
  out[threadIdx.x] = part[threadIdx.x];
}

// All threads that come to the loop stay in it equally long: those that have left before are the reason.
__global__ void left_before_the_loop(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ count, int n) {
  __shared__ float part[64];
  int index = blockIdx.x * 64 + threadIdx.x;
  if (index >= *count)
    return;
  float sum = 0;
  for (int k = 0; k < n; k++) {
#pragma tma load threads(64)
    part[threadIdx.x] = in[k * 64 + threadIdx.x]; // expected-error {{some threads of the block may not reach this copy: thread 1 does where 'n - k >= 1 && blockIdx.x * 64 - count[0] <= -2', and thread 0 does where 'n - k >= 1 && blockIdx.x * 64 - count[0] <= -1' [-Wtilelift-divergent-copy]}}
    __syncthreads();
    sum += part[63 - threadIdx.x];
    __syncthreads();
  }
  out[index] = sum;
}
