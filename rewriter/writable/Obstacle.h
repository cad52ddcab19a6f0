//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What keeps a text from being written anew. A diagnostic says of it that it is not available yet.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_OBSTACLE_H
#define TILELIFT_WRITABLE_OBSTACLE_H

#include "clang/Basic/SourceLocation.h"

#include <string>

namespace tilelift {

/// What is in the way, and where.
struct Obstacle {
  std::string what;
  clang::SourceLocation at;
};

} // namespace tilelift

#endif
