// RUN: %tilelift %s -o %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
//
// What functions do with a tile that they are handed decides what has to be ordered before
// it is filled again.

__device__ float read(const float (&tile)[64]) { return tile[63 - threadIdx.x]; }
__device__ unsigned address(const void *tile) { return unsigned(__cvta_generic_to_shared(tile)); }
__device__ float load(const float (&tile)[64]) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address(tile)) : "memory");
  return value;
}
__device__ void store(unsigned to, float value) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(value) : "memory");
}
__device__ void put(size_t to, float value) {
  *reinterpret_cast<float *>(__cvta_shared_to_generic(to)) = value;
}

// Reading only: the leader fences.
// CHECK: __global__ void reads_tma(
// CHECK: if (tilelift::leader(
// CHECK-NEXT: tilelift::fence_before_tma();
__global__ void reads(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  for (int i = 0; i < n; ++i) {
#pragma tma load
    tile[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = read(tile) + load(tile);
    __syncthreads();
  }
}

// Writing, by an address that is a number: all threads fence.
// CHECK: __global__ void writes_tma(
// CHECK: tilelift::fence_before_tma();
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: if (tilelift::leader(
__global__ void writes(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  for (int i = 0; i < n; ++i) {
#pragma tma load
    tile[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    store(address(tile) + threadIdx.x * 4, 1.f);
    out[i * 64 + threadIdx.x] = tile[threadIdx.x];
    __syncthreads();
  }
}

// CHECK: __global__ void puts_tma(
// CHECK: tilelift::fence_before_tma();
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: if (tilelift::leader(
__global__ void puts(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float tile[64];
  for (int i = 0; i < n; ++i) {
#pragma tma load
    tile[threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    put(address(tile) + threadIdx.x * 4, 1.f);
    out[i * 64 + threadIdx.x] = tile[threadIdx.x];
    __syncthreads();
  }
}

void run(float *out, const float *in) {
  reads<<<1, 64>>>(out, in, 4);
  writes<<<1, 64>>>(out, in, 4);
  puts<<<1, 64>>>(out, in, 4);
}
