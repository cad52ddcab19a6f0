//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "spelling/HostNumber.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

using Kind = HostNumber::Kind;

/// Whether a term has a number below zero, the same one in all instances.
bool isTakenAway(const HostNumber::Term &term) {
  return llvm::all_equal(term.coefficients) && term.coefficients.front() < 0;
}

class Printer {
public:
  explicit Printer(const HostLanguage &language) : language(language) {}

  std::string print(const HostNumber &number) const {
    switch (number.kind) {
    case Kind::Sum: return sum(number);
    case Kind::Argument: return language.argument(number.code.empty() ? number.text : number.code);
    case Kind::Operation:
      return "(" + operand(number.operands[0]) + " " + number.text + " " +
             operand(number.operands[1]) + ")";
    case Kind::Quotient:
    case Kind::Remainder:
      return call(number, operand(number.operands[0]) + ", " + operand(number.operands[1]));
    case Kind::BlockIndex: return call(number, numberText(number.numbers));
    case Kind::Counted:
      return call(number, print(number.operands[0]) + ", " + print(number.operands[1]) + ", " +
                              numberText(number.numbers));
    case Kind::Between:
      return call(number, numberText(number.numbers) + ", " + print(number.operands[0]) + " - " +
                              language.number(1));
    case Kind::Either:
      return call(number, print(number.operands[0]) + ", " + print(number.operands[1]));
    }
    return "";
  }

private:
  std::string call(const HostNumber &number, const std::string &arguments) const {
    return language.function(number.kind) + "(" + arguments + ")";
  }

  /// The numbers of several instances are told apart by bars, in texts that trees are compared by.
  std::string numberText(const InstanceNumbers &numbers) const {
    if (llvm::all_equal(numbers))
      return language.number(numbers.front());
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "" : "|") + language.number(number);
    return text;
  }

  std::string sum(const HostNumber &number) const {
    std::string text;
    for (const HostNumber::Term &term : number.terms)
      text = withSummand(text, product(term), isTakenAway(term));
    return text.empty() ? language.number(0) : text;
  }

  /// Without the sign of its coefficient.
  std::string product(const HostNumber::Term &term) const {
    InstanceNumbers times = term.coefficients;
    if (isTakenAway(term))
      for (int64_t &each : times)
        each = -each;
    std::string text = llvm::all_equal(times) && times.front() == 1 && !term.factors.empty()
                           ? ""
                           : numberText(times);
    for (const HostNumber &factor : term.factors)
      text += (text.empty() ? "" : " * ") +
              (factor.kind == Kind::Sum ? "(" + print(factor) + ")" : print(factor));
    return text;
  }

  /// Writes an operand, in parentheses unless it is a constant or its text has no space.
  std::string operand(const HostNumber &number) const {
    const bool isSimple =
        number.isConstant() || Printer(HostLanguage()).print(number).find(' ') == std::string::npos;
    return isSimple ? print(number) : "(" + print(number) + ")";
  }

  const HostLanguage &language;
};

/// Sorts the terms of a sum: positive ones first, then negative ones, and the constant last.
void order(std::vector<HostNumber::Term> &terms) {
  auto rank = [](const HostNumber::Term &term) {
    return term.factors.empty() ? 2 : int(term.coefficients.front() < 0);
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
  case Kind::Either: return "either";
  default: return "";
  }
}

HostNumber eitherOf(const HostNumber &a, const HostNumber &b) {
  if (a == b)
    return a;
  HostNumber either;
  either.kind = Kind::Either;
  either.operands = {a, b};
  HostNumber sum;
  sum.terms = {{{1}, {either}}};
  return sum;
}

std::string print(const HostNumber &number, const HostLanguage &language) {
  return Printer(language).print(number);
}

std::optional<HostNumber> HostNumbers::ofSymbol(size_t plan, SymbolId id) {
  const Symbol &symbol = plans[plan]->symbols[id];
  std::optional<HostNumber> result;
  if (symbol.knownAtLaunch && symbol.operation) {
    result = ofOperation(plan, *symbol.operation);
  } else if (symbol.knownAtLaunch && allKnow(plans, symbol)) {
    result.emplace();
    result->kind = Kind::Argument;
    result->text = symbol.spelling;
    result->code = symbol.code;
    result->needsCast = symbol.needsCast;
  }
  if (!result)
    missing = Unnamed::of(symbol);
  return result;
}

/// An operation is of one instance: another one's may have other operands.
std::optional<HostNumber> HostNumbers::ofOperation(size_t plan, const Operation &operation) {
  HostNumbers own({plans[plan]});
  std::optional<HostNumber> left = own.number({operation.left});
  std::optional<HostNumber> right = own.number({operation.right});
  if (!left || !right)
    return std::nullopt;
  const StringRef op = operation.op;
  HostNumber made;
  made.kind = op == "/" ? Kind::Quotient : op == "%" ? Kind::Remainder : Kind::Operation;
  made.text = made.kind == Kind::Operation ? op.str() : "";
  made.operands = {std::move(*left), std::move(*right)};
  return made;
}

/// Terms whose factors are the same text are one term, in whichever instances they are.
std::optional<HostNumber> HostNumbers::number(const Values &values) {
  assert(values.size() == plans.size() && "one value for each instance");
  std::map<std::vector<std::string>, HostNumber::Term> terms;
  for (size_t i = 0; i < values.size(); ++i)
    for (const Term &term : values[i].getTerms()) {
      std::vector<HostNumber> factors;
      for (SymbolId id : term.factors) {
        std::optional<HostNumber> factor = ofSymbol(i, id);
        if (!factor)
          return std::nullopt;
        factors.push_back(std::move(*factor));
      }
      HostNumber::Term &own = terms[textsOf(factors)];
      own.coefficients.resize(values.size(), 0);
      own.coefficients[i] += term.coefficient;
      own.factors = std::move(factors);
    }
  HostNumber sum;
  sum.mayOverflow = mayOverflow(plans, values);
  for (auto &[texts, term] : terms)
    if (llvm::any_of(term.coefficients, [](int64_t number) { return number != 0; }))
      sum.terms.push_back(std::move(term));
  order(sum.terms);
  return sum;
}

/// Returns the range of a symbol that only the device knows. Its ends may differ between instances.
std::optional<HostNumber> HostNumbers::rangeOf(size_t plan, SymbolId id) {
  const Symbol &symbol = plans[plan]->symbols[id];
  HostNumber made;
  if (symbol.kind == Symbol::Kind::BlockIndex) {
    made.kind = Kind::BlockIndex;
    made.numbers = {int64_t(symbol.axis)};
    return made;
  }
  missing = Unnamed::of(symbol);
  if (!symbol.below)
    return std::nullopt;
  Values ends(plans.size()), firsts(plans.size());
  InstanceNumbers steps(plans.size(), symbol.step), lows(plans.size(), symbol.range.low);
  for (size_t i = 0; i < plans.size(); ++i) {
    const Symbol *same = id < plans[i]->symbols.size() ? &plans[i]->symbols[id] : nullptr;
    if (!same || same->spelling != symbol.spelling || !same->below)
      continue; // it has another number there, and so a term of its own
    ends[i] = *same->below;
    firsts[i] = same->first.value_or(Polynomial());
    steps[i] = same->step;
    lows[i] = same->range.low;
  }
  std::optional<HostNumber> end = number(ends);
  std::optional<HostNumber> first = symbol.first ? number(firsts) : std::nullopt;
  if (!end)
    return std::nullopt;
  made.kind = first ? Kind::Counted : Kind::Between;
  made.numbers = first ? steps : lows;
  if (first)
    made.operands.push_back(std::move(*first));
  made.operands.push_back(std::move(*end));
  return made;
}

/// Makes the product of a value that the host knows and ranges that only the device knows.
std::optional<HostNumber::Term> HostNumbers::partOfRange(const Values &host,
                                                         std::vector<HostNumber> device) {
  if (llvm::all_of(host, [](const Polynomial &value) { return value.isConstant(); })) {
    HostNumber::Term term{{}, std::move(device)};
    for (const Polynomial &value : host)
      term.coefficients.push_back(value.asConstant().value_or(0));
    return term;
  }
  std::optional<HostNumber> factor = number(host);
  if (!factor)
    return std::nullopt;
  device.insert(device.begin(), std::move(*factor));
  return HostNumber::Term{InstanceNumbers(host.size(), 1), std::move(device)};
}

struct HostNumbers::Group {
  std::vector<HostNumber> device;
  Values host;
};

bool HostNumbers::addToGroups(size_t plan, const Term &term, Groups &groups) {
  Polynomial host(term.coefficient);
  std::vector<HostNumber> device;
  for (SymbolId id : term.factors) {
    if (plans[plan]->symbols[id].knownAtLaunch) {
      host *= Polynomial::symbol(id);
      continue;
    }
    std::optional<HostNumber> factor = rangeOf(plan, id);
    if (!factor)
      return false;
    device.push_back(std::move(*factor));
  }
  Group &group = groups[textsOf(device)];
  group.host.resize(plans.size());
  group.host[plan] += host;
  group.device = std::move(device);
  return true;
}

/// Factors that only the device knows are taken out of sums: `16 * x - n * x` becomes `(16 - n) *
/// x`, whose range is tighter than that of two products.
std::optional<HostNumber> HostNumbers::range(const Values &values) {
  Groups groups;
  for (size_t i = 0; i < values.size(); ++i)
    for (const Term &term : values[i].getTerms())
      if (!addToGroups(i, term, groups))
        return std::nullopt;
  HostNumber sum;
  sum.mayOverflow = mayOverflow(plans, values);
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
