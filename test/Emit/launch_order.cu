// RUN: %tilelift %s -o %t.cu && grep -vE "CHECK|RUN" %t.cu | %FileCheck %s
// RUN: %nvcc -std=c++17 -Werror all-warnings -gencode arch=compute_90a,code=sm_90a -c %t.cu -o %t.o
//
// What stands in <<<...>>> is evaluated before the kernel's arguments, which the arguments of a function need not be. Where
// that may make a difference, a lambda gets the configuration. Where a comma stands between the braces, they have a type,
// as nvcc hands that on wrongly without one.

__global__ void shift(float *out, const float *in, int n) {
  __shared__ float row[128];
#pragma tma load
  row[threadIdx.x] = in[n * 128 + threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = row[127 - threadIdx.x];
}

struct Tensor {
  float *p;
  int n;
  float *data() const;
};
int blocks(int n);
int next();
int total;

// CHECK-LABEL: void launches(
void launches(Tensor &a, Tensor b, int n, cudaStream_t stream) {
  int m = n;
  // CHECK: shift_tma_launch({dim3((n + 127) / 128), dim3(128), 0, stream}, a.data(), b.data(), next());
  shift<<<dim3((n + 127) / 128), dim3(128), 0, stream>>>(a.data(), b.data(), next());
  // CHECK-NEXT: [&](const ::tilelift::launch_config &tma_config) { return shift_tma_launch(tma_config, b.p, b.p, m -= 2); }({m, 128});
  shift<<<m, 128>>>(b.p, b.p, m -= 2);
  // CHECK-NEXT: [&](const ::tilelift::launch_config &tma_config) { return shift_tma_launch(tma_config, b.p, b.p, next()); }({total, 128});
  shift<<<total, 128>>>(b.p, b.p, next());
  // CHECK-NEXT: shift_tma_launch({n, 128}, b.p, b.p, m -= 2);
  shift<<<n, 128>>>(b.p, b.p, m -= 2);
  // CHECK-NEXT: shift_tma_launch({blocks(n), 128}, b.p, b.p + 4, n / 2);
  shift<<<blocks(n), 128>>>(b.p, b.p + 4, n / 2);
  // CHECK-NEXT: [&](const ::tilelift::launch_config &tma_config) { return shift_tma_launch(tma_config, b.p, b.p, next()); }({next(), 128});
  shift<<<next(), 128>>>(b.p, b.p, next());
  // CHECK-NEXT: [&](const ::tilelift::launch_config &tma_config) { return shift_tma_launch(tma_config, b.p, b.p, m); }({m++, 128});
  shift<<<m++, 128>>>(b.p, b.p, m);
  // CHECK-NEXT: [&](const ::tilelift::launch_config &tma_config) { return shift_tma_launch(tma_config, a.p, b.p, n); }({blocks(n), 128});
  shift<<<blocks(n), 128>>>(a.p, b.p, n);
  // CHECK-NEXT: [&](const ::tilelift::launch_config &tma_config) { return shift_tma_launch(tma_config, b.p, b.p, total); }({next(), 128});
  shift<<<next(), 128>>>(b.p, b.p, total);
  dim3 grid(n);
  // CHECK-NEXT: dim3 grid(n);
  // CHECK-NEXT: shift_tma_launch(::tilelift::launch_config{((void)m, grid), 128}, b.p, b.p, n);
  shift<<<((void)m, grid), 128>>>(b.p, b.p, n);
  // CHECK-NEXT: [&](const ::tilelift::launch_config &tma_config) { return shift_tma_launch(tma_config, b.p, b.p, m); }(::tilelift::launch_config{(m++, grid), 128});
  shift<<<(m++, grid), 128>>>(b.p, b.p, m);
}
