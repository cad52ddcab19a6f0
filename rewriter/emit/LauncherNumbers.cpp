//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/LauncherNumbers.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

using Kind = HostNumber::Kind;

std::string rangeOfOne(const std::string &number) { return "tilelift::range(" + number + ")"; }

/// What the host knows is one of a term's factors at most, the first.
bool hasHostFactor(const HostNumber::Term &term) {
  return !term.factors.empty() && term.factors.front().kind == Kind::Sum;
}

} // namespace

/// A term, and the texts of those of its factors that come behind its number.
struct LauncherNumbers::Part {
  std::vector<std::string> factors;
  const HostNumber::Term *term;
};

std::string LauncherNumbers::constant(ArrayRef<int64_t> values, StringRef hint) const {
  return numberOrConstant(values, hint, planType, constants);
}

std::string LauncherNumbers::number(const HostNumber &number, StringRef hint) const {
  return sum(number, Arguments::Numbers, hint);
}

std::string LauncherNumbers::exact(const HostNumber &number, StringRef hint) const {
  return sum(number, number.mayOverflow ? Arguments::Ranges : Arguments::Numbers, hint);
}

/// In the order of their texts.
std::vector<LauncherNumbers::Part>
LauncherNumbers::partsOf(const std::vector<HostNumber::Term> &terms, Arguments as,
                         StringRef hint) const {
  std::vector<Part> parts;
  for (const HostNumber::Term &term : terms) {
    Part part{{}, &term};
    for (const HostNumber &each : ArrayRef(term.factors).drop_front(hasHostFactor(term) ? 1 : 0)) {
      part.factors.push_back(each.isRange() ? deviceRange(each, hint) : factor(each, as));
    }
    parts.push_back(std::move(part));
  }
  llvm::stable_sort(parts, [](const Part &a, const Part &b) { return a.factors < b.factors; });
  return parts;
}

std::string LauncherNumbers::sum(const HostNumber &number, Arguments as, StringRef hint) const {
  const std::vector<Part> parts = partsOf(number.terms, as, hint);
  std::string text;
  auto add = [&](const Part &part) {
    InstanceNumbers numbers = part.term->coefficients;
    const bool isSame = llvm::all_equal(numbers), isNegative = isSame && numbers.front() < 0;
    if (isNegative)
      for (int64_t &each : numbers)
        each = -each;
    std::vector<std::string> product;
    // Sums and products of 32-bit arguments would wrap.
    const bool isAlone = parts.size() == 1 && part.factors.size() == 1 && !isNegative;
    if (!isSame)
      product = {"1ll", constant(numbers, hint)};
    else if (numbers.front() != 1 || !isAlone)
      product = {constant(numbers, hint) + "ll"};
    llvm::append_range(product, part.factors);
    text = withSummand(text, llvm::join(product, " * "), isNegative);
  };
  // What is added comes before what is taken away, and the constant, which has no factors, last.
  for (bool isNegative : {false, true})
    for (const Part &part : parts)
      if (!part.factors.empty() && (part.term->coefficients.front() < 0) == isNegative)
        add(part);
  if (!parts.empty() && parts.front().factors.empty())
    add(parts.front());
  return text.empty() ? "0" : text;
}

std::string LauncherNumbers::factor(const HostNumber &factor, Arguments as) const {
  const std::string text = factor.kind != Kind::Argument ? operation(factor)
                           : !factor.code.empty()        ? factor.code
                           : factor.needsCast            ? "(long long)" + factor.text
                                                         : factor.text;
  return as == Arguments::Ranges ? rangeOfOne(text) : text;
}

/// In 64 bits: the arguments may be of any type, unsigned ones too.
std::string LauncherNumbers::operation(const HostNumber &operation) const {
  auto operand = [&](const HostNumber &own, const HostNumber &other) {
    const std::string text = number(own, "operand");
    const bool isAlone = text.find(' ') == std::string::npos;
    const bool isWithConstant =
        other.isConstant() &&
        (other.terms.empty() || other.terms.front().coefficients.front() >= 0);
    if (own.isConstant() || (isAlone && isWithConstant))
      return text;
    return "(long long)" + (isAlone ? text : "(" + text + ")");
  };
  const HostNumber &first = operation.operands[0], &second = operation.operands[1];
  const std::string left = operand(first, second), right = operand(second, first);
  const bool isQuotient = operation.kind == Kind::Quotient;
  if (operation.kind == Kind::Operation)
    return "(" + left + " " + operation.text + " " + right + ")";
  if (second.isConstant())
    return "(" + left + (isQuotient ? " / " : " % ") + right + ")";
  // The plain kernel may never get to where it divides.
  return (isQuotient ? "tilelift::quotient(" : "tilelift::remainder(") + left + ", " + right + ")";
}

std::string LauncherNumbers::deviceRange(const HostNumber &range, StringRef hint) const {
  switch (range.kind) {
  case Kind::BlockIndex:
    return launch + ".block_index(" + std::to_string(range.numbers.front()) + ")";
  case Kind::Counted:
    return "tilelift::counted(" + number(range.operands[0], hint) + ", " +
           number(range.operands[1], hint) + ", " + constant(range.numbers, hint) + ")";
  case Kind::Either:
    return "tilelift::either(" + this->range(range.operands[0], hint) + ", " +
           this->range(range.operands[1], hint) + ")";
  default:
    return "tilelift::range(" + constant(range.numbers, hint) + ", " +
           number(range.operands[0], hint) + " - 1)";
  }
}

/// The factor of a term that the host knows: a sum, or the term's coefficient.
std::string LauncherNumbers::hostFactor(const HostNumber::Term &term, StringRef hint) const {
  return hasHostFactor(term) ? rangeOfOne(exact(term.factors.front(), hint))
                             : constant(term.coefficients, hint);
}

std::string LauncherNumbers::range(const HostNumber &range, StringRef hint) const {
  std::string text;
  auto add = [&](const Part &part) {
    const std::string number = hostFactor(*part.term, hint);
    const bool isNegative = StringRef(number).starts_with("-");
    std::vector<std::string> product = part.factors;
    if (const std::string size = number.substr(isNegative ? 1 : 0); product.empty() || size != "1")
      product.insert(product.begin(), size);
    text = withSummand(text, llvm::join(product, " * "), isNegative);
  };
  const std::vector<Part> parts = partsOf(range.terms, Arguments::Numbers, hint);
  const bool hasRest = !parts.empty() && parts.front().factors.empty();
  for (const Part &part : ArrayRef(parts).drop_front(hasRest ? 1 : 0))
    add(part);
  if (text.empty())
    return rangeOfOne(hasRest ? hostFactor(*parts.front().term, hint) : "0");
  if (hasRest)
    add(parts.front());
  return text;
}

} // namespace tilelift
