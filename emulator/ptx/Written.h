//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory a kernel may write: through which of its parameters, as far as the
// addresses of its stores can be traced to them. More than it writes is possible,
// less is not.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_PTX_WRITTEN_H
#define TILELIFT_EMULATOR_PTX_WRITTEN_H

#include "ptx/Ptx.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

namespace tilelift::ptx {

struct Written {
  llvm::BitVector parameters;
  bool variables = false; ///< in global memory
  bool anywhere = false;
};

/// `variables`: the names of those in global memory.
Written writtenBy(const Function &function, const llvm::StringSet<> &variables);

} // namespace tilelift::ptx

#endif
