//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs are linked by the linker that is part of a standalone installation, with the shared
// libraries that the loader of this machine finds.
//===----------------------------------------------------------------------===//

#include "tool/Installation.h"
#include "tool/run/Link.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <link.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tilelift {
namespace {

#if defined(__x86_64__)
constexpr const char *loader = "/lib64/ld-linux-x86-64.so.2";
#else
constexpr const char *loader = "/lib/ld-linux-aarch64.so.1";
#endif

/// Where the loader finds a shared library of the machine; empty if it does not.
std::string pathOf(const char *library) {
  void *handle = dlopen(library, RTLD_LAZY);
  link_map *loaded = nullptr;
  if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &loaded) != 0)
    return "";
  return loaded->l_name;
}

} // namespace

std::string emulatorLibrary() {
  const std::string path = beside("lib/libtilelift_emulator.so");
  return sys::fs::exists(path) ? path : "";
}

bool link(const LinkRequest &request) {
  std::vector<std::string> words = {"ld.lld",
                                    "-pie",
                                    "--allow-shlib-undefined",
                                    "--no-dependent-libraries",
                                    "--eh-frame-hdr",
                                    "-dynamic-linker",
                                    loader,
                                    "-o",
                                    request.program,
                                    beside("lib/libtilelift_start.a")};
  llvm::append_range(words, request.objects);
  words.push_back(request.emulator);
  words.push_back("-rpath");
  words.push_back(sys::path::parent_path(request.emulator).str());
  words.push_back("--as-needed");
  std::vector<const char *> libraries = {"libgcc_s.so.1", "libm.so.6", "libpthread.so.0",
                                         "libdl.so.2", "libc.so.6"};
  if (request.hasOwnHeaders) {
    words.push_back(beside("lib/tilelift/host/lib/libc++.a"));
    words.push_back(beside("lib/tilelift/host/lib/libc++abi.a"));
  } else {
    libraries.insert(libraries.begin(), "libstdc++.so.6");
  }
  for (const char *library : libraries) {
    words.push_back(pathOf(library));
    if (!words.back().empty())
      continue;
    errs() << "tilelift: error: the program does not link: this machine has no '" << library
           << "'\n";
    return false;
  }
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  return lld::lldMain(arguments, outs(), errs(), {{lld::Gnu, &lld::elf::link}}).retCode == 0;
}

} // namespace tilelift
