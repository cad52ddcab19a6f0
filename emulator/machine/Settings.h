//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a program is to be run: set by `tilelift run` in the environment of the
// program, read once.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_SETTINGS_H
#define TILELIFT_EMULATOR_MACHINE_SETTINGS_H

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace tilelift::emulator {

struct Settings {
  /// TILELIFT_RUN_SEED: threads, blocks and copies take turns at random.
  std::optional<uint64_t> seed;
  /// TILELIFT_RUN_JOBS: blocks that run at the same time.
  unsigned jobs = 1;
  /// TILELIFT_RUN_RECORD: a file that gets the memory after each launch.
  std::string record;
  /// TILELIFT_RUN_AGAINST: such a file to compare with.
  std::string against;
  /// TILELIFT_RUN_SILENCED: ids of findings, with commas between them.
  std::set<std::string> silenced;
  /// TILELIFT_RUN_VERDICT: a file that gets the number of findings.
  std::string verdict;

  static Settings fromEnvironment();
};

} // namespace tilelift::emulator

#endif
