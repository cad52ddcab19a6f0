//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One instance of a kernel as a whole: the block that it is planned for, the copies of all of its
// statements, and what these need together: layouts, memory, rings, clusters.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_INSTANCES_H
#define TILELIFT_KERNEL_INSTANCES_H

#include "kernel/FileFacts.h"
#include "kernel/Verdicts.h"

namespace tilelift {

/// The plan of an instance, and the copy relations that were found for it, which --dump-relation
/// prints.
struct PlannedInstance {
  /// Nothing if all copies of the instance stay loops; refusals are among the verdicts already.
  std::optional<InstancePlan> plan;
  std::vector<CopyRelation> relations;
};

/// What is tried, for all instances of a kernel alike.
struct PlanChoices {
  /// Copies may be made ahead of their rounds in loops for which no pragma asks that.
  bool hasOwnRings = true;
  /// The pragmas of copies that stay loops.
  llvm::DenseSet<const Directive *> loops;
};

PlannedInstance planInstance(const AnnotatedKernel &kernel, const KernelInstance &instance,
                             const FileFacts &file, const PlanChoices &choices, Verdicts &verdicts);

} // namespace tilelift

#endif
