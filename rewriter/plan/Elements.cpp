//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Elements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

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

/// floor(value / step), also of negative values, which C++'s division rounds up.
static Polynomial flooredQuotient(Symbols &symbols, const Polynomial &value, int64_t step) {
  // Of numbers of any size: the program may write the same and mean 32 bits.
  static const char inWholeNumbers = 0;
  auto computed = [&](const char *op, const Polynomial &left, int64_t right,
                      const std::string &spelling, Interval range) {
    return symbols.computed({op, left, right, false}, spelling, range, &inWholeNumbers);
  };
  const Interval range = quotients(symbols.rangeOf(value), step, /*floor=*/true);
  const std::string spelling = symbols.print(value, "/", step);
  if (isPowerOf2_64(uint64_t(step)))
    return computed(">>", value, int64_t(Log2_64(uint64_t(step))), spelling, range);
  const Polynomial rest =
      computed("%", value, step, symbols.print(value, "%", step), {1 - step, step - 1}) +
      Polynomial(step);
  const Polynomial above = computed("%", rest, step, symbols.print(rest, "%", step), {0, step - 1});
  return computed("/", value - above, step, spelling, range);
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
  if (std::optional<int64_t> constant = rest.asConstant())
    return whole + Polynomial(divideFloorSigned(*constant, step) * step);
  // One more and one less: people count how many units there are, not which is the last.
  const Polynomial units = flooredQuotient(symbols, rest + Polynomial(step), step);
  return whole + units * Polynomial(step) - Polynomial(step);
}

} // namespace tilelift
