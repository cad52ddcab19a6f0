//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lambda's body is one text, whoever calls it: its copies are the same in all calls, or stay
// loops.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_LAMBDACALLS_H
#define TILELIFT_KERNEL_LAMBDACALLS_H

#include "directive/Program.h"
#include "kernel/Verdicts.h"

namespace tilelift {

class KernelEffects;

/// Whether the statement's text stands for another statement, too: a generic lambda has several
/// instances and one text.
bool isOtherInstanceOfText(const AnnotatedStatement &statement, const KernelInstance &instance);

/// Whether copies that a lambda makes in this call are to be added to the instance: not if the same
/// text makes them in another call already, or differs from it, which is said.
bool joinCalls(InstancePlan &instance, std::vector<PlannedCopy> &copies, Verdicts &verdicts);

/// A lambda's text is lifted for all of its calls, or for none.
void dropHalfLifted(InstancePlan &instance, Verdicts &verdicts);

/// Says of each function with a copy if the kernel gets there in a way that is not followed, as by
/// a destructor or a pointer: there, a function's copy stays a loop. A lambda's text is the same on
/// all ways, so its copies stay loops on all of them.
void refuseUnseenCalls(InstancePlan &plan, const KernelInstance &instance,
                       const KernelEffects &effects, Verdicts &verdicts);

} // namespace tilelift

#endif
