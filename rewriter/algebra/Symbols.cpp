//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "algebra/Symbols.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace tilelift {
namespace {

int64_t saturate(__int128 value) {
  if (value < Interval::lowest)
    return Interval::lowest;
  if (value > Interval::highest)
    return Interval::highest;
  return int64_t(value);
}

bool isBounded(const Interval &interval) {
  return interval.low != Interval::lowest && interval.high != Interval::highest;
}

Interval product(const Interval &a, const Interval &b) {
  if (isBounded(a) && isBounded(b)) {
    __int128 ends[] = {__int128(a.low) * b.low, __int128(a.low) * b.high, __int128(a.high) * b.low,
                       __int128(a.high) * b.high};
    return {saturate(*std::min_element(ends, ends + 4)),
            saturate(*std::max_element(ends, ends + 4))};
  }
  if (a.low >= 0 && b.low >= 0)
    return {saturate(__int128(a.low) * b.low), Interval::highest};
  return {};
}

} // namespace

Interval intersection(const Interval &a, const Interval &b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

Interval sum(const Interval &a, const Interval &b) {
  Interval result;
  if (a.low != Interval::lowest && b.low != Interval::lowest)
    result.low = saturate(__int128(a.low) + b.low);
  if (a.high != Interval::highest && b.high != Interval::highest)
    result.high = saturate(__int128(a.high) + b.high);
  return result;
}

Interval opposite(const Interval &range) {
  return {range.high == Interval::highest ? Interval::lowest : -range.high,
          range.low == Interval::lowest ? Interval::highest : -range.low};
}

Multiples hull(const Multiples &a, const Multiples &b) {
  return {{std::min(a.range.low, b.range.low), std::max(a.range.high, b.range.high)},
          std::gcd(a.divisor, b.divisor)};
}

Interval quotients(const Interval &range, int64_t divisor, bool floor) {
  auto divided = [&](int64_t end) {
    bool isEndless = end == Interval::lowest || end == Interval::highest;
    return isEndless ? end : floor ? divideFloorSigned(end, divisor) : end / divisor;
  };
  return {divided(range.low), divided(range.high)};
}

Interval rangeOfType(unsigned bits, bool isSigned) {
  if (isSigned)
    return bits >= 64 ? Interval{}
                      : Interval{-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
  return {0, bits >= 63 ? Interval::highest : (int64_t(1) << bits) - 1};
}

/// What is written alike may be made of symbols that are only called the same.
static bool isMadeAlike(const Symbol &a, const Symbol &b) {
  if (a.operation && b.operation)
    return StringRef(a.operation->op) == b.operation->op &&
           a.operation->left == b.operation->left && a.operation->right == b.operation->right &&
           a.operation->isInt == b.operation->isInt;
  if (a.name && b.name)
    return a.name->parts == b.name->parts && a.name->indices == b.name->indices;
  return true;
}

SymbolId Symbols::intern(const Symbol &symbol) {
  for (unsigned copy = 0;; ++copy) {
    auto [place, isNew] = numbers.try_emplace(
        {symbol.kind, symbol.spelling + symbol.code, symbol.identity, symbol.moment, copy},
        SymbolId(table.size()));
    if (isNew)
      table.push_back(symbol);
    if (isNew || isMadeAlike(table[place->second], symbol))
      return place->second;
  }
}

bool isCalled(StringRef op) { return op == "min" || op == "max"; }

Polynomial Symbols::computed(const Operation &operation, std::string spelling, Interval range,
                             const void *identity) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::Opaque;
  symbol.spelling = std::move(spelling);
  symbol.identity = identity;
  symbol.range = range;
  symbol.knownAtLaunch = knownAtLaunch(operation.left) && knownAtLaunch(operation.right);
  symbol.readableAtCopy = readableAtCopy(operation.left) && readableAtCopy(operation.right);
  symbol.operation = std::make_shared<Operation>(operation);
  symbol.divisor = divisorOf(operation);
  return Polynomial::symbol(intern(symbol));
}

bool Symbols::hasParameter(StringRef spelling, StringRef code) const {
  return llvm::any_of(table, [&](const Symbol &symbol) {
    return symbol.kind == Symbol::Kind::Parameter && symbol.spelling == spelling &&
           symbol.code == code;
  });
}

/// A block's index is below the size of the grid: what there is of `blockIdx.x - gridDim.x`.
Interval Symbols::knownBelow(const Polynomial &value) const {
  Interval bound;
  const auto isAlone = [&](const Term &term, Symbol::Kind kind) {
    return term.factors.size() == 1 && table[term.factors[0]].kind == kind;
  };
  for (const Term &index : value.getTerms())
    for (const Term &size : value.getTerms()) {
      const bool isPair = isAlone(index, Symbol::Kind::BlockIndex) &&
                          isAlone(size, Symbol::Kind::GridSize) &&
                          table[index.factors[0]].axis == table[size.factors[0]].axis &&
                          index.coefficient == -size.coefficient;
      if (!isPair)
        continue;
      const Polynomial difference =
          Polynomial::symbol(index.factors[0]) - Polynomial::symbol(size.factors[0]);
      const Interval rest = rangeOf(value - difference * Polynomial(index.coefficient));
      const Interval below = index.coefficient > 0
                                 ? Interval{Interval::lowest, -index.coefficient}
                                 : Interval{-index.coefficient, Interval::highest};
      bound = intersection(bound, sum(rest, below));
    }
  return bound;
}

Interval Symbols::rangeOf(const Polynomial &value) const {
  if (!value.isValid())
    return {};
  Interval total{0, 0};
  for (const Term &term : value.getTerms()) {
    Interval range{term.coefficient, term.coefficient};
    for (SymbolId factor : term.factors) {
      const Interval &other = table[factor].range;
      if (range.low < 0 && range.high == range.low && other.low >= 0 && !isBounded(other))
        range = {Interval::lowest, saturate(__int128(range.high) * other.low)};
      else
        range = product(range, other);
    }
    total = sum(total, range);
  }
  return intersection(total, knownBelow(value));
}

bool Symbols::mayLeaveLongs(const Polynomial &value) const {
  if (!value.isValid() || rangeOf(value).low < 0)
    return false;
  __int128 high = 0;
  for (const Term &term : value.getTerms()) {
    __int128 least = term.coefficient, most = term.coefficient;
    for (SymbolId factor : term.factors) {
      const Interval &range = table[factor].range;
      if (!isBounded(range) || std::max(-least, most) > Interval::highest)
        return isBounded(range);
      const std::initializer_list<__int128> ends{least * range.low, least * range.high,
                                                 most * range.low, most * range.high};
      least = std::min(ends);
      most = std::max(ends);
    }
    high += most;
  }
  return high > Interval::highest;
}

/// The least sum of the negative terms and the greatest sum of the positive ones, in 128 bits;
/// nothing where even these may be too few.
std::optional<std::pair<__int128, __int128>> Symbols::exactEnds(const Polynomial &value) const {
  __int128 low = 0, high = 0;
  for (const Term &term : value.getTerms()) {
    __int128 least = term.coefficient, most = term.coefficient;
    for (SymbolId factor : term.factors) {
      if (std::max(-least, most) > Interval::highest)
        return std::nullopt;
      const Interval &range = table[factor].range;
      const std::initializer_list<__int128> ends{least * range.low, least * range.high,
                                                 most * range.low, most * range.high};
      least = std::min(ends);
      most = std::max(ends);
    }
    low += std::min<__int128>(least, 0);
    high += std::max<__int128>(most, 0);
  }
  return std::pair(low, high);
}

bool Symbols::mayOverflow(const Polynomial &value) const {
  const auto ends = exactEnds(value);
  return !ends || ends->first < Interval::lowest || ends->second > Interval::highest;
}

bool Symbols::isExactlyWithin(const Polynomial &value, __int128 low, __int128 high) const {
  const auto ends = exactEnds(value);
  return ends && ends->first >= low && ends->second <= high;
}

bool Symbols::isAlwaysWithin(const Polynomial &value, Interval interval) const {
  const bool isUnsigned = interval.low >= 0 && interval.high == Interval::highest;
  return interval.contains(rangeOf(value)) && !(isUnsigned && mayLeaveLongs(value));
}

bool Symbols::isNotNegativeIfExact(const Polynomial &value) const {
  return value.isValid() && llvm::all_of(value.getTerms(), [&](const Term &term) {
           return term.coefficient >= 0 && llvm::all_of(term.factors, [&](SymbolId factor) {
                    return table[factor].isUnsignedLong || table[factor].range.low >= 0;
                  });
         });
}

int64_t Symbols::divisorOf(const Polynomial &value) const {
  if (!value.isValid())
    return 1;
  int64_t common = 0;
  for (const Term &term : value.getTerms()) {
    int64_t divisor = term.coefficient;
    for (SymbolId factor : term.factors)
      if (__builtin_mul_overflow(divisor, table[factor].divisor, &divisor))
        divisor = term.coefficient;
    common = std::gcd(common, divisor);
  }
  return common;
}

/// The lowest bits of `a & b` are zero where those of one of them are, the lowest of `a | b` and of
/// `a ^ b` where those of both are.
int64_t Symbols::divisorOf(const Operation &operation) const {
  const StringRef op = operation.op;
  auto lowestBit = [&](const Polynomial &value) {
    const int64_t divisor = divisorOf(value);
    return divisor == 0 ? int64_t(1) << 62 : divisor & -divisor;
  };
  const int64_t left = lowestBit(operation.left), right = lowestBit(operation.right);
  return op == "&" ? std::max(left, right) : op == "|" || op == "^" ? std::min(left, right) : 1;
}

bool Symbols::knownAtLaunch(const Term &term) const {
  return std::all_of(term.factors.begin(), term.factors.end(),
                     [&](SymbolId id) { return table[id].knownAtLaunch; });
}

bool Symbols::knownAtLaunch(const Polynomial &value) const {
  return value.isValid() && std::all_of(value.getTerms().begin(), value.getTerms().end(),
                                        [&](const Term &term) { return knownAtLaunch(term); });
}

/// Whether a check at the launch could never hold, because it needs a lower bound of a counter that
/// has none. The step of such a counter has an unknown sign, so that its range begins at the lowest
/// number of its type. The copy itself can still check the counter's value.
bool Symbols::isOpenTo(const Polynomial &value, const Interval &within) const {
  return llvm::any_of(value.getTerms(), [&](const Term &term) {
    return llvm::any_of(term.factors, [&](SymbolId id) {
      const Symbol &symbol = table[id];
      const bool isOpen =
          !symbol.knownAtLaunch && symbol.below && symbol.range.low <= rangeOfType(32, true).low;
      const bool isAlone = term.factors.size() == 1;
      const bool needsLow = within.low != Interval::lowest && (!isAlone || term.coefficient > 0);
      const bool needsHigh = within.high != Interval::highest && (!isAlone || term.coefficient < 0);
      return isOpen && (needsLow || needsHigh);
    });
  });
}

bool Symbols::boundedAtLaunch(const Polynomial &value) const {
  return std::all_of(value.getTerms().begin(), value.getTerms().end(), [&](const Term &term) {
    return std::all_of(term.factors.begin(), term.factors.end(), [&](SymbolId id) {
      const Symbol &symbol = table[id];
      return symbol.knownAtLaunch || symbol.kind == Symbol::Kind::BlockIndex ||
             (symbol.below && symbol.range.low != Interval::lowest);
    });
  });
}

LaunchParts Symbols::partsOf(const Term &term) const {
  LaunchParts parts{1, term.coefficient};
  for (SymbolId id : term.factors)
    (table[id].knownAtLaunch ? parts.host : parts.device) *= Polynomial::symbol(id);
  return parts;
}

std::vector<LaunchParts> Symbols::partsOf(const Polynomial &value) const {
  std::vector<LaunchParts> all;
  for (const Term &term : value.getTerms()) {
    LaunchParts parts = partsOf(term);
    auto same =
        llvm::find_if(all, [&](const LaunchParts &other) { return other.device == parts.device; });
    if (same == all.end())
      all.push_back(parts);
    else
      same->host += parts.host;
  }
  return all;
}

bool Symbols::endsAtLaunch(const Polynomial &value) const {
  std::vector<SymbolId> moving; // each on its own, they are largest together
  for (const Term &term : value.getTerms())
    for (SymbolId id : term.factors)
      if (!table[id].knownAtLaunch)
        moving.push_back(id);
  std::sort(moving.begin(), moving.end());
  bool isEachOnce = std::adjacent_find(moving.begin(), moving.end()) == moving.end();
  return isEachOnce && std::all_of(moving.begin(), moving.end(), [&](SymbolId id) {
           const Symbol &symbol = table[id];
           return symbol.kind == Symbol::Kind::BlockIndex || (symbol.below && symbol.first);
         });
}

bool Symbols::readableAtCopy(const Polynomial &value) const {
  return std::all_of(value.getTerms().begin(), value.getTerms().end(), [&](const Term &term) {
    return std::all_of(term.factors.begin(), term.factors.end(),
                       [&](SymbolId id) { return table[id].readableAtCopy; });
  });
}

size_t Symbols::lengthOf(const Polynomial &value) const {
  size_t length = 0;
  for (const Term &term : value.getTerms())
    for (SymbolId id : term.factors)
      length += table[id].spelling.size();
  return length;
}

std::set<SymbolId> Symbols::lookupsFor(const Polynomial &value) const {
  std::set<SymbolId> lookups;
  for (const Term &term : value.getTerms())
    for (SymbolId id : term.factors) {
      if (table[id].isLookedUp)
        lookups.insert(id);
      if (const Operation *made = table[id].operation.get()) {
        lookups.merge(lookupsFor(made->left));
        lookups.merge(lookupsFor(made->right));
      }
    }
  return lookups;
}

bool Symbols::dependsOn(const Polynomial &value, SymbolId symbol) const {
  auto isOf = [&](SymbolId id) {
    const Operation *made = table[id].operation.get();
    const IndexedName *name = table[id].name.get();
    return id == symbol ||
           (made && (dependsOn(made->left, symbol) || dependsOn(made->right, symbol))) ||
           (name && llvm::any_of(name->indices, [&](const Polynomial &index) {
              return dependsOn(index, symbol);
            }));
  };
  return llvm::any_of(value.getTerms(),
                      [&](const Term &term) { return llvm::any_of(term.factors, isOf); });
}

void Symbols::standForAlso(SymbolId id, const Symbol &other) {
  Symbol &own = table[id];
  own.range = {std::min(own.range.low, other.range.low),
               std::max(own.range.high, other.range.high)};
  own.divisor = std::gcd(own.divisor, other.divisor);
  own.readableAtCopy &= other.readableAtCopy;
}

std::string Symbols::print(const Polynomial &value) const {
  if (!value.isValid())
    return "<overflow>";
  if (value.isZero())
    return "0";
  SmallVector<Term, 4> terms(value.getTerms());
  std::stable_sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) {
    return a.factors.size() > b.factors.size();
  });
  // A positive term first reads better: "w - 2 * blockIdx.x".
  auto positive = std::find_if(terms.begin(), terms.end(), [](const Term &term) {
    return term.coefficient > 0 && !term.factors.empty();
  });
  if (positive != terms.end())
    std::rotate(terms.begin(), positive, positive + 1);

  std::string text;
  for (const Term &term : terms) {
    const bool isNegative = term.coefficient < 0;
    if (text.empty())
      text += isNegative ? "-" : "";
    else
      text += isNegative ? " - " : " + ";
    text += printWithoutSign(term);
  }
  return text;
}

std::string Symbols::printWithoutSign(const Term &term) const {
  SmallVector<std::string, 4> factors;
  for (SymbolId factor : term.factors)
    factors.push_back(table[factor].spelling);
  const uint64_t magnitude =
      term.coefficient < 0 ? 0 - uint64_t(term.coefficient) : uint64_t(term.coefficient);
  if (magnitude != 1 || factors.empty())
    factors.push_back(std::to_string(magnitude));
  return llvm::join(factors, " * ");
}

std::string Symbols::print(const Polynomial &left, const char *op, const Polynomial &right) const {
  if (StringRef(op) == "+" && right.isZero())
    return "(" + print(left) + ")";
  if (isCalled(op))
    return op + ("(" + print(left)) + ", " + print(right) + ")";
  auto operand = [&](const Polynomial &value) {
    std::string text = print(value);
    bool isSimple = text.find(' ') == std::string::npos;
    return isSimple ? text : "(" + text + ")";
  };
  return "(" + operand(left) + " " + op + " " + operand(right) + ")";
}

std::string Symbols::print(const IndexedName &name) const {
  std::string text = name.parts.front();
  for (size_t i = 0; i < name.indices.size(); ++i)
    text += print(name.indices[i]) + name.parts[i + 1];
  return text;
}

} // namespace tilelift
