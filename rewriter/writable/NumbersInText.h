//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether all numbers of a kernel's copies can be written as code that serves all of its instances.
// Those of each instance were found to have names; here, they have to have one text.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_NUMBERSINTEXT_H
#define TILELIFT_WRITABLE_NUMBERSINTEXT_H

#include "kernel/KernelPlan.h"
#include "spelling/NamedParts.h"

namespace tilelift {

std::optional<Diagnostic> whyUnnamed(const KernelPlan &kernel);

} // namespace tilelift

#endif
