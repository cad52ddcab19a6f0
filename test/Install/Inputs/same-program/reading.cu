#include <above.h>
#include <algorithm>

enum : int {
  units = FROM_ABOVE
#if __has_include(<system.h>)
          + 2
#endif
#if __cplusplus >= 202002
          + 4
#endif
#ifdef _OPENMP
          + 8
#endif
#ifdef FROM_HOST
          + 16
#endif
#ifdef __CUDACC_RDC__
          + 32
#endif
#if defined(__CUDACC_EXTENDED_LAMBDA__) && defined(__CUDACC_RELAXED_CONSTEXPR__)
          + 64
#endif
#ifdef FROM_FORCED
          + 128
#endif
#ifdef __OPTIMIZE__
          + 256
#endif
#ifdef TEXT
          + (sizeof(TEXT) == sizeof("two words") ? 512 : 0)
#endif
#ifdef FROM_FILE
          + 1024
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

template <class F> __global__ void apply(F f, int *out) { *out = f(std::max(1, 2)); }

void run_reading(float *out, const float *in, int *number) {
  tile<<<1, 32>>>(out, in);
  apply<<<1, 1>>>([] __device__(int x) { return x + 1; }, number);
}

void say_bytes_of_reading(void (*say)(const char *, int)) {
  say("reading", sizeof(float) * length);
}
