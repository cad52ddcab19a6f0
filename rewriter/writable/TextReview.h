//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads over what was written for a kernel, before it goes into the file. Two things show only
// there: a name of generated code that a macro of the program would replace, and siblings of one
// function that differ although its shared memory has to be one.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_TEXTREVIEW_H
#define TILELIFT_WRITABLE_TEXTREVIEW_H

#include "directive/Variants.h"
#include "kernel/KernelPlan.h"
#include "text/SourceText.h"

namespace tilelift {

/// A function that was written anew. Its text is what is new in it, not what it has of the file.
struct WrittenFunction {
  const clang::FunctionDecl *pattern = nullptr;
  std::string text;
};

/// A sibling that calls on the way to a copy lead to.
struct CalledSibling {
  CallPath path;
  std::string name;
};

struct WrittenText {
  /// The kernel with its launcher, and the type of its plan.
  std::string kernel, planType;
  /// Functions that the kernel calls and that are written for it.
  std::vector<WrittenFunction> functions;
  std::vector<CalledSibling> called;
};

/// Why the text cannot stay, if it cannot.
std::optional<Diagnostic> whyNotKept(const WrittenText &text, const KernelPlan &kernel,
                                     const SourceText &source, const Variants &variants);

} // namespace tilelift

#endif
