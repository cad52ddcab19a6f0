// RUN: %tilelift --remarks --check %s 2>&1 | %FileCheck %s
//
// Stages that the program has itself are left alone.

// CHECK: stages.cu:[[#@LINE+6]]:5: remark: lifted{{.*}} to 'tile'
// CHECK: stages.cu:[[#@LINE+5]]:5: remark: 'tile' has stages of its own, but each copy is waited for where it is made: with a single tile, '#pragma tma pipeline' makes them ahead [-Wtilelift-stages-by-hand]
__global__ void by_hand(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ __align__(128) float tile[2][64];
  for (int i = 0; i < n; ++i) {
#pragma tma load
    tile[i % 2][threadIdx.x] = in[i * 64 + threadIdx.x];
    __syncthreads();
    out[i * 64 + threadIdx.x] = tile[i % 2][63 - threadIdx.x];
  }
}

// CHECK-NOT: has stages of its own
__global__ void none(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float tile[2][64];
#pragma tma load
  for (int i = threadIdx.x; i < 128; i += 64)
    tile[i / 64][i % 64] = in[blockIdx.x * 128 + i];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[1][63 - threadIdx.x];
}

// Where it starts in the tile, the launch says.
__global__ void halo(float *__restrict__ out, const float *__restrict__ in, int width) {
  __shared__ float tile[64 + 4];
  int n = width / 2;
#pragma tma load
  tile[n + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[n + 63 - threadIdx.x];
}

void run(float *out, const float *in) {
  halo<<<2, 64>>>(out, in, 4);
  by_hand<<<1, 64>>>(out, in, 4);
  none<<<1, 64>>>(out, in);
}
