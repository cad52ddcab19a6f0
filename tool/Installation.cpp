//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/Installation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

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

/// Beside the tool, or beside the library that somebody else's program has loaded.
std::string runtimeHeaders() {
  SmallVector<std::string, 2> places;
  Dl_info here = {};
  if (dladdr(reinterpret_cast<const void *>(&runtimeHeaders), &here) != 0 && here.dli_fname) {
    SmallString<256> library(here.dli_fname);
    sys::fs::make_absolute(library);
    StringRef folder = sys::path::parent_path(library);
    places.push_back((folder + "/include").str());
    places.push_back((sys::path::parent_path(folder) + "/include").str());
  }
  places.push_back(beside("include"));
  for (const std::string &place : places)
    if (sys::fs::exists(place + "/tilelift/tilelift.cuh"))
      return place;
  return TILELIFT_RUNTIME_HEADERS;
}

} // namespace tilelift
