//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command-line host: reads files, lifts each, writes text and messages.
//===----------------------------------------------------------------------===//

#include "host/LiftFile.h"
#include "tool/Invocation.h"
#include "tool/Options.h"
#include "tool/UnifiedDiff.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilelift;

namespace {

enum ExitStatus { allLifted = 0, someRefused = 1, failed = 2 };

ExitStatus worse(ExitStatus a, ExitStatus b) { return std::max(a, b); }

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

struct Lifted {
  std::string before;
  std::string after;
  std::string dump;
};

bool writeFile(StringRef path, StringRef text) {
  std::error_code problem;
  ToolOutputFile out(path, problem, sys::fs::OF_None);
  if (problem) {
    errs() << "tilelift: error: cannot write '" << path << "': " << problem.message() << "\n";
    return false;
  }
  out.os() << text;
  out.keep();
  return true;
}

std::string outputPath(const ToolOptions &options, StringRef file) {
  if (options.inPlace)
    return file.str();
  bool isFolder = options.files.size() > 1 || sys::fs::is_directory(options.output) ||
                  StringRef(options.output).ends_with("/");
  if (options.output.empty() || !isFolder)
    return options.output;
  sys::fs::create_directories(options.output);
  SmallString<256> path(options.output);
  sys::path::append(path, sys::path::filename(file));
  return std::string(path);
}

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

ExitStatus liftOne(const std::string &name, const ToolOptions &options, Lifted &lifted) {
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
  lifted.before = lifted.after = (*text)->getBuffer().str();
  if (!options.verify && !mayHaveDirectives(lifted.before))
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
          if (severity == Severity::Error)
            status = worse(status, result.anyRefused ? someRefused : failed);
        }
        if (result.anyRefused)
          status = worse(status, someRefused);
        lifted.after = result.edits.apply(lifted.before);
        dump(result, options, lifted.dump);
      },
      options.arch);
  if (options.verify)
    return parsed ? allLifted : failed;
  return parsed || status == someRefused ? status : failed;
}

bool writeResult(const std::string &name, const ToolOptions &options, const Lifted &lifted) {
  if (options.check || options.verify)
    return true;
  if (options.dumpRelation || options.dumpPlan) {
    outs() << lifted.dump;
    return true;
  }
  if (options.diff) {
    outs() << unifiedDiff(name, lifted.before, lifted.after);
    return true;
  }
  std::string path = outputPath(options, name);
  if (path.empty() || path == "-") {
    outs() << lifted.after;
    return true;
  }
  if (options.inPlace && lifted.before == lifted.after)
    return true;
  return writeFile(path, lifted.after);
}

} // namespace

int main(int argc, const char **argv) {
  InitLLVM init(argc, argv);
  ToolOptions options = parseOptions(argc, argv);
  ExitStatus status = allLifted;
  for (const std::string &file : options.files) {
    Lifted lifted;
    ExitStatus one = liftOne(file, options, lifted);
    status = worse(status, one);
    bool hasOutput = one == allLifted || lifted.after != lifted.before || !lifted.dump.empty();
    if (hasOutput && !writeResult(file, options, lifted))
      status = failed;
  }
  return status;
}
