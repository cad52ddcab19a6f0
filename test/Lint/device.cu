// RUN: %tilelift lint --verify %s
// RUN: %tilelift lint --verify -Wno-shared-alignment -Wno-map-parameter %s -- -DSILENT
//
// What kernels that are written by hand give to TMA: maps, places in shared memory, bytes.

#include <cstdint>
#include <cuda.h>
#include <cuda/ptx>

__device__ inline uint32_t shared_address(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
__device__ inline uint32_t by_assembly(const void *pointer) {
  uint32_t address;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(address) : "l"(pointer));
  return address;
}

#ifndef SILENT
// Where tiles lie, whatever way their address takes to the instruction.
__device__ void load(void *tile, const CUtensorMap *map, int x, int y, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" // expected-note 11 {{copied here}}
               :: "r"(shared_address(tile)), "l"(map), "r"(x), "r"(y), "r"(shared_address(bar)) : "memory");
}
__device__ void store(const CUtensorMap *map, int x, int y, const float *tile) {
  uint32_t from = by_assembly(tile);
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" // expected-note {{copied here}}
               :: "l"(map), "r"(x), "r"(y), "r"(from) : "memory");
}
// The map is a parameter of all threads, by itself or in an object.
struct Maps {
  CUtensorMap pair[2];
  int count;
};
__device__ void passed_on(float *tile, CUtensorMap map, uint64_t *bar) { // expected-error {{'map' is a copy that each thread has for itself, and TMA reads maps where all see them: pass it as a kernel's parameter that is 'const __grid_constant__' [-Wtilelift-map-parameter]}}
  load(tile, &map, 0, 0, bar); // expected-note {{called here}}
}
__device__ void by_reference(float *tile, const CUtensorMap &map, uint64_t *bar) {
  load(tile, &map, 0, 0, bar); // expected-note {{called here}}
}
__global__ void maps(CUtensorMap changing, const CUtensorMap map, const Maps both, const __grid_constant__ CUtensorMap fine, const CUtensorMap *elsewhere, const __grid_constant__ Maps all, CUtensorMap *out, const CUtensorMap kept) { // expected-error {{'map' is a copy}} expected-error {{'both' is a copy}} expected-error {{'changing' is a copy}}
  __shared__ alignas(128) float tile[32][32];
  __shared__ uint64_t bar;
  CUtensorMap local = fine; // expected-error {{'local' is a copy that each thread has for itself}}
  load(tile, &map, 0, 0, &bar); // expected-note {{called here}}
  load(tile, &both.pair[1], 0, 0, &bar); // expected-note {{called here}}
  load(tile, &local, 0, 0, &bar); // expected-note {{called here}}
  passed_on(tile[0], fine, &bar); // expected-note {{called here}}
  load(tile, &fine, 0, 0, &bar);
  by_reference(tile[0], fine, &bar);
  by_reference(tile[0], changing, &bar); // expected-note {{called here}}
  load(tile, elsewhere, 0, 0, &bar);
  load(tile, &all.pair[0], all.count, 0, &bar);
  // A copy of its bytes is as good as another.
  out[0] = kept;
  memcpy(&out[1], &kept, sizeof kept);
}

struct Stage {
  alignas(128) float a[32][32];
  float b[8];
  float c[32]; // expected-error {{'c' lies at a multiple of 32 bytes, and a tensor copy needs 128: declare it 'alignas(128)'}}
};
__device__ void aligning_load(void *tile, const CUtensorMap *map, uint64_t *bar) {
  tile = (void *)(((uintptr_t)tile + 127) & ~uintptr_t(127));
  load(tile, map, 0, 0, bar);
}
struct Behind {
  float pad[4], tile[1024];
};
struct alignas(128) Before {
  float q[28];
};
struct Both : Before, Behind {};
__device__ void careful_load(float *tile, const CUtensorMap *map, uint64_t *bar) {
  if (shared_address(tile) % 128 == 0)
    load(tile, map, 0, 0, bar); // expected-note {{called here}}
}
template <int N> __device__ void twice(float (&tiles)[N][32], const CUtensorMap *map, uint64_t *bar) {
  load(tiles[0], map, 0, 0, bar); // expected-note {{called here}}
}
__global__ void tiles(const __grid_constant__ CUtensorMap map) {
  __shared__ uint64_t bar;
  __shared__ float plain[32][32]; // expected-error {{'plain' lies at a multiple of 4 bytes, and a tensor copy needs 128: declare it 'alignas(128)' [-Wtilelift-shared-alignment]}}
  __shared__ __align__(16) float passed[4][32]; // expected-error {{'passed' lies at a multiple of 16 bytes}}
  __shared__ alignas(1024) float wide[32][32]; // expected-error {{'wide' is used at a multiple of 64 bytes, and a tensor copy needs 128: copy to a multiple of 128 bytes from its start}}
  __shared__ Stage stage;
  __shared__ alignas(1024) unsigned char bytes[3 * 8192];
  __shared__ Both both;
  __shared__ float looked_at[1024]; // expected-warning {{'looked_at' lies at a multiple of 4 bytes}}
  __shared__ float looked_at_there[1024]; // expected-warning {{'looked_at_there' lies at a multiple of 4 bytes}}
  __shared__ float never[1024];
  extern __shared__ float dynamic[]; // expected-warning {{'dynamic' lies at a multiple of 4 bytes}}
  load(plain, &map, 0, 0, &bar); // expected-note {{called here}}
  twice(passed, &map, &bar); // expected-note {{called here}}
  load(wide, &map, 0, 0, &bar);
  load(&wide[threadIdx.x][0], &map, 0, 0, &bar);
  load(&wide[0][16], &map, 0, 0, &bar); // expected-note {{called here}}
  load(&wide[1][0] + 32, &map, 0, 0, &bar);
  load(&wide[0][16] + 16, &map, 0, 0, &bar);
  load(&wide[0][int(threadIdx.x) * 4], &map, 0, 0, &bar);
  load(&wide[0][threadIdx.x * 32], &map, 0, 0, &bar);
  load(stage.a, &map, 0, 0, &bar);
  load(stage.c, &map, 0, 0, &bar); // expected-note {{called here}}
  store(&map, 0, 0, dynamic); // expected-note {{called here}}
  uint32_t further = 0;
  float *first = reinterpret_cast<float *>(bytes + further);
  further += 8192;
  load(first, &map, 0, 0, &bar);
  load(reinterpret_cast<float *>(bytes + further), &map, 0, 0, &bar);
  aligning_load(bytes + 1, &map, &bar);
  load(static_cast<Behind *>(&both)->tile, &map, 0, 0, &bar);
  // Looked at before, by whom nobody knows.
  if (shared_address(looked_at) % 128 == 0)
    load(looked_at, &map, 0, 0, &bar); // expected-note {{called here}}
  careful_load(looked_at_there, &map, &bar); // expected-note {{called here}}
  while (false)
    load(never, &map, 0, 0, &bar);
  // Nobody knows where these are.
  load(reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(dynamic) + 127) & ~uintptr_t(127)), &map, 0, 0, &bar);
  load(reinterpret_cast<Stage *>(dynamic)->a, &map, 0, 0, &bar);
}
#endif

// Bulk copies go by 16 bytes, in libraries, too.
__global__ void bulk(const float *in, int n) {
  __shared__ uint64_t bar;
  __shared__ float tile[256];
  __shared__ alignas(16) float aligned[256];
  namespace ptx = cuda::ptx;
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, aligned, in, 1000, &bar); // expected-error {{the bulk copy has 1000 bytes, which is no multiple of 16 (bulk-size-16) [-Wtilelift-rule-violated]}}
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, aligned, in, n * 16, &bar);
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, aligned, in, n * 4, &bar);
#ifdef SILENT
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 1024, &bar);
#endif
}
