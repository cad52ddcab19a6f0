//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "spelling/CodeText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace tilelift {
namespace {

/// `int(x)` for what is no int; sums are put in parentheses by that, too.
std::string cast(const std::string &name, bool isInt, Width width) {
  switch (width) {
  case Width::Long: return "(long long)" + name;
  case Width::Exact: return "tilelift::exact(" + name + ")";
  case Width::Int: break;
  }
  return isInt ? name : "int(" + name + ")";
}

/// Whether the numbers in a sum are numbers of an `int`.
bool fitsInt(const CodeText::Values &values) {
  const Interval ints = rangeOfType(32, /*isSigned=*/true);
  return llvm::all_of(values, [&](const Polynomial &value) {
    return llvm::all_of(value.getTerms(), [&](const Term &term) {
      return ints.low <= term.coefficient && term.coefficient <= ints.high;
    });
  });
}

} // namespace

std::string withSummand(std::string sum, const std::string &number, bool isNegative) {
  if (sum.empty())
    return isNegative ? "-" + number : number;
  return sum + (isNegative ? " - " : " + ") + number;
}

Unnamed Unnamed::of(const Symbol &symbol) {
  Unnamed unnamed{symbol.spelling};
  if (!symbol.whyHidden.empty())
    unnamed.why = symbol.whyHidden;
  return unnamed;
}

Diagnostic Unnamed::at(Place place) const {
  return diagnose(diag::expression_not_available, place, what, why);
}

std::string numberOrConstant(ArrayRef<int64_t> values, StringRef hint, StringRef planType,
                             std::vector<PlanConstant> &constants) {
  if (llvm::all_equal(values))
    return std::to_string(values.front());
  std::string name = hint.str();
  for (unsigned n = 1;; ++n) {
    auto known = llvm::find_if(constants, [&](const PlanConstant &c) { return c.name == name; });
    if (known == constants.end()) {
      constants.push_back({name, values.vec()});
      break;
    }
    if (known->values == values.vec())
      break;
    name = hint.str() + "_" + std::to_string(n);
  }
  return (planType + "::" + name).str();
}

CodeText CodeText::ofOne(size_t plan) const {
  CodeText one({plans[plan]}, planType, constants);
  one.others = others;
  return one;
}

/// Whether the variable is an `int` in all instances of a template, which may give it other types.
bool CodeText::isIntEverywhere(const NamedValue &name) const {
  return name.isInt && llvm::all_of(others, [&](const Plan *plan) {
           return llvm::none_of(plan->names, [&](const NamedValue &own) {
             return own.name == name.name && !own.isInt;
           });
         });
}

bool CodeText::isIntEverywhere(const Operation &operation) const {
  auto hasWider = [&](const Plan *plan) {
    return llvm::any_of(seq<SymbolId>(0, SymbolId(plan->symbols.size())), [&](SymbolId id) {
      const auto &own = plan->symbols[id].operation;
      return own && !own->isInt && StringRef(own->op) == operation.op;
    });
  };
  return operation.isInt && (others.size() == 1 || llvm::none_of(others, hasWider));
}

std::string CodeText::number(const std::vector<int64_t> &values, StringRef hint) {
  assert(values.size() == plans.size() && "one number for each instantiation");
  return numberOrConstant(values, hint, planType, constants);
}

std::string CodeText::number(function_ref<int64_t(const Plan &)> value, StringRef hint) {
  std::vector<int64_t> values;
  for (const Plan *plan : plans)
    values.push_back(value(*plan));
  return number(values, hint);
}

/// The factors of a term of one instantiation; nothing if some have no name, which is noted.
std::optional<std::vector<std::string>> CodeText::factorsOf(const Term &term, size_t instance,
                                                            SymbolText symbolText) {
  std::vector<std::string> factors;
  for (SymbolId id : term.factors) {
    const Symbol &symbol = plans[instance]->symbols[id];
    std::optional<std::string> text =
        allKnow(plans, symbol) ? symbolText(instance, id) : std::nullopt;
    if (!text && missing.what.empty())
      missing = Unnamed::of(symbol);
    if (!text)
      return std::nullopt;
    factors.push_back(*text);
  }
  return factors;
}

/// By their factors, the terms of all instantiations, with the number that each of these has.
std::optional<CodeText::Terms> CodeText::termsOf(const Values &values, SymbolText symbolText) {
  assert(values.size() == plans.size() && "one value for each instantiation");
  Terms terms;
  for (size_t i = 0; i < values.size(); ++i)
    for (const Term &term : values[i].getTerms()) {
      std::optional<std::vector<std::string>> factors = factorsOf(term, i, symbolText);
      if (!factors)
        return std::nullopt;
      std::vector<int64_t> &coefficients = terms[*factors];
      coefficients.resize(values.size(), 0);
      coefficients[i] += term.coefficient; // other symbols may be the same text
    }
  for (auto term = terms.begin(); term != terms.end();)
    term = llvm::all_of(term->second, [](int64_t number) { return number == 0; })
               ? terms.erase(term)
               : std::next(term);
  return terms;
}

/// Adds up terms; each must be there in all instantiations, with its own number.
std::optional<std::string> CodeText::sum(const Values &values, StringRef hint,
                                         SymbolText symbolText) {
  const std::optional<Terms> terms = termsOf(values, symbolText);
  if (!terms)
    return std::nullopt;
  std::string text;
  auto addTerm = [&](const std::vector<std::string> &factors, std::vector<int64_t> numbers) {
    bool same = llvm::all_equal(numbers);
    bool negative = same && numbers.front() < 0;
    if (negative)
      for (int64_t &each : numbers)
        each = -each;
    std::string product;
    if (!same || numbers.front() != 1 || factors.empty())
      product = number(numbers, hint);
    for (const std::string &factor : factors)
      product += (product.empty() ? "" : " * ") + factor;
    text = withSummand(text, product, negative);
  };
  // What is added comes before what is taken away, and the constant, whose key is empty, last.
  for (bool negative : {false, true})
    for (auto &[factors, numbers] : *terms)
      if (!factors.empty() && (numbers.front() < 0) == negative)
        addTerm(factors, numbers);
  auto constant = terms->find({});
  if (constant != terms->end())
    addTerm({}, constant->second);
  return text.empty() ? "0" : text;
}

/// A variable of the user's that differs from the value by a number only.
std::optional<std::string> CodeText::named(const Values &values, StringRef hint, Width width) {
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
    std::string text = cast(candidate.name, isIntEverywhere(candidate), width);
    if (llvm::all_equal(differences)) {
      if (differences.front() != 0)
        text = withSummand(text, std::to_string(bestDistance), differences.front() < 0);
    } else {
      text += " + " + number(differences, hint);
    }
    best = text;
  }
  return best;
}

/// Whether the copy checks that a number is in some range, as it does for what the program computes
/// without a sign. Computed in an `int`, a number out of that range would be an overflow, which is
/// undefined, so that the compiler might drop the check.
static bool isAskedAtCopy(const Polynomial &value, const Plan &plan) {
  return !value.isConstant() && llvm::any_of(plan.copyChecks, [&](const Check &check) {
    return check.multiple == 1 && check.value.withoutConstant() == value.withoutConstant();
  });
}

/// An operation once more, on what its operands are called here.
std::optional<std::string> CodeText::computed(size_t plan, const Operation &operation,
                                              Width width) {
  CodeText own = ofOne(plan);
  const bool isInt = isIntEverywhere(operation), isShift = StringRef(operation.op) == "<<";
  auto operand = [&](const Polynomial &value) {
    const bool isLong = !isInt || isAskedAtCopy(value, *plans[plan]);
    std::optional<std::string> text =
        own.inKernelAs({value}, "operand", isLong ? Width::Long : Width::Int);
    if (text && isInt && isLong)
      return std::optional("int(" + *text + ")");
    if (text && !isInt && isShift && value.isConstant())
      *text += "ll"; // `1 << n` would be an int
    bool isSimple = text && text->find(' ') == std::string::npos;
    return text && !isSimple ? std::optional("(" + *text + ")") : text;
  };
  std::optional<std::string> left = operand(operation.left), right = operand(operation.right);
  if (!left || !right)
    return std::nullopt;
  if (StringRef(operation.op) == "+" && operation.right.isZero())
    return cast(*left, isInt, width);
  if (isCalled(operation.op))
    return cast((StringRef(operation.op) == "min" ? "tilelift::smaller(" : "tilelift::larger(") +
                    *left + ", " + *right + ")",
                isInt, width);
  return cast("(" + *left + " " + operation.op + " " + *right + ")", isInt, width);
}

/// What is found in memory; by which number, is said as everything else is.
std::optional<std::string> CodeText::lookedUp(size_t plan, const IndexedName &name, Width width) {
  CodeText own = ofOne(plan);
  std::string text = name.parts.front();
  for (size_t i = 0; i < name.indices.size(); ++i) {
    std::optional<std::string> index = own.inKernelAs({name.indices[i]}, "index", Width::Long);
    if (!index)
      return std::nullopt;
    text += *index + name.parts[i + 1];
  }
  return cast(text, false, width);
}

std::optional<std::string> CodeText::symbolInKernel(size_t plan, SymbolId id, Width width) {
  const Symbol &symbol = plans[plan]->symbols[id];
  for (const NamedValue &name : plans[plan]->names) {
    std::optional<int64_t> ahead = (name.value - Polynomial::symbol(id)).asConstant();
    if (ahead)
      return *ahead == 0 ? cast(name.name, isIntEverywhere(name), width)
                         : "(" +
                               withSummand(cast(name.name, isIntEverywhere(name), width),
                                           std::to_string(std::abs(*ahead)), *ahead > 0) +
                               ")";
  }
  switch (symbol.kind) {
  case Symbol::Kind::BlockIndex:
  case Symbol::Kind::GridSize:
    return symbol.readableAtCopy ? std::optional(cast(symbol.inCode(), false, width))
                                 : std::nullopt;
  case Symbol::Kind::Opaque:
    // How people would write an operation says nothing of the types it is computed in.
    if (symbol.operation)
      return computed(plan, *symbol.operation, width);
    if (symbol.readableAtCopy && symbol.name &&
        (plans[plan]->isAhead || plans[plan]->isOfRow(Polynomial::symbol(id))))
      return lookedUp(plan, *symbol.name, width);
    return symbol.readableAtCopy ? std::optional(cast(symbol.inCode(), false, width))
                                 : std::nullopt;
  default: return std::nullopt;
  }
}

/// The pointer that takes the fewest words to get there. Where that is no whole number of its
/// elements, `inBytes` names the function that moves it on.
std::optional<std::string> CodeText::nearest(Pointers pointers, const Values &offsets,
                                             StringRef hint, StringRef inBytes) {
  std::optional<std::string> best;
  for (const NamedPointer &candidate : plans.front()->*pointers) {
    Values bytes, elements;
    for (size_t i = 0; i < plans.size(); ++i) {
      const std::vector<NamedPointer> &own = plans[i]->*pointers;
      auto same = llvm::find_if(
          own, [&](const NamedPointer &pointer) { return pointer.name == candidate.name; });
      if (same == own.end())
        break;
      bytes.push_back(offsets[i] - same->offset);
      if (std::optional<Polynomial> whole = bytes.back().dividedBy(same->elementSize))
        elements.push_back(*whole);
    }
    if (bytes.size() != plans.size())
      continue;
    const bool isWhole = elements.size() == plans.size();
    std::optional<std::string> distance = inKernelWide(isWhole ? elements : bytes, hint);
    if (!distance)
      continue;
    std::string text = *distance == "0" ? candidate.name
                       : isWhole ? candidate.name + " + " + *distance
                                 : (inBytes + "(" + candidate.name + ", " + *distance + ")").str();
    if (!best || text.size() < best->size())
      best = text;
  }
  return best;
}

std::optional<std::string> CodeText::pointer(const Values &offsets, StringRef hint) {
  std::optional<std::string> text = nearest(&Plan::pointers, offsets, hint, "tilelift::row_at");
  const GlobalBase &base = plans.front()->base;
  if (!text && missing.what.empty())
    missing.what = base.isSet ? base.spelling + ", as it was passed" : base.spelling;
  return text;
}

std::optional<std::string> CodeText::place(const Values &bytes, StringRef hint) {
  std::optional<std::string> text = nearest(&Plan::intoTile, bytes, hint, "tilelift::advance");
  if (!text && missing.what.empty())
    missing.what = "the address of '" + plans.front()->tile + "'";
  return text;
}

/// `first + row`, as people write it.
std::optional<std::string> CodeText::countedRow(const Values &values, StringRef hint, Width width) {
  Values firsts;
  std::string row;
  for (size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i]->gather)
      return std::nullopt;
    const SymbolId number = plans[i]->gather->row;
    row = plans[i]->symbols[number].spelling;
    firsts.push_back(values[i] - Polynomial::symbol(number));
    if (plans[i]->isOfRow(firsts.back()))
      return std::nullopt;
  }
  std::optional<std::string> first = inKernelAs(firsts, hint, width);
  if (!first)
    return std::nullopt;
  return *first == "0" ? row : *first + " + " + row;
}

std::optional<std::string> CodeText::inKernelAs(const Values &values, StringRef hint, Width width) {
  if (std::optional<std::string> text = countedRow(values, hint, width))
    return text;
  if (std::optional<std::string> name = named(values, hint, width))
    return name;
  if (std::optional<std::string> text = sumInKernel(values, hint, width))
    return text;
  const Unnamed unknown = missing;
  for (const NamedValue &name : plans.front()->names)
    if (std::optional<std::string> text = inMultiplesOf(name, values, hint, width))
      return text;
  missing = unknown;
  return std::nullopt;
}

/// `128 * first + w`, where a variable holds what has no name by itself: the values divided by the
/// variable, and the rest.
std::optional<std::string> CodeText::inMultiplesOf(const NamedValue &name, const Values &values,
                                                   StringRef hint, Width width) {
  Values times, rests;
  for (size_t i = 0; i < plans.size(); ++i) {
    auto own = llvm::find_if(plans[i]->names,
                             [&](const NamedValue &other) { return other.name == name.name; });
    if (own == plans[i]->names.end() || own->value.isConstant())
      return std::nullopt;
    Division parts = divide(values[i], own->value);
    times.push_back(std::move(parts.quotient));
    rests.push_back(std::move(parts.remainder));
  }
  if (llvm::all_of(times, [](const Polynomial &each) { return each.isZero(); }))
    return std::nullopt;
  std::optional<std::string> factor = sumInKernel(times, hint, width);
  std::optional<std::string> rest = factor ? sumInKernel(rests, hint, width) : std::nullopt;
  if (!rest)
    return std::nullopt;
  std::string product = cast(name.name, isIntEverywhere(name), width);
  const bool isNegative = *factor == "-1";
  if (StringRef(*factor).contains(' '))
    product = "(" + *factor + ") * " + product;
  else if (*factor != "1" && !isNegative)
    product = *factor + " * " + product;
  const std::string before = *rest == "0" ? "" : *rest;
  if (isNegative || before.empty())
    return withSummand(before, product, isNegative);
  return withSummand(product, StringRef(before).ltrim('-').str(), before.front() == '-');
}

std::optional<std::string> CodeText::sumInKernel(const Values &values, StringRef hint,
                                                 Width width) {
  return sum(values, hint, [&](size_t plan, SymbolId id) {
    std::optional<std::string> text = symbolInKernel(plan, id, width);
    if (!text)
      missing = Unnamed::of(plans[plan]->symbols[id]);
    return text;
  });
}

/// What may be too large for a signed number is computed as an unsigned one, which wraps around.
std::optional<std::string> CodeText::wrappedInKernel(const Values &values, StringRef hint) {
  std::optional<std::string> text = sum(values, hint, [&](size_t plan, SymbolId id) {
    std::optional<std::string> symbol = symbolInKernel(plan, id, Width::Int);
    if (!symbol)
      missing = Unnamed::of(plans[plan]->symbols[id]);
    return symbol ? std::optional("(unsigned long long)" + *symbol) : symbol;
  });
  return text ? std::optional("(long long)(" + *text + ")") : text;
}

std::optional<std::string> CodeText::inKernel(const Values &values, StringRef hint) {
  if (fitsInt(values))
    return inKernelAs(values, hint, Width::Int);
  std::optional<std::string> text = inKernelAs(values, hint, Width::Long);
  return text ? std::optional("int(" + *text + ")") : text;
}

std::optional<std::string> CodeText::inKernelWide(const Values &values, StringRef hint) {
  return inKernelAs(values, hint, Width::Long);
}

std::optional<std::string> CodeText::inKernelExactly(const Values &values, StringRef hint) {
  return inKernelAs(values, hint, mayOverflow(plans, values) ? Width::Exact : Width::Long);
}

} // namespace tilelift
