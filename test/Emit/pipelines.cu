// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift --remarks %s -o %t.again.cu 2>&1 | %FileCheck %s --check-prefix=SAID
// RUN: %tilelift --dump-plan %s | %FileCheck %s --check-prefix=PLAN
//
// Copies that are made ahead of their rounds, products of matrices first (R1.36 of docs/parity.md).

// Copies that stand side by side share a ring's barriers; its place is known to all threads.
__global__ void product(float *c, const float *a, const float *b, int n, int k) {
  __shared__ float as[32][32], bs[32][32];
  int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.f;
#pragma tma pipeline stages(3)
  for (int k0 = 0; k0 < k; k0 += 32) {
#pragma tma load
    as[threadIdx.y][threadIdx.x] = a[row * k + k0 + threadIdx.x];
#pragma tma load
    bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
// CHECK: __global__ void product(
// CHECK: // tma pipeline: in product_tma
// CHECK: __global__ void product_tma(
// CHECK-NEXT: const __grid_constant__ CUtensorMap as_map
// CHECK: __shared__ __align__(128) float as_ring[3][32][32], bs_ring[3][32][32];
// CHECK-NEXT: __shared__ tilelift::barrier as_full[3];
// CHECK-NEXT: tilelift::ring<3> as_place = tilelift::begin(as_full);
// CHECK: // tma pipeline: 3 stages
// CHECK-NEXT: int k0_ahead = 0;
// CHECK-NEXT: if (tilelift::leader(product_tma_plan::block)) {
// CHECK-NEXT: tilelift::fence_before_tma();
// CHECK-NEXT: for (; as_place.has_room() && k0_ahead < k; k0_ahead += 32) {
// CHECK-NEXT: const int tma_slot_1 = as_place.claim(as_full, product_tma_plan::as_box::bytes + product_tma_plan::bs_box::bytes);
// CHECK-NEXT: tilelift::load(as_ring[tma_slot_1], as_map, {k0_ahead, 32 * int(blockIdx.y)}, as_full[tma_slot_1]);
// CHECK-NEXT: tilelift::load(bs_ring[tma_slot_1], bs_map, {32 * int(blockIdx.x), k0_ahead}, as_full[tma_slot_1]);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: __syncwarp();
// CHECK-NEXT: for (int k0 = 0; k0 < k; k0 += 32) {
// CHECK-NEXT: // tma load: tile copy of 32 x 32 f32 (4096 bytes) from 'a' to 'as'
// CHECK-NEXT: as_place.advance();
// CHECK-NEXT: auto &as = as_ring[as_place.stage];
// CHECK-NEXT: auto &bs = bs_ring[as_place.stage];
// CHECK-NEXT: if (tilelift::leader(product_tma_plan::block)) {
// CHECK-NEXT: tilelift::fence_before_tma();
// CHECK-NEXT: if (k0_ahead < k) {
// CHECK-NEXT: const int tma_slot_1 = as_place.claim(as_full, product_tma_plan::as_box::bytes + product_tma_plan::bs_box::bytes);
// CHECK-NEXT: tilelift::load(as_ring[tma_slot_1], as_map, {k0_ahead, 32 * int(blockIdx.y)}, as_full[tma_slot_1]);
// CHECK-NEXT: tilelift::load(bs_ring[tma_slot_1], bs_map, {32 * int(blockIdx.x), k0_ahead}, as_full[tma_slot_1]);
// CHECK-NEXT: k0_ahead += 32;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: tilelift::wait(as_full, as_place);
// CHECK-NEXT: // tma load: tile copy of 32 x 32 f32 (4096 bytes) from 'b' to 'bs'
// CHECK-NEXT: for (int i = 0; i < 32; ++i)
// CHECK-NEXT: sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: }
// SAID: [[@LINE-50]]:3: remark: the copies of this loop are made up to 2 rounds ahead, in 24576 bytes of shared memory instead of 8192 [-Wtilelift-pipelined]
// PLAN: "stages": 3

// Rows that are moved apart have their own type, a clamped border its own copies, and a
// variable of the body's that is called as ours would be keeps its name.
__global__ void clamped(float *__restrict__ out, const float *__restrict__ in, int n, int tma_slot) {
  __shared__ float part[36];
#pragma tma pipeline stages(2)
  for (int x0 = tma_slot; x0 < n; x0 += 32) {
#pragma tma load
    for (int i = threadIdx.x; i < 36; i += 32)
      part[i] = in[min(max(x0 + i - 4, 0), n - 1)];
    __syncthreads();
    out[x0 + threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 4];
    __syncthreads();
  }
}
// CHECK: using part = tilelift::slot<float[36]>;
// CHECK: __global__ void clamped_tma(
// CHECK: __shared__ clamped_tma_plan::part part_ring[2];
// CHECK: int x0_ahead = tma_slot;
// CHECK: part_place.advance();
// CHECK-NEXT: auto &part = part_ring[part_place.stage].value;
// CHECK: for (; part_place.has_room() && x0_ahead < n; x0_ahead += 32) {
// CHECK-NEXT: const bool tma_lifts = (4 * (long long)x0_ahead - 16) % 16 == 0 && (long long)x0_ahead - 4 >= 0 && (long long)n - (long long)x0_ahead - 33 >= 0;
// CHECK-NEXT: const int tma_slot_1 = part_place.claim(part_full, tma_lifts ? clamped_tma_plan::part_bytes : 0);
// CHECK-NEXT: if (tma_lifts) {
// CHECK-NEXT: tilelift::load_bytes(part_ring[tma_slot_1].value, in + (long long)x0_ahead - 4, clamped_tma_plan::part_bytes, part_full[tma_slot_1]);
// CHECK: tilelift::wait(part_full, part_place);
// CHECK-NEXT: if (!((4 * (long long)x0 - 16) % 16 == 0 && (long long)x0 - 4 >= 0 && (long long)n - (long long)x0 - 33 >= 0)) {
// CHECK-NEXT: for (int i = threadIdx.x; i < 36; i += 32)
// CHECK-NEXT: part[i] = in[min(max(x0 + i - 4, 0), n - 1)];

// As many tiles as it takes.
__global__ void large(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[5120];
#pragma tma pipeline
  for (int i = 0; i < n; ++i) {
#pragma tma load
    for (int j = threadIdx.x; j < 5120; j += 32)
      part[j] = in[i * 5120 + j];
    __syncthreads();
    out[i * 32 + threadIdx.x] = part[5119 - threadIdx.x];
    __syncthreads();
  }
}
// SAID: [[@LINE-9]]:3: remark: the copies of this loop are made up to a round ahead, in 40960 bytes of shared memory instead of 20480
// SAID: note: 2 stages were picked: of such blocks 5 run on an SM at once, with 102400 bytes on their way to it; memory is busy with 40960

__global__ void small(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[32];
#pragma tma pipeline stages(auto)
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 32 + threadIdx.x];
    __syncthreads();
    out[i * 32 + threadIdx.x] = part[31 - threadIdx.x];
    __syncthreads();
  }
}
// SAID: [[@LINE-8]]:3: remark: the copies of this loop are made up to 3 rounds ahead, in 512 bytes of shared memory instead of 128
// SAID: note: 4 stages were picked: of such blocks 32 run on an SM at once, with 12288 bytes on their way to it; memory is busy with 40960
// CHECK: __global__ void small_tma(
// CHECK: // tma pipeline: 4 stages
// CHECK-NEXT: int i_ahead{{.*}} = 0;
// CHECK: #pragma unroll 1
// CHECK-NEXT: for (int i = 0; i < n; ++i) {

// What static memory has no room for lies in dynamic memory, before what is there already.
// Products of matrices read what TMA has filled, so fences between proxies and barriers for
// it have nothing to order.
__device__ float product_of(const float (&a)[64][64]) {
  unsigned pair = 0;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(pair) : "r"(unsigned(__cvta_generic_to_shared(&a[0][0]))) : "memory");
  return float(pair);
}
__global__ void room(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64][64];
  extern __shared__ float sums[];
  float sum = 0.f;
#pragma tma pipeline stages(4)
  for (int i = 0; i < n; ++i) {
#pragma tma load
    for (int j = threadIdx.x; j < 4096; j += 32)
      part[j / 64][j % 64] = in[(i * 64 + j / 64) * n + j % 64];
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async;" ::: "memory");
#endif
    __syncthreads();
    sum += product_of(part);
    __syncthreads();
  }
  out[threadIdx.x] = sum + sums[threadIdx.x];
}
// CHECK: struct room_tma_plan {
// CHECK: using part = tilelift::slot<float[64][64]>;
// CHECK: static constexpr int ring_bytes = 65536;
// CHECK: __global__ void room_tma(
// CHECK: extern __shared__ __align__(128) unsigned char tma_memory[];
// CHECK: auto &part_ring = tilelift::tiles<room_tma_plan::part, 4>(tma_memory);
// CHECK-NEXT: const auto sums = reinterpret_cast<float *>(tma_memory + room_tma_plan::ring_bytes);
// CHECK: tilelift::load(part_ring[tma_slot{{.*}}].value, part_map,
// CHECK: auto &part = part_ring[part_place.stage].value;
// CHECK: tilelift::wait(part_full, part_place);
// CHECK-NEXT: #if __CUDA_ARCH__ >= 900
// CHECK-NEXT: asm volatile("fence.proxy.async;" ::: "memory");
// CHECK-NEXT: #endif
// CHECK-NEXT: sum += product_of(part);
// CHECK-NEXT: __syncthreads();
// CHECK: launch.reserve(room_tma_plan::ring_bytes);

// Arrays of one name have one alignment in all kernels, so one of another has a name of its own.
__global__ void swizzled(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float part[64][32];
  float sum = 0.f;
#pragma tma pipeline stages(8)
  for (int i = 0; i < n; ++i) {
#pragma tma load swizzle(128)
    for (int j = threadIdx.x; j < 2048; j += 32)
      part[j / 32][j % 32] = in[(i * 64 + j / 32) * n + j % 32];
    __syncthreads();
    sum += part[threadIdx.x][3];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// CHECK: __global__ void swizzled_tma(
// CHECK: extern __shared__ __align__(1024) unsigned char tma_memory_1024[];
// CHECK: auto &part_ring = tilelift::tiles<swizzled_tma_plan::part, 8>(tma_memory_1024);

// A tile that is stored in each round takes turns with another one.
__global__ void stored(float *__restrict__ out, const float *__restrict__ in, int n) {
  __shared__ float from[32], to[32];
#pragma tma pipeline stages(3)
  for (int i = 0; i < n; ++i) {
#pragma tma load
    from[threadIdx.x] = in[i * 32 + threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = from[31 - threadIdx.x];
    __syncthreads();
#pragma tma store
    out[i * 32 + threadIdx.x] = to[threadIdx.x];
  }
}
// CHECK: __global__ void stored_tma(
// CHECK: __shared__ __align__(128) float from_ring[3][32], to_ring[2][32];
// CHECK: unsigned to_turn = 0;
// CHECK: for (int i = 0; i < n; ++i) {
// CHECK-NEXT: auto &to = to_ring[to_turn ^= 1];
// CHECK: tilelift::finish_reads<1>();

void run(float *out, const float *in, int n) {
  stored<<<1, 32>>>(out, in, n);
  room<<<1, 32, 128>>>(out, in, n);
  swizzled<<<1, 32>>>(out, in, n);
  large<<<1, 32>>>(out, in, n);
  small<<<1, 32>>>(out, in, n);
  product<<<dim3(2, 2), dim3(32, 32)>>>(out, in, in, n, n);
  clamped<<<1, 32>>>(out, in, n, 0);
}
