//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "facts/IndexRange.h"
#include "support/Builtins.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/IR/ConstantRange.h"

#include <numeric>

using namespace clang;
using llvm::APInt;
using llvm::ArrayRef;
using llvm::ConstantRange;
using llvm::dyn_cast;
using llvm::isa;
using llvm::SmallVector;
using llvm::StringRef;

namespace tilelift {
namespace {

constexpr unsigned bits = 64;

ConstantRange fromTo(int64_t low, int64_t high) {
  return ConstantRange::getNonEmpty(APInt(bits, uint64_t(low), true),
                                    APInt(bits, uint64_t(high), true) + 1);
}

int64_t lowest(const ConstantRange &range) { return range.getSignedMin().getSExtValue(); }
int64_t highest(const ConstantRange &range) { return range.getSignedMax().getSExtValue(); }

/// Without its attributes, value changes and parentheses.
const Expr *plain(const Expr *expression) { return expression->IgnoreParenImpCasts(); }

/// What a condition may ask of: a variable, or a number that a thread has from the launch, such as
/// `threadIdx.x`.
struct Subject {
  const VarDecl *variable = nullptr;
  std::pair<StringRef, StringRef> builtin;

  bool is(const Expr *expression) const {
    if (!variable)
      return builtinMember(expression) == builtin;
    const auto *reference = dyn_cast<DeclRefExpr>(expression);
    return reference && reference->getDecl() == variable;
  }
};

class RangeReader {
public:
  explicit RangeReader(const KernelUnderTest &kernel) : kernel(kernel) {}

  ConstantRange read(const Expr *expression);
  /// A number that divides the expression always; 0 if the expression is 0.
  int64_t divisorOf(const Expr *expression);

private:
  ConstantRange ofType(QualType type) const;
  ConstantRange readCast(const CastExpr *cast);
  ConstantRange readBinary(const BinaryOperator *binary);
  ConstantRange readCall(const CallExpr *call);
  ConstantRange readBuiltin(StringRef variable, StringRef member) const;
  ConstantRange readVariable(const DeclRefExpr *use, const VarDecl *variable);
  int64_t divisorOfVariable(const VarDecl *variable);
  bool isFollowed(const VarDecl *variable) const;
  bool mayComeAround(QualType type) const;
  ConstantRange narrowed(ConstantRange range, const Expr *use, const Subject &subject);
  ConstantRange onSteps(ConstantRange range, const ForStmt *loop, const VarDecl *variable);
  ConstantRange given(ConstantRange range, const Expr *condition, bool holds,
                      const Subject &subject);
  bool isKept(const Subject &subject, const Stmt *within) const;
  bool holdsIn(const Stmt *part, const Expr *condition, const Subject &subject) const;

  const KernelUnderTest &kernel;
  /// Variables that are being looked at, some of which may depend on each other.
  SmallVector<const VarDecl *, 4> open;
};

ConstantRange RangeReader::ofType(QualType type) const {
  if (!type->isIntegralOrEnumerationType())
    return ConstantRange::getFull(bits);
  unsigned width = kernel.context.getIntWidth(type);
  if (type->isBooleanType())
    return fromTo(0, 1);
  if (width >= bits)
    return ConstantRange::getFull(bits);
  bool isSigned = type->isSignedIntegerOrEnumerationType();
  Interval all = rangeOfType(width, isSigned);
  return fromTo(all.low, all.high);
}

ConstantRange RangeReader::readBuiltin(StringRef variable, StringRef member) const {
  unsigned axis = member.ends_with("x") ? 0 : member.ends_with("y") ? 1 : 2;
  if (variable == "warpSize")
    return fromTo(32, 32);
  if (variable == "threadIdx")
    return fromTo(0, int64_t(kernel.shape[axis]) - 1);
  if (variable == "blockDim")
    return fromTo(kernel.shape[axis], kernel.shape[axis]);
  int64_t most = axis == 0 ? INT32_MAX : UINT16_MAX;
  return variable == "gridDim" ? fromTo(1, most) : fromTo(0, most - 1);
}

ConstantRange RangeReader::read(const Expr *expression) {
  expression = expression->IgnoreParens();
  QualType type = expression->getType();
  if (!type->isIntegralOrEnumerationType() || expression->isValueDependent())
    return ConstantRange::getFull(bits);
  Expr::EvalResult constant;
  if (expression->EvaluateAsInt(constant, kernel.context) && constant.Val.isInt())
    return ConstantRange(constant.Val.getInt().extOrTrunc(bits));
  ConstantRange range = ofType(type);
  if (auto builtin = builtinMember(expression))
    range = narrowed(readBuiltin(builtin->first, builtin->second), expression, {nullptr, *builtin});
  else if (const auto *cast = dyn_cast<CastExpr>(expression))
    range = readCast(cast);
  else if (const auto *binary = dyn_cast<BinaryOperator>(expression))
    range = readBinary(binary);
  else if (const auto *call = dyn_cast<CallExpr>(expression))
    range = readCall(call);
  else if (const auto *choice = dyn_cast<ConditionalOperator>(expression))
    range = read(choice->getTrueExpr()).unionWith(read(choice->getFalseExpr()));
  else if (const auto *unary = dyn_cast<UnaryOperator>(expression);
           unary && unary->getOpcode() == UO_Minus)
    range = ConstantRange(APInt(bits, 0)).sub(read(unary->getSubExpr()));
  else if (const auto *reference = dyn_cast<DeclRefExpr>(expression))
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      range = readVariable(reference, variable);
  // A result outside of its type wraps around. In signed arithmetic that is undefined, so the
  // program has no such result.
  ConstantRange whole = ofType(type);
  const int64_t low = std::max(lowest(range), lowest(whole));
  const int64_t high = std::min(highest(range), highest(whole));
  if (isa<BinaryOperator>(expression) && type->isSignedIntegerType() && low <= high)
    return fromTo(low, high);
  return whole.contains(range) ? range : whole;
}

int64_t RangeReader::divisorOf(const Expr *expression) {
  expression = expression->IgnoreParens();
  const QualType type = expression->getType();
  if (!type->isIntegralOrEnumerationType() || expression->isValueDependent())
    return 1;
  Expr::EvalResult constant;
  if (expression->EvaluateAsInt(constant, kernel.context) && constant.Val.isInt())
    return constant.Val.getInt().getSignificantBits() <= 32
               ? std::abs(constant.Val.getInt().getExtValue())
               : 1;
  if (const auto *cast = dyn_cast<CastExpr>(expression))
    return ofType(type).contains(read(cast->getSubExpr())) ? divisorOf(cast->getSubExpr()) : 1;
  if (const auto *reference = dyn_cast<DeclRefExpr>(expression))
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      return divisorOfVariable(variable);
  // Unsigned arithmetic may come around.
  const auto *binary = dyn_cast<BinaryOperator>(expression);
  if (!binary || !type->isSignedIntegerType())
    return 1;
  const int64_t left = divisorOf(binary->getLHS()), right = divisorOf(binary->getRHS());
  switch (binary->getOpcode()) {
  case BO_Add:
  case BO_Sub: return std::gcd(left, right);
  case BO_Mul: return std::max(left, right) <= INT32_MAX ? left * right : 1;
  default: return 1;
  }
}

/// Of what the variable is set to, and what is added to it.
int64_t RangeReader::divisorOfVariable(const VarDecl *variable) {
  if (!isFollowed(variable) || mayComeAround(variable->getType()))
    return 1;
  open.push_back(variable);
  int64_t divisor = 0;
  for (const Change &change : kernel.facts.changesOf(variable)) {
    const bool isKnown = change.kind == Change::Kind::Initialised ||
                         change.kind == Change::Kind::Assigned ||
                         change.kind == Change::Kind::Added;
    divisor = std::gcd(divisor, isKnown && change.value ? divisorOf(change.value) : 1);
  }
  open.pop_back();
  return divisor;
}

/// Whether a variable of the type may wrap around when it is added to, without undefined behavior:
/// if the type is unsigned, or narrower than `int`, as then the sum is computed in `int` and
/// converted back.
bool RangeReader::mayComeAround(QualType type) const {
  return !type->isSignedIntegerOrEnumerationType() ||
         kernel.context.getIntWidth(type) < kernel.context.getIntWidth(kernel.context.IntTy);
}

bool RangeReader::isFollowed(const VarDecl *variable) const {
  return variable->hasLocalStorage() && !isa<ParmVarDecl>(variable) &&
         !variable->getType()->isReferenceType() && !kernel.facts.escapes(variable) &&
         !llvm::is_contained(open, variable);
}

ConstantRange RangeReader::readCast(const CastExpr *cast) {
  const Expr *operand = cast->getSubExpr();
  bool isNumber = operand->getType()->isIntegralOrEnumerationType();
  bool keeps = cast->getCastKind() == CK_IntegralCast || cast->getCastKind() == CK_NoOp ||
               cast->getCastKind() == CK_LValueToRValue;
  return isNumber && keeps ? read(operand) : ofType(cast->getType());
}

ConstantRange RangeReader::readBinary(const BinaryOperator *binary) {
  if (binary->isComparisonOp() || binary->isLogicalOp())
    return fromTo(0, 1);
  if (binary->isAssignmentOp())
    return ofType(binary->getType());
  ConstantRange a = read(binary->getLHS()), b = read(binary->getRHS());
  bool isPositive = (lowest(a) >= 0 && lowest(b) >= 0) ||
                    binary->getLHS()->getType()->isUnsignedIntegerOrEnumerationType();
  switch (binary->getOpcode()) {
  case BO_Add: return a.add(b);
  case BO_Sub: return a.sub(b);
  case BO_Mul: return a.multiply(b);
  case BO_Div: return isPositive ? a.udiv(b) : a.sdiv(b);
  case BO_Rem: return isPositive ? a.urem(b) : a.srem(b);
  case BO_And: return a.binaryAnd(b);
  case BO_Or: return a.binaryOr(b);
  case BO_Xor: return a.binaryXor(b);
  case BO_Shl: return a.shl(b);
  case BO_Shr: return isPositive ? a.lshr(b) : a.ashr(b);
  case BO_Comma: return b;
  default: return ofType(binary->getType());
  }
}

ConstantRange RangeReader::readCall(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  StringRef name = callee && callee->getDeclName().isIdentifier() ? callee->getName() : StringRef();
  const SourceManager &sources = kernel.context.getSourceManager();
  if ((name != "min" && name != "max") || call->getNumArgs() != 2 ||
      !sources.isInSystemHeader(callee->getLocation()))
    return ofType(call->getType());
  ConstantRange a = read(call->getArg(0)), b = read(call->getArg(1));
  const bool isUnsigned = call->getType()->isUnsignedIntegerOrEnumerationType();
  if (isUnsigned && (lowest(a) < 0 || lowest(b) < 0)) // which is a large number there
    return ofType(call->getType());
  return name == "min" ? a.smin(b) : a.smax(b);
}

/// Whether a statement leaves it what it is.
bool RangeReader::isKept(const Subject &subject, const Stmt *within) const {
  return !subject.variable || kernel.facts.changesWithin(subject.variable, within).empty();
}

ConstantRange RangeReader::readVariable(const DeclRefExpr *use, const VarDecl *variable) {
  ConstantRange whole = ofType(variable->getType());
  if (!isFollowed(variable))
    return narrowed(whole, use, {variable, {}});
  open.push_back(variable);
  ArrayRef<Change> changes = kernel.facts.changesOf(variable);
  ConstantRange range = ConstantRange::getEmpty(bits);
  for (const Change &change : changes) {
    bool isSet =
        (change.kind == Change::Kind::Initialised || change.kind == Change::Kind::Assigned) &&
        change.value;
    if (isSet)
      range = range.unionWith(read(change.value));
    else if (change.kind != Change::Kind::Added)
      range = whole;
  }
  if (range.isEmptySet())
    range = whole;
  // Goes on from there, one way, unless it comes around.
  const bool isSteady = !mayComeAround(variable->getType());
  for (const Change &change : changes)
    if (change.kind == Change::Kind::Added) {
      ConstantRange step = change.value ? read(change.value) : fromTo(1, 1);
      bool isOneWay = isSteady && lowest(step) >= 0;
      range = fromTo(isOneWay && change.direction > 0 ? lowest(range) : lowest(whole),
                     isOneWay && change.direction < 0 ? highest(range) : highest(whole));
    }
  open.pop_back();
  if (!whole.contains(range))
    range = whole;
  return narrowed(range, use, {variable, {}});
}

/// A counter that steps from a number by a number is never between two steps.
ConstantRange RangeReader::onSteps(ConstantRange range, const ForStmt *loop,
                                   const VarDecl *variable) {
  std::optional<int64_t> start, step;
  for (const Change &change : kernel.facts.changesOf(variable)) {
    bool isAdded = change.kind == Change::Kind::Added && change.direction > 0 &&
                   kernel.facts.isWithin(change.statement, loop->getInc());
    bool isSet = change.kind == Change::Kind::Initialised && change.value &&
                 kernel.facts.isWithin(change.statement, loop->getInit());
    std::optional<int64_t> &number = isAdded ? step : start;
    if ((!isAdded && !isSet) || number)
      return range;
    Expr::EvalResult result;
    if (change.value && !change.value->EvaluateAsInt(result, kernel.context))
      return range;
    number = change.value ? result.Val.getInt().getExtValue() : 1;
  }
  bool isKnown = start && step && *step > 0 && lowest(range) >= *start;
  return isKnown ? fromTo(lowest(range), *start + (highest(range) - *start) / *step * *step)
                 : range;
}

/// Whether some jump may lead into a statement. The cases of a whole `switch` are its own.
static bool hasEntrance(const Stmt *within, bool isInSwitch = false) {
  if (!within)
    return false;
  isInSwitch |= isa<SwitchStmt>(within);
  return isa<LabelStmt>(within) || (isa<SwitchCase>(within) && !isInSwitch) ||
         llvm::any_of(within->children(),
                      [&](const Stmt *child) { return hasEntrance(child, isInSwitch); });
}

/// Whether what a loop or branch asks of it is so wherever it is used in a part of that statement.
bool RangeReader::holdsIn(const Stmt *part, const Expr *condition, const Subject &subject) const {
  return condition && isKept(subject, part) && isKept(subject, condition) && !hasEntrance(part);
}

/// Narrows a range by the conditions of the loops and branches around a use of the subject, as far
/// as the subject keeps its value from the condition to the use.
ConstantRange RangeReader::narrowed(ConstantRange range, const Expr *use, const Subject &subject) {
  if (subject.variable && kernel.facts.escapes(subject.variable))
    return range;
  const Stmt *inner = use;
  for (const Stmt *outer = kernel.facts.parentOf(use); outer && !isa<LambdaExpr>(outer);
       inner = outer, outer = kernel.facts.parentOf(outer)) {
    if (const auto *loop = dyn_cast<ForStmt>(outer)) {
      if (inner == loop->getBody() && holdsIn(inner, loop->getCond(), subject)) {
        range = given(range, loop->getCond(), true, subject);
        if (subject.variable)
          range = onSteps(range, loop, subject.variable);
      }
    } else if (const auto *branch = dyn_cast<IfStmt>(outer)) {
      bool isBranch = inner == branch->getThen() || inner == branch->getElse();
      if (isBranch && holdsIn(inner, branch->getCond(), subject))
        range = given(range, branch->getCond(), inner == branch->getThen(), subject);
    } else if (const auto *loop = dyn_cast<WhileStmt>(outer)) {
      if (inner == loop->getBody() && holdsIn(inner, loop->getCond(), subject))
        range = given(range, loop->getCond(), true, subject);
    }
  }
  return range;
}

/// Where the condition holds, or does not.
ConstantRange RangeReader::given(ConstantRange range, const Expr *condition, bool holds,
                                 const Subject &subject) {
  const auto *binary = dyn_cast<BinaryOperator>(plain(condition));
  if (!binary)
    return range;
  if (binary->getOpcode() == (holds ? BO_LAnd : BO_LOr))
    return given(given(range, binary->getLHS(), holds, subject), binary->getRHS(), holds, subject);
  if (!binary->isRelationalOp())
    return range;
  BinaryOperatorKind op = binary->getOpcode();
  const Expr *left = plain(binary->getLHS()), *right = plain(binary->getRHS());
  if (subject.is(right)) {
    std::swap(left, right);
    op = BinaryOperator::reverseComparisonOp(op);
  }
  bool isSame = subject.is(left) && lowest(range) >= 0; // as a number without a sign, too
  bool isSigned = binary->getLHS()->getType()->isSignedIntegerOrEnumerationType();
  if (!subject.is(left) || (!isSame && !isSigned) ||
      (subject.variable && llvm::is_contained(open, subject.variable)))
    return range;
  if (!holds)
    op = BinaryOperator::negateComparisonOp(op);
  open.push_back(subject.variable);
  ConstantRange limit = read(right);
  open.pop_back();
  if (!isSigned && lowest(limit) < 0) // which is a large number there
    return range;
  int64_t low = lowest(range), high = highest(range);
  if (op == BO_LT && highest(limit) > INT64_MIN)
    high = std::min(high, highest(limit) - 1);
  else if (op == BO_LE)
    high = std::min(high, highest(limit));
  else if (op == BO_GT && lowest(limit) < INT64_MAX)
    low = std::max(low, lowest(limit) + 1);
  else if (op == BO_GE)
    low = std::max(low, lowest(limit));
  return low <= high ? fromTo(low, high) : range;
}

} // namespace

Interval rangeOf(const Expr *index, const KernelUnderTest &kernel) {
  ConstantRange range = RangeReader(kernel).read(index);
  return {lowest(range), highest(range)};
}

Multiples multiplesOf(const Expr *index, const KernelUnderTest &kernel) {
  return {rangeOf(index, kernel), RangeReader(kernel).divisorOf(index)};
}

} // namespace tilelift
