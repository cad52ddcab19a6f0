// The last line, a pragma, has no newline.
__global__ void k(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load threads(64)
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = part[63 - threadIdx.x];
}
void run(float *out, const float *in) { k<<<1, 64>>>(out, in); }
// expected-remark@5 {{lifted: 1-D bulk copy of 256 bytes from 'in' to 'part', contiguous and unguarded [-Wtilelift-lifted]}} expected-note@5 {{at launch: the tensor starts on a multiple of 16 bytes}}
// expected-remark@6 {{this __syncthreads() orders nothing any more and is dropped [-Wtilelift-barrier-dropped]}}
// expected-error@13 {{'#pragma tma load' is not followed by a statement of a kernel [-Wtilelift-misplaced-pragma]}}
#pragma tma load