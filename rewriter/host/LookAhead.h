//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cheap look at a compilation's texts, so that files without a `#pragma tma` cost
// nothing. It may say yes where there is none, never no where there is one.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_HOST_LOOKAHEAD_H
#define TILELIFT_HOST_LOOKAHEAD_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace clang {
class CompilerInvocation;
}

namespace tilelift {

/// Whether a file may hold a `#pragma tma`, or a header of the user's that it includes.
bool mayHaveDirectives(llvm::StringRef path, llvm::StringRef text,
                       const clang::CompilerInvocation &invocation, llvm::vfs::FileSystem &files);

} // namespace tilelift

#endif
