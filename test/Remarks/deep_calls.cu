// RUN: timeout 60 %tilelift --check --remarks %s 2>&1 | FileCheck %s
//
// Functions that call two others, twelve deep, with a barrier in the innermost: each of 8,191 calls has its place in the
// kernel. A copy is analysed in a second or two; it took minutes while each question went through all of them.
template <int Depth> __device__ float inner(float *side, float value, int a) {
  if constexpr (Depth == 0) {
    if (a > 99) {
      side[threadIdx.x] = value;
      __syncthreads();
      value = side[127 - threadIdx.x];
      __syncthreads();
    }
    return value;
  } else {
    if (a < 99) return value + 1;
    value = inner<Depth - 1>(side, value * 0.5f, a);
    return value + inner<Depth - 1>(side, 1 - value, a);
  }
}
__global__ void deep(float *out, const float *in, int a) {
  __shared__ float tile[256], side[128];
#pragma tma load threads(128)
  for (int i = threadIdx.x; i < 256; i += 128) tile[i] = in[i + 4];
  __syncthreads();
  out[threadIdx.x] = inner<12>(side, tile[255 - threadIdx.x], a);
}
// CHECK: lifted: 1-D bulk copy of 1024 bytes from 'in' to 'tile'
void run(float *out, const float *in, int a) { deep<<<1, 128>>>(out, in, a); }
