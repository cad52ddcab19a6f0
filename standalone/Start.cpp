//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program `tilelift` of a standalone installation: it loads the library and calls its
// tilelift_main. The library lies in lib/ beside the program's folder, or in the Python package
// that the same installation has.
//===----------------------------------------------------------------------===//

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

namespace {

using Entry = int (*)(int, const char **);

constexpr const char *places[] = {
    "/lib/libtilelift-lift.so",
    "/lib*/python3*/*-packages/tilelift/lib/libtilelift-lift.so",
    "/local/lib*/python3*/*-packages/tilelift/lib/libtilelift-lift.so",
};

/// The folder above that of this program; symbolic links to the program are followed.
bool findPrefix(char (&prefix)[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", prefix, sizeof prefix - 1);
  if (length < 0)
    return false;
  prefix[length] = 0;
  for (int i = 0; i < 2; ++i) {
    char *slash = std::strrchr(prefix, '/');
    if (!slash)
      return false;
    *slash = 0;
  }
  return true;
}

Entry findEntry() {
  char prefix[PATH_MAX];
  if (!findPrefix(prefix)) {
    std::fprintf(stderr,
                 "tilelift: error: cannot read /proc/self/exe, which says where tilelift is\n");
    return nullptr;
  }
  for (const char *place : places) {
    char pattern[2 * PATH_MAX];
    std::snprintf(pattern, sizeof pattern, "%s%s", prefix, place);
    glob_t found = {};
    Entry entry = nullptr;
    if (glob(pattern, 0, nullptr, &found) == 0) {
      void *library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
      if (!library)
        std::fprintf(stderr, "tilelift: error: %s\n", dlerror());
      entry = library ? reinterpret_cast<Entry>(dlsym(library, "tilelift_main")) : nullptr;
    }
    globfree(&found);
    if (entry)
      return entry;
  }
  std::fprintf(
      stderr,
      "tilelift: error: libtilelift-lift.so is not in '%s/lib', nor in a Python package there\n",
      prefix);
  return nullptr;
}

} // namespace

int main(int argc, const char **argv) {
  const Entry entry = findEntry();
  return entry ? entry(argc, argv) : 2;
}
