//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rest of a kernel does with the memory that a copy touches: whether it
// only indexes the tile, so that rows may be moved apart, who else may write to the
// tile, and how much shared memory there is already.
//
// Which subscripts there are is read off the syntax. Who writes to the tile, and whether there
// are other ways to it than those subscripts, is asked of the kernel's code.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_FACTS_MEMORYUSES_H
#define TILELIFT_FACTS_MEMORYUSES_H

#include "interpreter/Interpreter.h"
#include "support/NamesInText.h"

namespace tilelift {

/// Looks at all uses of a shared array and records in `tile` what they require of its layout. What
/// uses in the copy itself require is kept apart, in SharedTile::ownEscape.
void describeUses(SharedTile &tile, const clang::VarDecl *variable, const KernelUnderTest &kernel,
                  const clang::Stmt *copy);

/// Expressions that name a variable, in the functions on the way to the copy.
std::vector<const clang::DeclRefExpr *> usesOf(const clang::VarDecl *variable,
                                               const KernelUnderTest &kernel);

/// All places in the text of these functions that name a variable, also in types, constants and
/// local classes.
std::vector<NameInText> textUsesOf(const clang::VarDecl *variable, const KernelUnderTest &kernel);

/// For each use of an array, its subscripts from the outermost dimension on, at most
/// `dims` of them.
std::vector<llvm::SmallVector<const clang::ArraySubscriptExpr *, 3>>
subscriptsOf(const clang::VarDecl *array, size_t dims, const KernelUnderTest &kernel);

/// Arrays in dynamic shared memory that a kernel uses but does not declare itself.
llvm::SmallVector<const clang::VarDecl *, 2> outerDynamicMemory(const clang::FunctionDecl *kernel);

/// An array in dynamic shared memory that a called function names, or that the kernel names by a
/// qualified name; null if there is none. The lifted kernel cannot hide such an array behind a
/// variable of the same name.
const clang::VarDecl *foreignDynamicMemory(const clang::FunctionDecl *kernel);

/// The static shared memory that a kernel declares, in bytes.
int64_t staticSharedBytes(const clang::FunctionDecl *kernel);

} // namespace tilelift

#endif
