//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "spelling/NamedParts.h"

#include "spelling/HostNumber.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

/// Writes each number that the code of a copy needs as text, in the order in which the code has
/// them. It stops at the first number that no variable or argument in scope gives.
class Numbers {
public:
  explicit Numbers(PlansOfCopy of)
      : plans(std::move(of)), first(*plans.front()), code(plans, "", constants) {}

  void writeInKernel(bool declaresTile);
  void writeAtLaunch();

  std::vector<std::string> texts;
  std::optional<Unnamed> unnamed;

private:
  using Part = function_ref<Polynomial(const Plan &)>;
  void add(function_ref<std::optional<std::string>()> write);
  void inKernel(Part part) {
    add([&] { return code.inKernel(code.each(part), ""); });
  }
  void address() {
    add([&] {
      return code.pointer(code.each([](const Plan &plan) { return plan.offset().count(); }), "");
    });
  }
  std::optional<std::string> place(bool declaresTile);
  void coordinates();
  void walk(size_t i);
  void check(size_t i);

  const PlansOfCopy plans;
  const Plan &first;
  std::vector<PlanConstant> constants; // which nobody declares: only the names matter
  CodeText code;
};

void Numbers::add(function_ref<std::optional<std::string>()> write) {
  if (unnamed)
    return;
  if (std::optional<std::string> text = write())
    texts.push_back(std::move(*text));
  else
    unnamed = code.unnamed();
}

/// Where in shared memory the copy begins. A pointer that the function was given may say what its
/// own variables do not.
std::optional<std::string> Numbers::place(bool declaresTile) {
  std::optional<std::string> slot;
  if (declaresTile)
    slot = code.inKernel(code.each([](const Plan &plan) { return plan.layout.slot.count(); }), "");
  if (slot)
    return slot;
  return code.place(code.each([](const Plan &plan) {
    return (plan.layout.slot + plan.layout.destination).count();
  }),
                    "");
}

void Numbers::coordinates() {
  for (size_t d = 0; d < first.dims().size(); ++d)
    inKernel([&](const Plan &plan) { return plan.dims()[d].coordinate.count(); });
}

void Numbers::walk(size_t i) {
  for (SymbolicElements Walk::*part : {&Walk::step, &Walk::first, &Walk::offset})
    inKernel([&](const Plan &plan) { return (plan.walks()[i].*part).count(); });
  if (first.walks()[i].count)
    inKernel([&](const Plan &plan) { return *plan.walks()[i].count; });
}

void Numbers::check(size_t i) {
  switch (first.copyChecks[i].subject) {
  case Check::Subject::Target: return;
  case Check::Subject::Apart: return first.hasMap() ? coordinates() : address();
  default: add([&] { return checkedText(plans, i, code, ""); });
  }
}

void Numbers::writeInKernel(bool declaresTile) {
  add([&] { return place(declaresTile); });
  if (first.bulk())
    address();
  coordinates();
  if (first.pixels())
    inKernel([](const Plan &plan) { return plan.pixels()->pixel; });
  for (size_t i = 0; i < first.walks().size(); ++i)
    walk(i);
  for (size_t i = 0; first.gather && i < first.gather->present.size(); ++i)
    for (auto side : {&PresenceText::less, &PresenceText::more})
      add([&] { return presenceText(plans, i, code, "").*side; });
  for (size_t i = 0; i < first.rows().size(); ++i)
    add([&] {
      return code.inKernelWide(
          code.each([&](const Plan &plan) { return plan.rows()[i].stride.count(); }), "");
    });
  for (size_t i = 0; i < first.copyChecks.size(); ++i)
    check(i);
}

/// What the launch does with a number: it computes it, or all numbers that it is in some block.
enum class LaunchUse { Number, Range };
using LaunchPart = function_ref<Polynomial(const Plan &)>;

/// Tells of all numbers that the launch needs for a copy, in the order in which launchers have
/// them.
class LaunchNumbers {
public:
  LaunchNumbers(const Plan &first, function_ref<void(LaunchUse, LaunchPart)> tell)
      : first(first), tell(tell) {}

  void run() const {
    for (size_t i = 0; i < first.launchChecks.size(); ++i)
      check(i);
    if (!first.base.knownAtLaunch || first.bulk())
      return;
    tell(LaunchUse::Number, [](const Plan &plan) { return plan.offset().count(); });
    for (size_t d = 0; d < first.dims().size(); ++d)
      extent(d);
  }

private:
  void check(size_t i) const {
    const Check &check = first.launchChecks[i];
    if (check.subject == Check::Subject::Target)
      return;
    auto value = [&](const Plan &plan) { return plan.launchChecks[i].value; };
    if (check.within.low != Interval::lowest || check.within.high != Interval::highest)
      tell(LaunchUse::Range, value);
    if (check.multiple != 1)
      tell(LaunchUse::Number, value);
  }

  /// How far a dimension goes, how far apart its elements are, and how pixels are walked through.
  void extent(size_t d) const {
    const PlanDimension &dim = first.dims()[d];
    if (dim.extent)
      tell(LaunchUse::Number, [&](const Plan &plan) { return plan.dims()[d].extent->count(); });
    else if (dim.lastLength)
      tell(LaunchUse::Range, [&](const Plan &plan) { return plan.dims()[d].coordinate.count(); });
    if (d > 0)
      tell(LaunchUse::Number, [&](const Plan &plan) { return plan.dims()[d].stride.count(); });
    if (d == 0 || d > first.walks().size())
      return;
    if (first.walks()[d - 1].count)
      tell(LaunchUse::Number, [&](const Plan &plan) { return *plan.walks()[d - 1].count; });
    tell(LaunchUse::Number, [&](const Plan &plan) { return plan.walks()[d - 1].step.count(); });
    tell(LaunchUse::Number, [&](const Plan &plan) { return plan.walks()[d - 1].first.count(); });
  }

  const Plan &first;
  function_ref<void(LaunchUse, LaunchPart)> tell;
};

/// Whether the lowest bits of a value decide, which overflow does not change.
bool isOfLastBits(const Check &check) {
  return check.within == Interval() && llvm::isPowerOf2_64(uint64_t(check.multiple));
}

} // namespace

std::variant<std::vector<std::string>, Unnamed> textsInKernel(const PlansOfCopy &plans,
                                                              bool declaresTile) {
  Numbers numbers(plans);
  numbers.writeInKernel(declaresTile);
  if (numbers.unnamed)
    return std::move(*numbers.unnamed);
  return std::move(numbers.texts);
}

std::optional<Unnamed> unnamedPart(const Plan &plan) {
  Numbers numbers({&plan});
  numbers.writeInKernel(/*declaresTile=*/true);
  return std::move(numbers.unnamed);
}

std::optional<Unnamed> unnamedAtLaunch(const PlansOfCopy &plans) {
  HostNumbers numbers(plans);
  std::optional<Unnamed> unnamed;
  LaunchNumbers(*plans.front(), [&](LaunchUse use, LaunchPart part) {
    const HostNumbers::Values values = numbers.each(part);
    const bool isNamed =
        unnamed || (use == LaunchUse::Range ? numbers.range(values) : numbers.number(values));
    if (!isNamed)
      unnamed = numbers.unnamed();
  }).run();
  return unnamed;
}

std::optional<std::string> checkedText(const PlansOfCopy &plans, size_t i, CodeText &code,
                                       StringRef hint) {
  const Check &check = plans.front()->copyChecks[i];
  if (check.subject == Check::Subject::Address)
    return code.pointer(code.each([](const Plan &plan) { return plan.offset().count(); }),
                        (hint + "_offset").str());
  const CodeText::Values values =
      code.each([&](const Plan &plan) { return plan.copyChecks[i].value; });
  const bool mayWrap = check.within.low == 0 && llvm::any_of(plans, [&](const Plan *plan) {
                         return plan->symbols.mayLeaveLongs(plan->copyChecks[i].value);
                       });
  const std::string name = (hint + "_check").str();
  return mayWrap               ? code.wrappedInKernel(values, name)
         : isOfLastBits(check) ? code.inKernelWide(values, name)
                               : code.inKernelExactly(values, name);
}

PresenceText presenceText(const PlansOfCopy &plans, size_t condition, CodeText &code,
                          StringRef hint) {
  auto valueIn = [&](const Plan &plan) -> auto & { return plan.gather->present[condition].value; };
  PresenceText text;
  text.isStrict =
      llvm::all_of(plans, [&](const Plan *plan) { return valueIn(*plan).constantTerm() == -1; });
  auto side = [&](bool negative) {
    auto sum = [&](const Plan &plan) {
      Polynomial total;
      for (const Term &term : valueIn(plan).getTerms())
        if ((term.coefficient < 0) == negative && !(text.isStrict && term.factors.empty()))
          total += Polynomial::ofTerm({term.factors, std::abs(term.coefficient)});
      return total;
    };
    return code.inKernelExactly(code.each(sum), (hint + "_check").str());
  };
  text.less = side(true);
  text.more = side(false);
  return text;
}

} // namespace tilelift
