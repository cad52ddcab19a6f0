//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads of a block or a warp do together: barriers, votes, shuffles,
// fences, and barrier objects in shared memory.
//===----------------------------------------------------------------------===//

#include "machine/Abi.h"
#include "ptx/FunctionTranslator.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilelift::ptx {

namespace {

constexpr Type predicate = {Type::Pred, 1, 1};
constexpr Type word = {Type::Bits, 32, 1};

} // namespace

bool FunctionTranslator::synchronization(const Instruction &code) {
  const auto &operands = code.operands;
  StringRef op = code.opcode;
  llvm::Type *nothing = builder.getVoidTy();
  llvm::Type *i32 = builder.getInt32Ty();
  auto in = [&](unsigned i) { return readBits(operands[i], 32); };
  auto asPredicate = [&](llvm::Value *value) {
    return builder.CreateTrunc(value, builder.getInt1Ty());
  };
  auto fromPredicate = [&](const Operand &operand) {
    return builder.CreateZExt(read(operand, predicate), builder.getInt32Ty());
  };
  if ((op == "bar" || op == "barrier") && code.has("warp")) {
    call("tilelift_warp_sync", nothing, {in(0)});
    return true;
  }
  if (op == "barrier" && code.has("cluster")) {
    bool isRelaxed = code.has("relaxed");
    call(code.has("arrive") ? "tilelift_cluster_arrive" : "tilelift_cluster_wait", nothing,
         {integer(isRelaxed)});
    return true;
  }
  if (op == "bar" || op == "barrier") {
    if (code.has("red")) {
      bool isCount = code.has("popc");
      auto how = isCount           ? emulator::BarrierReduce::popc
                 : code.has("and") ? emulator::BarrierReduce::all
                                   : emulator::BarrierReduce::any;
      llvm::Value *count = operands.size() > 3 ? in(2) : integer(0);
      llvm::Value *answer =
          call("tilelift_barrier", i32,
               {in(1), count, integer(unsigned(how)), fromPredicate(operands.back())});
      if (isCount)
        write(operands[0], answer, word);
      else
        write(operands[0], asPredicate(answer), predicate);
      return true;
    }
    llvm::Value *count = operands.size() > 1 ? in(1) : integer(0);
    if (code.has("arrive"))
      call("tilelift_barrier_arrive", nothing, {in(0), count});
    else
      call("tilelift_barrier", i32,
           {in(0), count, integer(unsigned(emulator::BarrierReduce::none)), integer(0)});
    return true;
  }
  if (op == "vote") {
    auto mode = code.has("all")   ? emulator::VoteMode::all
                : code.has("any") ? emulator::VoteMode::any
                : code.has("uni") ? emulator::VoteMode::uni
                                  : emulator::VoteMode::ballot;
    llvm::Value *mask = operands.size() > 2 ? in(2) : integer(~0u);
    llvm::Value *answer =
        call("tilelift_vote", i32, {integer(unsigned(mode)), fromPredicate(operands[1]), mask});
    if (mode == emulator::VoteMode::ballot)
      write(operands[0], answer, word);
    else
      write(operands[0], asPredicate(answer), predicate);
    return true;
  }
  if (op == "match") {
    bool isAll = code.has("all");
    AllocaInst *same = room(i32);
    Type type = code.type();
    llvm::Value *value = builder.CreateZExt(readBits(operands[1], type.bits), builder.getInt64Ty());
    llvm::Value *mask = call("tilelift_match", i32, {integer(isAll), value, in(2), same});
    bool isPair = operands[0].kind == Operand::Pair;
    write(isPair ? operands[0].elements[0] : operands[0], mask, word);
    if (isPair)
      write(operands[0].elements[1], asPredicate(builder.CreateLoad(i32, same)), predicate);
    return true;
  }
  if (op == "shfl") {
    auto mode = code.has("up")     ? emulator::ShuffleMode::up
                : code.has("down") ? emulator::ShuffleMode::down
                : code.has("bfly") ? emulator::ShuffleMode::bfly
                                   : emulator::ShuffleMode::idx;
    AllocaInst *valid = room(i32);
    llvm::Value *mask = operands.size() > 4 ? in(4) : integer(~0u);
    llvm::Value *value =
        call("tilelift_shuffle", i32, {integer(unsigned(mode)), in(1), in(2), in(3), mask, valid});
    bool isPair = operands[0].kind == Operand::Pair;
    write(isPair ? operands[0].elements[0] : operands[0], value, word);
    if (isPair)
      write(operands[0].elements[1], asPredicate(builder.CreateLoad(i32, valid)), predicate);
    return true;
  }
  if (op == "redux") {
    using emulator::ReduceOp;
    bool isSigned = code.type().kind == Type::Signed;
    if (code.type().isFloat())
      return false;
    auto how = code.has("add")   ? ReduceOp::addU32
               : code.has("min") ? (isSigned ? ReduceOp::minS32 : ReduceOp::minU32)
               : code.has("max") ? (isSigned ? ReduceOp::maxS32 : ReduceOp::maxU32)
               : code.has("and") ? ReduceOp::bitAnd
               : code.has("or")  ? ReduceOp::bitOr
                                 : ReduceOp::bitXor;
    write(operands[0], call("tilelift_redux", i32, {integer(unsigned(how)), in(1), in(2)}), word);
    return true;
  }
  if (op == "activemask") {
    write(operands[0], call("tilelift_activemask", i32, {}), word);
    return true;
  }
  if (op == "elect") {
    llvm::Value *leader = call("tilelift_elect", i32, {in(1)});
    llvm::Value *lane = field(offsetof(emulator::ThreadRegisters, laneid), i32);
    const Operand &result = operands[0];
    bool isPair = result.kind == Operand::Pair;
    if (isPair)
      write(result.elements[0], leader, word);
    write(isPair ? result.elements[1] : result, builder.CreateICmpEQ(leader, lane), predicate);
    return true;
  }
  if (op == "fence" || op == "membar") {
    if (code.has("proxy") && !code.has("async") && !code.has("alias") && !code.has("generic") &&
        none_of(code.modifiers, [](StringRef each) {
          return each.starts_with("tensormap") || each.starts_with("async");
        }))
      return false;
    auto kind = code.has("proxy") ? emulator::FenceKind::proxy
                : code.has("cta") ? emulator::FenceKind::block
                                  : emulator::FenceKind::device;
    if (code.has("async"))
      call("tilelift_fence_async", nothing,
           {integer(code.has("shared::cta") || code.has("shared::cluster"))});
    else
      call("tilelift_fence", nothing, {integer(unsigned(kind))});
    return true;
  }
  return false;
}

llvm::Value *FunctionTranslator::sharedAddress(const Operand &operand, StringRef space) {
  llvm::Value *where = address(operand);
  return space == "generic" ? call("tilelift_to_cluster", builder.getInt64Ty(), {where}) : where;
}

bool FunctionTranslator::barrierObject(const Instruction &code) {
  if (code.opcode != "mbarrier")
    return false;
  const auto &operands = code.operands;
  StringRef what = code.modifiers[0];
  llvm::Type *nothing = builder.getVoidTy();
  llvm::Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
  auto in = [&](unsigned i, unsigned otherwise) -> llvm::Value * {
    return i < operands.size() ? readBits(operands[i], 32) : integer(otherwise);
  };
  StringRef space = spaceOf(code);
  Type state = {Type::Bits, 64, 1};
  if (what == "init") {
    call("tilelift_mbarrier_init", nothing, {sharedAddress(operands[0], space), in(1, 1)});
  } else if (what == "inval") {
    call("tilelift_mbarrier_invalidate", nothing, {sharedAddress(operands[0], space)});
  } else if (what == "arrive" || what == "arrive_drop") {
    // The state may be left out where the barrier is another block's.
    unsigned at = operands[0].kind == Operand::Address ? 0 : 1;
    bool expects = code.has("expect_tx");
    llvm::Value *count = expects ? integer(1) : in(at + 1, 1);
    llvm::Value *bytes = expects ? in(at + 1, 0) : integer(0);
    llvm::Value *token =
        call("tilelift_mbarrier_arrive", i64,
             {sharedAddress(operands[at], space), count, bytes, integer(what == "arrive_drop")});
    if (at == 1)
      write(operands[0], token, state);
  } else if (what == "expect_tx" || what == "complete_tx") {
    call(("tilelift_mbarrier_" + what).str(), nothing,
         {sharedAddress(operands[0], space), in(1, 0)});
  } else if (what == "test_wait" || what == "try_wait") {
    bool byParity = code.has("parity");
    llvm::Value *phase =
        byParity ? builder.CreateZExt(readBits(operands[2], 32), i64) : readBits(operands[2], 64);
    llvm::Value *done = call(
        "tilelift_mbarrier_wait", i32,
        {sharedAddress(operands[1], space), phase, integer(byParity), integer(what == "try_wait")});
    write(operands[0], builder.CreateTrunc(done, builder.getInt1Ty()), predicate);
  } else if (what == "pending_count") {
    write(operands[0], call("tilelift_mbarrier_pending", i32, {readBits(operands[1], 64)}), word);
  } else {
    return false;
  }
  return true;
}

} // namespace tilelift::ptx
