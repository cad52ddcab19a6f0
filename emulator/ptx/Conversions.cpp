//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mov, cvt and cvta.
//===----------------------------------------------------------------------===//

#include "machine/Abi.h"
#include "ptx/FunctionTranslator.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstddef>

using namespace llvm;

namespace tilelift::ptx {

namespace {

/// The direction of a rounding: of the result's last bit, or to an integer.
enum class Rounding { nearest, zero, down, up, away };

Rounding roundingOf(const Instruction &code) {
  for (const std::string &modifier : code.modifiers) {
    auto found = StringSwitch<int>(modifier)
                     .Cases({"rn", "rni"}, 0)
                     .Cases({"rz", "rzi"}, 1)
                     .Cases({"rm", "rmi"}, 2)
                     .Cases({"rp", "rpi"}, 3)
                     .Case("rna", 4)
                     .Default(-1);
    if (found >= 0)
      return Rounding(found);
  }
  return Rounding::nearest;
}

Intrinsic::ID roundingIntrinsic(Rounding rounding) {
  switch (rounding) {
  case Rounding::zero: return Intrinsic::trunc;
  case Rounding::down: return Intrinsic::floor;
  case Rounding::up: return Intrinsic::ceil;
  default: return Intrinsic::roundeven;
  }
}

bool roundsToInteger(const Instruction &code) {
  return code.has("rni") || code.has("rzi") || code.has("rmi") || code.has("rpi");
}

/// What the machine calls a format that the host has no type for.
unsigned formatOf(Type type) {
  switch (type.kind) {
  case Type::Float: return type.bits == 16 ? 0 : type.bits == 32 ? 5 : 6;
  case Type::Brain: return 1;
  case Type::Tensor32: return 2;
  case Type::E4M3: return 3;
  default: return 4;
  }
}

} // namespace

llvm::Value *FunctionTranslator::toFloat(llvm::Value *value, Type from) {
  if (from.kind == Type::E4M3 || from.kind == Type::E5M2)
    return call("tilelift_widen", builder.getFloatTy(),
                {builder.CreateZExt(asBits(value), builder.getInt32Ty()), integer(formatOf(from))});
  return value;
}

llvm::Value *FunctionTranslator::converted(const Instruction &code, llvm::Value *value, Type from,
                                           Type to) {
  Rounding rounding = roundingOf(code);
  llvm::Type *target = irType(to);
  bool isSigned = from.kind == Type::Signed;
  if (!from.isFloat() && !to.isFloat()) {
    if (code.has("sat")) { // into the range of the result
      llvm::Type *wide = builder.getIntNTy(129);
      llvm::Value *all =
          isSigned ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide);
      bool toSigned = to.kind == Type::Signed;
      APInt low = toSigned ? APInt::getSignedMinValue(to.bits).sext(129) : APInt(129, 0);
      APInt high = toSigned ? APInt::getSignedMaxValue(to.bits).zext(129)
                            : APInt::getMaxValue(to.bits).zext(129);
      all = builder.CreateBinaryIntrinsic(Intrinsic::smax, all, builder.getInt(low));
      all = builder.CreateBinaryIntrinsic(Intrinsic::smin, all, builder.getInt(high));
      return builder.CreateTrunc(all, target);
    }
    return isSigned ? builder.CreateSExtOrTrunc(value, target)
                    : builder.CreateZExtOrTrunc(value, target);
  }
  if (!from.isFloat()) { // integer to floating point
    // 16 bits: hosts round to float first, or lack the function.
    if (rounding == Rounding::nearest && !code.has("sat") && to.bits > 16)
      return isSigned ? builder.CreateSIToFP(value, target) : builder.CreateUIToFP(value, target);
    llvm::Type *wide = builder.getInt64Ty();
    llvm::Value *bits =
        call("tilelift_from_integer", wide,
             {isSigned ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide),
              integer(isSigned), integer(formatOf(to)), integer(unsigned(rounding))});
    return saturated(fromBits(bits, to), code);
  }
  value = flushed(toFloat(value, from), code);
  if (!to.isFloat()) {            // what is too large becomes the largest
    if (from.kind == Type::Brain) // by its bits: LLVM would round it before it is wide
      value = builder.CreateBitCast(
          builder.CreateShl(builder.CreateZExt(asBits(value), builder.getInt32Ty()), 16),
          builder.getFloatTy());
    llvm::Value *whole = builder.CreateUnaryIntrinsic(roundingIntrinsic(rounding), value);
    llvm::Value *result = builder.CreateIntrinsic(to.kind == Type::Signed ? Intrinsic::fptosi_sat
                                                                          : Intrinsic::fptoui_sat,
                                                  {target, value->getType()}, {whole});
    // PTX says that NaN gives zero; with 64 bits on either side hardware gives this.
    if (to.bits < 64 && from.bits < 64)
      return result;
    return builder.CreateSelect(builder.CreateFCmpUNO(value, value),
                                builder.getInt(APInt::getSignedMinValue(to.bits)), result);
  }
  if (roundsToInteger(code))
    value = builder.CreateUnaryIntrinsic(roundingIntrinsic(rounding), value);
  unsigned fromBitsCount = unsigned(value->getType()->getPrimitiveSizeInBits());
  bool isExact = to.bits > fromBitsCount || to == from;
  // Not every host's library narrows to half and bfloat16.
  bool isPlain = rounding == Rounding::nearest && to.kind == Type::Float && to.bits >= 16 &&
                 !code.has("satfinite") && !(fromBitsCount == 16 && to.bits == 16) &&
                 (to.bits > 16 || fromBitsCount == 32);
  if (isExact || roundsToInteger(code))
    return saturated(to == from ? value : builder.CreateFPExt(value, target), code);
  if (isPlain)
    return saturated(flushed(builder.CreateFPTrunc(value, target), code), code);
  llvm::Value *wide =
      fromBitsCount == 64 ? value : builder.CreateFPExt(value, builder.getDoubleTy());
  llvm::Value *bits = call("tilelift_narrow", builder.getInt64Ty(),
                           {wide, integer(formatOf(to)), integer(unsigned(rounding)),
                            integer(code.has("satfinite")), integer(code.has("relu"))});
  return fromBits(bits, to);
}

/// cvt.f16x2.f32 and its like: two values in, the first one goes up; or two
/// packed values to two packed values.
void FunctionTranslator::convertPair(const Instruction &code, Type from, Type to) {
  Type one = {to.kind, to.bits, 1}, source = {from.kind, from.bits, 1};
  llvm::Type *type = builder.getIntNTy(to.totalBits());
  llvm::Value *high, *low;
  if (from.lanes == 1) {
    high = read(code.operands[1], source);
    low = read(code.operands[2], source);
  } else {
    llvm::Value *both = readBits(code.operands[1], from.totalBits());
    high = fromBits(builder.CreateLShr(both, from.bits), source);
    low = fromBits(both, source);
  }
  auto convert = [&](llvm::Value *value) {
    return builder.CreateZExt(asBits(converted(code, value, source, one)), type);
  };
  llvm::Value *upper = builder.CreateShl(convert(high), to.bits);
  write(code.operands[0], builder.CreateOr(upper, convert(low)), {Type::Bits, to.totalBits(), 1});
}

bool FunctionTranslator::conversion(const Instruction &code) {
  StringRef op = code.opcode;
  Type type = code.type();
  if (op == "mov") {
    llvm::Value *value = type.kind == Type::Pred ? read(code.operands[1], type)
                                                 : readBits(code.operands[1], type.totalBits());
    write(code.operands[0], value,
          {type.kind == Type::Pred ? Type::Pred : Type::Bits, type.totalBits(), 1});
    return true;
  }
  if (op == "cvt") {
    Type from = type, to = code.type(1);
    if (to.lanes == 2)
      convertPair(code, from, to);
    else if (code.operands.size() != 2 || to.lanes != 1)
      return false;
    else
      write(code.operands[0], converted(code, read(code.operands[1], from), from, to), to);
    return true;
  }
  if (op == "cvta") {
    llvm::Value *value = readBits(code.operands[1], 64);
    StringRef space = spaceOf(code);
    if (space == "shared") {
      llvm::Value *base = builder.CreatePtrToInt(
          field(offsetof(emulator::ThreadRegisters, shared), builder.getPtrTy()),
          builder.getInt64Ty());
      value = code.has("to") ? builder.CreateSub(value, base) : builder.CreateAdd(value, base);
    } else if (space == "cluster") {
      value = call(code.has("to") ? "tilelift_to_cluster" : "tilelift_from_cluster",
                   builder.getInt64Ty(), {value});
    }
    write(code.operands[0], value, type);
    return true;
  }
  return false;
}

} // namespace tilelift::ptx
