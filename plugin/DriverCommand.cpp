//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "DriverCommand.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>

#include <unistd.h>

using namespace llvm;

namespace tilelift {
namespace {

/// A process as Linux shows it.
class Process {
public:
  explicit Process(const std::string &name) : folder("/proc/" + name) {}

  std::string executable() const {
    SmallString<256> path;
    return sys::fs::real_path(folder + "/exe", path) ? std::string() : std::string(path);
  }

  /// Empty where it is not shown.
  std::vector<std::string> arguments() const {
    ErrorOr<std::unique_ptr<MemoryBuffer>> text =
        MemoryBuffer::getFileAsStream(folder + "/cmdline");
    std::vector<std::string> result;
    if (!text)
      return result;
    SmallVector<StringRef, 32> words;
    (*text)->getBuffer().split(words, '\0', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef word : words)
      result.push_back(word.str());
    return result;
  }

private:
  std::string folder;
};

/// The driver is the parent of its jobs, or runs a single one itself. Empty if it is not seen.
std::vector<std::string> driverArguments() {
  Process self("self");
  std::vector<std::string> own = self.arguments();
  if (own.empty() || !is_contained(own, "-cc1"))
    return own;
  Process parent(std::to_string(getppid()));
  std::string executable = parent.executable();
  return executable.empty() || executable != self.executable() ? std::vector<std::string>()
                                                               : parent.arguments();
}

} // namespace

bool isHostCompiledToo() {
  std::vector<std::string> arguments = driverArguments();
  bool isForDeviceAlone = any_of(arguments, [](StringRef argument) {
    // What a file of arguments says is not seen.
    return argument == "--cuda-device-only" || argument == "--offload-device-only" ||
           argument.starts_with("@") || argument.starts_with("--config");
  });
  return !arguments.empty() && !isForDeviceAlone;
}

} // namespace tilelift
