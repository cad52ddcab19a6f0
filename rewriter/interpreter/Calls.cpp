//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's calls: a function with a body is run in a frame of its own;
// of functions without one, a few are known by what CUDA says of them.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"

#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

constexpr size_t maxDepth = 16;

/// A load that says which caches it goes through.
bool isCachedLoad(StringRef name) {
  return name == "__ldg" || name == "__ldcg" || name == "__ldca" || name == "__ldcs" ||
         name == "__ldlu" || name == "__ldcv";
}

bool isAddressConversion(StringRef name) {
  return name == "__cvta_generic_to_shared" || name == "__cvta_generic_to_global";
}

/// Ends a batch of asynchronous copies, or waits for some.
bool isPipelineStep(StringRef name) {
  return name.starts_with("__pipeline_commit") || name.starts_with("__pipeline_wait");
}

bool isBarrier(StringRef name) {
  return name.starts_with("__syncthreads") || name == "__syncwarp" || name.starts_with("__bar");
}

/// Says something of its first argument and does nothing else.
bool isAssumption(StringRef name) {
  return name == "__builtin_assume" || name == "__builtin_expect" || name == "assert";
}

/// Makes a half or bfloat16 from another number.
bool isHalfConversion(StringRef name) {
  return name.starts_with("__") && (name.contains("2half") || name.contains("2bfloat16")) &&
         (name.starts_with("__float2") || name.starts_with("__double2") ||
          name.starts_with("__int2") || name.starts_with("__uint2") ||
          name.starts_with("__short2") || name.starts_with("__ushort2"));
}

/// The bits of a number that is known, as a half or bfloat16.
std::optional<APInt> convertedToHalf(const Scalar &from, const Type *type, StringRef name) {
  APFloat number(0.0f);
  if (from.is(Scalar::Kind::Number) && from.number.isConstant()) {
    APSInt value(APInt(64, uint64_t(*from.number.asConstant())), /*isUnsigned=*/false);
    number = APFloat(APFloat::IEEEdouble());
    number.convertFromAPInt(value, /*IsSigned=*/true, APFloat::rmTowardZero);
  } else if (from.is(Scalar::Kind::Data) && from.data->kind == Source::Kind::Constant) {
    bool isDouble = type->isSpecificBuiltinType(BuiltinType::Double);
    number = isDouble ? APFloat(APFloat::IEEEdouble(), from.data->bits.zextOrTrunc(64))
                      : APFloat(APFloat::IEEEsingle(), from.data->bits.zextOrTrunc(32));
  } else {
    return std::nullopt;
  }
  bool isInexact = false;
  const fltSemantics &to = name.contains("2half") ? APFloat::IEEEhalf() : APFloat::BFloat();
  number.convert(to, APFloat::rmNearestTiesToEven, &isInexact);
  bool roundsOtherwise =
      name.ends_with("_rz") || name.ends_with("_rd") || name.ends_with("_ru") || number.isNaN();
  if (isInexact && roundsOtherwise)
    return std::nullopt;
  return number.bitcastToAPInt();
}

/// Whether an object has nothing but numbers. One that stands for another object has a pointer to
/// it, and writes through that.
bool hasOnlyNumbers(const CXXRecordDecl *record, const ASTContext &context) {
  return record->getNumBases() == 0 && llvm::all_of(record->fields(), [&](const FieldDecl *field) {
           const QualType type = context.getBaseElementType(field->getType());
           const CXXRecordDecl *part = type->getAsCXXRecordDecl();
           return part ? hasOnlyNumbers(part, context) : type->isArithmeticType();
         });
}

} // namespace

/// Whether a constructor or an assignment copies the bytes of an object and does nothing else. CUDA
/// writes some that do for its numbers of half precision.
bool Interpreter::copiesBytes(const CXXMethodDecl *method) const {
  const bool isOfSystem = kernel.context.getSourceManager().isInSystemHeader(method->getLocation());
  return method->isTrivial() || (isOfSystem && hasOnlyNumbers(method->getParent(), kernel.context));
}

Value Interpreter::call(const CallExpr *call) {
  Place place = placeOf(call);
  if (const auto *op = dyn_cast<CXXOperatorCallExpr>(call)) {
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(op->getDirectCallee());
    bool copies = method && copiesBytes(method) &&
                  (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator());
    if (copies) {
      Value from = evaluate(op->getArg(1));
      Value to = addressOf(op->getArg(0));
      copyObject(to, from, op->getArg(0)->getType(), place);
      return to;
    }
  }
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee) {
    if (isCopying())
      fail(diagnose(diag::unsupported_statement, place, "a call through a pointer"));
    return Scalar::unknown("is returned by a call through a pointer", place);
  }
  if (isVirtual(call)) {
    if (isCopying())
      fail(diagnose(diag::unsupported_statement, place, "a virtual call"));
    return Scalar::unknown("is returned by a virtual call", place);
  }
  bool known = false;
  Value result = callKnown(callee, call, known);
  if (known)
    return result;

  Callee called = calleeOf(call);
  std::string name = callee->getNameAsString();
  if (called.definition && frames.size() < maxDepth) {
    Value result = runBody(called.definition, called.arguments, called.self, call);
    // How CUDA's own functions do it is nothing to the user.
    bool isOwn = !kernel.context.getSourceManager().isInSystemHeader(callee->getLocation());
    return result.map([&](const Scalar &scalar) {
      return isOwn || !scalar.is(Scalar::Kind::Unknown)
                 ? scalar
                 : Scalar::unknown("is computed by '" + name + "'", place);
    });
  }
  return callUnknown(callee, call, called);
}

/// Who gets an object's address may change it.
void Interpreter::forgetPointed(const Value &address, const std::string &who, Place place) {
  for (const ValueCase &one : address.getCases())
    if (one.scalar.is(Scalar::Kind::Address) && one.scalar.space == Scalar::Space::Local)
      memory[one.scalar.object].forget("is changed by '" + who + "'", place);
}

/// Of functions of the system that call one another, the one that the user's code calls.
Interpreter::UserCall Interpreter::calledByUser(const FunctionDecl *callee,
                                                const CallExpr *call) const {
  UserCall result{callee, placeOf(call)};
  for (const Frame &frame : llvm::reverse(frames)) {
    bool isSystem = frame.function && !placeOf(frame.function->getLocation()).isKnown();
    if (!isSystem)
      break;
    result = {frame.function, frame.calledAt};
  }
  return result;
}

/// Of a function without a body, or one that calls itself, nobody knows what it does.
/// CUDA's own that return a number from numbers, compute it.
Value Interpreter::callUnknown(const FunctionDecl *callee, const CallExpr *call,
                               const Callee &called) {
  UserCall user = calledByUser(callee, call);
  std::string name = user.callee->getNameAsString();
  Place place = user.place;
  forgetPointed(called.self, name, place);
  bool isSystem = callee->getBuiltinID() != 0 ||
                  kernel.context.getSourceManager().isInSystemHeader(callee->getLocation());
  bool takesPlaces = llvm::any_of(call->arguments(), [](const Expr *argument) {
    return argument->getType()->isPointerType() || argument->isGLValue();
  });
  bool isComputation = isSystem && !takesPlaces && !callee->getReturnType()->isVoidType();
  bool isHarmless = callee->getBuiltinID() != 0 && !call->HasSideEffects(kernel.context);
  const char *why = called.definition ? ", which calls itself"
                    : isSystem        ? ""
                                      : ", whose body is not visible";
  if (isCopying() && kernel.kind == CopyKind::Reduce && isSystem &&
      StringRef(name).starts_with("atomic"))
    fail(diagnose(diag::no_such_atomic, place, name));
  if (isCopying() && !isComputation && !isHarmless)
    failAsSideEffect("calls '" + name + "'" + why, place);
  for (const Expr *argument : call->arguments())
    forgetPointed(argument->isGLValue() ? addressOf(argument) : evaluate(argument), name, place);
  return Scalar::unknown("is returned by '" + name + "'", place);
}

Interpreter::Callee Interpreter::calleeOf(const CallExpr *call) {
  Callee result;
  result.definition = calledBody(call);
  const CallParts parts = partsOf(call);
  result.arguments.append(parts.arguments.begin(), parts.arguments.end());
  if (parts.object)
    result.self =
        parts.object->getType()->isPointerType() ? evaluate(parts.object) : addressOf(parts.object);
  return result;
}

Value Interpreter::callKnown(const FunctionDecl *callee, const CallExpr *call, bool &known) {
  known = true;
  StringRef name = callee->getDeclName().isIdentifier() ? callee->getName() : StringRef();
  // Who has a function of that name may mean something else by it.
  if (callee->hasBody() &&
      !kernel.context.getSourceManager().isInSystemHeader(callee->getLocation())) {
    known = isCopying() && runAsyncCopy(callee, call);
    return Value();
  }
  if (std::optional<Value> value = combineByCall(name, call))
    return *value;
  if (std::optional<Value> value = smallerOrLarger(name, call))
    return *value;
  if (std::optional<Value> value = magnitude(name, call))
    return *value;
  if (isCachedLoad(name) && call->getNumArgs() == 1) {
    Value address = evaluate(call->getArg(0));
    return call->getType()->isRecordType() ? address
                                           : load(address, call->getType(), placeOf(call));
  }
  if (isCopying() && runAsyncCopy(callee, call))
    return Value();
  if (isAddressConversion(name))
    return evaluate(call->getArg(0));
  if (isPipelineStep(name))
    return Value();
  if (isBarrier(name)) {
    if (isCopying())
      fail(diagnose(diag::unsupported_statement, placeOf(call), ("'" + name + "()'").str()));
    return Value();
  }
  if (isAssumption(name))
    return call->getNumArgs() > 0 ? evaluate(call->getArg(0)) : Value();
  if (isHalfConversion(name) && call->getNumArgs() >= 1)
    return convertToHalf(name, call);
  known = false;
  return Value();
}

/// The library's minimum or maximum of two integers.
std::optional<Value> Interpreter::smallerOrLarger(StringRef name, const CallExpr *call) {
  const QualType type = call->getType();
  const bool isMinimum = name == "min" || name == "umin" || name == "llmin" || name == "ullmin";
  const bool isMaximum = name == "max" || name == "umax" || name == "llmax" || name == "ullmax";
  if ((!isMinimum && !isMaximum) || call->getNumArgs() != 2 || !numberType(type))
    return std::nullopt;
  Value a = evaluate(call->getArg(0)), b = evaluate(call->getArg(1));
  Condition less = asCondition(
      Value::combine(
          a, b, [&](const Scalar &x, const Scalar &y) { return compare(BO_LT, x, y, type, call); }),
      kernel.context.BoolTy, placeOf(call));
  if (less.isUnknown())
    return Scalar::unknown("is computed by '" + spell(call) + "'", placeOf(call));
  return nameExtreme(isMinimum ? b.overwritten(less, a) : a.overwritten(less, b), type,
                     placeOf(call));
}

/// The library's magnitude of an integer.
std::optional<Value> Interpreter::magnitude(StringRef name, const CallExpr *call) {
  const QualType type = call->getType();
  if ((name != "abs" && name != "labs" && name != "llabs") || call->getNumArgs() != 1 ||
      !type->isSignedIntegerType() || !numberType(type))
    return std::nullopt;
  const Place place = placeOf(call);
  const Value value = evaluate(call->getArg(0));
  const Scalar zero = Scalar::ofNumber(Polynomial());
  const Condition isNegative =
      asCondition(value.map([&](const Scalar &x) { return compare(BO_LT, x, zero, type, call); }),
                  kernel.context.BoolTy, place);
  if (isNegative.isUnknown())
    return Scalar::unknown("is computed by '" + spell(call) + "'", place);
  return value.overwritten(isNegative, value.map([&](const Scalar &x) {
    return arithmetic(BO_Sub, zero, x, type, call);
  }));
}

Value Interpreter::convertToHalf(StringRef name, const CallExpr *call) {
  const Place place = placeOf(call);
  const Type *from = call->getArg(0)->getType()->getUnqualifiedDesugaredType();
  Value converted = evaluate(call->getArg(0)).map([&](const Scalar &scalar) {
    std::optional<APInt> bits = convertedToHalf(scalar, from, name);
    if (!bits)
      return Scalar::unknown("is converted by '" + name.str() + "'", place);
    Source source;
    source.kind = Source::Kind::Constant;
    source.bits = *bits;
    return Scalar::ofData(source);
  });
  Value object = makeTemporary(call->getType());
  store(object, converted, call->getType(), place);
  return object;
}

/// What `this` means in a lambda that is called.
Value Interpreter::thisIn(const CXXRecordDecl *lambda, Value closure) const {
  auto made = objectsOfLambdas.find(lambda);
  return made == objectsOfLambdas.end() ? closure : made->second;
}

/// In a lambda's body, a variable that is captured by copy has the value from when the lambda was
/// made. A mutable lambda may have changed its copies in earlier calls: their values are unknown.
void Interpreter::bindCaptures(const CXXMethodDecl *callee,
                               std::optional<decltype(objects)> &outer) {
  auto made = capturedBy.find(callee->getParent());
  if (made == capturedBy.end())
    return;
  if (!outer)
    outer = objects;
  for (const auto &[variable, value] : made->second) {
    objects.erase(variable);
    LocalObject &own = memory[objectOf(variable)];
    own = value;
    if (!callee->isConst())
      own.forget("is kept by a mutable lambda", placeOf(callee->getLocation()));
  }
}

/// Opens a frame whose parameters have the values of the arguments.
void Interpreter::enter(const FunctionDecl *callee, ArrayRef<const Expr *> arguments, Value self) {
  // Arguments first: they belong to the caller's frame.
  SmallVector<std::pair<const ParmVarDecl *, LocalObject>, 8> bound;
  for (unsigned i = 0; i < callee->getNumParams() && i < arguments.size(); ++i) {
    const ParmVarDecl *parameter = callee->getParamDecl(i);
    QualType type = parameter->getType();
    LocalObject object;
    if (type->isReferenceType()) {
      object.write(0, 8, Condition::always(), addressOf(arguments[i]));
    } else if (type->isRecordType()) {
      Value copy = makeTemporary(type);
      copyObject(copy, evaluate(arguments[i]), type, placeOf(arguments[i]));
      object = memory[copy.single()->object];
    } else {
      object.write(0, sizeOf(type), Condition::always(), evaluate(arguments[i]));
    }
    bound.push_back({parameter, std::move(object)});
  }
  // A function that calls itself has its variables once more.
  std::optional<decltype(objects)> outer;
  if (llvm::any_of(frames, [&](const Frame &frame) { return frame.function == callee; })) {
    outer = objects;
    for (const auto &[variable, object] : *outer)
      if (variable->getDeclContext() == callee)
        objects.erase(variable);
  }
  for (auto &[parameter, object] : bound)
    memory[objectOf(parameter)] = std::move(object);
  if (isLambda(callee))
    bindCaptures(cast<CXXMethodDecl>(callee), outer);

  frames.emplace_back();
  frames.back().outerObjects = std::move(outer);
  frames.back().function = callee;
  frames.back().self = isLambda(callee)
                           ? thisIn(cast<CXXMethodDecl>(callee)->getParent(), std::move(self))
                           : std::move(self);
  frames.back().returnsReference = callee->getReturnType()->isReferenceType();
  loops.emplace_back();
}

Value Interpreter::runBody(const FunctionDecl *callee, ArrayRef<const Expr *> arguments, Value self,
                           const Expr *call) {
  enter(callee, arguments, std::move(self));
  return runEntered(call);
}

/// Of a member, a base class, or the whole object by another constructor.
void Interpreter::runInitialiser(const CXXCtorInitializer *init, Place place) {
  const Value self = frames.back().self;
  if (const IndirectFieldDecl *within = init->getIndirectMember()) { // of a union without a name
    Value address = self;
    for (const NamedDecl *each : within->chain())
      address = addressOfField(address, cast<FieldDecl>(each));
    return initialise(address, evaluate(init->getInit()), init->getAnyMember()->getType(), place);
  }
  if (init->isBaseInitializer()) {
    const auto *own = cast<CXXConstructorDecl>(frames.back().function);
    if (init->isBaseVirtual())
      return;
    const Value part = movedBy(self, offsetOfBase(own->getParent(), init->getBaseClass()));
    return copyObject(part, evaluate(init->getInit()), init->getInit()->getType(), place);
  }
  const FieldDecl *field = init->getAnyMember();
  if (!field)
    return copyObject(self, evaluate(init->getInit()), init->getInit()->getType(), place);
  const Value address = addressOfField(self, field);
  if (field->getType()->isReferenceType())
    store(address, addressOf(init->getInit()), pointerTo(field), place);
  else if (field->getType()->isRecordType() || field->getType()->isArrayType())
    copyObject(address, evaluate(init->getInit()), field->getType(), place);
  else
    store(address, evaluate(init->getInit()), field->getType(), place);
}

/// The function of the last frame, to its end.
Value Interpreter::runEntered(const Expr *call) {
  Condition before = mask;
  const FunctionDecl *callee = frames.back().function;
  frames.back().calledAt = placeOf(call);
  size_t outerScope = scope.size();
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(callee))
    for (const CXXCtorInitializer *init : constructor->inits())
      runInitialiser(init, placeOf(call));
  run(callee->getBody());
  scope.truncate(outerScope);
  loops.pop_back();
  Frame frame = std::move(frames.back());
  frames.pop_back();
  if (frame.outerObjects)
    objects = std::move(*frame.outerObjects);
  mask = before;
  if (frame.hasResult)
    return frame.result;
  return Scalar::unknown("is returned by '" + callee->getNameAsString() + "'", placeOf(call));
}

} // namespace tilelift
