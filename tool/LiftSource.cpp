//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/LiftSource.h"

#include "host/LookAhead.h"
#include "lint/Lint.h"
#include "support/Locations.h"
#include "tool/Invocation.h"
#include "tool/OutputFiles.h"
#include "tool/Resources.h"
#include "tool/SharedObjects.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Serialization/ASTReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace llvm;

namespace tilelift {
namespace {

Severity severityOf(clang::DiagnosticsEngine::Level level) {
  switch (level) {
  case clang::DiagnosticsEngine::Ignored: return Severity::Ignored;
  case clang::DiagnosticsEngine::Note: return Severity::Note;
  case clang::DiagnosticsEngine::Remark: return Severity::Remark;
  case clang::DiagnosticsEngine::Warning: return Severity::Warning;
  default: return Severity::Error;
  }
}

Message messageOf(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
  SmallString<256> text;
  info.FormatDiagnostic(text);
  Message message;
  message.severity = severityOf(level);
  auto [words, id] = StringRef(text).rsplit(" [-Wtilelift-");
  message.text = words.str();
  message.id = id.rtrim("]").str();
  if (info.hasSourceManager() && info.getLocation().isValid()) {
    const clang::SourceManager &sources = info.getSourceManager();
    clang::PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(info.getLocation()));
    message.file = place.getFilename();
    message.line = place.getLine();
    message.column = place.getColumn();
  }
  return message;
}

/// Clang's own warnings are the compiler's business; its errors are ours.
class ErrorsOnly : public clang::TextDiagnosticPrinter {
public:
  ErrorsOnly(raw_ostream &out, clang::DiagnosticOptions &style, SharedObjects &objects,
             std::vector<Message> &messageList)
      : TextDiagnosticPrinter(out, style), objects(objects), messageList(messageList) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    bool isOwn = clang::DiagnosticIDs::IsCustomDiag(info.getID());
    if (level < clang::DiagnosticsEngine::Error && !isOwn)
      muted = level != clang::DiagnosticsEngine::Note || muted;
    else
      muted = false;
    if (!muted) {
      TextDiagnosticPrinter::HandleDiagnostic(level, info);
      messageList.push_back(messageOf(level, info));
    }
    objects.note(info);
  }

private:
  SharedObjects &objects;
  std::vector<Message> &messageList;
  bool muted = false;
};

void dump(const LiftResult &result, const ToolOptions &options, std::string &out) {
  if (options.dumpRelation)
    out += printed(result.relations);
  if (options.dumpPlan)
    out += printed(result.plans);
  for (const std::string &kernel : result.effects)
    out += kernel;
}

/// Headers that change are written beside the output.
void moveHeaders(const clang::SourceManager &sources, const DirectiveList &directives,
                 const std::string &name, const ToolOptions &options, LiftResult &result,
                 Lifted &lifted) {
  std::string output = outputPath(options, name);
  HeaderPlaces placed =
      placeHeaders(sources, directives.includes, result.edits, output.empty() ? name : output);
  if (placed.paths.empty())
    return;
  if (output.empty())
    placed.problem = "'" + placed.paths.begin()->first + "' changes, too, and '" + name +
                     "' goes to standard output: name a file or a folder with -o";
  if (placed.problem) {
    lifted.messages += "tilelift: error: " + *placed.problem + "\n";
    lifted.status = failed;
    result.edits = EditSet();
    return;
  }
  result.edits.add(placed.includes);
  lifted.places = std::move(placed.paths);
}

/// Every file that was read, also those that a precompiled header was made of.
std::set<std::string> filesRead(clang::CompilerInstance &compiler) {
  std::set<std::string> names;
  const clang::SourceManager &sources = compiler.getSourceManager();
  for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file)
    if (!isOfTool(file->first.getName()))
      names.insert(file->first.getName().str());
  IntrusiveRefCntPtr<clang::ASTReader> reader = compiler.getASTReader();
  if (!reader)
    return names;
  for (clang::serialization::ModuleFile &header : reader->getModuleManager())
    reader->visitInputFiles(header, /*IncludeSystem=*/true, /*Complain=*/false,
                            [&](const clang::serialization::InputFile &file, bool) {
                              if (clang::OptionalFileEntryRef entry = file.getFile())
                                names.insert(entry->getName().str());
                            });
  return names;
}

/// A rule for make, or for ninja: the output, and every file that was read for it.
std::error_code writeDependencies(clang::CompilerInstance &compiler, const ToolOptions &options) {
  std::error_code problem;
  raw_fd_ostream out(options.dependencyFile, problem);
  if (problem)
    return problem;
  auto print = [&](StringRef path) {
    for (char c : path) {
      if (c == ' ' || c == '#')
        out << '\\';
      else if (c == '$')
        out << '$';
      out << c;
    }
  };
  print(options.output);
  out << ":";
  for (const std::string &name : filesRead(compiler)) {
    out << " \\\n  ";
    print(name);
  }
  out << "\n";
  return problem;
}

/// Standard input is a file that is there in memory only, as are mended texts and pipes.
ErrorOr<std::unique_ptr<MemoryBuffer>> read(const std::string &name, std::string &path,
                                            const ToolOptions &options,
                                            IntrusiveRefCntPtr<vfs::OverlayFileSystem> &files) {
  std::map<std::string, std::string> texts = options.texts;
  if (name == "-") {
    path = "<stdin>";
    if (!texts.count(path)) {
      ErrorOr<std::unique_ptr<MemoryBuffer>> input = MemoryBuffer::getSTDIN();
      if (!input)
        return input;
      texts[path] = (*input)->getBuffer().str();
    }
  } else if (!texts.count(path) && isStream(path)) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> input = MemoryBuffer::getFileAsStream(path);
    if (!input)
      return input;
    texts[path] = (*input)->getBuffer().str();
  }
  files = filesWith(texts);
  return files->getBufferForFile(path);
}

class SourceLifter {
public:
  SourceLifter(const std::string &name, const ToolOptions &options, const ProgramFacts &others)
      : name(name), path(name), options(options), others(others) {}

  Lifted run();

private:
  using Invocation = std::shared_ptr<clang::CompilerInvocation>;

  bool parseAndLift(const Invocation &invocation, IntrusiveRefCntPtr<vfs::OverlayFileSystem> files,
                    SharedObjects &objects);
  void writeForOthers(std::vector<Recipe> recipes);
  void mend(clang::CompilerInstance &compiler, const LiftResult &result);
  void take(clang::CompilerInstance &compiler, const DirectiveList &directives, LiftResult &result);
  void remarkOnResources(clang::CompilerInstance &compiler, const LiftResult &result);

  const std::string &name;
  std::string path;
  const ToolOptions &options;
  const ProgramFacts &others;
  Lifted lifted;
};

Lifted SourceLifter::run() {
  IntrusiveRefCntPtr<vfs::OverlayFileSystem> files;
  lifted.status = failed;
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = read(name, path, options, files);
  if (!text) {
    lifted.messages =
        "tilelift: error: cannot read '" + path + "': " + text.getError().message() + "\n";
    return std::move(lifted);
  }
  std::string before = (*text)->getBuffer().str();
  lifted.files = {{path, before, before, before}};
  raw_string_ostream problems(lifted.messages);
  Invocation invocation = makeInvocation(path, options, files, analysis, problems);
  if (!invocation) {
    StringRef problem = StringRef(lifted.messages).trim();
    problem.consume_front("error: ");
    lifted.messageList.push_back({Severity::Error, "", problem.str(), path, 0, 0});
    return std::move(lifted);
  }
  lifted.status = allLifted;
  bool isOneOfMany = options.files.size() > 1;
  bool isAsked = options.verify || isOneOfMany || !options.dependencyFile.empty() ||
                 options.emit != Emit::Cuda || options.lint;
  if (!isAsked && !mayHaveDirectives(path, before, *invocation, *files))
    return std::move(lifted);

  SharedObjects objects;
  bool parsed = parseAndLift(invocation, files, objects);
  if (!parsed && !objects.empty() && (invocation = makeInvocation(path, options, files))) {
    objects.hide(*invocation, *files);
    lifted.messages.clear();
    lifted.messageList.clear();
    lifted.status = allLifted;
    parsed = parseAndLift(invocation, files, objects);
  }
  if (options.verify)
    lifted.status = parsed ? allLifted : failed;
  else if (!parsed && lifted.status != someRefused)
    lifted.status = failed;
  return std::move(lifted);
}

bool SourceLifter::parseAndLift(const Invocation &invocation,
                                IntrusiveRefCntPtr<vfs::OverlayFileSystem> files,
                                SharedObjects &objects) {
  clang::DiagnosticOptions &style = invocation->getDiagnosticOpts();
  style.ShowColors = sys::Process::StandardErrHasColors();
  raw_string_ostream messages(lifted.messages);
  messages.enable_colors(style.ShowColors);
  ErrorsOnly printer(messages, style, objects, lifted.messageList);
  auto taken = [&](clang::CompilerInstance &compiler, const DirectiveList &directives,
                   LiftResult &result) { take(compiler, directives, result); };
  auto restored = [&] { objects.restore(); };
  auto linted = [&](clang::ASTContext &context) {
    LiftResult result;
    result.diagnostics = lint(context, deviceNamed(options.arch).capability);
    return result;
  };
  LiftRequest request{options.diagnostics, taken,   &printer, options.arch, others,
                      options.selection,   restored};
  if (options.lint)
    request.instead = linted;
  return liftFile(invocation, files, request);
}

/// Makes the edits of the remedies instead of those of the lift. Two that meet in the
/// text are made one after the other, in two passes.
void SourceLifter::mend(clang::CompilerInstance &compiler, const LiftResult &result) {
  clang::SourceManager &sources = compiler.getSourceManager();
  std::vector<FixIt> made;
  for (const Diagnostic &diagnostic : result.diagnostics) {
    const Remedy &remedy = diagnostic.remedy;
    bool isWanted = options.diagnostics.severityOf(diagnostic) >= Severity::Warning;
    if (remedy.empty() || !isWanted || llvm::any_of(remedy.edits, [&](const FixIt &edit) {
          return llvm::any_of(made, [&](const FixIt &other) { return edit.meets(other); });
        }))
      continue;
    made.insert(made.end(), remedy.edits.begin(), remedy.edits.end());
    Diagnostic fixed = diagnose(diag::fixed, diagnostic.place, diagnostic.text);
    fixed.remedy = remedy;
    report(
        compiler.getDiagnostics(), [&](Place place) { return locationOf(sources, place); }, fixed,
        options.diagnostics.severityOf(fixed));
  }
  EditSet edits;
  for (const FixIt &edit : made)
    edits.replace(edit.begin.offset, edit.begin.offset + edit.length, edit.text);
  lifted.files = liftedFiles(sources, edits);
}

/// Both kernels are compiled as they are after the lift.
void SourceLifter::remarkOnResources(clang::CompilerInstance &compiler, const LiftResult &result) {
  if (result.kernels.empty())
    return;
  clang::SourceManager &sources = compiler.getSourceManager();
  std::map<std::string, std::string> texts = options.texts;
  for (LiftedFile &file : liftedFiles(sources, result.edits))
    texts[file.path] = std::move(file.afterWithLines);
  std::string problem;
  for (const Diagnostic &remark : resourcesOf(path, texts, result.kernels, options, problem))
    report(
        compiler.getDiagnostics(), [&](Place place) { return locationOf(sources, place); }, remark,
        options.diagnostics.severityOf(remark));
  if (problem.empty())
    return;
  lifted.messages += "tilelift: error: " + problem + "\n";
  lifted.status = failed;
}

/// Instead of the lifted file, what other hosts launch it by.
void SourceLifter::writeForOthers(std::vector<Recipe> recipes) {
  std::variant<Emission, std::string> made =
      lifted.files.size() > 1
          ? std::variant<Emission, std::string>("'" + lifted.files[1].path +
                                                "' has copies, too: what is for other hosts is one "
                                                "text, so that they have to be in the file itself")
          : emissionOf(path, lifted.files.front().after, std::move(recipes), options);
  if (auto *problem = std::get_if<std::string>(&made)) {
    lifted.messages += "tilelift: error: " + *problem + "\n";
    lifted.messageList.push_back({Severity::Error, "", *problem, path, 0, 0});
    lifted.status = failed;
    lifted.files.clear();
    return;
  }
  lifted.emission = std::move(std::get<Emission>(made));
  lifted.files.front().after = textFor(*lifted.emission, options.emit);
}

void SourceLifter::take(clang::CompilerInstance &compiler, const DirectiveList &directives,
                        LiftResult &result) {
  clang::SourceManager &sources = compiler.getSourceManager();
  if (options.fix)
    return mend(compiler, result);
  for (const Diagnostic &diagnostic : result.diagnostics) {
    Severity severity = options.diagnostics.severityOf(diagnostic);
    report(
        compiler.getDiagnostics(), [&](Place place) { return locationOf(sources, place); },
        diagnostic, severity);
    if (severity != Severity::Error)
      continue;
    lifted.status = worse(lifted.status, result.anyRefused || options.lint ? someRefused : failed);
    lifted.hasErrors = true;
  }
  if (result.anyRefused)
    lifted.status = worse(lifted.status, someRefused);
  if (!options.dependencyFile.empty())
    if (std::error_code problem = writeDependencies(compiler, options)) {
      lifted.messages += "tilelift: error: cannot write '" + options.dependencyFile +
                         "': " + problem.message() + "\n";
      lifted.status = failed;
    }
  if (options.asksResources)
    remarkOnResources(compiler, result);
  if (writesElsewhere(options))
    moveHeaders(sources, directives, name, options, result, lifted);
  lifted.files = liftedFiles(sources, result.edits);
  if (options.emit != Emit::Cuda && !lifted.hasErrors)
    writeForOthers(std::move(result.recipes));
  lifted.facts = std::move(result.facts);
  lifted.names = std::move(result.names);
  lifted.isAnnotated = !directives.directives.empty();
  dump(result, options, lifted.dump);
}

} // namespace

Lifted liftSource(const std::string &name, const ToolOptions &options, const ProgramFacts &others) {
  return SourceLifter(name, options, others).run();
}

std::optional<std::string> wrongBlocks(ArrayRef<Lifted> lifted, const ToolOptions &options) {
  std::set<std::string> all;
  std::vector<std::string> available;
  for (const Lifted &file : lifted)
    for (const std::vector<std::string> &names : file.names) {
      all.insert(names.begin(), names.end());
      if (!llvm::is_contained(available, names[1]))
        available.push_back(names[1]);
    }
  bool isRead = llvm::none_of(lifted, [](const Lifted &file) { return file.status == failed; });
  for (const auto &[name, shape] : options.selection.blocks)
    if (isRead && !all.count(name))
      return "no kernel with copies is called '" + name + "', whose block is given; " +
             (available.empty() ? "there is none" : "there are " + llvm::join(available, ", "));
  return std::nullopt;
}

/// Lifts a file again if other files tell something new of its kernels: first where the kernels are
/// launched, and then, for a file that launches lifted kernels, which launchers to call.
std::vector<Lifted> liftProgram(ArrayRef<std::string> names, const ToolOptions &options) {
  std::vector<Lifted> lifted;
  ProgramFacts known;
  for (const std::string &name : names)
    lifted.push_back(liftSource(name, options));
  for (const Lifted &one : lifted)
    known.add({one.facts.launched, {}});
  if (known.launched.empty())
    return lifted;
  for (size_t i = 0; i < names.size(); ++i)
    if (lifted[i].facts.launched.size() < known.launched.size() && lifted[i].isAnnotated)
      lifted[i] = liftSource(names[i], options, known);
  for (const Lifted &one : lifted)
    known.add({{}, one.facts.launchers});
  for (size_t i = 0; i < names.size(); ++i) {
    bool launches = llvm::any_of(lifted[i].facts.launched, [&](const auto &launch) {
      return known.launchers.count(launch.first) > 0;
    });
    if (launches)
      lifted[i] = liftSource(names[i], options, known);
  }
  return lifted;
}

} // namespace tilelift
