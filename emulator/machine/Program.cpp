//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Program.h"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

namespace tilelift::emulator {

void Program::add(Module &module, Memory &memory) {
  modules.push_back(&module);
  for (uint32_t i = 0; i < module.kernelCount; ++i)
    kernels[module.kernels[i].name] = &module.kernels[i];
  for (uint32_t i = 0; i < module.variableCount; ++i) {
    const DeviceVariable &variable = module.variables[i];
    variables[variable.name] = &variable;
    *variable.address =
        memory.allocate(variable.bytes, MemoryKind::variable, variable.name, variable.alignment);
  }
  initialise(module);
  module.firstSite = uint32_t(sites.size());
  for (uint32_t i = 0; i < module.siteCount; ++i)
    sites.push_back(&module.sites[i]);
}

void Program::initialise(const Module &module) {
  for (uint32_t i = 0; i < module.variableCount; ++i) {
    const DeviceVariable &variable = module.variables[i];
    if (variable.initial)
      std::memcpy(*variable.address, variable.initial, variable.bytes);
    else
      std::memset(*variable.address, 0, variable.bytes);
  }
  for (uint32_t i = 0; i < module.relocationCount; ++i) {
    const Relocation &relocation = module.relocations[i];
    const char *target = relocation.isFunction ? static_cast<const char *>(relocation.target)
                                               : *static_cast<char *const *>(relocation.target);
    uint64_t value = uint64_t(target) + relocation.addend;
    std::memcpy(*module.variables[relocation.variable].address + relocation.offset, &value, 8);
  }
}

std::vector<const char *> Program::placesOfCode() const {
  std::vector<const char *> places;
  for (const Module *module : modules)
    for (uint32_t i = 0; i < module->relocationCount; ++i)
      if (const Relocation &each = module->relocations[i]; each.isFunction)
        places.push_back(*module->variables[each.variable].address + each.offset);
  return places;
}

void Program::resetVariables() {
  for (const Module *module : modules)
    initialise(*module);
}

const Kernel *Program::kernel(const std::string &name) const {
  auto found = kernels.find(name);
  return found == kernels.end() ? nullptr : found->second;
}

const DeviceVariable *Program::variable(const std::string &name) const {
  auto found = variables.find(name);
  return found == variables.end() ? nullptr : found->second;
}

const Module *Program::moduleOf(const Kernel *kernel) const {
  for (const Module *module : modules)
    if (kernel >= module->kernels && kernel < module->kernels + module->kernelCount)
      return module;
  return nullptr;
}

const Site *Program::site(uint32_t number) const {
  return number < sites.size() ? sites[number] : nullptr;
}

namespace {

std::string demangled(const char *mangled) {
  int status = 0;
  char *text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string result = status == 0 && text ? text : mangled;
  std::free(text);
  return result;
}

/// Up to the parameters: the first parenthesis outside of <>, but not that of
/// "(anonymous namespace)".
std::string withoutParameters(const std::string &text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 21, "(anonymous namespace)") == 0) {
      i += 20;
      continue;
    }
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (text[i] == '(' && depth == 0)
      return text.substr(0, i);
  }
  return text;
}

/// Templates are shown with their return type: "void copy<float>".
std::string withoutResult(const std::string &text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (text[i] == ' ' && depth == 0 && text.compare(i + 1, 9, "namespace") != 0)
      return withoutResult(text.substr(i + 1));
  }
  return text;
}

} // namespace

std::string qualifiedName(const char *mangled) {
  return withoutResult(withoutParameters(demangled(mangled)));
}

std::string plainName(const char *mangled) {
  std::string text = demangled(mangled);
  // A variable of a function follows its parameters: "blur(float*)::tile".
  size_t last = text.rfind("::");
  if (text.size() > 2 && last != std::string::npos && text.find(')', last) == std::string::npos)
    return text.substr(last + 2);
  return withoutResult(withoutParameters(text));
}

} // namespace tilelift::emulator
