//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From plans to text.
//
// For each kernel: a sibling beside it, the original's text with the copies
// replaced; a launcher that checks, encodes and launches; and the launches of
// this file turned into calls of the launcher. No legality is decided here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_EMITTER_H
#define TILELIFT_EMIT_EMITTER_H

#include "directive/MacroText.h"
#include "directive/OtherFiles.h"
#include "directive/Program.h"
#include "emit/EditSet.h"
#include "plan/Plan.h"

namespace tilelift {

struct CopyToEmit {
  const Directive *directive = nullptr;
  const clang::Stmt *statement = nullptr;
  /// The calls by which the kernel gets there.
  CallPath path;
  const clang::VarDecl *tile = nullptr;
  /// Threads may write to the tile, besides by the copy.
  bool tileIsWritten = false;
  Plan plan;
};

struct InstanceToEmit {
  const clang::FunctionDecl *function = nullptr;
  /// Arguments that the copies were checked for, by name.
  std::map<std::string, int64_t> given;
  BlockShape block{1, 1, 1};
  /// In the order of the text.
  std::vector<CopyToEmit> copies;
  /// The ways to copies that stay loops.
  std::vector<CallPath> plainPaths;
};

/// The instances have the same copies and the same operations.
struct KernelToEmit {
  const clang::FunctionDecl *pattern = nullptr;
  std::vector<InstanceToEmit> instances;
  /// Pragmas whose copies stay loops.
  std::vector<const Directive *> plain;
};

struct EmitResult {
  EditSet edits;
  std::vector<Diagnostic> diagnostics;
  /// Kernels that cannot be written.
  std::vector<const clang::FunctionDecl *> refused;
  /// Of kernels that other files may launch, by their shared names.
  std::map<std::string, std::string> launchers;
};

EmitResult emit(clang::ASTContext &context, const std::vector<KernelToEmit> &kernels,
                const Program &program, const MacroUses &macros, const ProgramFacts &others);

} // namespace tilelift

#endif
