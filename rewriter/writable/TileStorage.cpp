//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/TileStorage.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tilelift {

bool isMoved(const KernelPlan &kernel, size_t copy) {
  return llvm::any_of(kernel.instances, [&](const InstancePlan &instance) {
    return instance.copies[copy].plan.layout.moved;
  });
}

bool isRepeated(const KernelPlan &kernel, size_t copy) {
  const PlannedCopy &own = kernel.instances.front().copies[copy];
  return own.pipeline || own.hasTwoTiles;
}

bool needsSlots(const KernelPlan &kernel, size_t copy) {
  if (isMoved(kernel, copy))
    return false;
  if (kernel.instances.front().copies[copy].plan.ringAt)
    return true;
  return llvm::any_of(kernel.instances, [&](const InstancePlan &instance) {
    const VarDecl *tile = instance.copies[copy].tile;
    return tile->getASTContext().getTypeSizeInChars(tile->getType()).getQuantity() %
               instance.copies[copy].plan.layout.alignment().count() !=
           0;
  });
}

bool hasDynamicRings(const KernelPlan &kernel) {
  return llvm::any_of(kernel.instances.front().copies,
                      [](const PlannedCopy &copy) { return copy.plan.ringAt.has_value(); });
}

bool hasOverhang(const KernelPlan &kernel) {
  return llvm::any_of(kernel.instances, [](const InstancePlan &instance) {
    return llvm::any_of(instance.copies,
                        [](const PlannedCopy &copy) { return copy.plan.overhang != Bytes(); });
  });
}

bool usesDynamicMemory(const KernelPlan &kernel) {
  return hasDynamicRings(kernel) ||
         llvm::any_of(kernel.instances.front().copies,
                      [](const PlannedCopy &copy) { return isDynamic(copy.tile); });
}

} // namespace tilelift
