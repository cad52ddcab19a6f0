//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments that decide how much a copy moves, and what a kernel's launches give for them.
//
// The launches themselves are found in directive/Program.h. A kernel that is planned for certain
// argument values is lifted only for these; the launcher checks that.
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

  /// The value that the first launch passes for an argument, of those that pass it as a constant.
  std::optional<int64_t> valueOf(llvm::StringRef name) const;
  /// The names of the arguments in guards that no launch satisfies, given the constants that the
  /// launches pass. With such a guard the lifted copy would never run.
  std::set<std::string> argumentsOfFalseGuards(llvm::ArrayRef<Check> guards,
                                               const Symbols &symbols) const;

private:
  llvm::SmallVector<const LaunchedWith *, 4> launches;
};

} // namespace tilelift

#endif
