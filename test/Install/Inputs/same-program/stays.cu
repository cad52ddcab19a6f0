__global__ void stays(float *out, const float *in) {
  __shared__ float part[64];
#ifdef MAY_NOT_STAY
#pragma tma load threads(64)
#else
#pragma tma load threads(64) fallback(loop)
#endif
  part[threadIdx.x] = in[threadIdx.x] * 2;
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}
