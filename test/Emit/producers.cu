// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift --remarks %s -o %t.again.cu 2>&1 | %FileCheck %s --check-prefix=SAID
//
// Copies that a warp of its own makes.

constexpr int T = 16;

// The way to the loop is the program's own text, without what it does not need. The others
// wait for the tiles alone.
__global__ void product(float *__restrict__ c, const float *__restrict__ a,
                        const float *__restrict__ b, int n, int k) {
  __shared__ float as[T][T], bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, first = blockIdx.y * T;
  const float *columns = b + blockIdx.x * T;
  float sum = 0;
#pragma tma pipeline stages(3) warp(producer)
  for (int k0 = 0; k0 < k; k0 += T) {
#pragma tma load
    for (int r = ty; r < T; r += blockDim.y)
      as[r][tx] = a[(first + r) * k + k0 + tx];
#pragma tma load
    for (int r = ty; r < T; r += blockDim.y)
      bs[r][tx] = columns[(k0 + r) * n + tx];
    __syncthreads();
    for (int i = 0; i < T; ++i)
      sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  c[(first + ty) * n + blockIdx.x * T + tx] = sum;
}
// CHECK: struct product_tma_plan {
// CHECK-NEXT: block = {16, 16, 1};
// CHECK-NEXT: lifted_block = {16, 18, 1};
// CHECK: __global__ void __launch_bounds__(288) product_tma(
// CHECK: constexpr tilelift::block_size blockDim = product_tma_plan::block;
// CHECK-NEXT: __shared__ __align__(128) float as_ring[3][T][T], bs_ring[3][T][T];
// CHECK-NEXT: __shared__ tilelift::barrier as_full[3], as_empty[3];
// CHECK-NEXT: tilelift::supply<3> as_place = tilelift::begin(as_full, as_empty, product_tma_plan::block);
// CHECK-NEXT: if (tilelift::is_added(product_tma_plan::block)) {
// CHECK-NEXT: if (tilelift::is_producer(product_tma_plan::block)) {
// CHECK-NEXT: int first = blockIdx.y * T;
// CHECK-NEXT: for (int k0 = 0; k0 < k; k0 += T) {
// CHECK-NEXT: const int tma_slot = as_place.claim(as_full, as_empty, product_tma_plan::as_box::bytes + product_tma_plan::bs_box::bytes);
// CHECK-NEXT: tilelift::load(as_ring[tma_slot], as_map, {k0, first}, as_full[tma_slot]);
// CHECK-NEXT: tilelift::load(bs_ring[tma_slot], bs_map, {16 * int(blockIdx.x), k0}, as_full[tma_slot]);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return;
// CHECK-NEXT: }
// CHECK-NEXT: int tx = threadIdx.x, ty = threadIdx.y, first = blockIdx.y * T;
// CHECK: // tma pipeline: 3 stages, filled by a warp of its own
// CHECK-NEXT: for (int k0 = 0; k0 < k; k0 += T) {
// CHECK-NEXT: // tma load
// CHECK-NEXT: as_place.advance(as_empty);
// CHECK-NEXT: auto &as = as_ring[as_place.stage];
// CHECK-NEXT: auto &bs = bs_ring[as_place.stage];
// CHECK-NEXT: tilelift::wait(as_full, as_place);
// CHECK-NEXT: // tma load
// CHECK-NEXT: for (int i = 0; i < T; ++i)
// CHECK-NEXT: sum += as[ty][i] * bs[i][tx];
// CHECK-NEXT: }
// CHECK-NEXT: c[
// CHECK: launch.launch_as(product_tma_plan::lifted_block);
// CHECK-NEXT: if (launch.can_lift(

// SAID: producers.cu:[[@LINE-49]]:3: remark: the copies of this loop are made up to 2 rounds ahead, in 6144 bytes of shared memory instead of 2048 [-Wtilelift-pipelined]
// SAID: note: a warp of its own makes them: the lifted kernel's block is 16 x 18
// SAID: this __syncthreads() orders nothing any more and is dropped
// SAID: this __syncthreads() orders nothing any more and is dropped

// Loops around it, and what leaves their rounds. Threads that change a tile fence before
// they give it back, and meet without the producer.
template <int Threads>
__global__ void __launch_bounds__(Threads, 2)
    persistent(float *__restrict__ out, const float *__restrict__ in, int tiles, int rounds) {
  __shared__ float part[Threads];
  if (blockIdx.x >= tiles)
    return;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (tile % 4 == 3)
      continue;
    float sum = 0;
    int from = tile * rounds;
#pragma tma pipeline stages(2) warp(producer)
    for (int i = 0; i < rounds; ++i) {
      if (i % 2 != 0) {
#pragma tma load
        part[threadIdx.x] = in[(from + i) * Threads + threadIdx.x];
        __syncthreads();
        part[threadIdx.x] *= 2;
        __syncthreads();
        sum += part[Threads - 1 - threadIdx.x];
      }
    }
    out[tile * Threads + threadIdx.x] = sum;
  }
}
// CHECK: __global__ void __launch_bounds__(persistent_tma_plan<Threads>::lifted_threads, 2)
// CHECK-NEXT: persistent_tma(
// CHECK: if (tilelift::is_producer(persistent_tma_plan<Threads>::block)) {
// CHECK-NEXT: {{^      }}if (blockIdx.x >= tiles)
// CHECK-NEXT: {{^        }}return;
// CHECK-NEXT: {{^      }}for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
// CHECK-NEXT: {{^        }}if (tile % 4 == 3)
// CHECK-NEXT: {{^          }}continue;
// CHECK-NEXT: for (int i = 0; i < rounds; ++i) {
// CHECK-NEXT: if (i % 2 != 0) {
// CHECK-NEXT: const int tma_slot = part_place.claim(part_full, part_empty, persistent_tma_plan<Threads>::part_bytes);
// CHECK-NEXT: tilelift::load_bytes(part_ring[tma_slot], in + {{.*}}, part_full[tma_slot]);
// CHECK: if (blockIdx.x >= tiles)
// CHECK: if (i % 2 != 0) {
// CHECK-NEXT: // tma load
// CHECK-NEXT: tilelift::fence_before_tma();
// CHECK-NEXT: part_place.advance(part_empty);
// CHECK-NEXT: auto &part = part_ring[part_place.stage];
// CHECK-NEXT: tilelift::wait(part_full, part_place);
// CHECK-NEXT: tilelift::sync(persistent_tma_plan<Threads>::block);
// CHECK-NEXT: part[threadIdx.x] *= 2;
// CHECK-NEXT: tilelift::sync(persistent_tma_plan<Threads>::block);
// CHECK-NEXT: sum +=

// Who may do without it is told, and has the leader make them.
__global__ void without(float *__restrict__ out, const float *__restrict__ in, int *counts) {
  __shared__ float part[64];
  int n = counts[blockIdx.x];
#pragma tma pipeline warp(producer) fallback(loop)
  for (int i = 0; i < n; ++i) {
#pragma tma load
    part[threadIdx.x] = in[i * 64 + threadIdx.x];
    counts[i] = 0;
    __syncthreads();
    out[i * 64 + threadIdx.x] = part[63 - threadIdx.x];
    __syncthreads();
  }
}

// CHECK: __global__ void without_tma(
// CHECK: tilelift::ring<4> part_place = tilelift::begin(part_full);
// SAID-NOT: producers.cu:[[@LINE-12]]:3: note: a warp of its own makes them
// SAID: producers.cu:[[@LINE-13]]:3: {{warning}}: no warp of its own can make the copies of this loop: what comes before it reads memory that the kernel may write to [-Wtilelift-no-producer]
// SAID: producers.cu:[[@LINE-16]]:11: note: that is here
// SAID-NOT: producers.cu:[[@LINE-15]]:3: note: a warp of its own makes them

void run(float *out, const float *in, int *counts) {
  without<<<1, 64>>>(out, in, counts);
  product<<<dim3(4, 4), dim3(T, T)>>>(out, in, in, 64, 64);
  persistent<64><<<2, 64>>>(out, in, 5, 3);
  persistent<128><<<2, 128>>>(out, in, 5, 3);
}
