//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvcc would do for a command, as its own dry run prints it.
//
// How a source reads is asked of nvcc itself: the dry run shows the command by which the host
// compiler preprocesses the source for each device. Whatever leads there, be it files of options,
// variables of the environment, or options that define macros, is nvcc's business; nothing is known
// here of its options.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_NVCC_DRYRUN_H
#define TILELIFT_TOOL_NVCC_DRYRUN_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tilelift {

using CommandWords = std::vector<std::string>;

/// The words of a text as a shell splits it, with quotes and backslashes.
CommandWords shellWords(llvm::StringRef text);

/// How a source is preprocessed for the device that decides: of several, the first one with a TMA
/// unit.
struct DeviceSource {
  std::string path;
  /// The host compiler and its words, without the source and what comes out.
  CommandWords command;
  /// The compute capability times 100, as __CUDA_ARCH__ has it; zero if there is none.
  unsigned arch = 0;
  /// The device's own features are asked for, as by sm_90a.
  bool hasFeatures = false;
};

struct DryRun {
  std::vector<DeviceSource> sources;
  /// Folders of headers that nvcc adds by itself.
  std::vector<std::string> ownFolders;
  /// The folder of the toolkit.
  std::string toolkit;
  /// "17": the standard of C++ that nvcc takes; empty if it does not say.
  std::string standard;
  /// The files of dependencies that nvcc writes.
  std::vector<std::string> dependencyFiles;

  /// "sm_90a" for the source's device; empty if it has no TMA unit.
  static std::string archOf(const DeviceSource &source);
};

/// Runs `nvcc --dryrun` with the words, of which the first is nvcc. Nothing if nvcc does not take
/// them; it has then said why. A command that compiles no device code has no sources.
std::optional<DryRun> dryRunOf(const CommandWords &words);

} // namespace tilelift

#endif
