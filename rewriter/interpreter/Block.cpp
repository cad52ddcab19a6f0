//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "interpreter/Block.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

const char *spellingOf(NumberOperator op) {
  switch (op) {
  case NumberOperator::Add: return "+";
  case NumberOperator::Sub: return "-";
  case NumberOperator::Mul: return "*";
  case NumberOperator::Div: return "/";
  case NumberOperator::Rem: return "%";
  case NumberOperator::Shl: return "<<";
  case NumberOperator::Shr: return ">>";
  case NumberOperator::And: return "&";
  case NumberOperator::Or: return "|";
  case NumberOperator::Xor: return "^";
  }
  return "?";
}

/// Of all that have the same residue in an unsigned type, the polynomial that
/// people think of: `row - 1`, not `row + 4294967295`.
Polynomial nearestResidue(const Polynomial &value, NumberType type) {
  if (type.isSigned || !value.isValid())
    return value;
  Polynomial result;
  for (Term term : value.getTerms()) {
    term.coefficient = truncated(term.coefficient, {type.bits, true});
    result += Polynomial::ofTerm(term);
  }
  return result;
}

/// Both sides are plain numbers: C++ arithmetic in the type.
std::optional<int64_t> fold(NumberOperator op, int64_t a, int64_t b, NumberType type) {
  a = truncated(a, type);
  b = truncated(b, type);
  bool isUnsigned = !type.isSigned;
  uint64_t ua = uint64_t(a), ub = uint64_t(b);
  switch (op) {
  case NumberOperator::Div:
    if (b == 0)
      return std::nullopt;
    return isUnsigned ? int64_t(ua / ub) : b == -1 ? int64_t(0 - ua) : a / b;
  case NumberOperator::Rem:
    if (b == 0)
      return std::nullopt;
    return isUnsigned ? int64_t(ua % ub) : b == -1 ? 0 : a % b;
  case NumberOperator::Shl:
    return b < 0 || b >= 64 ? std::nullopt : std::optional<int64_t>(truncated(ua << b, type));
  case NumberOperator::Shr:
    if (b < 0 || b >= 64)
      return std::nullopt;
    return isUnsigned ? int64_t(ua >> b) : a >> b;
  case NumberOperator::And: return a & b;
  case NumberOperator::Or: return a | b;
  case NumberOperator::Xor: return truncated(a ^ b, type);
  default: return std::nullopt; // the polynomials do it
  }
}

} // namespace

Diagnostic unknownGuard(CopyKind kind, const SharedObject &object, Place store,
                        const std::string &why) {
  return diagnose(diag::unknown_index, store,
                  std::string("the guard of this store ") + (kind == CopyKind::Load ? "to" : "of") +
                      " '" + object.name + "'",
                  why);
}

int64_t truncated(int64_t value, NumberType type) {
  if (type.bits >= 64)
    return value;
  return type.isSigned ? SignExtend64(uint64_t(value), type.bits)
                       : int64_t(uint64_t(value) & maskTrailingOnes<uint64_t>(type.bits));
}

/// Also where the symbols' ranges show that it holds: what an index does from row
/// to row is seen from all of its values.
void Block::need(const Polynomial &value, Interval within, Place place, Needs &needed) {
  if (!value.isConstant() || !symbols.isAlwaysWithin(value, within))
    addNeeds(needed, {needs.intern(value, within, place)});
}

bool Block::holdsAlways(unsigned need) const {
  return symbols.isAlwaysWithin(needs[need].value, needs[need].within);
}

void Block::demand(const Needs &needed) {
  for (unsigned id : needed)
    if (!holdsAlways(id) && demanded.insert(id).second)
      requirements.push_back(needs[id]);
}

void Block::hideFromCopy(const Lookup &lookup, std::string why) {
  hidden.insert(lookup);
  if (lookup.kind == Lookup::Kind::Number)
    return symbols.hideAtCopy(lookup.number, std::move(why));
  bases[lookup.number].hasNameAtCopy = false;
  bases[lookup.number].firstElement.clear();
}

/// Of the text of what is looked up, a part that is hidden, and why that part is; or nothing.
std::optional<std::string> Block::hiddenPartOf(const Lookup &lookup, const Readers &readers) const {
  const bool isNumber = lookup.kind == Lookup::Kind::Number;
  const IndexedName *name = isNumber ? symbols[lookup.number].name.get() : nullptr;
  std::vector<Polynomial> indices =
      isNumber ? std::vector<Polynomial>() : bases[lookup.number].indices;
  if (name)
    indices.insert(indices.end(), name->indices.begin(), name->indices.end());
  if (const std::vector<Polynomial> &own = bases[readers.base].indices; !readers.isByPointer)
    indices.insert(indices.end(), own.begin(), own.end());
  for (const Lookup &part : hidden) {
    if (part.kind == Lookup::Kind::Pointer) {
      if (part.number == readers.base && !readers.isByPointer)
        return "hangs on '" + bases[part.number].spelling + "'";
      continue;
    }
    if (llvm::none_of(indices, [&](const Polynomial &index) {
          return symbols.dependsOn(index, part.number);
        }))
      continue;
    const Symbol &symbol = symbols[part.number];
    const std::string why = symbol.whyHidden.empty() ? "" : ", which " + symbol.whyHidden;
    return "hangs on '" + symbol.spelling + "'" + why;
  }
  return std::nullopt;
}

void Block::hideDependents() {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const auto &[lookup, readers] : readers)
      if (!hidden.count(lookup))
        if (std::optional<std::string> why = hiddenPartOf(lookup, readers)) {
          hideFromCopy(lookup, std::move(*why));
          isChanged = true;
        }
  }
}

std::vector<LookupCondition> Block::lookupConditions() const {
  std::vector<LookupCondition> all;
  for (const LookedUpUnder &each : lookedUpUnder) {
    std::optional<SymbolId> number;
    if (each.lookup.kind == Lookup::Kind::Number)
      number = each.lookup.number;
    if (const Conjunction *bounds = each.condition.asConjunction())
      for (const Bound &bound : *bounds)
        all.push_back({{bound.value, bound.range, each.place}, number});
  }
  return all;
}

void Block::leaveOpen(const Polynomial &size) {
  for (const Term &term : size.getTerms())
    for (SymbolId id : term.factors) {
      const Symbol &symbol = symbols[id];
      if (symbol.kind == Symbol::Kind::Parameter)
        decidingArguments.insert(symbol.spelling);
      else if (auto operation = symbol.operation) {
        leaveOpen(operation->left);
        leaveOpen(operation->right);
      }
    }
}

void Block::leaveOpen(const Condition &condition) {
  for (const Conjunction &alternative : condition.getAlternatives())
    for (const Bound &bound : alternative)
      leaveOpen(bound.value);
}

void Block::require(const Polynomial &value, Interval within, Place place) {
  Needs needed;
  need(value, within, place, needed);
  demand(needed);
}

Polynomial Block::convert(const Polynomial &value, NumberType from, NumberType to, Place place,
                          Needs &needed) {
  if (std::optional<int64_t> number = value.asConstant())
    return truncated(truncated(*number, from), to);
  bool residue = !from.isSigned;
  if (to.bits > from.bits) {
    if (residue)
      need(value, from.range(), place, needed);
  } else if (to.isSigned && (residue || to.bits < from.bits)) {
    const bool mayBeFar = from.isUnsignedLong() && symbols.mayOverflow(value);
    need(value, mayBeFar ? intersection(to.range(), nearby) : to.range(), place, needed);
  }
  return value;
}

Polynomial Block::opaque(const char *op, const Polynomial &a, const Polynomial &b, NumberType type,
                         Interval range) {
  return symbols.computed({op, a, b, type.isSigned && type.bits == 32}, symbols.print(a, op, b),
                          intersection(type.range(), range));
}

/// `1 << bits`. Unsigned numbers of 64 bits are computed as signed ones, so that the power of their
/// highest bit is negative.
Polynomial Block::powerOfTwo(const Polynomial &bits, NumberType type) {
  const bool mayBeHighest =
      type.isUnsignedLong() && !Interval{0, 62}.contains(symbols.rangeOf(bits));
  return symbols.computed({"<<", 1, bits, type.isSigned && type.bits == 32},
                          symbols.print(1, "<<", bits), mayBeHighest ? Interval{} : type.range());
}

/// What a division by a positive number can give: floors for shifts and masks, C++'s
/// rounding towards zero for the others. They are the same where nothing is negative.
static Interval rangeOfDivision(Interval range, int64_t divisor, bool wantRemainder, bool floor) {
  if (wantRemainder)
    return {floor || range.low >= 0 ? 0 : 1 - divisor, divisor - 1};
  return quotients(range, divisor, floor);
}

/// Splits a number into multiples of the divisor and a small rest; the quotient
/// is exact wherever the number is not negative, and everywhere for floors.
Polynomial Block::divide(const Polynomial &a, int64_t divisor, bool wantRemainder, NumberType type,
                         bool floor) {
  Polynomial multiples, rest;
  for (const Term &term : a.getTerms()) {
    bool whole = term.coefficient % divisor == 0;
    (whole && !term.factors.empty() ? multiples : rest) += Polynomial::ofTerm(term);
  }
  std::optional<int64_t> small = rest.asConstant();
  Interval range = symbols.rangeOf(a);
  if (small && (floor || range.low >= 0 || *small % divisor == 0)) {
    int64_t quotient = divideFloorSigned(*small, divisor);
    if (wantRemainder)
      return *small - quotient * divisor;
    return *multiples.dividedBy(divisor) + Polynomial(quotient);
  }
  Interval result = rangeOfDivision(range, divisor, wantRemainder, floor);
  if (!floor || range.low >= 0)
    return opaque(wantRemainder ? "%" : "/", a, divisor, type, result);
  return wantRemainder ? opaque("&", a, divisor - 1, type, result)
                       : opaque(">>", a, int64_t(Log2_64(uint64_t(divisor))), type, result);
}

/// Demands that unsigned operands, which are residues, are within the range of their type where the
/// result depends on it. `<<` has the same result for all residues. So has `&` if its right operand
/// is within the range: that operand has zeros above the type's bits.
void Block::needValues(NumberOperator op, const Polynomial &a, const Polynomial &b, NumberType type,
                       Place place, Needs &needed) {
  if (op == NumberOperator::Shl)
    return;
  const bool isValue = symbols.isAlwaysWithin(b, type.range());
  if (op == NumberOperator::And && isValue)
    return;
  need(a, exactRange(a, type), place, needed);
  if (op != NumberOperator::And)
    need(b, exactRange(b, type), place, needed);
}

/// Where a number without a sign is computed as what it is. One of 64 bits that may be larger than
/// any with a sign has to stay clear of that: nothing tests it exactly there.
Interval Block::exactRange(const Polynomial &value, NumberType type) const {
  const bool mayBeFar = type.isUnsignedLong() && symbols.mayOverflow(value);
  return mayBeFar ? Interval{0, nearby.high} : type.range();
}

/// Whether `high` is a multiple of some power of two, and `low` is at least zero and less than that
/// power, for all values of the symbols. Then `high | low` and `high ^ low` are `high + low`.
bool Block::haveNoBitInCommon(const Polynomial &high, const Polynomial &low) const {
  const Interval range = symbols.rangeOf(low);
  const int64_t divisor = symbols.divisorOf(high);
  return range.low >= 0 && range.high < (divisor & -divisor);
}

/// Splits the constant `bits` at the largest power of two that divides `multiple`. Returns nothing
/// if one of the two parts would be zero, or if `bits` is no positive constant.
std::optional<Block::BitParts> Block::partsOf(const Polynomial &multiple,
                                              const Polynomial &bits) const {
  const std::optional<int64_t> number = bits.asConstant();
  if (!number || *number <= 0)
    return std::nullopt;
  const int64_t divisor = symbols.divisorOf(multiple);
  const int64_t low = *number & ((divisor & -divisor) - 1);
  if (low == 0 || low == *number)
    return std::nullopt;
  return BitParts{multiple, *number - low, low};
}

/// `rows << log` is `rows * (1 << log)`. A number without a sign keeps its residue. One with a sign
/// must not lose bits: what C++ makes of it then has another sign, where a product has no result.
Polynomial Block::shiftLeft(const Polynomial &a, const Polynomial &b, NumberType type, Place place,
                            Needs &needed) {
  const std::optional<int64_t> bits = b.asConstant();
  const Interval all = type.range();
  const bool isKnown = bits && *bits >= 0 && *bits < (type.isSigned ? 63 : 62);
  if (bits && !isKnown && type.isSigned)
    return Polynomial::invalid();
  const Polynomial shifted = a * (isKnown ? Polynomial(int64_t(1) << *bits) : powerOfTwo(b, type));
  if (!type.isSigned)
    return shifted;
  if (type.bits < 64) {
    need(shifted, all, place, needed);
  } else if (isKnown) { // the product may be none that 64 bits hold
    need(a, {all.low >> *bits, all.high >> *bits}, place, needed);
  } else {
    const Interval narrow = rangeOfType(32, /*isSigned=*/true);
    const Interval range = intersection(symbols.rangeOf(a), narrow);
    const uint64_t farthest = uint64_t(std::max(-range.low, range.high));
    need(a, narrow, place, needed);
    need(b, {0, 62 - int64_t(Log2_64_Ceil(std::max<uint64_t>(farthest, 1)))}, place, needed);
  }
  return shifted;
}

/// `a | b` or `a ^ b` as a sum, where they have no bit in common, or none below some power of two.
std::optional<Polynomial> Block::joinBits(NumberOperator op, const Polynomial &a,
                                          const Polynomial &b, NumberType type, Place place,
                                          Needs &needed) {
  if (haveNoBitInCommon(a, b) || haveNoBitInCommon(b, a))
    return nearestResidue(a + b, type);
  for (const std::optional<BitParts> &parts : {partsOf(a, b), partsOf(b, a)})
    if (parts) {
      const Polynomial high = apply(op, parts->multiple, parts->high, type, place, needed);
      return nearestResidue(high + Polynomial(parts->low), type);
    }
  return std::nullopt;
}

/// `a op number`, where that says more than an operation of its own.
std::optional<Polynomial> Block::applyNumber(NumberOperator op, const Polynomial &a, int64_t number,
                                             NumberType type, Place place, Needs &needed) {
  if (number > 0) {
    if (op == NumberOperator::Div || op == NumberOperator::Rem)
      return divide(a, number, op == NumberOperator::Rem, type, false);
    if (op == NumberOperator::Shr && number < 32)
      return divide(a, int64_t(1) << number, false, type, true);
    if (op == NumberOperator::And && isPowerOf2_64(uint64_t(number) + 1))
      return divide(a, number + 1, true, type, true);
  }
  if (number == 0 && (op == NumberOperator::Shr || op == NumberOperator::Shl ||
                      op == NumberOperator::Or || op == NumberOperator::Xor))
    return a;
  return std::nullopt;
}

Polynomial Block::apply(NumberOperator op, const Polynomial &a, const Polynomial &b,
                        NumberType type, Place place, Needs &needed) {
  switch (op) {
  case NumberOperator::Add: return nearestResidue(a + b, type);
  case NumberOperator::Sub: return nearestResidue(a - b, type);
  case NumberOperator::Mul: return nearestResidue(a * b, type);
  default: break;
  }
  std::optional<int64_t> left = a.asConstant(), right = b.asConstant();
  if (left && right) {
    std::optional<int64_t> folded = fold(op, *left, *right, type);
    return folded ? Polynomial(*folded) : Polynomial::invalid();
  }
  if (op == NumberOperator::Xor && right && *right < 0) { // `a ^ ~b` is `~(a ^ b)`
    const Polynomial rest =
        *right == -1 ? a : apply(op, a, Polynomial(~*right), type, place, needed);
    return nearestResidue(Polynomial(-1) - rest, type);
  }
  if (op == NumberOperator::Or || op == NumberOperator::Xor)
    if (std::optional<Polynomial> sum = joinBits(op, a, b, type, place, needed))
      return *sum;
  if (!type.isSigned)
    needValues(op, a, b, type, place, needed);
  if (right)
    if (std::optional<Polynomial> known = applyNumber(op, a, *right, type, place, needed))
      return *known;
  if (op == NumberOperator::Shl)
    return shiftLeft(a, b, type, place, needed);
  return opaque(spellingOf(op), a, b, type, {});
}

unsigned Block::baseOf(GlobalBase base) {
  auto known = llvm::find_if(bases, [&](const GlobalBase &other) {
    return other.spelling == base.spelling && other.code == base.code &&
           other.identity == base.identity && other.indices == base.indices;
  });
  if (known != bases.end())
    return unsigned(known - bases.begin());
  bases.push_back(std::move(base));
  return unsigned(bases.size() - 1);
}

} // namespace tilelift
