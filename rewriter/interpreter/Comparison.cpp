//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `a < b` says of the symbols, in the type that C++ compares in.
//
// Signed numbers are easy. Unsigned ones are residues: `(unsigned)x < w` is meant
// as `0 <= x && x < w`, and that is what it says as long as x fits the signed type
// and w is one of its positive numbers. So one side is an extent and the other an
// index; which is which is a guess here, and what makes it right becomes a
// requirement, so that a wrong guess refuses and never miscompiles.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

std::optional<Comparison> comparisonOf(BinaryOperatorKind op) {
  switch (op) {
  case BO_LT:
  case BO_GT: return Comparison::Less;
  case BO_LE:
  case BO_GE: return Comparison::LessEqual;
  case BO_EQ:
  case BO_NE: return Comparison::Equal;
  default: return std::nullopt;
  }
}

bool areInOneObject(const Scalar &a, const Scalar &b) {
  return a.is(Scalar::Kind::Address) && b.is(Scalar::Kind::Address) && a.space == b.space &&
         a.object == b.object;
}

/// The address that `==` or `!=` compares with a null pointer; null where it compares others.
const Scalar *comparedWithNull(BinaryOperatorKind op, const Scalar &a, const Scalar &b) {
  auto isNull = [](const Scalar &scalar) {
    return scalar.is(Scalar::Kind::Number) && scalar.number.isZero();
  };
  if (op != BO_EQ && op != BO_NE)
    return nullptr;
  if (a.is(Scalar::Kind::Address) && isNull(b))
    return &a;
  return b.is(Scalar::Kind::Address) && isNull(a) ? &b : nullptr;
}

/// The two sides as they are written; null where no operator is, as in a call of `min`.
std::pair<const Expr *, const Expr *> sidesOf(const Expr *where) {
  const auto *binary = dyn_cast<BinaryOperator>(where);
  return binary ? std::pair(binary->getLHS(), binary->getRHS())
                : std::pair<const Expr *, const Expr *>();
}

Polynomial truncatedIfConstant(const Polynomial &value, NumberType type) {
  std::optional<int64_t> number = value.asConstant();
  return number ? Polynomial(truncated(*number, type)) : value;
}

// Which side is the extent -----------------------------------------------------

/// An expression of arguments and constants is an extent beside one of indices.
bool isExtent(const Stmt *expression) {
  if (const auto *reference = dyn_cast<DeclRefExpr>(expression)) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    return !variable || isa<ParmVarDecl>(variable) || variable->isConstexpr();
  }
  return !isa<CallExpr, PseudoObjectExpr>(expression) &&
         llvm::all_of(expression->children(), [](const Stmt *part) { return isExtent(part); });
}

bool dependsOnArguments(const Symbols &symbols, const Polynomial &value) {
  return llvm::any_of(value.getTerms(), [&](const Term &term) {
    return llvm::any_of(term.factors,
                        [&](SymbolId factor) { return symbols[factor].knownAtLaunch; });
  });
}

std::optional<ExtentSide> onlyOne(bool left, bool right) {
  if (left == right)
    return std::nullopt;
  return left ? ExtentSide::Left : ExtentSide::Right;
}

/// By the words of the program, or by what the host knows, or because a number that
/// was widened is more likely an index; else the one that was written on the right.
ExtentSide extentSide(const Expr *left, const Expr *right, bool isSwapped, const Scalar &x,
                      const Scalar &y, const Symbols &symbols) {
  if (left && right)
    if (std::optional<ExtentSide> side = onlyOne(isExtent(left), isExtent(right)))
      return *side;
  // Constants are bounds of what blocks and loops count, as in `i < 32`, but
  // indices beside arguments, as the 0 in `0 < w - x0` for the first thread.
  auto isBound = [&](const Polynomial &value, const Polynomial &other) {
    return value.isConstant() ? !dependsOnArguments(symbols, other) : symbols.knownAtLaunch(value);
  };
  if (std::optional<ExtentSide> side =
          onlyOne(isBound(x.number, y.number), isBound(y.number, x.number)))
    return *side;
  if (std::optional<ExtentSide> side = onlyOne(x.residueBits == 0, y.residueBits == 0))
    return *side;
  return isSwapped ? ExtentSide::Left : ExtentSide::Right;
}

// Residues ---------------------------------------------------------------------

/// The type that orders a residue and another number, where the other is one of its
/// positive numbers: widening does not change which is less.
std::optional<NumberType> residueType(const Scalar &x, const Scalar &y, const Symbols &symbols) {
  const Scalar &residue = x.residueBits != 0 ? x : y;
  const Scalar &other = x.residueBits != 0 ? y : x;
  if (other.residueBits != 0)
    return std::nullopt;
  NumberType narrow{residue.residueBits, false};
  if (std::optional<int64_t> constant = other.number.asConstant())
    if (*constant < 0 || *constant > rangeOfType(narrow.bits, true).high)
      return std::nullopt;
  // Where it is the number for sure, the other one may have its whole type.
  bool isSure = narrow.range().contains(symbols.rangeOf(residue.number));
  return isSure ? NumberType{64, false} : narrow;
}

/// The type in which a comparison in `type` may leave its residues as they are; nothing where both
/// sides have to be numbers.
std::optional<NumberType> typeForResidues(Comparison comparison, const Scalar &x, const Scalar &y,
                                          NumberType type, ExtentSide extent,
                                          const Symbols &symbols) {
  // A signed index that is negative is less than any residue.
  bool isResidueExtent = (extent == ExtentSide::Left ? x : y).residueBits != 0;
  bool isAsUnsigned = !type.isSigned || !isResidueExtent;
  if (comparison == Comparison::Equal || !isAsUnsigned)
    return std::nullopt;
  return residueType(x, y, symbols);
}

} // namespace

Scalar Interpreter::compare(BinaryOperatorKind op, const Scalar &a, const Scalar &b, QualType type,
                            const Expr *where) {
  Scalar unknown = Scalar::ofTruth(Condition::unknown());
  std::optional<Comparison> comparison = comparisonOf(op);
  Place place = placeOf(where);
  bool addresses = areInOneObject(a, b);
  if (const Scalar *address = comparedWithNull(op, a, b)) {
    Condition present = isPresent(*address);
    return Scalar::ofTruth(op == BO_NE ? present : !present);
  }
  if (a.is(Scalar::Kind::Address) && b.is(Scalar::Kind::Address) && !addresses)
    return Scalar::unknown("compares two pointers, and how far they are apart is not known", place);
  std::optional<NumberType> number = addresses ? NumberType{64, true} : numberType(type);
  if (!comparison || !number)
    return unknown;
  auto operand = [&](const Scalar &scalar) {
    return addresses ? Scalar::ofNumber(scalar.number, scalar.needs)
                     : asResidue(scalar, type, place);
  };
  Scalar x = operand(a), y = operand(b);
  auto [left, right] = sidesOf(where);
  bool isSwapped = op == BO_GT || op == BO_GE;
  if (isSwapped) {
    std::swap(x, y);
    std::swap(left, right);
  }
  ExtentSide extent = extentSide(left, right, isSwapped, x, y, block.symbols);
  if (x.residueBits != 0 || y.residueBits != 0) {
    std::optional<NumberType> narrow =
        typeForResidues(*comparison, x, y, *number, extent, block.symbols);
    if (!narrow) {
      x = asNumber(x, type, place);
      y = asNumber(y, type, place);
    }
    number = narrow.value_or(*number);
  }
  for (const auto &[value, operand] : {std::pair(&x, left), std::pair(&y, right)})
    if (!value->is(Scalar::Kind::Number))
      return value->why.empty() || !operand
                 ? unknown
                 : Scalar::unknown("depends on '" + spell(operand) + "', which " + value->why,
                                   place);
  block.demand(x.needs);
  block.demand(y.needs);
  Condition holds = block.compare(*comparison, x.number, y.number, *number, place, extent);
  return Scalar::ofTruth(op == BO_NE ? !holds : holds);
}

Condition Block::compare(Comparison op, const Polynomial &a, const Polynomial &b, NumberType type,
                         Place place, ExtentSide extent) {
  int64_t slack = op == Comparison::Less ? 1 : 0;
  if (op != Comparison::Equal)
    return type.isSigned ? Condition::notNegative(b - a - Polynomial(slack))
                         : compareUnsigned(a, b, slack, type, place, extent);
  if (a.isConstant() && b.isConstant())
    return truncated(*a.asConstant(), type) == truncated(*b.asConstant(), type)
               ? Condition::always()
               : Condition::never();
  if (type.isUnsignedLong())
    return equalLongs(a - b, place);
  Interval positive{0, rangeOfType(type.bits, true).high};
  bool isSure = positive.contains(symbols.rangeOf(a)) && positive.contains(symbols.rangeOf(b));
  if (!type.isSigned && !isSure) {
    require(a, type.range(), place);
    require(b, type.range(), place);
  }
  return Condition::zero(a - b);
}

constexpr __int128 highestUnsigned = std::numeric_limits<uint64_t>::max();

/// Numbers are computed exactly. Where one of 64 bits without a sign may wrap around so far that
/// its exact value says something else of a comparison, as the double of a large one does, it has
/// to stay near.
void Block::requireUnsigned(const Polynomial &value, Interval within, NumberType type,
                            Place place) {
  const bool mayBeFar =
      type.isUnsignedLong() && !symbols.isExactlyWithin(value, Interval::lowest, highestUnsigned);
  require(value, mayBeFar ? intersection(within, nearby) : within, place);
}

/// Whether two unsigned numbers of 64 bits with this difference are equal. What wraps, wraps alike
/// in signed ones. One bound says it where the difference is not negative, as in `n != 0` and
/// `row != SIZE_MAX`.
Condition Block::equalLongs(const Polynomial &difference, Place place) {
  if (!symbols.isExactlyWithin(difference, -highestUnsigned, highestUnsigned))
    require(difference, nearby, place);
  for (const Polynomial &each : {difference, -difference})
    if (symbols.isNotNegativeIfExact(each)) {
      require(each, {0, Interval::highest}, place);
      return !Condition::notNegative(each - Polynomial(1));
    }
  return Condition::zero(difference);
}

/// a + slack <= b. An index gets its lower bound even where it cannot be negative:
/// then all cells have the same.
Condition Block::compareUnsigned(const Polynomial &a, const Polynomial &b, int64_t slack,
                                 NumberType type, Place place, ExtentSide extent) {
  Interval asSigned = rangeOfType(type.bits, true);
  auto inOrder = [&](const Polynomial &x, const Polynomial &y) {
    return Condition::notNegative(y - x - Polynomial(slack));
  };
  if (a.isConstant() && b.isConstant()) {
    uint64_t left = uint64_t(truncated(*a.asConstant(), type)),
             right = uint64_t(truncated(*b.asConstant(), type));
    return (slack != 0 ? left < right : left <= right) ? Condition::always() : Condition::never();
  }
  bool firstIsBound = extent == ExtentSide::Left;
  Polynomial bound = truncatedIfConstant(firstIsBound ? a : b, type);
  Polynomial index = truncatedIfConstant(firstIsBound ? b : a, {type.bits, true});
  bool isPositive = symbols.rangeOf(index).low >= 0;
  requireUnsigned(bound, {0, asSigned.high}, type, place);
  requireUnsigned(index, isPositive ? type.range() : asSigned, type, place);
  return firstIsBound ? !Condition::notNegative(index) || inOrder(bound, index)
                      : Condition::notNegative(index) && inOrder(index, bound);
}

} // namespace tilelift
