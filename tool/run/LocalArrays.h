//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of device code to local variables by computed offsets: each gets a test
// of its own, since PTX knows neither names nor sizes of what lies in local memory.
//
// A test that fails calls a function that is named by a number, which the translator
// knows (ptx/Translate.h). What is reached through a pointer that comes from
// elsewhere is not tested; after inlining, that is little.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_RUN_LOCALARRAYS_H
#define TILELIFT_TOOL_RUN_LOCALARRAYS_H

#include "ptx/Translate.h"

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace tilelift {

/// `accesses` is filled while the pipeline runs, and must outlive it.
void testLocalArrays(llvm::PassBuilder &passes, std::vector<ptx::LocalAccess> &accesses);

} // namespace tilelift

#endif
