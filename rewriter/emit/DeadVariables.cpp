//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/DeadVariables.h"

#include "support/NamesInText.h"

#include "clang/AST/Attr.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

class Finder {
public:
  Finder(const SourceText &source, std::vector<TextRange> replaced, const StringSet<> &written,
         ArrayRef<CallPath> instances, const Effects &effects)
      : source(source),
        gone(std::move(replaced)),
        written(written),
        instances(instances),
        effects(effects) {}

  void collectUses(const Stmt *body) {
    for (const NameInText &name : namesInTextOf(body))
      if (const auto *variable = dyn_cast<VarDecl>(name.declaration))
        uses[variable].push_back(source.offsetOf(name.location));
  }

  void collect(const Stmt *statement) {
    if (!statement)
      return;
    if (const auto *declaration = dyn_cast<DeclStmt>(statement))
      declarations.push_back(declaration);
    if (const auto *loop = dyn_cast<ForStmt>(statement))
      heads.insert(loop->getInit());
    for (const Stmt *child : statement->children())
      collect(child);
  }

  DeadVariables run() {
    DeadVariables result;
    for (bool changed = true; changed;) {
      changed = false;
      for (const DeclStmt *&declaration : declarations) {
        if (!declaration || heads.contains(declaration) ||
            countDead(declaration) != size(declaration) || !isPure(declaration) ||
            !source.isPlainText(declaration->getSourceRange()))
          continue;
        result.dead.push_back(declaration);
        gone.push_back({source.offsetOf(declaration->getBeginLoc()), source.endOf(declaration)});
        declaration = nullptr;
        changed = true;
      }
    }
    for (const DeclStmt *declaration : declarations)
      if (declaration && countDead(declaration) > 0)
        result.partlyDead.push_back(declaration);
    return result;
  }

private:
  bool isGone(unsigned offset) const {
    return llvm::any_of(gone, [&](const TextRange &range) { return range.contains(offset); });
  }

  size_t size(const DeclStmt *declaration) const {
    return size_t(std::distance(declaration->decl_begin(), declaration->decl_end()));
  }

  bool isDead(const Decl *declaration) const {
    const auto *variable = dyn_cast<VarDecl>(declaration);
    if (!variable || !variable->hasLocalStorage() || variable->hasAttr<UnusedAttr>() ||
        isGone(source.offsetOf(variable->getLocation())) || written.contains(variable->getName()))
      return false;
    auto found = uses.find(variable);
    return found != uses.end() &&
           llvm::all_of(found->second, [&](unsigned at) { return isGone(at); });
  }

  size_t countDead(const DeclStmt *declaration) const {
    return size_t(llvm::count_if(declaration->decls(), [&](const Decl *d) { return isDead(d); }));
  }

  /// In all instances: dependent names may mean functions in one of them.
  bool isPure(const DeclStmt *declaration) const {
    return llvm::all_of(instances, [&](const CallPath &instance) {
      const DeclStmt *own = declarationAt(declaration->getBeginLoc(), instance.end()->getBody());
      return !own || (llvm::all_of(own->decls(), isPureVariable) &&
                      effects.of(instance.kernel()).of(own, instance).onlyReads());
    });
  }

  static const DeclStmt *declarationAt(SourceLocation begin, const Stmt *within) {
    const auto *own = dyn_cast_or_null<DeclStmt>(within);
    if (!within || (own && own->getBeginLoc() == begin))
      return own;
    for (const Stmt *child : within->children())
      if (const DeclStmt *found = declarationAt(begin, child))
        return found;
    return nullptr;
  }

  static bool isPureVariable(const Decl *declaration) {
    const auto *variable = dyn_cast<VarDecl>(declaration);
    // A reference keeps what it is bound to; an array has objects.
    const CXXRecordDecl *type = variable ? variable->getType()
                                               .getNonReferenceType()
                                               ->getBaseElementTypeUnsafe()
                                               ->getAsCXXRecordDecl()
                                         : nullptr;
    bool endsQuietly = !type || (type->hasDefinition() && type->hasTrivialDestructor());
    return variable && endsQuietly && isPureExpression(variable->getInit());
  }

  static bool isPureExpression(const Stmt *expression) {
    if (!expression || isa<PseudoObjectExpr>(expression)) // threadIdx.x is a call
      return true;
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression);
        binary && binary->isAssignmentOp())
      return false;
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(expression);
        unary && unary->isIncrementDecrementOp())
      return false;
    if (isa<CallExpr, CXXConstructExpr, CXXUnresolvedConstructExpr, CXXBindTemporaryExpr,
            LambdaExpr>(expression))
      return false;
    return llvm::all_of(expression->children(), isPureExpression);
  }

  const SourceText &source;
  std::vector<TextRange> gone;
  const StringSet<> &written;
  ArrayRef<CallPath> instances;
  const Effects &effects;
  std::vector<const DeclStmt *> declarations;
  /// What stands in the head of a `for`, with the semicolon that the head needs.
  DenseSet<const Stmt *> heads;
  DenseMap<const VarDecl *, SmallVector<unsigned, 4>> uses;
};

} // namespace

DeadVariables findDeadVariables(const SourceText &source, const FunctionDecl *function,
                                std::vector<TextRange> replaced, const StringSet<> &written,
                                ArrayRef<CallPath> instances, const Effects &effects) {
  Finder finder(source, std::move(replaced), written, instances, effects);
  finder.collectUses(function->getBody());
  finder.collect(function->getBody());
  return finder.run();
}

} // namespace tilelift
