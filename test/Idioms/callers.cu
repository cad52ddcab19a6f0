// The ways in which a kernel is launched.
//
// RUN: env TILELIFT_VERBOSE=1 %run --compare --remarks %s 2>&1 | %FileCheck %s
// RUN: %tilelift %s -o - 2>/dev/null | %FileCheck %s --check-prefix=TEXT
// CHECK: callers.cu:[[#]]:3: remark: this macro launches 'turned': what it is expanded to is written in its place, with the launcher [-Wtilelift-macro-written-out]
// CHECK-COUNT-17: tilelift: {{turned|sized|by_members}}: TMA
// CHECK-NOT: tilelift:

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

namespace lib {

template <typename T> __global__ void turned(T *out, const T *in, int n = 700) {
  __shared__ T tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
#pragma tma load
  tile[threadIdx.x] = i < n ? in[i] : T(0);
  __syncthreads();
  out[i] = tile[255 - threadIdx.x];
}

template <typename T, int Size> __global__ void sized(T *out, const T *in) {
  __shared__ T tile[Size];
#pragma tma load
  tile[threadIdx.x] = in[blockIdx.x * Size + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * Size + threadIdx.x] = tile[Size - 1 - threadIdx.x];
}

__global__ void by_members(float *out, const float *in) {
  __shared__ float tile[64];
#pragma tma load
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

// Another one of that name.
__global__ void turned(float *out, const float *in, int first, int n = 700) {
  __shared__ float tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
#pragma tma load
  tile[threadIdx.x] = i < n ? in[first + i] : 0.f;
  __syncthreads();
  out[i] = tile[255 - threadIdx.x];
}
// TEXT: static_cast<void (*)(float *, const float *, int, int)>(turned)

} // namespace lib

template <typename F> void timed(F f) { f(); }

template <typename T> void generic(T *out, const T *in) {
  lib::turned<<<3, 256>>>(out, in);
  int n = 400;
  void *arguments[] = {&out, &in, &n};
  cudaLaunchKernel(lib::turned<T>, 3, 256, arguments);
}
// TEXT: tilelift::launch_with(lib::turned_tma_launch<T>, {3, 256}, arguments);

#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define TURN(out, in)                                                                              \
  do {                                                                                             \
    lib::turned<<<3, 256>>>(out, in, 500);                                                         \
    LAUNCH(lib::turned, 2, 256, out, in, 256, 300);                                                \
  } while (0)
#define ONE(call) (void)(call)
#define CHECKED(...)                                                                               \
  do {                                                                                             \
    __VA_ARGS__;                                                                                   \
    cudaGetLastError();                                                                            \
  } while (0)

int main() {
  cudaLaunchConfig_t config = {};
  config.gridDim = 3;
  config.blockDim = 256;
  float *out = numbers(768), *in = numbers(1536);
  timed([&] { lib::turned<<<3, 256>>>(out, in, 600); });
  lib::turned<float><<<3, 256>>>(numbers(768), numbers(768));
  lib::turned<<<3, 256>>>(numbers(768), numbers(1536), 256, 700);
  generic(numbers(768), numbers(768));
  LAUNCH(lib::turned, 3, 256, numbers(768), numbers(1536), 500);
  TURN(numbers(768), numbers(1536));
  CHECKED(lib::turned<float><<<3, 256>>>(numbers(768), numbers(768), 500));
  ONE(cudaLaunchKernelEx(&config, lib::sized<float, 256>, out, (const float *)in));
  CHECKED(timed([&] {
    lib::turned<float><<<3, 256>>>(numbers(768), numbers(768), 500);
    lib::turned<float><<<3, 256>>>(numbers(768), numbers(768), 600);
  }));
  // TEXT: timed([&] { lib::turned_tma_launch_1({3, 256}, out, in, 600); });
  // TEXT: lib::turned_tma_launch<float>({3, 256}, numbers(768), numbers(768));
  // TEXT: lib::turned_tma_launch_1({3, 256}, numbers(768), numbers(1536), 256, 700);
  // TEXT: lib::turned_tma_launch_1({3, 256}, numbers(768), numbers(1536), 500);
  // TEXT: do {
  // TEXT-NEXT: lib::turned_tma_launch_1({3, 256}, numbers(768), numbers(1536), 500);
  // TEXT-NEXT: lib::turned_tma_launch_1({2, 256}, numbers(768), numbers(1536), 256, 300);
  // TEXT-NEXT: } while (0);
  // TEXT: CHECKED(lib::turned_tma_launch<float>({3, 256}, numbers(768), numbers(768), 500));
  // TEXT: ONE((lib::sized_tma_launch<float, 256>({&config}, out, (const float *)in)));
  int n = 600;
  void *arguments[] = {&out, &in, &n};
  cudaLaunchKernel((const void *)lib::turned<float>, dim3(3), dim3(256), arguments, 0, 0);
  cudaLaunchKernelExC(&config, (const void *)&lib::turned<float>, arguments);
  cudaLaunchKernelEx(&config, lib::turned<float>, out, (const float *)in, 300);
  // TEXT: tilelift::launch_with(lib::turned_tma_launch<float>, {dim3(3), dim3(256), 0, 0}, arguments);
  // TEXT: tilelift::launch_with(lib::turned_tma_launch<float>, {&config}, arguments);
  // TEXT: lib::turned_tma_launch<float>({&config}, out, (const float *)in, 300);
  dim3 threads;
  threads.x = 64;
  lib::by_members<<<2, threads>>>(numbers(128), numbers(128));
  auto stored = &lib::turned<float>;
  stored<<<3, 256>>>(numbers(768), numbers(768), 400);
  return finish();
}
