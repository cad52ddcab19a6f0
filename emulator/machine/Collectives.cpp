//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Collectives.h"

#include <algorithm>
#include <cstring>

namespace tilelift::emulator {

namespace {

/// Lanes that have exited are not waited for.
bool isFull(const Warp &warp, const Collective &group) {
  uint32_t needed = group.mask & warp.present;
  return (group.arrived & needed) == needed;
}

void complete(Warp &warp, Collective &group) {
  auto place = std::find_if(warp.open.begin(), warp.open.end(),
                            [&](auto &each) { return each.get() == &group; });
  std::unique_ptr<Collective> whole = std::move(*place);
  warp.open.erase(place);
  whole->compute(whole->closure, *whole);
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (whole->arrived >> lane & 1)
      warp.lanes[lane]->block->team->wake(*warp.lanes[lane]);
}

} // namespace

Collective &joinCollective(Thread *thread, const char *what, uint32_t mask, void *slot,
                           uint32_t place) {
  Warp &warp = *thread->warp;
  auto found = std::find_if(warp.open.begin(), warp.open.end(), [&](auto &group) {
    return group->mask == mask && group->place == place && std::strcmp(group->what, what) == 0;
  });
  if (found == warp.open.end()) {
    warp.open.push_back(std::make_unique<Collective>());
    found = std::prev(warp.open.end());
    (*found)->what = what;
    (*found)->mask = mask;
    (*found)->place = place;
  }
  (*found)->arrived |= 1u << thread->laneid;
  (*found)->slots[thread->laneid] = slot;
  return **found;
}

void finishCollective(Thread *thread, Collective &group, uint32_t site) {
  uint32_t mask = group.mask;
  thread->state = Thread::blocked;
  if (isFull(*thread->warp, group))
    complete(*thread->warp, group); // wakes this thread as well
  thread->block->team->rest(*thread, {Waiting::warp, site, mask});
}

void finishWithoutExited(Warp &warp) {
  for (size_t i = warp.open.size(); i-- > 0;)
    if (warp.open[i]->compute && isFull(warp, *warp.open[i]))
      complete(warp, *warp.open[i]);
}

} // namespace tilelift::emulator
