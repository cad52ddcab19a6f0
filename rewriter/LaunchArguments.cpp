//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "LaunchArguments.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// What a value of arguments is at a launch that gives all of them as constants.
std::optional<int64_t> valueAt(const Launch &launch, const Polynomial &value,
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

} // namespace

LaunchArguments::LaunchArguments(const Program &program, const FunctionDecl *kernel) {
  for (const Launch &launch : program.launches)
    if (launch.instance->getCanonicalDecl() == kernel->getCanonicalDecl())
      launches.push_back(&launch);
}

std::optional<int64_t> LaunchArguments::valueOf(StringRef name) const {
  for (const Launch *launch : launches)
    if (std::optional<int64_t> given = launch->constantArgument(name))
      return given;
  return std::nullopt;
}

/// What nobody can tell may be so.
bool LaunchArguments::isMetBy(const Launch &launch, const Check &guard,
                              const Symbols &symbols) const {
  std::optional<int64_t> value = valueAt(launch, guard.value, symbols);
  return !value || guard.within.contains({*value, *value});
}

std::set<std::string> LaunchArguments::neverMeeting(ArrayRef<Check> guards,
                                                    const Symbols &symbols) const {
  std::set<std::string> names;
  for (const Check &guard : guards) {
    bool isMet = launches.empty() || llvm::any_of(launches, [&](const Launch *launch) {
                   return isMetBy(*launch, guard, symbols);
                 });
    if (StringRef(guard.rule) != "guard" || isMet)
      continue;
    for (const Term &term : guard.value.getTerms())
      for (SymbolId id : term.factors)
        names.insert(symbols[id].spelling);
  }
  return names;
}

} // namespace tilelift
