//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether code gets at a shared array by the subscripts of all its dimensions, each time anew, and
// how many bytes of an element and what lies behind it it accesses then. Only then can the rows
// of the array lie elsewhere. An address in it that goes anywhere else may be used to get at
// other elements, by however they lay when it was taken.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_ELEMENTUSES_H
#define TILELIFT_EFFECTS_ELEMENTUSES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

namespace tilelift {

struct ElementUses {
  /// As many bytes as are accessed by the address of an element, all of which starts on a multiple
  /// of them where they are more than an element.
  uint64_t widest = 0;
  /// The first use that is none of an element; null where all are.
  const llvm::Instruction *other = nullptr;
};

/// Of an array of so many dimensions, in one function, but where `isExcepted` says so.
ElementUses elementUsesOf(const llvm::GlobalVariable &array, unsigned dimensions,
                          const llvm::Function &function,
                          llvm::function_ref<bool(const llvm::Instruction &)> isExcepted);

} // namespace tilelift

#endif
