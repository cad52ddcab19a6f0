// Launches through pointers: the pointer decides when the program runs which launcher is called.
// And launches whose blocks and arguments a caller holds.
//
// RUN: env TILELIFT_VERBOSE=1 %run --compare --remarks %s 2>&1 | %FileCheck %s
// RUN: %tilelift %s -o - 2>/dev/null | %FileCheck %s --check-prefix=TEXT
// CHECK-COUNT-22: tilelift: {{turned|sized|held}}: TMA
// CHECK-NOT: tilelift:

#include <cuda_runtime.h>

#include "Inputs/numbers.h"

namespace lib {

__global__ void turned(float *out, const float *in, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * 256 + threadIdx.x;
#pragma tma load
  tile[threadIdx.x] = i < n ? in[i] : 0.f;
  __syncthreads();
  out[i] = tile[255 - threadIdx.x];
}
// TEXT: static const tilelift::known_kernel turned_tma_known[] = {
// TEXT-NEXT: {static_cast<void (*)(float *, const float *, int)>(turned), turned_tma_launch}};

// Another one of that name.
__global__ void turned(float *out, int first) { out[threadIdx.x] = float(first); }

template <typename T, int Size> __global__ void sized(T *out, const T *in, int n) {
  __shared__ T tile[Size];
  int i = blockIdx.x * Size + threadIdx.x;
#pragma tma load
  tile[threadIdx.x] = i < n ? in[i] : T(0);
  __syncthreads();
  out[i] = tile[Size - 1 - threadIdx.x];
}
// TEXT: static const tilelift::known_kernel sized_tma_known[] = {
// TEXT-NEXT: {sized<float, 256>, sized_tma_launch<float, 256>},
// TEXT-NEXT: {sized<float, 128>, sized_tma_launch<float, 128>}};

// The radius decides how long the tile is, and the caller's caller holds it.
__global__ void held(float *out, const float *in, int radius) {
  extern __shared__ float row[];
#pragma tma load
  for (int i = threadIdx.x; i < 128 + 2 * radius; i += blockDim.x)
    row[i] = in[blockIdx.x * 128 + i];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = row[threadIdx.x] + row[threadIdx.x + 2 * radius];
}

} // namespace lib

__global__ void plain(float *out, const float *in, int n) {
  out[threadIdx.x] = in[threadIdx.x] + float(n);
}

// Passed on as a launch does it: copied or moved once.
struct Counted {
  Counted(float copies) : copies(copies) {}
  __host__ __device__ Counted(const Counted &other) : copies(other.copies + 1) {}
  __host__ __device__ Counted(Counted &&other) : copies(other.copies + 100) { other.copies = -1; }
  float copies;
};
__global__ void counting(float *out, Counted by) { out[threadIdx.x] = by.copies; }

using Kernel = void (*)(float *, const float *, int);
const Kernel table[] = {lib::turned, plain, lib::sized<float, 256>};
struct Entry {
  const char *name;
  Kernel kernel;
  int threads;
};
static const Entry entries[] = {{"turned", lib::turned, 256}, {"plain", plain, 256}};

template <typename... P, typename... A>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, A &&...arguments) {
  kernel<<<grid, block>>>(arguments...);
  // TEXT: ::tilelift::launch_pointer(kernel, {grid, block})(arguments...);
}
template <auto Function, typename... A> void launch_constant(int grid, int block, A... arguments) {
  Function<<<grid, block>>>(arguments...);
  // TEXT: ::tilelift::launch_pointer(Function, {grid, block})(arguments...);
}
template <int Size> void sized(float *out, const float *in, int n) {
  auto kernel = &lib::sized<float, Size>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50);
  kernel<<<3, Size>>>(out, in, n);
  // TEXT: ::tilelift::launch_pointer(kernel, {3, Size})(out, in, n);
}
void held(float *out, const float *in, int blocks, int threads, int radius) {
  lib::held<<<blocks, threads, (threads + 2 * radius) * sizeof(float)>>>(out, in, radius);
}
void held(float *out, const float *in, int radius) { held(out, in, 2, 64 + 64, radius); }

#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define CHECKED(...)                                                                               \
  do {                                                                                             \
    __VA_ARGS__;                                                                                   \
    cudaGetLastError();                                                                            \
  } while (0)

int next(int &counter) { return ++counter; }
bool which(int counter) { return counter == 3; }

int main() {
  float *out = numbers(768);
  const float *in = numbers(1024);
  auto stored = static_cast<Kernel>(&lib::turned);
  stored<<<3, 256>>>(out, in, 400);
  // TEXT: ::tilelift::launch_pointer(stored, {3, 256})(out, in, 400);
  (*stored)<<<3, 256>>>(numbers(768), in, 500);
  // TEXT: ::tilelift::launch_pointer((*stored), {3, 256})(numbers(768), in, 500);
  for (int which = 0; which < 3; ++which)
    table[which]<<<3, 256>>>(numbers(768), in, 400);
  // TEXT: ::tilelift::launch_pointer(table[which], {3, 256})(numbers(768), in, 400);
  for (const Entry &entry : entries)
    entry.kernel<<<3, entry.threads>>>(numbers(768), in, 400);
  // TEXT: ::tilelift::launch_pointer(entry.kernel, {3, entry.threads})(numbers(768), in, 400);
  launch(static_cast<Kernel>(lib::turned), 3, 256, numbers(768), in, 700);
  launch(lib::sized<float, 128>, 3, 128, numbers(384), in, 300);
  launch(plain, 1, 128, numbers(128), in, 300);
  Counted counted(5);
  launch(counting, 1, 64, numbers(64), counted);
  launch_constant<counting>(1, 64, numbers(64), counted);
  launch_constant<lib::sized<float, 128>>(3, 128, numbers(384), in, 300);
  launch_constant<plain>(1, 128, numbers(128), in, 300);
  sized<128>(numbers(768), in, 300);
  sized<256>(numbers(768), in, 700);
  held(numbers(256), in, 4);
  held(numbers(256), in, 4);

  auto run = [&](auto kernel, int threads) { kernel<<<3, threads>>>(numbers(768), in, 768); };
  run(lib::sized<float, 128>, 128);
  run(stored, 256);
  LAUNCH(stored, 3, 256, numbers(768), in, 500);
  // TEXT: ::tilelift::launch_pointer(stored, {3, 256})(numbers(768), in, 500);
  CHECKED(table[0]<<<3, 256>>>(numbers(768), in, 400));
  // TEXT: CHECKED(::tilelift::launch_pointer(table[0], {3, 256})(numbers(768), in, 400));
  // What stands in <<<...>>> is evaluated before the arguments.
  int counter = 1;
  stored<<<next(counter) + 1, 256>>>(numbers(768), in, 300 * next(counter));
  // TEXT: [&](const ::tilelift::launch_config &tma_config) {
  // TEXT-SAME: return ::tilelift::launch_pointer(stored, tma_config)(numbers(768), in, 300 * next(counter)); }({next(counter) + 1, 256});
  (which(counter) ? stored : plain)<<<3, 256>>>(numbers(768), in, 400);
  // TEXT: ::tilelift::launch_pointer((which(counter) ? stored : plain), {3, 256})(numbers(768), in, 400);

  // The pointer is evaluated before the arguments.
  int index = 0;
  table[index++]<<<3, 256>>>(numbers(768), in, 100 * index + 200);
  // TEXT: ::tilelift::launch_pointer(table[index++], {3, 256})(numbers(768), in, 100 * index + 200);

  float *other = numbers(768);
  int n = 600;
  void *arguments[] = {&other, &in, &n};
  cudaLaunchKernel(stored, dim3(3), dim3(256), arguments, 0, 0);
  // TEXT: tilelift::launch_pointer_with(stored, {dim3(3), dim3(256), 0, 0}, arguments);
  cudaLaunchConfig_t config = {};
  config.gridDim = 3;
  config.blockDim = 256;
  const void *erased = (const void *)table[0];
  cudaLaunchKernelExC(&config, erased, arguments);
  // TEXT: tilelift::launch_pointer_with(erased, {&config}, arguments);
  cudaLaunchKernelEx(&config, table[2], numbers(768), in, 300);
  // TEXT: ::tilelift::launch_pointer(table[2], {&config})(numbers(768), in, 300);
  return finish();
}
