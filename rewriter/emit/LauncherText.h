//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher: a host function beside the sibling kernel that takes a launch
// configuration and the original's arguments, checks what is left to check,
// encodes the maps, and starts the sibling or the original.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_LAUNCHERTEXT_H
#define TILELIFT_EMIT_LAUNCHERTEXT_H

#include "emit/KernelText.h"
#include "emit/Recipe.h"

namespace tilelift {

struct LauncherText {
  /// Without a body, to stand behind the kernel's first declaration; empty when
  /// that is its definition.
  std::string declaration;
  std::string definition;
};

/// Whether files without the kernel's definition may launch it: its first declaration is in another
/// file than the definition, such as a header, and the kernel is neither a template nor private to
/// one file.
bool isDeclaredForAll(const SourceText &source, const clang::FunctionDecl *kernel);

/// The launcher's declaration in a file that declares the kernel.
std::string launcherDeclaration(const SourceText &source, const clang::FunctionDecl *kernel,
                                const std::string &launcher);

/// `recipe` is of all instances. `writer` names the maps and collects constants; run its sibling()
/// first. `isForAll`: the launcher gets external linkage, because other files may launch the
/// kernel; otherwise it is static.
LauncherText writeLauncher(const SourceText &source, const KernelPlan &kernel,
                           const KernelNames &names, const Recipe &recipe, KernelWriter &writer,
                           bool isForAll);

/// The name of a kernel as a pointer to it; with a cast where it is one of several functions of
/// that name.
std::string kernelAsPointer(const clang::FunctionDecl *kernel, const std::string &name);

/// "template <int TX, int TY>", as the user wrote it; empty for plain kernels.
std::string templateHeader(const SourceText &source, const clang::FunctionDecl *pattern);

} // namespace tilelift

#endif
