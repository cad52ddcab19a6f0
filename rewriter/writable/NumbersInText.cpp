//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/NumbersInText.h"

#include "writable/FunctionText.h"

using namespace llvm;

namespace tilelift {

/// In the kernel, and in the functions on the way to copies.
static std::optional<Diagnostic> whyUnnamedInKernel(const KernelPlan &kernel) {
  const InstancePlan &first = kernel.instances.front();
  std::vector<size_t> textOf;
  const std::vector<FunctionText> texts = textsOf(first, textOf);
  for (size_t i = 0; i < first.copies.size(); ++i) {
    const PlannedCopy &copy = first.copies[i];
    auto made = textsInKernel(copy.pipeline ? kernel.plansAheadOf(i) : kernel.plansOf(i),
                              declares(texts[textOf[i]], copy.tile));
    if (const auto *unnamed = std::get_if<Unnamed>(&made))
      return unnamed->at(copy.plan.place);
  }
  return std::nullopt;
}

/// Returns the first number that the launcher needs and cannot compute from the kernel's arguments.
/// All instances share one launcher, so a number that it can compute is known for each of them, and
/// the other hosts' launchers, which are of one instance, can compute it, too.
static std::optional<Diagnostic> whyUnnamedAtLaunch(const KernelPlan &kernel) {
  const InstancePlan &first = kernel.instances.front();
  for (size_t i = 0; i < first.copies.size(); ++i)
    if (auto unnamed = unnamedAtLaunch(kernel.plansOf(i)))
      return unnamed->at(first.copies.front().plan.place);
  return std::nullopt;
}

std::optional<Diagnostic> whyUnnamed(const KernelPlan &kernel) {
  std::optional<Diagnostic> reason = whyUnnamedInKernel(kernel);
  return reason ? reason : whyUnnamedAtLaunch(kernel);
}

} // namespace tilelift
