//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies: cp.async, cp.async.bulk, and both with tensor maps, as
// copies and as reductions. The operands are collected here; what a copy does
// is the machine's business, and the model's.
//===----------------------------------------------------------------------===//

#include "machine/Abi.h"
#include "ptx/FunctionTranslator.h"
#include "ptx/Reductions.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstddef>

using namespace llvm;

namespace tilelift::ptx {

namespace {

using emulator::TensorMode;
using emulator::TensorOperands;

TensorMode modeOf(const Instruction &code) {
  for (StringRef modifier : code.modifiers) {
    int mode = StringSwitch<int>(modifier)
                   .Case("im2col", int(TensorMode::im2col))
                   .Case("im2col::w", int(TensorMode::im2colW))
                   .Case("im2col::w::128", int(TensorMode::im2colW128))
                   .Case("tile::gather4", int(TensorMode::gather4))
                   .Case("tile::scatter4", int(TensorMode::scatter4))
                   .Case("im2col_no_offs", int(TensorMode::im2colNoOffsets))
                   .Default(-1);
    if (mode >= 0)
      return TensorMode(mode);
  }
  return TensorMode::tile;
}

/// As the machine is told: the operation of a reduction, ~0 for a copy.
uint32_t reductionOf(const Instruction &code) {
  std::optional<emulator::AtomicOp> op = code.has("reduce") ? operationOf(code) : std::nullopt;
  return op ? uint32_t(*op) : ~0u;
}

} // namespace

/// Fills a TensorOperands; `extra` is the first operand behind the fixed ones.
llvm::Value *FunctionTranslator::tensorOperands(const Instruction &code, const Operand &map,
                                                const Operand *shared, const Operand *barrier,
                                                unsigned extra) {
  AllocaInst *all = room(builder.getInt64Ty(), (sizeof(TensorOperands) + 7) / 8);
  auto store = [&](size_t offset, llvm::Value *value) {
    builder.CreateStore(value,
                        builder.CreateConstGEP1_32(builder.getInt8Ty(), all, unsigned(offset)));
  };
  Operand base = map;
  base.elements.clear();
  ArrayRef<Operand> coordinates = map.elements[0].elements;
  TensorMode mode = modeOf(code);
  store(offsetof(TensorOperands, map), address(base));
  store(offsetof(TensorOperands, shared), shared ? address(*shared) : integer(0, 64));
  store(offsetof(TensorOperands, barrier), barrier ? address(*barrier) : integer(0, 64));
  for (size_t i = 0; i < coordinates.size() && i < 5; ++i)
    store(offsetof(TensorOperands, coordinates) + 4 * i, readBits(coordinates[i], 32));
  for (size_t i = 0; i < 3; ++i) {
    bool given = extra < code.operands.size() && code.operands[extra].kind == Operand::Vector &&
                 i < code.operands[extra].elements.size();
    store(offsetof(TensorOperands, offsets) + 2 * i,
          given ? readBits(code.operands[extra].elements[i], 16) : integer(0, 16));
  }
  if (extra < code.operands.size() && code.operands[extra].kind == Operand::Vector)
    ++extra;
  bool isMulticast = code.has("multicast::cluster");
  store(offsetof(TensorOperands, ctaMask),
        isMulticast ? readBits(code.operands[extra], 16) : integer(0, 16));
  store(offsetof(TensorOperands, mode), integer(unsigned(mode)));
  unsigned rank = mode == TensorMode::gather4 || mode == TensorMode::scatter4
                      ? 2
                      : unsigned(coordinates.size());
  store(offsetof(TensorOperands, rank), integer(rank));
  return all;
}

bool FunctionTranslator::asyncCopy(const Instruction &code) {
  if (code.opcode != "cp")
    return false;
  const auto &operands = code.operands;
  llvm::Type *nothing = builder.getVoidTy();
  if (code.has("prefetch")) {
    if (code.has("tensor"))
      call("tilelift_tensor_prefetch", nothing,
           {tensorOperands(code, operands[0], nullptr, nullptr, 1)});
    else
      call("tilelift_bulk_prefetch", nothing, {address(operands[0]), readBits(operands[1], 32)});
    return true;
  }
  if (!code.has("bulk")) {
    if (code.has("commit_group")) {
      call("tilelift_cp_async_commit", nothing, {});
    } else if (code.has("wait_group") || code.has("wait_all")) {
      call("tilelift_cp_async_wait", nothing,
           {code.has("wait_all") ? integer(0) : readBits(operands[0], 32),
            integer(code.has("wait_all"))});
    } else if (code.has("mbarrier")) {
      call("tilelift_cp_async_arrive", nothing,
           {sharedAddress(operands[0], spaceOf(code)), integer(code.has("noinc"))});
    } else {
      bool isShort = operands.size() > 3;
      call("tilelift_cp_async", nothing,
           {address(operands[0]), address(operands[1]), readBits(operands[2], 32),
            isShort ? readBits(operands[3], 32) : readBits(operands[2], 32)});
    }
    return true;
  }
  module.factsOf(target).traits |= emulator::usesAsyncProxy;
  if (code.has("commit_group")) {
    call("tilelift_bulk_commit", nothing, {});
    return true;
  }
  if (code.has("wait_group")) {
    call("tilelift_bulk_wait", nothing, {readBits(operands[0], 32), integer(code.has("read"))});
    return true;
  }
  uint32_t reduction = reductionOf(code);
  if (code.has("reduce"))
    module.factsOf(target).traits |= emulator::hasGlobalAtomics;
  bool isStore = code.has("bulk_group");
  if (code.has("tensor")) {
    if (isStore) {
      call("tilelift_tensor_store", nothing,
           {tensorOperands(code, operands[0], &operands[1], nullptr, 2), integer(reduction)});
    } else {
      if (code.has("cta_group::1") || code.has("cta_group::2"))
        return false;
      call("tilelift_tensor_load", nothing,
           {tensorOperands(code, operands[1], &operands[0], &operands[2], 3)});
    }
    return true;
  }
  llvm::Value *to = address(operands[0]), *from = address(operands[1]),
              *bytes = readBits(operands[2], 32);
  llvm::Value *type = integer(unsigned(atomicType(code.type())));
  if (isStore) {
    if (code.has("cp_mask"))
      return false;
    call("tilelift_bulk_store", nothing, {to, from, bytes, integer(reduction), type});
  } else if (code.modifiers.size() > 2 && (code.has("global"))) {
    llvm::Value *mask = code.has("multicast::cluster")
                            ? builder.CreateZExt(readBits(operands[4], 16), builder.getInt32Ty())
                            : integer(0);
    call("tilelift_bulk_load", nothing, {to, from, bytes, address(operands[3]), mask});
  } else { // to the shared memory of another block of the cluster
    call("tilelift_bulk_peer", nothing,
         {to, from, bytes, address(operands[3]), integer(reduction), type});
  }
  return true;
}

} // namespace tilelift::ptx
