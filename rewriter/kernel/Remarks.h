//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user is told of copies that lift: what is checked and when, what the tile's layout
// costs, how far ahead a ring is, and which launches run the plain kernel all the same.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_REMARKS_H
#define TILELIFT_KERNEL_REMARKS_H

#include "kernel/FileFacts.h"
#include "kernel/KernelPlan.h"

namespace tilelift {

/// "16 x 8"
std::string print(const BlockShape &shape);

/// Remarks that the copy is lifted, what is checked for it, and what its tile's layout costs or
/// saves. Warns if the plan moves looked-up rows four at a time and the device that the user names
/// cannot do that: then every launch would fail the check in the launcher, or every block the check
/// at the copy, and the loop would always run. `isDeferred`: the copy is waited for where the
/// program waits for its group (CopyOrder).
std::vector<Diagnostic> remarksOn(const Plan &plan, const Device &device, bool isDeferred);

/// How far ahead a loop's copies are, and what that costs.
Diagnostic remarkOnPipeline(const InstancePlan &instance, size_t pipeline);

/// Launches that run the plain kernel, and uses of kernels that are no launches.
std::vector<Diagnostic> remarksOnUses(llvm::ArrayRef<const KernelPlan *> kernels,
                                      const FileFacts &file);

/// That nothing launches a lifted kernel, if that is so.
std::vector<Diagnostic> remarksOnLaunches(const KernelPlan &kernel, const std::string &lifted,
                                          const FileFacts &file);

} // namespace tilelift

#endif
