// RUN: %tilelift --remarks --check %s 2>&1 | %FileCheck %s
// RUN: %tilelift --only-profitable --remarks %s -o %t.cu 2>&1 | %FileCheck %s --check-prefix=ONLY
// RUN: grep -v TEXT %t.cu | %FileCheck %s --check-prefix=TEXT
// RUN: %clang-plugin -fplugin-arg-tilelift-only-profitable -fplugin-arg-tilelift-remarks --offload-arch=sm_90a -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=ONLY
//
// Copies that threads make as fast themselves, and what is done about them.

// CHECK: profit.cu:[[#@LINE+6]]:3: remark: each thread copies 1.0 elements of 4 bytes, without a guard to 'little', which is as fast without TMA; '--only-profitable' leaves it a loop [-Wtilelift-little-to-gain]
// ONLY: profit.cu:[[#@LINE+5]]:3: remark: each thread copies 1.0 elements of 4 bytes, without a guard to 'little', which is as fast without TMA: it stays a loop [-Wtilelift-little-to-gain]
// TEXT-NOT: little_tma
__global__ void little(float *out, const float *in) {
  __shared__ float little[256];
#pragma tma load
  little[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = little[255 - threadIdx.x];
}

// Rows that are looked up, and short.
// CHECK: remark: each row of 'picked' is a copy of its own, which takes an SM as long for 128 bytes as for 512 [-Wtilelift-short-rows]
// CHECK-NOT: each row of 'long_rows'
__global__ void rows(float *out, const float *in, const int *__restrict__ indices) {
  __shared__ float picked[8][32], long_rows[8][128];
  int t = threadIdx.x;
#pragma tma load
  picked[t / 32][t % 32] = in[indices[t / 32] * 128 + t % 32];
#pragma tma load
  for (int i = t; i < 1024; i += 256)
    long_rows[i / 128][i % 128] = in[indices[i / 128] * 128 + i % 128];
  __syncthreads();
  out[t] = picked[t % 8][t / 8] + long_rows[t % 8][t / 8];
}

// One of two copies; where only that is worth it, the other one stays.
// CHECK: remark: each thread copies 2.0 elements of 16 bytes, without a guard to 'vectors'
// CHECK-NOT: to 'guarded', which
// ONLY: remark: lifted: tile copy of 16 x 32 f32 (2048 bytes) from 'in' to 'guarded'
// TEXT: __global__ void both_tma(
// TEXT: // tma load: stays a loop
// TEXT-NEXT: for (int i = threadIdx.x; i < 512; i += 256)
// TEXT-NEXT: vectors[i] =
// TEXT: tilelift::load(guarded,
__global__ void both(float4 *out, const float *in, const float4 *more, int w, int h) {
  __shared__ float4 vectors[512];
  __shared__ float guarded[16][32];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 256)
    vectors[i] = more[blockIdx.x * 512 + i];
#pragma tma load
  for (int i = threadIdx.x; i < 512; i += 256)
    guarded[i / 32][i % 32] = i / 32 < h && blockIdx.x * 32 + i % 32 < w
                                  ? in[(i / 32) * w + blockIdx.x * 32 + i % 32]
                                  : 0.f;
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = vectors[511 - threadIdx.x];
  out[0].x = guarded[threadIdx.x / 32][threadIdx.x % 32];
}

// A round ahead, nobody waits for it.
// CHECK: remark: the copies of this loop are made up to
// CHECK-NOT: to 'ahead', which
// TEXT: __global__ void rounds_tma(
__global__ void rounds(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float ahead[256];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    ahead[threadIdx.x] = in[i * 256 + threadIdx.x];
    __syncthreads();
    out[i * 256 + threadIdx.x] = ahead[255 - threadIdx.x];
    __syncthreads();
  }
}

void run(float *out, const float *in, float4 *a, const float4 *b) {
  little<<<3, 256>>>(out, in);
  both<<<3, 256>>>(a, in, b, 96, 16);
  rows<<<1, 256>>>(out, in, nullptr);
  rounds<<<1, 256>>>(out, in, 4);
}
