//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs other programs, and reads what they print.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_NVCC_PROCESS_H
#define TILELIFT_TOOL_NVCC_PROCESS_H

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace tilelift {

/// What a program printed, to standard output and to standard error, and its exit status; 127, with
/// a message, if it cannot be run.
struct Printed {
  int status = 0;
  std::string text;
};
Printed outputOf(llvm::ArrayRef<std::string> command);

/// Runs a program whose output is seen. Returns its exit status, 127 with a message if it cannot be
/// run.
int run(llvm::ArrayRef<std::string> command);

} // namespace tilelift

#endif
