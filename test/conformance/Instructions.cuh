//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX of every operation that the conformance test runs on the hardware.
//
// One function for each kind; which operands make sense is the caller's affair,
// for it wants to see what happens when they do not.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEST_CONFORMANCE_INSTRUCTIONS_CUH
#define TILELIFT_TEST_CONFORMANCE_INSTRUCTIONS_CUH

#include "model/Copy.h"

namespace tilelift::conformance {

using namespace tilelift::emulator;

// In every tensor instruction below operand 0 is the shared address, 1 the map,
// 2 the barrier, 3 the mask of blocks, and from 4 on the coordinates.
#define TILELIFT_COORDINATES_1 "{%4}"
#define TILELIFT_COORDINATES_2 "{%4, %5}"
#define TILELIFT_COORDINATES_3 "{%4, %5, %6}"
#define TILELIFT_COORDINATES_4 "{%4, %5, %6, %7}"
#define TILELIFT_COORDINATES_5 "{%4, %5, %6, %7, %8}"
#define TILELIFT_OFFSETS_3 "{%7}"
#define TILELIFT_OFFSETS_4 "{%8, %9}"
#define TILELIFT_OFFSETS_5 "{%9, %10, %11}"
#define TILELIFT_OPERANDS_1 "r"(c[0])
#define TILELIFT_OPERANDS_2 TILELIFT_OPERANDS_1, "r"(c[1])
#define TILELIFT_OPERANDS_3 TILELIFT_OPERANDS_2, "r"(c[2])
#define TILELIFT_OPERANDS_4 TILELIFT_OPERANDS_3, "r"(c[3])
#define TILELIFT_OPERANDS_5 TILELIFT_OPERANDS_4, "r"(c[4])
#define TILELIFT_OFFSET_OPERANDS_3 "h"(o[0])
#define TILELIFT_OFFSET_OPERANDS_4 TILELIFT_OFFSET_OPERANDS_3, "h"(o[1])
#define TILELIFT_OFFSET_OPERANDS_5 TILELIFT_OFFSET_OPERANDS_4, "h"(o[2])

#define TILELIFT_LOAD_TO(RANK, WHOM, THEIR)                                                        \
  asm volatile("cp.async.bulk.tensor." #RANK                                                       \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" WHOM                   \
               " [%0], [%1, " TILELIFT_COORDINATES_##RANK "], [%2]" THEIR ";" ::"r"(shared),       \
               "l"(map), "r"(barrier), "h"(mask), TILELIFT_OPERANDS_##RANK                         \
               : "memory")

#define TILELIFT_IM2COL_LOAD_TO(RANK, WHOM, THEIR)                                                 \
  asm volatile("cp.async.bulk.tensor." #RANK                                                       \
               "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes" WHOM                 \
               " [%0], [%1, " TILELIFT_COORDINATES_##RANK                                          \
               "], [%2], " TILELIFT_OFFSETS_##RANK THEIR ";" ::"r"(shared),                        \
               "l"(map), "r"(barrier), "h"(mask), TILELIFT_OPERANDS_##RANK,                        \
               TILELIFT_OFFSET_OPERANDS_##RANK                                                     \
               : "memory")

// Without a mask there is no `.multicast::cluster` either.
#define TILELIFT_CASE(LOAD_TO, RANK)                                                               \
  case RANK:                                                                                       \
    if (mask)                                                                                      \
      LOAD_TO(RANK, ".multicast::cluster", ", %3");                                                \
    else                                                                                           \
      LOAD_TO(RANK, "", "");                                                                       \
    break;

#define TILELIFT_STORE(RANK, MODE)                                                                 \
  case RANK:                                                                                       \
    asm volatile("cp.async.bulk.tensor." #RANK "d.global.shared::cta." MODE ".bulk_group "         \
                 "[%1, " TILELIFT_COORDINATES_##RANK "], [%0];" ::"r"(shared),                     \
                 "l"(map), "r"(0), "h"(uint16_t(0)), TILELIFT_OPERANDS_##RANK                      \
                 : "memory");                                                                      \
    break;

#define TILELIFT_REDUCE(RANK, MODE, OPERATION)                                                     \
  case RANK:                                                                                       \
    asm volatile("cp.reduce.async.bulk.tensor." #RANK "d.global.shared::cta." OPERATION "." MODE   \
                 ".bulk_group [%1, " TILELIFT_COORDINATES_##RANK "], [%0];" ::"r"(shared),         \
                 "l"(map), "r"(0), "h"(uint16_t(0)), TILELIFT_OPERANDS_##RANK                      \
                 : "memory");                                                                      \
    break;

#define TILELIFT_PREFETCH(RANK)                                                                    \
  case RANK:                                                                                       \
    asm volatile("cp.async.bulk.prefetch.tensor." #RANK                                            \
                 "d.L2.global.tile [%1, " TILELIFT_COORDINATES_##RANK "];" ::"r"(0),               \
                 "l"(map), "r"(0), "h"(uint16_t(0)), TILELIFT_OPERANDS_##RANK                      \
                 : "memory");                                                                      \
    break;

inline __device__ void load(const TensorCopy &copy, const void *map, uint32_t shared,
                            uint32_t barrier, uint16_t mask) {
  const int32_t *c = copy.coordinates;
  const uint16_t *o = copy.offsets;
  if (copy.form == Form::Im2col)
    switch (copy.rank) {
      TILELIFT_CASE(TILELIFT_IM2COL_LOAD_TO, 3)
      TILELIFT_CASE(TILELIFT_IM2COL_LOAD_TO, 4)
      TILELIFT_CASE(TILELIFT_IM2COL_LOAD_TO, 5)
    }
  else
    switch (copy.rank) {
      TILELIFT_CASE(TILELIFT_LOAD_TO, 1)
      TILELIFT_CASE(TILELIFT_LOAD_TO, 2)
      TILELIFT_CASE(TILELIFT_LOAD_TO, 3)
      TILELIFT_CASE(TILELIFT_LOAD_TO, 4)
      TILELIFT_CASE(TILELIFT_LOAD_TO, 5)
    }
}

inline __device__ void store(const TensorCopy &copy, const void *map, uint32_t shared) {
  const int32_t *c = copy.coordinates;
  if (copy.form == Form::Im2colNoOffsets)
    switch (copy.rank) {
      TILELIFT_STORE(3, "im2col_no_offs")
      TILELIFT_STORE(4, "im2col_no_offs")
      TILELIFT_STORE(5, "im2col_no_offs")
    }
  else
    switch (copy.rank) {
      TILELIFT_STORE(1, "tile")
      TILELIFT_STORE(2, "tile")
      TILELIFT_STORE(3, "tile")
      TILELIFT_STORE(4, "tile")
      TILELIFT_STORE(5, "tile")
    }
}

#define TILELIFT_REDUCE_BY(OPERATION)                                                              \
  if (copy.form == Form::Im2colNoOffsets)                                                          \
    switch (copy.rank) {                                                                           \
      TILELIFT_REDUCE(3, "im2col_no_offs", OPERATION)                                              \
      TILELIFT_REDUCE(4, "im2col_no_offs", OPERATION)                                              \
      TILELIFT_REDUCE(5, "im2col_no_offs", OPERATION)                                              \
    }                                                                                              \
  else                                                                                             \
    switch (copy.rank) {                                                                           \
      TILELIFT_REDUCE(1, "tile", OPERATION)                                                        \
      TILELIFT_REDUCE(2, "tile", OPERATION)                                                        \
      TILELIFT_REDUCE(3, "tile", OPERATION)                                                        \
      TILELIFT_REDUCE(4, "tile", OPERATION)                                                        \
      TILELIFT_REDUCE(5, "tile", OPERATION)                                                        \
    }                                                                                              \
  break;

inline __device__ void reduce(const TensorCopy &copy, const void *map, uint32_t shared) {
  const int32_t *c = copy.coordinates;
  switch (copy.reduction) {
  case ReduceOperation::Add: TILELIFT_REDUCE_BY("add")
  case ReduceOperation::Min: TILELIFT_REDUCE_BY("min")
  case ReduceOperation::Max: TILELIFT_REDUCE_BY("max")
  case ReduceOperation::Inc: TILELIFT_REDUCE_BY("inc")
  case ReduceOperation::Dec: TILELIFT_REDUCE_BY("dec")
  case ReduceOperation::And: TILELIFT_REDUCE_BY("and")
  case ReduceOperation::Or: TILELIFT_REDUCE_BY("or")
  case ReduceOperation::Xor: TILELIFT_REDUCE_BY("xor")
  }
}

inline __device__ void prefetch(const TensorCopy &copy, const void *map) {
  const int32_t *c = copy.coordinates;
  switch (copy.rank) {
    TILELIFT_PREFETCH(1)
    TILELIFT_PREFETCH(2)
    TILELIFT_PREFETCH(3)
    TILELIFT_PREFETCH(4)
    TILELIFT_PREFETCH(5)
  }
}

#define TILELIFT_BULK_LOAD_TO(WHOM, THEIR)                                                         \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" WHOM            \
               " [%0], [%1], %2, [%3]" THEIR ";" ::"r"(shared),                                    \
               "l"(copy.sourceAddress), "r"(copy.bytes), "r"(barrier), "h"(mask)                   \
               : "memory")

inline __device__ void load(const BulkCopy &copy, uint32_t shared, uint32_t barrier,
                            uint16_t mask) {
  if (mask)
    TILELIFT_BULK_LOAD_TO(".multicast::cluster", ", %4");
  else
    TILELIFT_BULK_LOAD_TO("", "");
}

inline __device__ void store(const BulkCopy &copy, uint32_t shared) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(copy.targetAddress),
      "r"(shared), "r"(copy.bytes)
      : "memory");
}

#define TILELIFT_BULK_REDUCE(OPERATION, TYPE, TEXT)                                                \
  if (copy.reduction == ReduceOperation::OPERATION && copy.type == ElementType::TYPE)              \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." TEXT                        \
                 " [%0], [%1], %2;" ::"l"(copy.targetAddress),                                     \
                 "r"(shared), "r"(copy.bytes)                                                      \
                 : "memory");

inline __device__ void reduce(const BulkCopy &copy, uint32_t shared) {
  TILELIFT_BULK_REDUCE(Add, u32, "add.u32")
  TILELIFT_BULK_REDUCE(Add, i32, "add.s32")
  TILELIFT_BULK_REDUCE(Add, u64, "add.u64")
  TILELIFT_BULK_REDUCE(Add, f16, "add.noftz.f16")
  TILELIFT_BULK_REDUCE(Add, bf16, "add.noftz.bf16")
  TILELIFT_BULK_REDUCE(Add, f32, "add.f32")
  TILELIFT_BULK_REDUCE(Add, f64, "add.f64")
  TILELIFT_BULK_REDUCE(Min, u32, "min.u32")
  TILELIFT_BULK_REDUCE(Min, i32, "min.s32")
  TILELIFT_BULK_REDUCE(Min, u64, "min.u64")
  TILELIFT_BULK_REDUCE(Min, i64, "min.s64")
  TILELIFT_BULK_REDUCE(Min, f16, "min.f16")
  TILELIFT_BULK_REDUCE(Min, bf16, "min.bf16")
  TILELIFT_BULK_REDUCE(Max, u32, "max.u32")
  TILELIFT_BULK_REDUCE(Max, i32, "max.s32")
  TILELIFT_BULK_REDUCE(Max, u64, "max.u64")
  TILELIFT_BULK_REDUCE(Max, i64, "max.s64")
  TILELIFT_BULK_REDUCE(Max, f16, "max.f16")
  TILELIFT_BULK_REDUCE(Max, bf16, "max.bf16")
  TILELIFT_BULK_REDUCE(Inc, u32, "inc.u32")
  TILELIFT_BULK_REDUCE(Dec, u32, "dec.u32")
  TILELIFT_BULK_REDUCE(And, u32, "and.b32")
  TILELIFT_BULK_REDUCE(And, u64, "and.b64")
  TILELIFT_BULK_REDUCE(Or, u32, "or.b32")
  TILELIFT_BULK_REDUCE(Or, u64, "or.b64")
  TILELIFT_BULK_REDUCE(Xor, u32, "xor.b32")
  TILELIFT_BULK_REDUCE(Xor, u64, "xor.b64")
}

} // namespace tilelift::conformance

#endif
