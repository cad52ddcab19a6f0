//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a file is the host's, for those who compile for the device alone: NVRTC knows no host,
// and finds none of its headers.
//
// Functions that run on the host go, and so do its variables; with them, what is made of those or
// of what a header of the host declares: types, aliases, templates. Kernels, device functions,
// constants and everything else stay as they are written. Only the main file is looked at; a
// header of the user's is taken to be the device's.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_DEVICESOURCE_H
#define TILELIFT_EMIT_DEVICESOURCE_H

#include "directive/PragmaReader.h"
#include "text/EditSet.h"

namespace clang {
class ASTContext;
}

namespace tilelift {

/// Takes it out.
EditSet withoutHost(clang::ASTContext &context, llvm::ArrayRef<IncludeLine> includes);

} // namespace tilelift

#endif
