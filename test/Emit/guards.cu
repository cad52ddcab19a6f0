// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
//
// Conditions that are tested at the copy: the plain statement is the other branch.

// CHECK-LABEL: __global__ void any_start_tma(
// CHECK: if (((long long)first) % 4 == 0) {
// CHECK-NEXT:   if (tilelift::leader({{[a-z_]+}}_tma_plan::block)) {
// CHECK: tilelift::load(tile, tile_map, {first, 8 * int(blockIdx.y)}, tma_barrier);
// CHECK-NEXT:   }
// CHECK-NEXT:   tilelift::wait(tma_barrier, tma_phase);
// CHECK-NEXT: } else {
// CHECK-NEXT: tile[threadIdx.y][threadIdx.x] = first + int(threadIdx.x) >= 0
// CHECK-NEXT: }
// CHECK-NEXT: __syncthreads();
__global__ void any_start(float *out, const float *in, const int *starts, int w) {
  __shared__ float tile[8][32];
  int first = starts[blockIdx.x];
#pragma tma load swizzle(none)
  tile[threadIdx.y][threadIdx.x] = first + int(threadIdx.x) >= 0 && first + int(threadIdx.x) < w ? in[(blockIdx.y * 8 + threadIdx.y) * w + first + threadIdx.x] : 0.f;
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[threadIdx.x % 8][threadIdx.y * 4 + threadIdx.x / 8];
}

// A guard without else: what is outside keeps its old value, so only boxes that
// lie wholly inside go through TMA.
// CHECK-LABEL: __global__ void stale_tma(
// CHECK: if ((long long)w - 32 * (long long)blockIdx.x - 32 >= 0 && (long long)h - 8 * (long long)blockIdx.y - 8 >= 0) {
__global__ void stale(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
  tile[threadIdx.y][threadIdx.x] = 7;
  __syncthreads();
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load swizzle(none)
  if (x < w && y < h)
    tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x] =
      tile[threadIdx.x % 8][threadIdx.y * 4 + threadIdx.x / 8];
}

// The user knows that the rest is dead.
// CHECK-LABEL: __global__ void dead_outside_tma(
// CHECK-NOT: else {
// CHECK: tilelift::wait(
__global__ void dead_outside(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
#pragma tma load outside(any)
  if (x < w && y < h)
    tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  if (x < w && y < h)
    out[y * w + x] = tile[threadIdx.y][threadIdx.x];
}

// A count that only the arguments know: the whole tile, or the loop.
// CHECK-LABEL: __global__ void some_of_it_tma(
// CHECK: if ((long long)n - 512 >= 0) {
// CHECK: tilelift::load_bytes(
// CHECK: } else {
// CHECK-NEXT: for (int i = threadIdx.x; i < n; i += blockDim.x)
__global__ void some_of_it(float *out, const float *in, int n) {
  __shared__ float part[512];
  for (int i = threadIdx.x; i < 512; i += blockDim.x)
    part[i] = 0;
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    part[i] = in[blockIdx.x * 512 + i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[blockIdx.x * 512 + i] = part[n - 1 - i];
}

// A launch that breaks a rule is an error, on request.
// CHECK-LABEL: static cudaError_t must_lift_tma_launch(
// CHECK: return launch.refuse();
__global__ void must_lift(float *out, const float *in) {
  __shared__ float part[256];
#pragma tma load fallback(error) cache(evict_first) promote(256) swizzle(none)
  part[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = part[255 - threadIdx.x];
}

void run(float *out, const float *in, const int *starts, int w, int h) {
  dim3 grid(4, 4), block(32, 8);
  any_start<<<grid, block>>>(out, in, starts, w);
  stale<<<grid, block>>>(out, in, w, h);
  dead_outside<<<grid, block>>>(out, in, w, h);
  some_of_it<<<w, 128>>>(out, in, h);
  must_lift<<<w, 256>>>(out, in);
}
