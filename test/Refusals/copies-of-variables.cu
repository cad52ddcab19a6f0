// RUN: %verify %s
//
// Variables that something else has a copy of, or is a part of, and lambdas that stand elsewhere.

// The lambda changes its own copy, which the analysis does not keep apart from the variable.
__global__ void changed_copy(float *out, const float *in) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  auto next = [t]() mutable {
    t ^= 1;
    return t;
  };
#pragma tma load
  tile[t] = in[blockIdx.x * 128 + t]; // expected-error {{the address of this load is not followed: it depends on 't', which may differ from the copy of it that a lambda has and changes [-Wtilelift-unknown-index]}}
  __syncthreads();
  out[blockIdx.x * 128 + t] = tile[next()];
}

struct Parts {
  float *to;
  const float *from;
  int at;
};
__global__ void part_of_a_binding(float *out, const float *in, int n) {
  __shared__ float tile[128];
  int t = threadIdx.x;
  auto [to, from, at] = Parts{out, in, 0};
  for (; at < n; at += 128) {
#pragma tma load
    tile[t] = at + t < n ? from[at + t] : 0.f; // expected-error {{the condition of this load is not followed: it depends on 'at + t', which depends on a part of '[to, from, at]', which the loop around the copy changes [-Wtilelift-unknown-index]}}
    __syncthreads();
    to[at + t] = tile[127 - t];
    __syncthreads();
  }
}

// Its parameter has the name of the kernel's argument, and is not that.
__device__ auto elsewhere = [] __device__(float *tile, const float *in) { // expected-error {{a copy in a lambda defined outside of the kernel and the functions that it calls is not available yet [-Wtilelift-not-available-yet]}}
#pragma tma load
  tile[threadIdx.x] = in[threadIdx.x]; // expected-note {{so this copy is not lifted}}
};
__global__ void called_from_there(float *out, const float *in) {
  __shared__ float tile[128];
  elsewhere(tile, in);
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

void run(float *out, const float *in) {
  changed_copy<<<2, 128>>>(out, in);
  part_of_a_binding<<<1, 128>>>(out, in, 400);
  called_from_there<<<1, 128>>>(out, in);
}
