//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls encode the map that a kernel gets: from the kernel's parameter back to the launch, to
// the variable that is passed there, and through functions that return maps. What a map has to be
// is not asked here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_LINT_MAPS_H
#define TILELIFT_LINT_MAPS_H

#include "lint/Addresses.h"
#include "lint/Paths.h"

#include "tilelift/rules.h"

namespace tilelift {

/// A call that encodes a map, in one way that leads to it.
struct EncodedMap {
  const clang::CallExpr *call = nullptr;
  std::shared_ptr<const Frame> way;
  Reach reach = Reach::Never;
  /// The variable that is written to; nothing where nobody knows.
  std::optional<Location> place;
  std::string name;
  /// Of the tensor, and of its box; of maps of pixels nobody knows any.
  quantity rank, rows;
};

/// All that may have encoded what lies at `place`, which a frame leads to. None where it may be
/// another one, or nobody knows.
std::vector<const EncodedMap *> encodedAt(const Location &place, const Frame &frame,
                                          const Functions &functions,
                                          llvm::ArrayRef<EncodedMap> all);

} // namespace tilelift

#endif
