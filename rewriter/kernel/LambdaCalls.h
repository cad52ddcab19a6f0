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

/// Refuses copies whose function or lambda is also called in a way that the analysis does not
/// follow, such as by a destructor or through a pointer. That call runs the function as it was
/// written, with its loop. A lambda has one text for all of its calls, so its copies are dropped.
void refuseUnseenCalls(InstancePlan &plan, const KernelInstance &instance,
                       const KernelEffects &effects, Verdicts &verdicts);

} // namespace tilelift

#endif
