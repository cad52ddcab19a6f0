//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two runs of a program, compared by what each launch leaves in memory: the
// first run writes it to a file, the second one reads the file along. Addresses
// are the same in both, so that every byte can be compared, pointers included.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_COMPARISON_H
#define TILELIFT_EMULATOR_MACHINE_COMPARISON_H

#include "machine/Machine.h"

#include <cstdio>
#include <map>

namespace tilelift::emulator {

class Comparison {
public:
  explicit Comparison(Machine &machine);
  ~Comparison();

  void afterLaunch(const LaunchRequest &request);
  /// The program ends: the other run must have ended as well.
  void finish();

private:
  struct Recorded {
    uint64_t bytes, hash, hasContent, isVariable;
  };
  struct Expected {
    Recorded facts;
    std::vector<char> content; ///< empty where nothing changed since the launch before
  };
  static std::string keyOf(const Allocation &allocation);
  void record(const LaunchRequest &request);
  bool read(std::string &kernel, std::map<std::string, Expected> &memory);
  void compare(const LaunchRequest &request);
  void compareAllocation(const LaunchRequest &request, const std::string &kernel,
                         const Allocation &allocation, const char *bytes,
                         const std::vector<char> &expected);
  const char *comparable(const Allocation &allocation);
  void say(uint32_t site, const std::string &text);

  Machine &machine;
  FILE *file = nullptr;
  bool isRecording;
  uint64_t launches = 0;
  std::map<char *, uint64_t> hashes;              ///< of each allocation, after the last launch
  std::map<std::string, std::vector<char>> known; ///< what the plain program had last
  /// A copy of the variable that is compared, with the addresses of functions set to zero.
  std::vector<char> withoutCode;
};

} // namespace tilelift::emulator

#endif
