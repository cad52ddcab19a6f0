//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Atomics.h"

#include "model/Reduce.h"

#include <cstdint>

namespace tilelift::emulator {

namespace {

/// What a reduction of the TMA unit computes, an atomic computes as well.
uint64_t combined(AtomicOp op, AtomicType type, uint64_t old, uint64_t a, uint64_t b) {
  constexpr uint64_t low = 0xffff;
  auto with = [&](ElementType element) {
    ReduceOperation operation = ReduceOperation::Add;
    switch (op) {
    case AtomicOp::min: operation = ReduceOperation::Min; break;
    case AtomicOp::max: operation = ReduceOperation::Max; break;
    case AtomicOp::inc: operation = ReduceOperation::Inc; break;
    case AtomicOp::dec: operation = ReduceOperation::Dec; break;
    case AtomicOp::bitAnd: operation = ReduceOperation::And; break;
    case AtomicOp::bitOr: operation = ReduceOperation::Or; break;
    case AtomicOp::bitXor: operation = ReduceOperation::Xor; break;
    default: break;
    }
    return reduced(operation, element, old, a);
  };
  if (op == AtomicOp::exchange)
    return a;
  if (op == AtomicOp::cas)
    return old == a ? b : old;
  switch (type) {
  case AtomicType::f16: return with(ElementType::f16);
  case AtomicType::bf16: return with(ElementType::bf16);
  case AtomicType::f32: return with(ElementType::f32);
  case AtomicType::f64: return with(ElementType::f64);
  case AtomicType::f16x2:
  case AtomicType::bf16x2: {
    AtomicType half = type == AtomicType::f16x2 ? AtomicType::f16 : AtomicType::bf16;
    return combined(op, half, old & low, a & low, 0) |
           combined(op, half, old >> 16 & low, a >> 16 & low, 0) << 16;
  }
  case AtomicType::b16: return with(ElementType::u16);
  case AtomicType::s32: return with(ElementType::i32);
  case AtomicType::s64: return with(ElementType::i64);
  case AtomicType::b64:
  case AtomicType::u64: return with(ElementType::u64);
  default: return with(ElementType::u32);
  }
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
