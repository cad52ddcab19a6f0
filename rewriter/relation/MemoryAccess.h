//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a statement gets at memory that threads share, and whether it may write where
// a copy reads from.
//
// Read off the syntax, without following values, and on the safe side.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_MEMORYACCESS_H
#define TILELIFT_RELATION_MEMORYACCESS_H

#include "relation/CopyRelation.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace tilelift {

class VariableFacts;

llvm::StringRef calleeName(const clang::CallExpr *call);
bool isBlockBarrier(const clang::Stmt *statement);
/// Calls that touch no memory which threads share.
bool isHarmlessCall(const clang::CallExpr *call);

/// Whether some word of a statement's instructions is one of those that are meant.
bool hasInstruction(const clang::GCCAsmStmt *assembly,
                    llvm::function_ref<bool(llvm::StringRef)> isMeant);

/// The variables that an expression names; none where there is no expression.
llvm::SmallVector<const clang::VarDecl *, 4> variablesIn(const clang::Expr *expression);

/// An address that somebody keeps may be written through.
enum class Use { Read, Address, Store };

/// What a statement does with what its child names.
Use useThrough(const clang::Stmt *statement, const clang::Stmt *child, const VariableFacts &facts);
/// What an expression leads through to memory, if it does.
const clang::Expr *pointerOf(const clang::Stmt *statement);

/// Whether it leads to where an argument of the kernel promises that nothing changes for as
/// long as the kernel runs: `const __restrict__`.
bool isNeverWritten(const clang::Expr *pointer);

/// What relations know a type by, whatever it is called and however it is qualified.
const void *identityOf(clang::QualType type);

/// Where a copy reads from or stores to, as far as it tells who may access that, too.
struct CopySource {
  /// The pointer, as in "in" or "args.in".
  std::string spelling;
  clang::QualType element;
  /// Nothing is written through this pointer, or through none but this one.
  bool isConstant = false;
  bool isRestrict = false;

  /// By whom nothing is known of.
  bool mayBeWritten() const { return !isConstant || !isRestrict; }
};
CopySource sourceOf(const GlobalBase &base);
/// Whether two pointers may lead to the same memory.
bool mayMeet(const GlobalBase &a, const GlobalBase &b);

/// `isInKernel`: arguments are what the host passed, not what some caller made.
bool mayWrite(const clang::Stmt *statement, const CopySource &source, bool isInKernel,
              const VariableFacts &facts);
/// The same for reading as well.
bool mayTouch(const clang::Stmt *statement, const CopySource &source, bool isInKernel,
              const VariableFacts &facts);

/// What a call or assembly may have to do with memory that threads share.
struct MemoryOfCode {
  bool touches = false;
  /// By names and addresses of its own, it may write to a tile that is not handed to it.
  bool storesShared = false;
  /// It may get at memory that it is not handed, or wait for who does, or nobody knows.
  bool isHidden = false;
  /// Instructions get at it, for which numbers are addresses.
  bool byInstructions = false;
};
MemoryOfCode memoryOf(const clang::Stmt *code);
/// Whether it may write to shared memory that it is not told of by name, or is handed.
bool mayStoreToShared(const clang::Stmt *statement, bool isInKernel);
/// Whether an argument of a call leads to memory that is neither named there nor global.
bool leadsElsewhere(const clang::CallExpr *call, bool isInKernel);
/// Whether it may get at global memory, by its arguments or by instructions.
bool mayReadGlobal(const clang::Stmt *statement);
bool mayStoreToGlobal(const clang::Stmt *statement);

/// Assembly that does nothing but to order what threads did to memory before what others do
/// to it by asynchronous copies and products, or a call of it.
bool isProxyFence(const clang::Stmt *statement);

/// Whether a statement may tell other blocks, or learn from them, that something has been
/// written: by atomics, fences, volatile accesses, barriers of more than the block.
bool maySignal(const clang::Stmt *statement);

} // namespace tilelift

#endif
