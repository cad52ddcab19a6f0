//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the planned kernels of a file and their launches, and says what became of them: the
// remarks of those that are lifted, and why the others stay as they are.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITEFILE_H
#define TILELIFT_WRITEFILE_H

#include "emit/Emitter.h"
#include "writable/WorthwhilePlan.h"

namespace tilelift {

EmitResult writeFile(llvm::ArrayRef<ChosenPlan> kernels, const FileFacts &file,
                     const SourceText &source, Verdicts &verdicts);

} // namespace tilelift

#endif
