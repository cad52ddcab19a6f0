#if __CUDA_ARCH__ == 1000 && defined(__CUDA_ARCH_FEAT_SM100_ALL)
enum : int { units = 10 };
#else
enum : int { units = 8 };
#endif

// 16 bytes a unit.
enum : int { length = 4 * units };

static __global__ void tile(float *out, const float *in) {
  __shared__ float part[length];
#pragma tma load
  for (int i = threadIdx.x; i < length; i += 32)
    part[i] = in[blockIdx.x * length + i];
  __syncthreads();
  for (int i = threadIdx.x; i < length; i += 32)
    out[blockIdx.x * length + i] = part[length - 1 - i];
}

void run(float *out, const float *in) { tile<<<1, 32>>>(out, in); }
