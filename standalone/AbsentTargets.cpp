//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps out of a standalone library what tilelift does not need of LLVM: the code generators of
// other machines, and Polly.
//
// The linker that is part of the library readies every target that LLVM was built with. The
// functions here take the places of LLVM's own, so that nothing refers to those targets. CMake
// lists the targets in AbsentTargets.inc: all but this machine's and that of CUDA devices.
//===----------------------------------------------------------------------===//

#include "llvm/Config/llvm-config.h"
#include "llvm/Plugins/PassPlugin.h"

#define TILELIFT_ABSENT_TARGET(name)                                                               \
  extern "C" void LLVMInitialize##name##TargetInfo() {}                                            \
  extern "C" void LLVMInitialize##name##Target() {}                                                \
  extern "C" void LLVMInitialize##name##TargetMC() {}                                              \
  extern "C" void LLVMInitialize##name##AsmPrinter() {}                                            \
  extern "C" void LLVMInitialize##name##AsmParser() {}                                             \
  extern "C" void LLVMInitialize##name##Disassembler() {}
#include "AbsentTargets.inc"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", LLVM_VERSION_STRING, [](llvm::PassBuilder &) {}};
}
