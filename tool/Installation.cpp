//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/Installation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <link.h>

using namespace llvm;

namespace tilelift {
namespace {

/// The program, or the library that another program has loaded.
std::string ownFile() {
  Dl_info here = {};
  link_map *loaded = nullptr;
  const void *own = reinterpret_cast<const void *>(&ownFile);
  const bool isKnown =
      dladdr1(own, &here, reinterpret_cast<void **>(&loaded), RTLD_DL_LINKMAP) != 0;
  if (!isKnown || !loaded || !loaded->l_name || !*loaded->l_name) // the program has no name there
    return toolPath();
  SmallString<256> library(loaded->l_name);
  sys::fs::make_absolute(library);
  return std::string(library);
}

} // namespace

std::string toolPath() {
  static int here;
  return sys::fs::getMainExecutable("tilelift", &here);
}

std::string beside(const Twine &name) {
  SmallString<256> path(sys::path::parent_path(sys::path::parent_path(ownFile())));
  sys::path::append(path, name);
  return std::string(path);
}

std::string runtimeHeaders() {
  const std::string installed = beside("include");
  return sys::fs::exists(installed + "/tilelift/tilelift.cuh") ? installed
                                                               : TILELIFT_RUNTIME_HEADERS;
}

std::string clangProgram() { return TILELIFT_CLANG_PREFIX "/bin/clang++"; }

std::string clangResources() {
  const std::string installed = beside("lib/tilelift/clang");
  return sys::fs::exists(installed) ? installed : TILELIFT_CLANG_RESOURCES;
}

std::string hostFolder() {
  const std::string installed = beside("lib/tilelift/host");
  return sys::fs::exists(installed) ? installed : "";
}

} // namespace tilelift
