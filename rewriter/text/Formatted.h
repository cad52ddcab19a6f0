//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of ours, laid out as people lay out theirs.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEXT_FORMATTED_H
#define TILELIFT_TEXT_FORMATTED_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilelift {

/// In the style of the file's folder, or in LLVM's.
std::string formatted(const std::string &text, llvm::StringRef file);

} // namespace tilelift

#endif
