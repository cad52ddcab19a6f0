//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lint/Numbers.h"

#include "clang/Lex/Lexer.h"

#include <numeric>
#include <set>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

const Expr *stripped(const Expr *expression) {
  for (;;) {
    expression = expression->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    const auto *made = dyn_cast<CXXConstructExpr>(expression);
    if (!made || made->getNumArgs() != 1)
      return expression;
    expression = made->getArg(0);
  }
}

const FunctionDecl *functionOf(const VarDecl *variable) {
  return dyn_cast<FunctionDecl>(variable->getDeclContext());
}

quantity named(quantity value, StringRef text) {
  value.text = text;
  return value;
}

quantity ofType(QualType type, const ASTContext &context) {
  quantity value;
  if (!type->isIntegerType())
    return value;
  const unsigned bits = unsigned(context.getIntWidth(type));
  const bool isSigned = type->isSignedIntegerOrEnumerationType();
  if (!isSigned)
    value.low = 0;
  else if (bits < 64)
    value.low = -(int64_t(1) << (bits - 1));
  if (bits < 64)
    value.high = (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
  return value;
}

/// What does not fit in its type is another number, of which some bits are the same.
quantity asType(const quantity &value, QualType type, const ASTContext &context) {
  quantity all = ofType(type, context);
  if (value.low >= all.low && value.high <= all.high)
    return value;
  all.divisor = value.divisor & -value.divisor;
  return named(all, value.text);
}

int64_t clamped(__int128 value) {
  const quantity any;
  return value < any.low ? any.low : value > any.high ? any.high : int64_t(value);
}

quantity product(const quantity &a, const quantity &b) {
  const __int128 ends[] = {__int128(a.low) * b.low, __int128(a.low) * b.high,
                           __int128(a.high) * b.low, __int128(a.high) * b.high};
  return {clamped(*std::min_element(ends, ends + 4)), clamped(*std::max_element(ends, ends + 4)),
          clamped(__int128(a.divisor) * b.divisor), ""};
}

quantity sum(const quantity &a, const quantity &b, int sign) {
  return {clamped(__int128(a.low) + (sign > 0 ? b.low : -__int128(b.high))),
          clamped(__int128(a.high) + (sign > 0 ? b.high : -__int128(b.low))),
          std::gcd(a.divisor, b.divisor), ""};
}

bool isSame(const quantity &a, const quantity &b) {
  return a.is_exact() && b.is_exact() && a.low == b.low;
}
bool isApart(const quantity &a, const quantity &b) { return a.high < b.low || a.low > b.high; }
quantity truth(bool isKnownTrue, bool isKnownFalse) {
  return isKnownTrue    ? quantity::exactly(1)
         : isKnownFalse ? quantity::exactly(0)
                        : quantity{0, 1, 1, ""};
}

/// Finds the braces that an array, or what stands for one, is made with.
const InitListExpr *bracesOf(const Expr *expression) {
  if (!expression)
    return nullptr;
  expression = expression->IgnoreImplicit();
  if (const auto *list = dyn_cast<InitListExpr>(expression)) {
    // std::array has its elements one level further down.
    const bool isWrapped = list->getNumInits() == 1 && list->getType()->isRecordType();
    const InitListExpr *inner = isWrapped ? bracesOf(list->getInit(0)) : nullptr;
    return inner ? inner : list;
  }
  if (const auto *list = dyn_cast<CXXStdInitializerListExpr>(expression))
    return bracesOf(list->getSubExpr());
  if (const auto *made = dyn_cast<CXXConstructExpr>(expression))
    return made->getNumArgs() > 0 ? bracesOf(made->getArg(0)) : nullptr;
  if (const auto *literal = dyn_cast<CompoundLiteralExpr>(expression))
    return bracesOf(literal->getInitializer());
  return nullptr;
}

/// Of arrays, and of objects that are nothing but one.
std::optional<size_t> lengthOf(QualType type, const ASTContext &context) {
  if (const ConstantArrayType *array = context.getAsConstantArrayType(type))
    return array->getZExtSize();
  const auto *record = dyn_cast_or_null<CXXRecordDecl>(type->getAsRecordDecl());
  if (!record || !(record = record->getDefinition()) ||
      std::distance(record->field_begin(), record->field_end()) != 1)
    return std::nullopt;
  return lengthOf(record->field_begin()->getType(), context);
}

/// What is left of an array behind some of its elements.
NumberArray behind(NumberArray array, const quantity &skipped, NumberArray unknown) {
  if (!skipped.is_exact() || skipped.low < 0 || !array.length ||
      *array.length < size_t(skipped.low))
    return unknown;
  const size_t count = std::min(size_t(skipped.low), array.elements.size());
  array.elements.erase(array.elements.begin(), array.elements.begin() + ptrdiff_t(count));
  *array.length -= size_t(skipped.low);
  array.name = unknown.name;
  return array;
}

/// An element that is looked at, or a pointer that cannot be written through.
bool isOnlyRead(const Change &change, const VariableFacts &facts) {
  const auto *call = dyn_cast<CallExpr>(change.statement);
  const auto *use = call ? dyn_cast_or_null<ImplicitCastExpr>(facts.parentOf(call)) : nullptr;
  return use && (use->getCastKind() == CK_LValueToRValue ||
                 (use->getCastKind() == CK_NoOp && use->getType()->isPointerType() &&
                  use->getType()->getPointeeType().isConstQualified()));
}

/// The array behind std::array and std::vector.
bool isData(const CXXMemberCallExpr *call) {
  const CXXMethodDecl *method = call->getMethodDecl();
  if (!method || call->getNumArgs() != 0 || !method->getDeclName().isIdentifier() ||
      method->getName() != "data")
    return false;
  const DeclContext *space = method->getDeclContext();
  while (space && !space->isStdNamespace() && space->getParent())
    space = space->getParent();
  return space->isStdNamespace();
}

/// Not the numbers of an array as ones of another width.
bool readsWhole(const Expr *argument, const ASTContext &context) {
  QualType read = argument->getType()->getPointeeType();
  const Expr *from = argument->IgnoreParenImpCasts();
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(from))
    from = cast->getSubExpr()->IgnoreParenImpCasts();
  QualType held = from->getType();
  if (const auto *pointer = held->getAs<PointerType>())
    held = pointer->getPointeeType();
  else if (const ArrayType *array = context.getAsArrayType(held))
    held = array->getElementType();
  else
    return true;
  return !read.isNull() && read->isIntegerType() && held->isIntegerType() &&
         context.getIntWidth(read) == context.getIntWidth(held);
}

class Evaluator {
public:
  Evaluator(const Frame &frame, const Functions &functions, unsigned depth = 0)
      : frame(frame), functions(functions), context(functions.context), depth(depth) {}

  quantity number(const Expr *expression) const;
  NumberArray array(const Expr *argument) const;

private:
  quantity numberOfParts(const Expr *expression) const;
  quantity numberOfCast(const CastExpr *cast) const;
  quantity numberOfVariable(const VarDecl *variable) const;
  quantity numberOfOperation(const BinaryOperator *operation) const;
  NumberArray arrayOfVariable(const VarDecl *variable) const;
  void apply(const Change &change, const VarDecl *variable, NumberArray &array,
             std::set<size_t> &assigned) const;

  const Frame &frame;
  const Functions &functions;
  const ASTContext &context;
  /// Of variables that are made of others.
  unsigned depth;
  static constexpr unsigned deepest = 16;
};

quantity Evaluator::numberOfVariable(const VarDecl *variable) const {
  if (depth == deepest)
    return {};
  if (const auto *parameter = dyn_cast<ParmVarDecl>(variable)) {
    const Expr *argument = onlyArgumentFor(parameter, frame, functions);
    return argument ? Evaluator(*frame.caller, functions, depth + 1).number(argument)
                    : ofType(variable->getType(), context);
  }
  const Expr *value = onlyValueOf(variable, functions);
  return value ? Evaluator(frame, functions, depth + 1).number(value)
               : ofType(variable->getType(), context);
}

quantity Evaluator::numberOfOperation(const BinaryOperator *operation) const {
  const quantity left = number(operation->getLHS()), right = number(operation->getRHS());
  switch (operation->getOpcode()) {
  case BO_Mul: return product(left, right);
  case BO_Add: return sum(left, right, 1);
  case BO_Sub: return sum(left, right, -1);
  case BO_Div:
    if (left.is_exact() && right.is_exact() && right.low != 0)
      return quantity::exactly(left.low / right.low);
    return {};
  case BO_Rem:
    if (left.is_exact() && right.is_exact() && right.low != 0)
      return quantity::exactly(left.low % right.low);
    return {};
  case BO_LT: return truth(left.high < right.low, left.low >= right.high);
  case BO_GT: return truth(left.low > right.high, left.high <= right.low);
  case BO_LE: return truth(left.high <= right.low, left.low > right.high);
  case BO_GE: return truth(left.low >= right.high, left.high < right.low);
  case BO_EQ: return truth(isSame(left, right), isApart(left, right));
  case BO_NE: return truth(isApart(left, right), isSame(left, right));
  case BO_LAnd: return truth(isTrue(left) && isTrue(right), isFalse(left) || isFalse(right));
  case BO_LOr: return truth(isTrue(left) || isTrue(right), isFalse(left) && isFalse(right));
  case BO_Shl:
    return right.is_exact() && right.low >= 0 && right.low < 62
               ? product(left, quantity::exactly(int64_t(1) << right.low))
               : quantity();
  default: return {};
  }
}

/// Each cast by itself: it may cut the number.
quantity Evaluator::numberOfCast(const CastExpr *cast) const {
  const quantity value = number(cast->getSubExpr());
  switch (cast->getCastKind()) {
  case CK_LValueToRValue:
  case CK_NoOp:
  case CK_IntegralCast: return value;
  case CK_IntegralToBoolean: return truth(isTrue(value), isFalse(value));
  default: return {};
  }
}

quantity Evaluator::numberOfParts(const Expr *expression) const {
  if (const auto *cast = dyn_cast<CastExpr>(expression))
    return numberOfCast(cast);
  if (const auto *reference = dyn_cast<DeclRefExpr>(expression)) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    return variable ? numberOfVariable(variable) : quantity();
  }
  if (const auto *operation = dyn_cast<BinaryOperator>(expression))
    return numberOfOperation(operation);
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(expression)) {
    const quantity index = number(element->getIdx());
    return index.is_exact() && index.low >= 0 ? array(element->getBase())[size_t(index.low)]
                                              : quantity();
  }
  const auto *negation = dyn_cast<UnaryOperator>(expression);
  if (!negation || negation->getOpcode() != UO_LNot)
    return {};
  const quantity value = number(negation->getSubExpr());
  return truth(isFalse(value), isTrue(value));
}

quantity Evaluator::number(const Expr *expression) const {
  const StringRef text = spellingOf(expression, context);
  if (expression->isValueDependent())
    return named({}, text);
  Expr::EvalResult result;
  if (expression->EvaluateAsInt(result, context) && result.Val.getInt().isRepresentableByInt64())
    return quantity::exactly(result.Val.getInt().getExtValue(), text);
  if (expression->isNullPointerConstant(const_cast<ASTContext &>(context),
                                        Expr::NPC_ValueDependentIsNotNull))
    return quantity::exactly(0, text);
  const Expr *inner = expression->IgnoreParens();
  if (!isa<CastExpr>(inner))
    inner = stripped(inner);
  const quantity value = asType(numberOfParts(inner), expression->getType(), context);
  // What is passed says more than what a parameter or a cast is called.
  const auto *reference = dyn_cast<DeclRefExpr>(inner);
  const bool isPassed = reference && isa<ParmVarDecl>(reference->getDecl());
  return (isPassed || isa<CastExpr>(inner)) && !value.text.empty() ? value : named(value, text);
}

/// What an assignment makes of one element, or of all where nobody knows which one it is.
void Evaluator::apply(const Change &change, const VarDecl *variable, NumberArray &array,
                      std::set<size_t> &assigned) const {
  const VariableFacts &facts = functions.factsOf(functionOf(variable));
  if (isOnlyRead(change, facts))
    return;
  const auto *assignment = dyn_cast<BinaryOperator>(change.statement);
  const Expr *subscript = nullptr;
  if (assignment)
    if (const auto *element = dyn_cast<ArraySubscriptExpr>(assignment->getLHS()->IgnoreParens()))
      subscript = element->getIdx();
  if (const auto *element = dyn_cast<CXXOperatorCallExpr>(change.statement)) {
    assignment = dyn_cast_or_null<BinaryOperator>(facts.parentOf(element));
    subscript = element->getNumArgs() == 2 ? element->getArg(1) : nullptr;
  }
  const quantity index = assignment && subscript && assignment->getOpcode() == BO_Assign
                             ? number(subscript)
                             : quantity();
  if (!index.is_exact() || index.low < 0 || size_t(index.low) >= array.elements.size()) {
    array.elements.clear();
    return;
  }
  // One of several values, or one that is set in some cases, is none that is known.
  quantity &element = array.elements[size_t(index.low)];
  const bool isAlways = facts.parentOf(assignment) == functionOf(variable)->getBody();
  const bool isFirst = assigned.insert(size_t(index.low)).second;
  element = isAlways && isFirst && !bracesOf(variable->getInit())
                ? number(assignment->getRHS())
                : named({}, spellingOf(assignment->getLHS(), context));
}

NumberArray Evaluator::arrayOfVariable(const VarDecl *variable) const {
  NumberArray array;
  array.name = variable->getNameAsString();
  const InitListExpr *braces = bracesOf(variable->getInit());
  array.length = lengthOf(variable->getType(), context);
  const bool mayGrow = !array.length;
  if (mayGrow && braces)
    array.length = braces->getNumInits();
  if (!array.length || *array.length > 64)
    return array;
  array.elements.resize(*array.length);
  for (size_t i = 0; braces && i < array.elements.size(); ++i)
    array.elements[i] =
        i < braces->getNumInits() ? number(braces->getInit(unsigned(i))) : quantity::exactly(0);
  const bool isConst = context.getBaseElementType(variable->getType()).isConstQualified();
  if (!variable->hasLocalStorage()) { // anybody may have set it
    if (!isConst)
      array.elements.clear();
  } else {
    const VariableFacts &facts = functions.factsOf(functionOf(variable));
    std::set<size_t> assigned;
    if (facts.escapes(variable))
      array.elements.clear();
    for (const Change &change : facts.changesOf(variable))
      if (change.kind != Change::Kind::Initialised)
        apply(change, variable, array, assigned);
  }
  if (mayGrow && array.elements.empty())
    array.length.reset();
  return array;
}

NumberArray Evaluator::array(const Expr *argument) const {
  NumberArray unknown{spellingOf(argument, context).str(), std::nullopt, {}};
  if (depth == deepest || !readsWhole(argument, context))
    return unknown;
  const Expr *expression = stripped(argument);
  if (const auto *taken = dyn_cast<UnaryOperator>(expression)) {
    expression = stripped(taken->getSubExpr()); // one number by itself, or of an array
    if (taken->getOpcode() != UO_AddrOf)
      return unknown;
    if (const auto *element = dyn_cast<ArraySubscriptExpr>(expression))
      return behind(array(element->getBase()), number(element->getIdx()), unknown);
  }
  if (const auto *moved = dyn_cast<BinaryOperator>(expression))
    return moved->getOpcode() == BO_Add
               ? behind(array(moved->getLHS()), number(moved->getRHS()), unknown)
               : unknown;
  if (const auto *call = dyn_cast<CXXMemberCallExpr>(expression)) // sizes.data()
    if (isData(call))
      expression = stripped(call->getImplicitObjectArgument());
  if (const InitListExpr *braces = bracesOf(expression)) {
    NumberArray array{spellingOf(argument, context).str(), braces->getNumInits(), {}};
    for (const Expr *element : braces->inits())
      array.elements.push_back(number(element));
    return array;
  }
  const auto *reference = dyn_cast<DeclRefExpr>(expression);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable)
    return unknown;
  if (const auto *parameter = dyn_cast<ParmVarDecl>(variable)) {
    const Expr *passed = onlyArgumentFor(parameter, frame, functions);
    return passed ? Evaluator(*frame.caller, functions, depth + 1).array(passed) : unknown;
  }
  if (variable->getType()->isPointerType()) {
    const Expr *value = onlyValueOf(variable, functions);
    return value ? Evaluator(frame, functions, depth + 1).array(value) : unknown;
  }
  return arrayOfVariable(variable);
}

} // namespace

StringRef spellingOf(const Expr *expression, const ASTContext &context) {
  const StringRef written =
      Lexer::getSourceText(CharSourceRange::getTokenRange(expression->getSourceRange()),
                           context.getSourceManager(), context.getLangOpts());
  if (!written.empty())
    return written;
  std::string text; // part of what a macro stands for
  raw_string_ostream out(text);
  expression->printPretty(out, nullptr, context.getPrintingPolicy());
  return StringRef(text).copy(context);
}

const Expr *onlyArgumentFor(const ParmVarDecl *parameter, const Frame &frame,
                            const Functions &functions) {
  const Expr *argument = frame.argumentFor(parameter);
  if (!argument)
    return nullptr;
  const VariableFacts &facts = functions.factsOf(frame.function);
  const bool isSet = facts.escapes(parameter) ||
                     llvm::any_of(facts.changesOf(parameter),
                                  [&](const Change &change) { return !isOnlyRead(change, facts); });
  return isSet ? nullptr : argument;
}

const Expr *onlyValueOf(const VarDecl *variable, const Functions &functions) {
  const FunctionDecl *function = functionOf(variable);
  if (!function || !variable->hasLocalStorage())
    return variable->getType().isConstQualified() ? variable->getInit() : nullptr;
  const VariableFacts &facts = functions.factsOf(function);
  ArrayRef<Change> changes = facts.changesOf(variable);
  const bool isOnce = changes.size() == 1 && changes[0].kind == Change::Kind::Initialised;
  return isOnce && !facts.escapes(variable) ? variable->getInit() : nullptr;
}

quantity numberOf(const Expr *expression, const Frame &frame, const Functions &functions) {
  return Evaluator(frame, functions).number(expression);
}

NumberArray arrayOf(const Expr *argument, const Frame &frame, const Functions &functions) {
  return Evaluator(frame, functions).array(argument);
}

} // namespace tilelift
