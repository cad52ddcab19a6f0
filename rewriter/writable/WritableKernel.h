//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's plan with all that is decided about its text. What is found here can be written: emit/
// asks no more questions.
//
// A kernel whose producer cannot be written is lifted without one, where all of its pipelines say
// `fallback(loop)`. Names that clash with macros show only in what was written (TextReview.h).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_WRITABLEKERNEL_H
#define TILELIFT_WRITABLE_WRITABLEKERNEL_H

#include "kernel/FileFacts.h"
#include "kernel/Orders.h"
#include "text/SourceText.h"
#include "writable/Assumptions.h"
#include "writable/ProducerWay.h"

namespace tilelift {

struct WritableKernel {
  KernelPlan plan;
  /// Which barriers, fences and waits stand around the copies.
  CopyOrders orders;
  Assumptions assumptions;
  /// Where in the file the barriers of the copies are declared.
  unsigned startOfBarriers = 0;
  /// What the producer warp runs; nothing if the kernel has no producer warp.
  std::optional<ProducerWay> producer;
  /// Where in the file the launcher is declared, if that is not where it is defined.
  std::optional<unsigned> launcherDeclared;
  /// Why it has no producer although one was asked for.
  std::optional<Diagnostic> warning;
};

/// The kernel with what is decided about its text, or why that cannot be written.
std::variant<WritableKernel, Diagnostic>
makeWritable(const KernelPlan &kernel, const FileFacts &file, const SourceText &source);

} // namespace tilelift

#endif
