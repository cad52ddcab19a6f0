//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--fix`: the remedies of refused copies, written into the source. A remedy can bring
// up the next refusal, so files are analysed until there is nothing left to fix.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_FIXSOURCE_H
#define TILELIFT_TOOL_FIXSOURCE_H

#include "tool/Options.h"

namespace tilelift {

/// The options to go on with: with the mended texts.
ToolOptions fixSources(ToolOptions options);

} // namespace tilelift

#endif
