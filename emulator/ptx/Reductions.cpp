//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ptx/Reductions.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilelift::ptx {

using emulator::AtomicOp;
using emulator::AtomicType;

std::optional<AtomicOp> operationOf(const Instruction &code) {
  for (StringRef modifier : code.modifiers)
    if (auto op = StringSwitch<std::optional<AtomicOp>>(modifier)
                      .Case("add", AtomicOp::add)
                      .Case("min", AtomicOp::min)
                      .Case("max", AtomicOp::max)
                      .Case("inc", AtomicOp::inc)
                      .Case("dec", AtomicOp::dec)
                      .Case("and", AtomicOp::bitAnd)
                      .Case("or", AtomicOp::bitOr)
                      .Case("xor", AtomicOp::bitXor)
                      .Case("exch", AtomicOp::exchange)
                      .Case("cas", AtomicOp::cas)
                      .Default(std::nullopt))
      return op;
  return std::nullopt;
}

AtomicType atomicType(Type type) {
  bool isPair = type.lanes == 2;
  if (type.kind == Type::Float)
    return type.bits == 64   ? AtomicType::f64
           : type.bits == 32 ? AtomicType::f32
           : isPair          ? AtomicType::f16x2
                             : AtomicType::f16;
  if (type.kind == Type::Brain)
    return isPair ? AtomicType::bf16x2 : AtomicType::bf16;
  if (type.bits == 16)
    return AtomicType::b16;
  bool isWide = type.bits == 64;
  if (type.kind == Type::Signed)
    return isWide ? AtomicType::s64 : AtomicType::s32;
  if (type.kind == Type::Unsigned)
    return isWide ? AtomicType::u64 : AtomicType::u32;
  return isWide ? AtomicType::b64 : AtomicType::b32;
}

} // namespace tilelift::ptx
