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
class CompilerInstance;
class CompilerInvocation;
class DiagnosticConsumer;
class DiagnosticsEngine;
class FileID;
class SourceManager;
} // namespace clang

namespace tilelift {

constexpr const char *firstArchWithTma = "sm_90";

/// Turns any cc1 invocation of a CUDA file into the one that is analysed.
void makeCanonical(clang::CompilerInvocation &invocation, llvm::StringRef arch);

/// Called with the parsed file still in memory.
using LiftConsumer =
    llvm::function_ref<void(clang::CompilerInstance &compiler, LiftResult &result)>;

/// `client` gets what Clang has to say of the source; null leaves it unsaid.
/// False if the file does not parse.
bool liftFile(std::shared_ptr<clang::CompilerInvocation> invocation,
              llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
              clang::DiagnosticConsumer *client, const DiagnosticOptions &options,
              LiftConsumer consumer, llvm::StringRef arch = firstArchWithTma);

/// Shows a message through Clang's engine, at a place of `file`.
void report(clang::DiagnosticsEngine &engine, const clang::SourceManager &sources,
            clang::FileID file, const Diagnostic &diagnostic, Severity severity);

} // namespace tilelift

#endif
