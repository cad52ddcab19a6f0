// RUN: %tilelift --dump-effects %s | %FileCheck %s
//
// What each place of a kernel may do: in references, methods, constructors, destructors,
// lambdas, operators and assembly as in plain C++.

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__device__ void put(float &to, float value) { to = value; }
struct Limits {
  __device__ float max(float &a) const { return a = 0; }
};
__device__ int counter;
__device__ void count() { atomicAdd(&counter, 1); }

struct Cell {
  float value;
  __device__ void set(float v) { value = v; }
  __device__ Cell &operator++() {
    value += 1;
    return *this;
  }
};

struct Writer {
  float *to;
  __device__ explicit Writer(float *at) : to(at) { *to = 1; }
  __device__ ~Writer() { to[1] = 2; }
};

// CHECK-LABEL: changed:
__global__ void changed(float *out, const float *__restrict__ in) {
  __shared__ float tile[64];
  __shared__ Cell cells[64];
  int t = threadIdx.x;
#pragma tma load threads(64)
  tile[t] = in[t];
  // CHECK: [[@LINE-1]]:11: writes 'tile'
  // CHECK-NEXT: [[@LINE-2]]:13: reads 'in'
  put(tile[63 - t], 1);
  // CHECK-NEXT: [[@LINE-1]]:3: writes 'tile'
  cells[t].set(2);
  // CHECK-NEXT: [[@LINE-1]]:12: writes 'cells'
  ++cells[t];
  // CHECK-NEXT: [[@LINE-1]]:3: reads 'cells', writes 'cells'
  Limits().max(tile[t]);
  // CHECK-NEXT: [[@LINE-1]]:12: writes 'tile'
  {
    Writer writer(tile);
    // CHECK-NEXT: [[@LINE-1]]:12: writes 'tile'
    __syncthreads();
    // CHECK-NEXT: [[@LINE-1]]:5: meets the block
  }
  // CHECK-NEXT: [[@LINE-1]]:3: writes 'tile'
  auto add = [&](int i) { tile[i] += 1; };
  add(t);
  // CHECK-NEXT: [[@LINE-1]]:3: reads 'tile', writes 'tile'
  auto &[value] = cells[t];
  value = 3;
  // CHECK-NEXT: [[@LINE-1]]:9: writes 'cells'
  asm("mov.f32 %0, %1;" : "=f"(tile[t]) : "f"(1.f));
  // CHECK-NEXT: [[@LINE-1]]:3: writes 'tile'
  count();
  // CHECK-NEXT: [[@LINE-1]]:3: reads 'counter', writes 'counter', may tell other blocks
}

// Addresses are followed through numbers, objects and assembly, and where that ends, they may
// be any.
struct View {
  float *first;
  unsigned number;
};
// CHECK-LABEL: led:
__global__ void led(float *__restrict__ out, const float *__restrict__ in, View view, float **kept) {
  __shared__ float tile[64], other[64], known[64];
  int t = threadIdx.x;
#pragma tma load threads(64)
  tile[t] = in[t];
  View own = {other, unsigned(__cvta_generic_to_shared(tile))};
  own.first[t] = 1;
  // CHECK: [[@LINE-1]]:16: writes 'other'
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(own.number + 4 * t), "f"(1.f) : "memory");
  // CHECK-NEXT: [[@LINE-1]]:3: writes 'tile'
  view.first[t] = 1;
  // CHECK-NEXT: [[@LINE-1]]:17: writes 'view' at 0
  float *pair[2] = {known, other};
  *pair[t % 2] = 2;
  // CHECK-NEXT: [[@LINE-1]]:16: writes 'other' and 'known'
  kept[t] = tile;
  // CHECK-NEXT: [[@LINE-1]]:11: writes 'kept'
  *kept[t + 1] = 2;
  // CHECK: [[@LINE-1]]:16: writes any global memory and 'tile'{{$}}
  out[t] = known[t];
}

// What orders, tells, ends and counts.
__device__ unsigned threads() {
  unsigned count;
  asm("mov.u32 %0, %%ntid.x;" : "=r"(count));
  return count;
}
// CHECK-LABEL: ordered:
__global__ void ordered(float *out, const float *in, volatile int *flag) {
  __shared__ float tile[64];
#pragma tma load threads(64)
  tile[threadIdx.x] = in[threadIdx.x];
  int any = __syncthreads_or(tile[0] > 0);
  // CHECK: [[@LINE-1]]:13: meets the block
  // CHECK-NEXT: [[@LINE-2]]:30: reads 'tile'
  __threadfence();
  // CHECK-NEXT: [[@LINE-1]]:3: may tell other blocks
  *flag = any;
  // CHECK-NEXT: [[@LINE-1]]:9: writes 'flag', may tell other blocks
  asm volatile("bar.sync 1, 32;");
  // CHECK-NEXT: [[@LINE-1]]:3: meets other threads
  asm volatile("fence.proxy.async;");
  // CHECK-NEXT: [[@LINE-1]]:3: fences the proxies
  if (threads() > 7)
    // CHECK-NEXT: [[@LINE-1]]:7: asks for the block's size
    asm volatile("exit;");
  // CHECK-NEXT: [[@LINE-1]]:5: may end threads
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  // CHECK-NEXT: [[@LINE-1]]:3: {{.*}} is not known
  out[threadIdx.x] = __shfl_sync(~0u, tile[threadIdx.x], 3);
  // CHECK: differs between threads, may be another one each time
}
