//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shifts, permutations, logic, and counting of bits.
//===----------------------------------------------------------------------===//

#include "ptx/FunctionTranslator.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilelift::ptx {

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

} // namespace tilelift::ptx
