//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "cudart/NodeArguments.h"

#include "model/TensorMap.h"

#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace tilelift::emulator::cudart {

namespace {

/// From memory of this process that may not be there.
bool copySafely(void *to, const void *from, size_t bytes) {
  iovec local = {to, bytes}, remote = {const_cast<void *>(from), bytes};
  ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (copied < 0 && errno != EFAULT) { // not allowed here: as without the check
    std::memcpy(to, from, bytes);
    return true;
  }
  return copied == ssize_t(bytes);
}

/// Empty where nothing is wrong with it.
std::string wrongWith(const Parameter &parameter, void **place, const Launch *before) {
  void *address = nullptr;
  std::vector<char> value(parameter.bytes);
  if (!copySafely(&address, place, sizeof address) ||
      !copySafely(value.data(), address, value.size()))
    return "leads nowhere";
  const char *old = before ? before->request.parameters.data() + parameter.offset : nullptr;
  bool hadMap = old && parameter.bytes == 128 && isTensorMap(old);
  return hadMap && !isTensorMap(value.data()) ? "is no tensor map, as the node has one there" : "";
}

} // namespace

bool checkNodeArguments(const Kernel &kernel, void **arguments, const Launch *before) {
  if (before && before->request.kernel != &kernel)
    before = nullptr;
  for (uint32_t i = 0; arguments && i < kernel.parameterCount; ++i) {
    const Parameter &parameter = kernel.parameters[i];
    std::string wrong = wrongWith(parameter, arguments + i, before);
    if (wrong.empty())
      continue;
    std::string name = parameter.name ? std::string(", '") + parameter.name + "'," : "";
    machine().findings.report({"node-arguments",
                               "a node of a graph is given fewer arguments than '" +
                                   qualifiedName(kernel.name) + "' takes: argument " +
                                   std::to_string(i + 1) + " of " +
                                   std::to_string(kernel.parameterCount) + name + " " + wrong,
                               0,
                               {},
                               {}});
    return false;
  }
  return true;
}

} // namespace tilelift::emulator::cudart
