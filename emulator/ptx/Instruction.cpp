//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of an instruction's name say: its type and its modifiers.
//===----------------------------------------------------------------------===//

#include "ptx/Ptx.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilelift::ptx {

Type parseType(StringRef text) {
  unsigned lanes = 1;
  StringRef base = text;
  if (base.consume_back("x2"))
    lanes = 2;
  else if (base.consume_back("x4"))
    lanes = 4;
  auto sized = [&](Type::Kind kind, StringRef digits) {
    unsigned bits = 0;
    if (digits.getAsInteger(10, bits) ||
        (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128))
      return Type();
    return Type{kind, bits, lanes};
  };
  if (base == "pred")
    return {Type::Pred, 1, 1};
  if (base == "tf32")
    return {Type::Tensor32, 32, lanes};
  if (base == "bf16")
    return {Type::Brain, 16, lanes};
  if (base == "e4m3")
    return {Type::E4M3, 8, lanes};
  if (base == "e5m2")
    return {Type::E5M2, 8, lanes};
  if (base.consume_front("b"))
    return sized(Type::Bits, base);
  if (base.consume_front("u"))
    return sized(Type::Unsigned, base);
  if (base.consume_front("s"))
    return sized(Type::Signed, base);
  if (base.consume_front("f"))
    return sized(Type::Float, base);
  return {};
}

bool Instruction::has(StringRef modifier) const { return is_contained(modifiers, modifier); }

Type Instruction::type(unsigned fromLast) const {
  for (const std::string &modifier : reverse(modifiers))
    if (Type type = parseType(modifier))
      if (fromLast-- == 0)
        return type;
  return {};
}

std::string Instruction::text() const {
  std::string all = opcode;
  for (const std::string &modifier : modifiers)
    all += "." + modifier;
  return all;
}

} // namespace tilelift::ptx
