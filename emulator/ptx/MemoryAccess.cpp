//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomic operations. Local memory and parameters belong to
// the thread and are accessed directly; for all other memory the machine says
// where it is, after it has noted who touches it.
//===----------------------------------------------------------------------===//

#include "machine/Abi.h"
#include "ptx/FunctionTranslator.h"
#include "ptx/Reductions.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstddef>

using namespace llvm;

namespace tilelift::ptx {

StringRef FunctionTranslator::spaceOf(const Instruction &code) const {
  for (StringRef modifier : code.modifiers) {
    StringRef space = StringSwitch<StringRef>(modifier)
                          .Cases({"shared", "shared::cta"}, "shared")
                          .Case("shared::cluster", "cluster")
                          .Cases({"global", "const"}, "global")
                          .Cases({"local", "param", "param::entry", "param::func"}, "own")
                          .Default("");
    if (!space.empty())
      return space;
  }
  return "generic";
}

/// The machine remembers who used what by the narrowest of a kernel's accesses.
void FunctionTranslator::noteWidth(unsigned bytes, StringRef space) {
  if (bytes % 4 == 0)
    return;
  uint32_t &traits = module.factsOf(target).traits;
  if (space != "global")
    traits |= emulator::hasNarrowShared;
  if (space == "global" || space == "generic")
    traits |= bytes % 2 == 0 ? emulator::hasNarrowGlobal : emulator::hasByteGlobal;
}

/// What the instruction says of order, as accesses have it.
unsigned FunctionTranslator::orderOf(const Instruction &code) {
  unsigned order = 0;
  if (code.has("acquire") || code.has("acq_rel"))
    order |= emulator::acquireAccess;
  if (code.has("release") || code.has("acq_rel"))
    order |= emulator::releaseAccess;
  if (code.has("cta"))
    order |= emulator::blockAccess;
  return order;
}

emulator::AddressSpace FunctionTranslator::numberOf(StringRef space) {
  return space == "shared"    ? emulator::AddressSpace::shared
         : space == "global"  ? emulator::AddressSpace::global
         : space == "cluster" ? emulator::AddressSpace::cluster
                              : emulator::AddressSpace::generic;
}

/// Behind a store that may be half of a race.
void FunctionTranslator::settleStore() {
  llvm::Value *suspects = builder.CreateLoad(
      builder.getInt32Ty(),
      builder.CreateConstGEP1_32(builder.getInt8Ty(), thread,
                                 unsigned(offsetof(emulator::ThreadRegisters, suspects))));
  BasicBlock *suspected = block("suspected"), *after = block("settled");
  builder.CreateCondBr(builder.CreateIsNotNull(suspects), suspected, after);
  builder.SetInsertPoint(suspected);
  call("tilelift_written", builder.getVoidTy(), {});
  builder.CreateBr(after);
  builder.SetInsertPoint(after);
}

/// Where the bytes are in the host's memory.
llvm::Value *FunctionTranslator::host(llvm::Value *address, unsigned access, StringRef space,
                                      bool isWrite) {
  if (space == "own")
    return pointer(address);
  noteWidth(access & 0xffff, space);
  std::string name = ((isWrite ? "tilelift_write_" : "tilelift_read_") + space).str();
  return call(name, builder.getPtrTy(), {address, integer(access)});
}

void FunctionTranslator::loadOrStore(const Instruction &code, bool isStore) {
  Type type = code.type();
  StringRef space = spaceOf(code);
  const Operand &values = code.operands[isStore ? 1 : 0];
  ArrayRef<Operand> elements = values;
  bool isVector = code.has("v2") || code.has("v4") || code.has("v8");
  if (isVector)
    elements = values.elements;
  unsigned bytes = type.bytes() * unsigned(elements.size());
  bool isStrong =
      code.has("volatile") || code.has("relaxed") || code.has("acquire") || code.has("release");
  if (isStrong)
    bytes |= emulator::strongAccess | orderOf(code);
  llvm::Value *at = address(code.operands[isStore ? 0 : 1]);
  llvm::Value *where = host(at, bytes, space, isStore);
  llvm::Type *element = builder.getIntNTy(type.totalBits());
  for (size_t i = 0; i < elements.size(); ++i) {
    llvm::Value *place = builder.CreateConstGEP1_32(element, where, unsigned(i));
    // Alignment is the machine's to check.
    if (isStore)
      builder.CreateAlignedStore(readBits(elements[i], type.totalBits()), place, Align(1));
    else
      write(elements[i], builder.CreateAlignedLoad(element, place, Align(1)),
            {type.kind, type.totalBits(), 1});
  }
  if (isStore && (space == "global" || space == "generic"))
    settleStore();
  if (!isStore && isStrong && space != "own")
    call("tilelift_heard", builder.getVoidTy(),
         {integer(unsigned(numberOf(space))), at, integer(bytes)});
}

void FunctionTranslator::atomic(const Instruction &code, bool hasResult) {
  Type type = code.type();
  std::optional<emulator::AtomicOp> op = operationOf(code);
  if (!op || type.totalBits() > 64 || code.has("v2") || code.has("v4") || code.has("v8")) {
    known = false;
    return;
  }
  StringRef space = spaceOf(code);
  if (space != "shared")
    module.factsOf(target).traits |= emulator::hasGlobalAtomics;
  noteWidth(type.bytes(), space);
  unsigned first = hasResult ? 1 : 0;
  auto operand = [&](unsigned i) {
    return i < code.operands.size()
               ? builder.CreateZExt(readBits(code.operands[i], type.totalBits()),
                                    builder.getInt64Ty())
               : integer(0, 64);
  };
  llvm::Value *old = call("tilelift_atomic", builder.getInt64Ty(),
                          {integer(unsigned(numberOf(space)) | orderOf(code)),
                           integer(unsigned(*op)), integer(unsigned(atomicType(type))),
                           address(code.operands[first]), operand(first + 1), operand(first + 2)});
  if (hasResult)
    write(code.operands[0], builder.CreateTrunc(old, builder.getIntNTy(type.totalBits())),
          {type.kind, type.totalBits(), 1});
}

bool FunctionTranslator::memoryAccess(const Instruction &code) {
  StringRef op = code.opcode;
  if (op == "ld" || op == "ldu" || op == "st") {
    loadOrStore(code, op == "st");
    return true;
  }
  if (op == "atom" || op == "red") {
    if (code.has("async"))
      return false;
    atomic(code, op == "atom");
    return true;
  }
  if (op == "prefetch" || op == "prefetchu" || op == "discard" || op == "applypriority")
    return true;
  if (op == "createpolicy") {
    write(code.operands[0], integer(0, 64), {Type::Bits, 64, 1});
    return true;
  }
  if (op == "isspacep") {
    StringRef space = code.modifiers[0];
    unsigned which = StringSwitch<unsigned>(space)
                         .Case("global", 0)
                         .Cases({"shared", "shared::cta"}, 1)
                         .Case("shared::cluster", 2)
                         .Case("local", 3)
                         .Default(4);
    llvm::Value *answer = call("tilelift_is_space", builder.getInt32Ty(),
                               {integer(which), readBits(code.operands[1], 64)});
    write(code.operands[0], builder.CreateTrunc(answer, builder.getInt1Ty()), {Type::Pred, 1, 1});
    return true;
  }
  if (op == "mapa" || op == "getctarank") {
    bool isShared = code.has("shared::cluster");
    Type type = code.type();
    bool isRank = op == "getctarank";
    std::string name = std::string("tilelift_") + op.str() + (isShared ? "_shared" : "_generic");
    llvm::Value *address = readBits(code.operands[1], isShared ? 32 : 64);
    address = builder.CreateZExt(address, builder.getInt64Ty());
    llvm::Value *rank = isRank ? integer(0) : readBits(code.operands[2], 32);
    llvm::Value *answer = call(name, builder.getInt64Ty(), {address, rank});
    Type result = isRank ? Type{Type::Unsigned, 32, 1} : type;
    write(code.operands[0], builder.CreateTrunc(answer, builder.getIntNTy(result.bits)), result);
    return true;
  }
  return false;
}

} // namespace tilelift::ptx
