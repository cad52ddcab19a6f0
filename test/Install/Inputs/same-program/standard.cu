#ifdef __STRICT_ANSI__
enum : int { units = __cplusplus / 100 - 2000 + 100 };
#else
enum : int { units = __cplusplus / 100 - 2000 };
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

void say_bytes(void (*say)(const char *, int)) { say("standard", sizeof(float) * length); }
