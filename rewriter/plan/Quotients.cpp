//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Quotients.h"

#include "llvm/ADT/StringRef.h"

#include <map>
#include <numeric>

using namespace llvm;

namespace tilelift {
namespace {

class Simplifier {
public:
  explicit Simplifier(Symbols &symbols) : symbols(symbols) {}

  Polynomial simple(const Polynomial &value);
  Condition simple(const Condition &condition);
  bool hasChanged() const { return changed; }

private:
  Polynomial simple(SymbolId id);
  std::optional<Polynomial> withoutCommon(SymbolId id);
  Polynomial divided(const Symbol &like, const Polynomial &value, int64_t divisor, Interval range);

  Symbols &symbols;
  std::map<SymbolId, Polynomial> known;
  bool changed = false;
};

Polynomial Simplifier::simple(const Polynomial &value) {
  Polynomial sum;
  for (const Term &term : value.getTerms()) {
    Polynomial product(term.coefficient);
    for (SymbolId id : term.factors)
      product *= simple(id);
    sum += product;
  }
  return sum;
}

Polynomial Simplifier::simple(SymbolId id) {
  auto found = known.find(id);
  if (found != known.end())
    return found->second;
  std::optional<Polynomial> value = withoutCommon(id);
  changed |= value.has_value();
  return known[id] = value.value_or(Polynomial::symbol(id));
}

/// With d = g * k: (g * x + c) / d is (x + c / g) / k, and the remainder is g times that of
/// x + c / g, and that of c. Of numbers that are not negative, all of these round alike.
std::optional<Polynomial> Simplifier::withoutCommon(SymbolId id) {
  const Symbol own = symbols[id];
  if (!own.operation)
    return std::nullopt;
  bool isQuotient = StringRef(own.operation->op) == "/";
  std::optional<int64_t> divisor = own.operation->right.asConstant();
  bool isDivision = isQuotient || StringRef(own.operation->op) == "%";
  if (!isDivision || divisor.value_or(0) <= 0)
    return std::nullopt;
  const Polynomial value = simple(own.operation->left);
  const int64_t constant = value.constantTerm();
  const Polynomial varying = value.withoutConstant();
  const int64_t common = std::gcd(symbols.divisorOf(varying), *divisor);
  bool isWhole = varying.dividedBy(common).has_value();
  if (common <= 1 || !isWhole || constant < 0 || symbols.rangeOf(varying).low < 0)
    return std::nullopt;
  const Polynomial least = *varying.dividedBy(common) + Polynomial(constant / common);
  const int64_t rest = *divisor / common;
  if (isQuotient)
    return divided(own, least, rest, own.range);
  return Polynomial(common) * divided(own, least, rest, {0, rest - 1}) +
         Polynomial(constant % common);
}

/// By the operation of a symbol that is like it.
Polynomial Simplifier::divided(const Symbol &like, const Polynomial &value, int64_t divisor,
                               Interval range) {
  bool isQuotient = StringRef(like.operation->op) == "/";
  if (divisor == 1)
    return isQuotient ? value : Polynomial();
  // What is a multiple of the divisor needs no division.
  Polynomial whole, small;
  for (const Term &term : value.getTerms())
    (term.coefficient % divisor == 0 ? whole : small) += Polynomial::ofTerm(term);
  if (std::optional<int64_t> number = small.asConstant())
    return isQuotient ? *whole.dividedBy(divisor) + Polynomial(*number / divisor)
                      : Polynomial(*number % divisor);
  Symbol symbol = like;
  symbol.operation = std::make_shared<Operation>(
      Operation{like.operation->op, value, Polynomial(divisor), like.operation->isInt});
  symbol.spelling = symbols.print(value, like.operation->op, Polynomial(divisor));
  symbol.range = range;
  return Polynomial::symbol(symbols.intern(symbol));
}

Condition Simplifier::simple(const Condition &condition) {
  if (condition.isUnknown())
    return condition;
  Condition any = Condition::never();
  for (const Conjunction &bounds : condition.getAlternatives()) {
    Condition all = Condition::always();
    for (const Bound &bound : bounds) {
      const Polynomial value = simple(bound.value);
      if (bound.range.low != Interval::lowest)
        all = all && Condition::notNegative(value - Polynomial(bound.range.low));
      if (bound.range.high != Interval::highest)
        all = all && Condition::notNegative(Polynomial(bound.range.high) - value);
    }
    any = any || all;
  }
  return any;
}

} // namespace

std::optional<CopyRelation> withSimpleQuotients(const CopyRelation &relation) {
  CopyRelation simplified = relation;
  Simplifier simplifier(simplified.symbols);
  for (Cell &cell : simplified.cells)
    for (Case &each : cell.cases) {
      each.guard = simplifier.simple(each.guard);
      if (each.source->kind == Source::Kind::Load)
        each.source.edit().offset = simplifier.simple(each.source->offset);
    }
  return simplifier.hasChanged() ? std::optional(std::move(simplified)) : std::nullopt;
}

} // namespace tilelift
