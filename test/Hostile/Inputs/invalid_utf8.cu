// The pragma has bytes that are no UTF-8.
__global__ void k(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load ÿþ threads(64)
  part[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = part[63 - threadIdx.x];
}
// expected-error@4 {{unknown clause '<FF>' on '#pragma tma load' [-Wtilelift-unknown-clause]}}
