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

/// Whether the instance has another annotated statement that comes from the same source text: a
/// generic lambda has several instantiations and one text.
bool isOtherInstanceOfText(const AnnotatedStatement &statement, const KernelInstance &instance);

/// Compares the copies that a lambda makes in this call with those that its text makes in another
/// call of the instance. If there are such copies, empties `copies`, which then need not be added.
/// If they differ, also refuses and drops them, and returns false.
bool joinCalls(InstancePlan &instance, std::vector<PlannedCopy> &copies, Verdicts &verdicts);

/// Refuses and drops the copies of a lambda that were planned for some of its calls only, because
/// all calls share one text.
void dropHalfLifted(InstancePlan &instance, Verdicts &verdicts);

/// Reports copies whose function or lambda is also called in a way that the analysis does not
/// follow, such as by a destructor or through a pointer. The copies of a function stay in the plan:
/// its known calls become calls of a sibling, and the call that is not followed runs the function
/// as it was written, with its loop. A lambda has one text for all of its calls, so its copies are
/// removed from the plan.
void refuseUnseenCalls(InstancePlan &plan, const KernelInstance &instance,
                       const KernelEffects &effects, Verdicts &verdicts);

} // namespace tilelift

#endif
