//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "relation/BaseObjects.h"

#include "clang/AST/Decl.h"

using namespace clang;

namespace tilelift {

const void *identityOf(QualType type) {
  return type.getCanonicalType().getUnqualifiedType().getAsOpaquePtr();
}

ObjectSet objectsOf(const GlobalBase &base, const KernelEffects &effects) {
  bool isConstant = base.isTable && !base.isShared; // constant memory, or an argument itself
  if (isConstant)
    return ObjectSet();
  return effects.objectsAt(static_cast<const VarDecl *>(base.origin), uint64_t(base.originOffset));
}

bool mayWrite(const Effect &effect, const GlobalBase &base, const KernelEffects &effects) {
  return effects.mayWrite(effect, objectsOf(base, effects));
}

bool mayBeWritten(const GlobalBase &base, const KernelEffects &effects) {
  return mayWrite(effects.ofAll(), base, effects);
}

bool mayMeet(const GlobalBase &a, const GlobalBase &b, const KernelEffects &effects) {
  return effects.mayMeet(objectsOf(a, effects), objectsOf(b, effects));
}

} // namespace tilelift
