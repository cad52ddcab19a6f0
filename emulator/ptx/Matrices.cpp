//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of a whole warp on matrices: ldmatrix, stmatrix, mma, wmma.
// Registers go to and from the machine as words.
//===----------------------------------------------------------------------===//

#include "machine/Abi.h"
#include "ptx/FunctionTranslator.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstddef>
#include <optional>

using namespace llvm;

namespace tilelift::ptx {

namespace {

using emulator::MatrixShape;
using emulator::MatrixType;

std::optional<unsigned> matrixType(Type type) {
  switch (type.kind) {
  case Type::Float:
    return unsigned(type.bits == 16   ? MatrixType::f16
                    : type.bits == 32 ? MatrixType::f32
                                      : MatrixType::f64);
  case Type::Brain: return unsigned(MatrixType::bf16);
  case Type::Tensor32: return unsigned(MatrixType::tf32);
  case Type::Signed:
    return type.bits == 8    ? std::optional(unsigned(MatrixType::s8))
           : type.bits == 32 ? std::optional(unsigned(MatrixType::s32))
                             : std::nullopt;
  case Type::Unsigned:
    return type.bits == 8 ? std::optional(unsigned(MatrixType::u8)) : std::nullopt;
  default: return std::nullopt;
  }
}

/// "m16n8k16"
bool readShape(const Instruction &code, MatrixShape &shape) {
  for (StringRef modifier : code.modifiers)
    if (modifier.consume_front("m") && !modifier.consumeInteger(10, shape.m) &&
        modifier.consume_front("n") && !modifier.consumeInteger(10, shape.n)) {
      shape.k = 0;
      if (modifier.consume_front("k"))
        modifier.consumeInteger(10, shape.k);
      return true;
    }
  return false;
}

/// The types of an instruction, the first one first.
std::vector<Type> typesOf(const Instruction &code) {
  std::vector<Type> all;
  for (StringRef modifier : code.modifiers)
    if (Type type = parseType(modifier))
      all.push_back(type);
  return all;
}

} // namespace

void FunctionTranslator::fragment(ArrayRef<Operand> registers, AllocaInst *into, Type type) {
  unsigned bits = type.kind == Type::Float && type.bits == 64 ? 64 : 32;
  llvm::Type *word = builder.getIntNTy(bits);
  for (size_t i = 0; i < registers.size(); ++i)
    builder.CreateStore(readBits(registers[i], bits),
                        builder.CreateConstGEP1_32(word, into, unsigned(i)));
}

void FunctionTranslator::unpackFragment(AllocaInst *from, ArrayRef<Operand> registers, Type type) {
  unsigned bits = type.kind == Type::Float && type.bits == 64 ? 64 : 32;
  llvm::Type *word = builder.getIntNTy(bits);
  for (size_t i = 0; i < registers.size(); ++i)
    write(registers[i],
          builder.CreateLoad(word, builder.CreateConstGEP1_32(word, from, unsigned(i))),
          {Type::Bits, bits, 1});
}

llvm::Value *FunctionTranslator::matrixShape(const MatrixShape &shape) {
  AllocaInst *all = room(builder.getInt32Ty(), sizeof(MatrixShape) / 4);
  const uint32_t *fields = &shape.m;
  for (unsigned i = 0; i < sizeof(MatrixShape) / 4; ++i)
    builder.CreateStore(integer(fields[i]),
                        builder.CreateConstGEP1_32(builder.getInt32Ty(), all, i));
  return all;
}

bool FunctionTranslator::matrix(const Instruction &code) {
  const auto &operands = code.operands;
  StringRef op = code.opcode;
  llvm::Type *nothing = builder.getVoidTy();
  Type word = {Type::Bits, 32, 1};
  if (op == "ldmatrix" || op == "stmatrix") {
    if (!code.has("m8n8") || code.type().bits != 16)
      return false;
    module.factsOf(target).traits |= 0;
    bool isLoad = op == "ldmatrix";
    const Operand &registers = operands[isLoad ? 0 : 1];
    ArrayRef<Operand> elements =
        registers.kind == Operand::Vector ? ArrayRef(registers.elements) : ArrayRef(registers);
    AllocaInst *words = room(builder.getInt32Ty(), 4);
    llvm::Value *where = sharedAddress(operands[isLoad ? 1 : 0], spaceOf(code));
    if (!isLoad)
      fragment(elements, words, word);
    call(isLoad ? "tilelift_ldmatrix" : "tilelift_stmatrix", nothing,
         {integer(elements.size()), integer(code.has("trans")), where, words});
    if (isLoad)
      unpackFragment(words, elements, word);
    return true;
  }
  if (op == "movmatrix") {
    write(operands[0],
          call("tilelift_movmatrix", builder.getInt32Ty(), {readBits(operands[1], 32)}), word);
    return true;
  }
  if (op != "mma" && op != "wmma")
    return false;
  if (any_of(code.modifiers, [](StringRef each) {
        return each.starts_with("sp") || each.starts_with("block_scale") ||
               each.starts_with("kind");
      }))
    return false;
  MatrixShape shape = {};
  std::vector<Type> types = typesOf(code);
  if (!readShape(code, shape) || types.empty())
    return false;
  auto setTypes = [&](Type d, Type a, Type b, Type c) {
    auto known = {matrixType(d), matrixType(a), matrixType(b), matrixType(c)};
    if (any_of(known, [](auto &each) { return !each; }))
      return false;
    shape.d = *matrixType(d);
    shape.a = *matrixType(a);
    shape.b = *matrixType(b);
    shape.c = *matrixType(c);
    return true;
  };
  std::vector<bool> rows;
  for (StringRef modifier : code.modifiers)
    if (modifier == "row" || modifier == "col")
      rows.push_back(modifier == "row");
  bool isProduct = op == "mma" || code.has("mma");
  if (isProduct) {
    if (rows.size() < 2)
      return false;
    shape.rowA = rows[0];
    shape.rowB = rows[1];
    Type half = {Type::Float, 16, 1};
    bool named = types.size() == 4 ? setTypes(types[0], types[1], types[2], types[3])
                                   : types.size() == 2 && setTypes(types[0], half, half, types[1]);
    if (!named)
      return false;
    Type dType = types[0], cType = types.back(), aType = types.size() == 4 ? types[1] : half;
    AllocaInst *rooms[4];
    for (AllocaInst *&each : rooms)
      each = room(builder.getInt32Ty(), 32);
    auto list = [](const Operand &operand) {
      return operand.kind == Operand::Vector ? ArrayRef(operand.elements) : ArrayRef(operand);
    };
    fragment(list(operands[1]), rooms[1], aType);
    fragment(list(operands[2]), rooms[2], aType);
    fragment(list(operands[3]), rooms[3], cType);
    call(op == "mma" ? "tilelift_mma" : "tilelift_wmma", nothing,
         {matrixShape(shape), rooms[0], rooms[1], rooms[2], rooms[3]});
    unpackFragment(rooms[0], list(operands[0]), dType);
    return true;
  }
  // wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {...}, [p], stride
  if (rows.empty() || !setTypes(types[0], types[0], types[0], types[0]))
    return false;
  bool isLoad = code.has("load");
  unsigned which = code.has("a") ? 0 : code.has("b") ? 1 : 2;
  const Operand &registers = operands[isLoad ? 0 : 1];
  const Operand &where = operands[isLoad ? 1 : 0];
  StringRef space = spaceOf(code);
  llvm::Value *base = address(where);
  if (space == "shared")
    base = builder.CreateAdd(
        base, builder.CreatePtrToInt(
                  field(offsetof(emulator::ThreadRegisters, shared), builder.getPtrTy()),
                  builder.getInt64Ty()));
  noteWidth(std::max(types[0].bits / 8, 1u), "generic");
  AllocaInst *words = room(builder.getInt32Ty(), 32);
  if (!isLoad)
    fragment(registers.elements, words, types[0]);
  llvm::Value *stride = operands.size() > 2 ? readBits(operands[2], 32) : integer(0);
  call(isLoad ? "tilelift_wmma_load" : "tilelift_wmma_store", nothing,
       {matrixShape(shape), integer(which), integer(rows[0]), base, stride, words});
  if (isLoad)
    unpackFragment(words, registers.elements, types[0]);
  return true;
}

} // namespace tilelift::ptx
