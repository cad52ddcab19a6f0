//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of CodeText that writes for the launcher: numbers that the host knows, and the ranges of
// those that only the device knows.
//===----------------------------------------------------------------------===//

#include "spelling/CodeText.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace llvm;

namespace tilelift {

/// A number where ranges are added up.
static std::string asConstantRange(const std::string &number) {
  return "tilelift::range(" + number + ")";
}

std::optional<std::string> CodeText::symbolInLauncher(size_t plan, SymbolId id) {
  const Symbol &symbol = plans[plan]->symbols[id];
  if (symbol.knownAtLaunch && symbol.operation)
    return computedInLauncher(plan, *symbol.operation);
  missing = Unnamed::of(symbol);
  if (!symbol.knownAtLaunch)
    return std::nullopt;
  return symbol.needsCast ? "(long long)" + symbol.spelling : symbol.spelling;
}

std::optional<std::string> CodeText::inLauncher(const Values &values, StringRef hint) {
  return sum(values, hint, "ll",
             [&](size_t plan, SymbolId id) { return symbolInLauncher(plan, id); });
}

std::optional<std::string> CodeText::inLauncherExactly(const Values &values, StringRef hint) {
  if (!mayOverflow(values))
    return inLauncher(values, hint);
  return sum(values, hint, "ll", [&](size_t plan, SymbolId id) {
    std::optional<std::string> symbol = symbolInLauncher(plan, id);
    return symbol ? std::optional(asConstantRange(*symbol)) : symbol;
  });
}

/// An operation in 64 bits: the arguments may be of any type, unsigned ones too.
std::optional<std::string> CodeText::computedInLauncher(size_t plan, const Operation &operation) {
  CodeText own({plans[plan]}, planType, constants);
  auto operand = [&](const Polynomial &value, const Polynomial &other) {
    std::optional<std::string> text = own.inLauncher({value}, "operand");
    if (!text || value.isConstant())
      return text;
    bool isAlone = text->find(' ') == std::string::npos;
    if (isAlone && other.asConstant().value_or(-1) >= 0)
      return text;
    return std::optional("(long long)" + (isAlone ? *text : "(" + *text + ")"));
  };
  std::optional<std::string> left = operand(operation.left, operation.right);
  std::optional<std::string> right = operand(operation.right, operation.left);
  if (!left || !right)
    return std::nullopt;
  // The plain kernel may never get to where it divides.
  if (bool isQuotient = StringRef(operation.op) == "/";
      isQuotient || StringRef(operation.op) == "%")
    if (!operation.right.isConstant())
      return std::string("tilelift::") + (isQuotient ? "quotient(" : "remainder(") + *left + ", " +
             *right + ")";
  return "(" + *left + " " + operation.op + " " + *right + ")";
}

/// The ranges of a term's device symbols; what the host knows multiplies `host`.
std::optional<std::vector<std::string>> CodeText::deviceRanges(size_t plan, const Term &term,
                                                               StringRef hint, StringRef launch,
                                                               Polynomial &host) {
  std::vector<std::string> device;
  for (SymbolId id : term.factors) {
    if (plans[plan]->symbols[id].knownAtLaunch) {
      host *= Polynomial::symbol(id);
      continue;
    }
    std::optional<std::string> range = rangeOf(plan, id, hint, launch);
    if (!range)
      return std::nullopt;
    device.push_back(*range);
  }
  return device;
}

/// What only the device knows is taken out of sums: `16 * x - n * x` is `(16 - n) * x`,
/// whose range is not that of two products.
std::optional<std::string> CodeText::asRange(const Values &values, StringRef hint,
                                             StringRef launch) {
  std::map<std::vector<std::string>, Values> groups;
  for (size_t i = 0; i < values.size(); ++i)
    for (const Term &term : values[i].getTerms()) {
      Polynomial host(term.coefficient);
      auto device = deviceRanges(i, term, hint, launch, host);
      if (!device)
        return std::nullopt;
      Values &group = groups[*device];
      group.resize(values.size());
      group[i] += host;
    }
  // What the host knows by itself comes last.
  const auto alone = groups.find({});
  std::string text;
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    if (group == alone)
      continue;
    std::optional<std::string> factor = hostFactor(group->second, hint);
    if (!factor)
      return std::nullopt;
    const bool isNegative = StringRef(*factor).starts_with("-");
    const std::string number = factor->substr(isNegative ? 1 : 0);
    text = withSummand(
        text, (number == "1" ? "" : number + " * ") + llvm::join(group->first, " * "), isNegative);
  }
  if (alone == groups.end())
    return text.empty() ? asConstantRange("0") : text;
  std::optional<std::string> factor = hostFactor(alone->second, hint);
  if (!factor || text.empty())
    return factor ? std::optional(asConstantRange(*factor)) : std::nullopt;
  const bool isNegative = StringRef(*factor).starts_with("-");
  return withSummand(text, factor->substr(isNegative ? 1 : 0), isNegative);
}

/// What stands beside the range of a device symbol.
std::optional<std::string> CodeText::hostFactor(const Values &values, StringRef hint) {
  std::vector<int64_t> numbers;
  for (const Polynomial &value : values)
    if (std::optional<int64_t> constant = value.asConstant())
      numbers.push_back(*constant);
  if (numbers.size() == values.size())
    return number(numbers, hint);
  const bool isExact = mayOverflow(values);
  std::optional<std::string> text = sum(values, hint, "ll", [&](size_t plan, SymbolId id) {
    std::optional<std::string> symbol = symbolInLauncher(plan, id);
    return symbol && isExact ? std::optional(asConstantRange(*symbol)) : symbol;
  });
  return text ? std::optional(asConstantRange(*text)) : std::nullopt;
}

/// The numbers of a symbol that only the device knows.
std::optional<std::string> CodeText::rangeOf(size_t plan, SymbolId id, StringRef hint,
                                             StringRef launch) {
  const Symbol &symbol = plans[plan]->symbols[id];
  if (symbol.kind == Symbol::Kind::BlockIndex)
    return (launch + (launch.empty() ? "" : ".") + "block_index(" + std::to_string(symbol.axis) +
            ")")
        .str();
  missing = Unnamed::of(symbol);
  if (!symbol.below)
    return std::nullopt;
  Values bounds(plans.size()), firsts(plans.size());
  std::vector<int64_t> steps(plans.size());
  for (size_t i = 0; i < plans.size(); ++i) {
    if (id >= plans[i]->symbols.size())
      continue;
    const Symbol &same = plans[i]->symbols[id];
    bounds[i] = same.below.value_or(Polynomial());
    firsts[i] = same.first.value_or(Polynomial());
    steps[i] = same.step;
  }
  std::optional<std::string> bound = inLauncher(bounds, hint), first = inLauncher(firsts, hint);
  if (bound && first && symbol.first)
    return "tilelift::counted(" + *first + ", " + *bound + ", " + number(steps, hint) + ")";
  return bound ? std::optional("tilelift::range(" + std::to_string(symbol.range.low) + ", " +
                               *bound + " - 1)")
               : std::nullopt;
}

} // namespace tilelift
