//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the LLVM module that PTX was translated to, to an object file of the host.
//===----------------------------------------------------------------------===//

#include "ptx/HostCode.h"
#include "ptx/Translate.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace llvm;

namespace tilelift::ptx {
namespace {

bool isForSixteenBits(StringRef feature) {
  return feature.contains("bf16") || feature.contains("fp16") || feature == "avxneconvert";
}

/// Defines __truncsfbf2, which LLVM calls to round a float to bfloat16. It belongs to compiler-rt,
/// which may not be linked. Rounds to nearest, ties to even; a NaN stays a NaN.
void addRounding(llvm::Module &module) {
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(context);
  auto *type = FunctionType::get(builder.getBFloatTy(), {builder.getFloatTy()}, false);
  if (module.getFunction("__truncsfbf2"))
    return;
  auto *function =
      llvm::Function::Create(type, GlobalValue::WeakAnyLinkage, "__truncsfbf2", module);
  builder.SetInsertPoint(BasicBlock::Create(context, "", function));
  Value *bits = builder.CreateBitCast(function->getArg(0), builder.getInt32Ty());
  Value *upper = builder.CreateLShr(bits, 16);
  Value *isNone =
      builder.CreateICmpUGT(builder.CreateAnd(bits, 0x7fffffff), builder.getInt32(0x7f800000));
  Value *half = builder.CreateAdd(builder.CreateAnd(upper, 1), builder.getInt32(0x7fff));
  Value *rounded = builder.CreateLShr(builder.CreateAdd(bits, half), 16);
  Value *result = builder.CreateSelect(isNone, builder.CreateOr(upper, 0x40), rounded);
  builder.CreateRet(builder.CreateBitCast(builder.CreateTrunc(result, builder.getInt16Ty()),
                                          builder.getBFloatTy()));
}

} // namespace

/// The processor at hand: the object runs here, and fma is an instruction. What
/// only some processors have for 16 bits stays unused: the rest would need
/// functions that their libraries lack, and nobody would notice here.
std::unique_ptr<TargetMachine> hostMachine(std::string &problem) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Triple triple(sys::getDefaultTargetTriple());
  const Target *target = TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return nullptr;
  SubtargetFeatures features;
  for (auto &[name, isThere] : sys::getHostCPUFeatures())
    features.AddFeature(name, isThere && !isForSixteenBits(name));
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict; // PTX says where to fuse
  options.UseInitArray = true; // not every linker makes constructors of what came before it
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, sys::getHostCPUName(), features.getString(), options,
                                  Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

/// Whether allocating registers well would take minutes: a loop that is unrolled fully may have
/// hundreds of thousands of instructions.
static bool hasHugeFunction(const llvm::Module &module) {
  constexpr unsigned huge = 50000;
  return llvm::any_of(module, [](const Function &f) { return f.getInstructionCount() > huge; });
}

bool writeObject(llvm::Module &module, StringRef path, std::string &problem) {
  std::unique_ptr<TargetMachine> machine = hostMachine(problem);
  if (!machine)
    return false;
  raw_string_ostream complaints(problem);
  if (verifyModule(module, &complaints))
    return false;

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false; // costs more than it brings here
  PassBuilder passes(machine.get(), tuning);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  passes.buildPerModuleDefaultPipeline(OptimizationLevel::O1).run(module, modules);

  if (hasHugeFunction(module))
    machine->setOptLevel(CodeGenOptLevel::None);
  addRounding(module);
  std::error_code error;
  raw_fd_ostream out(path, error, sys::fs::OF_None);
  if (error) {
    problem = "cannot write '" + path.str() + "': " + error.message();
    return false;
  }
  legacy::PassManager emission;
  if (machine->addPassesToEmitFile(emission, out, nullptr, CodeGenFileType::ObjectFile)) {
    problem = "this machine's code generator writes no object files";
    return false;
  }
  emission.run(module);
  return true;
}

} // namespace tilelift::ptx
