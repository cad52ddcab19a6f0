//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels take of an SM, lifted and as they are: Clang compiles the lifted program,
// which has both, and the toolkit's ptxas says what it gave them. Dynamic shared memory,
// such as that of rings, is not counted; the remark on a pipeline tells its ring's size.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_RESOURCES_H
#define TILELIFT_TOOL_RESOURCES_H

#include "emit/Emitter.h"
#include "tool/Options.h"

namespace tilelift {

/// A remark for each kernel and instantiation; `texts` is the lifted program, by its files.
std::vector<Diagnostic> resourcesOf(const std::string &file,
                                    const std::map<std::string, std::string> &texts,
                                    llvm::ArrayRef<LiftedKernel> kernels,
                                    const ToolOptions &options, std::string &problem);

} // namespace tilelift

#endif
