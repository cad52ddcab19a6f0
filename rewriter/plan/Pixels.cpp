//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Pixels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <set>

using namespace llvm;

namespace tilelift {
namespace {

std::optional<Polynomial> quotientOf(const Polynomial &value, const Polynomial &divisor) {
  Division division = divide(value, divisor);
  return division.remainder.isZero() && value.isValid() ? std::optional(division.quotient)
                                                        : std::nullopt;
}

/// The value as a sum of products with symbols of a list, at most one in each.
std::optional<std::vector<Polynomial>> split(const Polynomial &value, ArrayRef<SymbolId> symbols,
                                             Polynomial &rest) {
  std::vector<Polynomial> factors(symbols.size());
  rest = Polynomial();
  for (const Term &term : value.getTerms()) {
    Term other{{}, term.coefficient};
    const SymbolId *found = nullptr;
    for (const SymbolId &id : term.factors) {
      const SymbolId *known = llvm::find(symbols, id);
      if (known == symbols.end())
        other.factors.push_back(id);
      else if (found)
        return std::nullopt;
      else
        found = known;
    }
    (found ? factors[size_t(found - symbols.begin())] : rest) += Polynomial::ofTerm(other);
  }
  return factors;
}

/// Launches and copies are made where the index is one of these.
constexpr Interval indexRange{0, std::numeric_limits<int32_t>::max()};

class PixelReader {
public:
  explicit PixelReader(const CopyRelation &relation) : relation(relation) {}

  std::optional<PixelRelation> run();

private:
  /// A value in terms of the index's quotients, each the index divided by one divisor.
  struct Reduced {
    Polynomial value;
    /// The flat index, if the value has a quotient of one.
    std::optional<Polynomial> index;
  };

  /// When a cell is loaded, and what its address needs. Most cells have those of the cell before.
  struct Terms {
    Condition guard;
    Needs needs;

    explicit Terms(const Case &load) : guard(load.guard), needs(load.needs) {}
    bool areOf(const Case &load) const { return guard == load.guard && needs == load.needs; }
  };

  void collect(const Polynomial &value, std::set<SymbolId> &symbols) const;
  bool findOwn();
  bool isNeverNegative(const Polynomial &value) const;
  std::optional<Reduced> reduce(const Polynomial &value);
  std::optional<Reduced> reduceSymbol(SymbolId id);
  Polynomial quotient(const Polynomial &divisor);
  std::optional<Polynomial> divided(const Reduced &value, const Polynomial &divisor,
                                    bool mayBeNegative);
  bool isOfOne(const Polynomial &value, std::optional<Polynomial> &index);
  bool areOfOne(const Case &load, std::optional<Polynomial> &index);
  std::optional<std::vector<Polynomial>> indices();
  bool orderDivisors();
  void addDigit(const Polynomial &divisor, std::optional<Polynomial> count);
  std::optional<Polynomial> inDigits(const Polynomial &value, const Polynomial &index);
  bool rewrite(Terms &terms, const Polynomial &index);
  bool rewriteCells(ArrayRef<Polynomial> indices);
  bool isOfPixel(const Cell &cell) const;
  void rewriteRequirements();
  std::vector<Polynomial> extremes(const Polynomial &value, bool highest) const;

  const CopyRelation &relation;
  PixelRelation result;
  /// Operations that differ from cell to cell.
  std::set<SymbolId> own;
  std::map<SymbolId, std::optional<Reduced>> reduced;
  std::vector<Polynomial> divisors;
  std::vector<SymbolId> quotients;
};

void PixelReader::collect(const Polynomial &value, std::set<SymbolId> &symbols) const {
  for (const Term &term : value.getTerms())
    for (SymbolId id : term.factors)
      if (const Operation *made = relation.symbols[id].operation.get())
        if (symbols.insert(id).second) {
          collect(made->left, symbols);
          collect(made->right, symbols);
        }
}

/// What all cells have in common is the block's, and has nothing to do with pixels.
bool PixelReader::findOwn() {
  std::set<SymbolId> common, ofGuard;
  std::optional<Condition> before;
  bool isFirst = true;
  for (const Cell &cell : relation.cells) {
    const Case *load = cell.onlyLoad();
    if (!load || !load->guard.asConjunction())
      return false;
    if (!before || *before != load->guard) {
      before = load->guard;
      ofGuard.clear();
      for (const Bound &bound : *load->guard.asConjunction())
        collect(bound.value, ofGuard);
    }
    std::set<SymbolId> symbols = ofGuard;
    collect(load->source->offset, symbols);
    own.insert(symbols.begin(), symbols.end());
    common = isFirst ? symbols : common;
    isFirst = false;
    for (auto id = common.begin(); id != common.end();)
      id = symbols.count(*id) == 0 ? common.erase(id) : std::next(id);
  }
  for (SymbolId id : common)
    own.erase(id);
  // Nor has what the host computes, such as a stride in elements.
  for (auto id = own.begin(); id != own.end();)
    id = relation.symbols.knownAtLaunch(Polynomial::symbol(*id)) ? own.erase(id) : std::next(id);
  return !own.empty();
}

/// The symbol for the index divided by that.
Polynomial PixelReader::quotient(const Polynomial &divisor) {
  size_t known = size_t(llvm::find(divisors, divisor) - divisors.begin());
  if (known == divisors.size()) {
    Symbol symbol;
    symbol.spelling = "the pixel / (" + relation.symbols.print(divisor) + ")";
    symbol.range = indexRange;
    divisors.push_back(divisor);
    quotients.push_back(result.relation.symbols.intern(symbol));
  }
  return Polynomial::symbol(quotients[known]);
}

/// What is a multiple of the divisor goes out of the quotient; what is left has to be the
/// index, or a quotient of it. Of negative numbers, C++ rounds the quotient up, so that what is
/// left may not be all there is.
std::optional<Polynomial> PixelReader::divided(const Reduced &value, const Polynomial &divisor,
                                               bool mayBeNegative) {
  if (std::optional<Polynomial> rest = quotientOf(value.value - *value.index, divisor))
    return rest->isZero() || !mayBeNegative ? std::optional(quotient(divisor) + *rest)
                                            : std::nullopt;
  for (size_t i = 0; i < divisors.size(); ++i)
    if (auto rest = quotientOf(value.value - Polynomial::symbol(quotients[i]), divisor)) {
      if (!rest->isZero() && mayBeNegative)
        return std::nullopt;
      Polynomial further = divisors[i] * divisor;
      return quotient(further) + *rest;
    }
  return std::nullopt;
}

/// Divisors are tested to be positive, so that remainders and quotients have the sign of what is
/// divided.
bool PixelReader::isNeverNegative(const Polynomial &value) const {
  auto isOfDivision = [&](SymbolId id) {
    const Symbol &symbol = relation.symbols[id];
    const StringRef op = symbol.operation ? StringRef(symbol.operation->op) : StringRef();
    return symbol.range.low >= 0 ||
           ((op == "%" || op == "/") && isNeverNegative(symbol.operation->left));
  };
  return relation.symbols.rangeOf(value).low >= 0 ||
         llvm::all_of(value.getTerms(), [&](const Term &term) {
           return term.coefficient > 0 && llvm::all_of(term.factors, isOfDivision);
         });
}

std::optional<PixelReader::Reduced> PixelReader::reduceSymbol(SymbolId id) {
  auto known = reduced.find(id);
  if (known != reduced.end())
    return known->second;
  const Operation &made = *relation.symbols[id].operation;
  bool isRemainder = StringRef(made.op) == "%";
  std::optional<Reduced> left = reduce(made.left), found;
  std::set<SymbolId> within;
  collect(made.right, within);
  bool isOfIndex = llvm::none_of(within, [&](SymbolId other) { return own.count(other) != 0; });
  if (left && isOfIndex && (isRemainder || StringRef(made.op) == "/")) {
    if (!left->index)
      left->index = left->value;
    if (std::optional<Polynomial> times =
            divided(*left, made.right, /*mayBeNegative=*/!isNeverNegative(made.left)))
      found = Reduced{isRemainder ? left->value - made.right * *times : *times, left->index};
  }
  return reduced[id] = found;
}

std::optional<PixelReader::Reduced> PixelReader::reduce(const Polynomial &value) {
  Reduced total;
  for (const Term &term : value.getTerms()) {
    Polynomial product(term.coefficient);
    for (SymbolId id : term.factors) {
      if (own.count(id) == 0) {
        product *= Polynomial::symbol(id);
        continue;
      }
      std::optional<Reduced> factor = reduceSymbol(id);
      if (!factor || (total.index && *total.index != *factor->index))
        return std::nullopt;
      total.index = factor->index;
      product *= factor->value;
    }
    total.value += product;
  }
  return total;
}

/// Whether a value agrees with the pixel index that other values were made of, if there is one yet.
/// Sets the index where the value is the first to depend on one.
bool PixelReader::isOfOne(const Polynomial &value, std::optional<Polynomial> &index) {
  std::optional<Reduced> found = reduce(value);
  if (!found || (found->index && index && *found->index != *index))
    return false;
  index = found->index ? found->index : index;
  return true;
}

bool PixelReader::areOfOne(const Case &load, std::optional<Polynomial> &index) {
  return llvm::all_of(*load.guard.asConjunction(),
                      [&](const Bound &bound) { return isOfOne(bound.value, index); }) &&
         llvm::all_of(load.needs,
                      [&](unsigned need) { return isOfOne(relation.needs[need].value, index); });
}

/// The index of each cell's pixel, once all of its values are known to be made of one.
std::optional<std::vector<Polynomial>> PixelReader::indices() {
  std::vector<Polynomial> all;
  std::optional<Terms> before;
  std::optional<Polynomial> indexOfTerms;
  for (const Cell &cell : relation.cells) {
    const Case &load = *cell.onlyLoad();
    if (!before || !before->areOf(load)) {
      before = Terms(load);
      indexOfTerms.reset();
      if (!areOfOne(load, indexOfTerms))
        return std::nullopt;
    }
    std::optional<Polynomial> index = indexOfTerms;
    if (!isOfOne(load.source->offset, index) || !index || index->isConstant())
      return std::nullopt;
    all.push_back(*index);
  }
  return all;
}

/// Each divisor is a multiple of the one before it, and so the digits follow one another.
bool PixelReader::orderDivisors() {
  std::vector<std::pair<size_t, size_t>> order; // how many divide it, and which it is
  for (const Polynomial &each : divisors)
    order.push_back({size_t(llvm::count_if(divisors,
                                           [&](const Polynomial &other) {
                                             return quotientOf(each, other).has_value();
                                           })),
                     order.size()});
  llvm::sort(order);
  std::vector<Polynomial> sorted;
  std::vector<SymbolId> symbols;
  Polynomial before(1);
  for (auto [dividing, i] : order) {
    std::optional<Polynomial> count = quotientOf(divisors[i], before);
    if (!count)
      return false;
    addDigit(before, count);
    result.relation.requirements.push_back({divisors[i], {1, Interval::highest}, relation.place});
    sorted.push_back(before = divisors[i]);
    symbols.push_back(quotients[i]);
  }
  addDigit(before, std::nullopt);
  divisors = std::move(sorted);
  quotients = std::move(symbols);
  return true;
}

void PixelReader::addDigit(const Polynomial &divisor, std::optional<Polynomial> count) {
  Symbol symbol;
  symbol.spelling = "digit " + std::to_string(result.digits.size()) + " of the pixel";
  symbol.range = indexRange;
  SymbolId id = result.relation.symbols.intern(symbol);
  if (count)
    result.relation.symbols.boundBelow(id, *count);
  result.digits.push_back({id, divisor, std::move(count)});
}

/// A quotient is its digit and so many times the next quotient; the index is the first.
std::optional<Polynomial> PixelReader::inDigits(const Polynomial &value, const Polynomial &index) {
  std::optional<Reduced> reduced = reduce(value);
  Polynomial rest;
  std::optional<std::vector<Polynomial>> factors =
      reduced ? split(reduced->value, quotients, rest) : std::nullopt;
  if (!factors)
    return std::nullopt;
  Division whole = divide(rest, index);
  Polynomial total = whole.remainder, factor = whole.quotient;
  for (size_t i = 0; i < result.digits.size(); ++i) {
    total += factor * Polynomial::symbol(result.digits[i].symbol);
    if (i < factors->size())
      factor = (*factors)[i] + factor * *result.digits[i].count;
  }
  return total;
}

/// The guard of a cell and what its address needs, in digits of its index.
bool PixelReader::rewrite(Terms &terms, const Polynomial &index) {
  Condition guard = Condition::always();
  for (const Bound &bound : *terms.guard.asConjunction()) {
    std::optional<Polynomial> value = inDigits(bound.value, index);
    if (!value)
      return false;
    if (bound.range.low != Interval::lowest)
      guard = guard && Condition::notNegative(*value - Polynomial(bound.range.low));
    if (bound.range.high != Interval::highest)
      guard = guard && Condition::notNegative(Polynomial(bound.range.high) - *value);
  }
  Needs needs;
  for (unsigned need : terms.needs) {
    const Requirement &old = relation.needs[need];
    std::optional<Reduced> whole = reduce(old.value);
    if (whole && result.relation.symbols.isAlwaysWithin(whole->value, old.within))
      continue;
    bool isOfIndex = whole && !whole->index; // no digit is of use
    std::optional<Polynomial> value = isOfIndex ? old.value : inDigits(old.value, index);
    if (!value)
      return false;
    needs.push_back(result.relation.needs.intern(*value, old.within, old.place));
  }
  terms.guard = std::move(guard);
  terms.needs = std::move(needs);
  return true;
}

bool PixelReader::rewriteCells(ArrayRef<Polynomial> indices) {
  std::optional<Terms> before, rewritten;
  for (size_t i = 0; i < indices.size(); ++i) {
    Case &load = *result.relation.cells[i].onlyLoad();
    std::optional<int64_t> number = (indices[i] - result.first).asConstant();
    std::optional<Polynomial> offset = inDigits(load.source->offset, indices[i]);
    if (!offset || !number)
      return false;
    if (!before || !before->areOf(load) || indices[i] != indices[i - 1]) {
      before = rewritten = Terms(load);
      if (!rewrite(*rewritten, indices[i]))
        return false;
    }
    load.source.edit().offset = *offset + Polynomial(*number) * Polynomial::symbol(result.distance);
    load.guard = rewritten->guard;
    load.needs = rewritten->needs;
  }
  return true;
}

/// What has to hold for the pixel of each cell is the same of its digits, whichever they are. The
/// last digit has no greatest value: what depends on it has to hold as it is.
void PixelReader::rewriteRequirements() {
  std::vector<Requirement> all;
  for (const Requirement &each : result.relation.requirements) {
    std::optional<Reduced> whole = reduce(each.value);
    if (whole && result.relation.symbols.isAlwaysWithin(whole->value, each.within))
      continue;
    std::optional<Polynomial> value =
        whole && whole->index ? inDigits(each.value, *whole->index) : std::nullopt;
    if (value && value->mentions(result.digits.back().symbol))
      value = std::nullopt;
    if (!value || result.relation.symbols.boundedAtLaunch(*value)) {
      all.push_back({value.value_or(each.value), each.within, each.place});
      continue;
    }
    for (const Polynomial &least : extremes(*value, false))
      all.push_back({least, {each.within.low, Interval::highest}, each.place});
    for (const Polynomial &greatest : extremes(*value, true))
      all.push_back({greatest, {Interval::lowest, each.within.high}, each.place});
  }
  result.relation.requirements = withoutImplied(std::move(all));
}

/// The least or the greatest value that the digits make: it is among these, two for each digit of
/// which it is not known whether the value grows with it.
std::vector<Polynomial> PixelReader::extremes(const Polynomial &value, bool highest) const {
  Polynomial rest;
  const std::vector<Polynomial> factors = result.factorsIn(value, rest);
  std::vector<Polynomial> ends{rest};
  for (size_t i = 0; i < factors.size(); ++i) {
    const Interval slope = result.relation.symbols.rangeOf(factors[i]);
    const bool mayGrow = slope.high > 0, mayFall = slope.low < 0;
    const bool mayBeLast = highest ? mayGrow : mayFall, mayBeFirst = highest ? mayFall : mayGrow;
    if (!mayGrow && !mayFall)
      continue;
    const Polynomial last = factors[i] * (*result.digits[i].count - Polynomial(1));
    std::vector<Polynomial> all;
    for (const Polynomial &end : ends) {
      if (mayBeFirst)
        all.push_back(end);
      if (mayBeLast)
        all.push_back(end + last);
    }
    ends = std::move(all);
  }
  return ends;
}

/// Whether the cell's address depends on a digit.
bool PixelReader::isOfPixel(const Cell &cell) const {
  const Case *load = cell.onlyLoad();
  Polynomial rest;
  return load && llvm::any_of(result.factorsIn(load->source->offset, rest),
                              [](const Polynomial &factor) { return !factor.isZero(); });
}

std::optional<PixelRelation> PixelReader::run() {
  if (relation.kind != CopyKind::Load || relation.cells.empty() || !findOwn())
    return std::nullopt;
  result.relation = relation;
  result.relation.needs = {};
  const std::optional<std::vector<Polynomial>> indices = this->indices();
  if (!indices)
    return std::nullopt;
  result.first = indices->front();
  Symbol distance;
  distance.spelling = "the pixel's number";
  result.distance = result.relation.symbols.intern(distance);
  if (!orderDivisors())
    return std::nullopt;
  if (!rewriteCells(*indices))
    return std::nullopt;
  // Quotients that only guards have are none of a pixel's number: they may be the bits of a word.
  if (llvm::none_of(result.relation.cells, [&](const Cell &cell) { return isOfPixel(cell); }))
    return std::nullopt;
  rewriteRequirements();
  return std::move(result);
}

} // namespace

std::vector<Polynomial> PixelRelation::factorsIn(const Polynomial &value, Polynomial &rest) const {
  SmallVector<SymbolId, 5> symbols;
  for (const PixelDigit &digit : digits)
    symbols.push_back(digit.symbol);
  // They come from `inDigits`, which made such sums only.
  return *split(value, symbols, rest);
}

std::optional<PixelRelation> pixelsOf(const CopyRelation &relation) {
  return PixelReader(relation).run();
}

} // namespace tilelift
