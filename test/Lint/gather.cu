// RUN: %tilelift lint --arch=sm_100a --verify %s
//
// Maps that gather4 and scatter4 are given: each of the four rows is a box of one. From the instruction
// back through the kernel's launch to the call that encodes the map.

#include <cstdint>
#include <cuda.h>
#include <cuda/ptx>

constexpr auto F16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
constexpr auto NONE = CU_TENSOR_MAP_INTERLEAVE_NONE;
constexpr auto PLAIN = CU_TENSOR_MAP_SWIZZLE_NONE;
constexpr auto L2 = CU_TENSOR_MAP_L2_PROMOTION_NONE;
constexpr auto ZERO = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

struct Rows {
  int at[4];
};
struct Tables {
  int count;
  CUtensorMap in, out;
};

__device__ void gather(void *tile, const CUtensorMap *map, Rows rows, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" // expected-note 8 {{copied here}}
               :: "r"((uint32_t)__cvta_generic_to_shared(tile)), "l"(map), "r"(0), "r"(rows.at[0]), "r"(rows.at[1]), "r"(rows.at[2]),
               "r"(rows.at[3]), "r"((uint32_t)__cvta_generic_to_shared(bar)) : "memory");
}
__device__ void scatter(const CUtensorMap &map, Rows rows, const void *tile) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" // expected-note 1 {{copied here}}
               :: "l"(&map), "r"(0), "r"(rows.at[0]), "r"(rows.at[1]), "r"(rows.at[2]), "r"(rows.at[3]),
               "r"((uint32_t)__cvta_generic_to_shared(tile)) : "memory");
}
__device__ void load(void *tile, const CUtensorMap &map, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
               :: "r"((uint32_t)__cvta_generic_to_shared(tile)), "l"(&map), "r"(0), "r"(0),
               "r"((uint32_t)__cvta_generic_to_shared(bar)) : "memory");
}

__global__ void gathers(const __grid_constant__ CUtensorMap map, Rows rows) {
  __shared__ alignas(128) uint16_t tile[4][64];
  __shared__ uint64_t bar;
  gather(tile, &map, rows, &bar); // expected-note 8 {{called here}}
}
// What goes to other instructions may have boxes of any height.
__global__ void both_ways(const __grid_constant__ Tables tables, const __grid_constant__ CUtensorMap whole, Rows rows) {
  __shared__ alignas(128) uint16_t tile[4][64];
  __shared__ uint64_t bar;
  load(tile, whole, &bar);
  gather(tile, &tables.in, rows, &bar); // said of another launch
  scatter(tables.out, rows, tile); // expected-note 1 {{called here}}
}

__global__ void by_library(const __grid_constant__ CUtensorMap map, Rows rows) {
  __shared__ alignas(128) uint16_t tile[4][64];
  __shared__ uint64_t bar;
  namespace ptx = cuda::ptx;
  const int at[5] = {0, rows.at[0], rows.at[1], rows.at[2], rows.at[3]};
  ptx::cp_async_bulk_tensor_tile_gather4(ptx::space_shared, ptx::space_global, tile, &map, at, &bar); // expected-note {{called here}}
}

CUresult encode(CUtensorMap *map, uint16_t *table, cuuint32_t rows) {
  const cuuint64_t sizes[] = {64, 1024}, strides[] = {128};
  const cuuint32_t box[] = {64, rows}, steps[] = {1, 1};
  return cuTensorMapEncodeTiled(map, F16, 2, table, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO); // expected-error {{the box of 'map' has 4 rows, and gather4 takes boxes of 1: each of its four rows is one (gather-map) [-Wtilelift-rule-violated]}} expected-error {{the box of 'map' has 8 rows, and scatter4 takes boxes of 1: each of its four rows is one (gather-map)}} expected-error {{the box of 'map' has 5 rows, and gather4}}
}
CUtensorMap map_of(uint16_t *table, int rows) {
  CUtensorMap map{};
  const cuuint64_t sizes[] = {64, 1024}, strides[] = {128};
  const cuuint32_t box[] = {64, cuuint32_t(rows)}, steps[] = {1, 1};
  if (cuTensorMapEncodeTiled(&map, F16, 2, table, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO) != CUDA_SUCCESS) // expected-error {{the box of 'map' has 4 rows, and gather4 takes boxes of 1}} expected-error {{the box of 'map' has 2 rows}}
    __builtin_trap();
  return map;
}
CUresult in_one_place(uint16_t *table, Rows rows) {
  CUtensorMap map;
  const cuuint64_t sizes[] = {64, 1024}, strides[] = {128};
  const cuuint32_t box[] = {64, 4}, steps[] = {1, 1};
  const CUresult result = cuTensorMapEncodeTiled(&map, F16, 2, table, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO); // expected-error {{the box of 'map' has 4 rows, and gather4 takes boxes of 1}}
  gathers<<<1, 32>>>(map, rows); // expected-note {{called here}}
  return result;
}
CUresult of_three_dimensions(uint16_t *table, Rows rows) {
  CUtensorMap map;
  const cuuint64_t sizes[] = {64, 1024, 2}, strides[] = {128, 131072};
  const cuuint32_t box[] = {64, 1, 1}, steps[] = {1, 1, 1};
  const CUresult result = cuTensorMapEncodeTiled(&map, F16, 3, table, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO); // expected-error {{'map' has 3 dimensions, and gather4 takes maps of 2 (gather-map)}}
  gathers<<<1, 32>>>(map, rows); // expected-note {{called here}}
  return result;
}

// Each way by itself: those with boxes of one row are right.
int by_others(uint16_t *table, Rows rows) {
  CUtensorMap four, one;
  int failed = encode(&four, table, 4) != CUDA_SUCCESS; // expected-note {{called here}}
  failed += encode(&one, table, 1) != CUDA_SUCCESS;
  gathers<<<1, 32>>>(four, rows); // expected-note {{called here}}
  gathers<<<1, 32>>>(one, rows);
  gathers<<<1, 32>>>(map_of(table, 4), rows); // expected-note 2 {{called here}}
  gathers<<<1, 32>>>(map_of(table, 1), rows);
  const CUtensorMap two = map_of(table, 2), same = two; // expected-note {{called here}}
  gathers<<<1, 32>>>(same, rows); // expected-note {{called here}}
  return failed;
}
int in_an_object(uint16_t *table, Rows rows) {
  Tables tables;
  CUtensorMap whole;
  int failed = encode(&tables.in, table, 4) != CUDA_SUCCESS;
  failed += encode(&tables.out, table, 8) != CUDA_SUCCESS; // expected-note {{called here}}
  failed += encode(&whole, table, 16) != CUDA_SUCCESS;
  both_ways<<<1, 32>>>(tables, whole, rows); // expected-note {{called here}}
  return failed;
}
int in_a_library(uint16_t *table, Rows rows) {
  CUtensorMap map;
  const cuuint64_t sizes[] = {64, 1024}, strides[] = {128};
  const cuuint32_t box[] = {64, 16}, steps[] = {1, 1};
  int failed = cuTensorMapEncodeTiled(&map, F16, 2, table, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO) != CUDA_SUCCESS; // expected-error {{the box of 'map' has 16 rows, and gather4 takes boxes of 1}}
  by_library<<<1, 32>>>(map, rows); // expected-note {{called here}}
  return failed;
}
// Whether the map could be made is no question about its rows.
int checked_as_usual(uint16_t *table, Rows rows) {
  CUtensorMap map, other;
  const cuuint64_t sizes[] = {64, 1024}, strides[] = {128};
  const cuuint32_t box[] = {64, 4}, steps[] = {1, 1};
  if (cuTensorMapEncodeTiled(&map, F16, 2, table, sizes, strides, box, steps, NONE, PLAIN, L2, ZERO) != CUDA_SUCCESS) // expected-error {{the box of 'map' has 4 rows, and gather4 takes boxes of 1}}
    return 1;
  gathers<<<1, 32>>>(map, rows); // expected-note {{called here}}
  if (encode(&other, table, 5) != CUDA_SUCCESS) // expected-note {{called here}}
    return 1;
  gathers<<<1, 32>>>(other, rows); // expected-note {{called here}}
  return 0;
}
// Only perhaps.
int on_condition(uint16_t *table, Rows rows, int height) {
  CUtensorMap map;
  const cuuint64_t sizes[] = {64, 1024}, strides[] = {128};
  const cuuint32_t box[] = {64, 4}, steps[] = {1, 1};
  if (height < 1)
    return 1;
  const cuuint64_t tall[] = {64, cuuint64_t(height)};
  int failed = cuTensorMapEncodeTiled(&map, F16, 2, table, tall, strides, box, steps, NONE, PLAIN, L2, ZERO) != CUDA_SUCCESS; // expected-warning {{the box of 'map' has 4 rows, and gather4 takes boxes of 1}}
  gathers<<<1, 32>>>(map, rows); // expected-note {{called here}}
  return failed + int(sizes[0]);
}

CUtensorMap either(uint16_t *table, int height) {
  if (height > 1)
    return map_of(table, 11);
  return map_of(table, 1);
}
// Nobody knows: a height that a run has, a map that is encoded twice, or set in another way. What was said above
// would not be said again: these have other heights.
int unknown(uint16_t *table, Rows rows, int height, const CUtensorMap &other) {
  CUtensorMap any, twice, set;
  int failed = encode(&any, table, height) != CUDA_SUCCESS;
  gathers<<<1, 32>>>(any, rows);
  failed += encode(&twice, table, 5) != CUDA_SUCCESS;
  failed += encode(&twice, table, 1) != CUDA_SUCCESS;
  gathers<<<1, 32>>>(twice, rows);
  failed += encode(&set, table, 6) != CUDA_SUCCESS;
  set = other;
  gathers<<<1, 32>>>(set, rows);
  gathers<<<1, 32>>>(other, rows);
  CUtensorMap several[2], some[2];
  failed += encode(&several[height], table, 7) != CUDA_SUCCESS;
  gathers<<<1, 32>>>(several[0], rows);
  failed += encode(&some[0], table, 9) != CUDA_SUCCESS;
  gathers<<<1, 32>>>(some[height], rows);
  static CUtensorMap everybodys;
  failed += encode(&everybodys, table, 10) != CUDA_SUCCESS;
  gathers<<<1, 32>>>(everybodys, rows);
  gathers<<<1, 32>>>(either(table, height), rows);
  return failed;
}
