//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/WaysNotTaken.h"

#include "support/SharedVariables.h"

#include "clang/AST/Decl.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace tilelift {
namespace {

/// Whether an address is that of a variable in shared memory.
bool isShared(const Value *address, const DeviceCode &code) {
  const auto *variable = dyn_cast<GlobalVariable>(getUnderlyingObject(address, /*MaxLookup=*/0));
  const clang::VarDecl *declared = variable ? code.variableOf(*variable) : nullptr;
  return declared && isDeclaredShared(*declared);
}

/// Whether an instruction asks if an address is in shared memory (true) or in another kind of
/// memory (false); nothing for other instructions.
std::optional<bool> askedFor(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::nvvm_isspacep_shared:
  case Intrinsic::nvvm_isspacep_shared_cluster: return true;
  case Intrinsic::nvvm_isspacep_const:
  case Intrinsic::nvvm_isspacep_global:
  case Intrinsic::nvvm_isspacep_local: return false;
  default: return std::nullopt;
  }
}

/// The value of a condition that only asks whether a variable is in shared memory; nothing for
/// other conditions.
std::optional<bool> answerOf(const Value *condition, const DeviceCode &code) {
  if (const auto *question = dyn_cast<IntrinsicInst>(condition)) {
    const std::optional<bool> asksForShared = askedFor(question->getIntrinsicID());
    if (asksForShared && isShared(question->getArgOperand(0), code))
      return asksForShared;
  }
  if (const auto *cast = dyn_cast<CastInst>(condition))
    return answerOf(cast->getOperand(0), code);
  const auto *comparison = dyn_cast<ICmpInst>(condition);
  const auto *zero = comparison ? dyn_cast<Constant>(comparison->getOperand(1)) : nullptr;
  if (!zero || !zero->isNullValue() || !comparison->isEquality())
    return std::nullopt;
  std::optional<bool> answer = answerOf(comparison->getOperand(0), code);
  return answer && comparison->getPredicate() == CmpInst::ICMP_EQ ? std::optional(!*answer)
                                                                  : answer;
}

} // namespace

DenseSet<const BasicBlock *> reachedBlocks(const Function &function, const DeviceCode &code) {
  DenseSet<const BasicBlock *> reached = {&function.getEntryBlock()};
  SmallVector<const BasicBlock *, 16> waiting(reached.begin(), reached.end());
  while (!waiting.empty()) {
    const BasicBlock *from = waiting.pop_back_val();
    for (const BasicBlock *to : successors(from))
      if (mayBeTaken(*from, *to, code) && reached.insert(to).second)
        waiting.push_back(to);
  }
  return reached;
}

bool mayBeTaken(const BasicBlock &from, const BasicBlock &to, const DeviceCode &code) {
  const auto *branch = dyn_cast<BranchInst>(from.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return true;
  const std::optional<bool> answer = answerOf(branch->getCondition(), code);
  return !answer || branch->getSuccessor(*answer ? 0 : 1) == &to;
}

} // namespace tilelift
