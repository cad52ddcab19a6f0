#if __CUDA_ARCH__ >= 1000
constexpr int N = 128;
#else
constexpr int N = 64;
#endif

__global__ void by_arch(float *out, const float *in) {
  __shared__ float part[N];
#pragma tma load threads(64)
  for (int i = threadIdx.x; i < N; i += blockDim.x)
    part[i] = in[blockIdx.x * N + i];
  __syncthreads();
  out[blockIdx.x * N + threadIdx.x] = part[63 - threadIdx.x];
}
