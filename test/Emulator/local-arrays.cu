// Accesses outside of a thread's own arrays, which hardware answers with somebody else's value.
//
// RUN: %not 3 %run --plain %s 2>%t.err >%t.out
// RUN: %FileCheck %s < %t.err
// RUN: %FileCheck --check-prefix=OUT %s < %t.out

#include <cstdio>
#include <cuda_runtime.h>

// CHECK-LABEL: case behind the end
// CHECK: [[@LINE+8]]:{{[0-9]+}}: error: write of 4 bytes at 'values' + 32 bytes, which has 32 [out-of-range]
// CHECK-NEXT: in kernel 'behind', block (0, 0, 0), thread (0, 0, 0)
// OUT: behind the end: an illegal memory access was encountered
__global__ void behind(int *out, int n) {
  int values[8];
  for (int i = 0; i < 8; ++i)
    values[i] = out[i];
  int other[8] = {n, n, n};
  values[n] = 1;
  out[0] = values[out[1]] + other[out[2]];
}

// CHECK-LABEL: case before the start
// CHECK: error: read of 4 bytes at 'values' - 4 bytes, which has 32 [out-of-range]
__global__ void before(int *out, int n) {
  int values[8];
  for (int i = 0; i < 8; ++i)
    values[i] = out[i];
  out[0] = values[n - 9];
}

// A pointer that runs along.
// CHECK-LABEL: case pointer
// CHECK: [[@LINE+8]]:{{[0-9]+}}: error: read of 4 bytes at 'values' + 32 bytes, which has 32 [out-of-range]
__global__ void pointer(int *out, int n) {
  int values[8];
  for (int i = 0; i < 8; ++i)
    values[i] = out[i];
  const int *p = values;
  int sum = 0;
  for (int i = 0; i <= n; ++i)
    sum += p[i];
  out[0] = sum;
}

// In a function that is inlined.
__device__ int get(const short *p, int i) { return p[i * 2]; }
// CHECK-LABEL: case function
// CHECK: error: read of 2 bytes at 'small' + 32 bytes, which has 20 [out-of-range]
__global__ void function(int *out, int n) {
  short small[10];
  for (int i = 0; i < 10; ++i)
    small[i] = short(out[i]);
  out[0] = get(small, n);
}

// Of a member, and beyond it: bounds are those of the whole variable.
struct Pair {
  int head[4], tail[4];
};
// CHECK-LABEL: case member
// CHECK: error: write of 4 bytes at 'pair' + 48 bytes, which has 32 [out-of-range]
__global__ void member(int *out, int n) {
  Pair pair = {};
  pair.head[n - 3] = 4; // in the tail
  pair.tail[n] = 5;
  out[0] = pair.head[out[1]] + pair.tail[out[2]];
}

// Bytes, as many as only a run knows: the first one that is none of the variable's.
// CHECK-LABEL: case copied to
// CHECK: [[@LINE+4]]:{{[0-9]+}}: error: write of 1 bytes at 'values' + 32 bytes, which has 32 [out-of-range]
// OUT: copied to: an illegal memory access was encountered
__global__ void copied_to(int *out, int n) {
  int values[8];
  memcpy(values, out, n * 4 + 4);
  out[0] = values[out[1]];
}
// CHECK-LABEL: case set
// CHECK: error: write of 1 bytes at 'values' + 32 bytes, which has 32 [out-of-range]
__global__ void set(int *out, int n) {
  int values[8];
  memset(values + 4, 1, n * 4);
  out[0] = values[out[1]];
}
// CHECK-LABEL: case copied from
// CHECK: error: read of 1 bytes at 'values' + 32 bytes, which has 32 [out-of-range]
__global__ void copied_from(int *out, int n) {
  int values[8] = {n};
  memcpy(out, values, n * 5);
}
// CHECK-LABEL: case copied from behind
// CHECK: error: read of 1 bytes at 'values' + 36 bytes, which has 32 [out-of-range]
__global__ void copied_from_behind(int *out, int n) {
  int values[8] = {n};
  memcpy(out, values + n + 1, n);
}

// CHECK-LABEL: case all bytes
// CHECK-NOT: error:
__global__ void all_bytes(int *out, int n) {
  int values[8], other[8];
  memset(values, 1, n * 4);
  memcpy(other, values, n * 4);
  memcpy(out, other + n, n - 8);
  memcpy(out, other, n * 4);
}

// CHECK-LABEL: case all of it
__global__ void whole(int *out, int n) {
  int values[2][8];
  for (int i = 0; i < 16; ++i)
    values[0][i] = i + n; // as a flat array
  int sum = 0;
  for (int i = n - 8; i < n * 2; ++i)
    sum += values[0][i];
  out[0] = sum;
}

template <typename Kernel> void run(const char *name, Kernel kernel) {
  int *out;
  cudaMalloc(&out, 1024);
  cudaMemset(out, 0, 1024);
  std::fprintf(stderr, "case %s\n", name);
  kernel<<<1, 1>>>(out, 8);
  std::printf("%s: %s\n", name, cudaGetErrorString(cudaDeviceSynchronize()));
  cudaDeviceReset();
}

int main() {
  run("behind the end", behind);
  run("before the start", before);
  run("pointer", pointer);
  run("function", function);
  run("member", member);
  run("copied to", copied_to);
  run("set", set);
  run("copied from", copied_from);
  run("copied from behind", copied_from_behind);
  // OUT: all bytes: no error
  run("all bytes", all_bytes);
  // OUT: all of it: no error
  run("all of it", whole);
  return 0;
}
