//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said of a file's copies, in one place: which are refused and stay loops, which are
// lifted, and what the user is to know of them.
//
// `fallback(loop)` turns the refusal of a copy into a warning here. Two other refusals become
// warnings where they are found: a tile that cannot be multicast (Clusters), and a producer warp
// that cannot be added (Pipelines and writable/WritableKernel). A reason that several copies or
// instances share is said once, with all of them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_VERDICTS_H
#define TILELIFT_KERNEL_VERDICTS_H

#include "kernel/KernelPlan.h"
#include "support/Diagnostics.h"

#include <set>

namespace tilelift {

class Verdicts {
public:
  /// In the order in which they were found.
  std::vector<Diagnostic> diagnostics;
  /// Whether a copy that the user asked for is not lifted, or a clause without `fallback(loop)` is
  /// not carried out.
  bool anyRefused = false;

  void say(Diagnostic diagnostic) { diagnostics.push_back(std::move(diagnostic)); }
  void say(const std::vector<Diagnostic> &more) {
    diagnostics.insert(diagnostics.end(), more.begin(), more.end());
  }

  /// Adds the diagnostics that were not added before; several kernels may lead to the same one.
  void sayOnce(std::vector<Diagnostic> more);

  /// Adds an error that `fallback(loop)` does not turn into a warning, such as for a clause with an
  /// invalid value.
  void fail(Diagnostic error) {
    say(std::move(error));
    anyRefused = true;
  }
  /// A refusal is an error, unless the user asked for a plain loop in that case.
  void refuse(Diagnostic reason, const Directive &directive, const clang::FunctionDecl *instance);
  /// Refuses what a copy can do without: with `fallback(loop)` it is lifted all the same.
  void refuseClause(Diagnostic reason, const Directive &directive,
                    const clang::FunctionDecl *instance);
  /// Refuses all copies of an instance because of one of them, whose pragma is `directive`. If that
  /// pragma has `fallback(loop)`, the pragma of each other copy gets a message as well. Otherwise
  /// the refusal is an error, nothing is written, and no other message is needed.
  void refuseAll(const InstancePlan &instance, Diagnostic reason, const Directive &directive);
  /// Refuses a kernel whose text cannot be written. Returns whether its copies stay loops; if not,
  /// the reason is an error.
  bool refuseText(const KernelPlan &kernel, Diagnostic reason);

private:
  /// Pairs of a refusal, by its index in `diagnostics`, and a pragma that it refuses.
  std::set<std::pair<size_t, const Directive *>> refusals;
};

} // namespace tilelift

#endif
