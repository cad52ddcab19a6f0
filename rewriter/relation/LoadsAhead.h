//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is loaded ahead of a copy: its elements, staged in registers, or where it starts.
// TMA loads where the annotated statement stores, so what was loaded must still be there
// by then.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_LOADSAHEAD_H
#define TILELIFT_RELATION_LOADSAHEAD_H

#include "relation/MemoryAccess.h"
#include "support/CallPath.h"

namespace clang {
class ASTContext;
}

namespace tilelift {

/// A statement that loads, in a function on the way to the copy; without one, the load is
/// made before the kernel starts.
struct LoadAhead {
  const clang::Stmt *statement = nullptr;
  /// The copy stores what it loaded in the round before, of a loop around both.
  bool isOfRoundBefore = false;
};

/// The statement that may write to the source on some path from one of the loads to the
/// copy at the path's end; or null.
const clang::Stmt *writeAfterLoad(llvm::ArrayRef<LoadAhead> loads, const CopySource &source,
                                  const clang::Stmt *copy, const CallPath &path,
                                  clang::ASTContext &context, const VariableFacts &facts);

} // namespace tilelift

#endif
