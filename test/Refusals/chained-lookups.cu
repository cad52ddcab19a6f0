// RUN: %verify %s
//
// Numbers and pointers that are found by a number which only some threads look up, and which the kernel writes: a copy
// that looked them up anew would read that number in other threads and at another time.
// A barrier between the write and the copy, or a variable with the number, is no such case: test/Sound/chained_lookups.cu.

struct Job {
  const float *data;
  int start;
};

__global__ void number(float *out, const float *__restrict__ in, int *idx, const int *__restrict__ starts) {
  __shared__ float tile[64];
  int b = blockIdx.x, t = threadIdx.x;
#pragma tma load threads(64)
  if (t >= 32) // expected-error {{the copy needs the value of 'starts[idx[blockIdx.x]]', which hangs on 'idx[blockIdx.x]', which the kernel may change before the copy looks it up [-Wtilelift-expression-not-available]}}
    tile[t - 32] = in[starts[idx[b]] + t - 32];
  __syncwarp();
  if (t == 32)
    idx[b] = 1;
  __syncthreads();
  if (t < 32)
    out[b * 32 + t] = tile[t];
}

__global__ void written_before(float *out, const float *__restrict__ in, int *idx, const int *__restrict__ starts) {
  __shared__ float tile[64];
  int b = blockIdx.x, t = threadIdx.x;
  if (t == 32)
    idx[b] = 1;
  __syncwarp();
#pragma tma load threads(64)
  if (t >= 32) // expected-error {{the copy needs the value of 'starts[idx[blockIdx.x]]', which hangs on 'idx[blockIdx.x]', which the kernel may change before the copy looks it up [-Wtilelift-expression-not-available]}}
    tile[t - 32] = in[starts[idx[b]] + t - 32];
  __syncthreads();
  if (t < 32)
    out[b * 32 + t] = tile[t];
}

__global__ void two_steps(float *out, const float *__restrict__ in, int *idx, const int *__restrict__ order, const int *__restrict__ starts) {
  __shared__ float tile[64];
  int b = blockIdx.x, t = threadIdx.x;
#pragma tma load threads(64)
  if (t >= 32) // expected-error {{the copy needs the value of 'starts[order[idx[blockIdx.x]]]', which hangs on}}
    tile[t - 32] = in[starts[order[idx[b]]] + t - 32];
  __syncwarp();
  if (t == 32)
    idx[b] = 1;
  __syncthreads();
  if (t < 32)
    out[b * 32 + t] = tile[t];
}

__global__ void member(float *out, const float *__restrict__ in, int *idx, const Job *__restrict__ jobs) {
  __shared__ float tile[64];
  int b = blockIdx.x, t = threadIdx.x;
#pragma tma load threads(64)
  if (t >= 32) // expected-error {{the copy needs the value of 'jobs[idx[blockIdx.x]].start', which hangs on 'idx[blockIdx.x]', which the kernel may change before the copy looks it up [-Wtilelift-expression-not-available]}}
    tile[t - 32] = in[jobs[idx[b]].start + t - 32];
  __syncwarp();
  if (t == 32)
    idx[b] = 1;
  __syncthreads();
  if (t < 32)
    out[b * 32 + t] = tile[t];
}

__global__ void pointer(float *out, int *idx, const Job *__restrict__ jobs) {
  __shared__ float tile[64];
  int b = blockIdx.x, t = threadIdx.x;
#pragma tma load threads(64)
  if (t >= 32)
    tile[t - 32] = jobs[idx[b]].data[t - 32]; // expected-error {{'jobs[idx[blockIdx.x]].data' is no argument of the kernel}}
  __syncwarp();
  if (t == 32)
    idx[b] = 1;
  __syncthreads();
  if (t < 32)
    out[b * 32 + t] = tile[t];
}

__global__ void pointer_then_number(float *out, const float *__restrict__ in, int *idx, const int *const *__restrict__ tables) {
  __shared__ float tile[64];
  int b = blockIdx.x, t = threadIdx.x;
#pragma tma load threads(64)
  if (t >= 32) // expected-error {{the copy needs the value of 'tables[idx[blockIdx.x]][3]', which the kernel may change before the copy looks it up}}
    tile[t - 32] = in[tables[idx[b]][3] + t - 32];
  __syncwarp();
  if (t == 32)
    idx[b] = 1;
  __syncthreads();
  if (t < 32)
    out[b * 32 + t] = tile[t];
}
