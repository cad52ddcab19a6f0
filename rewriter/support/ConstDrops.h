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

#include <map>
#include <set>

namespace clang {
class FunctionDecl;
} // namespace clang

namespace tilelift {

/// What of a function's callers may be written although it was passed as a constant.
struct BrokenPromises {
  /// By their place: each declaration of a function has its own.
  std::set<unsigned> parameters;
  bool ofObject = false;
  /// Through a pointer that may lead to anything.
  bool ofAnything = false;

  bool of(unsigned parameter) const { return ofAnything || parameters.count(parameter) > 0; }
  bool any() const { return ofAnything || ofObject || !parameters.empty(); }
};

class ConstDrops {
public:
  /// By the function, or by one that it calls.
  const BrokenPromises &in(const clang::FunctionDecl *function);

private:
  std::map<const clang::FunctionDecl *, BrokenPromises> known;
};

} // namespace tilelift

#endif
