//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer and floating-point arithmetic, bit operations, comparisons.
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

// Integers.

bool FunctionTranslator::integerArithmetic(const Instruction &code) {
  Type type = code.type();
  if (!type.isInteger())
    return false;
  const auto &operands = code.operands;
  auto in = [&](unsigned i) { return read(operands[i], type); };
  auto out = [&](llvm::Value *value) {
    write(operands[0], value, type);
    return true;
  };
  bool isSigned = type.kind == Type::Signed;
  StringRef op = code.opcode;
  bool overflows = code.has("cc") || op == "addc" || op == "subc";
  if ((op == "add" || op == "sub" || op == "addc" || op == "subc") && overflows) {
    addWithCarry(code, op.starts_with("sub"));
    return true;
  }
  if (op == "add" || op == "sub") {
    bool isAdd = op == "add";
    if (code.has("sat"))
      return out(builder.CreateBinaryIntrinsic(isAdd ? Intrinsic::sadd_sat : Intrinsic::ssub_sat,
                                               in(1), in(2)));
    return out(isAdd ? builder.CreateAdd(in(1), in(2)) : builder.CreateSub(in(1), in(2)));
  }
  if (op == "mul" || op == "mad" || op == "madc" || op == "mul24" || op == "mad24") {
    multiply(code);
    return true;
  }
  if (op == "div" || op == "rem") {
    // What the divisor zero gives is not defined; here it gives all ones.
    llvm::Value *a = in(1), *b = in(2);
    llvm::Value *zero = ConstantInt::get(b->getType(), 0);
    llvm::Value *isZero = builder.CreateICmpEQ(b, zero);
    llvm::Value *minusOne = Constant::getAllOnesValue(b->getType());
    llvm::Value *isMinusOne = isSigned ? builder.CreateICmpEQ(b, minusOne) : builder.getFalse();
    llvm::Value *safe = builder.CreateSelect(builder.CreateOr(isZero, isMinusOne),
                                             ConstantInt::get(b->getType(), 1), b);
    bool isQuotient = op == "div";
    llvm::Value *value =
        isQuotient ? (isSigned ? builder.CreateSDiv(a, safe) : builder.CreateUDiv(a, safe))
                   : (isSigned ? builder.CreateSRem(a, safe) : builder.CreateURem(a, safe));
    if (isQuotient)
      value = builder.CreateSelect(isMinusOne, builder.CreateNeg(a), value);
    return out(builder.CreateSelect(isZero, minusOne, value));
  }
  if (op == "sad") {
    llvm::Value *less =
        isSigned ? builder.CreateICmpSLT(in(1), in(2)) : builder.CreateICmpULT(in(1), in(2));
    llvm::Value *difference = builder.CreateSub(in(1), in(2));
    return out(builder.CreateAdd(
        in(3), builder.CreateSelect(less, builder.CreateNeg(difference), difference)));
  }
  if (op == "abs")
    return out(builder.CreateBinaryIntrinsic(Intrinsic::abs, in(1), builder.getFalse()));
  if (op == "neg")
    return out(builder.CreateNeg(in(1)));
  if (op == "min" || op == "max") {
    llvm::Value *value = minMax(code, in(1), in(2), type);
    if (code.has("relu"))
      value = builder.CreateBinaryIntrinsic(Intrinsic::smax, value,
                                            ConstantInt::get(value->getType(), 0));
    return out(value);
  }
  if (op == "dp4a" || op == "dp2a") {
    llvm::Type *word = builder.getInt32Ty();
    bool signedA = code.type(1).kind == Type::Signed, signedB = isSigned;
    unsigned bitsA = op == "dp4a" ? 8 : 16, terms = op == "dp4a" ? 4 : 2;
    unsigned firstB = code.has("hi") ? 2 : 0;
    auto part = [&](unsigned i, unsigned index, unsigned bits, bool isSigned) {
      llvm::Value *cut = builder.CreateTrunc(
          builder.CreateLShr(readBits(operands[i], 32), index * bits), builder.getIntNTy(bits));
      return isSigned ? builder.CreateSExt(cut, word) : builder.CreateZExt(cut, word);
    };
    llvm::Value *sum = readBits(operands[3], 32);
    for (unsigned i = 0; i < terms; ++i)
      sum = builder.CreateAdd(
          sum, builder.CreateMul(part(1, i, bitsA, signedA), part(2, firstB + i, 8, signedB)));
    write(operands[0], sum, {Type::Bits, 32, 1});
    return true;
  }
  return false;
}

llvm::Value *FunctionTranslator::minMax(const Instruction &code, llvm::Value *a, llvm::Value *b,
                                        Type type) {
  bool isMin = code.opcode == "min";
  if (!type.isFloat())
    return builder.CreateBinaryIntrinsic(type.kind == Type::Signed
                                             ? (isMin ? Intrinsic::smin : Intrinsic::smax)
                                             : (isMin ? Intrinsic::umin : Intrinsic::umax),
                                         a, b);
  bool propagates = code.has("NaN");
  return builder.CreateBinaryIntrinsic(
      propagates ? (isMin ? Intrinsic::minimum : Intrinsic::maximum)
                 : (isMin ? Intrinsic::minimumnum : Intrinsic::maximumnum),
      a, b);
}

void FunctionTranslator::addWithCarry(const Instruction &code, bool subtract) {
  Type type = code.type();
  unsigned bits = type.bits;
  llvm::Type *wide = builder.getIntNTy(bits + 1);
  llvm::Value *a = builder.CreateZExt(readBits(code.operands[1], bits), wide);
  llvm::Value *b = builder.CreateZExt(readBits(code.operands[2], bits), wide);
  bool takes = code.opcode.back() == 'c';
  llvm::Value *in = takes ? builder.CreateZExt(builder.CreateLoad(builder.getInt1Ty(), carry), wide)
                          : ConstantInt::get(wide, 0);
  llvm::Value *sum = subtract ? builder.CreateSub(builder.CreateSub(a, b), in)
                              : builder.CreateAdd(builder.CreateAdd(a, b), in);
  if (code.has("cc"))
    builder.CreateStore(builder.CreateTrunc(builder.CreateLShr(sum, bits), builder.getInt1Ty()),
                        carry);
  write(code.operands[0], builder.CreateTrunc(sum, builder.getIntNTy(bits)), type);
}

llvm::Value *FunctionTranslator::product(const Instruction &code, llvm::Value *a, llvm::Value *b,
                                         Type type) {
  bool isSigned = type.kind == Type::Signed;
  unsigned bits = type.bits;
  bool is24 = StringRef(code.opcode).ends_with("24");
  if (is24) {
    auto low = [&](llvm::Value *value) {
      llvm::Value *up = builder.CreateShl(value, 8);
      return isSigned ? builder.CreateAShr(up, 8) : builder.CreateLShr(up, 8);
    };
    a = low(a);
    b = low(b);
  }
  if (!code.has("wide") && !code.has("hi"))
    return builder.CreateMul(a, b);
  llvm::Type *wide = builder.getIntNTy(2 * bits);
  auto extend = [&](llvm::Value *value) {
    return isSigned ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide);
  };
  llvm::Value *all = builder.CreateMul(extend(a), extend(b));
  if (code.has("wide"))
    return all;
  return builder.CreateTrunc(builder.CreateLShr(all, is24 ? 16 : bits), builder.getIntNTy(bits));
}

void FunctionTranslator::multiply(const Instruction &code) {
  Type type = code.type();
  Type result = type;
  if (code.has("wide"))
    result.bits *= 2;
  const auto &operands = code.operands;
  llvm::Value *value = product(code, read(operands[1], type), read(operands[2], type), type);
  if (StringRef(code.opcode).starts_with("mad")) {
    llvm::Type *wide = builder.getIntNTy(result.bits + 1);
    llvm::Value *sum = builder.CreateAdd(builder.CreateZExt(value, wide),
                                         builder.CreateZExt(read(operands[3], result), wide));
    if (code.opcode == "madc")
      sum = builder.CreateAdd(
          sum, builder.CreateZExt(builder.CreateLoad(builder.getInt1Ty(), carry), wide));
    if (code.has("cc"))
      builder.CreateStore(
          builder.CreateTrunc(builder.CreateLShr(sum, result.bits), builder.getInt1Ty()), carry);
    value = builder.CreateTrunc(sum, builder.getIntNTy(result.bits));
  }
  write(operands[0], value, result);
}

/// vadd4 and its like: the same on each byte or half of a word.
bool FunctionTranslator::laneArithmetic(const Instruction &code) {
  StringRef op = code.opcode;
  if (!op.consume_front("v") || (op.back() != '2' && op.back() != '4'))
    return false;
  unsigned bits = op.back() == '4' ? 8 : 16;
  op = op.drop_back();
  bool isSet = op == "set";
  Type result = isSet ? Type{Type::Unsigned, 32, 1} : code.type(2);
  Type types[] = {code.type(1), code.type(0)};
  if (code.operands.size() != 4 || code.has("add"))
    return false;
  llvm::Type *wide = builder.getInt32Ty();
  llvm::Value *all = integer(0);
  for (unsigned lane = 0; lane < 32 / bits; ++lane) {
    llvm::Value *values[2];
    for (unsigned i = 0; i < 2; ++i) {
      llvm::Value *cut =
          builder.CreateTrunc(builder.CreateLShr(readBits(code.operands[i + 1], 32), lane * bits),
                              builder.getIntNTy(bits));
      values[i] = types[i].kind == Type::Signed ? builder.CreateSExt(cut, wide)
                                                : builder.CreateZExt(cut, wide);
    }
    llvm::Value *one = nullptr;
    if (isSet) {
      llvm::Value *holds =
          compare(code.modifiers.back(), values[0], values[1], {Type::Signed, 32, 1});
      one = holds ? builder.CreateZExt(holds, wide) : nullptr;
    } else if (op == "add") {
      one = builder.CreateAdd(values[0], values[1]);
    } else if (op == "sub") {
      one = builder.CreateSub(values[0], values[1]);
    } else if (op == "avrg") { // rounds away from zero
      llvm::Value *sum = builder.CreateAdd(values[0], values[1]);
      one = builder.CreateAShr(
          builder.CreateAdd(sum, builder.CreateZExt(builder.CreateICmpSGE(sum, integer(0)), wide)),
          1);
    } else if (op == "min" || op == "max") {
      one = builder.CreateBinaryIntrinsic(op == "min" ? Intrinsic::smin : Intrinsic::smax,
                                          values[0], values[1]);
    } else if (op == "absdiff") {
      one = builder.CreateBinaryIntrinsic(Intrinsic::abs, builder.CreateSub(values[0], values[1]),
                                          builder.getFalse());
    }
    if (!one)
      return false;
    if (code.has("sat")) {
      bool isSigned = result.kind == Type::Signed;
      int64_t low = isSigned ? -(int64_t(1) << (bits - 1)) : 0;
      int64_t high = (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
      one = builder.CreateBinaryIntrinsic(Intrinsic::smax, one, builder.getInt32(uint32_t(low)));
      one = builder.CreateBinaryIntrinsic(Intrinsic::smin, one, builder.getInt32(uint32_t(high)));
    }
    one = builder.CreateAnd(one, integer((1u << bits) - 1));
    all = builder.CreateOr(all, builder.CreateShl(one, lane * bits));
  }
  write(code.operands[0], all, {Type::Bits, 32, 1});
  return true;
}

// Bits.

/// Shifts by the width or more give zero, or the sign.
llvm::Value *FunctionTranslator::shifted(const Instruction &code, llvm::Value *value,
                                         llvm::Value *by, Type type) {
  unsigned bits = type.bits;
  bool isRight = code.opcode == "shr";
  bool isSigned = type.kind == Type::Signed;
  llvm::Value *limit = ConstantInt::get(by->getType(), bits - 1);
  llvm::Value *isFar = builder.CreateICmpUGT(by, limit);
  llvm::Value *near =
      builder.CreateZExtOrTrunc(builder.CreateSelect(isFar, limit, by), value->getType());
  if (isRight && isSigned)
    return builder.CreateAShr(value, near);
  llvm::Value *moved = isRight ? builder.CreateLShr(value, near) : builder.CreateShl(value, near);
  return builder.CreateSelect(isFar, ConstantInt::get(value->getType(), 0), moved);
}

/// prmt without a mode: four bytes chosen out of eight, or their signs.
llvm::Value *FunctionTranslator::permuted(const Instruction &code) {
  llvm::Type *wide = builder.getInt64Ty();
  llvm::Value *low = builder.CreateZExt(readBits(code.operands[1], 32), wide);
  llvm::Value *high = builder.CreateZExt(readBits(code.operands[2], 32), wide);
  llvm::Value *bytes = builder.CreateOr(low, builder.CreateShl(high, 32));
  llvm::Value *selector = readBits(code.operands[3], 32);
  llvm::Value *result = integer(0);
  for (unsigned i = 0; i < 4; ++i) {
    llvm::Value *choice = builder.CreateLShr(selector, 4 * i);
    llvm::Value *position =
        builder.CreateZExt(builder.CreateShl(builder.CreateAnd(choice, 7), 3), wide);
    llvm::Value *byte =
        builder.CreateTrunc(builder.CreateLShr(bytes, position), builder.getInt8Ty());
    llvm::Value *sign = builder.CreateAShr(byte, 7);
    llvm::Value *wantsSign = builder.CreateICmpNE(builder.CreateAnd(choice, 8), integer(0));
    byte = builder.CreateSelect(wantsSign, sign, byte);
    result = builder.CreateOr(
        result, builder.CreateShl(builder.CreateZExt(byte, builder.getInt32Ty()), 8 * i));
  }
  return result;
}

/// lop3: the truth table says which of the eight combinations are one.
llvm::Value *FunctionTranslator::anyFunction(llvm::Value *a, llvm::Value *b, llvm::Value *c,
                                             unsigned table) {
  llvm::Value *result = ConstantInt::get(a->getType(), 0);
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1) {
      llvm::Value *term = i & 4 ? a : builder.CreateNot(a);
      term = builder.CreateAnd(term, i & 2 ? b : builder.CreateNot(b));
      term = builder.CreateAnd(term, i & 1 ? c : builder.CreateNot(c));
      result = builder.CreateOr(result, term);
    }
  return result;
}

bool FunctionTranslator::bitOperation(const Instruction &code) {
  Type type = code.type();
  if (!type)
    return false;
  const auto &operands = code.operands;
  unsigned bits = type.totalBits();
  auto in = [&](unsigned i) { return readBits(operands[i], bits); };
  auto out = [&](llvm::Value *value) {
    write(operands[0], value, {type.kind, bits, 1});
    return true;
  };
  Type word = {Type::Unsigned, 32, 1};
  StringRef op = code.opcode;
  if (op == "and")
    return out(builder.CreateAnd(in(1), in(2)));
  if (op == "or")
    return out(builder.CreateOr(in(1), in(2)));
  if (op == "xor")
    return out(builder.CreateXor(in(1), in(2)));
  if (op == "not")
    return out(builder.CreateNot(in(1)));
  if (op == "cnot")
    return out(
        builder.CreateZExt(builder.CreateICmpEQ(in(1), integer(0, bits)), builder.getIntNTy(bits)));
  if (op == "lop3")
    return out(anyFunction(in(1), in(2), in(3), unsigned(operands[4].value)));
  if (op == "shl" || op == "shr")
    return out(shifted(code, in(1), readBits(operands[2], 32), type));
  if (op == "shf") {
    llvm::Value *by = in(3);
    by = code.has("clamp") ? builder.CreateBinaryIntrinsic(Intrinsic::umin, by, integer(32))
                           : builder.CreateAnd(by, 31);
    llvm::Type *wide = builder.getInt64Ty();
    llvm::Value *both = builder.CreateOr(builder.CreateZExt(in(1), wide),
                                         builder.CreateShl(builder.CreateZExt(in(2), wide), 32));
    llvm::Value *far = builder.CreateZExt(by, wide);
    llvm::Value *moved = code.has("r") ? builder.CreateLShr(both, far)
                                       : builder.CreateLShr(builder.CreateShl(both, far), 32);
    return out(builder.CreateTrunc(moved, builder.getInt32Ty()));
  }
  if (op == "prmt" && code.modifiers.size() == 1)
    return out(permuted(code));
  if (op == "popc" || op == "clz" || op == "brev") {
    llvm::Value *value =
        op == "popc"  ? builder.CreateUnaryIntrinsic(Intrinsic::ctpop, in(1))
        : op == "clz" ? builder.CreateBinaryIntrinsic(Intrinsic::ctlz, in(1), builder.getFalse())
                      : builder.CreateUnaryIntrinsic(Intrinsic::bitreverse, in(1));
    if (op == "brev")
      return out(value);
    write(operands[0], builder.CreateZExtOrTrunc(value, builder.getInt32Ty()), word);
    return true;
  }
  if (op == "bfind") {
    llvm::Value *value = in(1);
    if (type.kind == Type::Signed)
      value = builder.CreateXor(value, builder.CreateAShr(value, bits - 1));
    llvm::Value *zeros = builder.CreateZExtOrTrunc(
        builder.CreateBinaryIntrinsic(Intrinsic::ctlz, value, builder.getFalse()),
        builder.getInt32Ty());
    llvm::Value *isZero = builder.CreateICmpEQ(value, integer(0, bits));
    llvm::Value *found = code.has("shiftamt") ? zeros : builder.CreateSub(integer(bits - 1), zeros);
    write(operands[0], builder.CreateSelect(isZero, integer(~0u), found), word);
    return true;
  }
  if (op == "bfe") {
    llvm::Value *position = builder.CreateAnd(readBits(operands[2], 32), 255);
    llvm::Value *length = builder.CreateAnd(readBits(operands[3], 32), 255);
    return out(builder.CreateZExtOrTrunc(
        call(type.kind == Type::Signed ? "tilelift_extract_signed" : "tilelift_extract",
             builder.getInt64Ty(),
             {builder.CreateIntCast(in(1), builder.getInt64Ty(), type.kind == Type::Signed),
              position, length, integer(bits)}),
        builder.getIntNTy(bits)));
  }
  if (op == "bfi") {
    llvm::Value *position = builder.CreateAnd(readBits(operands[3], 32), 255);
    llvm::Value *length = builder.CreateAnd(readBits(operands[4], 32), 255);
    llvm::Type *wide = builder.getInt128Ty();
    llvm::Value *one = ConstantInt::get(wide, 1);
    auto clamp = [&](llvm::Value *v) {
      return builder.CreateZExt(builder.CreateBinaryIntrinsic(Intrinsic::umin, v, integer(bits)),
                                wide);
    };
    llvm::Value *ones = builder.CreateSub(builder.CreateShl(one, clamp(length)), one);
    llvm::Value *mask =
        builder.CreateTrunc(builder.CreateShl(ones, clamp(position)), builder.getIntNTy(bits));
    llvm::Value *inserted =
        builder.CreateTrunc(builder.CreateShl(builder.CreateZExt(in(1), wide), clamp(position)),
                            builder.getIntNTy(bits));
    return out(builder.CreateOr(builder.CreateAnd(inserted, mask),
                                builder.CreateAnd(in(2), builder.CreateNot(mask))));
  }
  if (op == "bmsk") {
    llvm::Type *wide = builder.getInt64Ty();
    auto small = [&](unsigned i) {
      llvm::Value *value = in(i);
      value = code.has("wrap") ? builder.CreateAnd(value, 31)
                               : builder.CreateBinaryIntrinsic(Intrinsic::umin, value, integer(32));
      return builder.CreateZExt(value, wide);
    };
    llvm::Value *ones =
        builder.CreateSub(builder.CreateShl(integer(1, 64), small(2)), integer(1, 64));
    return out(builder.CreateTrunc(builder.CreateShl(ones, small(1)), builder.getInt32Ty()));
  }
  if (op == "szext") {
    llvm::Value *width = in(2);
    width = code.has("wrap") ? builder.CreateAnd(width, 31)
                             : builder.CreateBinaryIntrinsic(Intrinsic::umin, width, integer(32));
    llvm::Value *away =
        builder.CreateZExt(builder.CreateSub(integer(32), width), builder.getInt64Ty());
    llvm::Value *up = builder.CreateShl(builder.CreateZExt(in(1), builder.getInt64Ty()),
                                        builder.CreateAdd(away, integer(32, 64)));
    llvm::Value *far = builder.CreateAdd(away, integer(32, 64));
    llvm::Value *moved =
        type.kind == Type::Signed ? builder.CreateAShr(up, far) : builder.CreateLShr(up, far);
    llvm::Value *none = builder.CreateICmpEQ(width, integer(0));
    return out(
        builder.CreateSelect(none, integer(0), builder.CreateTrunc(moved, builder.getInt32Ty())));
  }
  return false;
}

// Floating point.

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

// Comparisons and choices.

llvm::Value *FunctionTranslator::compare(StringRef relation, llvm::Value *a, llvm::Value *b,
                                         Type type) {
  if (type.isFloat()) {
    auto predicate = StringSwitch<CmpInst::Predicate>(relation)
                         .Case("eq", CmpInst::FCMP_OEQ)
                         .Case("ne", CmpInst::FCMP_ONE)
                         .Case("lt", CmpInst::FCMP_OLT)
                         .Case("le", CmpInst::FCMP_OLE)
                         .Case("gt", CmpInst::FCMP_OGT)
                         .Case("ge", CmpInst::FCMP_OGE)
                         .Case("equ", CmpInst::FCMP_UEQ)
                         .Case("neu", CmpInst::FCMP_UNE)
                         .Case("ltu", CmpInst::FCMP_ULT)
                         .Case("leu", CmpInst::FCMP_ULE)
                         .Case("gtu", CmpInst::FCMP_UGT)
                         .Case("geu", CmpInst::FCMP_UGE)
                         .Case("num", CmpInst::FCMP_ORD)
                         .Case("nan", CmpInst::FCMP_UNO)
                         .Default(CmpInst::BAD_FCMP_PREDICATE);
    return predicate == CmpInst::BAD_FCMP_PREDICATE ? nullptr : builder.CreateFCmp(predicate, a, b);
  }
  bool isSigned = type.kind == Type::Signed;
  auto predicate = StringSwitch<CmpInst::Predicate>(relation)
                       .Case("eq", CmpInst::ICMP_EQ)
                       .Case("ne", CmpInst::ICMP_NE)
                       .Cases({"lt", "lo"}, isSigned ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
                       .Cases({"le", "ls"}, isSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
                       .Cases({"gt", "hi"}, isSigned ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
                       .Cases({"ge", "hs"}, isSigned ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
                       .Default(CmpInst::BAD_ICMP_PREDICATE);
  return predicate == CmpInst::BAD_ICMP_PREDICATE ? nullptr : builder.CreateICmp(predicate, a, b);
}

bool FunctionTranslator::comparison(const Instruction &code) {
  const auto &operands = code.operands;
  StringRef op = code.opcode;
  Type type = code.type();
  Type pred = {Type::Pred, 1, 1};
  if (op == "selp") {
    llvm::Value *condition = read(operands[3], pred);
    write(operands[0],
          builder.CreateSelect(condition, read(operands[1], type), read(operands[2], type)), type);
    return true;
  }
  if (op == "slct") {
    Type chooser = type;
    Type value = code.type(1);
    llvm::Value *c = read(operands[3], chooser);
    llvm::Value *isPositive =
        chooser.isFloat()
            ? builder.CreateFCmpOGE(flushed(c, code), ConstantFP::get(c->getType(), 0.))
            : builder.CreateICmpSGE(c, ConstantInt::get(c->getType(), 0));
    write(operands[0],
          builder.CreateSelect(isPositive, read(operands[1], value), read(operands[2], value)),
          value);
    return true;
  }
  if (op == "testp") {
    llvm::Value *value = read(operands[1], type);
    llvm::Value *size = builder.CreateUnaryIntrinsic(Intrinsic::fabs, value);
    llvm::Value *infinity = ConstantFP::getInfinity(value->getType());
    llvm::Value *smallest =
        ConstantFP::get(value->getType(), type.bits == 32 ? 0x1p-126 : 0x1p-1022);
    llvm::Value *zero = ConstantFP::get(value->getType(), 0.);
    StringRef kind = code.modifiers[0];
    llvm::Value *answer = kind == "finite"       ? builder.CreateFCmpOLT(size, infinity)
                          : kind == "infinite"   ? builder.CreateFCmpOEQ(size, infinity)
                          : kind == "number"     ? builder.CreateFCmpORD(value, value)
                          : kind == "notanumber" ? builder.CreateFCmpUNO(value, value)
                          : kind == "normal"
                              ? builder.CreateAnd(builder.CreateFCmpOGE(size, smallest),
                                                  builder.CreateFCmpOLT(size, infinity))
                              : builder.CreateAnd(builder.CreateFCmpOLT(size, smallest),
                                                  builder.CreateFCmpOGT(size, zero));
    write(operands[0], answer, pred);
    return true;
  }
  if (op != "setp" && op != "set")
    return false;
  llvm::Value *a = flushed(read(operands[1], type), code),
              *b = flushed(read(operands[2], type), code);
  StringRef relation = code.modifiers[0];
  auto each = [&](llvm::Value *a, llvm::Value *b) {
    return compare(relation, a, b, {type.kind, type.bits, 1});
  };
  if (type.lanes == 2 && op == "setp") { // one predicate for each half
    for (unsigned i = 0; i < 2 && operands[0].kind == Operand::Pair; ++i)
      write(operands[0].elements[i],
            each(builder.CreateExtractElement(a, i), builder.CreateExtractElement(b, i)), pred);
    return operands[0].kind == Operand::Pair;
  }
  llvm::Value *answer = compare(relation, a, b, type);
  if (!answer)
    return false;
  auto combined = [&](llvm::Value *answer) -> llvm::Value * {
    if (operands.size() < 4)
      return answer;
    llvm::Value *other = read(operands[3], pred);
    return code.has("and")  ? builder.CreateAnd(answer, other)
           : code.has("or") ? builder.CreateOr(answer, other)
                            : builder.CreateXor(answer, other);
  };
  if (op == "setp") {
    if (operands[0].kind == Operand::Pair) {
      write(operands[0].elements[0], combined(answer), pred);
      write(operands[0].elements[1], combined(builder.CreateNot(answer)), pred);
    } else {
      write(operands[0], combined(answer), pred);
    }
    return true;
  }
  // set: all ones or 1.0 where it holds.
  Type result = code.type(1);
  bool isInteger = !result.isFloat();
  if (type.lanes == 2 && isInteger) // a mask for each half
    result = {Type::Bits, 16, 2};
  llvm::Value *value = isInteger ? builder.CreateSExt(combined(answer), irType(result))
                                 : builder.CreateUIToFP(combined(answer), irType(result));
  write(operands[0], value, result);
  return true;
}

} // namespace tilelift::ptx
