//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/EarlyExits.h"

#include "support/Builtins.h"
#include "support/Locations.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ParentMapContext.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool isReturn(const Stmt *statement) {
  const auto *block = dyn_cast<CompoundStmt>(statement);
  return isa<ReturnStmt>(block && block->size() == 1 ? block->body_front() : statement);
}

/// Whether an expression calls nothing and changes nothing. Reading `threadIdx` and its like is no
/// call, although Clang's headers make it one.
bool isPure(const Stmt *part) {
  const auto *expression = dyn_cast_or_null<Expr>(part);
  if (!expression)
    return false;
  if (builtinMember(expression))
    return true;
  if (const auto *binary = dyn_cast<BinaryOperator>(expression); binary && binary->isAssignmentOp())
    return false;
  if (const auto *unary = dyn_cast<UnaryOperator>(expression);
      unary && unary->isIncrementDecrementOp())
    return false;
  return isa<BinaryOperator, UnaryOperator, ConditionalOperator, ParenExpr, CastExpr, ConstantExpr,
             IntegerLiteral, CXXBoolLiteralExpr, DeclRefExpr, MemberExpr, ArraySubscriptExpr,
             SubstNonTypeTemplateParmExpr>(expression) &&
         llvm::all_of(expression->children(), isPure);
}

/// Whether an expression may depend on the thread, as far as the initialisers of its variables say.
/// Where all threads of a block leave or none, nothing needs to be asked.
class ThreadQuestion {
public:
  bool mayTellThreads(const Stmt *part) {
    if (!part)
      return false;
    if (const auto *expression = dyn_cast<Expr>(part))
      if (auto builtin = builtinMember(expression))
        return builtin->first == "threadIdx";
    if (isa<CallExpr>(part))
      return true;
    if (const auto *reference = dyn_cast<DeclRefExpr>(part))
      return mayTellThreads(dyn_cast<VarDecl>(reference->getDecl()));
    return llvm::any_of(part->children(), [&](const Stmt *child) { return mayTellThreads(child); });
  }

private:
  bool mayTellThreads(const VarDecl *variable) {
    if (!variable || !variable->hasLocalStorage() || isa<ParmVarDecl>(variable) ||
        !seen.insert(variable).second)
      return false;
    return !variable->hasInit() || mayTellThreads(variable->getInit());
  }

  DenseSet<const VarDecl *> seen;
};

/// `if (condition) return;`, whose condition changes nothing, and may differ between threads.
bool isExit(const Stmt *statement) {
  const auto *branch = dyn_cast<IfStmt>(statement);
  return branch && !branch->getElse() && !branch->getInit() && !branch->getConditionVariable() &&
         !branch->isConstexpr() && !branch->isConsteval() && isReturn(branch->getThen()) &&
         isPure(branch->getCond()) && ThreadQuestion().mayTellThreads(branch->getCond());
}

} // namespace

WithoutExits::WithoutExits(ASTContext &context, const Program &program,
                           function_ref<bool(const KernelInstance &)> isWanted)
    : context(context) {
  for (const AnnotatedKernel &kernel : program.kernels)
    for (const KernelInstance &instance : kernel.instances)
      if (isWanted(instance))
        takeOut(instance);
  if (!replaced.empty())
    context.getParentMapContext().clear();
}

WithoutExits::~WithoutExits() {
  for (auto &[slot, statement] : replaced)
    *slot = statement;
  if (!replaced.empty())
    context.getParentMapContext().clear();
}

/// Those that stand ahead of all copies, as statements of the kernel's outermost block.
void WithoutExits::takeOut(const KernelInstance &kernel) {
  const SourceManager &sources = context.getSourceManager();
  const auto offsetOf = [&](const Stmt *statement) {
    return placeOf(sources, statement->getBeginLoc()).offset;
  };
  unsigned firstCopy = ~0u;
  for (const std::vector<AnnotatedStatement> *all : {&kernel.statements, &kernel.pipelines})
    for (const AnnotatedStatement &each : *all) {
      const ArrayRef<const CallExpr *> calls = each.path.getCalls();
      firstCopy = std::min(firstCopy, offsetOf(calls.empty() ? each.statement : calls.front()));
    }
  for (Stmt *&child : kernel.function->getBody()->children()) {
    if (!child || offsetOf(child) >= firstCopy)
      return;
    if (isa<LabelStmt>(child)) // to which a jump may lead
      return;
    if (!isExit(child))
      continue;
    replaced.push_back({&child, child});
    child = cast<IfStmt>(child)->getCond();
    conditions.insert(child);
  }
}

} // namespace tilelift
