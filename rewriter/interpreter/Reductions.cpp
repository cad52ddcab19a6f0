//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An element of global memory and one of shared memory, combined: by an operator, a
// function of CUDA's or an atomic. Which of these TMA has, the plan knows.
//===----------------------------------------------------------------------===//

#include "interpreter/Interpreter.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Functions that return what TMA would leave, bit by bit.
std::optional<reduce_operation> functionOf(StringRef name) {
  return StringSwitch<std::optional<reduce_operation>>(name)
      .Cases({"__hadd", "__hadd2", "__hadd_rn", "__hadd2_rn"}, reduce_operation::add)
      .Cases({"min", "umin", "llmin", "ullmin", "fminf", "fmin", "__hmin", "__hmin2"},
             reduce_operation::min)
      .Cases({"max", "umax", "llmax", "ullmax", "fmaxf", "fmax", "__hmax", "__hmax2"},
             reduce_operation::max)
      .Default(std::nullopt);
}

/// Those for all of the system order more than TMA does.
std::optional<reduce_operation> atomicOf(StringRef name) {
  name.consume_back("_block");
  return StringSwitch<std::optional<reduce_operation>>(name)
      .Case("atomicAdd", reduce_operation::add)
      .Case("atomicMin", reduce_operation::min)
      .Case("atomicMax", reduce_operation::max)
      .Case("atomicInc", reduce_operation::inc)
      .Case("atomicDec", reduce_operation::dec)
      .Case("atomicAnd", reduce_operation::and_)
      .Case("atomicOr", reduce_operation::or_)
      .Case("atomicXor", reduce_operation::xor_)
      .Default(std::nullopt);
}

} // namespace

/// As what TMA counts numbers of a type; vectors of halves are so many halves.
std::optional<element_type> Interpreter::numbersOf(QualType type) const {
  if (std::optional<NumberType> number = numberType(type))
    switch (number->bits) {
    case 32: return number->isSigned ? element_type::i32 : element_type::u32;
    case 64: return number->isSigned ? element_type::i64 : element_type::u64;
    default: return std::nullopt;
    }
  if (type->isSpecificBuiltinType(BuiltinType::Float))
    return element_type::f32;
  if (type->isSpecificBuiltinType(BuiltinType::Double))
    return element_type::f64;
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  StringRef name = record && record->getIdentifier() ? record->getName() : StringRef();
  return StringSwitch<std::optional<element_type>>(name)
      .Cases({"__half", "__half2"}, element_type::f16)
      .Cases({"__nv_bfloat16", "__nv_bfloat162"}, element_type::bf16)
      .Default(std::nullopt);
}

std::optional<Scalar> Interpreter::combined(reduce_operation operation, const Scalar &a,
                                            const Scalar &b, QualType type) const {
  auto isFrom = [](const Scalar &scalar, Source::Kind kind) {
    return scalar.is(Scalar::Kind::Data) && scalar.data->kind == kind && !scalar.data->reduction &&
           scalar.data->widenedFrom == 0;
  };
  auto isPair = [&](const Scalar &shared, const Scalar &global) {
    return isFrom(shared, Source::Kind::Shared) && isFrom(global, Source::Kind::Load);
  };
  std::optional<element_type> numbers = numbersOf(type);
  if (!isCopying() || kernel.kind == CopyKind::Load || !numbers || (!isPair(a, b) && !isPair(b, a)))
    return std::nullopt;
  Scalar result = isPair(a, b) ? a : b;
  const Scalar &global = isPair(a, b) ? b : a;
  result.data.edit().reduction = {operation, *numbers};
  result.data.edit().combinedBase = global.data->base;
  result.data.edit().combinedOffset = global.data->offset;
  addNeeds(result.needs, global.needs);
  return result;
}

/// What a call leaves where it is told to, or returns.
std::optional<Value> Interpreter::combineByCall(StringRef name, const CallExpr *call) {
  std::optional<reduce_operation> function = functionOf(name), atomic = atomicOf(name);
  bool mayCombine = isCopying() && kernel.kind != CopyKind::Load && call->getNumArgs() == 2;
  if (!mayCombine || (!function && !atomic))
    return std::nullopt;
  const Expr *first = call->getArg(0), *second = call->getArg(1);
  auto changes = [&](const Expr *argument) {
    return argument->HasSideEffects(kernel.context, /*IncludePossibleEffects=*/false);
  };
  if (function && (changes(first) || changes(second))) // they may be evaluated once more
    return std::nullopt;
  // Functions convert both arguments to one type, as max(unsigned, int) does.
  QualType type = function ? call->getType().getUnqualifiedType() : second->getType();
  Place place = placeOf(call);
  // An object is where it lies until it is read.
  auto valueOf = [&](const Expr *expression) {
    Value value = evaluate(expression);
    bool isPlace = type->isRecordType() && llvm::all_of(value.getCases(), [](const ValueCase &one) {
                     return one.scalar.is(Scalar::Kind::Address);
                   });
    return isPlace ? load(value, type, place) : value;
  };
  if (atomic) {
    const Value address = evaluate(first), old = load(address, type, place);
    store(address, combineAtomically(*atomic, old, valueOf(second), name, call), type, place);
    return Scalar::unknown("is returned by '" + name.str() + "'", place);
  }
  bool isAll = true;
  Value both = Value::combine(valueOf(first), valueOf(second),
                              [&](const Scalar &a, const Scalar &b) -> Scalar {
                                std::optional<Scalar> one = combined(*function, a, b, type);
                                isAll &= one.has_value();
                                return one.value_or(Scalar());
                              });
  if (!isAll)
    return std::nullopt;
  if (!type->isRecordType())
    return both;
  Value object = makeTemporary(type);
  store(object, both, type, place);
  return object;
}

/// Unlike a sum, an atomic one flushes numbers that are too small for all of their bits.
Value Interpreter::combineAtomically(reduce_operation operation, const Value &old, const Value &by,
                                     StringRef name, const CallExpr *call) {
  const Expr *second = call->getArg(1);
  return Value::combine(old, by, [&](const Scalar &a, const Scalar &b) {
    std::optional<Scalar> one = combined(operation, a, b, second->getType());
    if (one && one->data->reduction->type == element_type::f32)
      one->data.edit().reduction->type = element_type::f32_ftz;
    if (one)
      return *one;
    const bool isElement = b.is(Scalar::Kind::Data) && b.data->kind == Source::Kind::Shared;
    return Scalar::unknown(
        "is computed by '" + name.str() + "'" +
            (isElement ? ""
                       : " from '" + spell(second) + "', which is not an element of shared memory"),
        placeOf(call));
  });
}

} // namespace tilelift
