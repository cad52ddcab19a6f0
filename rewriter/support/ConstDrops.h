//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that may write through a pointer or reference to const, by a cast or by assembly that
// gets the pointer. C++ allows that if the object itself is not const, so proofs about a variable
// have to consider it. Functions whose body is not visible, and CUDA's own, are taken to write to
// no such object; a constructor that keeps a reference for its destructor, and a union of pointers,
// are not looked through.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_CONSTDROPS_H
#define TILELIFT_SUPPORT_CONSTDROPS_H

#include <map>
#include <set>

namespace clang {
class FunctionDecl;
} // namespace clang

namespace tilelift {

/// The objects of its callers to which a function may write although they were passed to it as
/// const.
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
  /// Returns the objects to which the function, or a function that it calls, may write although
  /// they are passed as const.
  const BrokenPromises &in(const clang::FunctionDecl *function);

private:
  std::map<const clang::FunctionDecl *, BrokenPromises> known;
};

} // namespace tilelift

#endif
