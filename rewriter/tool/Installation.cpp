//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/Installation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilelift {

std::string toolPath() {
  static int here;
  return sys::fs::getMainExecutable("tilelift", &here);
}

std::string beside(const Twine &name) {
  SmallString<256> path(sys::path::parent_path(sys::path::parent_path(toolPath())));
  sys::path::append(path, name);
  return std::string(path);
}

std::string runtimeHeaders() {
  std::string installed = beside("include");
  return sys::fs::exists(installed + "/tilelift/tilelift.cuh") ? installed
                                                               : TILELIFT_RUNTIME_HEADERS;
}

} // namespace tilelift
