//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether an address escapes, or all places are known at which a function uses it and what is
// computed from it. It escapes (is "kept") if it, or a number computed from it, is stored to memory
// that other code may read, or is passed to code that is not visible.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_ESCAPES_H
#define TILELIFT_EFFECTS_ESCAPES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace tilelift {

/// Whether some use of the address in the function may let it escape.
bool isKeptIn(const llvm::Function &function, const llvm::Value *address);

/// Whether the address, or a value that is computed from it, may be used outside of the innermost
/// loop around the blocks or in a later round of this loop. Also true if the address may escape, or
/// if there is no such loop.
bool outlivesRound(const llvm::Function &function, const llvm::Value *address,
                   llvm::ArrayRef<const llvm::BasicBlock *> inRound);

/// Whether memory of the thread's own is used by nothing but loads, stores and copies that name it,
/// so that its contents are what was stored.
bool isPrivate(const llvm::Value *memory);

/// All stores to memory of the thread's own, and copies into it.
void forEachStoreTo(const llvm::Value *memory,
                    llvm::function_ref<void(const llvm::Instruction &)> meet);

} // namespace tilelift

#endif
