//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The teams that one thread of the host runs: one after the other, as long as none waits for
// another one. When all that it has begun look in vain for what others do, it begins one more,
// and they take turns. A launch has a crew for each thread of the host.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_CREW_H
#define TILELIFT_EMULATOR_MACHINE_CREW_H

#include "machine/Team.h"

namespace tilelift::emulator {

class Crew {
public:
  /// `order` has the numbers of all teams of the launch; each has `blocks` blocks.
  Crew(Grid &grid, const std::vector<uint64_t> &order, uint32_t blocks, uint64_t seed)
      : grid(grid), order(order), blocks(blocks), seed(seed) {}

  /// Until nobody is left to begin, and all that it began are over.
  void run();

private:
  bool beginAnother();
  bool runAll();
  bool mayMoveAgain();
  void setBusy(bool busy);

  Grid &grid;
  const std::vector<uint64_t> &order;
  const uint32_t blocks;
  const uint64_t seed;
  std::vector<std::unique_ptr<Team>> begun, spare;
  bool isBusy = false;
  uint64_t roundsInVain = 0;
};

} // namespace tilelift::emulator

#endif
