//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Atomics.h"

namespace tilelift::emulator {

ReduceOperation operationOf(AtomicOp op) {
  switch (op) {
  case AtomicOp::min: return ReduceOperation::Min;
  case AtomicOp::max: return ReduceOperation::Max;
  case AtomicOp::inc: return ReduceOperation::Inc;
  case AtomicOp::dec: return ReduceOperation::Dec;
  case AtomicOp::bitAnd: return ReduceOperation::And;
  case AtomicOp::bitOr: return ReduceOperation::Or;
  case AtomicOp::bitXor: return ReduceOperation::Xor;
  default: return ReduceOperation::Add;
  }
}

ElementType elementOf(AtomicType type) {
  switch (type) {
  case AtomicType::b16: return ElementType::u16;
  case AtomicType::f16:
  case AtomicType::f16x2: return ElementType::f16;
  case AtomicType::bf16:
  case AtomicType::bf16x2: return ElementType::bf16;
  case AtomicType::f32: return ElementType::f32;
  case AtomicType::f32_ftz: return ElementType::f32_ftz;
  case AtomicType::f64: return ElementType::f64;
  case AtomicType::s32: return ElementType::i32;
  case AtomicType::s64: return ElementType::i64;
  case AtomicType::u64:
  case AtomicType::b64: return ElementType::u64;
  default: return ElementType::u32;
  }
}

namespace {

uint64_t combined(AtomicOp op, AtomicType type, uint64_t old, uint64_t a, uint64_t b) {
  if (op == AtomicOp::exchange)
    return a;
  if (op == AtomicOp::cas)
    return old == a ? b : old;
  auto one = [&](uint64_t old, uint64_t a) {
    return reduced(operationOf(op), elementOf(type), old, a);
  };
  if (type != AtomicType::f16x2 && type != AtomicType::bf16x2)
    return one(old, a);
  constexpr uint64_t half = 0xffff;
  return one(old & half, a & half) | one(old >> 16 & half, a >> 16 & half) << 16;
}

template <typename Word>
uint64_t exchange(AtomicOp op, AtomicType type, char *place, uint64_t a, uint64_t b) {
  Word *word = reinterpret_cast<Word *>(place);
  Word old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(word, &old, Word(combined(op, type, old, a, b)), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    ;
  return old;
}

} // namespace

uint32_t bytesOf(AtomicType type) {
  switch (type) {
  case AtomicType::b16:
  case AtomicType::f16:
  case AtomicType::bf16: return 2;
  case AtomicType::b64:
  case AtomicType::u64:
  case AtomicType::s64:
  case AtomicType::f64: return 8;
  default: return 4;
  }
}

uint64_t atomically(AtomicOp op, AtomicType type, char *place, uint64_t a, uint64_t b) {
  switch (bytesOf(type)) {
  case 2: return exchange<uint16_t>(op, type, place, a, b);
  case 8: return exchange<uint64_t>(op, type, place, a, b);
  default: return exchange<uint32_t>(op, type, place, a, b);
  }
}

} // namespace tilelift::emulator
