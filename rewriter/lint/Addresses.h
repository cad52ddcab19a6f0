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
  /// Bytes from there to what is declared, and to where the address leads; and what that may be
  /// more is a multiple of this: 0 where it is no more.
  int64_t start = 0, offset = 0;
  uint64_t more = 0;

  /// What an address that many bytes from the start is a multiple of.
  uint64_t multipleAt(int64_t bytes) const {
    return std::gcd(alignment, uint64_t(bytes < 0 ? -bytes : bytes));
  }
};

/// Nothing where nobody knows.
std::optional<Location> locationOf(const clang::Expr *address, const Frame &frame,
                                   const Functions &functions);
/// Of what an expression names, itself.
std::optional<Location> locationOfLvalue(const clang::Expr *named, const Frame &frame,
                                         const Functions &functions);

} // namespace tilelift

#endif
