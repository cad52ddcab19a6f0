//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Elements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilelift {

std::string elementAt(const SharedTile &tile, int64_t byteOffset) {
  std::string text;
  int64_t index = byteOffset / std::max(1u, tile.elementSize);
  for (int64_t extent : llvm::reverse(tile.extents)) {
    text = "[" + std::to_string(index % extent) + "]" + text;
    index /= extent;
  }
  return "'" + tile.name + text + "'";
}

element_type elementTypeOf(StringRef type, unsigned size) {
  element_type fallback = size == 1   ? element_type::u8
                          : size == 2 ? element_type::u16
                          : size == 4 ? element_type::u32
                                      : element_type::u64;
  return StringSwitch<element_type>(type)
      .Case("float", element_type::f32)
      .Case("double", element_type::f64)
      .Case("int", element_type::i32)
      .Cases({"long", "long long"}, element_type::i64)
      .Cases({"__half", "half"}, element_type::f16)
      .Cases({"__nv_bfloat16", "nv_bfloat16"}, element_type::bf16)
      .Default(fallback);
}

Polynomial wholeUnits(Symbols &symbols, const Polynomial &value, int64_t step) {
  if (step == 1)
    return value;
  Polynomial whole, rest;
  for (const Term &term : value.getTerms()) {
    Polynomial one = Polynomial::ofTerm(term);
    bool divides = symbols.divisorOf(one) % step == 0;
    (divides ? whole : rest) += one;
  }
  if (std::optional<int64_t> constant = rest.asConstant()) {
    int64_t down = *constant >= 0 ? *constant / step : -((-*constant + step - 1) / step);
    return whole + Polynomial(down * step);
  }
  // C++ division rounds towards zero: shift by one step so that it rounds down. The program
  // may write the same and mean numbers of 32 bits.
  static const char inWholeNumbers = 0;
  const Polynomial shifted = rest + Polynomial(step);
  Symbol symbol;
  symbol.kind = Symbol::Kind::Opaque;
  symbol.spelling = symbols.print(shifted, "/", step);
  symbol.identity = &inWholeNumbers;
  symbol.operation = std::make_shared<Operation>(Operation{"/", shifted, step, false});
  symbol.range = symbols.rangeOf(rest);
  symbol.range.low =
      symbol.range.low == Interval::lowest ? Interval::lowest : symbol.range.low / step - 1;
  symbol.range.high =
      symbol.range.high == Interval::highest ? Interval::highest : symbol.range.high / step + 1;
  symbol.knownAtLaunch = symbols.knownAtLaunch(rest);
  symbol.readableAtCopy = symbols.readableAtCopy(rest);
  return whole + Polynomial::symbol(symbols.intern(symbol)) * Polynomial(step) - Polynomial(step);
}

} // namespace tilelift
