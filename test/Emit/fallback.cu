// RUN: %not 1 %tilelift --only-asked-pipelines %s -o %t.cu 2>&1 | grep "warning: this copy stays a plain loop: 'bs\[0\]\[0\]' and 'bs\[0\]\[1\]' lie side by side"
// RUN: grep -vE "CHECK|RUN" %t.cu | %FileCheck %s
// RUN: %tilelift %t.cu | cmp - %t.cu
// RUN: %nvcc -Werror all-warnings -gencode arch=compute_90a,code=sm_90a -c %t.cu -o %t.o
//
// One copy lifts, the other may stay a loop: no pragma is left to warn about.

// CHECK-LABEL: __global__ void product(
// CHECK: // tma load: lifted in product_tma
// CHECK: // tma load: stays a loop
// CHECK-LABEL: __global__ void product_tma(
// CHECK: tilelift::load(as, as_map
// CHECK: // tma load: stays a loop
// CHECK-NEXT: bs[threadIdx.x][threadIdx.y] = b[
// CHECK-NEXT: __syncthreads();
__global__ void product(float *c, const float *a, const float *b, int n) {
  __shared__ float as[32][32], bs[32][32];
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
#pragma tma load
    as[threadIdx.y][threadIdx.x] = a[(blockIdx.y * 32 + threadIdx.y) * n + k0 + threadIdx.x];
#pragma tma load fallback(loop)
    bs[threadIdx.x][threadIdx.y] = b[(k0 + threadIdx.y) * n + 2 * (blockIdx.x * 32 + threadIdx.x)];
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      sum += as[threadIdx.y][i] * bs[threadIdx.x][i];
    __syncthreads();
  }
  c[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = sum;
}

void run(float *c, const float *a, const float *b, int n) {
  product<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(c, a, b, n);
}
