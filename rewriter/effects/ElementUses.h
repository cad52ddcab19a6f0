//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether code reaches a shared array only by subscripting all of its dimensions, and how wide
// those accesses are. Only then can the rows of the array lie elsewhere: an address that goes
// anywhere else may be used to reach other elements by the old layout.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_ELEMENTUSES_H
#define TILELIFT_EFFECTS_ELEMENTUSES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

namespace tilelift {

struct ElementUses {
  /// The widest access, in bytes, through an element's address. Where it is wider than an element,
  /// it starts on a multiple of its width.
  uint64_t widest = 0;
  /// The first use that is no such access; null where all are.
  const llvm::Instruction *other = nullptr;
};

/// Uses of `array`, which has `dimensions` dimensions, in `function`, but for the instructions for
/// which `isExcepted` holds. `alignedAt` gives the alignment in bytes that the source's types
/// guarantee for an instruction, which is either the one that computes the element's address or the
/// access itself; 0 where they guarantee none.
ElementUses elementUsesOf(const llvm::GlobalVariable &array, unsigned dimensions,
                          const llvm::Function &function,
                          llvm::function_ref<bool(const llvm::Instruction &)> isExcepted,
                          llvm::function_ref<uint64_t(const llvm::Instruction &)> alignedAt);

} // namespace tilelift

#endif
