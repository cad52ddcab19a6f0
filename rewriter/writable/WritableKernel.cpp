//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/WritableKernel.h"

#include "support/Locations.h"
#include "writable/BodyStart.h"
#include "writable/Launches.h"
#include "writable/NumbersInText.h"
#include "writable/Writable.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The kernel with leaders in place of producers, if its pipelines allow that.
std::optional<KernelPlan> withoutProducers(const KernelPlan &kernel) {
  KernelPlan plain = kernel;
  for (InstancePlan &instance : plain.instances)
    for (PlannedPipeline &pipeline : instance.pipelines)
      if (std::exchange(pipeline.hasProducer, false) &&
          pipeline.directive->clauses.fallback != Fallback::Loop)
        return std::nullopt;
  return plain;
}

} // namespace

std::variant<WritableKernel, Diagnostic>
makeWritable(const KernelPlan &kernel, const FileFacts &file, const SourceText &source) {
  const Variants &variants = file.directives.variants;
  if (auto obstacle = whyNotWritable(kernel, source, variants, file.directives.macros))
    return std::move(*obstacle);
  if (std::optional<Diagnostic> unnamed = whyUnnamed(kernel))
    return std::move(*unnamed);
  WritableKernel writable;
  writable.assumptions = assumptionsOf(kernel, variants);
  if (writable.assumptions.line.isValid())
    return diagnose(diag::not_available_yet,
                    placeOf(file.context.getSourceManager(), writable.assumptions.line),
                    "a copy with a number that __LINE__ gives");
  writable.startOfBarriers = startOfBarriers(kernel, source, file.effects);
  if (kernel.hasProducer()) {
    auto way = findProducerWay(kernel, source, file.effects, writable.startOfBarriers);
    if (auto *problem = std::get_if<Diagnostic>(&way)) {
      std::optional<KernelPlan> plain = withoutProducers(kernel);
      if (!plain)
        return std::move(*problem);
      auto made = makeWritable(*plain, file, source);
      problem->severity = Severity::Warning;
      if (auto *other = std::get_if<WritableKernel>(&made))
        other->warning = std::move(*problem);
      return made;
    }
    writable.producer = std::move(std::get<ProducerWay>(way));
  }
  const FunctionDecl *first = kernel.pattern->getCanonicalDecl();
  if (file.selection.output == Output::Program && first != kernel.pattern) {
    auto declared = placeOfDeclaration(first, source);
    if (auto *problem = std::get_if<Diagnostic>(&declared))
      return std::move(*problem);
    writable.launcherDeclared = std::get<unsigned>(declared);
  }
  writable.orders = ordersOf(kernel, file.effects);
  writable.plan = kernel;
  return writable;
}

} // namespace tilelift
