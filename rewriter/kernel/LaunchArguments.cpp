//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/LaunchArguments.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The value of an expression in arguments at a launch that passes all of them as constants.
std::optional<int64_t> valueAt(const LaunchedWith &launch, const Polynomial &value,
                               const Symbols &symbols) {
  int64_t total = 0;
  for (const Term &term : value.getTerms()) {
    int64_t product = term.coefficient;
    for (SymbolId id : term.factors) {
      bool isArgument = symbols[id].kind == Symbol::Kind::Parameter;
      auto given = isArgument ? launch.constantArgument(symbols[id].spelling) : std::nullopt;
      if (!given || __builtin_mul_overflow(product, *given, &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(total, product, &total))
      return std::nullopt;
  }
  return total;
}

/// Whether a launch may satisfy a guard; true if the value is not known.
bool mayMeet(const LaunchedWith &launch, const Check &guard, const Symbols &symbols) {
  std::optional<int64_t> value = valueAt(launch, guard.value, symbols);
  return !value || guard.within.contains({*value, *value});
}

} // namespace

LaunchArguments::LaunchArguments(const Program &program, const FunctionDecl *kernel) {
  for (const LaunchedWith &launch : program.launchedWith)
    if (launch.isOf(kernel))
      launches.push_back(&launch);
}

std::optional<int64_t> LaunchArguments::valueOf(StringRef name) const {
  for (const LaunchedWith *launch : launches)
    if (std::optional<int64_t> given = launch->constantArgument(name))
      return given;
  return std::nullopt;
}

std::set<std::string> LaunchArguments::argumentsOfFalseGuards(ArrayRef<Check> guards,
                                                              const Symbols &symbols) const {
  std::set<std::string> names;
  for (const Check &guard : guards) {
    if (launches.empty() || guard.rule != rule_id::guard)
      continue;
    if (llvm::any_of(launches,
                     [&](const LaunchedWith *launch) { return mayMeet(*launch, guard, symbols); }))
      continue;
    for (const Term &term : guard.value.getTerms())
      for (SymbolId id : term.factors)
        names.insert(symbols[id].spelling);
  }
  return names;
}

} // namespace tilelift
