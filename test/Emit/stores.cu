// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift --remarks --check %s 2>&1 | %FileCheck %s --check-prefix=REMARK
//
// Where stores are fenced, issued and waited for.

// The program's own barrier is the one before the store; at the end, somebody waits.
// CHECK-LABEL: void last_tma(float *out, int w, int h, const __grid_constant__ CUtensorMap tile_map) {
// CHECK-NEXT:   {{\[\[maybe_unused\]\]}} const tilelift::stores_in_flight tma_stores;
// CHECK-NEXT:   __shared__ __align__(128) float tile[8][32];
// CHECK:        tilelift::fence_before_tma();
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   // tma store: tile copy of 8 x 32 f32 (1024 bytes) from 'tile' to 'out'
// CHECK-NEXT:   if (tilelift::leader(last_tma_plan::block)) {
// CHECK-NEXT:     tilelift::store(tile_map, {32 * int(blockIdx.x), 8 * int(blockIdx.y)}, tile);
// CHECK-NEXT:     tilelift::commit_stores();
// CHECK-NEXT:   }
// CHECK-NEXT: }
__global__ void last(float *out, int w, int h) {
  __shared__ float tile[8][32];
  for (int r = 0; r < 8; ++r)
    tile[r][31 - threadIdx.x] = r;
  __syncthreads();
#pragma tma store
  for (int r = 0; r < 8; ++r)
    if (blockIdx.y * 8 + r < h && blockIdx.x * 32 + threadIdx.x < w)
      out[(blockIdx.y * 8 + r) * w + blockIdx.x * 32 + threadIdx.x] = tile[r][threadIdx.x];
}

// A barrier comes before the tile is written again, and nobody looks at the tensor.
// CHECK-LABEL: void in_rounds_tma(
// CHECK:        tilelift::fence_before_tma();
// CHECK-NEXT:   __syncthreads();
// CHECK:          tilelift::store_bytes(out + 64 * (long long)blockIdx.x, part, in_rounds_tma_plan::part_bytes, tilelift::cache_policy::evict_first);
// CHECK-NEXT:     tilelift::commit_stores();
// CHECK-NEXT:   }
// CHECK-NEXT:   tilelift::finish_reads();
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   part[threadIdx.x] = 0;
__global__ void in_rounds(float *out) {
  __shared__ float part[64];
  part[63 - threadIdx.x] = threadIdx.x;
  __syncthreads();
#pragma tma store cache(evict_first)
  out[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x];
  __syncthreads();
  part[threadIdx.x] = 0;
}

// Without barriers the plain statement needs none, TMA does.
// CHECK-LABEL: void alone_tma(
// REMARK: :[[#@LINE+16]]:5: remark: a __syncthreads() is added before the copy: threads have written to the tile [-Wtilelift-barrier-added]
// REMARK: :[[#@LINE+15]]:5: remark: a __syncthreads() is added behind the copy: threads may be at the tile or at 'out' before they meet again
// CHECK:          part[threadIdx.x] = i;
// CHECK:          tilelift::fence_before_tma();
// CHECK-NEXT:     __syncthreads();
// CHECK-NEXT:     if (tilelift::leader(alone_tma_plan::block)) {
// CHECK-NEXT:       tilelift::reduce_bytes<cuda::std::int32_t>(tilelift::ptx::op_add, out + 64 * (long long)i, part, alone_tma_plan::part_bytes);
// CHECK-NEXT:       tilelift::commit_stores();
// CHECK-NEXT:     }
// CHECK-NEXT:     tilelift::finish_reads();
// CHECK-NEXT:     __syncthreads();
__global__ void alone(int *out, int n) {
  __shared__ int part[64];
  for (int i = 0; i < n; ++i) {
    part[threadIdx.x] = i;
#pragma tma reduce
    atomicAdd(&out[i * 64 + threadIdx.x], part[threadIdx.x]);
  }
}

// What came by TMA goes by TMA: no thread has touched it.
// CHECK-LABEL: void through_tma(
// CHECK:        tilelift::wait(tma_barrier, tma_phase);
// CHECK-NEXT:   // tma store: 1-D bulk copy of 256 bytes from 'part' to 'out', contiguous
// CHECK-NEXT:   if (tilelift::leader(through_tma_plan::block)) {
__global__ void through(float *__restrict__ out, const float *__restrict__ in) {
  __shared__ float part[64];
#pragma tma load
  part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
#pragma tma store
  out[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x];
}

// The tensor was read by threads, and may be by whoever they tell.
// CHECK-LABEL: void signalled_tma(
// CHECK:        part[63 - threadIdx.x] = out[threadIdx.x];
// CHECK-NEXT:   tilelift::fence_all_before_tma();
// CHECK-NEXT:   __syncthreads();
// CHECK:        tilelift::finish_stores();
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   if (threadIdx.x == 0)
// CHECK-NEXT:     atomicAdd(done, 1);
__global__ void signalled(float *out, int *done) {
  __shared__ float part[64];
  part[63 - threadIdx.x] = out[threadIdx.x];
  __syncthreads();
#pragma tma store
  out[threadIdx.x] = part[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(done, 1);
}

// The pointer has no type, or one through which nothing is written.
// CHECK-LABEL: void untyped_tma(
// CHECK: tilelift::store_bytes(
__global__ void untyped(void *out) {
  __shared__ float part[64];
  const float *view = static_cast<const float *>(out);
  part[63 - threadIdx.x] = view[threadIdx.x];
  __syncthreads();
#pragma tma store
  static_cast<float *>(out)[blockIdx.x * 64 + threadIdx.x] = part[threadIdx.x];
}

// Instantiations that combine in different ways.
struct Sum {
  static __device__ int of(int a, int b) { return a + b; }
};
struct Most {
  static __device__ int of(int a, int b) { return max(a, b); }
};
// CHECK: template <> struct either_tma_plan<Sum> {
// CHECK: using part_operation = decltype(tilelift::ptx::op_add);
// CHECK: template <> struct either_tma_plan<Most> {
// CHECK: using part_operation = decltype(tilelift::ptx::op_max);
// CHECK: tilelift::reduce_bytes<cuda::std::int32_t>(typename either_tma_plan<Operation>::part_operation{}, out, part, either_tma_plan<Operation>::part_bytes);
template <typename Operation> __global__ void either(int *out) {
  __shared__ int part[64];
  part[63 - threadIdx.x] = threadIdx.x;
  __syncthreads();
#pragma tma reduce
  out[threadIdx.x] = Operation::of(out[threadIdx.x], part[threadIdx.x]);
}

void launch(float *out, const float *in, int *sums) {
  last<<<dim3(2, 2), 32>>>(out, 64, 16);
  in_rounds<<<2, 64>>>(out);
  alone<<<2, 64>>>(sums, 3);
  through<<<2, 64>>>(out, in);
  signalled<<<1, 64>>>(out, sums);
  untyped<<<1, 64>>>(out);
  either<Sum><<<1, 64>>>(sums);
  either<Most><<<1, 64>>>(sums);
}
