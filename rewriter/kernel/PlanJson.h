//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's whole plan as JSON, for --dump-plan: each instance with its copies, pipelines and
// cluster, and what the instances share, the barriers and fences around the copies and the pragmas
// that stay loops. Places are lines of the file. docs/how-it-works.md lists the keys.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_PLANJSON_H
#define TILELIFT_KERNEL_PLANJSON_H

#include "kernel/Orders.h"

#include "llvm/Support/JSON.h"

namespace tilelift {

llvm::json::Value toJson(const KernelPlan &kernel, const CopyOrders &orders,
                         const clang::SourceManager &sources);

} // namespace tilelift

#endif
