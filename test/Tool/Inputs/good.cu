__global__ void good(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load
  part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x];
}

#ifdef BROKEN
broken x;
#endif

void run(float *out, const float *in) { good<<<8, 64>>>(out, in); }
