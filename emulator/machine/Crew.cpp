//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Crew.h"

#include <thread>

namespace tilelift::emulator {
namespace {

/// After so many rounds in which no thread of any crew has moved, nobody is expected to.
constexpr uint64_t patience = 100;

} // namespace

void Crew::run() {
  setBusy(true);
  while (!grid.isStopped() && (!begun.empty() || beginAnother())) {
    if (runAll()) {
      roundsInVain = 0;
      setBusy(true);
    } else if (!beginAnother() && !mayMoveAgain()) {
      begun.front()->reportStandstill();
    }
  }
  setBusy(false);
}

/// False if all have been begun.
bool Crew::beginAnother() {
  uint64_t next = grid.nextTeam++;
  if (next >= order.size())
    return false;
  if (spare.empty())
    spare.push_back(std::make_unique<Team>(grid, blocks, seed));
  begun.push_back(std::move(spare.back()));
  spare.pop_back();
  begun.back()->start(order[next]);
  return true;
}

/// Gives each team its turns, and returns whether some thread of one has moved.
bool Crew::runAll() {
  bool hasMoved = false;
  for (size_t i = 0; i < begun.size() && !grid.isStopped();) {
    hasMoved |= begun[i]->runWhileMoving();
    if (begun[i]->isOver()) {
      spare.push_back(std::move(begun[i]));
      begun.erase(begun.begin() + long(i));
    } else {
      ++i;
    }
  }
  return hasMoved;
}

/// Whether those that are waited for may be other crews'.
bool Crew::mayMoveAgain() {
  setBusy(false);
  if (grid.busyCrews > 0) {
    std::this_thread::yield();
    return true;
  }
  return ++roundsInVain < patience;
}

void Crew::setBusy(bool busy) {
  if (isBusy != busy)
    grid.busyCrews += busy ? 1 : -1;
  isBusy = busy;
}

} // namespace tilelift::emulator
