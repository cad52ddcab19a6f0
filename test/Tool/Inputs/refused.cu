__global__ void refused(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load
  part[threadIdx.x] = in[threadIdx.x] + 1;
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}
void run(float *out, const float *in) { refused<<<8, 64>>>(out, in); }
