//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes the host's part of a file, for programs that compile device code alone, as with NVRTC,
// which has no host compiler and finds none of the host's headers.
//
// Functions and variables of the host are removed, and so are types, aliases and templates that use
// these or what a header of the host declares. Kernels, device functions, constants and everything
// else stay as they are written. Only the main file is changed; a header of the user's is assumed
// to be for the device.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_DEVICESOURCE_H
#define TILELIFT_EMIT_DEVICESOURCE_H

#include "directive/PragmaReader.h"
#include "text/EditSet.h"

namespace clang {
class ASTContext;
}

namespace tilelift {

/// Returns the edits that remove the host's declarations and #include lines from the main file.
EditSet withoutHost(clang::ASTContext &context, llvm::ArrayRef<IncludeLine> includes);

} // namespace tilelift

#endif
