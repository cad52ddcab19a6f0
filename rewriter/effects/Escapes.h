//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an address goes: whether all places are known at which a function uses
// what is made of it. An address that is stored to memory which others may
// read, or handed to code that nobody sees, is kept; so is a number made of it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_ESCAPES_H
#define TILELIFT_EFFECTS_ESCAPES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace tilelift {

/// Whether some use of the value in the function may keep it.
bool isKeptIn(const llvm::Function &function, const llvm::Value *address);

/// Whether some use of what is made of it may lie outside of the innermost loop around some
/// blocks, or in another round than the one in which it was made; also where it may be kept.
bool outlivesRound(const llvm::Function &function, const llvm::Value *address,
                   llvm::ArrayRef<const llvm::BasicBlock *> inRound);

/// Whether memory of the thread's own is used by nothing but loads, stores and copies that
/// name it, so that what lies there is what was stored.
bool isPrivate(const llvm::Value *memory);

/// All stores to memory of the thread's own, and copies into it.
void forEachStoreTo(const llvm::Value *memory,
                    llvm::function_ref<void(const llvm::Instruction &)> meet);

} // namespace tilelift

#endif
