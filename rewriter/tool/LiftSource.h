//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifts one file for the tool: reads it, shows the messages, and gives back its
// text before and after.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_LIFTSOURCE_H
#define TILELIFT_TOOL_LIFTSOURCE_H

#include "tool/Options.h"

#include <algorithm>
#include <string>

namespace tilelift {

enum ExitStatus { allLifted = 0, someRefused = 1, failed = 2 };

inline ExitStatus worse(ExitStatus a, ExitStatus b) { return std::max(a, b); }

struct Lifted {
  std::string before;
  std::string after;
  /// `after`, with #line directives that lead back to the file.
  std::string afterWithLines;
  std::string dump;
  /// Some copy is refused, and not by a warning only.
  bool hasErrors = false;
};

/// "-" is standard input.
ExitStatus liftSource(const std::string &name, const ToolOptions &options, Lifted &lifted);

} // namespace tilelift

#endif
