//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Lift.h"

#include "LiftOnce.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/thread.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Where copies are split into several statements, these are joined if that makes a better copy.
LiftResult joinSplitCopies(LiftedOnce lifted, const LiftInputs &inputs,
                           const DirectiveList &directives, const ExitConditions &exits) {
  if (areWhole(lifted.outcomes))
    return std::move(lifted.result);
  std::vector<AdjacentLoads> split =
      splitCopies(adjacentLoads(inputs.context, directives), lifted.outcomes);
  while (!split.empty()) {
    const JoinedStatements joined(inputs.context, split);
    LiftedOnce again = liftOnce(inputs, withJoined(directives, split), exits);
    if (!eraseUnwhole(split, again.outcomes))
      return std::move(again.result);
  }
  return std::move(lifted.result);
}

/// If no copy of a kernel lifts, the reason may be that threads leave the kernel before its copies.
/// Then the kernel is lifted for launches in which no thread leaves.
LiftResult liftInBestForm(const LiftInputs &inputs, const DirectiveList &directives) {
  LiftedOnce lifted = liftOnce(inputs, directives, {});
  if (areWhole(lifted.outcomes))
    return std::move(lifted.result);
  const auto isWanted = [&](const KernelInstance &kernel) {
    return isNoneLifted(kernel, lifted.outcomes);
  };
  {
    const WithoutExits without(inputs.context, lifted.program, isWanted);
    const ExitConditions &exits = without.getConditions();
    if (!exits.empty())
      if (LiftedOnce again = liftOnce(inputs, directives, exits);
          liftsMore(again.outcomes, lifted.outcomes))
        return joinSplitCopies(std::move(again), inputs, directives, exits);
  }
  return joinSplitCopies(std::move(lifted), inputs, directives, {});
}

} // namespace

std::string printed(const json::Array &list) {
  return formatv("{0:2}\n", json::Value(json::Array(list)));
}

/// Expressions are walked by recursion, and Clang takes deeper ones than the main stack.
constexpr unsigned stackBytes = 512u << 20;

LiftResult lift(ASTContext &context, const DirectiveList &directives,
                const DiagnosticOptions &options, const ProgramFacts &others,
                const Selection &selection) {
  LiftResult result;
  llvm::thread worker(std::optional<unsigned>(stackBytes), [&] {
    result = liftInBestForm({context, options, others, selection}, directives);
  });
  worker.join();
  return result;
}

} // namespace tilelift
