//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether control gets to a place in a function, by the conditions on the way there and those of
// what leaves before, as far as they are known in a frame.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_LINT_PATHS_H
#define TILELIFT_LINT_PATHS_H

#include "lint/Frames.h"

namespace tilelift {

enum class Reach {
  Never,
  /// A condition on the way is not known, and depends on variables that the place depends on, too.
  Perhaps,
  Surely,
};

/// Returns whether control reaches `place` in the function of `frame`. The calls by which the frame
/// is entered have to be reached, too: the result is that of the least sure of them and of `place`.
Reach reachOf(const clang::Stmt *place, const Frame &frame, const Functions &functions);

} // namespace tilelift

#endif
