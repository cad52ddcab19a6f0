//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which numbers of a plan are written as code, and whether all of them can be: in the kernel by
// variables that are alive at the copy, in the launcher by the kernel's arguments.
//
// That is asked before anything is written. The writers of emit/ write the same numbers, and rely
// on the answer.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SPELLING_NAMEDPARTS_H
#define TILELIFT_SPELLING_NAMEDPARTS_H

#include "spelling/CodeText.h"

#include <variant>

namespace tilelift {

/// All numbers that the kernel computes for a copy, as text, or the first one that has no name
/// there. `declaresTile` tells whether the function of the copy declares the tile; if not, it was
/// given a pointer to it.
std::variant<std::vector<std::string>, Unnamed> textsInKernel(const PlansOfCopy &plans,
                                                              bool declaresTile);

/// The first number that the kernel computes for one plan and that no variable in scope at the copy
/// gives, if there is such a number.
std::optional<Unnamed> unnamedPart(const Plan &plan);

/// A number that the launch needs for a copy, and that the kernel's arguments do not give; nothing
/// where they give all of them. The launch is of all instances whose plans these are.
std::optional<Unnamed> unnamedAtLaunch(const PlansOfCopy &plans);

/// Returns the C++ text of the number or the address that the check `copyChecks[check]` of a copy
/// tests; nothing if it has no name in the kernel.
std::optional<std::string> checkedText(const PlansOfCopy &plans, size_t check, CodeText &code,
                                       llvm::StringRef hint);

/// A condition on a looked-up row as a comparison of two sums, `less <= more`, without negative
/// terms: these stand on the other side.
struct PresenceText {
  std::optional<std::string> less, more;
  /// `less < more`, not `less <= more`.
  bool isStrict = false;
};
PresenceText presenceText(const PlansOfCopy &plans, size_t condition, CodeText &code,
                          llvm::StringRef hint);

} // namespace tilelift

#endif
