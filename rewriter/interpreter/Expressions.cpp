//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's expressions. A value of class type is the address of the
// object that holds it (Objects.cpp).
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"
#include "relation/BaseObjects.h"

#include "support/Builtins.h"
#include "support/Locations.h"
#include "tilelift/rules.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/StmtVisitor.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

Place Interpreter::placeOf(SourceLocation location) const {
  return tilelift::placeOf(kernel.context.getSourceManager(), location);
}

unsigned Interpreter::sizeOf(QualType type) const {
  type = type.getNonReferenceType();
  if (type->isIncompleteType() || type->isDependentType() || type->isVoidType())
    return 1;
  return unsigned(kernel.context.getTypeSizeInChars(type).getQuantity());
}

std::optional<NumberType> Interpreter::numberType(QualType type) const {
  type = type.getNonReferenceType().getCanonicalType();
  if (type->isDependentType() || !type->isIntegralOrEnumerationType())
    return std::nullopt;
  if (type->isBooleanType())
    return NumberType{1, false};
  return NumberType{unsigned(kernel.context.getIntWidth(type)),
                    type->isSignedIntegerOrEnumerationType()};
}

std::string Interpreter::spell(const Stmt *statement) const {
  const SourceManager &sources = kernel.context.getSourceManager();
  CharSourceRange range = CharSourceRange::getTokenRange(
      sources.getExpansionRange(statement->getSourceRange()).getAsRange());
  StringRef text = Lexer::getSourceText(range, sources, kernel.context.getLangOpts());
  return text.size() > 60 ? (text.take_front(57) + "...").str() : text.str();
}

/// Whether a member or an element of a template's argument is read, which is an object.
static bool readsTemplateObject(const Expr *expression) {
  const auto *cast = dyn_cast<ImplicitCastExpr>(expression);
  if (!cast || cast->getCastKind() != CK_LValueToRValue)
    return false;
  const Expr *part = cast->getSubExpr()->IgnoreParenImpCasts();
  while (true) {
    if (const auto *member = dyn_cast<MemberExpr>(part))
      part = member->getBase()->IgnoreParenImpCasts();
    else if (const auto *element = dyn_cast<ArraySubscriptExpr>(part))
      part = element->getBase()->IgnoreParenImpCasts();
    else if (const auto *argument = dyn_cast<SubstNonTypeTemplateParmExpr>(part))
      part = argument->getReplacement()->IgnoreParenImpCasts();
    else
      break;
  }
  const auto *reference = dyn_cast<DeclRefExpr>(part);
  return reference && isa<TemplateParamObjectDecl>(reference->getDecl());
}

/// Literals, enumerators, template arguments, constexpr variables, sizeof.
std::optional<Value> Interpreter::evaluateConstant(const Expr *expression) {
  if (const auto *literal = dyn_cast<FloatingLiteral>(expression))
    return Value(Scalar::ofBits(literal->getValue().bitcastToAPInt()));
  const auto *reference = dyn_cast<DeclRefExpr>(expression);
  if (reference) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    bool isConstant = isa<EnumConstantDecl>(reference->getDecl()) ||
                      (variable && variable->isUsableInConstantExpressions(kernel.context));
    if (!isConstant)
      return std::nullopt;
  } else if (!isa<IntegerLiteral, CharacterLiteral, CXXBoolLiteralExpr,
                  SubstNonTypeTemplateParmExpr, UnaryExprOrTypeTraitExpr, ConstantExpr,
                  TypeTraitExpr, OffsetOfExpr, SizeOfPackExpr>(expression) &&
             !readsTemplateObject(expression)) {
    return std::nullopt;
  }
  Expr::EvalResult result;
  if (expression->isValueDependent() || !expression->EvaluateAsRValue(result, kernel.context))
    return std::nullopt;
  if (result.Val.isInt()) {
    const APSInt &number = result.Val.getInt();
    if (number.getBitWidth() > 64 && !number.isRepresentableByInt64())
      return Value(Scalar::unknown("is a number of more than 64 bits", placeOf(expression)));
    return Value(Scalar::ofNumber(number.isSigned() ? number.getSExtValue()
                                                    : int64_t(number.getZExtValue())));
  }
  if (result.Val.isFloat())
    return Value(Scalar::ofBits(result.Val.getFloat().bitcastToAPInt()));
  return std::nullopt;
}

Value Interpreter::evaluateBuiltinIndex(StringRef variable, StringRef member) {
  if (variable == "warpSize")
    return Scalar::ofNumber(32);
  unsigned axis = member.ends_with("x") ? 0 : member.ends_with("y") ? 1 : 2;
  if (variable == "threadIdx")
    return Scalar::ofNumber(thread[axis]);
  if (variable == "blockDim")
    return Scalar::ofNumber(kernel.shape[axis]);
  Symbol symbol;
  bool isBlock = variable == "blockIdx";
  symbol.kind = isBlock ? Symbol::Kind::BlockIndex : Symbol::Kind::GridSize;
  symbol.axis = axis;
  symbol.spelling = (variable + "." + member.take_back(1)).str();
  symbol.knownAtLaunch = !isBlock;
  symbol.readableAtCopy = !kernel.names || kernel.names->leavesFree(variable);
  // The grid's own limits: 2^31 - 1 blocks in x, 65535 in y and z.
  int64_t most = axis == 0 ? 0x7fffffff : 65535;
  symbol.range = isBlock ? Interval{0, most - 1} : Interval{1, most};
  return Scalar::ofNumber(Polynomial::symbol(block.symbols.intern(symbol)));
}

Value Interpreter::evaluate(const Expr *expression) {
  if (stopped())
    return Value();
  ++block.steps;
  expression = expression->IgnoreParens();
  KnownExpression &known = knownOf(expression);
  if (known.constant)
    return *known.constant;
  return known.isPure ? evaluatePure(expression, known) : compute(expression);
}

/// What an expression of each kind is worth. What has no function here is an lvalue that is read, a
/// part of a value that has no place, or not followed.
class Interpreter::Evaluator : public ConstStmtVisitor<Interpreter::Evaluator, Value> {
public:
  explicit Evaluator(Interpreter &own) : own(own) {}

  Value VisitCastExpr(const CastExpr *cast) { return own.evaluateCast(cast); }
  Value VisitUnaryOperator(const UnaryOperator *unary) { return own.evaluateUnary(unary); }
  Value VisitBinaryOperator(const BinaryOperator *binary) { return own.evaluateBinary(binary); }
  Value VisitAbstractConditionalOperator(const AbstractConditionalOperator *conditional) {
    return own.evaluateConditional(conditional);
  }
  Value VisitFullExpr(const FullExpr *full) { return own.evaluate(full->getSubExpr()); }
  Value VisitCXXBindTemporaryExpr(const CXXBindTemporaryExpr *bound) {
    own.noteDestructor(bound->getType(), own.placeOf(bound));
    return own.evaluate(bound->getSubExpr());
  }
  Value VisitCXXDefaultArgExpr(const CXXDefaultArgExpr *standard) {
    return own.evaluate(standard->getExpr());
  }
  Value VisitCXXDefaultInitExpr(const CXXDefaultInitExpr *standard) {
    return own.evaluate(standard->getExpr());
  }
  Value VisitOpaqueValueExpr(const OpaqueValueExpr *opaque) {
    return opaque->getSourceExpr() ? own.evaluate(opaque->getSourceExpr()) : Value();
  }
  Value VisitPseudoObjectExpr(const PseudoObjectExpr *pseudo) {
    return pseudo->getResultExpr() ? own.evaluate(pseudo->getResultExpr()) : Value();
  }
  Value VisitCXXInheritedCtorInitExpr(const CXXInheritedCtorInitExpr *inherited) {
    return own.evaluateInherited(inherited);
  }
  Value VisitCXXConstructExpr(const CXXConstructExpr *construct) {
    return own.evaluateConstruct(construct);
  }
  Value VisitInitListExpr(const InitListExpr *list) { return own.evaluateInitList(list); }
  /// An array that is copied as a whole, as structured bindings do.
  Value VisitArrayInitLoopExpr(const ArrayInitLoopExpr *copied) {
    if (copied->getType().isTriviallyCopyableType(own.kernel.context))
      return own.addressOf(copied->getCommonExpr()->getSourceExpr());
    return VisitExpr(copied);
  }
  Value VisitImplicitValueInitExpr(const ImplicitValueInitExpr *zero) { return zeroOf(zero); }
  Value VisitCXXScalarValueInitExpr(const CXXScalarValueInitExpr *zero) { return zeroOf(zero); }
  Value VisitCallExpr(const CallExpr *call) { return own.call(call); }
  Value VisitCXXThisExpr(const CXXThisExpr *self) {
    if (own.kernel.facts.changesUnseenObject() && !own.isOnTheSide())
      return Scalar::unknown("is the object of a method that changes it", own.placeOf(self));
    return own.frames.back().self;
  }
  Value VisitMemberExpr(const MemberExpr *member) { return read(member); }
  Value VisitArraySubscriptExpr(const ArraySubscriptExpr *element) { return read(element); }
  Value VisitExpr(const Expr *expression) {
    return expression->isGLValue() ? read(expression) : own.notFollowed(expression);
  }

private:
  Value zeroOf(const Expr *expression) const {
    if (own.numberType(expression->getType()))
      return Scalar::ofNumber(0);
    return Scalar::ofBits(APInt());
  }
  Value read(const Expr *expression) {
    if (expression->isGLValue() && expression->getType()->isRecordType())
      return own.objectAt(expression);
    return own.load(own.addressOf(expression), expression->getType(), own.placeOf(expression));
  }

  Interpreter &own;
};

Value Interpreter::compute(const Expr *expression) {
  if (auto builtin = builtinMember(expression))
    return evaluateBuiltinIndex(builtin->first, builtin->second);
  return Evaluator(*this).Visit(expression);
}

/// An object is where it lies. Why nobody knows where an element lies, is no reason of its value's.
Value Interpreter::objectAt(const Expr *object) {
  const Value address = addressOf(object);
  if (!isa<ArraySubscriptExpr>(object->IgnoreParens()))
    return address;
  return address.map([&](const Scalar &scalar) {
    return scalar.is(Scalar::Kind::Unknown) && !scalar.why.empty()
               ? Scalar::unknown("lies at an address that " + scalar.why, scalar.place)
               : scalar;
  });
}

/// An expression of a kind that nobody looks into has a value that nobody knows, and so
/// has what it changes; in a copy, it must not do anything besides.
Value Interpreter::notFollowed(const Expr *expression) {
  Place place = placeOf(expression);
  if (isCopying() && !expression->isValueDependent() && expression->HasSideEffects(kernel.context))
    fail(diagnose(diag::unsupported_statement, place, "'" + spell(expression) + "'"));
  if (const auto *lambda = dyn_cast<LambdaExpr>(expression))
    runCaptures(lambda); // its body runs where it is called
  else
    forgetChanges(expression, "is changed by '" + spell(expression) + "'");
  return Scalar::unknown("is computed by '" + spell(expression) + "'", place);
}

/// Where a base class lies in an object, or nothing where only the object knows.
Value Interpreter::baseClassOf(const CastExpr *cast, const Value &object) {
  const bool isDown = cast->getCastKind() == CK_BaseToDerived;
  QualType type = isDown ? cast->getType() : cast->getSubExpr()->getType();
  const CXXRecordDecl *derived =
      (type->isPointerType() ? type->getPointeeType() : type)->getAsCXXRecordDecl();
  int64_t offset = 0;
  for (const CXXBaseSpecifier *step : cast->path()) {
    if (step->isVirtual())
      return Scalar::unknown("is a virtual base class", placeOf(cast));
    offset += offsetOfBase(derived, step->getType().getTypePtr());
    derived = step->getType()->getAsCXXRecordDecl();
  }
  return movedBy(object, isDown ? -offset : offset);
}

int64_t Interpreter::offsetOfBase(const CXXRecordDecl *derived, const Type *base) const {
  return kernel.context.getASTRecordLayout(derived)
      .getBaseClassOffset(base->getAsCXXRecordDecl())
      .getQuantity();
}

Value Interpreter::movedBy(const Value &object, int64_t bytes) const {
  return object.map([&](const Scalar &base) {
    return base.is(Scalar::Kind::Address)
               ? Scalar::ofAddress(base.space, base.object, base.number + Polynomial(bytes),
                                   base.needs)
               : base;
  });
}

/// The result of an integer cast of data, if it is still a copy of the bytes in memory; else
/// nothing. It is one if both types have the same size, or if a cast cuts a number that a promotion
/// has widened back to its own size.
static std::optional<Scalar> keptData(const Scalar &scalar, NumberType source, NumberType target) {
  if (!scalar.is(Scalar::Kind::Data))
    return std::nullopt;
  Scalar same = scalar;
  if (source.bits == target.bits) {
    if (source.isSigned != target.isSigned && scalar.data->isMemory())
      same.data.edit().isOfOtherSign = !scalar.data->isOfOtherSign;
    return same;
  }
  if (scalar.data->kind != Source::Kind::Load)
    return std::nullopt;
  const unsigned bits = scalar.data->widenedFrom ? scalar.data->widenedFrom : source.bits;
  const bool isSigned =
      scalar.data->isSigned.value_or(source.isSigned) != scalar.data->isOfOtherSign;
  // A conversion of a negative number to an unsigned type changes its value.
  const bool isOther = scalar.data->widenedFrom && isSigned && !source.isSigned;
  if (target.bits < bits || isOther)
    return std::nullopt;
  same.data.edit().widenedFrom = target.bits == bits ? 0 : bits;
  if (target.bits == bits && target.isSigned != isSigned)
    same.data.edit().isOfOtherSign = !scalar.data->isOfOtherSign;
  return same;
}

Scalar Interpreter::convertedInteger(const Scalar &scalar, QualType from, QualType to,
                                     Place place) {
  const NumberType source = *numberType(from), target = *numberType(to);
  if (scalar.is(Scalar::Kind::Truth) && !scalar.truth.isAlways() && !scalar.truth.isNever())
    return scalar; // zero or one, whatever the type
  if (std::optional<Scalar> kept = keptData(scalar, source, target))
    return *kept;
  return convert(asResidue(scalar, from, place), source, target, place);
}

/// Zero, or what Clang computes of the cast; nothing else is computed in floating point.
Scalar Interpreter::convertedToFloating(const Scalar &scalar, const CastExpr *cast) const {
  if (scalar.isZero())
    return Scalar::ofBits(APInt());
  Expr::EvalResult result;
  if (!cast->isValueDependent() && cast->EvaluateAsRValue(result, kernel.context) &&
      result.Val.isFloat())
    return Scalar::ofBits(result.Val.getFloat().bitcastToAPInt());
  const QualType from = cast->getSubExpr()->getType();
  return Scalar::unknown("is converted from '" + from.getUnqualifiedType().getAsString() +
                             "' to '" + cast->getType().getUnqualifiedType().getAsString() + "'",
                         placeOf(cast));
}

Value Interpreter::evaluateCast(const CastExpr *cast) {
  const Expr *operand = cast->getSubExpr();
  QualType to = cast->getType(), from = operand->getType();
  Place place = placeOf(cast);
  switch (cast->getCastKind()) {
  case CK_LValueToRValue:
    if (const KnownExpression &known = knownOf(operand->IgnoreParens()); known.constant)
      return *known.constant;
    return load(addressOf(operand), from, place);
  case CK_ArrayToPointerDecay: return addressOf(operand);
  case CK_NoOp:
  case CK_BitCast:
  case CK_AddressSpaceConversion:
  case CK_UserDefinedConversion:
  case CK_ConstructorConversion:
  case CK_PointerToIntegral:
  case CK_IntegralToPointer: return evaluate(operand);
  case CK_LValueBitCast: return addressOf(operand);
  case CK_NullToPointer: return Scalar::ofNumber(0);
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
  case CK_BaseToDerived: return baseClassOf(cast, evaluate(operand));
  case CK_IntegralToBoolean: return Scalar::ofTruth(asCondition(evaluate(operand), from, place));
  case CK_PointerToBoolean: {
    bool isThere = false; // as is known of the text of an assertion: `i >= 0 && "no index"`
    if (cast->EvaluateAsBooleanCondition(isThere, kernel.context))
      return Scalar::ofTruth(isThere ? Condition::always() : Condition::never());
    return Scalar::ofTruth(asCondition(evaluate(operand), from, place));
  }
  case CK_IntegralCast:
    if (from->isBooleanType() && to->isBooleanType())
      return evaluate(operand);
    return evaluate(operand).map(
        [&](const Scalar &scalar) { return convertedInteger(scalar, from, to, place); });
  case CK_IntegralToFloating:
  case CK_FloatingCast:
    return evaluate(operand).map(
        [&](const Scalar &scalar) { return convertedToFloating(scalar, cast); });
  default:
    evaluate(operand);
    return Scalar::unknown("is converted to '" + to.getAsString() + "'", place);
  }
}

/// `-x`, or `~x` for UO_Not, of an operand that was read as a number. `type` is the result's.
static Scalar negated(const Scalar &number, UnaryOperatorKind op, std::optional<NumberType> type,
                      Place place) {
  if (!number.is(Scalar::Kind::Number))
    return number.is(Scalar::Kind::Unknown) && number.why.empty()
               ? Scalar::unknown("is negated", place)
               : number;
  // ~x is -x - 1 in two's complement.
  Polynomial result = -number.number;
  if (op == UO_Not)
    result -= Polynomial(1);
  if (std::optional<int64_t> constant = result.asConstant())
    result = truncated(*constant, *type);
  return Scalar::ofNumber(result, number.needs);
}

Value Interpreter::evaluateUnary(const UnaryOperator *unary) {
  const Expr *operand = unary->getSubExpr();
  QualType type = unary->getType();
  Place place = placeOf(unary);
  switch (unary->getOpcode()) {
  case UO_AddrOf: return addressOf(operand);
  case UO_Deref:
    return type->isRecordType() ? addressOf(unary) : load(addressOf(unary), type, place);
  case UO_Plus:
  case UO_Extension: return evaluate(operand);
  case UO_LNot: {
    const Value value = evaluate(operand);
    return truthOf(!asCondition(value, operand->getType(), place), {&value});
  }
  case UO_Minus:
  case UO_Not:
    return evaluate(operand).map([&](const Scalar &scalar) {
      return negated(asNumber(scalar, operand->getType(), place), unary->getOpcode(),
                     numberType(type), place);
    });
  case UO_PreInc:
  case UO_PreDec:
  case UO_PostInc:
  case UO_PostDec: {
    Value address = addressOf(operand);
    Value before = load(address, operand->getType(), place);
    BinaryOperatorKind op = unary->isIncrementOp() ? BO_Add : BO_Sub;
    Value one = Scalar::ofNumber(1);
    Value after = operand->getType()->isPointerType()
                      ? movePointer(before, one, operand->getType()->getPointeeType(),
                                    op == BO_Add ? 1 : -1, unary)
                      : updated(op, before, one, operand->getType(), computedType(operand), unary);
    store(address, after, operand->getType(), place);
    if (unary->isPrefix())
      return unary->isGLValue() ? address : after;
    return before;
  }
  default: return Scalar::unknown("is computed by '" + spell(unary) + "'", place);
  }
}

Value Interpreter::evaluateBinary(const BinaryOperator *binary) {
  BinaryOperatorKind op = binary->getOpcode();
  if (op == BO_Comma) {
    evaluate(binary->getLHS());
    return binary->isGLValue() ? addressOf(binary->getRHS()) : evaluate(binary->getRHS());
  }
  if (binary->isAssignmentOp())
    return evaluateAssignment(binary);
  if (binary->isLogicalOp())
    return evaluateLogical(binary);

  const Expr *left = binary->getLHS(), *right = binary->getRHS();
  Value a = evaluate(left), b = evaluate(right);
  bool leftPointer = left->getType()->isPointerType(),
       rightPointer = right->getType()->isPointerType();
  if (op == BO_Sub && leftPointer && rightPointer)
    return Value::combine(a, b, [&](const Scalar &x, const Scalar &y) {
      return distance(x, y, left->getType()->getPointeeType(), binary);
    });
  if (binary->isAdditiveOp() && leftPointer && !rightPointer)
    return movePointer(a, b, left->getType()->getPointeeType(), op == BO_Add ? 1 : -1, binary);
  if (op == BO_Add && rightPointer)
    return movePointer(b, a, right->getType()->getPointeeType(), 1, binary);
  if (binary->isComparisonOp()) {
    return Value::combine(counted(a, block.symbols), counted(b, block.symbols),
                          [&](const Scalar &x, const Scalar &y) {
                            return compare(op, x, y, left->getType(), binary);
                          });
  }
  // Shifts keep the left operand's type, the others have one type already.
  return arithmetic(op, a, b, binary->getType(), binary);
}

/// How many elements lie between two pointers into the same object.
Scalar Interpreter::distance(const Scalar &to, const Scalar &from, QualType pointee,
                             const Expr *where) const {
  bool isSame = to.is(Scalar::Kind::Address) && from.is(Scalar::Kind::Address) &&
                to.space == from.space && to.object == from.object;
  std::optional<Polynomial> elements =
      isSame ? (to.number - from.number).dividedBy(sizeOf(pointee)) : std::nullopt;
  if (!elements)
    return Scalar::unknown("is a difference of pointers, '" + spell(where) + "'", placeOf(where));
  Needs needs = to.needs;
  addNeeds(needs, from.needs);
  return Scalar::ofNumber(*elements, needs);
}

Value Interpreter::evaluateAssignment(const BinaryOperator *binary) {
  const Expr *left = binary->getLHS(), *right = binary->getRHS();
  QualType type = left->getType();
  Place place = placeOf(binary);
  if (binary->getOpcode() == BO_Assign) {
    Value value = evaluate(right);
    Value address = addressOf(left);
    if (type->isRecordType())
      copyObject(address, value, type, place);
    else
      store(address, value, type, place);
    return address;
  }
  const auto *compound = cast<CompoundAssignOperator>(binary);
  BinaryOperatorKind op = BinaryOperator::getOpForCompoundAssignment(binary->getOpcode());
  Value amount = evaluate(right);
  Value address = addressOf(left);
  Value before = load(address, type, place);
  Value after;
  if (type->isPointerType()) {
    after = movePointer(before, amount, type->getPointeeType(), op == BO_Add ? 1 : -1, binary);
  } else {
    after = updated(op, before, amount, type, compound->getComputationResultType(), binary);
  }
  store(address, after, type, place);
  return address;
}

/// What ++ computes in: nothing narrower than an int.
QualType Interpreter::computedType(const Expr *operand) const {
  QualType type = operand->getType();
  return kernel.context.isPromotableIntegerType(type) ? kernel.context.getPromotedIntegerType(type)
                                                      : type;
}

/// A variable's value after `op=`: computed in another type, and cut back to its own.
Value Interpreter::updated(BinaryOperatorKind op, const Value &before, const Value &amount,
                           QualType type, QualType computed, const Expr *where) {
  Place place = placeOf(where);
  std::optional<NumberType> own = numberType(type), wide = numberType(computed);
  if (!own || !wide)
    return arithmetic(op, before, amount, computed, where);
  Value widened = before.map([&](const Scalar &scalar) {
    Scalar result = convert(scalar, *own, *wide, place);
    const bool isLoaded = result.is(Scalar::Kind::Data) && result.data->isMemory();
    if (isLoaded && own->bits < wide->bits && result.data->widenedFrom == 0)
      result.data.edit().widenedFrom = own->bits;
    return result;
  });
  Value result = arithmetic(op, widened, amount, computed, where);
  if (type->isBooleanType())
    return Scalar::ofTruth(asCondition(result, computed, place));
  return result.map([&](const Scalar &scalar) { return convert(scalar, *wide, *own, place); });
}

Value Interpreter::evaluateLogical(const BinaryOperator *binary) {
  const Expr *left = binary->getLHS(), *right = binary->getRHS();
  const bool isAnd = binary->getOpcode() == BO_LAnd;
  const Value first = evaluate(left);
  Condition a = asCondition(first, left->getType(), placeOf(left));
  Condition before = mask;
  // The right side is only run where the left one asks for it.
  maskBy(isAnd ? a : !a, left, first);
  if (mask.isNever()) {
    mask = before;
    return Scalar::ofTruth(isAnd ? Condition::never() : Condition::always());
  }
  const Value second = evaluate(right);
  Condition b = asCondition(second, right->getType(), placeOf(right));
  mask = before;
  return truthOf(isAnd ? a && b : a || b, {&first, &second});
}

/// Makes a value of a condition. If the condition is unknown, the value is the first operand that
/// is unknown with a reason, so that a message can give that reason.
Scalar Interpreter::truthOf(Condition condition, ArrayRef<const Value *> operands) {
  if (condition.isUnknown())
    for (const Value *operand : operands)
      if (const Scalar *open = operand->unknownPart())
        return *open;
  return Scalar::ofTruth(std::move(condition));
}

Value Interpreter::evaluateConditional(const AbstractConditionalOperator *conditional) {
  // `a ?: b` evaluates `a` once.
  const auto *shared = dyn_cast<BinaryConditionalOperator>(conditional);
  if (shared && shared->getCommon()->HasSideEffects(kernel.context))
    return notFollowed(conditional);
  const Expr *choice = conditional->getCond();
  const Value chosen = evaluate(choice);
  Condition condition = asCondition(chosen, choice->getType(), placeOf(choice));
  bool isAddress = conditional->isGLValue();
  auto arm = [&](const Expr *expression) {
    return isAddress ? addressOf(expression) : evaluate(expression);
  };
  if (condition.isAlways())
    return arm(conditional->getTrueExpr());
  if (condition.isNever())
    return arm(conditional->getFalseExpr());
  Condition before = mask;
  if (condition.isUnknown()) {
    maskBy(condition, choice, chosen);
    arm(conditional->getTrueExpr()), arm(conditional->getFalseExpr());
    mask = before;
    const Scalar *open = chosen.unknownPart();
    return Scalar::unknown("depends on '" + spell(choice) + "'" +
                               (open ? ", which " + open->why : ""),
                           placeOf(conditional));
  }
  mask = before && condition;
  Value yes = arm(conditional->getTrueExpr());
  mask = before && !condition;
  Value no = arm(conditional->getFalseExpr());
  mask = before;
  return nameExtreme(atOnePlace(no.overwritten(condition, yes), block.symbols),
                     conditional->getType(), placeOf(conditional));
}

} // namespace tilelift
