//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who does not keep the promise of a pointer or a reference to constants: by a cast, or by assembly
// that is given the pointer. Functions whose body nobody sees are taken to keep it, as C++ asks of
// them for objects that are not constant themselves.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_CONSTDROPS_H
#define TILELIFT_SUPPORT_CONSTDROPS_H

#include "llvm/ADT/DenseMap.h"

namespace clang {
class FunctionDecl;
class Stmt;
} // namespace clang

namespace tilelift {

class ConstDrops {
public:
  /// In the function, or in one that it calls.
  bool in(const clang::FunctionDecl *function);
  /// In these statements themselves.
  static bool inPlace(const clang::Stmt *statement);

private:
  bool inCalls(const clang::Stmt *statement);

  llvm::DenseMap<const clang::FunctionDecl *, bool> known;
};

} // namespace tilelift

#endif
