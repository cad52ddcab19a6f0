//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the machine saw that a correct program does not do, with the place in
// the source. Each finding has an id; the same finding of the same place is
// printed once, however many threads make it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_FINDINGS_H
#define TILELIFT_EMULATOR_MACHINE_FINDINGS_H

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tilelift::emulator {

class Program;

/// Where in the grid something happened.
struct Whereabouts {
  const char *kernel = nullptr; ///< mangled
  uint32_t block[3] = {};
  uint32_t thread[3] = {};
  bool hasThread = false;
};

struct Finding {
  const char *id;
  std::string text;
  uint32_t site = 0;
  Whereabouts where;
  /// Other places that belong to it.
  struct Note {
    std::string text;
    uint32_t site;
  };
  std::vector<Note> notes;
};

class Findings {
public:
  Findings(const Program &program, std::set<std::string> silenced);

  void report(const Finding &finding);
  /// Findings that were printed.
  unsigned count() const { return printed; }
  /// "17 more of these", for all that were printed once and seen again.
  void summarize();

private:
  std::string place(uint32_t site) const;

  const Program &program;
  const std::set<std::string> silenced;
  std::mutex mutex;
  unsigned printed = 0;
  struct Seen {
    std::string headline;
    uint64_t times = 0;
  };
  std::map<std::string, Seen> seen;
};

} // namespace tilelift::emulator

#endif
