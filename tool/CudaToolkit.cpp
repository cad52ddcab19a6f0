//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/CudaToolkit.h"

#include "tool/Installation.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <cstdlib>

using namespace llvm;

namespace tilelift {
namespace {

CudaToolkit toolkitIn(const Twine &folder, StringRef origin) {
  SmallString<256> path;
  if (sys::fs::real_path(folder, path) || !sys::fs::exists(path + "/include/cuda.h"))
    return {};
  return {std::string(path), origin.str(),
          sys::fs::exists(path + "/nvvm/libdevice/libdevice.10.bc")};
}

/// The folders of Python packages that this tool may share with CUDA's.
std::vector<std::string> packageFolders() {
  std::vector<std::string> folders = {beside("..")};
  for (const char *variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const char *prefix = std::getenv(variable);
    if (!prefix || !*prefix)
      continue;
    std::error_code problem;
    for (sys::fs::directory_iterator at(Twine(prefix) + "/lib", problem), end;
         !problem && at != end; at.increment(problem))
      if (sys::path::filename(at->path()).starts_with("python3"))
        folders.push_back(at->path() + "/site-packages");
  }
  return folders;
}

} // namespace

CudaToolkit findToolkit(StringRef asked) {
  if (!asked.empty())
    return toolkitIn(asked, "--cuda-path");
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *folder = std::getenv(variable); folder && *folder)
      if (CudaToolkit found = toolkitIn(folder, variable); !found.path.empty())
        return found;
  if (ErrorOr<std::string> nvcc = sys::findProgramByName("nvcc")) {
    SmallString<256> program;
    if (!sys::fs::real_path(*nvcc, program)) {
      const StringRef prefix = sys::path::parent_path(sys::path::parent_path(program));
      if (CudaToolkit found = toolkitIn(prefix, "nvcc on PATH"); !found.path.empty())
        return found;
    }
  }
  if (CudaToolkit found = toolkitIn("/usr/local/cuda", "/usr/local/cuda"); !found.path.empty())
    return found;
  for (const std::string &folder : packageFolders())
    if (CudaToolkit found = toolkitIn(folder + "/nvidia/cu13", "Python packages");
        !found.path.empty())
      return found;
  return {};
}

std::string versionOf(const CudaToolkit &toolkit) {
  auto header = MemoryBuffer::getFile(toolkit.path + "/include/cuda.h");
  SmallVector<StringRef, 2> match;
  if (!header || !Regex("#define CUDA_VERSION +([0-9]+)").match((*header)->getBuffer(), &match))
    return "";
  unsigned number = 0;
  match[1].getAsInteger(10, number);
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string missingToolkit(StringRef asked) {
  if (!asked.empty())
    return ("'" + asked + "' has no include/cuda.h: --cuda-path takes the folder of a CUDA toolkit")
        .str();
  return "there are no CUDA headers, neither in CUDA_HOME, in CUDA_PATH, beside an nvcc on PATH, "
         "in /usr/local/cuda, nor in Python packages: 'pip install \"tilelift[cuda]\"' brings "
         "them, or --cuda-path=<folder> says where a toolkit is";
}

} // namespace tilelift
