//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point arithmetic.
//
// What PTX defines exactly is exact here, except that a NaN may carry another
// payload. Its approximations (ex2.approx, div.full, ...) have no defined last
// bits; here they are as exact as the host's mathematics library.
//===----------------------------------------------------------------------===//

#include "ptx/FunctionTranslator.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilelift::ptx {

namespace {

bool isRounding(StringRef modifier) {
  return modifier == "rz" || modifier == "rm" || modifier == "rp";
}

} // namespace

/// With .ftz subnormal numbers count as zero.
llvm::Value *FunctionTranslator::flushed(llvm::Value *value, const Instruction &code) {
  if (!code.has("ftz") || !value->getType()->getScalarType()->isFloatTy())
    return value;
  llvm::Value *size = builder.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  llvm::Value *isSubnormal =
      builder.CreateFCmpOLT(size, ConstantFP::get(value->getType(), 0x1p-126));
  llvm::Value *zero = builder.CreateBinaryIntrinsic(Intrinsic::copysign,
                                                    ConstantFP::get(value->getType(), 0.), value);
  return builder.CreateSelect(isSubnormal, zero, value);
}

/// What is computed in at most 32 bits and is no number has all bits set but the sign.
llvm::Value *FunctionTranslator::canonical(llvm::Value *value, Type type) {
  if (type.bits > 32)
    return value;
  llvm::Type *own = value->getType(), *word = builder.getIntNTy(own->getScalarSizeInBits());
  llvm::Type *words = own->isVectorTy() ? own->getWithNewType(word) : word;
  unsigned bits = own->getScalarSizeInBits();
  llvm::Value *nan =
      builder.CreateBitCast(ConstantInt::get(words, APInt::getSignedMaxValue(bits)), own);
  return builder.CreateSelect(builder.CreateFCmpUNO(value, value), nan, value);
}

/// With .sat a result is between 0 and 1, NaN becomes 0.
llvm::Value *FunctionTranslator::saturated(llvm::Value *value, const Instruction &code) {
  llvm::Type *type = value->getType();
  if (code.has("sat")) {
    value = builder.CreateBinaryIntrinsic(Intrinsic::maximumnum, value, ConstantFP::get(type, 0.));
    return builder.CreateBinaryIntrinsic(Intrinsic::minimumnum, value, ConstantFP::get(type, 1.));
  }
  if (code.has("relu"))
    return builder.CreateSelect(builder.CreateFCmpUGT(value, ConstantFP::get(type, 0.)), value,
                                ConstantFP::get(type, 0.));
  return value;
}

/// One rounding. For half and bfloat16 no host instruction does that.
llvm::Value *FunctionTranslator::fused(const Instruction &code, llvm::Value *a, llvm::Value *b,
                                       llvm::Value *c, Type type) {
  if (type.bits != 16)
    return builder.CreateIntrinsic(Intrinsic::fma, {a->getType()}, {a, b, c});
  StringRef name = type.kind == Type::Brain ? "tilelift_fma_bf16" : "tilelift_fma_f16";
  llvm::Type *half = builder.getInt16Ty();
  auto one = [&](llvm::Value *x, llvm::Value *y, llvm::Value *z) {
    llvm::Value *bits = call(name, half, {asBits(x), asBits(y), asBits(z)});
    return builder.CreateBitCast(bits, x->getType());
  };
  if (type.lanes == 1)
    return one(a, b, c);
  llvm::Value *all = PoisonValue::get(a->getType());
  for (unsigned i = 0; i < type.lanes; ++i)
    all = builder.CreateInsertElement(all,
                                      one(builder.CreateExtractElement(a, i),
                                          builder.CreateExtractElement(b, i),
                                          builder.CreateExtractElement(c, i)),
                                      i);
  return all;
}

/// Rounding towards zero or an infinity is left to the machine.
llvm::Value *FunctionTranslator::rounded(StringRef operation, const Instruction &code,
                                         ArrayRef<llvm::Value *> arguments) {
  auto direction = find_if(code.modifiers, isRounding);
  llvm::Type *type = arguments[0]->getType();
  std::vector<llvm::Value *> all(arguments.begin(), arguments.end());
  while (all.size() < 3)
    all.push_back(ConstantFP::get(type, 0.));
  all.push_back(integer(*direction == "rz" ? 0 : *direction == "rm" ? 1 : 2));
  return call(("tilelift_rounded_" + operation + (type->isDoubleTy() ? "_f64" : "_f32")).str(),
              type, all);
}

/// bfloat16 is the upper half of a float, rounded to nearest even. What hosts
/// have for it loses subnormal numbers.
llvm::Value *FunctionTranslator::narrowedToBrain(llvm::Value *value) {
  llvm::Type *words = value->getType()->getWithNewType(builder.getInt32Ty());
  llvm::Value *bits = builder.CreateBitCast(value, words);
  llvm::Value *odd = builder.CreateAnd(builder.CreateLShr(bits, 16), 1);
  llvm::Value *rounded = builder.CreateLShr(
      builder.CreateAdd(bits, builder.CreateAdd(odd, ConstantInt::get(words, 0x7fff))), 16);
  llvm::Value *upper = builder.CreateSelect(builder.CreateFCmpUNO(value, value),
                                            ConstantInt::get(words, 0x7fff), rounded);
  llvm::Type *halves = words->getWithNewType(builder.getInt16Ty());
  return builder.CreateBitCast(builder.CreateTrunc(upper, halves),
                               words->getWithNewType(builder.getBFloatTy()));
}

bool FunctionTranslator::floatArithmetic(const Instruction &code) {
  Type type = code.type();
  if (!type.isFloat())
    return false;
  const auto &operands = code.operands;
  bool isBrain = type.kind == Type::Brain && code.opcode != "fma";
  auto in = [&](unsigned i) {
    llvm::Value *value = read(operands[i], type);
    if (isBrain)
      value = builder.CreateFPExt(value, value->getType()->getWithNewType(builder.getFloatTy()));
    return flushed(value, code);
  };
  auto out = [&](llvm::Value *value) {
    value = saturated(flushed(value, code), code);
    write(operands[0], isBrain ? narrowedToBrain(value) : value, type);
    return true;
  };
  auto computed = [&](llvm::Value *value) { return out(canonical(value, type)); };
  bool isDirected = any_of(code.modifiers, isRounding);
  StringRef op = code.opcode;
  auto unary = [&](Intrinsic::ID id) { return out(builder.CreateUnaryIntrinsic(id, in(1))); };
  auto one = [&] {
    llvm::Type *own = irType(type);
    return ConstantFP::get(isBrain ? own->getWithNewType(builder.getFloatTy()) : own, 1.);
  };
  if (isDirected && (op == "add" || op == "sub" || op == "mul" || op == "div"))
    return computed(rounded(op, code, {in(1), in(2)}));
  if (isDirected && (op == "fma" || op == "mad"))
    return computed(rounded("fma", code, {in(1), in(2), in(3)}));
  if (isDirected && op == "rcp")
    return computed(rounded("div", code, {one(), in(1)}));
  if (isDirected && op == "sqrt")
    return computed(rounded("sqrt", code, {in(1)}));
  if (op == "add")
    return computed(builder.CreateFAdd(in(1), in(2)));
  if (op == "sub")
    return computed(builder.CreateFSub(in(1), in(2)));
  if (op == "mul")
    return computed(builder.CreateFMul(in(1), in(2)));
  if (op == "fma" || op == "mad")
    return computed(fused(code, in(1), in(2), in(3), type));
  if (op == "div")
    return computed(builder.CreateFDiv(in(1), in(2)));
  if (op == "rcp")
    return computed(builder.CreateFDiv(one(), in(1)));
  if (op == "sqrt")
    return computed(builder.CreateUnaryIntrinsic(Intrinsic::sqrt, in(1)));
  if (op == "rsqrt")
    return computed(
        builder.CreateFDiv(one(), builder.CreateUnaryIntrinsic(Intrinsic::sqrt, in(1))));
  if (op == "sin" || op == "cos")
    return unary(op == "sin" ? Intrinsic::sin : Intrinsic::cos);
  if (op == "lg2" || op == "ex2" || op == "tanh")
    return unary(op == "lg2" ? Intrinsic::log2 : op == "ex2" ? Intrinsic::exp2 : Intrinsic::tanh);
  if (op == "abs")
    return unary(Intrinsic::fabs);
  if (op == "neg")
    return out(builder.CreateFNeg(in(1)));
  if (op == "min" || op == "max") {
    llvm::Value *value = minMax(code, in(1), in(2), type);
    return computed(operands.size() > 3 ? minMax(code, value, in(3), type) : value);
  }
  if (op == "copysign") // the sign of the first operand, the size of the second
    return out(builder.CreateBinaryIntrinsic(Intrinsic::copysign, in(2), in(1)));
  return false;
}

} // namespace tilelift::ptx
