//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the launches that directive/Program found can become calls of the lifted kernels'
// launchers, and what has to be known to write them: `kernel<<<...>>>(...)`, functions of the CUDA
// runtime, launches in arguments of macros, and launches inside of a macro, whose use is then
// replaced by what it expands to. A launch through a pointer asks the runtime which launcher
// belongs to the kernel that the pointer leads to. A launch that cannot be changed goes on with the
// plain kernel, and a diagnostic says why. And where launchers are declared, so that each is known
// wherever its kernel is.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_LAUNCHES_H
#define TILELIFT_WRITABLE_LAUNCHES_H

#include "directive/MacroText.h"
#include "directive/Program.h"
#include "text/SourceText.h"

#include <map>
#include <optional>
#include <variant>

namespace tilelift {

struct Variants;

/// A launch that a launcher shall make.
struct RedirectedLaunch {
  const LaunchSite *site = nullptr;
  /// The kernel's name in the launch; null for a launch through a pointer.
  const clang::DeclRefExpr *callee = nullptr;
  /// What the text calls the kernel.
  std::string kernel;
  std::string launcher;
  /// In other instantiations of the code around it, the same text launches other kernels.
  bool isOneOfSeveral = false;

  /// What the launcher's name, or the pointer, is written in the place of.
  clang::SourceLocation nameLocation() const;
};

RedirectedLaunch byName(const Launch &launch, const std::string &kernel,
                        const std::string &launcher);
/// The launches through pointers that may lead to one of these kernels, in all instantiations of
/// their text.
std::vector<RedirectedLaunch> throughPointers(const Program &program,
                                              llvm::ArrayRef<const clang::FunctionDecl *> kernels,
                                              const SourceText &source);

/// A parameter of the kernel that no launcher can have as it is found at an address; null if it has
/// none.
const clang::ParmVarDecl *notCopiedByBytes(const clang::FunctionDecl *kernel);

/// Where `<<<` stands and where the arguments' parenthesis, and what is between `<<<` and `>>>`.
struct WrittenConfiguration {
  unsigned open, paren;
  std::string arguments;
};

/// A launch whose text is changed where it stands.
struct LaunchChange {
  RedirectedLaunch launch;
  /// As it can be written at the launch.
  std::string launcher;
  /// Of a launch by `<<<...>>>`.
  std::optional<WrittenConfiguration> configuration;
  /// Whether what stands in `<<<...>>>` has to be evaluated before the kernel's arguments.
  bool isOrdered = false;
};

/// The use of a macro that is replaced by its tokens, with launchers for the launches in it.
struct MacroChange {
  unsigned begin = 0;
  /// The launches, with the launchers' names as they can be written there.
  std::vector<LaunchChange> launches;
};

struct LaunchChanges {
  std::vector<LaunchChange> inText;
  std::vector<MacroChange> inMacros;
  std::vector<Diagnostic> diagnostics;
};

LaunchChanges changesOfLaunches(llvm::ArrayRef<RedirectedLaunch> launches,
                                clang::ASTContext &context, const SourceText &source,
                                const MacroUses &macros, const Variants &variants);

/// Says where the address of a kernel is taken that is launched by it where nobody sees it.
/// `kernels` are those that are launched through pointers as lifted kernels, by `changes`.
std::vector<Diagnostic> warningsOnUses(const Program &program,
                                       llvm::ArrayRef<const clang::FunctionDecl *> lifted,
                                       llvm::ArrayRef<const clang::FunctionDecl *> kernels,
                                       const LaunchChanges &changes, const SourceText &source);

/// Behind which offset the launcher of a kernel is declared: its first declaration. Or why it
/// cannot stand there.
std::variant<unsigned, Diagnostic> placeOfDeclaration(const clang::FunctionDecl *first,
                                                      const SourceText &source);

/// A kernel that another file lifts and this one launches.
struct ForeignKernel {
  const clang::FunctionDecl *first = nullptr;
  std::string launcher;
  /// Where its launcher is declared.
  unsigned at = 0;
};

struct ForeignLaunches {
  std::vector<ForeignKernel> kernels;
  std::vector<RedirectedLaunch> launches;
  std::vector<Diagnostic> diagnostics;
};

/// `launchers` are those of other files, by the kernels' shared names.
ForeignLaunches foreignLaunches(const Program &program,
                                const std::map<std::string, std::string> &launchers,
                                const SourceText &source);

/// Whether the kernel's name is found through a using-declaration. The launcher's name is not
/// declared by it, and has to be qualified.
bool isByUsing(const clang::DeclRefExpr &callee);

} // namespace tilelift

#endif
