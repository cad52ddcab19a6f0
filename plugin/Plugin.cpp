//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Clang plugin: clang++ -fplugin=tilelift.so file.cu
//
// Each cc1 job, the device's and the host's, asks the plugin for a consumer
// before it parses. That is when the plugin parses the file itself in a second
// compiler instance, lifts it, and puts the lifted text in the place of the
// file. The job then compiles that text as if it had been on disk; #line
// directives in it keep messages and debuggers at the user's lines.
//
// The main file's FileID was made with the size of the file on disk. Longer text
// under the same ID runs into the locations of the next file, so the file gets
// a new one.
//===----------------------------------------------------------------------===//

#include "Gates.h"

#include "host/LiftFile.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Plugins are registered with the process, so the nested instance asks for a
/// consumer, too; it gets one that does nothing.
bool isNested = false;

struct PluginOptions {
  DiagnosticOptions diagnostics;
  std::string dumpFolder;
};

/// The runtime's headers: installed beside the plugin, or in the source tree
/// that it was built from.
std::string runtimeHeaders() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void *>(&runtimeHeaders), &info) && info.dli_fname) {
    SmallString<256> path(info.dli_fname);
    sys::fs::make_absolute(path);
    sys::path::remove_filename(path);
    sys::path::append(path, "..", "include");
    SmallString<256> header(path);
    sys::path::append(header, "tilelift", "tilelift.cuh");
    if (sys::fs::exists(header))
      return std::string(path);
  }
  return TILELIFT_BUILD_RUNTIME;
}

/// Makes a folder part of the search for <...>, unless it is one already.
void addHeaders(CompilerInstance &compiler, StringRef folder) {
  HeaderSearch &search = compiler.getPreprocessor().getHeaderSearchInfo();
  OptionalDirectoryEntryRef entry = compiler.getFileManager().getOptionalDirectoryRef(folder);
  if (!entry)
    return;
  for (const DirectoryLookup &known : search.search_dir_range())
    if (known.isNormalDir() && known.getDirRef() && *known.getDirRef() == *entry)
      return;
  search.AddSearchPath(DirectoryLookup(*entry, SrcMgr::C_System, /*isFramework=*/false),
                       /*isAngled=*/true);
}

/// CCCL lies in a folder of its own beside the toolkit's headers.
void addCccl(CompilerInstance &compiler) {
  std::vector<std::string> folders;
  for (const DirectoryLookup &known :
       compiler.getPreprocessor().getHeaderSearchInfo().search_dir_range()) {
    SmallString<256> header(known.getName());
    sys::path::append(header, "cuda_runtime.h");
    SmallString<256> cccl(known.getName());
    sys::path::append(cccl, "cccl");
    if (sys::fs::exists(header) && sys::fs::is_directory(cccl))
      folders.push_back(std::string(cccl));
  }
  for (const std::string &folder : folders)
    addHeaders(compiler, folder);
}

class LiftPlugin : public PluginASTAction {
public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    if (!isNested)
      liftMainFile(compiler);
    return std::make_unique<ASTConsumer>();
  }

  bool ParseArgs(const CompilerInstance &compiler,
                 const std::vector<std::string> &arguments) override;
  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  void liftMainFile(CompilerInstance &compiler);
  void replaceMainFile(CompilerInstance &compiler, const LiftResult &result);
  void dump(CompilerInstance &compiler, const LiftResult &result);
  void say(CompilerInstance &compiler, const std::vector<Diagnostic> &diagnostics);

  PluginOptions options;
};

bool LiftPlugin::ParseArgs(const CompilerInstance &compiler,
                           const std::vector<std::string> &arguments) {
  DiagnosticsEngine &engine = compiler.getDiagnostics();
  auto fail = [&](const Twine &what) {
    unsigned id = engine.getCustomDiagID(DiagnosticsEngine::Error, "tilelift: %0");
    engine.Report(id) << what.str();
    return false;
  };
  if (getClangFullVersion().find("clang version " + std::to_string(TILELIFT_CLANG_MAJOR) + ".") ==
      std::string::npos)
    return fail("the plugin is built for clang " + Twine(TILELIFT_CLANG_MAJOR) + ", this is " +
                getClangFullVersion());
  for (StringRef argument : arguments) {
    if (argument == "remarks") {
      options.diagnostics.showRemarks();
    } else if (argument.consume_front("dump=")) {
      options.dumpFolder = argument.str();
    } else if (argument.consume_front("W")) {
      if (std::optional<std::string> wrong = options.diagnostics.apply(argument))
        return fail(*wrong);
    } else {
      return fail("unknown plugin argument '" + argument +
                  "'; there are remarks, dump=<folder> and W<diagnostic>");
    }
  }
  return true;
}

void LiftPlugin::say(CompilerInstance &compiler, const std::vector<Diagnostic> &diagnostics) {
  SourceManager &sources = compiler.getSourceManager();
  bool isDevice = compiler.getLangOpts().CUDAIsDevice;
  for (const Diagnostic &diagnostic : diagnostics) {
    Severity severity = options.diagnostics.severityOf(diagnostic);
    // Both sides see the same file: what stops neither is said by the host's.
    if (isDevice && severity != Severity::Error)
      continue;
    report(compiler.getDiagnostics(), sources, sources.getMainFileID(), diagnostic, severity);
  }
}

void LiftPlugin::liftMainFile(CompilerInstance &compiler) {
  Gate gate = gateFor(compiler);
  if (gate == Gate::Closed)
    return;
  if (gate != Gate::Open)
    return say(compiler,
               {diagnose("input-not-lifted", Place{0},
                         gate == Gate::Preprocessed ? "preprocessed input" : "standard input")});
  auto invocation = std::make_shared<CompilerInvocation>(compiler.getInvocation());
  isNested = true;
  liftFile(invocation, compiler.getVirtualFileSystemPtr(), nullptr, options.diagnostics,
           [&](CompilerInstance &, LiftResult &result) {
             say(compiler, result.diagnostics);
             dump(compiler, result);
             if (!result.edits.empty())
               replaceMainFile(compiler, result);
           });
  // If the file does not parse, the compilation itself will say why.
  isNested = false;
}

void LiftPlugin::replaceMainFile(CompilerInstance &compiler, const LiftResult &result) {
  SourceManager &sources = compiler.getSourceManager();
  FileEntryRef file = *sources.getFileEntryRefForID(sources.getMainFileID());
  std::string text = result.edits.applyWithLines(mainFileText(compiler), file.getName());
  sources.overrideFileContents(file, MemoryBuffer::getMemBufferCopy(text, file.getName()));
  sources.setMainFileID(sources.createFileID(file, SourceLocation(), SrcMgr::C_User));
  addHeaders(compiler, runtimeHeaders());
  addCccl(compiler);
}

/// The lifted text as the tool would write it, for debuggers and bug reports.
void LiftPlugin::dump(CompilerInstance &compiler, const LiftResult &result) {
  if (options.dumpFolder.empty())
    return;
  sys::fs::create_directories(options.dumpFolder);
  SmallString<256> path(options.dumpFolder);
  sys::path::append(path, sys::path::filename(compiler.getFrontendOpts().Inputs[0].getFile()));
  std::error_code problem;
  raw_fd_ostream out(path, problem);
  if (!problem)
    out << result.edits.apply(mainFileText(compiler));
}

FrontendPluginRegistry::Add<LiftPlugin> registration("tilelift",
                                                     "lifts copies to tensor memory accelerator");

} // namespace
} // namespace tilelift
