//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/CodeText.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace tilelift {
namespace {

bool allEqual(const std::vector<int64_t> &values) {
  return std::all_of(values.begin(), values.end(),
                     [&](int64_t value) { return value == values.front(); });
}

std::string plus(std::string text, const std::string &number, bool negative) {
  if (text.empty())
    return negative ? "-" + number : number;
  return text + (negative ? " - " : " + ") + number;
}

/// `int(x)` for what is no int; sums are put in parentheses by that, too.
std::string cast(const std::string &name, bool isInt, bool wide) {
  if (wide)
    return "(long long)" + name;
  return isInt ? name : "int(" + name + ")";
}

} // namespace

CodeText::Values CodeText::each(function_ref<Polynomial(const Plan &)> value) const {
  Values values;
  for (const Plan *plan : plans)
    values.push_back(value(*plan));
  return values;
}

std::string CodeText::number(const std::vector<int64_t> &values, StringRef hint) {
  if (allEqual(values))
    return std::to_string(values.front());
  std::string name = hint.str();
  for (unsigned n = 1;; ++n) {
    auto known = llvm::find_if(constants, [&](const PlanConstant &c) { return c.name == name; });
    if (known == constants.end()) {
      constants.push_back({name, values});
      break;
    }
    if (known->values == values)
      break;
    name = hint.str() + "_" + std::to_string(n);
  }
  return planType + "::" + name;
}

/// Adds up terms; each must be there in all instantiations, with its own number.
std::optional<std::string> CodeText::sum(const Values &values, StringRef hint, StringRef suffix,
                                         SymbolText symbolText) {
  std::map<std::vector<std::string>, std::vector<int64_t>> terms;
  for (size_t i = 0; i < values.size(); ++i) {
    for (const Term &term : values[i].getTerms()) {
      std::vector<std::string> factors;
      for (SymbolId id : term.factors) {
        std::optional<std::string> text = symbolText(i, id);
        if (!text)
          return std::nullopt;
        factors.push_back(*text);
      }
      std::vector<int64_t> &coefficients = terms[factors];
      coefficients.resize(values.size(), 0);
      coefficients[i] = term.coefficient;
    }
  }
  std::string text;
  // The constant, whose key is empty, comes last.
  auto addTerm = [&](const std::vector<std::string> &factors, std::vector<int64_t> numbers) {
    bool same = allEqual(numbers);
    bool negative = same && numbers.front() < 0;
    if (negative)
      for (int64_t &each : numbers)
        each = -each;
    std::string product;
    if (!same || numbers.front() != 1 || factors.empty() || (factors.size() > 1 && !suffix.empty()))
      product = number(numbers, hint) + (same ? suffix.str() : "");
    for (const std::string &factor : factors)
      product += (product.empty() ? "" : " * ") + factor;
    text = plus(text, product, negative);
  };
  // What is added comes before what is taken away.
  for (bool negative : {false, true})
    for (auto &[factors, numbers] : terms)
      if (!factors.empty() && (numbers.front() < 0) == negative)
        addTerm(factors, numbers);
  auto constant = terms.find({});
  if (constant != terms.end())
    addTerm({}, constant->second);
  return text.empty() ? "0" : text;
}

/// A variable of the user's that differs from the value by a number only.
std::optional<std::string> CodeText::named(const Values &values, StringRef hint, bool wide) {
  if (llvm::all_of(values, [](const Polynomial &value) { return value.isConstant(); }))
    return std::nullopt;
  std::optional<std::string> best;
  int64_t bestDistance = Interval::highest;
  for (const NamedValue &candidate : plans.front()->names) {
    std::vector<int64_t> differences;
    for (size_t i = 0; i < plans.size(); ++i) {
      auto same = llvm::find_if(
          plans[i]->names, [&](const NamedValue &name) { return name.name == candidate.name; });
      if (same == plans[i]->names.end())
        break;
      std::optional<int64_t> difference = (values[i] - same->value).asConstant();
      if (!difference)
        break;
      differences.push_back(*difference);
    }
    if (differences.size() != plans.size() || std::abs(differences.front()) >= bestDistance)
      continue;
    bestDistance = std::abs(differences.front());
    std::string text = cast(candidate.name, candidate.isInt, wide);
    if (allEqual(differences)) {
      if (differences.front() != 0)
        text = plus(text, std::to_string(bestDistance), differences.front() < 0);
    } else {
      text += " + " + number(differences, hint);
    }
    best = text;
  }
  return best;
}

/// An operation once more, on what its operands are called here.
std::optional<std::string> CodeText::computed(size_t plan, const Operation &operation, bool wide) {
  CodeText own({plans[plan]}, planType, constants);
  auto operand = [&](const Polynomial &value) {
    std::optional<std::string> text = own.inKernelAs({value}, "operand", !operation.isInt);
    bool isSimple = text && text->find(' ') == std::string::npos;
    return text && !isSimple ? std::optional("(" + *text + ")") : text;
  };
  std::optional<std::string> left = operand(operation.left), right = operand(operation.right);
  if (!left || !right)
    return std::nullopt;
  return cast("(" + *left + " " + operation.op + " " + *right + ")", operation.isInt, wide);
}

std::optional<std::string> CodeText::symbolInKernel(size_t plan, SymbolId id, bool wide) {
  const Symbol &symbol = plans[plan]->symbols[id];
  for (const NamedValue &name : plans[plan]->names) {
    std::optional<int64_t> ahead = (name.value - Polynomial::symbol(id)).asConstant();
    if (ahead)
      return *ahead == 0 ? cast(name.name, name.isInt, wide)
                         : "(" +
                               plus(cast(name.name, name.isInt, wide),
                                    std::to_string(std::abs(*ahead)), *ahead > 0) +
                               ")";
  }
  switch (symbol.kind) {
  case Symbol::Kind::BlockIndex:
  case Symbol::Kind::GridSize: return cast(symbol.spelling, false, wide);
  case Symbol::Kind::Opaque:
    if (symbol.readableAtCopy)
      return cast(symbol.spelling, false, wide);
    return symbol.operation ? computed(plan, *symbol.operation, wide) : std::nullopt;
  default: return std::nullopt;
  }
}

/// The pointer that takes the fewest words to get there.
std::optional<std::string> CodeText::nearest(Pointers pointers, const Values &offsets,
                                             StringRef hint) {
  std::optional<std::string> best;
  for (const NamedPointer &candidate : plans.front()->*pointers) {
    Values distances;
    for (size_t i = 0; i < plans.size(); ++i) {
      const std::vector<NamedPointer> &own = plans[i]->*pointers;
      auto same = llvm::find_if(
          own, [&](const NamedPointer &pointer) { return pointer.name == candidate.name; });
      if (same == own.end())
        break;
      Polynomial bytes = offsets[i] - same->offset;
      if (std::optional<Polynomial> elements = bytes.dividedBy(candidate.elementSize))
        distances.push_back(*elements);
    }
    if (distances.size() != plans.size())
      continue;
    std::optional<std::string> distance = inKernelWide(distances, hint);
    if (!distance)
      continue;
    std::string text = *distance == "0" ? candidate.name : candidate.name + " + " + *distance;
    if (!best || text.size() < best->size())
      best = text;
  }
  return best;
}

std::optional<std::string> CodeText::pointer(const Values &offsets, StringRef hint) {
  return nearest(&Plan::pointers, offsets, hint);
}

std::optional<std::string> CodeText::place(const Values &bytes, StringRef hint) {
  std::optional<std::string> text = nearest(&Plan::intoTile, bytes, hint);
  if (!text && missing.empty())
    missing = "the address of '" + plans.front()->tile + "'";
  return text;
}

std::optional<std::string> CodeText::inKernelAs(const Values &values, StringRef hint, bool wide) {
  if (std::optional<std::string> name = named(values, hint, wide))
    return name;
  if (std::optional<std::string> text = sumInKernel(values, hint, wide))
    return text;
  std::string unknown = missing;
  for (const NamedValue &name : plans.front()->names)
    if (std::optional<Values> rest = without(values, name.name))
      if (std::optional<std::string> text = sumInKernel(*rest, hint, wide))
        return plus(cast(name.name, name.isInt, wide), StringRef(*text).ltrim('-').str(),
                    StringRef(*text).starts_with("-"));
  missing = unknown;
  return std::nullopt;
}

/// What is left of the values once a variable is taken away.
std::optional<CodeText::Values> CodeText::without(const Values &values, StringRef name) const {
  Values rest;
  for (size_t i = 0; i < plans.size(); ++i)
    for (const NamedValue &own : plans[i]->names)
      if (own.name == name && rest.size() == i)
        rest.push_back(values[i] - own.value);
  return rest.size() == plans.size() ? std::optional(rest) : std::nullopt;
}

std::optional<std::string> CodeText::sumInKernel(const Values &values, StringRef hint, bool wide) {
  return sum(values, hint, "", [&](size_t plan, SymbolId id) {
    std::optional<std::string> text = symbolInKernel(plan, id, wide);
    if (!text)
      missing = plans[plan]->symbols[id].spelling;
    return text;
  });
}

std::optional<std::string> CodeText::inKernel(const Values &values, StringRef hint) {
  return inKernelAs(values, hint, false);
}

std::optional<std::string> CodeText::inKernelWide(const Values &values, StringRef hint) {
  return inKernelAs(values, hint, true);
}

std::optional<std::string> CodeText::inLauncher(const Values &values, StringRef hint) {
  return sum(values, hint, "ll", [&](size_t plan, SymbolId id) -> std::optional<std::string> {
    const Symbol &symbol = plans[plan]->symbols[id];
    missing = symbol.spelling;
    return symbol.knownAtLaunch ? std::optional<std::string>(symbol.spelling) : std::nullopt;
  });
}

std::optional<std::string> CodeText::asRange(const Values &values, StringRef hint) {
  return sum(values, hint, "", [&](size_t plan, SymbolId id) -> std::optional<std::string> {
    const Symbol &symbol = plans[plan]->symbols[id];
    if (symbol.kind == Symbol::Kind::BlockIndex)
      return "launch.block_index(" + std::to_string(symbol.axis) + ")";
    if (symbol.below && !symbol.knownAtLaunch) {
      Values bounds(values.size());
      for (size_t i = 0; i < plans.size(); ++i)
        bounds[i] = plans[i]->symbols[id].below.value_or(Polynomial());
      if (std::optional<std::string> bound = inLauncher(bounds, hint))
        return "tilelift::range(" + std::to_string(symbol.range.low) + ", " + *bound + " - 1)";
    }
    missing = symbol.spelling;
    return symbol.knownAtLaunch
               ? std::optional<std::string>("tilelift::range(" + symbol.spelling + ")")
               : std::nullopt;
  });
}

} // namespace tilelift
