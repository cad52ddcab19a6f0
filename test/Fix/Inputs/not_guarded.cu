// What no guard mends.
#include <cuda_runtime.h>

#define STORE tile[threadIdx.x] = in[threadIdx.x]

// Of rows that are filled as one, no subscript is bounded by its extent.
__global__ void flat(float *out, const float *in) {
  __shared__ float tile[4][24];
#pragma tma load
  tile[0][threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[0][0];
}

__global__ void refused(float *out, const float *in, bool far) {
  __shared__ float tile[100];
  int n = 0;
#pragma tma load
  tile[threadIdx.x + n++] = in[threadIdx.x];
#pragma tma load
  tile[threadIdx.x] = 2 * in[threadIdx.x];
#pragma tma load
  tile[(int)threadIdx.x - 1] = in[threadIdx.x];
#pragma tma load
  for (int i = threadIdx.x; i < 128; tile[i] = in[i], i += 128)
    ;
#pragma tma load
  STORE;
  out[threadIdx.x] = tile[0];
}

// The 'else' would be the guard's.
__global__ void dangling(float *out, const float *in, int far) {
  __shared__ float tile[100];
  if (far > 0)
#pragma tma load
    tile[threadIdx.x] = in[threadIdx.x];
  else
    tile[0] = 1;
  out[threadIdx.x] = tile[0];
}

void launch(float *out, const float *in) {
  flat<<<1, 128>>>(out, in);
  refused<<<1, 128>>>(out, in, true);
  dangling<<<1, 128>>>(out, in, true);
}
