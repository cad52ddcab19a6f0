//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In what a lifted kernel keeps the tile of a copy: in the array that the program declares, in one
// with the rows of its plan, or in several of them. One text serves all instances, so that what one
// of them needs is done for all.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_TILESTORAGE_H
#define TILELIFT_WRITABLE_TILESTORAGE_H

#include "kernel/KernelPlan.h"

namespace tilelift {

/// Whether the elements of a tile lie in another way than in the array that the program declares
/// (SharedLayout::moved): in other rows, or swizzled.
bool isMoved(const KernelPlan &kernel, size_t copy);
/// Whether there are several tiles in the place of one: a ring, or two that take turns.
bool isRepeated(const KernelPlan &kernel, size_t copy);
/// Whether several tiles that keep the program's array type need the aligned type tilelift::slot:
/// their size is no multiple of the copy's alignment, or their ring lies in dynamic shared memory.
/// False for a tile for which `isMoved` is true: its array gets another type anyway.
bool needsSlots(const KernelPlan &kernel, size_t copy);
/// Whether its array gets another type.
inline bool isRetyped(const KernelPlan &kernel, size_t copy) {
  return isMoved(kernel, copy) || (isRepeated(kernel, copy) && needsSlots(kernel, copy));
}

/// Whether its size is an argument of the launch.
inline bool isDynamic(const clang::VarDecl *tile) {
  return tile->getType()->isIncompleteArrayType();
}
bool hasDynamicRings(const KernelPlan &kernel);
/// Whether boxes may reach past the dynamic shared memory that the program asks for.
bool hasOverhang(const KernelPlan &kernel);
bool usesDynamicMemory(const KernelPlan &kernel);

} // namespace tilelift

#endif
