//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses one file and lifts it.
//
// A CUDA file is compiled once for the host and once for each device, and the
// plugin sees each of these compilations alone; all must come to the same
// rewrite. So the file is always analysed as the device side of sm_90, the
// first that has a TMA unit, whatever the invocation was made for. The tool can
// be told another device, for code that asks __CUDA_ARCH__ for more.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_HOST_LIFTFILE_H
#define TILELIFT_HOST_LIFTFILE_H

#include "Lift.h"

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <memory>

namespace clang {
class ASTContext;
class CompilerInstance;
class CompilerInvocation;
class DiagnosticConsumer;
class DiagnosticsEngine;
class SourceLocation;
class SourceManager;
} // namespace clang

namespace tilelift {

constexpr const char *firstArchWithTma = "sm_90";
/// Whether a file is a pipe or a device, whose text can be read only once.
bool isStream(llvm::StringRef path);
/// What is wrong with an option that names the device, if anything is.
std::optional<std::string> wrongArch(llvm::StringRef arch);

/// Turns any cc1 invocation of a CUDA file into the one that is analysed.
void makeCanonical(clang::CompilerInvocation &invocation, llvm::vfs::FileSystem &files,
                   llvm::StringRef arch);

/// Called with the parsed file still in memory.
using LiftConsumer = llvm::function_ref<void(clang::CompilerInstance &compiler,
                                             const DirectiveList &directives, LiftResult &result)>;

struct LiftRequest {
  const DiagnosticOptions &options;
  LiftConsumer consumer;
  /// Gets what Clang has to say of the source; null leaves it unsaid.
  clang::DiagnosticConsumer *client = nullptr;
  llvm::StringRef arch = firstArchWithTma;
  ProgramFacts others = {};
  Selection selection = {};
  /// Called between parsing and lifting.
  llvm::function_ref<void()> whenParsed = nullptr;
  /// If set, makes the result instead of the lift, even if parts of the file do not parse.
  llvm::function_ref<LiftResult(clang::ASTContext &)> instead = nullptr;
};

/// False if the file does not parse.
bool liftFile(std::shared_ptr<clang::CompilerInvocation> invocation,
              llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, const LiftRequest &request);

/// A file of the user's, as the lift leaves it.
struct LiftedFile {
  /// As Clang names it.
  std::string path;
  std::string before;
  std::string after;
  /// `after`, with #line directives that lead back to the file.
  std::string afterWithLines;
};

/// The main file, and the headers that the edits change.
std::vector<LiftedFile> liftedFiles(const clang::SourceManager &sources, const EditSet &edits,
                                    Repeats repeats = Repeats::AsTheyAre);

/// Shows a message through Clang's engine; `locate` says where the engine's source
/// manager has a place.
void report(clang::DiagnosticsEngine &engine,
            llvm::function_ref<clang::SourceLocation(Place)> locate, const Diagnostic &diagnostic,
            Severity severity);

} // namespace tilelift

#endif
