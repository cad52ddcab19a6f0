//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "host/LiftFile.h"

#include "host/HeaderCache.h"
#include "host/LookAhead.h"
#include "support/Locations.h"
#include "support/Toolkit.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/ASTReader.h"
#include "llvm/Support/FileSystem.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr const char *hostTriple = "x86_64-unknown-linux-gnu";
constexpr const char *deviceTriple = "nvptx64-nvidia-cuda";

/// The toolkit's headers are the system's, however they are found.
void markToolkit(HeaderSearchOptions &search, vfs::FileSystem &files) {
  for (HeaderSearchOptions::Entry &entry : search.UserEntries)
    if (entry.Group == frontend::Angled && isToolkit(entry.Path, files))
      entry.Group = frontend::System;
}

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &compiler, const DirectiveList &directives, const LiftRequest &request)
      : compiler(compiler), directives(directives), request(request) {}

  void HandleTranslationUnit(ASTContext &context) override {
    if (!request.instead && compiler.getDiagnostics().hasUncompilableErrorOccurred())
      return;
    if (request.whenParsed)
      request.whenParsed();
    Selection selection = request.selection;
    selection.typesTellApart = !compiler.getCodeGenOpts().RelaxedAliasing;
    LiftResult result = request.instead
                            ? request.instead(context)
                            : lift(context, directives, request.options, request.others, selection);
    request.consumer(compiler, directives, result);
  }

private:
  CompilerInstance &compiler;
  const DirectiveList &directives;
  const LiftRequest &request;
};

class LiftAction : public ASTFrontendAction {
public:
  explicit LiftAction(const LiftRequest &request) : request(request) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    installPragmaReader(compiler.getPreprocessor(), directives);
    return std::make_unique<Consumer>(compiler, directives, request);
  }

private:
  DirectiveList directives;
  const LiftRequest &request;
};

DiagnosticsEngine::Level levelOf(Severity severity) {
  switch (severity) {
  case Severity::Ignored: return DiagnosticsEngine::Ignored;
  case Severity::Note: return DiagnosticsEngine::Note;
  case Severity::Remark: return DiagnosticsEngine::Remark;
  case Severity::Warning: return DiagnosticsEngine::Warning;
  case Severity::Error: return DiagnosticsEngine::Error;
  }
  return DiagnosticsEngine::Error;
}

} // namespace

bool isStream(StringRef path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status) && sys::fs::exists(status) &&
         !sys::fs::is_regular_file(status) && !sys::fs::is_directory(status);
}

std::optional<std::string> wrongArch(StringRef arch) {
  if (deviceNamed(arch).capability >= 90)
    return std::nullopt;
  return ("'" + arch + "' has no TMA unit: 'arch' takes sm_90 and later").str();
}

void makeCanonical(CompilerInvocation &invocation, vfs::FileSystem &files, StringRef arch) {
  markToolkit(invocation.getHeaderSearchOpts(), files);
  LangOptions &language = invocation.getLangOpts();
  clang::TargetOptions &target = invocation.getTargetOpts();
  FrontendOptions &frontend = invocation.getFrontendOpts();
  if (!language.CUDAIsDevice) {
    frontend.AuxTriple = target.Triple.empty() ? hostTriple : target.Triple;
    // The host's processor options mean nothing to the device.
    frontend.AuxTargetCPU = target.CPU;
    target.Triple = deviceTriple;
    language.CUDAIsDevice = true;
  }
  target.CPU = arch.str();
  target.TuneCPU.clear();
  target.ABI.clear();
  target.FeaturesAsWritten = {"+ptx80"};
  target.Features = target.FeaturesAsWritten;
  frontend.ProgramAction = frontend::ParseSyntaxOnly;
  frontend.OutputFile.clear();
  frontend.Plugins.clear();
  frontend.AddPluginActions.clear();
  frontend.PluginArgs.clear();
  invocation.getDependencyOutputOpts() = DependencyOutputOptions();
  invocation.getCodeGenOpts().CudaGpuBinaryFileName.clear();
}

/// A precompiled header is one side's; the analysis reads what it was made of.
static void readWithoutPch(CompilerInstance &compiler) {
  PreprocessorOptions &options = compiler.getPreprocessorOpts();
  if (options.ImplicitPCHInclude.empty())
    return;
  std::string original =
      ASTReader::getOriginalSourceFile(options.ImplicitPCHInclude, compiler.getFileManager(),
                                       compiler.getPCHContainerReader(), compiler.getDiagnostics());
  options.ImplicitPCHInclude.clear();
  if (original.empty())
    return;
  options.Includes.insert(options.Includes.begin(), original);
  // The driver has it included only once, where the header is precompiled.
  options.Includes.insert(options.Includes.begin(), "__clang_cuda_runtime_wrapper.h");
}

bool liftFile(std::shared_ptr<CompilerInvocation> invocation,
              IntrusiveRefCntPtr<vfs::FileSystem> files, const LiftRequest &request) {
  makeCanonical(*invocation, *files, request.arch);
  CompilerInstance compiler(std::move(invocation));
  IgnoringDiagConsumer ignoring;
  compiler.setVirtualFileSystem(files);
  compiler.setVerboseOutputStream(std::make_unique<raw_null_ostream>()); // no "1 error generated"
  compiler.createDiagnostics(request.client ? request.client : &ignoring,
                             /*ShouldOwnClient=*/false);
  if (!compiler.createTarget())
    return false;
  compiler.createFileManager();
  compiler.createSourceManager();
  readWithoutPch(compiler);
  useHeaderCache(compiler.getInvocation(), files);
  LiftAction action(request);
  return compiler.ExecuteAction(action);
}

/// Lines that we made end as those of the file do.
static std::string withLineEndsOf(StringRef file, std::string text) {
  size_t first = file.find('\n');
  bool isDos = first != StringRef::npos && first > 0 && file[first - 1] == '\r';
  if (!isDos)
    return text;
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r'))
      result += '\r';
    result += text[i];
  }
  return result;
}

std::vector<LiftedFile> liftedFiles(const SourceManager &sources, const EditSet &edits,
                                    Repeats repeats) {
  std::vector<LiftedFile> files;
  for (const UserFile &file : userFiles(sources)) {
    EditSet own = edits.within(file.begin, file.end());
    if (own.empty() && file.begin != 0)
      continue;
    OptionalFileEntryRef entry = sources.getFileEntryRefForID(file.id);
    StringRef path = entry ? entry->getName() : "<stdin>";
    std::string after =
        own.empty() ? file.text.str() : withLineEndsOf(file.text, own.apply(file.text));
    files.push_back({path.str(), file.text.str(), std::move(after),
                     own.applyWithLines(file.text, path, repeats)});
  }
  return files;
}

void report(DiagnosticsEngine &engine, function_ref<SourceLocation(Place)> locate,
            const Diagnostic &diagnostic, Severity severity) {
  if (severity == Severity::Ignored)
    return;
  unsigned id = engine.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Level(levelOf(severity)),
                                                           "%0 [-Wtilelift-%1]");
  const Remedy &remedy = diagnostic.remedy;
  auto addRemedy = [&](const DiagnosticBuilder &builder) {
    for (const FixIt &edit : remedy.edits) {
      SourceLocation begin = locate(edit.begin);
      SourceLocation end = begin.getLocWithOffset(int(edit.length));
      builder << FixItHint::CreateReplacement(CharSourceRange::getCharRange(begin, end), edit.text);
    }
  };
  {
    DiagnosticBuilder builder = engine.Report(locate(diagnostic.place), id);
    builder << diagnostic.text << nameOf(diagnostic.id);
    if (remedy.text.empty())
      addRemedy(builder);
  }
  unsigned note = engine.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Note, "%0");
  for (const Note &each : diagnostic.notes)
    engine.Report(locate(each.place), note) << each.text;
  if (!remedy.text.empty())
    addRemedy(engine.Report(locate(remedy.edits.front().begin), note)
              << "to lift it, " + remedy.text);
}

} // namespace tilelift
