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

/// Runs a program whose output is seen. Returns its exit status; 127, with a message, if it cannot
/// be run; and 128 plus the number of a signal that ended it.
int run(llvm::ArrayRef<std::string> command);

/// While there is an object of this kind, signals that would end this process do so only behind it:
/// a program that is being run gets them, and what has been made can be removed.
class SignalsWait {
public:
  SignalsWait();
  /// Ends the process by the signal that came, if any did.
  ~SignalsWait();
  SignalsWait(const SignalsWait &) = delete;
  SignalsWait &operator=(const SignalsWait &) = delete;

  /// Whether there is no use to go on.
  static bool hasCome();
};

} // namespace tilelift

#endif
