//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "host/LiftFile.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr const char *hostTriple = "x86_64-unknown-linux-gnu";
constexpr const char *deviceTriple = "nvptx64-nvidia-cuda";

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &compiler, const DirectiveList &directives,
           const DiagnosticOptions &options, LiftConsumer consumer)
      : compiler(compiler), directives(directives), options(options), consumer(consumer) {}

  void HandleTranslationUnit(ASTContext &context) override {
    if (compiler.getDiagnostics().hasUncompilableErrorOccurred())
      return;
    LiftResult result = lift(context, directives, options);
    consumer(compiler, result);
  }

private:
  CompilerInstance &compiler;
  const DirectiveList &directives;
  const DiagnosticOptions &options;
  LiftConsumer consumer;
};

class LiftAction : public ASTFrontendAction {
public:
  LiftAction(const DiagnosticOptions &options, LiftConsumer consumer)
      : options(options), consumer(consumer) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    installPragmaReader(compiler.getPreprocessor(), directives);
    return std::make_unique<Consumer>(compiler, directives, options, consumer);
  }

private:
  DirectiveList directives;
  const DiagnosticOptions &options;
  LiftConsumer consumer;
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

void makeCanonical(CompilerInvocation &invocation, StringRef arch) {
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

bool liftFile(std::shared_ptr<CompilerInvocation> invocation,
              IntrusiveRefCntPtr<vfs::FileSystem> files, DiagnosticConsumer *client,
              const DiagnosticOptions &options, LiftConsumer consumer, StringRef arch) {
  makeCanonical(*invocation, arch);
  CompilerInstance compiler(std::move(invocation));
  IgnoringDiagConsumer ignoring;
  compiler.setVirtualFileSystem(files);
  compiler.setVerboseOutputStream(std::make_unique<raw_null_ostream>()); // no "1 error generated"
  compiler.createDiagnostics(client ? client : &ignoring, /*ShouldOwnClient=*/false);
  if (!compiler.createTarget())
    return false;
  compiler.createFileManager();
  compiler.createSourceManager();
  LiftAction action(options, consumer);
  return compiler.ExecuteAction(action);
}

void report(DiagnosticsEngine &engine, const SourceManager &sources, FileID file,
            const Diagnostic &diagnostic, Severity severity) {
  if (severity == Severity::Ignored)
    return;
  auto locate = [&](Place place) {
    return place.isKnown() ? sources.getLocForStartOfFile(file).getLocWithOffset(int(place.offset))
                           : SourceLocation();
  };
  unsigned id = engine.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Level(levelOf(severity)),
                                                           "%0 [-Wtilelift-%1]");
  {
    DiagnosticBuilder builder = engine.Report(locate(diagnostic.place), id);
    builder << diagnostic.text << diagnostic.id;
    if (diagnostic.fix) {
      SourceLocation begin = locate(diagnostic.fix->begin);
      SourceLocation end = begin.getLocWithOffset(int(diagnostic.fix->length));
      builder << FixItHint::CreateReplacement(CharSourceRange::getCharRange(begin, end),
                                              diagnostic.fix->text);
    }
  }
  unsigned note = engine.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Note, "%0");
  for (const Note &each : diagnostic.notes)
    engine.Report(locate(each.place), note) << each.text;
}

} // namespace tilelift
