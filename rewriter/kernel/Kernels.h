//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with all of its instances. They share one text, so those that would need
// another text than the first stay plain; and where the rings of one instance lie in
// dynamic memory, those of all do.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_KERNELS_H
#define TILELIFT_KERNEL_KERNELS_H

#include "kernel/FileFacts.h"
#include "kernel/Verdicts.h"

namespace tilelift {

/// The kernels of a file, and what their copies do, which is shown on request.
struct PlannedKernels {
  std::vector<KernelPlan> kernels;
  std::vector<CopyRelation> relations;
};

PlannedKernels planKernels(const FileFacts &file, Verdicts &verdicts);

} // namespace tilelift

#endif
