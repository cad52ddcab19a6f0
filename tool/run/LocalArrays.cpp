//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/run/LocalArrays.h"

#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

using namespace llvm;

namespace tilelift {
namespace {

constexpr const char *tested = "tilelift.tested";

class LocalArrays : public PassInfoMixin<LocalArrays> {
public:
  explicit LocalArrays(std::vector<ptx::LocalAccess> &accesses) : accesses(accesses) {}
  static bool isRequired() { return true; }

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    std::vector<Instruction *> all;
    for (Instruction &each : instructions(function))
      if ((getLoadStorePointerOperand(&each) || isa<MemIntrinsic>(each)) &&
          !each.getMetadata(tested))
        all.push_back(&each);
    bool isChanged = false;
    for (Instruction *each : all)
      isChanged |= isa<MemIntrinsic>(each) ? testBytes(cast<MemIntrinsic>(*each)) : test(*each);
    return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

private:
  /// A variable, and the steps from where it starts.
  struct Place {
    AllocaInst *variable = nullptr;
    std::vector<GEPOperator *> steps;
  };
  static Place placeOf(Value *pointer) {
    Place place;
    for (pointer = pointer->stripPointerCasts(); isa<GEPOperator>(pointer);
         pointer = pointer->stripPointerCasts()) {
      place.steps.push_back(cast<GEPOperator>(pointer));
      pointer = place.steps.back()->getPointerOperand();
    }
    place.variable = dyn_cast<AllocaInst>(pointer);
    return place;
  }
  static std::optional<TypeSize> sizeOf(const Place &place, const DataLayout &layout) {
    return place.variable ? place.variable->getAllocationSize(layout) : std::nullopt;
  }
  static Value *offsetIn(ArrayRef<GEPOperator *> steps, const DataLayout &layout,
                         IRBuilder<> &builder) {
    Value *offset = builder.getInt64(0);
    for (GEPOperator *step : steps)
      offset =
          builder.CreateAdd(offset, builder.CreateSExtOrTrunc(emitGEPOffset(&builder, layout, step),
                                                              builder.getInt64Ty()));
    return offset;
  }

  /// So many bytes at once, as memcpy and memset access them, from or to a variable.
  bool testBytes(MemIntrinsic &access) {
    const DataLayout &layout = access.getDataLayout();
    bool isChanged = testBytes(access, placeOf(access.getRawDest()), layout, true);
    if (auto *copy = dyn_cast<MemTransferInst>(&access))
      isChanged |= testBytes(access, placeOf(copy->getRawSource()), layout, false);
    if (isChanged)
      access.setMetadata(tested, MDNode::get(access.getContext(), {}));
    return isChanged;
  }
  bool testBytes(MemIntrinsic &access, const Place &place, const DataLayout &layout, bool isWrite) {
    std::optional<TypeSize> size = sizeOf(place, layout);
    auto *count = dyn_cast<ConstantInt>(access.getLength());
    if (!size || (count && areConstant(place.steps) &&
                  isInside(place.steps, layout, *size, count->getZExtValue())))
      return false;
    IRBuilder<> builder(&access);
    Value *bytes = builder.CreateZExtOrTrunc(access.getLength(), builder.getInt64Ty());
    Value *offset = offsetIn(place.steps, layout, builder), *all = builder.getInt64(*size);
    // What is said is the first byte beyond; a negative offset is a large one.
    Value *startsOutside = builder.CreateICmpUGT(offset, all);
    Value *isOutside = builder.CreateAnd(
        builder.CreateIsNotNull(bytes),
        builder.CreateOr(startsOutside,
                         builder.CreateICmpUGT(bytes, builder.CreateSub(all, offset))));
    Value *first = builder.CreateSelect(startsOutside, offset, all);
    Instruction *end = SplitBlockAndInsertIfThen(isOutside, &access, /*Unreachable=*/true);
    say(*end, access, first, {nameOf(*place.variable), size->getFixedValue(), 1, isWrite});
    return true;
  }

  bool test(Instruction &access) {
    const DataLayout &layout = access.getDataLayout();
    const auto [variable, steps] = placeOf(getLoadStorePointerOperand(&access));
    std::optional<TypeSize> size = sizeOf({variable, steps}, layout);
    if (!size || steps.empty())
      return false;
    uint64_t bytes = layout.getTypeStoreSize(getLoadStoreType(&access));
    if (areConstant(steps) && isInside(steps, layout, *size, bytes))
      return false;
    access.setMetadata(tested, MDNode::get(access.getContext(), {}));
    IRBuilder<> builder(&access);
    Value *offset = offsetIn(steps, layout, builder);
    // A negative offset is a large one.
    Value *isOutside =
        size->getFixedValue() < bytes
            ? builder.getTrue()
            : builder.CreateICmpUGT(offset, builder.getInt64(size->getFixedValue() - bytes));
    Instruction *end = SplitBlockAndInsertIfThen(isOutside, &access, /*Unreachable=*/true);
    say(*end, access, offset,
        {nameOf(*variable), size->getFixedValue(), unsigned(bytes), isa<StoreInst>(access)});
    return true;
  }

  static bool areConstant(ArrayRef<GEPOperator *> steps) {
    return all_of(steps, [](GEPOperator *step) { return step->hasAllConstantIndices(); });
  }

  static bool isInside(ArrayRef<GEPOperator *> steps, const DataLayout &layout, TypeSize size,
                       uint64_t bytes) {
    APInt offset(64, 0);
    for (GEPOperator *step : steps)
      step->accumulateConstantOffset(layout, offset);
    return !offset.isNegative() && offset.getZExtValue() + bytes <= size.getFixedValue();
  }

  /// Clang and its passes put more behind the user's name: "values.addr", "values.sroa.0".
  static std::string nameOf(const AllocaInst &variable) {
    StringRef name = variable.getName();
    if (name.empty() || name.starts_with("ref.tmp") || name.starts_with("agg.tmp"))
      return "";
    return name.take_until([](char each) { return each == '.'; }).str();
  }

  void say(Instruction &at, Instruction &access, Value *offset, ptx::LocalAccess what) {
    IRBuilder<> builder(&at);
    builder.SetCurrentDebugLocation(access.getDebugLoc());
    std::string name = ptx::localAccessFunction + std::to_string(accesses.size());
    accesses.push_back(std::move(what));
    FunctionCallee report = access.getModule()->getOrInsertFunction(
        name, FunctionType::get(builder.getVoidTy(), {builder.getInt64Ty()}, false));
    builder.CreateCall(report, {offset});
  }

  std::vector<ptx::LocalAccess> &accesses;
};

} // namespace

void testLocalArrays(PassBuilder &passes, std::vector<ptx::LocalAccess> &accesses) {
  auto add = [&accesses](ModulePassManager &manager) {
    FunctionPassManager functions;
    functions.addPass(PromotePass()); // pointers that are variables become values
    functions.addPass(LocalArrays(accesses));
    manager.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
  };
  passes.registerPipelineStartEPCallback(
      [add](ModulePassManager &manager, OptimizationLevel) { add(manager); });
  // Once more for what was inlined.
  passes.registerOptimizerEarlyEPCallback(
      [add](ModulePassManager &manager, OptimizationLevel, ThinOrFullLTOPhase) { add(manager); });
}

} // namespace tilelift
