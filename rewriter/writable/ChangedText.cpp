//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/ChangedText.h"

#include "support/LocalTypes.h"
#include "support/NamesInText.h"
#include "support/VariableFacts.h"
#include "writable/TileStorage.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

class Changes {
public:
  Changes(const KernelPlan &kernel, const SourceText &source, const MacroUses &macros)
      : kernel(kernel),
        source(source),
        macros(macros),
        texts(textsOf(kernel.instances.front(), textOf)) {}

  std::optional<Diagnostic> run() const;

private:
  std::optional<Diagnostic> inTile(size_t copy) const;
  std::optional<Diagnostic> inDynamicMemory(const Stmt *within) const;
  std::optional<Diagnostic> inCall(const FunctionText &callee) const;
  std::optional<Diagnostic> inRounds(size_t pipeline) const;
  std::optional<Diagnostic> inRepeated(const Expr *expression, ArrayRef<Cursor> renamed) const;
  bool isRetyped(const Decl &declared) const;
  bool isWhole(const Stmt &statement) const;
  const std::vector<PlannedCopy> &copies() const { return kernel.instances.front().copies; }
  Diagnostic obstacle(const std::string &what, SourceLocation at) const {
    return diagnose(diag::not_available_yet, {source.offsetOf(at)}, what);
  }

  const KernelPlan &kernel;
  const SourceText &source;
  const MacroUses &macros;
  std::vector<size_t> textOf;
  const std::vector<FunctionText> texts;
};

/// Whether it is the tile of a copy, and gets another type.
bool Changes::isRetyped(const Decl &declared) const {
  for (size_t i = 0; i < copies().size(); ++i)
    if (copies()[i].tile->getLocation() == declared.getLocation())
      return tilelift::isRetyped(kernel, i);
  return false;
}

/// Whether a statement can be replaced without losing other text. One that comes from a macro's
/// body, or was an argument of the macro, is replaced together with the macro's use. So it has to
/// be everything that the macro expands to, but for a semicolon.
bool Changes::isWhole(const Stmt &statement) const {
  const SourceLocation begin = statement.getBeginLoc(), end = statement.getEndLoc();
  const bool isOfOneUse =
      begin.isMacroID() && end.isMacroID() && source.offsetOf(begin) == source.offsetOf(end);
  if (!isOfOneUse)
    return true;
  const auto use = macros.find(source.offsetOf(begin));
  if (use == macros.end())
    return false;
  ArrayRef<MacroToken> tokens = use->second.tokens;
  if (tokens.size() > 1 && tokens.back().text == ";" && tokens.back().location != end)
    tokens = tokens.drop_back();
  return !tokens.empty() && tokens.front().location == begin && tokens.back().location == end;
}

std::optional<Diagnostic> Changes::inTile(size_t copy) const {
  const VarDecl *tile = copies()[copy].tile;
  const size_t owner = ownerOf(texts, tile);
  const DeclStmt *declaration =
      owner < texts.size() ? findDeclaration(texts[owner].pattern->getBody(), tile->getLocation())
                           : nullptr;
  auto isOfMacro = [](const Decl *each) { return each->getLocation().isMacroID(); };
  // A macro that declares one tile goes as a whole.
  if (!declaration || !source.isPlainText(declaration->getSourceRange()) ||
      (!declaration->isSingleDecl() && llvm::any_of(declaration->decls(), isOfMacro)))
    return obstacle((tile->isFileVarDecl()
                         ? "a tile that is declared outside of the kernel ('"
                         : "a tile that a macro or another function declares ('") +
                        tile->getNameAsString() + "')",
                    tile->getLocation());
  const bool isSplit =
      llvm::any_of(declaration->decls(), [&](const Decl *each) { return isRetyped(*each); });
  // The plan type names the types of tiles that get other rows or become an array, which it cannot
  // do with a local type. Other tiles keep the declaration that the program has.
  if (isSplit &&
      (isNamelessOutside(tile->getType()) || !llvm::all_of(declaration->decls(), IsaPred<VarDecl>)))
    return obstacle("a ring of '" + tile->getNameAsString() +
                        "', whose type has no name outside of its function and whose size is no "
                        "multiple of " +
                        std::to_string(copies()[copy].plan.layout.alignment().count()) + " bytes",
                    tile->getLocation());
  const unsigned begin = source.beginOf(declaration);
  if (!isSplit && !source.between(begin, source.endOf(declaration)).contains("__shared__"))
    return diagnose(diag::not_available_yet, {begin},
                    "a tile whose '__shared__' comes from a macro");
  return std::nullopt;
}

/// Dynamic shared memory that the kernel declares moves, to make room for rings.
std::optional<Diagnostic> Changes::inDynamicMemory(const Stmt *within) const {
  const auto *declaration = dyn_cast<DeclStmt>(within);
  const bool moves = declaration && llvm::any_of(declaration->decls(), [](const Decl *each) {
                       const auto *variable = dyn_cast<VarDecl>(each);
                       return variable && isDynamic(variable);
                     });
  if (moves && !source.isPlainText(declaration->getSourceRange()))
    return obstacle("dynamic shared memory that a macro declares", declaration->getBeginLoc());
  for (const Stmt *child : within->children())
    if (std::optional<Diagnostic> found = child ? inDynamicMemory(child) : std::nullopt)
      return found;
  return std::nullopt;
}

/// The call gets other arguments, and another name.
std::optional<Diagnostic> Changes::inCall(const FunctionText &callee) const {
  const CallExpr *call = callee.path.getCalls().back();
  auto refuse = [&](const char *what) { return obstacle(what, call->getBeginLoc()); };
  const Expr *named = call->getCallee()->IgnoreParenImpCasts();
  const auto *reference = dyn_cast<DeclRefExpr>(named);
  const auto *member = dyn_cast<MemberExpr>(named);
  const auto *op = dyn_cast<CXXOperatorCallExpr>(call);
  if (op && op->getOperator() != OO_Call)
    return refuse("a copy in an operator other than ()");
  if (!reference && !member)
    return refuse("a copy in a function that is not called by its name");
  const auto *parent = dyn_cast<CXXRecordDecl>(callee.pattern->getDeclContext());
  if (parent && parent->isLocalClass())
    return refuse("a copy in a function of a local class");
  const SourceLocation name =
      (reference ? reference->getNameInfo() : member->getMemberNameInfo()).getBeginLoc();
  if (!name.isFileID() || !source.isPlainText(call->getSourceRange()) ||
      !source.nextToken(calledInText(call)->getEndLoc(), tok::l_paren))
    return refuse("a copy in a function that a macro calls");
  bool isCalledTwice = llvm::any_of(texts, [&](const FunctionText &other) {
    return &other != &callee && !other.path.inKernel() && other.caller == callee.caller &&
           other.path.getCalls().back()->getRParenLoc() == call->getRParenLoc();
  });
  if (isCalledTwice)
    return refuse(
        "a copy in a function that one call of the text stands for several times, as in a "
        "fold expression or a generic lambda,");
  const NamedDecl *found = reference ? reference->getFoundDecl() : member->getFoundDecl().getDecl();
  if (parent && isa<UsingShadowDecl>(found))
    return refuse("a copy in a method called through a using-declaration");
  return std::nullopt;
}

/// An expression that is written once more, with other names for a loop's variables.
std::optional<Diagnostic> Changes::inRepeated(const Expr *expression,
                                              ArrayRef<Cursor> renamed) const {
  auto refuse = [&](SourceLocation at) {
    return obstacle("a pipeline of a loop whose rounds a macro counts", at);
  };
  if (!source.isPlainText(expression->getSourceRange()))
    return refuse(expression->getBeginLoc());
  for (const NameInText &each : namesInTextOf(expression))
    for (const Cursor &cursor : renamed)
      if (means(each, cursor.variable) && !each.location.isFileID())
        return refuse(each.location);
  return std::nullopt;
}

/// What whoever makes copies ahead asks and counts as the loop does.
std::optional<Diagnostic> Changes::inRounds(size_t pipeline) const {
  const PlannedPipeline &planned = kernel.instances.front().pipelines[pipeline];
  const Rounds &rounds = planned.rounds;
  SmallVector<const Expr *, 8> renamed{rounds.condition}, kept;
  bool isUsed = false, isFetched = false;
  for (const PlannedCopy &copy : copies())
    if (copy.pipeline == pipeline) {
      isUsed = true;
      isFetched |= copy.prefetched != 0;
      for (const BranchCondition &branch : copy.branches)
        renamed.push_back(branch.condition);
    }
  for (const Cursor &cursor : rounds.cursors) {
    for (const Change &step : cursor.steps)
      if (step.value)
        renamed.push_back(step.value);
    // A warp that makes the copies has the loop's own variables.
    if (cursor.start && (!planned.hasProducer || isFetched))
      kept.push_back(cursor.start);
  }
  if (!isUsed)
    return std::nullopt;
  for (const Expr *expression : kept)
    if (std::optional<Diagnostic> found = inRepeated(expression, {}))
      return found;
  for (const Expr *expression : renamed)
    if (std::optional<Diagnostic> found = inRepeated(expression, rounds.cursors))
      return found;
  return std::nullopt;
}

std::optional<Diagnostic> Changes::run() const {
  for (const ParmVarDecl *parameter : kernel.pattern->parameters())
    if (parameter->getName().empty())
      return obstacle("a kernel with a parameter that has no name", parameter->getBeginLoc());
  if (usesDynamicMemory(kernel))
    if (std::optional<Diagnostic> found = inDynamicMemory(kernel.pattern->getBody()))
      return found;
  for (size_t i = 0; i < copies().size(); ++i) {
    const PlannedCopy &copy = copies()[i];
    if (!isDynamic(copy.tile))
      if (std::optional<Diagnostic> found = inTile(i))
        return found;
    if (!source.isPlainText(copy.statement->getSourceRange()) || !isWhole(*copy.statement))
      return diagnose(diag::not_available_yet, copy.directive->begin, "a copy inside a macro");
  }
  for (size_t i = 0; i < kernel.instances.front().pipelines.size(); ++i)
    if (std::optional<Diagnostic> found = inRounds(i))
      return found;
  for (const FunctionText &text : texts)
    if (std::optional<Diagnostic> found = text.path.inKernel() ? std::nullopt : inCall(text))
      return found;
  return std::nullopt;
}

} // namespace

std::optional<Diagnostic> whyNotChangeable(const KernelPlan &kernel, const SourceText &source,
                                           const MacroUses &macros) {
  return Changes(kernel, source, macros).run();
}

} // namespace tilelift
