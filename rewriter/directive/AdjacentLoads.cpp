//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/AdjacentLoads.h"

#include "directive/Follower.h"
#include "support/Locations.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The functions of the user's files, with all instances of templates.
class Functions : public DynamicRecursiveASTVisitor {
public:
  explicit Functions(ASTContext &context) : sources(context.getSourceManager()) {
    ShouldVisitTemplateInstantiations = true;
    TraverseDecl(context.getTranslationUnitDecl());
  }

  std::vector<FunctionDecl *> found;

  bool TraverseDecl(Decl *declaration) override {
    const bool isOfSystem =
        declaration &&
        !isa<TranslationUnitDecl, LinkageSpecDecl, ClassTemplateDecl, FunctionTemplateDecl>(
            declaration) &&
        !placeOf(sources, declaration->getLocation()).isKnown();
    return isOfSystem || DynamicRecursiveASTVisitor::TraverseDecl(declaration);
  }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() &&
        isa_and_nonnull<CompoundStmt>(function->getBody()))
      found.push_back(function);
    return true;
  }

private:
  const SourceManager &sources;
};

const Directive *directiveOf(const Stmt *statement, const DirectiveMap &directives,
                             const SourceManager &sources) {
  // With a hint for its loop, a statement has another text than its own (SourceText::hintsOf).
  if (isa<AttributedStmt, NullStmt>(statement))
    return nullptr;
  return directives.find(placeOf(sources, statement->getBeginLoc()));
}

/// Calls `visit` with each block of a function, outer ones before inner ones. Lambdas are not
/// entered.
void forEachBlock(const Stmt *statement, function_ref<void(const CompoundStmt *)> visit) {
  if (!statement || isa<Expr, DeclStmt>(statement))
    return;
  if (const auto *block = dyn_cast<CompoundStmt>(statement))
    visit(block);
  for (const Stmt *child : statement->children())
    forEachBlock(child, visit);
}

/// The text of a pragma's clauses, without white space and comments.
std::string clausesOf(const Directive &directive, const SourceManager &sources) {
  const SourceLocation begin = locationOf(sources, directive.begin);
  StringRef text(sources.getCharacterData(begin), directive.end.offset - directive.begin.offset);
  std::string clauses;
  for (char each : text.split("tma").second.split("//").first)
    if (!isSpace(each) && each != '\\')
      clauses += each;
  return clauses;
}

/// The last token of a statement, with the semicolon behind an expression.
SourceLocation endOf(const Stmt *statement, const ASTContext &context) {
  const SourceManager &sources = context.getSourceManager();
  const SourceLocation end = sources.getExpansionRange(statement->getEndLoc()).getEnd();
  if (isa<CompoundStmt>(statement))
    return end;
  const SourceLocation behind =
      Lexer::findLocationAfterToken(end, tok::semi, sources, context.getLangOpts(),
                                    /*SkipTrailingWhitespaceAndNewLine=*/false);
  return behind.isValid() ? behind.getLocWithOffset(-1) : end;
}

/// Puts blocks around the statements of runs.
class Joiner {
public:
  Joiner(ASTContext &context, ArrayRef<AdjacentLoads> runs)
      : context(context), sources(context.getSourceManager()) {
    for (const AdjacentLoads &run : runs)
      for (const Directive *each : run) {
        directives.insert(*each);
        runOf[each] = run.front();
      }
  }

  std::vector<std::pair<Stmt **, Stmt *>> replaced;

  /// What stands in the statement's place: the statement itself, or another block.
  Stmt *join(Stmt *statement) {
    if (!statement || isa<Expr, DeclStmt>(statement))
      return statement;
    for (Stmt *&child : statement->children())
      if (Stmt *made = join(child); made != child) {
        replaced.push_back({&child, child});
        child = made;
      }
    auto *block = dyn_cast<CompoundStmt>(statement);
    return block ? joinWithin(block) : statement;
  }

private:
  const Directive *runAt(const Stmt *statement) const {
    return runOf.lookup(directiveOf(statement, directives, sources));
  }

  Stmt *joinWithin(CompoundStmt *block) {
    std::vector<Stmt *> statements;
    bool isJoined = false;
    for (Stmt *const *at = block->body_begin(); at != block->body_end();) {
      const Directive *run = runAt(*at);
      Stmt *const *end = at + 1;
      for (Stmt *const *next = end; run && next != block->body_end(); ++next)
        if (runAt(*next) == run)
          end = next + 1;
        else if (!isa<NullStmt>(*next))
          break;
      if (end - at > 1) {
        statements.push_back(blockOf(ArrayRef<Stmt *>(at, end)));
        isJoined = true;
      } else
        statements.push_back(*at);
      at = end;
    }
    return isJoined
               ? CompoundStmt::Create(context, statements, block->getStoredFPFeaturesOrDefault(),
                                      block->getLBracLoc(), block->getRBracLoc())
               : block;
  }

  Stmt *blockOf(ArrayRef<Stmt *> statements) {
    return CompoundStmt::Create(context, statements, FPOptionsOverride(),
                                sources.getExpansionLoc(statements.front()->getBeginLoc()),
                                endOf(statements.back(), context));
  }

  ASTContext &context;
  const SourceManager &sources;
  DirectiveMap directives;
  /// The first directive of each one's run.
  DenseMap<const Directive *, const Directive *> runOf;
};

} // namespace

std::vector<AdjacentLoads> adjacentLoads(ASTContext &context, const DirectiveList &list) {
  const SourceManager &sources = context.getSourceManager();
  DirectiveMap directives;
  for (const Directive &each : list.directives)
    if (each.kind == DirectiveKind::Load)
      directives.insert(each);
  std::map<unsigned, AdjacentLoads> runs; // by the offset of the first pragma
  auto findIn = [&](const CompoundStmt *block) {
    AdjacentLoads run;
    auto close = [&] {
      if (run.size() > 1)
        runs.try_emplace(run.front()->begin.offset, run);
      run.clear();
    };
    for (const Stmt *statement : block->body()) {
      if (isa<NullStmt>(statement))
        continue;
      const Directive *directive = directiveOf(statement, directives, sources);
      if (!run.empty() &&
          (!directive || clausesOf(*directive, sources) != clausesOf(*run.back(), sources)))
        close();
      if (directive)
        run.push_back(directive);
    }
    close();
  };
  for (const FunctionDecl *function : Functions(context).found)
    forEachBlock(function->getBody(), findIn);
  std::vector<AdjacentLoads> found;
  for (auto &[offset, run] : runs)
    found.push_back(std::move(run));
  return found;
}

DirectiveList withJoined(const DirectiveList &list, ArrayRef<AdjacentLoads> runs) {
  DirectiveList result = list;
  DenseMap<unsigned, const AdjacentLoads *> first;
  DenseSet<unsigned> others;
  for (const AdjacentLoads &run : runs) {
    first[run.front()->begin.offset] = &run;
    for (const Directive *each : ArrayRef(run).drop_front())
      others.insert(each->begin.offset);
  }
  for (Directive &directive : result.directives)
    if (const AdjacentLoads *run = first.lookup(directive.begin.offset))
      for (const Directive *each : ArrayRef(*run).drop_front())
        directive.joined.push_back(*each);
  llvm::erase_if(result.directives, [&](const Directive &directive) {
    return others.contains(directive.begin.offset);
  });
  return result;
}

JoinedStatements::JoinedStatements(ASTContext &context, ArrayRef<AdjacentLoads> runs)
    : context(context) {
  Joiner joiner(context, runs);
  for (FunctionDecl *function : Functions(context).found) {
    Stmt *body = function->getBody();
    if (Stmt *made = joiner.join(body); made != body) {
      bodies.push_back({function, body});
      function->setBody(made);
    }
  }
  statements = std::move(joiner.replaced);
  context.getParentMapContext().clear();
}

JoinedStatements::~JoinedStatements() {
  for (auto &[function, body] : bodies)
    function->setBody(body);
  for (auto &[slot, statement] : llvm::reverse(statements))
    *slot = statement;
  context.getParentMapContext().clear();
}

} // namespace tilelift
