//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the directives of a file stand in its syntax tree, which kernels get
// there, by which calls, where those kernels are launched, and which other uses of
// a kernel, such as its address, are no launches.
//
// A directive speaks of a statement in the text. In the tree, a template's
// statement appears once for each instantiation, and only those can be
// analysed; the text that is rewritten is that of the template.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_PROGRAM_H
#define TILELIFT_DIRECTIVE_PROGRAM_H

#include "directive/Directive.h"
#include "directive/LaunchSites.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

namespace tilelift {

struct AnnotatedStatement {
  const Directive *directive = nullptr;
  const clang::Stmt *statement = nullptr;
  /// From the kernel to the function that the statement stands in.
  CallPath path;
};

/// One function body that can be analysed: a plain kernel, or one instantiation.
struct KernelInstance {
  const clang::FunctionDecl *function = nullptr;
  /// Copies, and loops whose copies are to be made ahead.
  std::vector<AnnotatedStatement> statements, pipelines;
};

struct AnnotatedKernel {
  /// The function in the text; for a template, its pattern.
  const clang::FunctionDecl *pattern = nullptr;
  std::vector<KernelInstance> instances;

  bool isTemplate() const { return pattern->getDescribedFunctionTemplate() != nullptr; }
};

struct Program {
  std::vector<AnnotatedKernel> kernels;
  /// Of annotated kernels, by their names.
  std::vector<Launch> launches;
  /// Of kernels that are defined in another file.
  std::vector<Launch> foreignLaunches;
  /// Through pointers to any kernels.
  std::vector<PointerLaunch> pointerLaunches;
  /// What all of these launches give their kernels.
  std::vector<LaunchedWith> launchedWith;
  /// Uses of annotated kernels that are no launches: their addresses are taken.
  std::vector<AddressUse> addressUses;
  /// Calls that give a node of a graph other arguments.
  std::vector<const clang::CallExpr *> nodeUpdates;
  std::vector<Diagnostic> diagnostics;
};

/// The function that was written: of an instantiation, the template's.
const clang::FunctionDecl *patternOf(const clang::FunctionDecl *function);

/// Returns the warning that a copy stays a loop because of `reason`, which the `fallback(loop)` of
/// its pragma allows.
Diagnostic staysPlain(Diagnostic reason, const Directive &directive);

/// `directives` must outlive the result.
Program findProgram(clang::ASTContext &context, const std::vector<Directive> &directives);

/// The number of a clause, from 1 to `most`, or what is wrong with it.
std::variant<unsigned, Diagnostic> countOf(const CountArgument &count, llvm::StringRef clause,
                                           unsigned most, const clang::FunctionDecl *kernel);

/// The numbers of `threads(...)`, with the names of constants looked up; 1 for
/// the axes that are not given. None where the clause is not there.
std::variant<std::optional<std::array<unsigned, 3>>, Diagnostic>
threadsOf(const Directive &directive, const clang::FunctionDecl *kernel);

} // namespace tilelift

#endif
