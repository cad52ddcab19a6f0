//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an address leads: into which variable, how far, and on a multiple of what. Addresses are
// followed through calls, casts and the assembly that makes numbers of them. What has to lie where
// is not asked here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_LINT_ADDRESSES_H
#define TILELIFT_LINT_ADDRESSES_H

#include "lint/Frames.h"

#include <numeric>

namespace tilelift {

/// Where something lies.
struct Location {
  const clang::VarDecl *variable = nullptr;
  /// That, or the member of it.
  const clang::ValueDecl *declared = nullptr;
  /// What the variable begins on a multiple of.
  uint64_t alignment = 1;
  /// The bytes from the start of `variable` to `declared`, and to where the address leads.
  int64_t start = 0, offset = 0;
  /// The address may differ from `offset` by an unknown multiple of this; 0 if `offset` is exact.
  uint64_t more = 0;

  /// What an address that many bytes from the start is a multiple of.
  uint64_t multipleAt(int64_t bytes) const {
    return std::gcd(alignment, uint64_t(bytes < 0 ? -bytes : bytes));
  }
};

/// Returns where an address leads, or nothing if that is not known.
std::optional<Location> locationOf(const clang::Expr *address, const Frame &frame,
                                   const Functions &functions);
/// Returns the location of the object that an lvalue names, not of what the object points to.
std::optional<Location> locationOfLvalue(const clang::Expr *named, const Frame &frame,
                                         const Functions &functions);

} // namespace tilelift

#endif
