//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From PTX to a host object file that the machine can run.
//
// Every kernel and device function becomes a host function of one thread. What
// concerns one thread alone is translated in place; all memory that others can
// see, and everything that others take part in, goes through the machine
// (machine/Abi.h). An instruction that the emulator does not know becomes a
// call that says so when a thread gets there: programs may hold kernels that
// are never launched.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_PTX_TRANSLATE_H
#define TILELIFT_EMULATOR_PTX_TRANSLATE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace tilelift::ptx {

struct Module;

/// What the source says of a kernel's parameter and PTX does not.
struct ParameterFacts {
  std::string name;
  std::string pointee; ///< "float", empty for what is no pointer
  unsigned elementBytes = 0;
};

/// An access to a local variable whose offset has to be tested while it runs.
struct LocalAccess {
  std::string variable; ///< empty for what has no name
  uint64_t bytes = 0;   ///< of the variable
  unsigned accessBytes = 0;
  bool isWrite = false;
};
/// The name of a function that is called, with the offset, where the test of an access fails. The
/// index of the access in `localAccesses` follows as the end of the name.
constexpr const char *localAccessFunction = "__tilelift_local_access_";

struct TranslateOptions {
  std::string source; ///< the file's name for messages
  /// Frames in files under these folders are not the user's.
  std::vector<std::string> libraries;
  llvm::StringMap<std::vector<ParameterFacts>> kernels; ///< by mangled name
  std::vector<LocalAccess> localAccesses;
};

/// The host's module, or null and a problem where ptxas would not assemble a kernel.
std::unique_ptr<llvm::Module> translate(const Module &program, const TranslateOptions &options,
                                        llvm::LLVMContext &context, std::string &problem);

/// Optimises for this machine and writes an object file; false and a problem
/// where the host's code generator fails.
bool writeObject(llvm::Module &module, llvm::StringRef path, std::string &problem);

} // namespace tilelift::ptx

#endif
