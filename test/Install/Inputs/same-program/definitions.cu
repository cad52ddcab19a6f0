constexpr int base = 1024;
#ifndef FROM_CONFIG
#define FROM_CONFIG 0
#endif
#ifndef FROM_SOURCE
#define FROM_SOURCE 0
#endif
#ifndef FROM_PROPERTY
#define FROM_PROPERTY 0
#endif

enum : int {
  units = base + FROM_CONFIG + FROM_SOURCE + FROM_PROPERTY
#ifdef FROM_FLAGS
          + 1
#endif
#ifdef NDEBUG
          + 2
#endif
#ifdef FROM_SOURCE_OPTION
          + 32
#endif
#ifdef FROM_BASE
          + 128
#endif
#ifdef FROM_DIRECTORY
          + 256
#endif
#ifdef FROM_DIRECTORY_OPTION
          + 512
#endif
};

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

void run_definitions(float *out, const float *in) { tile<<<1, 32>>>(out, in); }

void say_bytes_of_reading(void (*say)(const char *, int));

void say_bytes(void (*say)(const char *, int)) {
  say("definitions", sizeof(float) * length);
  say_bytes_of_reading(say);
}
