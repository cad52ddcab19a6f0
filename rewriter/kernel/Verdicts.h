//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said of a file's copies, in one place: which are refused and stay loops, which are
// lifted, and what the user is to know of them.
//
// `fallback(loop)` turns a refusal into a warning here and nowhere else. A reason that several
// copies or instances share is said once, with all of them.
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
  /// A copy or a clause that was asked for is not there.
  bool anyRefused = false;

  void say(Diagnostic diagnostic) { diagnostics.push_back(std::move(diagnostic)); }
  void say(const std::vector<Diagnostic> &more) {
    diagnostics.insert(diagnostics.end(), more.begin(), more.end());
  }

  /// What may be found of several kernels, and is said once.
  void sayOnce(std::vector<Diagnostic> more);

  /// What no fallback allows: a clause whose value means nothing.
  void fail(Diagnostic error) {
    say(std::move(error));
    anyRefused = true;
  }
  /// A refusal is an error, unless the user asked for a plain loop in that case.
  void refuse(Diagnostic reason, const Directive &directive, const clang::FunctionDecl *instance);
  /// Refuses what a copy can do without: with `fallback(loop)` it is lifted all the same.
  void refuseClause(Diagnostic reason, const Directive &directive,
                    const clang::FunctionDecl *instance);
  /// Refuses all copies of an instance because of one of them; each pragma gets a message.
  void refuseAll(const InstancePlan &instance, Diagnostic reason, const Directive &directive);
  /// Refuses a kernel whose text cannot be written. Returns whether its copies stay loops; if not,
  /// the reason is an error.
  bool refuseText(const KernelPlan &kernel, Diagnostic reason);

private:
  /// Which message refuses which pragma.
  std::set<std::pair<size_t, const Directive *>> refusals;
};

} // namespace tilelift

#endif
