// Shared memory lies where ptxas puts it. A kernel of each kind is made with its first
// variable, with the first two, and so on: the cubin says how much static memory each of
// these kernels has, and so where its last variable ends.
//
// RUN: %run --plain %s > %t.places
// RUN: %clang --cuda-device-only --cuda-gpu-arch=sm_90a -O1 -S %s -o %t.ptx
// RUN: %cuda/bin/ptxas -arch=sm_90a %t.ptx -o %t.cubin
// RUN: %python-binary %S/Inputs/shared_layout.py %t.places %t.cubin | %FileCheck %s
//
// Where a file has dynamic memory, static memory is counted in 16 bytes.
//
// RUN: %run --plain -DDYNAMIC %s > %t.dynamic.places
// RUN: %clang -DDYNAMIC --cuda-device-only --cuda-gpu-arch=sm_90a -O1 -S %s -o %t.dynamic.ptx
// RUN: %cuda/bin/ptxas -arch=sm_90a %t.dynamic.ptx -o %t.dynamic.cubin
// RUN: %python-binary %S/Inputs/shared_layout.py %t.dynamic.places %t.dynamic.cubin 16 > %t.log
// RUN: %FileCheck %s --check-prefix=DYNAMIC < %t.log

#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

struct Place {
  unsigned offset, bytes;
};

template <typename Array> __device__ void note(Place *places, int index, Array &array) {
  volatile char *first = reinterpret_cast<volatile char *>(&array);
  *first = 1;
  places[index] = {unsigned(__cvta_generic_to_shared(&array)), unsigned(sizeof(array))};
}

#define VARIABLE(index, ...)                                                                       \
  if constexpr (n > index) {                                                                       \
    __shared__ __VA_ARGS__;                                                                        \
    note(places, index, v);                                                                        \
  }
#define USE(index, variable)                                                                       \
  if constexpr (n > index)                                                                         \
    note(places, index, variable);
#define CALL(index, function)                                                                      \
  if constexpr (n > index)                                                                         \
    function(places, index);

#define KERNEL(name, count, ...)                                                                   \
  __global__ void name##_##count(Place *places) {                                                  \
    constexpr int n = count;                                                                       \
    __VA_ARGS__                                                                                    \
  }
#define KERNELS(name, ...)                                                                         \
  KERNEL(name, 1, __VA_ARGS__)                                                                     \
  KERNEL(name, 2, __VA_ARGS__)                                                                     \
  KERNEL(name, 3, __VA_ARGS__)                                                                     \
  KERNEL(name, 4, __VA_ARGS__)                                                                     \
  KERNEL(name, 5, __VA_ARGS__)

struct Three {
  int a, b, c;
};
struct alignas(16) Wide {
  int a[5];
};

// CHECK: growing: 5 kernels agree
// DYNAMIC: growing: 5 kernels agree
KERNELS(growing, VARIABLE(0, char v[3]) VARIABLE(1, short v[5]) VARIABLE(2, int v[3])
                     VARIABLE(3, double v[3]) VARIABLE(4, float4 v[2]))

// CHECK: shrinking: 5 kernels agree
// DYNAMIC: shrinking: 5 kernels agree
KERNELS(shrinking, VARIABLE(0, float4 v[1]) VARIABLE(1, double v[1]) VARIABLE(2, int v[1])
                       VARIABLE(3, short v[1]) VARIABLE(4, char v[1]))

// CHECK: sixteen: 5 kernels agree
// DYNAMIC: sixteen: 5 kernels agree
KERNELS(sixteen, VARIABLE(0, char v[16]) VARIABLE(1, int v[4]) VARIABLE(2, double v[2])
                     VARIABLE(3, short v[8]) VARIABLE(4, float4 v[1]))

// CHECK: sixteen_apart: 5 kernels agree
// DYNAMIC: sixteen_apart: 5 kernels agree
KERNELS(sixteen_apart, VARIABLE(0, char v[1]) VARIABLE(1, char v[16]) VARIABLE(2, short v)
                           VARIABLE(3, int v[4]) VARIABLE(4, uint64_t v[2]))

// CHECK: tiles: 5 kernels agree
// DYNAMIC: tiles: 5 kernels agree
KERNELS(tiles,
        VARIABLE(0, uint64_t v) VARIABLE(1, alignas(128) float v[3][5]) VARIABLE(2, uint64_t v)
            VARIABLE(3, alignas(1024) float v[7]) VARIABLE(4, alignas(16) char v[100]))

// CHECK: bytes: 5 kernels agree
// DYNAMIC: bytes: 5 kernels agree
KERNELS(bytes, VARIABLE(0, char v[1]) VARIABLE(1, alignas(8) char v[9]) VARIABLE(2, char v[7])
                   VARIABLE(3, bool v) VARIABLE(4, alignas(32) char v[5]))

// CHECK: objects: 5 kernels agree
// DYNAMIC: objects: 5 kernels agree
KERNELS(objects, VARIABLE(0, Three v[3]) VARIABLE(1, Wide v[2]) VARIABLE(2, Three v)
                     VARIABLE(3, double2 v) VARIABLE(4, float3 v[3]))

// Variables of the module come first, wherever they are used; so indices count from there.
__shared__ char moduleBytes[5];
__shared__ alignas(16) float moduleTile[6];
__shared__ short moduleShorts[3];

// CHECK: of_the_module: 5 kernels agree
// DYNAMIC: of_the_module: 5 kernels agree
KERNELS(of_the_module, VARIABLE(3, int v[3]) USE(2, moduleShorts) USE(1, moduleTile)
                           USE(0, moduleBytes) VARIABLE(4, char v[2]))

// What no other file can see comes behind the kernel's own.
static __shared__ char hiddenBytes[7];
static __shared__ double hiddenTile[3];

// CHECK: hidden: 5 kernels agree
// DYNAMIC: hidden: 5 kernels agree
KERNELS(hidden, USE(3, hiddenTile) USE(4, hiddenBytes) VARIABLE(1, double v) USE(0, moduleShorts)
                    VARIABLE(2, char v[7]))

// Those of functions that are called come before the kernel's, in the order of the functions.
__device__ __noinline__ void first(Place *places, int index) {
  __shared__ char v[3];
  note(places, index, v);
}
__device__ __noinline__ void second(Place *places, int index) {
  __shared__ double v[3];
  note(places, index, v);
}

// CHECK: calls: 5 kernels agree
// DYNAMIC: calls: 5 kernels agree
KERNELS(calls, CALL(2, second) CALL(1, first) USE(0, moduleShorts) VARIABLE(3, int v[5])
                   VARIABLE(4, char v))

// CHECK: calls_one: 5 kernels agree
// DYNAMIC: calls_one: 5 kernels agree
KERNELS(calls_one, CALL(0, second) VARIABLE(1, char v[5]) VARIABLE(2, short v) VARIABLE(3, char v)
                       VARIABLE(4, double v))

static __device__ __noinline__ void third(Place *places, int index) {
  __shared__ float v[3];
  note(places, index, v);
}

// CHECK: calls_hidden: 5 kernels agree
// DYNAMIC: calls_hidden: 5 kernels agree
KERNELS(calls_hidden, CALL(4, third) CALL(0, first) VARIABLE(1, char v[5]) VARIABLE(2, short v)
                          USE(3, hiddenBytes))

// What is called by a pointer may be any function to which one leads, and nothing else: not 'third', and no kernel.
__device__ __noinline__ void fourth(Place *places, int index) {
  __shared__ short v[7];
  note(places, index, v);
}
__device__ __noinline__ void fifth(Place *places, int index) {
  __shared__ double v[3];
  note(places, index, v);
}
__device__ void (*pointers[2])(Place *, int) = {fourth, fifth};

// CHECK: by_pointer: 5 kernels agree
// DYNAMIC: by_pointer: 5 kernels agree
KERNELS(by_pointer, CALL(0, pointers[1]) VARIABLE(1, char v[5]) VARIABLE(2, short v)
                        VARIABLE(3, char v) VARIABLE(4, double v))

// Those of templates are the module's.
// CHECK: instances: 5 kernels agree
// DYNAMIC: instances: 5 kernels agree
template <int n> __global__ void instances(Place *places) {
  VARIABLE(0, char v[3])
  VARIABLE(1, double v)
  VARIABLE(2, short v[3])
  VARIABLE(3, float4 v)
  VARIABLE(4, int v)
}

#ifdef DYNAMIC
// Dynamic memory starts behind all of it, on 16 bytes at least.
extern __shared__ float dynamicFloats[];
// DYNAMIC: dynamic: 5 kernels agree
KERNELS(dynamic, VARIABLE(0, char v[3]) VARIABLE(1, int v[3]) VARIABLE(2, char v[9])
                     dynamicFloats[threadIdx.x] = 1;
        places[n] = {unsigned(__cvta_generic_to_shared(dynamicFloats)), 0};)
#endif

Place *places;

void run(const char *kind, void (*kernel)(Place *)) {
  Place answers[16];
  const char *name;
  cudaFuncGetName(&name, reinterpret_cast<const void *>(kernel));
  cudaMemset(places, 0xff, sizeof answers);
  kernel<<<1, 1, 64>>>(places);
  cudaMemcpy(answers, places, sizeof answers, cudaMemcpyDeviceToHost);
  std::printf("%s %s", kind, name);
  for (Place each : answers)
    if (each.offset != ~0u)
      std::printf(" %u+%u", each.offset, each.bytes);
  std::printf("\n");
}

#define RUN(kind)                                                                                  \
  for (auto *kernel : {kind##_1, kind##_2, kind##_3, kind##_4, kind##_5})                          \
  run(#kind, kernel)

int main() {
  cudaMalloc(&places, 16 * sizeof(Place));
  RUN(growing);
  RUN(shrinking);
  RUN(sixteen);
  RUN(sixteen_apart);
  RUN(tiles);
  RUN(bytes);
  RUN(objects);
  RUN(of_the_module);
  RUN(hidden);
  RUN(calls);
  RUN(calls_one);
  RUN(calls_hidden);
  RUN(by_pointer);
  for (auto *kernel : {instances<1>, instances<2>, instances<3>, instances<4>, instances<5>})
    run("instances", kernel);
#ifdef DYNAMIC
  RUN(dynamic);
#endif
  return cudaDeviceSynchronize();
}
