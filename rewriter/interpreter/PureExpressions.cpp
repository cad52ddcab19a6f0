//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which expressions only compute a number from local variables, and what they read for it. Their
// results are kept for all threads of the block (Memo.h). Whatever is not known to be of these
// kinds is computed anew: loads, calls, changes of variables, and what depends on the thread.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"
#include "support/Builtins.h"

#include "clang/AST/Attr.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// More variables take longer to look up than to compute with.
constexpr size_t mostReads = 8;

/// What an operator computes a number from; nothing where it is of another kind.
SmallVector<const Expr *, 3> operandsOf(const Expr *expression) {
  if (const auto *cast = dyn_cast<CastExpr>(expression)) {
    const CastKind kind = cast->getCastKind();
    if (kind == CK_NoOp || kind == CK_IntegralCast || kind == CK_IntegralToBoolean)
      return {cast->getSubExpr()};
  } else if (const auto *unary = dyn_cast<UnaryOperator>(expression)) {
    const UnaryOperatorKind op = unary->getOpcode();
    if (op == UO_Plus || op == UO_Minus || op == UO_Not || op == UO_LNot)
      return {unary->getSubExpr()};
  } else if (const auto *binary = dyn_cast<BinaryOperator>(expression)) {
    if (binary->isMultiplicativeOp() || binary->isAdditiveOp() || binary->isShiftOp() ||
        binary->isBitwiseOp() || binary->isRelationalOp() || binary->isEqualityOp() ||
        binary->isLogicalOp())
      return {binary->getLHS(), binary->getRHS()};
  } else if (const auto *conditional = dyn_cast<ConditionalOperator>(expression)) {
    return {conditional->getCond(), conditional->getTrueExpr(), conditional->getFalseExpr()};
  }
  return {};
}

bool hasBranch(const Expr *expression) {
  const auto *binary = dyn_cast<BinaryOperator>(expression);
  return isa<ConditionalOperator>(expression) || (binary && binary->isLogicalOp());
}

/// Whether all that a value may be is a number or a truth value, and known.
bool isKnownNumber(const Value &value) {
  return llvm::all_of(value.getCases(), [](const ValueCase &one) {
    return one.scalar.is(Scalar::Kind::Number) ||
           (one.scalar.is(Scalar::Kind::Truth) && !one.scalar.truth.isUnknown());
  });
}

} // namespace

/// Where an lvalue lies, if that is a local variable or a member of one that has its own bytes.
std::optional<VariableRead> Interpreter::readOf(const Expr *lvalue) const {
  VariableRead read;
  read.size = sizeOf(lvalue->getType());
  if (!numberType(lvalue->getType()) || lvalue->getType().isVolatileQualified())
    return std::nullopt;
  lvalue = lvalue->IgnoreParens();
  while (const auto *member = dyn_cast<MemberExpr>(lvalue)) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (!field || member->isArrow() || field->isBitField() || field->getParent()->isUnion() ||
        field->getType()->isReferenceType())
      return std::nullopt;
    read.offset += kernel.context.toCharUnitsFromBits(int64_t(kernel.context.getFieldOffset(field)))
                       .getQuantity();
    lvalue = member->getBase()->IgnoreParens();
  }
  const auto *reference = dyn_cast<DeclRefExpr>(lvalue);
  read.variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!read.variable || !read.variable->hasLocalStorage() ||
      read.variable->hasAttr<CUDASharedAttr>() || kernel.facts.isCopiedByLambda(read.variable))
    return std::nullopt;
  const auto *owner = dyn_cast<FunctionDecl>(read.variable->getDeclContext());
  if (owner && !owner->hasAttr<CUDADeviceAttr>() && !owner->hasAttr<CUDAGlobalAttr>())
    return std::nullopt;
  read.isReference = read.variable->getType()->isReferenceType();
  read.type = read.variable->getType().getNonReferenceType();
  read.mayEscape = !read.isReference && kernel.facts.escapes(read.variable);
  return read;
}

std::unique_ptr<KnownExpression> Interpreter::describe(const Expr *expression) {
  auto known = std::make_unique<KnownExpression>();
  known->constant = evaluateConstant(expression);
  if (known->constant) {
    known->isPure = isKnownNumber(*known->constant);
    return known;
  }
  if (!numberType(expression->getType()))
    return known;
  if (auto builtin = builtinMember(expression)) {
    known->isPure = builtin->first != "threadIdx";
    return known;
  }
  if (const auto *cast = dyn_cast<CastExpr>(expression);
      cast && cast->getCastKind() == CK_LValueToRValue) {
    known->constant = knownOf(cast->getSubExpr()->IgnoreParens()).constant;
    std::optional<VariableRead> read = known->constant ? std::nullopt : readOf(cast->getSubExpr());
    if (read)
      known->reads.push_back(*read);
    known->isPure = read || (known->constant && isKnownNumber(*known->constant));
    return known;
  }
  const SmallVector<const Expr *, 3> operands = operandsOf(expression);
  known->isPure = !operands.empty();
  known->hasBranches = hasBranch(expression);
  known->operations = 1;
  for (const Expr *operand : operands) {
    const KnownExpression &part = knownOf(operand->IgnoreParens());
    known->isPure &= part.isPure;
    known->hasBranches |= part.hasBranches;
    known->operations += part.operations;
    for (const VariableRead &read : part.reads)
      if (!llvm::is_contained(known->reads, read))
        known->reads.push_back(read);
  }
  return known;
}

KnownExpression &Interpreter::knownOf(const Expr *expression) {
  auto known = block.memo.find(expression);
  if (known != block.memo.end())
    return *known->second;
  std::unique_ptr<KnownExpression> described = describe(expression);
  return *(block.memo[expression] = std::move(described));
}

/// The number that a variable holds now; null where reading it takes more than that.
const Value *Interpreter::heldNow(const VariableRead &read) const {
  auto variable = objects.find(read.variable);
  if (variable == objects.end() || (read.mayEscape && !followed.contains(read.variable)))
    return nullptr;
  unsigned object = variable->second;
  if (read.isReference) {
    const Value *address = memory[object].holds(0, 8);
    const Scalar *target = address ? address->single() : nullptr;
    if (!target || !target->is(Scalar::Kind::Address) || !target->needs.empty() ||
        target->space != Scalar::Space::Local || !target->number.isZero())
      return nullptr;
    object = target->object;
    auto type = typesOfObjects.find(object);
    if (type == typesOfObjects.end() ||
        !kernel.context.hasSameUnqualifiedType(type->second, read.type))
      return nullptr;
  }
  const Value *now = memory[object].holds(read.offset, read.size);
  return now && isKnownNumber(*now) ? now : nullptr;
}

/// The value of an expression without side effects. If it was evaluated before with the same values
/// of its variables, the result of that time is returned.
Value Interpreter::evaluatePure(const Expr *expression, KnownExpression &known) {
  if (known.operations == 0 && known.reads.size() == 1) {
    const Value *now = heldNow(known.reads.front());
    return now && now->single() ? *now : compute(expression);
  }
  if (known.operations == 0 || known.reads.size() > mostReads || !known.results.isUseful())
    return compute(expression);
  ResultTable::Operands operands;
  bool dependsOnMask = known.hasBranches;
  for (const VariableRead &read : known.reads) {
    const Value *now = heldNow(read);
    if (!now)
      return compute(expression);
    dependsOnMask |= !now->single();
    operands.push_back(*now);
  }
  const Condition under = dependsOnMask ? mask : Condition::always();
  if (const Value *before = known.results.find(operands, under))
    return *before;
  Value result = compute(expression);
  if (!stopped() && isKnownNumber(result))
    known.results.add(std::move(operands), under, result);
  return result;
}

} // namespace tilelift
