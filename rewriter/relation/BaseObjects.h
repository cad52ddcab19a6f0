//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a copy's bases are among the memory that the kernel's code gets at, and so
// who may write there.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_BASEOBJECTS_H
#define TILELIFT_RELATION_BASEOBJECTS_H

#include "effects/KernelEffects.h"
#include "relation/CopyRelation.h"

namespace tilelift {

/// What relations know a type by, whatever it is called and however it is qualified.
const void *identityOf(clang::QualType type);

/// Any global memory, where a pointer was chosen or looked up; nothing for what nobody in
/// the kernel can write to.
ObjectSet objectsOf(const GlobalBase &base, const KernelEffects &effects);

/// Whether code with this effect may write to the tensor, or may make writes of other threads to it
/// visible; and whether anything in the kernel may.
bool mayWrite(const Effect &effect, const GlobalBase &base, const KernelEffects &effects);
bool mayBeWritten(const GlobalBase &base, const KernelEffects &effects);
/// Whether two of them may lead to the same memory.
bool mayMeet(const GlobalBase &a, const GlobalBase &b, const KernelEffects &effects);

} // namespace tilelift

#endif
