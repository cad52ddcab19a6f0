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
  /// The variable that is written to; nothing if that is not known.
  std::optional<Location> place;
  std::string name;
  /// The rank of the tensor, and the rows of the box; both are unknown for im2col maps.
  quantity rank, rows;
};

/// Returns the calls that may have encoded the map at `place`, to which a frame leads. There are
/// none if the map may have been set otherwise, or if that is not known.
std::vector<const EncodedMap *> encodedAt(const Location &place, const Frame &frame,
                                          const Functions &functions,
                                          llvm::ArrayRef<EncodedMap> all);

} // namespace tilelift

#endif
