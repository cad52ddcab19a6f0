__global__ void needs_flag(float *out, const float *in) {
  __shared__ float part[LENGTH];
#pragma tma load threads(LENGTH)
  part[threadIdx.x] = in[blockIdx.x * LENGTH + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * LENGTH + threadIdx.x] = part[LENGTH - 1 - threadIdx.x];
}
