//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "spelling/PlansOfCopy.h"

using namespace llvm;

namespace tilelift {

std::vector<Polynomial> valuesIn(const PlansOfCopy &plans,
                                 function_ref<Polynomial(const Plan &)> value) {
  std::vector<Polynomial> values;
  for (const Plan *plan : plans)
    values.push_back(value(*plan));
  return values;
}

bool allKnow(const PlansOfCopy &plans, const Symbol &symbol) {
  return symbol.kind != Symbol::Kind::Parameter || !StringRef(symbol.spelling).contains('.') ||
         llvm::all_of(plans, [&](const Plan *plan) {
           return plan->symbols.hasParameter(symbol.spelling, symbol.code);
         });
}

bool mayOverflow(const PlansOfCopy &plans, ArrayRef<Polynomial> values) {
  return llvm::any_of(llvm::zip_equal(plans, values), [](const auto &own) {
    const auto &[plan, value] = own;
    return plan->symbols.mayOverflow(value);
  });
}

} // namespace tilelift
