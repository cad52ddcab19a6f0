// RUN: %verify %s
//
// Copies that cannot be analysed at all stay loops where their pragmas allow it, with a warning.

template <int N> __global__ void unused_template(float *out, const float *in) {
  __shared__ float part[N];
#pragma tma load threads(64) fallback(loop) // expected-warning {{this copy stays a plain loop: template 'unused_template' is instantiated nowhere in this file, so the copy cannot be checked}}
  part[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = part[threadIdx.x];
}

template <bool Copies> __global__ void unreached(float *out, const float *in) {
  __shared__ float part[64];
  part[threadIdx.x] = 0;
  if constexpr (Copies) {
#pragma tma load fallback(loop) // expected-warning {{this copy stays a plain loop: '#pragma tma load' stands where no instantiation of 'unreached' is seen to get to}}
    part[threadIdx.x] = in[threadIdx.x];
  }
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}

__device__ void again(float *tile, const float *in, int n) {
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (n > 0)
    again(tile, in + 64, n - 1); // expected-warning {{this copy stays a plain loop: a copy in a function that calls itself is not available yet}} expected-note {{the kernel gets there here}}
}

__global__ void calls_itself(float *out, const float *in) {
  __shared__ float tile[64], other[64];
#pragma tma load fallback(loop) // expected-warning {{this copy stays a plain loop: a copy in a function that calls itself is not available yet}}
  other[threadIdx.x] = in[threadIdx.x];
  again(tile, in, 3);
  out[threadIdx.x] = tile[63 - threadIdx.x] + other[63 - threadIdx.x];
}

// One of the copies has no fallback.
__device__ void once_more(float *tile, const float *in, int n) {
#pragma tma load fallback(loop)
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (n > 0)
    once_more(tile, in + 64, n - 1); // expected-error {{a copy in a function that calls itself is not available yet}}
}

__global__ void wants_one(float *out, const float *in) {
  __shared__ float tile[64], other[64];
#pragma tma load
  other[threadIdx.x] = in[threadIdx.x];
  once_more(tile, in, 3);
  out[threadIdx.x] = tile[63 - threadIdx.x] + other[63 - threadIdx.x];
}

// A loop that no pipeline can be made of; its copy lifts all the same.
__global__ void of_another_loop(float *out, const float *in, int n) {
  __shared__ float tile[64];
  int k = 0;
#pragma tma pipeline stages(2) fallback(loop) // expected-warning {{the copies of this loop are made in their own rounds: '#pragma tma pipeline' speaks of a 'for' or 'while' loop}}
  do {
#pragma tma load
    tile[threadIdx.x] = in[k * 64 + threadIdx.x];
    __syncthreads();
    out[k * 64 + threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
  } while (++k < n);
}

void run(float *out, const float *in) {
  of_another_loop<<<1, 64>>>(out, in, 4);
  unreached<false><<<1, 64>>>(out, in);
  calls_itself<<<1, 64>>>(out, in);
  wants_one<<<1, 64>>>(out, in);
}
