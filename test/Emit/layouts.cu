// RUN: %not 1 %tilelift %s -o %t.cu 2>&1 | grep "warning: this copy stays a plain loop: 'weight' takes part in several copies that need different layouts"
// RUN: grep -vE "CHECK|RUN" %t.cu | %FileCheck %s
// RUN: %nvcc -Werror all-warnings -gencode arch=compute_90a,code=sm_90a -c %t.cu -o %t.o
//
// A store that needs another layout than the load of its tile stays a loop, and the loads are lifted.

// CHECK-LABEL: __global__ void forward_tma(
// CHECK: tilelift::load{{.*}}node
// CHECK: tilelift::load{{.*}}weight
// CHECK: // tma store: stays a loop
// CHECK-NEXT: w[index - 1] =
__global__ void forward(float *w, const float *__restrict__ in, int hid) {
  __shared__ float node[16];
  __shared__ float weight[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
  int index = (hid + 1) * 16 * by + (hid + 1) * ty + tx + 1 + (hid + 1);
#pragma tma load
  if (tx == 0)
    node[ty] = in[16 * by + ty];
  __syncthreads();
#pragma tma load
  weight[ty][tx] = w[index];
  __syncthreads();
  weight[ty][tx] = weight[ty][tx] * node[ty];
  __syncthreads();
#pragma tma store fallback(loop)
  w[index - 1] = weight[ty][tx];
}

void run(float *w, const float *in, int hid) { forward<<<dim3(1, 3), dim3(16, 16)>>>(w, in, hid); }
