//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who writes to what he got as a constant: by a cast, or by assembly that is given the pointer. C++
// allows that where the object itself is none, so that what is proved of a variable has to ask.
// Functions whose body nobody sees keep the promise, and so do CUDA's own; a constructor that keeps
// a reference for its destructor, and a union of pointers, are not looked through.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_CONSTDROPS_H
#define TILELIFT_SUPPORT_CONSTDROPS_H

#include "llvm/ADT/SmallPtrSet.h"

#include <map>

namespace clang {
class Expr;
class FunctionDecl;
class ParmVarDecl;
class Stmt;
} // namespace clang

namespace tilelift {

/// What of a function's callers may be written although it was passed as a constant.
struct BrokenPromises {
  llvm::SmallPtrSet<const clang::ParmVarDecl *, 2> parameters;
  bool ofObject = false;
  /// Through a pointer that may lead to anything.
  bool ofAnything = false;

  bool of(const clang::ParmVarDecl *parameter) const {
    return ofAnything || parameters.contains(parameter);
  }
  bool any() const { return ofAnything || ofObject || !parameters.empty(); }
};

class ConstDrops {
public:
  /// By the function, or by one that it calls.
  const BrokenPromises &in(const clang::FunctionDecl *function);

private:
  void look(const clang::Stmt *statement, BrokenPromises &found);
  void lookAtCall(const clang::Expr *call, BrokenPromises &found);

  std::map<const clang::FunctionDecl *, BrokenPromises> known;
  /// Casts whose result is looked at, and no more.
  llvm::SmallPtrSet<const clang::Expr *, 8> reads;
};

} // namespace tilelift

#endif
