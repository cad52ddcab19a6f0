//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/Emitter.h"

#include "emit/LauncherText.h"
#include "support/Locations.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Format/Format.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Text of ours in the user's style, or in LLVM's.
std::string formatted(const std::string &text, StringRef file) {
  Expected<format::FormatStyle> style = format::getStyle("file", file, "LLVM", text);
  if (!style) {
    consumeError(style.takeError());
    return text;
  }
  style->ColumnLimit = std::max(style->ColumnLimit, 100u);
  style->SortIncludes = format::FormatStyle::SortIncludesOptions();
  tooling::Replacements changes =
      format::reformat(*style, text, tooling::Range(0, unsigned(text.size())), file);
  Expected<std::string> result = tooling::applyAllReplacements(text, changes);
  if (!result) {
    consumeError(result.takeError());
    return text;
  }
  return *result;
}

class Emitter {
public:
  Emitter(ASTContext &context, const Program &program)
      : context(context), source(context), program(program) {}

  EmitResult run(const std::vector<KernelToEmit> &kernels);

private:
  void emitKernel(const KernelToEmit &kernel);
  KernelNames nameKernel(const KernelToEmit &kernel);
  void redirectLaunches(const KernelToEmit &kernel, const KernelNames &names);
  void declare(const KernelToEmit &kernel, const LauncherText &launcher);
  bool redirect(const Launch &launch, const KernelNames &names);
  void addInclude();
  void say(Diagnostic diagnostic) { result.diagnostics.push_back(std::move(diagnostic)); }

  ASTContext &context;
  SourceText source;
  const Program &program;
  EmitResult result;
};

EmitResult Emitter::run(const std::vector<KernelToEmit> &kernels) {
  bool anyLifted = false;
  for (const KernelToEmit &kernel : kernels) {
    for (const Directive *directive : kernel.plain)
      result.edits.add(source.pragmaComment(*directive, "stays a loop"));
    if (kernel.instances.empty())
      continue;
    emitKernel(kernel);
    anyLifted = true;
  }
  if (anyLifted)
    addInclude();
  return std::move(result);
}

KernelNames Emitter::nameKernel(const KernelToEmit &kernel) {
  KernelNames names;
  names.kernel = kernel.pattern->getNameAsString();
  names.lifted = source.unused(names.kernel + "_tma");
  names.plan = source.unused(names.kernel + "_tma_plan");
  names.launcher = source.unused(names.kernel + "_tma_launch");
  names.barrier = source.unused("tma_barrier");
  names.phase = source.unused("tma_phase");
  names.memory = source.unused("tma_memory");
  if (const FunctionTemplateDecl *primary = kernel.pattern->getDescribedFunctionTemplate()) {
    for (const NamedDecl *parameter : *primary->getTemplateParameters())
      names.arguments += (names.arguments.empty() ? "" : ", ") + parameter->getNameAsString() +
                         (parameter->isTemplateParameterPack() ? "..." : "");
    names.arguments = "<" + names.arguments + ">";
  }
  return names;
}

void Emitter::emitKernel(const KernelToEmit &kernel) {
  const InstanceToEmit &first = kernel.instances.front();
  if (!source.isPlainText({kernel.pattern->getLocation(), kernel.pattern->getBody()->getEndLoc()}))
    return say(diagnose("not-available-yet", {source.offsetOf(kernel.pattern->getLocation())},
                        "a kernel inside a macro"));
  KernelNames names = nameKernel(kernel);
  std::vector<LiftedStatement> statements;
  for (const CopyToEmit &copy : first.copies) {
    bool mayRunPlain = llvm::any_of(first.copies, [&](const CopyToEmit &other) {
      return other.statement == copy.statement && !other.plan.copyChecks.empty();
    });
    statements.push_back({copy.statement, copy.tile, mayRunPlain, copy.sourceIsWritten});
  }
  BarrierFacts barriers = findBarrierFacts(first.function, context, statements);
  for (const CallExpr *dropped : barriers.redundant)
    say(diagnose("barrier-dropped", {source.offsetOf(dropped->getBeginLoc())}));

  for (size_t i = 0; i < first.copies.size(); ++i)
    if (barriers.copies[i].needsBarrier || barriers.copies[i].writtenBefore ||
        barriers.copies[i].sourceWritten)
      say(diagnose("barrier-added", first.copies[i].plan.place,
                   barriers.copies[i].sourceWritten
                       ? "threads may have written to '" + first.copies[i].plan.base.spelling + "'"
                   : barriers.copies[i].writtenBefore
                       ? std::string("threads have written to the tile")
                       : std::string("threads may still be reading the tile")));

  KernelWriter writer(source, kernel, names, barriers);
  std::vector<Piece> sibling = writer.sibling();
  if (writer.failure)
    return say(*writer.failure);
  std::variant<LauncherText, Diagnostic> launcher = writeLauncher(source, kernel, names, writer);
  if (auto *problem = std::get_if<Diagnostic>(&launcher))
    return say(*problem);
  LauncherText &launch = std::get<LauncherText>(launcher);

  StringRef file =
      context.getSourceManager().getFileEntryRefForID(context.getSourceManager().getMainFileID())
          ? context.getSourceManager()
                .getFileEntryRefForID(context.getSourceManager().getMainFileID())
                ->getName()
          : StringRef("input.cu");
  std::string header = templateHeader(source, kernel.pattern);
  std::string before =
      "// " + names.kernel + ", lifted: what its copies are, the kernel, and its launcher.\n";
  if (!header.empty())
    before +=
        header + " struct " + names.plan + " {\n  static constexpr bool lifted = false;\n};\n";
  before += writer.planType();
  unsigned end = source.endOfToken(kernel.pattern->getBody()->getEndLoc());
  Edit edit{end, end, {}};
  edit.pieces.push_back(Piece::own("\n\n" + formatted(before, file) + "\n"));
  edit.pieces.insert(edit.pieces.end(), sibling.begin(), sibling.end());
  edit.pieces.push_back(
      Piece::own("\n\n" + StringRef(formatted(launch.definition, file)).rtrim().str(),
                 source.offsetOf(kernel.pattern->getLocation())));
  result.edits.add(std::move(edit));
  // The original keeps its loops; its pragmas have done their work.
  SmallPtrSet<const Directive *, 4> commented;
  for (const CopyToEmit &copy : first.copies)
    if (commented.insert(copy.directive).second)
      result.edits.add(source.pragmaComment(*copy.directive, "lifted in " + names.lifted));
  declare(kernel, launch);
  redirectLaunches(kernel, names);
}

void Emitter::redirectLaunches(const KernelToEmit &kernel, const KernelNames &names) {
  DenseSet<unsigned> done;
  for (const Launch &launch : program.launches)
    if (launch.pattern == kernel.pattern && done.insert(launch.place.offset).second &&
        !redirect(launch, names))
      say(diagnose("launch-not-lifted", launch.place, names.kernel, "it comes from a macro"));
}

/// Behind the kernel's first declaration, so that the launcher is known wherever
/// the kernel is.
void Emitter::declare(const KernelToEmit &kernel, const LauncherText &launcher) {
  if (launcher.declaration.empty())
    return;
  std::optional<Token> semi =
      Lexer::findNextToken(kernel.pattern->getCanonicalDecl()->getEndLoc(),
                           context.getSourceManager(), context.getLangOpts());
  if (!semi || semi->isNot(tok::semi))
    return say(diagnose("not-available-yet", {source.offsetOf(kernel.pattern->getLocation())},
                        "a kernel whose first declaration ends in a macro"));
  unsigned at = source.offsetOf(semi->getEndLoc());
  result.edits.add({at, at, {Piece::own("\n" + StringRef(launcher.declaration).rtrim().str())}});
}

bool Emitter::redirect(const Launch &launch, const KernelNames &names) {
  const auto *call = launch.call;
  if (!source.isPlainText(call->getSourceRange()) || !launch.callee->getLocation().isFileID())
    return false;
  unsigned nameBegin = source.offsetOf(launch.callee->getLocation());
  unsigned nameEnd = source.endOfToken(launch.callee->getLocation());
  if (launch.form == Launch::Form::Chevrons) {
    const CallExpr *config = cast<CUDAKernelCallExpr>(call)->getConfig();
    if (!source.isPlainText({config->getBeginLoc(), config->getRParenLoc()}))
      return false;
    unsigned open = source.offsetOf(config->getBeginLoc());   // <<<
    unsigned close = source.offsetOf(config->getRParenLoc()); // >>>
    std::string arguments = source.between(open + 3, close).trim().str();
    unsigned paren = unsigned(source.file().find('(', close));
    bool hasArguments =
        !source.between(paren + 1, source.offsetOf(call->getRParenLoc())).trim().empty();
    result.edits.replace(nameBegin, nameEnd, names.launcher);
    open = unsigned(source.file().take_front(open).rtrim().size());
    result.edits.replace(open, paren + 1, "({" + arguments + "}" + (hasArguments ? ", " : ""));
    return true;
  }
  // cudaLaunchKernelEx(&config, kernel, ...) -> launcher({&config}, ...)
  unsigned begin = source.offsetOf(call->getBeginLoc());
  unsigned configBegin = source.offsetOf(call->getArg(0)->getBeginLoc());
  unsigned configEnd = source.endOfToken(call->getArg(0)->getEndLoc());
  unsigned kernelEnd = source.endOfToken(call->getArg(1)->getEndLoc());
  std::string templateArguments = source.between(nameEnd, kernelEnd).trim().str();
  result.edits.replace(begin, kernelEnd,
                       names.launcher + templateArguments + "({" +
                           source.between(configBegin, configEnd).str() + "}");
  return true;
}

/// Behind the file's last #include that is under no condition, or before
/// everything but its first comment.
void Emitter::addInclude() {
  const SourceManager &sources = context.getSourceManager();
  FileID main = sources.getMainFileID();
  StringRef text = source.file();
  Lexer lexer(sources.getLocForStartOfFile(main), context.getLangOpts(), text.begin(), text.begin(),
              text.end());
  Token token;
  unsigned at = 0, depth = 0;
  bool found = false, first = true, more = true;
  do {
    more = !lexer.LexFromRawLexer(token);
    if (first) {
      at = source.offsetOf(token.getLocation());
      first = false;
    }
    if (!token.is(tok::hash) || !token.isAtStartOfLine())
      continue;
    lexer.LexFromRawLexer(token);
    StringRef word = token.is(tok::raw_identifier) ? token.getRawIdentifier() : StringRef();
    if (word.starts_with("if"))
      ++depth;
    else if (word == "endif")
      --depth;
    else if (word == "include" && depth == 0) {
      size_t end = text.find('\n', source.offsetOf(token.getLocation()));
      at = end == StringRef::npos ? unsigned(text.size()) : unsigned(end + 1);
      found = true;
    }
  } while (more);
  result.edits.add(
      {at,
       at,
       {Piece::own("#include <tilelift/tilelift.cuh>\n" + std::string(found ? "" : "\n"), at)}});
}

} // namespace

EmitResult emit(ASTContext &context, const std::vector<KernelToEmit> &kernels,
                const Program &program) {
  return Emitter(context, program).run(kernels);
}

} // namespace tilelift
