// RUN: %verify %s
//
// The kernel has to be able to name what a coordinate is made of.

__global__ void forgotten(float *out, const float *in, int *rows, int w) {
  __shared__ float part[64];
  int row = rows[blockIdx.x];
  int start = row * 64 + threadIdx.x;
  row = 0;
  __syncthreads();
  rows[blockIdx.x] = 0;
#pragma tma load threads(64)
  part[threadIdx.x] = threadIdx.x < w ? in[start] : 0.f; // expected-error {{the copy needs the value of 'rows[blockIdx.x]', which has no name at this place [-Wtilelift-expression-not-available]}}
  out[threadIdx.x] = part[threadIdx.x] + row;
}

// The thread that writes is the one that looks; another one might look too early.
__global__ void known_to_one(float *out, const float *in, int *rows) {
  __shared__ float part[64];
  if (threadIdx.x == 5)
    rows[blockIdx.x] = 64;
#pragma tma load threads(64)
  if (threadIdx.x == 5) // expected-error {{the copy needs the value of 'rows[blockIdx.x]', which the kernel may change before the copy looks it up}}
    for (int i = 0; i < 64; ++i)
      part[i] = in[rows[blockIdx.x] + i];
  __syncthreads();
  out[threadIdx.x] = part[threadIdx.x];
}

void run(float *out, const float *in, int *rows) { forgotten<<<8, 64>>>(out, in, rows, 1), known_to_one<<<8, 64>>>(out, in, rows); }
