//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Clang plugin: in which jobs it acts, which options it takes, and how the lifted text replaces
// the file. It is loaded by tilelift.so, which clang++ -fplugin=tilelift.so names.
//
// Each cc1 job, the device's and the host's, asks the plugin for a consumer
// before it parses. That is when the plugin parses the file itself in a second
// compiler instance, lifts it, and puts the lifted texts in the place of the file
// and its headers. The job then compiles them as if they had been on disk; #line
// directives in it keep messages and debuggers at the user's lines.
//
// The main file's FileID was made with the size of the file on disk. Longer text
// under the same ID runs into the locations of the next file, so the file gets
// a new one.
//===----------------------------------------------------------------------===//

#include "DriverCommand.h"
#include "Gates.h"

#include "host/LiftFile.h"
#include "support/Locations.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>

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
  Selection selection;
  std::string arch = firstArchWithTma;
  /// Only says what would happen.
  bool check = false;
  /// Where to write the lifted texts, the plans and the relations; empty: nowhere.
  std::string dumpFolder, planFile, relationFile;
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

void writeTo(StringRef path, StringRef text) {
  std::error_code problem;
  raw_fd_ostream out(path, problem);
  if (!problem)
    out << text;
}

/// Places in the text as it was: the job is about to get another one, by which it would
/// count the lines.
class OriginalFiles {
public:
  OriginalFiles(SourceManager &sources, const SourceManager &analysed)
      : sources(sources), analysed(analysed) {}

  SourceLocation locate(Place place) {
    if (!place.isKnown())
      return SourceLocation();
    UserFile file = fileAt(analysed, place);
    auto [known, isNew] = copies.try_emplace(file.begin);
    if (isNew)
      known->second = sources.createFileID(MemoryBuffer::getMemBufferCopy(
          file.text, analysed.getFileEntryRefForID(file.id)->getName()));
    return sources.getLocForStartOfFile(known->second)
        .getLocWithOffset(int(place.offset - file.begin));
  }

private:
  SourceManager &sources;
  const SourceManager &analysed;
  DenseMap<unsigned, FileID> copies;
};

void say(CompilerInstance &compiler, const DiagnosticOptions &options,
         const std::vector<Diagnostic> &diagnostics, function_ref<SourceLocation(Place)> locate) {
  // Both sides see the same file: what stops neither is said by the host's.
  bool isSaidByHost = compiler.getLangOpts().CUDAIsDevice && isHostCompiledToo();
  for (const Diagnostic &diagnostic : diagnostics) {
    Severity severity = options.severityOf(diagnostic);
    if (!isSaidByHost || severity == Severity::Error)
      report(compiler.getDiagnostics(), locate, diagnostic, severity);
  }
}

/// What keeps the analysis from parsing a file.
class FirstError : public DiagnosticConsumer {
public:
  void HandleDiagnostic(DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < DiagnosticsEngine::Error || !message.empty())
      return;
    SmallString<128> text;
    info.FormatDiagnostic(text);
    message = text.str().str();
  }

  std::string message;
};

/// Speaks up at the end when the compiler saw no error where the analysis did: that the
/// copies stay plain must not go unsaid.
class Complaint : public ASTConsumer {
public:
  Complaint(CompilerInstance &compiler, std::function<void()> complain)
      : compiler(compiler), complain(std::move(complain)) {}

  void HandleTranslationUnit(ASTContext &) override {
    if (!compiler.getDiagnostics().hasErrorOccurred())
      complain();
  }

private:
  CompilerInstance &compiler;
  std::function<void()> complain;
};

class LiftPlugin : public PluginASTAction {
public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    if (isNested)
      return std::make_unique<ASTConsumer>();
    return liftMainFile(compiler);
  }

  bool ParseArgs(const CompilerInstance &compiler,
                 const std::vector<std::string> &arguments) override;
  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  std::unique_ptr<ASTConsumer> liftMainFile(CompilerInstance &compiler);
  void replaceFiles(CompilerInstance &compiler, const std::vector<LiftedFile> &files);
  void dump(const std::vector<LiftedFile> &files) const;

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
  for (StringRef argument : arguments) {
    options.check |= argument == "check";
    if (argument == "remarks" || argument == "check") {
      options.diagnostics.showRemarks();
    } else if (argument == "lift-always") {
      options.selection.liftsAlways = true;
    } else if (argument == "only-asked-pipelines") {
      options.selection.hasOnlyAskedRings = true;
    } else if (argument.consume_front("dump=")) {
      options.dumpFolder = argument.str();
    } else if (argument.consume_front("dump-plan=")) {
      options.planFile = argument.str();
      options.selection.describesPlans = true;
    } else if (argument.consume_front("dump-relation=")) {
      options.relationFile = argument.str();
      options.selection.describesRelations = true;
    } else if (argument.consume_front("arch=")) {
      options.arch = argument.str();
      if (std::optional<std::string> wrong = wrongArch(argument))
        return fail(*wrong);
      options.selection.device = deviceNamed(argument);
    } else if (argument.consume_front("W")) {
      if (std::optional<std::string> wrong = options.diagnostics.apply(argument))
        return fail(*wrong);
    } else {
      return fail("unknown plugin argument '" + argument +
                  "'; there are remarks, check, lift-always, only-asked-pipelines, arch=<sm_NN>, "
                  "dump=<folder>, dump-plan=<file>, "
                  "dump-relation=<file> and W<diagnostic>");
    }
  }
  return true;
}

std::unique_ptr<ASTConsumer> LiftPlugin::liftMainFile(CompilerInstance &compiler) {
  SourceManager &sources = compiler.getSourceManager();
  // Clang is done with the plugin before it parses; what is said later keeps the options.
  auto sayNotLifted = [&compiler, &sources, own = options.diagnostics](const std::string &why) {
    say(compiler, own, {diagnose(diag::input_not_lifted, Place{0}, why)},
        [&](Place) { return sources.getLocForStartOfFile(sources.getMainFileID()); });
  };
  Gate gate = gateFor(compiler);
  if (gate != Gate::Open) {
    if (gate != Gate::Closed)
      sayNotLifted(inputOf(gate));
    return std::make_unique<ASTConsumer>();
  }
  Repeats repeats = compiler.getDiagnosticOpts().VerifyDiagnostics ? Repeats::WithoutExpectations
                                                                   : Repeats::AsTheyAre;
  bool hasPch = !compiler.getPreprocessorOpts().ImplicitPCHInclude.empty();
  auto invocation = std::make_shared<CompilerInvocation>(compiler.getInvocation());
  invocation->getDiagnosticOpts().VerifyDiagnostics = false; // a matter of the job itself
  FirstError errors;
  isNested = true;
  auto take = [&](CompilerInstance &analysis, const DirectiveList &, LiftResult &result) {
    OriginalFiles originals(sources, analysis.getSourceManager());
    say(compiler, options.diagnostics, result.diagnostics,
        [&](Place place) { return originals.locate(place); });
    std::vector<LiftedFile> files = liftedFiles(analysis.getSourceManager(), result.edits, repeats);
    dump(files);
    if (!options.planFile.empty())
      writeTo(options.planFile, printed(result.plans));
    if (!options.relationFile.empty())
      writeTo(options.relationFile, printed(result.relations));
    if (hasPch && files.size() > 1) // Clang does not take another text of its headers
      sayNotLifted("a header beside a precompiled one");
    else if (!result.edits.empty() && !options.check)
      replaceFiles(compiler, files);
  };
  bool isParsed =
      liftFile(invocation, compiler.getVirtualFileSystemPtr(),
               {options.diagnostics, take, &errors, options.arch, {}, options.selection});
  isNested = false;
  if (isParsed)
    return std::make_unique<ASTConsumer>();
  std::string why = "a file that does not parse for " + options.arch + " (" + errors.message + ")";
  return std::make_unique<Complaint>(compiler, [=] { sayNotLifted(why); });
}

void LiftPlugin::replaceFiles(CompilerInstance &compiler, const std::vector<LiftedFile> &files) {
  SourceManager &sources = compiler.getSourceManager();
  for (const LiftedFile &file : files)
    if (OptionalFileEntryRef entry = compiler.getFileManager().getOptionalFileRef(file.path))
      sources.overrideFileContents(*entry,
                                   MemoryBuffer::getMemBufferCopy(file.afterWithLines, file.path));
  FileEntryRef main = *sources.getFileEntryRefForID(sources.getMainFileID());
  sources.setMainFileID(sources.createFileID(main, SourceLocation(), SrcMgr::C_User));
  addHeaders(compiler, runtimeHeaders());
  addCccl(compiler);
}

/// The lifted texts, for debuggers and bug reports.
void LiftPlugin::dump(const std::vector<LiftedFile> &files) const {
  if (options.dumpFolder.empty())
    return;
  sys::fs::create_directories(options.dumpFolder);
  for (const LiftedFile &file : files) {
    SmallString<256> path(options.dumpFolder);
    sys::path::append(path, sys::path::filename(file.path));
    writeTo(path, file.after);
  }
}

FrontendPluginRegistry::Add<LiftPlugin> registration("tilelift",
                                                     "lifts copies to tensor memory accelerator");

} // namespace
} // namespace tilelift
