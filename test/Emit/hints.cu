// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %clang --cuda-device-only --offload-arch=sm_90a -O1 -S %t.cu -o - | %FileCheck %s --check-prefix=PTX
//
// Cache policies and L2 promotion reach the instructions and the map.

// CHECK-LABEL: __global__ void streamed_tma(
// CHECK: tilelift::load(tile, tile_map, {x0, y0}, tma_barrier, tilelift::cache_policy::evict_first);
// CHECK: static cudaError_t streamed_tma_launch(
// CHECK: {h, "h", 4ll * w, "w * 4"}}, 256);
__global__ void streamed(float *out, const float *in, int w, int h) {
  __shared__ float tile[8][32];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
#pragma tma load cache(evict_first) promote(256)
  tile[threadIdx.y][threadIdx.x] = y0 + threadIdx.y < h && x0 + threadIdx.x < w ? in[(y0 + threadIdx.y) * w + x0 + threadIdx.x] : 0.f;
  __syncthreads();
  out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = tile[7 - threadIdx.y][31 - threadIdx.x];
}

// CHECK-LABEL: __global__ void kept_tma(
// CHECK: tilelift::load_bytes(part, in + 64 * (long long)blockIdx.x, kept_tma_plan::part_bytes, tma_barrier, tilelift::cache_policy::evict_last);
__global__ void kept(float *out, const float *in) {
  __shared__ float part[64];
#pragma tma load cache(evict_last)
  part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = part[63 - threadIdx.x];
}

// PTX-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint
// PTX-DAG: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint

void run(float *out, const float *in, int w, int h) {
  streamed<<<dim3(4, 4), dim3(32, 8)>>>(out, in, w, h);
  kept<<<8, 64>>>(out, in);
}
