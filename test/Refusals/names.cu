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

// Of rows with gaps between them each needs an address of its own.
__global__ void moved(float *out, const float *in, int pitch) {
  __shared__ float part[4][160];
  in += (blockIdx.y * 4 + threadIdx.y) * pitch + threadIdx.x;
#pragma tma load
  for (int i = 0; i < 8; i++) // expected-error {{the copy needs the value of 'in, as it was passed', which has no name at this place [-Wtilelift-expression-not-available]}}
    part[threadIdx.y][threadIdx.x + i * 16 + 16] = in[i * 16];
  part[threadIdx.y][threadIdx.x] = part[threadIdx.y][threadIdx.x + 144] = 0;
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = part[threadIdx.y][threadIdx.x + 13];
}

void launch(float *out, const float *in) { moved<<<2, dim3(16, 4)>>>(out, in, 256); }
void run(float *out, const float *in, int *rows) { forgotten<<<8, 64>>>(out, in, rows, 1), known_to_one<<<8, 64>>>(out, in, rows); }
