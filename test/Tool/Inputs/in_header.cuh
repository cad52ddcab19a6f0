// A kernel of a header, which the lift changes.

__global__ void in_header(float *out, const float *in) {
  __shared__ float tile[64];
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
