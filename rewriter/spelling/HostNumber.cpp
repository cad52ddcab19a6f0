//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "spelling/HostNumber.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

using Kind = HostNumber::Kind;

bool isConstant(const HostNumber &number) {
  return number.kind == Kind::Sum && llvm::all_of(number.terms, [](const HostNumber::Term &term) {
           return term.factors.empty();
         });
}

class Printer {
public:
  explicit Printer(const HostLanguage &language) : language(language) {}

  std::string print(const HostNumber &number) const {
    switch (number.kind) {
    case Kind::Sum: return sum(number);
    case Kind::Argument: return language.argument(number.text);
    case Kind::Operation:
      return "(" + operand(number.operands[0]) + " " + number.text + " " +
             operand(number.operands[1]) + ")";
    case Kind::Quotient:
    case Kind::Remainder:
      return call(number, operand(number.operands[0]) + ", " + operand(number.operands[1]));
    case Kind::BlockIndex: return call(number, language.number(number.number));
    case Kind::Counted:
      return call(number, print(number.operands[0]) + ", " + print(number.operands[1]) + ", " +
                              language.number(number.number));
    case Kind::Between:
      return call(number, language.number(number.number) + ", " + print(number.operands[0]) +
                              " - " + language.number(1));
    }
    return "";
  }

private:
  std::string call(const HostNumber &number, const std::string &arguments) const {
    return language.function(number.kind) + "(" + arguments + ")";
  }

  std::string sum(const HostNumber &number) const {
    std::string text;
    for (const HostNumber::Term &term : number.terms)
      text = withSummand(text, product(term), term.coefficient < 0);
    return text.empty() ? language.number(0) : text;
  }

  /// Without the sign of its coefficient.
  std::string product(const HostNumber::Term &term) const {
    const int64_t times = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    std::string text = times == 1 && !term.factors.empty() ? "" : language.number(times);
    for (const HostNumber &factor : term.factors)
      text += (text.empty() ? "" : " * ") +
              (factor.kind == Kind::Sum ? "(" + print(factor) + ")" : print(factor));
    return text;
  }

  /// Writes an operand, in parentheses unless it is a constant or its text has no space.
  std::string operand(const HostNumber &number) const {
    const bool isSimple =
        isConstant(number) || Printer(HostLanguage()).print(number).find(' ') == std::string::npos;
    return isSimple ? print(number) : "(" + print(number) + ")";
  }

  const HostLanguage &language;
};

/// Sorts the terms of a sum: positive ones first, then negative ones, and the constant last.
void order(std::vector<HostNumber::Term> &terms) {
  auto rank = [](const HostNumber::Term &term) {
    return term.factors.empty() ? 2 : int(term.coefficient < 0);
  };
  llvm::stable_sort(terms, [&](const HostNumber::Term &a, const HostNumber::Term &b) {
    return rank(a) < rank(b);
  });
}

std::vector<std::string> textsOf(const std::vector<HostNumber> &factors) {
  std::vector<std::string> texts;
  for (const HostNumber &factor : factors)
    texts.push_back(print(factor));
  return texts;
}

} // namespace

std::string HostLanguage::function(HostNumber::Kind kind) const {
  switch (kind) {
  case Kind::Quotient: return "quotient";
  case Kind::Remainder: return "remainder";
  case Kind::BlockIndex: return "block_index";
  case Kind::Counted: return "counted";
  case Kind::Between: return "between";
  default: return "";
  }
}

std::string print(const HostNumber &number, const HostLanguage &language) {
  return Printer(language).print(number);
}

std::optional<HostNumber> HostNumbers::ofSymbol(SymbolId id) {
  const Symbol &symbol = symbols[id];
  std::optional<HostNumber> result;
  if (symbol.knownAtLaunch && symbol.operation)
    result = ofOperation(*symbol.operation);
  else if (symbol.knownAtLaunch)
    result = HostNumber{Kind::Argument, symbol.spelling, 0, {}, {}};
  if (!result)
    missing = Unnamed::of(symbol);
  return result;
}

std::optional<HostNumber> HostNumbers::ofOperation(const Operation &operation) {
  std::optional<HostNumber> left = number(operation.left), right = number(operation.right);
  if (!left || !right)
    return std::nullopt;
  const StringRef op = operation.op;
  const Kind kind = op == "/" ? Kind::Quotient : op == "%" ? Kind::Remainder : Kind::Operation;
  return HostNumber{kind, kind == Kind::Operation ? op.str() : "", 0, {}, {*left, *right}};
}

std::optional<HostNumber> HostNumbers::number(const Polynomial &value) {
  std::map<std::vector<std::string>, HostNumber::Term> terms; // other symbols may be the same text
  for (const Term &term : value.getTerms()) {
    std::vector<HostNumber> factors;
    for (SymbolId id : term.factors) {
      std::optional<HostNumber> factor = ofSymbol(id);
      if (!factor)
        return std::nullopt;
      factors.push_back(std::move(*factor));
    }
    HostNumber::Term &own =
        terms.try_emplace(textsOf(factors), HostNumber::Term{0, {}}).first->second;
    own.coefficient += term.coefficient;
    own.factors = std::move(factors);
  }
  HostNumber sum;
  for (auto &[texts, term] : terms)
    if (term.coefficient != 0)
      sum.terms.push_back(std::move(term));
  order(sum.terms);
  return sum;
}

std::optional<HostNumber> HostNumbers::rangeOf(SymbolId id) {
  const Symbol &symbol = symbols[id];
  if (symbol.kind == Symbol::Kind::BlockIndex)
    return HostNumber{Kind::BlockIndex, "", int64_t(symbol.axis), {}, {}};
  missing = Unnamed::of(symbol);
  std::optional<HostNumber> end = symbol.below ? number(*symbol.below) : std::nullopt;
  std::optional<HostNumber> first = symbol.first ? number(*symbol.first) : std::nullopt;
  if (end && first)
    return HostNumber{Kind::Counted, "", symbol.step, {}, {*first, *end}};
  if (!end)
    return std::nullopt;
  return HostNumber{Kind::Between, "", symbol.range.low, {}, {*end}};
}

/// What the host knows, times what only the device knows.
std::optional<HostNumber::Term> HostNumbers::partOfRange(const Polynomial &host,
                                                         std::vector<HostNumber> device) {
  if (std::optional<int64_t> times = host.asConstant())
    return HostNumber::Term{*times, std::move(device)};
  std::optional<HostNumber> factor = number(host);
  if (!factor)
    return std::nullopt;
  device.insert(device.begin(), std::move(*factor));
  return HostNumber::Term{1, std::move(device)};
}

/// What only the device knows is taken out of sums: `16 * x - n * x` is `(16 - n) * x`, whose range
/// is not that of two products.
std::optional<HostNumber> HostNumbers::range(const Polynomial &value) {
  struct Group {
    std::vector<HostNumber> device;
    Polynomial host;
  };
  std::map<std::vector<std::string>, Group> groups;
  for (const Term &term : value.getTerms()) {
    Polynomial host(term.coefficient);
    std::vector<HostNumber> device;
    for (SymbolId id : term.factors) {
      if (symbols[id].knownAtLaunch) {
        host *= Polynomial::symbol(id);
        continue;
      }
      std::optional<HostNumber> factor = rangeOf(id);
      if (!factor)
        return std::nullopt;
      device.push_back(std::move(*factor));
    }
    Group &group = groups[textsOf(device)];
    group.host += host;
    group.device = std::move(device);
  }
  HostNumber sum;
  std::optional<HostNumber::Term> alone; // what the host knows by itself comes last
  for (auto &[texts, group] : groups) {
    const bool isOfHost = group.device.empty();
    std::optional<HostNumber::Term> term = partOfRange(group.host, std::move(group.device));
    if (!term)
      return std::nullopt;
    if (isOfHost)
      alone = std::move(term);
    else
      sum.terms.push_back(std::move(*term));
  }
  if (alone)
    sum.terms.push_back(std::move(*alone));
  return sum;
}

} // namespace tilelift
