//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before which lifted copies a barrier of the block is missing, and which of the program's barriers
// can go.
//
// Follows the control flow of a kernel and keeps what happened to memory since the last
// barrier of the block on any path, and whether a copy was waited for. From that it tells
// before which copies a barrier is missing (the plain copy may not have needed one, when
// each thread reads only what it wrote), and where a proxy fence is needed.
//
// A barrier of the program behind a copy can go if it orders nothing but the copies
// themselves: if nothing that happens from the barrier before it on clashes with anything up
// to the next.
//
// The instances of a template share one text, so what one of them needs, all of them get,
// and a barrier goes only where it may go in all of them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ORDER_BARRIERFACTS_H
#define TILELIFT_ORDER_BARRIERFACTS_H

#include "order/KernelFlow.h"

namespace tilelift {

struct CopyOrder {
  /// Stands in a kernel's outermost block, so that it runs exactly once.
  bool runsOnce = false;
  /// Waits together with the copy before it in the list.
  bool joinsPrevious = false;
  /// A barrier of the block is needed before the copy: some thread may still access the tile or
  /// wait for the phase before, or may have written what the leader looks up in shared memory.
  bool needsBarrier = false;
  /// Threads may have written to the tensor: every thread fences, then a barrier.
  bool sourceWritten = false;
  /// Threads read the tile before: the leader fences.
  bool readBefore = false;
  /// Threads wrote the tile before: every thread fences, then a barrier.
  bool writtenBefore = false;
  /// The copy is not waited for where it stands, but where the program waits for its group.
  bool isDeferred = false;
  /// The copy's statement closes a group, which the copy is in (cooperative_groups::memcpy_async).
  bool closesGroup = false;
  LostGroups lostGroups = LostGroups::None;
};

/// What is needed around a store. Only the leader waits for the store itself.
struct StoreOrder {
  /// Every thread has to fence right before the store, and a barrier has to be added behind the
  /// fences. If this is false, the last barriers of the program before the store order it, and the
  /// threads fence there if the store needs that (BarrierDuty).
  bool needsBarrier = false;
  /// Not only the tile: threads may have accessed the tensor.
  bool fencesAll = false;
  /// The block waits for the store right behind it. It has to if some thread may, before the next
  /// barrier, write to the tile, access the tensor, tell others that the tensor is written, or
  /// leave the kernel by assembly; if the leader's wait cannot be inserted in front of that
  /// barrier's text, as for a store in a function that the kernel calls; or if the leader looks up
  /// the store's place in shared memory.
  bool waitsHere = false;
  /// The leader waits until the tensor is written, and not only until TMA has read the tile,
  /// because some thread may access the tensor or be told that it is written.
  bool needsResult = false;
};

/// A barrier of the program that has a part in ordering stores.
struct BarrierDuty {
  const clang::Expr *barrier = nullptr;
  bool fences = false, fencesAll = false;
  bool waits = false, waitsForResult = false;
};

/// The barriers around the copies, in the copies' order, and those that can go.
struct CopyOrders {
  std::vector<CopyOrder> copies;
  std::vector<StoreOrder> stores;
  std::vector<const clang::Expr *> redundant;
  std::vector<BarrierDuty> duties;
  /// Where the program closes groups and waits for them, if some copies are deferred.
  std::vector<GroupPlace> groups;
};

/// A kernel's instance, with its copies; all instances have the same, in the same order.
struct OrderedInstance {
  const KernelEffects *effects = nullptr;
  std::vector<LiftedCopy> copies;
};

/// Finds the barriers, fences and waits that the copies need, and the program's barriers that can
/// go. A kernel's entry counts as a barrier of the block.
CopyOrders orderCopies(const std::vector<OrderedInstance> &instances);

/// Finds the fences and waits that the copies which are stores need, given that the redundant
/// barriers are no longer there.
void orderStores(const std::vector<OrderedInstance> &instances,
                 const std::vector<KernelFlow> &flows, const std::vector<BarrierPlace> &barriers,
                 const NumberSet &redundant, CopyOrders &orders);

} // namespace tilelift

#endif
