//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that are staged in registers: loaded by one statement, stored by another.
// TMA loads where the annotated statement stores, so what is loaded must still be
// there by then.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_LOADSAHEAD_H
#define TILELIFT_RELATION_LOADSAHEAD_H

#include "relation/MemoryAccess.h"
#include "support/CallPath.h"

namespace clang {
class ASTContext;
}

namespace tilelift {

/// The statement that may write to the source on some path from one of the loads, which
/// stand in functions of the path, to the copy at its end; or null.
const clang::Stmt *writeAfterLoad(llvm::ArrayRef<const clang::Stmt *> loads,
                                  const CopySource &source, const clang::Stmt *copy,
                                  const CallPath &path, clang::ASTContext &context,
                                  const VariableFacts &facts);

} // namespace tilelift

#endif
