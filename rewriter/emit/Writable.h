//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the text of a kernel, and of the functions on the way to its copies, may stand in the
// program a second time and mean the same there. What has no second name (a class's friend, a
// static variable), or is another thing each time it is written (__COUNTER__), keeps it from that.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_WRITABLE_H
#define TILELIFT_EMIT_WRITABLE_H

#include "directive/Variants.h"
#include "emit/FunctionText.h"
#include "emit/SourceText.h"

namespace tilelift {

/// What is in the way, if anything is, and where.
std::optional<Diagnostic> whyNotWritable(const KernelToEmit &kernel, const SourceText &source,
                                         const Variants &variants);

/// A macro of the program's that names in text that is written for a kernel would be taken for.
/// What else is in such text are the program's own expressions, in which its macros mean what
/// they do.
std::optional<std::string> macroAmongNames(llvm::StringRef written, llvm::StringRef planType,
                                           const Variants &variants);

/// A pack of parameters of which a launcher's text names a single one, which has no name.
std::optional<std::string> packAmongNames(llvm::StringRef launcher,
                                          const clang::FunctionDecl *kernel);

} // namespace tilelift

#endif
