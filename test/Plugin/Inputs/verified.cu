__global__ void good(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load
  // expected-remark@+2 {{lifted: 1-D bulk copy of 256 bytes from 'in' to 'part'}}
  // expected-note@+1 0+ {{at launch}}
  part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads(); // expected-remark {{orders nothing any more}}
  out[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x];
}

void run(float *out, const float *in) { good<<<8, 64>>>(out, in); }

// What the compiler says of lines behind the rewritten ones.
// expected-warning@+1 {{behind the kernel}}
#warning behind the kernel
