//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Things that the lanes of a warp do together. Each lane brings a slot on its
// own stack; when the last one has come, the answers are computed from all
// slots, and everybody goes on.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_COLLECTIVES_H
#define TILELIFT_EMULATOR_MACHINE_COLLECTIVES_H

#include "machine/Team.h"

namespace tilelift::emulator {

/// The group that this lane belongs to, opened by the first one of it. Lanes do the same thing
/// together when they name it alike and with the same mask; if `place` is not 0, only those at that
/// place do.
Collective &joinCollective(Thread *thread, const char *what, uint32_t mask, void *slot,
                           uint32_t place = 0);
/// Completes the group if all have come, and waits until somebody has.
void finishCollective(Thread *thread, Collective &group, uint32_t site);
/// Completes groups that only waited for lanes which have exited.
void finishWithoutExited(Warp &warp);

template <typename Compute>
void together(Thread *thread, const char *what, uint32_t mask, void *slot, uint32_t site,
              Compute compute) {
  Collective &group = joinCollective(thread, what, mask, slot);
  if (!group.compute) {
    group.closure = &compute;
    group.compute = [](void *closure, Collective &all) { (*static_cast<Compute *>(closure))(all); };
  }
  finishCollective(thread, group, site);
}

template <typename Slot, typename Visit> void eachLane(Collective &group, Visit visit) {
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (group.arrived >> lane & 1)
      visit(lane, *static_cast<Slot *>(group.slots[lane]));
}

} // namespace tilelift::emulator

#endif
