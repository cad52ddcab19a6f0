//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs are linked by Clang's driver, with the machine's linker and C++ library and the archive
// of the emulator.
//===----------------------------------------------------------------------===//

#include "tool/Installation.h"
#include "tool/run/Link.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {

std::string emulatorLibrary() {
  for (const char *folder : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"})
    if (std::string path = beside(Twine(folder) + "/libtilelift_emulator.a"); sys::fs::exists(path))
      return path;
  return "";
}

/// A library that was built with sanitizers needs theirs first.
bool link(const LinkRequest &request) {
  std::string compiler = clangProgram();
  SmallVector<StringRef> arguments = {compiler};
  StringRef sanitizers = TILELIFT_SANITIZERS;
  std::string rpath = "-Wl,-rpath," + sys::path::parent_path(sanitizers).str();
  if (!sanitizers.empty())
    arguments.append({sanitizers, StringRef(rpath)});
  arguments.insert(arguments.end(), request.objects.begin(), request.objects.end());
  for (StringRef each : {StringRef(request.emulator), StringRef("-pthread"), StringRef("-lm"),
                         StringRef("-ldl"), StringRef("-o"), StringRef(request.program)})
    arguments.push_back(each);
  std::string problem;
  if (sys::ExecuteAndWait(compiler, arguments, std::nullopt, {}, 0, 0, &problem) == 0)
    return true;
  errs() << "tilelift: error: the program does not link" << (problem.empty() ? "" : ": " + problem)
         << "\n";
  return false;
}

} // namespace tilelift
