//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lint/Paths.h"

#include "lint/Findings.h"
#include "lint/Numbers.h"

#include "clang/AST/Attr.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Whether a statement ends with leaving the block that it stands in.
bool leaves(const Stmt *statement) {
  if (const auto *block = dyn_cast<CompoundStmt>(statement))
    return !block->body_empty() && leaves(block->body_back());
  const auto *call = dyn_cast<CallExpr>(statement);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return isa<ReturnStmt, CXXThrowExpr, BreakStmt, ContinueStmt, GotoStmt>(statement) ||
         (callee && callee->isNoReturn());
}

class Path {
public:
  Path(const Stmt *place, const Frame &frame, const Functions &functions)
      : place(place),
        frame(frame),
        functions(functions),
        facts(functions.factsOf(frame.function)),
        relevant(facts.relevantTo({place})) {
    forEachStatement(place, [&](const Stmt *part) {
      if (const auto *reference = dyn_cast<DeclRefExpr>(part))
        if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
          relevant.insert(variable);
    });
    isOnDevice =
        frame.function->hasAttr<CUDADeviceAttr>() || frame.function->hasAttr<CUDAGlobalAttr>();
    if (const auto *call = dyn_cast<CallExpr>(place))
      if (const FunctionDecl *callee = call->getDirectCallee())
        called = callee->getDeclName();
  }

  Reach follow() {
    for (const Stmt *at = place, *outer; (outer = facts.parentOf(at)); at = outer) {
      enter(outer, at);
      if (isa<CompoundStmt>(outer))
        passBy(outer, at);
      if (isNever)
        return Reach::Never;
    }
    return isOpen ? Reach::Perhaps : Reach::Surely;
  }

private:
  /// Control gets on where the condition is this; nothing where it is not asked.
  void need(const Expr *condition, bool wanted) {
    if (condition->isValueDependent())
      return;
    const quantity value = numberOf(condition, frame, functions);
    isNever |= wanted ? isFalse(value) : isTrue(value);
    isOpen |= !isTrue(value) && !isFalse(value) && looksAtNumbers(condition);
  }
  /// At some that the place depends on. The place's own function is no guard of its next call, and
  /// whether a map could be made says nothing of its numbers; whether a pointer leads anywhere is
  /// no number, and where it leads only on the device.
  bool looksAtNumbers(const Stmt *part) const {
    const auto *call = dyn_cast_or_null<CallExpr>(part);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const auto *cast = dyn_cast_or_null<CastExpr>(part);
    const auto *operation = dyn_cast_or_null<BinaryOperator>(part);
    if (!part || (callee && callee->getDeclName() == called) || (call && isEncodeCall(call)) ||
        (cast && cast->getCastKind() == CK_PointerToBoolean) ||
        (operation && operation->isEqualityOp() && operation->getLHS()->getType()->isPointerType()))
      return false;
    if (const auto *reference = dyn_cast<DeclRefExpr>(part)) {
      const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
      const bool isNumber = isOnDevice || (variable && !variable->getType()->isPointerType());
      return variable && isNumber && !isTensorMap(variable->getType()) &&
             relevant.contains(variable);
    }
    return llvm::any_of(part->children(), [&](const Stmt *child) { return looksAtNumbers(child); });
  }
  /// A loop that has a round at all is no guard of what its rounds do.
  void run(const Expr *condition) {
    const bool wasOpen = isOpen;
    if (condition)
      need(condition, true);
    isOpen = wasOpen;
  }
  void enter(const Stmt *outer, const Stmt *inner);
  void enterCase(const SwitchStmt *choice);
  /// What stands before it in the same block.
  void passBy(const Stmt *block, const Stmt *inner) {
    for (const Stmt *before : block->children()) {
      if (before == inner)
        return;
      const auto *choice = dyn_cast<IfStmt>(before);
      if (choice && !choice->isConsteval() && leaves(choice->getThen()))
        need(choice->getCond(), false);
    }
  }

  const Stmt *place;
  const Frame &frame;
  const Functions &functions;
  const VariableFacts &facts;
  DenseSet<const VarDecl *> relevant;
  bool isOnDevice = false;
  /// Empty where the place is no call.
  DeclarationName called;
  bool isNever = false, isOpen = false;
};

/// The labels that stand before it, as far as control falls from one to the next.
void Path::enterCase(const SwitchStmt *choice) {
  const quantity value = numberOf(choice->getCond(), frame, functions);
  bool mayMeet = false, falls = false;
  for (const Stmt *part : choice->getBody()->children()) {
    const Stmt *labelled = part;
    for (; const auto *each = dyn_cast<SwitchCase>(labelled); labelled = each->getSubStmt()) {
      const auto *label = dyn_cast<CaseStmt>(each);
      mayMeet = (falls && mayMeet) || !label ||
                numberOf(label->getLHS(), frame, functions).low == value.low;
      falls = true;
    }
    if (facts.isWithin(place, part))
      break;
    falls = !leaves(labelled);
  }
  (value.is_exact() && !mayMeet ? isNever : isOpen) = true;
}

void Path::enter(const Stmt *outer, const Stmt *inner) {
  if (const auto *choice = dyn_cast<IfStmt>(outer)) {
    if (!choice->isConsteval() && inner != choice->getCond())
      need(choice->getCond(), inner == choice->getThen());
  } else if (const auto *choice = dyn_cast<ConditionalOperator>(outer)) {
    if (inner != choice->getCond())
      need(choice->getCond(), inner == choice->getTrueExpr());
  } else if (const auto *operation = dyn_cast<BinaryOperator>(outer)) {
    if (operation->isLogicalOp() && inner == operation->getRHS())
      need(operation->getLHS(), operation->getOpcode() == BO_LAnd);
  } else if (const auto *loop = dyn_cast<WhileStmt>(outer)) {
    run(inner == loop->getBody() ? loop->getCond() : nullptr);
  } else if (const auto *loop = dyn_cast<ForStmt>(outer)) {
    run(inner == loop->getBody() ? loop->getCond() : nullptr);
  } else if (const auto *choice = dyn_cast<SwitchStmt>(outer)) {
    enterCase(choice);
  }
}

} // namespace

Reach reachOf(const Stmt *place, const Frame &frame, const Functions &functions) {
  const Reach own = Path(place, frame, functions).follow();
  if (own == Reach::Never || !frame.call)
    return own;
  return std::min(own, reachOf(frame.call, *frame.caller, functions));
}

} // namespace tilelift
