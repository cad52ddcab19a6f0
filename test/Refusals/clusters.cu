// RUN: %verify %s
//
// Tiles that blocks of a cluster do not have in common, or do not fill alike.

// What they read.
__global__ void other_place(float *out, const float *in) {
  __shared__ float tile[256];
#pragma tma load multicast(x) threads(256)
  tile[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: what it is filled with depends on 'blockIdx.x', which may be another number in blocks that differ in blockIdx.x [-Wtilelift-no-multicast]}}
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

// By way of variables, too; of other axes, nobody asks.
__global__ void by_variable(float *out, const float *in, int n) {
  __shared__ float tile[256];
  int row = blockIdx.y + gridDim.y * blockIdx.z, start = row;
  for (int r = 0; r < n; ++r) {
#pragma tma load multicast(x, z) threads(256)
    tile[threadIdx.x] = in[start * 256 + threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: what it is filled with depends on 'blockIdx.z', which may be another number in blocks that differ in blockIdx.x or blockIdx.z [-Wtilelift-no-multicast]}}
    __syncthreads();
    out[threadIdx.x] += tile[255 - threadIdx.x];
    __syncthreads();
    start += row;
  }
}

// What memory says may be something else later, where the kernel may write there.
__global__ void looked_up(float *out, const float *in, const int *starts, const int *__restrict__ fixed, int *seen) {
  __shared__ float tile[256], other[256];
#pragma tma load multicast(x) threads(256)
  tile[threadIdx.x] = in[starts[blockIdx.y] * 4 + threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: what it is filled with depends on 'starts[blockIdx.y]', which may be another number in blocks that differ in blockIdx.x [-Wtilelift-no-multicast]}}
#pragma tma load multicast(x) threads(256)
  other[threadIdx.x] = in[fixed[blockIdx.y] * 4 + threadIdx.x];
  out[threadIdx.x] = tile[255 - threadIdx.x] + other[threadIdx.x];
  seen[blockIdx.y] = 1;
}

// Whether they come to it.
__global__ void some_blocks(float *out, const float *in) {
  __shared__ float tile[256];
  if (blockIdx.x < 3) { // expected-note {{this may be another answer in each of them}}
#pragma tma load multicast(x) threads(256)
    tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: blocks that differ in blockIdx.x may not come to it alike [-Wtilelift-no-multicast]}}
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
  }
}

__global__ void some_leave(float *out, const float *in, int n) {
  __shared__ float tile[256];
  if (blockIdx.x * 256 >= n)
    return; // expected-note {{some of them may leave it here}}
#pragma tma load multicast(x) threads(256)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: blocks that differ in blockIdx.x may not come to it alike [-Wtilelift-no-multicast]}}
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

// And how often.
__global__ void persistent(float *out, const float *in, int n) {
  __shared__ float tile[256];
  for (int i = blockIdx.x; i < n; i += gridDim.x) { // expected-note {{this may be another answer in each of them}}
#pragma tma load multicast(x) threads(256)
    tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: blocks that differ in blockIdx.x may not come to it alike [-Wtilelift-no-multicast]}}
    __syncthreads();
    out[i * 256 + threadIdx.x] = tile[255 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void shared_flag(float *out, const float *in, int *next) {
  __shared__ float tile[256];
  __shared__ int job;
  while (true) {
    if (threadIdx.x == 0)
      job = atomicAdd(next, 1);
    __syncthreads();
    if (job >= 100)
      break; // expected-note {{some of them may leave it here}}
#pragma tma load multicast(x) threads(256)
    tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: blocks that differ in blockIdx.x may not come to it alike [-Wtilelift-no-multicast]}}
    __syncthreads();
    out[job * 256 + threadIdx.x] = tile[255 - threadIdx.x];
    __syncthreads();
  }
}

// Tests that not all of them may answer alike.
__global__ void guarded(float *out, const float *in, int n) {
  __shared__ float tile[256], other[256];
#pragma tma load multicast(x) threads(256)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: each block tests by itself whether TMA makes a copy [-Wtilelift-no-multicast]}}
#pragma tma load threads(256)
  other[threadIdx.x] = blockIdx.x * 256 < n ? in[blockIdx.x * 256 + threadIdx.x] : 0; // expected-note {{'other': n - blockIdx.x * 256 - 1 >= 0}}
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x] + other[threadIdx.x];
}

__global__ void rows(float *out, const float *in, const int *__restrict__ indices) {
  __shared__ float tile[32][32];
#pragma tma load multicast(x) threads(1024)
  tile[threadIdx.x / 32][threadIdx.x % 32] = in[indices[threadIdx.x / 32] * 32 + threadIdx.x % 32]; // expected-error {{'tile' cannot come to several blocks at once: its rows are looked up one by one [-Wtilelift-no-multicast]}}
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 32][threadIdx.x / 32];
}

__device__ void fill(float (&tile)[256], const float *in) {
#pragma tma load multicast(x) threads(256)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: a function that the kernel calls fills it [-Wtilelift-no-multicast]}}
}
__global__ void called(float *out, const float *in) {
  __shared__ float tile[256];
  fill(tile, in);
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

// Clusters of one shape, and not too large.
__global__ void shapes(float *out, const float *in) {
  __shared__ float tile[256], other[256];
#pragma tma load multicast(x, 2) threads(256)
  tile[threadIdx.x] = in[threadIdx.x];
#pragma tma load multicast(x, 4) threads(256) // expected-error {{'multicast' asks for 4 blocks along x here, and for 2 before: a kernel has clusters of one shape [-Wtilelift-cluster-differs]}}
  other[threadIdx.x] = in[256 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x] + other[threadIdx.x];
}

__global__ void large(float *out, const float *in) {
  __shared__ float tile[256];
#pragma tma load multicast(x, 4, y, 4) threads(256)
  tile[threadIdx.x] = in[threadIdx.x]; // expected-error {{'multicast' asks for clusters of 16 blocks, and may for 8 [-Wtilelift-cluster-too-large]}}
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

// Tensors that each block finds by itself.
__global__ void tables(float *out, const float *const *__restrict__ tensors) {
  __shared__ float tile[256];
#pragma tma load multicast(x) threads(256)
  tile[threadIdx.x] = tensors[blockIdx.x][threadIdx.x]; // expected-error {{'tile' cannot come to several blocks at once: only the kernel knows where 'tensors[blockIdx.x]' leads [-Wtilelift-no-multicast]}}
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}
