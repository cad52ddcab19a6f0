// RUN: %lift-and-check %s %t.cu --only-asked-pipelines
// RUN: grep -v CHECK %t.cu | %FileCheck %s
//
// Which copies wait together, and where barriers and fences are needed.

constexpr int T = 32;

// Two copies in a row share one phase and one byte count; the second barrier stays,
// it keeps the next round from overwriting what is being read. `row` has no reader
// left.
// CHECK-LABEL: __global__ void gemm_tma(
// CHECK: __shared__ __align__(128) float as[T][T], bs[T][T];
// CHECK-NEXT: __shared__ tilelift::barrier tma_barrier;
// CHECK-NEXT: unsigned tma_phase = tilelift::begin(tma_barrier);
// CHECK: // tma load: tile copy of 32 x 32 f32 (4096 bytes) from 'a' to 'as'
// CHECK-NEXT: if (tilelift::leader({{[a-z_]+}}_tma_plan::block)) {
// CHECK-NEXT:   tilelift::fence_before_tma();
// CHECK-NEXT:   tilelift::expect(tma_barrier, gemm_tma_plan::as_box::bytes + gemm_tma_plan::bs_box::bytes);
// CHECK-NEXT:   tilelift::load(as, as_map, {k0, 32 * int(blockIdx.y)}, tma_barrier);
// CHECK-NEXT: }
// CHECK-NEXT: // tma load: tile copy of 32 x 32 f32 (4096 bytes) from 'b' to 'bs'
// CHECK-NEXT: if (tilelift::leader({{[a-z_]+}}_tma_plan::block)) {
// CHECK-NEXT:   tilelift::fence_before_tma();
// CHECK-NEXT:   tilelift::load(bs, bs_map, {32 * int(blockIdx.x), k0}, tma_barrier);
// CHECK-NEXT: }
// CHECK-NEXT: tilelift::wait(tma_barrier, tma_phase);
// CHECK-NEXT: for (int i = 0;
// CHECK: __syncthreads();
__global__ void gemm(float *c, const float *a, const float *b, int n) {
  __shared__ float as[T][T], bs[T][T];
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += T) {
#pragma tma load
    as[threadIdx.y][threadIdx.x] = a[(blockIdx.y * T + threadIdx.y) * n + k0 + threadIdx.x];
    int row = k0 + threadIdx.y;
#pragma tma load
    bs[threadIdx.y][threadIdx.x] = b[row * n + blockIdx.x * T + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < T; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[(blockIdx.y * T + threadIdx.y) * n + blockIdx.x * T + threadIdx.x] = sum;
}

// Each thread reads only what it wrote: the plain copy has no barrier, the
// lifted one needs one before the next round.
// CHECK-LABEL: __global__ void own_only_tma(
// CHECK: // tma load: 1-D bulk copy of 1024 bytes
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: if (tilelift::leader({{[a-z_]+}}_tma_plan::block)) {
__global__ void own_only(float *out, const float *in) {
  __shared__ float part[256];
  float sum = 0;
  for (int round = 0; round < 8; ++round) {
#pragma tma load
    part[threadIdx.x] = in[(blockIdx.x * 8 + round) * 256 + threadIdx.x];
    sum += part[threadIdx.x];
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// The tile was written by the threads before: every one of them fences.
// CHECK-LABEL: __global__ void written_before_tma(
// CHECK: // tma load: 1-D bulk copy of 1024 bytes
// CHECK-NEXT: tilelift::fence_before_tma();
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: if (tilelift::leader({{[a-z_]+}}_tma_plan::block)) {
// CHECK-NEXT:   tilelift::expect(
__global__ void written_before(float *out, const float *in) {
  __shared__ float part[256];
  part[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float first = part[255 - threadIdx.x];
  __syncthreads();
#pragma tma load
  part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = first + part[255 - threadIdx.x];
}

// The barrier after the copy orders another array as well: it stays.
// CHECK-LABEL: __global__ void barrier_needed_tma(
// CHECK: tilelift::wait(tma_barrier, tma_phase);
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: out[
__global__ void barrier_needed(float *out, const float *in) {
  __shared__ float part[256], other[256];
  other[threadIdx.x] = threadIdx.x;
#pragma tma load
  part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = part[255 - threadIdx.x] + other[255 - threadIdx.x];
}

// The kernel writes what a later round reads: the writes are fenced.
// CHECK-LABEL: __global__ void in_place_tma(
// CHECK: // tma load: 1-D bulk copy of 1024 bytes
// CHECK-NEXT: tilelift::fence_all_before_tma();
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: if (tilelift::leader({{[a-z_]+}}_tma_plan::block)) {
// CHECK-NEXT:   tilelift::expect(
__global__ void in_place(float *data) {
  __shared__ float part[256];
  for (int round = 0; round < 8; ++round) {
#pragma tma load
    part[threadIdx.x] = data[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    data[blockIdx.x * 256 + threadIdx.x] = part[255 - threadIdx.x] * 0.5f + part[threadIdx.x];
    __syncthreads();
  }
}

void run(float *out, const float *in, int n) {
  in_place<<<n, 256>>>(out);
  gemm<<<dim3(n / T, n / T), dim3(T, T)>>>(out, in, in, n);
  own_only<<<n, 256>>>(out, in);
  written_before<<<n, 256>>>(out, in);
  barrier_needed<<<n, 256>>>(out, in);
}
