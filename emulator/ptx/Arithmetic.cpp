//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic, comparisons, and choices between values.
//===----------------------------------------------------------------------===//

#include "ptx/FunctionTranslator.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilelift::ptx {

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
