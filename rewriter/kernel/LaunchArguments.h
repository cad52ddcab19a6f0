//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that decide how much a copy moves, and what a kernel's launches give for them.
//
// Which launches there are is the program's; that a lifted kernel is only for these values
// is a check that the launcher makes.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_LAUNCHARGUMENTS_H
#define TILELIFT_KERNEL_LAUNCHARGUMENTS_H

#include "directive/Program.h"
#include "plan/Plan.h"

#include <set>

namespace tilelift {

class LaunchArguments {
public:
  LaunchArguments(const Program &program, const clang::FunctionDecl *kernel);

  /// What the first launch that spells it out as a constant gives for an argument.
  std::optional<int64_t> valueOf(llvm::StringRef name) const;
  /// Those that keep every launch from ever meeting one of the guards.
  std::set<std::string> neverMeeting(llvm::ArrayRef<Check> guards, const Symbols &symbols) const;

private:
  llvm::SmallVector<const Launch *, 4> launches;
};

} // namespace tilelift

#endif
