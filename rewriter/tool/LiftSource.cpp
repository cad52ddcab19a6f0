//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/LiftSource.h"

#include "host/LiftFile.h"
#include "tool/Invocation.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {
namespace {

/// Clang's own warnings are the compiler's business; its errors are ours.
class ErrorsOnly : public clang::TextDiagnosticPrinter {
public:
  using TextDiagnosticPrinter::TextDiagnosticPrinter;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    bool isOwn = clang::DiagnosticIDs::IsCustomDiag(info.getID());
    if (level < clang::DiagnosticsEngine::Error && !isOwn)
      muted = level != clang::DiagnosticsEngine::Note || muted;
    else
      muted = false;
    if (!muted)
      TextDiagnosticPrinter::HandleDiagnostic(level, info);
  }

private:
  bool muted = false;
};

void dump(const LiftResult &result, const ToolOptions &options, std::string &out) {
  auto list = [&](const auto &items) {
    out += "[";
    for (const auto &item : items)
      out += (&item == &items.front() ? "\n" : ",\n") + toJson(item);
    out += "\n]\n";
  };
  if (options.dumpRelation)
    list(result.relations);
  if (options.dumpPlan)
    list(result.plans);
}

} // namespace

ExitStatus liftSource(const std::string &name, const ToolOptions &options, Lifted &lifted) {
  auto files = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(vfs::getRealFileSystem());
  std::string path = name;
  if (name == "-") {
    path = "<stdin>";
    auto memory = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
    ErrorOr<std::unique_ptr<MemoryBuffer>> input = MemoryBuffer::getSTDIN();
    SmallString<256> full(path);
    sys::fs::make_absolute(full);
    memory->addFile(full, 0, std::move(*input));
    files->pushOverlay(memory);
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = files->getBufferForFile(path);
  if (!text) {
    errs() << "tilelift: error: cannot read '" << path << "': " << text.getError().message()
           << "\n";
    return failed;
  }
  lifted.before = lifted.after = lifted.afterWithLines = (*text)->getBuffer().str();
  if (!options.verify && !mayHaveDirectives(path, lifted.before, *files))
    return allLifted; // nothing is asked of this file

  std::shared_ptr<clang::CompilerInvocation> invocation = makeInvocation(path, options, files);
  if (!invocation)
    return failed;
  clang::DiagnosticOptions &style = invocation->getDiagnosticOpts();
  style.ShowColors = sys::Process::StandardErrHasColors();
  ErrorsOnly printer(errs(), style);
  ExitStatus status = allLifted;
  bool parsed = liftFile(
      invocation, files, &printer, options.diagnostics,
      [&](clang::CompilerInstance &compiler, LiftResult &result) {
        clang::SourceManager &sources = compiler.getSourceManager();
        for (const Diagnostic &diagnostic : result.diagnostics) {
          Severity severity = options.diagnostics.severityOf(diagnostic);
          report(compiler.getDiagnostics(), sources, sources.getMainFileID(), diagnostic, severity);
          if (severity != Severity::Error)
            continue;
          status = worse(status, result.anyRefused ? someRefused : failed);
          lifted.hasErrors = true;
        }
        if (result.anyRefused)
          status = worse(status, someRefused);
        lifted.after = result.edits.apply(lifted.before);
        lifted.afterWithLines = result.edits.applyWithLines(lifted.before, path);
        dump(result, options, lifted.dump);
      },
      options.arch);
  if (options.verify)
    return parsed ? allLifted : failed;
  return parsed || status == someRefused ? status : failed;
}

} // namespace tilelift
