// RUN: %verify %s
//
// Copies in functions that cannot be written anew, or not for all of their calls.

__device__ void unused(float *tile, const float *in) {
#pragma tma load // expected-error {{no call in a kernel that this file instantiates leads to 'unused', so the copy cannot be checked; what destructors, initialisers and pointers call is not followed [-Wtilelift-never-called]}}
  tile[threadIdx.x] = in[threadIdx.x];
}

__device__ void again(float *tile, const float *in, int n) {
#pragma tma load threads(64)
  tile[threadIdx.x] = in[threadIdx.x];
  if (n > 0)
    again(tile, in + 64, n - 1); // expected-error {{a copy in a function that calls itself is not available yet}}
}

__global__ void calls_itself(float *out, const float *in) {
  __shared__ float tile[64];
  again(tile, in, 3);
  out[threadIdx.x] = tile[threadIdx.x];
}

// Whether the index moves depends on the data.
__global__ void moved_by_data(float *out, const float *in) {
  __shared__ float tile[64];
#pragma tma load threads(64)
  {
    int i = 4;
    in[0] > 0 ? i += 4 : 0;
    tile[threadIdx.x] = in[threadIdx.x + i]; // expected-error {{the address of this load is not followed: it depends on too many conditions [-Wtilelift-unknown-index]}}
  }
  out[threadIdx.x] = tile[threadIdx.x];
}

struct Made {
  float first;
  __device__ Made(float *tile, const float *in) {
#pragma tma load threads(64)
    tile[threadIdx.x] = in[threadIdx.x];
    first = in[0];
  }
};

__global__ void constructs(float *out, const float *in) {
  __shared__ float tile[64];
  Made made(tile, in); // expected-error {{a copy in a constructor is not available yet}}
  out[threadIdx.x] = tile[63 - threadIdx.x] + made.first;
}

struct Loader {
  float *tile;
  __device__ void operator<<(const float *in) const {
#pragma tma load threads(64)
    tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
  }
};

__global__ void by_operator(float *out, const float *in) {
  __shared__ float tile[64];
  Loader{tile} << in; // expected-error {{a copy in an operator other than () is not available yet}}
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__device__ void plain(float *tile, const float *in) {
#pragma tma load threads(64)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
}

#define LOAD(tile, in) plain(tile, in)

__global__ void by_macro(float *out, const float *in) {
  __shared__ float tile[64];
  LOAD(tile, in); // expected-error {{a copy in a function that a macro calls is not available yet}}
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__device__ void divergent(float *tile, const float *in) {
#pragma tma load threads(64)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{some threads of the block may not reach this copy: thread 32 does not, and thread 0 does}}
}

__global__ void by_some(float *out, const float *in) {
  __shared__ float tile[64];
  if (threadIdx.x < 32) // expected-note {{thread 32 does not go on from here}}
    divergent(tile, in);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void two_ways(float *out, const float *a, const float *b) {
  __shared__ float tile[64];
  auto load = [&](const float *in) {
#pragma tma load threads(64)
    tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{the lambda that makes this copy is called in ways that need different text: 1-D bulk copy of 256 bytes from 'b' to 'tile', contiguous and unguarded in one call, 1-D bulk copy of 256 bytes from 'a' to 'tile', contiguous and unguarded in another [-Wtilelift-calls-differ]}}
  };
  load(a);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
  __syncthreads();
  load(b);
  __syncthreads();
  out[threadIdx.x] += tile[63 - threadIdx.x];
}

// Half of what it keeps is what the sibling keeps.
__device__ float kept(const float *in, int n, bool lifted) { // expected-error {{a copy in a function that has shared memory of its own and is called in ways that differ is not available yet}}
  __shared__ float row[64];
  if (lifted) { // expected-note {{thread 32 does not go on from here}}
#pragma tma load threads(64)
    row[threadIdx.x] = in[threadIdx.x]; // expected-error {{some threads of the block may not reach this copy: thread 32 does not, and thread 0 does}} expected-note {{so this copy is not lifted}}
  } else if (threadIdx.x < n) {
    row[threadIdx.x] = 0;
  }
  __syncthreads();
  return row[63 - threadIdx.x];
}

__global__ void keeps(float *out, const float *in, int n) {
  float sum = kept(in, n, true);
  if (threadIdx.x < 64)
    sum += kept(in, n, threadIdx.x < 32);
  out[threadIdx.x] = sum;
}

// What the lambda captures has no name for the launcher.
template <typename Function> __global__ void generated(float *out, Function from) {
  __shared__ float tile[64];
#pragma tma load
  tile[threadIdx.x] = from(threadIdx.x); // expected-note {{in the instantiation}}
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void run(float *out, const float *in) {
  calls_itself<<<1, 64>>>(out, in);
  generated<<<1, 64>>>(out, [=] __device__(int i) { return in[i]; }); // expected-error {{the address of this load is not followed: it is captured in 'run' by a lambda that the kernel gets as an argument}}
}
