//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between Clang's locations and our places.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_LOCATIONS_H
#define TILELIFT_SUPPORT_LOCATIONS_H

#include "support/Place.h"

#include "clang/Basic/SourceManager.h"

namespace tilelift {

/// Where a location shows in the main file; unknown if it is in another one.
inline Place placeOf(const clang::SourceManager &sources, clang::SourceLocation location) {
  if (location.isInvalid())
    return {};
  location = sources.getExpansionLoc(location);
  if (!sources.isInMainFile(location))
    return {};
  return {sources.getFileOffset(location)};
}

} // namespace tilelift

#endif
