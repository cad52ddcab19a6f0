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

/// Looks at all uses of a shared array and fills in what they need of its layout;
/// those in the copy itself are kept apart.
void describeUses(SharedTile &tile, const clang::VarDecl *variable, const KernelUnderTest &kernel,
                  const clang::Stmt *copy);

/// All places that name a variable, in the functions on the way to the copy.
std::vector<const clang::DeclRefExpr *> usesOf(const clang::VarDecl *variable,
                                               const KernelUnderTest &kernel);

/// The same in all of their text, in types and constants as well.
std::vector<NameInText> textUsesOf(const clang::VarDecl *variable, const KernelUnderTest &kernel);

/// For each use of an array, its subscripts from the outermost dimension on, at most
/// `dims` of them.
std::vector<llvm::SmallVector<const clang::ArraySubscriptExpr *, 3>>
subscriptsOf(const clang::VarDecl *array, size_t dims, const KernelUnderTest &kernel);

/// Arrays in dynamic shared memory that a kernel uses but does not declare itself.
llvm::SmallVector<const clang::VarDecl *, 2> outerDynamicMemory(const clang::FunctionDecl *kernel);

/// An array in dynamic shared memory that a function uses which the kernel calls, or the
/// kernel itself by a qualified name, so that no other can take its name; or null.
const clang::VarDecl *foreignDynamicMemory(const clang::FunctionDecl *kernel);

/// The static shared memory that a kernel declares, in bytes.
int64_t staticSharedBytes(const clang::FunctionDecl *kernel);

} // namespace tilelift

#endif
