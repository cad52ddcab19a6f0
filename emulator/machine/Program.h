//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The translated files that were linked into this process, and the names in
// them. A file registers itself before main; its variables get memory then.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_PROGRAM_H
#define TILELIFT_EMULATOR_MACHINE_PROGRAM_H

#include "machine/Abi.h"
#include "machine/Memory.h"

#include <map>
#include <string>
#include <vector>

namespace tilelift::emulator {

class Program {
public:
  void add(Module &module, Memory &memory);
  /// Gives all variables their initial values again.
  void resetVariables();

  /// By mangled name; null where there is none.
  const Kernel *kernel(const std::string &name) const;
  const DeviceVariable *variable(const std::string &name) const;
  const Module *moduleOf(const Kernel *kernel) const;

  /// Where variables have addresses of functions, as tables of virtual functions do.
  std::vector<const char *> placesOfCode() const;

  /// Sites are numbered over all modules; 0 is nowhere.
  const Site *site(uint32_t number) const;

private:
  static void initialise(const Module &module);

  std::vector<Module *> modules;
  std::map<std::string, const Kernel *> kernels;
  std::map<std::string, const DeviceVariable *> variables;
  std::vector<const Site *> sites = {nullptr};
};

/// "blur" of "_Z4blurPfPKfii", "tile" of "_ZZ4blurPfPKfiiE4tile".
std::string plainName(const char *mangled);
/// With its template arguments, but without parameters: "copy<float, 4>".
std::string qualifiedName(const char *mangled);

} // namespace tilelift::emulator

#endif
