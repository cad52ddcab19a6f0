// RUN: %lift-and-check %s %t.cu
// RUN: grep -v CHECK %t.cu | %FileCheck %s
// RUN: %tilelift --dump-plan %s -o /dev/null | %FileCheck %s --check-prefix=PLAN
// RUN: %nvcc -gencode arch=compute_100a,code=sm_100a -c %t.cu -o %t.o
// RUN: %nvcc -arch=compute_100a -ptx %t.cu -o %t.ptx && %FileCheck %s --check-prefix=FOUR < %t.ptx
// RUN: %nvcc -arch=compute_90a -ptx %t.cu -o %t.90.ptx && %FileCheck %s --check-prefix=ONE < %t.90.ptx
// RUN: %nvcc -arch=compute_120a -ptx %t.cu -o %t.120.ptx && %FileCheck %s --check-prefix=DESK < %t.120.ptx
//
// Rows that are looked up one by one. Of docs/parity.md: the map has two dimensions and a box of one
// row (R1.7), the launcher makes it (R1.8, R1.15) of the tensor's elements (R1.10), which nobody has
// to say more of (R1.37); what stands in the kernel names the operation (R1.33), for all devices (R1.27).

#include <cuda_runtime.h>

// PLAN: "gather": {
// PLAN-NEXT: "byFours": false,
// PLAN-NEXT: "count": 8,
// PLAN-NEXT: "distance": 256,
// PLAN-NEXT: "present": [
// PLAN-NEXT: {
// PLAN-NEXT: "condition": "count - blockIdx.x * 8 - tma_row - 1 >= 0",
// PLAN: "condition": "rows[blockIdx.x * 8 + tma_row] >= 0",
// PLAN: "row": "tma_row"

// FOUR-DAG: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes
// FOUR-DAG: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes.L2::cache_hint
// FOUR-DAG: cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group
// FOUR-DAG: cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group.L2::cache_hint
// ONE-NOT: gather4
// ONE-NOT: scatter4
// DESK-NOT: scatter4
// DESK: tile::gather4
// DESK-NOT: scatter4

// CHECK: using tile_box = tilelift::box<float, 64, 1>;
// CHECK: // tma load: gather of 8 rows: tile copies of 1 x 64 f32 (2048 bytes) from 'table' to 'tile'
// CHECK: tilelift::expect(tma_barrier, 8 * guarded_tma_plan::tile_box::bytes);
// CHECK-NEXT: tilelift::load_rows<8, guarded_tma_plan::tile_box::bytes>(
// CHECK-NEXT: tile, 256, tile_map, tma_barrier, [&](int tma_row) -> tilelift::corner<2> {
// CHECK-NEXT: const bool tma_row_exists = (long long)first + tma_row < (long long)count && (long long)rows[(long long)first + tma_row] >= 0;
// CHECK-NEXT: return {{[{][{]}}0, tma_row_exists ? int(rows[(long long)first + tma_row]) : -1}};
// CHECK-NEXT: });
// CHECK: CUtensorMap tile_map = launch.map<guarded_tma_plan::tile_box>(
// CHECK-NEXT: tilelift::element_type::f32, "tile", "table", tilelift::memory_at(table),
// CHECK-NEXT: {{[{][{]}}tilelift::unbounded, "unbounded"},
// CHECK-NEXT: {tilelift::unbounded, "unbounded", 4ll * width, "width * 4"}});
__global__ void guarded(float *out, const float *table, const int *rows, int count, int width) {
  __shared__ float tile[8][64];
  const int first = blockIdx.x * 8;
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < 8 * 64; i += 128) {
    const int row = first + i / 64;
    float value = 0;
    if (row < count && rows[row] >= 0)
      value = table[(long)rows[row] * width + i % 64];
    tile[i / 64][i % 64] = value;
  }
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

// Nobody says that no index is negative: addresses take any.
// CHECK: // tma load: gather of 8 rows: 1-D bulk copies of 256 bytes from 'table' to 'tile'
// CHECK: tilelift::load_byte_rows<8, unguarded_tma_plan::tile_bytes>(
// CHECK-NEXT: tile, 256, tma_barrier, [&](int tma_row) -> const void * {
// CHECK-NEXT: return table + (long long)width * (long long)rows[8 * (long long)blockIdx.x + tma_row];
// CHECK: launch.require_multiple("bulk-offset-16", 4ll * width, 16, "width * 4");
__global__ void unguarded(float *out, const float *table, const int *rows, int width) {
  __shared__ float tile[8][64];
#pragma tma load
  for (int i = threadIdx.x; i < 8 * 64; i += 128)
    tile[i / 64][i % 64] = table[(long)rows[blockIdx.x * 8 + i / 64] * width + i % 64];
  __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

// Rows that are there, with a policy. The indices lie where the block has put them.
// CHECK: // tma load: gather of 8 rows: tile copies
// CHECK: tilelift::load_rows<8,
// CHECK: }, tilelift::cache_policy::evict_first);
// CHECK: // tma store: scatter of 8 rows: tile copies of 1 x 64 f32 (2048 bytes) from 'tile' to 'out'
// CHECK-NEXT: tilelift::fence_before_tma();
// CHECK-NEXT: if (tilelift::are_apart<8, 64, 1>(moved_tma_plan::block, [&](int tma_row) -> tilelift::corner<2> { const bool tma_row_exists = (long long)to[tma_row] >= 0; return {{[{][{]}}0, tma_row_exists ? int(to[tma_row]) : -1}}; })) {
// CHECK-NEXT: if (tilelift::leader(moved_tma_plan::block)) {
// CHECK-NEXT: tilelift::store_rows<8, moved_tma_plan::tile_2_box::bytes>(
// CHECK-NEXT: tile, 256, tile_2_map, [&](int tma_row) -> tilelift::corner<2> {
// CHECK-NEXT: const bool tma_row_exists = (long long)to[tma_row] >= 0;
// CHECK: }, tilelift::cache_policy::evict_last);
__global__ void moved(float *out, const float *__restrict__ table, const int *__restrict__ rows, int width) {
  __shared__ int from[8], to[8];
  __shared__ float tile[8][64];
  if (threadIdx.x < 8) {
    from[threadIdx.x] = rows[blockIdx.x * 8 + threadIdx.x];
    to[threadIdx.x] = from[threadIdx.x] / 2;
  }
  __syncthreads();
#pragma tma load cache(evict_first)
  for (int i = threadIdx.x; i < 8 * 64; i += 128)
    tile[i / 64][i % 64] = from[i / 64] >= 0 ? table[(long)from[i / 64] * width + i % 64] : 0;
  __syncthreads();
#pragma tma store cache(evict_last)
  for (int i = threadIdx.x; i < 8 * 64; i += 128)
    if (to[i / 64] >= 0)
      out[(long)to[i / 64] * width + i % 64] = tile[i / 64][i % 64];
}

// Sums that flush need a box, and boxes numbers below 2^31: all rows are looked at before.
// CHECK: // tma reduce: scatter of 8 rows: tile reduction by 'add' of 1 x 64 f32_ftz (2048 bytes) of 'tile' into 'out'
// CHECK-NEXT: if (tilelift::in_all_rows<8>([&](int tma_row) { return (long long)rows[8 * (long long)blockIdx.x + tma_row] >= 0 && (long long)rows[8 * (long long)blockIdx.x + tma_row] <= 2147483647; }) && tilelift::are_apart<8, 64, 1>(added_tma_plan::block, [&]
// CHECK: tilelift::reduce_rows<8, added_tma_plan::tile_box::bytes>(
// CHECK-NEXT: tilelift::ptx::op_add, tile, 256, tile_map, [&](int tma_row) -> tilelift::corner<2> {
// CHECK-NEXT: return {{[{][{]}}0, int(rows[8 * (long long)blockIdx.x + tma_row])}};
// CHECK: } else {
__global__ void added(float *out, const float *in, const unsigned *__restrict__ rows, int width) {
  __shared__ float tile[8][64];
  for (int i = threadIdx.x; i < 8 * 64; i += 128)
    tile[i / 64][i % 64] = in[blockIdx.x * 512 + i];
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < 8 * 64; i += 128)
    atomicAdd(&out[(size_t)rows[blockIdx.x * 8 + i / 64] * width + i % 64], tile[i / 64][i % 64]);
}

// Ahead of its round a row is looked up by what the round will be called, by all lanes of the warp
// that makes the copies; what is one copy, one of them makes.
// CHECK: if (tilelift::is_producer_warp(ahead_tma_plan::block)) {
// CHECK: for (int k = 0; k < rounds; ++k) {
// CHECK-NEXT: const int tma_slot = tile_place.claim_by_warp(tile_full, tile_empty, 32 * ahead_tma_plan::tile_bytes + ahead_tma_plan::part_bytes);
// CHECK-NEXT: tilelift::load_byte_rows<32, ahead_tma_plan::tile_bytes, 32>(
// CHECK-NEXT: tile_ring[tma_slot], 256, tile_full[tma_slot], [&](int tma_row) -> const void * {
// CHECK-NEXT: return in + (long long)width * (long long)rows[32 * (long long)k + tma_row];
// CHECK-NEXT: });
// CHECK-NEXT: if (tilelift::is_first_lane()) {
// CHECK-NEXT: tilelift::load_bytes(part_ring[tma_slot], in + 64 * (long long)k, ahead_tma_plan::part_bytes, tile_full[tma_slot]);
// CHECK-NEXT: }
__global__ void ahead(float *__restrict__ out, const float *__restrict__ in, const int *__restrict__ rows, int width,
                      int rounds) {
  __shared__ float tile[32][64], part[64];
  float sum = 0;
#pragma tma pipeline stages(3) warp(producer)
  for (int k = 0; k < rounds; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < 32 * 64; i += 128)
      tile[i / 64][i % 64] = in[rows[k * 32 + i / 64] * width + i % 64];
#pragma tma load
    if (threadIdx.x < 64)
      part[threadIdx.x] = in[k * 64 + threadIdx.x];
    __syncthreads();
    sum += tile[threadIdx.x % 32][threadIdx.x / 2] * part[threadIdx.x % 64];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

void run(float *out, const float *in, const int *rows, int count, int width) {
  guarded<<<count / 8, 128>>>(out, in, rows, count, width);
  unguarded<<<count / 8, 128>>>(out, in, rows, width);
  moved<<<count / 8, 128>>>(out, in, rows, width);
  ahead<<<1, 128>>>(out, in, rows, width, count / 32);
  added<<<count / 8, 128>>>(out, in, reinterpret_cast<const unsigned *>(rows), width);
}
