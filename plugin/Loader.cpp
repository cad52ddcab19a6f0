//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `-fplugin=` names. Clang's libraries have no stable interface, and a plugin that
// meets another Clang than its own fails to load with the name of a missing symbol, or
// later, by a crash. This file knows no Clang: it asks the compiler for its version, and
// loads the plugin proper, which lies beside it, if that is the right one.
//
// Compiler caches take this file for the plugin, so it holds the other one's checksum.
//===----------------------------------------------------------------------===//

#include "Checksum.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <dlfcn.h>

namespace {

[[gnu::used]] const char checksum[] = TILELIFT_PLUGIN_CHECKSUM;

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "error: tilelift: %s\n", what.c_str());
  std::exit(1);
}

/// "clang version 22.1.8 ..."; empty when the program is no Clang.
std::string versionOfClang() {
  void *symbol = dlsym(RTLD_DEFAULT, "_ZN5clang19getClangFullVersionB5cxx11Ev");
  return symbol ? reinterpret_cast<std::string (*)()>(symbol)() : "";
}

std::string ownFolder() {
  Dl_info info;
  std::string path = dladdr(checksum, &info) ? info.dli_fname : "";
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

struct Loader {
  Loader() {
    std::string version = versionOfClang(), needed = std::to_string(TILELIFT_CLANG_MAJOR);
    if (version.find("clang version " + needed + ".") == std::string::npos)
      fail("the plugin is built for clang " + needed + ", this is " +
           (version.empty() ? "a compiler that does not tell its version" : version));
    std::string plugin = ownFolder() + "/tilelift-clang" + needed + ".so";
    if (!dlopen(plugin.c_str(), RTLD_LAZY | RTLD_GLOBAL))
      fail(dlerror());
  }
} loader;

} // namespace
