//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles of a kernel come to several blocks of a cluster at once, as `multicast` asks
// for it: those that all of these blocks fill alike, and with the same.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_CLUSTERS_H
#define TILELIFT_KERNEL_CLUSTERS_H

#include "kernel/KernelPlan.h"

namespace tilelift {

/// Why a clause cannot be followed.
struct UnsharedTile {
  size_t copy = 0;
  Diagnostic reason;
};

/// Gives the plans their peers, and the kernel its clusters. Says of what may do without,
/// `fallback(loop)`, that it does.
std::optional<UnsharedTile> shareTiles(InstancePlan &instance, const KernelEffects &effects,
                                       std::vector<Diagnostic> &diagnostics);

} // namespace tilelift

#endif
