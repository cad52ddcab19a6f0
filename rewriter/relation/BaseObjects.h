//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the memory objects (effects/MemoryObjects.h) to which the bases of a copy relation lead.
// They tell which code of the kernel may write to a base.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_BASEOBJECTS_H
#define TILELIFT_RELATION_BASEOBJECTS_H

#include "effects/KernelEffects.h"
#include "relation/CopyRelation.h"

namespace tilelift {

/// Returns a pointer that identifies a type in relations, the same for all of its aliases and
/// qualifications.
const void *identityOf(clang::QualType type);

/// Returns the memory objects to which a base leads: any memory but shared memory, if a pointer was
/// looked up or chosen by a condition. The set is empty for constant memory and the kernel's
/// arguments, to which the kernel cannot write.
ObjectSet objectsOf(const GlobalBase &base, const KernelEffects &effects);

/// Whether code with this effect may write to the tensor, or may make writes of other threads to it
/// visible; and whether anything in the kernel may.
bool mayWrite(const Effect &effect, const GlobalBase &base, const KernelEffects &effects);
bool mayBeWritten(const GlobalBase &base, const KernelEffects &effects);
/// Whether two of them may lead to the same memory.
bool mayMeet(const GlobalBase &a, const GlobalBase &b, const KernelEffects &effects);

} // namespace tilelift

#endif
