// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %nvcc -arch=compute_90a -ptx %t.cu -o %t.ptx && %FileCheck %s --check-prefix=PTX < %t.ptx
//
// L2 fetches tiles rounds before they are copied: on variables of their own, as long as there are
// rounds to come.

// PTX: cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::cache_hint
// PTX: cp.async.bulk.prefetch.L2.global.L2::cache_hint

// The leader, for one of two copies, and as far ahead of the other.
// CHECK-LABEL: void led_tma(
// CHECK: // tma pipeline: 2 stages
// CHECK-NEXT: int k_ahead = 0;
// CHECK-NEXT: int k_prefetched = 0;
// CHECK-NEXT: for (int tma_round = 0; tma_round < 3 && (k_prefetched < n);)
// CHECK-NEXT: ++tma_round, k_prefetched += 2;
// CHECK-NEXT: if (tilelift::leader(
// CHECK: tilelift::load(tile_ring[tma_slot].data(), tile_map, {0, 8 * k_ahead}, tile_full[tma_slot]);
// CHECK-NEXT: tilelift::load_bytes(
// CHECK-NEXT: if (k_prefetched < n) {
// CHECK-NEXT: tilelift::prefetch(tile_map, {0, 8 * k_prefetched});
// CHECK-NEXT: k_prefetched += 2;
// CHECK-NEXT: }
__global__ void led(float *__restrict__ out, const float *__restrict__ in, int n, int w) {
  __shared__ float tile[8][32], line[256];
  int t = threadIdx.x;
  float sum = 0;
#pragma tma pipeline stages(2)
  for (int k = 0; k < n; k += 2) {
#pragma tma load prefetch(3)
    tile[t / 32][t % 32] = in[(k * 8 + t / 32) * w + t % 32];
#pragma tma load
    line[t] = in[k * 256 + t];
    __syncthreads();
    sum += tile[t % 8][t / 8] + line[255 - t];
    __syncthreads();
  }
  out[t] = sum;
}

// A warp of its own; in some rounds, and where the copy is tested, so is what is fetched.
// CHECK-LABEL: supplied_tma(float
// CHECK: int k_prefetched = n;
// CHECK-NEXT: for (int tma_round = 0; tma_round < 2 && (k_prefetched > 0);)
// CHECK-NEXT: ++tma_round, --k_prefetched;
// CHECK-NEXT: for (int k = n; k > 0; --k) {
// CHECK: if (k_prefetched > 0) {
// CHECK-NEXT: if (k_prefetched % 4 != 2) {
// CHECK-NEXT: if ((4 * (long long)w * (long long)k_prefetched) % 16 == 0) {
// CHECK-NEXT: tilelift::prefetch_bytes(in + (long long)w * (long long)k_prefetched, supplied_tma_plan::line_bytes, tilelift::cache_policy::evict_first);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: --k_prefetched;
// CHECK-NEXT: }
__global__ void supplied(float *__restrict__ out, const float *__restrict__ in, int n, int w) {
  __shared__ float line[256];
  int t = threadIdx.x;
  float sum = 0;
#pragma tma pipeline stages(3) warp(producer)
  for (int k = n; k > 0; --k) {
    if (k % 4 != 2) {
#pragma tma load prefetch(2) cache(evict_first)
      line[t] = in[k * w + t];
      __syncthreads();
      sum += line[255 - t];
    }
    __syncthreads();
  }
  out[t] = sum;
}

void run(float *out, const float *in, int n, int w) {
  led<<<1, 256>>>(out, in, n, w);
  supplied<<<1, 256>>>(out, in, n, w);
}
