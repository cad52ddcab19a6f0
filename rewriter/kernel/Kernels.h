//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with all of its instances. They share one text, so those that would need
// another text than the first stay plain; and where the rings of one instance lie in
// dynamic memory, those of all do.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_KERNELS_H
#define TILELIFT_KERNEL_KERNELS_H

#include "kernel/Instances.h"

namespace tilelift {

struct PlannedKernel {
  KernelPlan plan;
  /// False if an instance stays plain because it would need another text than the first.
  bool isOneText = true;
  /// What all of its copies do, those that stay plain included.
  std::vector<CopyRelation> relations;
};

/// Nothing for an explicit specialization, of which no copies are lifted.
std::optional<PlannedKernel> planKernel(const AnnotatedKernel &kernel, const FileFacts &file,
                                        const PlanChoices &choices, Verdicts &verdicts);

} // namespace tilelift

#endif
