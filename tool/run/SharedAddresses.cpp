//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/run/SharedAddresses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace tilelift {
namespace {

class SharedAddresses : public PassInfoMixin<SharedAddresses> {
public:
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    SmallVector<GlobalVariable *> affected;
    for (GlobalVariable &each : module.globals())
      if (each.isConstant() && each.hasLocalLinkage() && each.hasInitializer() &&
          !each.getAddressSpace() && hasSharedAddress(each.getInitializer()))
        affected.push_back(&each);
    for (GlobalVariable *each : affected)
      makeLocal(*each);
    return affected.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
  }

private:
  static bool hasSharedAddress(const Constant *value) {
    if (const auto *variable = dyn_cast<GlobalVariable>(value))
      return variable->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED;
    return any_of(value->operands(), [](const Use &operand) {
      const auto *part = dyn_cast<Constant>(operand);
      return part && hasSharedAddress(part);
    });
  }

  static void makeLocal(GlobalVariable &constant) {
    convertUsersOfConstantsToInstructions({&constant});
    DenseMap<Function *, AllocaInst *> copies;
    for (Use &use : make_early_inc_range(constant.uses()))
      if (auto *user = dyn_cast<Instruction>(use.getUser())) {
        AllocaInst *&copy = copies[user->getFunction()];
        if (!copy)
          copy = copyAtEntry(constant, *user->getFunction());
        use.set(copy);
      }
  }

  static AllocaInst *copyAtEntry(GlobalVariable &constant, Function &function) {
    IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
    AllocaInst *copy = builder.CreateAlloca(constant.getValueType());
    copy->setAlignment(constant.getAlign().valueOrOne());
    storeParts(builder, constant.getInitializer(), copy);
    return copy;
  }

  /// One store for each number or address, so that no constant with an address is left.
  static void storeParts(IRBuilder<> &builder, Constant *value, Value *into) {
    if (!isa<ConstantAggregate>(value)) {
      builder.CreateStore(value, into);
      return;
    }
    for (unsigned i = 0; i < value->getNumOperands(); ++i)
      storeParts(builder, value->getAggregateElement(i),
                 builder.CreateConstInBoundsGEP2_32(value->getType(), into, 0, i));
  }
};

} // namespace

void storeSharedAddresses(PassBuilder &passes) {
  passes.registerPipelineStartEPCallback(
      [](ModulePassManager &manager, OptimizationLevel) { manager.addPass(SharedAddresses()); });
}

} // namespace tilelift
