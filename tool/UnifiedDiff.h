//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The difference of two texts in the format of `diff -u`.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_UNIFIEDDIFF_H
#define TILELIFT_TOOL_UNIFIEDDIFF_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilelift {

std::string unifiedDiff(llvm::StringRef name, llvm::StringRef before, llvm::StringRef after);

} // namespace tilelift

#endif
