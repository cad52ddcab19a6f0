//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of `tilelift run`, as a value.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_RUN_RUNOPTIONS_H
#define TILELIFT_TOOL_RUN_RUNOPTIONS_H

#include "tool/Options.h"

namespace tilelift {

enum class RunMode { Plain, Lifted, Compare };

struct RunOptions {
  RunMode mode = RunMode::Lifted;
  std::optional<uint64_t> seed;
  unsigned schedules = 0;
  /// How many blocks run at the same time; empty: as many as there are processors.
  std::string jobs;
  /// What the program is compiled for, such as "sm_90a".
  std::string arch;
  std::string keep;
  std::string file;
  std::vector<std::string> arguments;
  /// Ids of findings, with commas between them.
  std::string silenced;
  ToolOptions tool;
};

} // namespace tilelift

#endif
