//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether all numbers of a kernel's copies can be written as code that serves all of its instances.
// Those of each instance were found to have names; here, they have to have one text.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_NAMING_H
#define TILELIFT_WRITABLE_NAMING_H

#include "kernel/KernelPlan.h"
#include "spelling/NamedParts.h"

namespace tilelift {

/// The plans of a copy in all instances, and those that it is made ahead of its round by.
PlansOfCopy plansOf(const KernelPlan &kernel, size_t copy);
PlansOfCopy plansAheadOf(const KernelPlan &kernel, size_t copy);

std::optional<Diagnostic> whyUnnamed(const KernelPlan &kernel);

} // namespace tilelift

#endif
