//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happened before what, as far as the threads of a block can know.
//
// Each thread counts its own synchronizations; an access is remembered with the
// count at that time. A barrier of the whole block makes everything known to
// all; what a part of the block shares is kept as a vector of counts. Copies by
// the asynchronous proxy are numbered, and known or not known to be complete.
//
// A flag in memory passes on what its writer knows and has fenced, and reaches
// whoever reads it behind the next fence or barrier of the reader. Of other
// blocks a thread knows what it was told by flags and barriers of the cluster.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_ORDER_H
#define TILELIFT_EMULATOR_MACHINE_ORDER_H

#include "machine/Reach.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tilelift::emulator {

/// What some threads of a block made known: everything up to these counts, copies,
/// and what they knew of other blocks.
struct Knowledge {
  std::vector<uint32_t> clocks; ///< by thread
  std::vector<uint32_t> copies;
  Reach::Shared reach;
  uint32_t ended = 0; ///< how many copies some thread had waited for
};

/// Returns all that both parts know; if one of them has all that the other has, that one itself.
Reach::Part merged(const Reach::Part &one, const Reach::Part &other);

/// What is read with a flag.
struct Message {
  uint32_t block = 0;  ///< whose threads `own` is about
  Reach::Part own;     ///< of that block itself, for its own threads; null for nothing
  Reach::Shared home;  ///< of other blocks, for threads of that block alone
  Reach::Shared reach; ///< of all blocks, that one included, for threads of any block
  explicit operator bool() const { return own || home || reach; }
};

class Order {
public:
  using Shared = std::shared_ptr<const Knowledge>;
  using Part = Reach::Part;

  void reset(uint32_t threads, uint32_t block);

  uint32_t clock(uint32_t thread) const { return clocks[thread]; }
  /// Whether `thread` knows what `other` did at `clock`.
  bool knows(uint32_t thread, uint32_t other, uint32_t clock) const {
    return clock <= known[other] || thread == other ||
           (extra[thread] && clock <= extra[thread]->clocks[other]);
  }
  /// Whether the asynchronous proxy sees what `thread` wrote at `clock`.
  bool isFenced(uint32_t thread, uint32_t clock) const { return clock < fences[thread]; }
  void fence(uint32_t thread) { fences[thread] = ++clocks[thread]; }
  /// A fence of global memory. It also covers writes of other blocks that `thread` knows of,
  /// because it is executed after these writes and before the block's later copies.
  void fenceAbroad(uint32_t thread);
  bool isFencedAbroad(uint32_t block, uint32_t other, uint32_t clock) const;
  /// Whether `thread` knows what the thread `other` of the block `block` did at `clock`.
  bool knowsAbroad(uint32_t thread, uint32_t block, uint32_t other, uint32_t clock) const;
  /// Whether `thread` knows that a copy of the block `block` has ended: the `ended`th of which a
  /// thread there knew that. 0 is a copy of which no thread there knows it.
  bool knowsCopyAbroad(uint32_t thread, uint32_t block, uint32_t ended) const;

  // Copies.
  uint32_t newCopy();
  void learn(uint32_t thread, uint32_t copy);
  /// Where to note how many copies have ended when somebody first knows that this one has.
  void noteEnd(uint32_t copy, uint32_t *ended) { copies[copy].ended = ended; }
  /// A copy from this block's memory to another one's has ended. Its barrier is the other block's,
  /// so threads know it once they hear from other blocks.
  void noteEndAbroad(uint32_t copy) { endedAbroad.push_back(copy); }
  bool knowsCopy(uint32_t thread, uint32_t copy) const {
    const CopyState &state = copies[copy];
    return state.knownToAll || (state.known && (*state.known)[thread]);
  }

  // Synchronizations.
  std::shared_ptr<Knowledge> nothing() const;
  /// All threads of the block know all.
  void barrier();
  /// Adds what `thread` knows, and moves its clock on.
  void release(uint32_t thread, Knowledge &into);
  /// `thread` learns.
  void acquire(uint32_t thread, const Shared &from);

  // Flags, and other blocks.
  /// A fence of memory: what `thread` knows may be passed on by flags, of this block alone
  /// or of all.
  void publish(uint32_t thread, bool isForBlock);
  /// What a flag tells that `thread` writes now. With `isForBlock`, only threads of the same block
  /// are told.
  Message message(uint32_t thread, bool isForBlock) const;
  /// `thread` has read a flag, and may rely on it behind its next fence or barrier. A read for the
  /// block hears nothing of others.
  void hear(uint32_t thread, const Message &message, bool isForBlock);
  /// From now on `thread` knows what it has heard by flags: it comes to a fence or a barrier, or
  /// its read of the flag acquires.
  void relyOnHeard(uint32_t thread);
  /// All that `thread` knows, for a barrier of the cluster or another block's.
  Reach::Shared everything(uint32_t thread);
  /// All that the block did, and knows of others.
  Reach::Shared everything() const;
  void learnAbroad(const Reach::Shared &reach);
  void learnAbroad(uint32_t thread, const Reach::Shared &reach);

private:
  struct CopyState {
    bool knownToAll = false;
    std::unique_ptr<std::vector<bool>> known; ///< by thread, null while nobody knows
    uint32_t *ended = nullptr;
  };
  /// What fences have covered, by thread.
  struct Published {
    std::vector<uint32_t> clocks; ///< empty while there was none
    /// Whether `clocks` covers what all threads know.
    bool hasKnown = false;
    /// What was added to `clocks` last of what one thread knew besides; null if nothing was.
    Reach::Part lastExtra;
    void reset() { *this = Published(); }
  };
  void publish(uint32_t thread, Published &published) const;
  Part published(uint32_t thread, const Published &published) const;
  uint32_t knownOf(uint32_t thread, uint32_t other) const;
  void barrierAbroad();

  std::vector<uint32_t> clocks;
  std::vector<uint32_t> known; ///< of each thread, what all know
  std::vector<uint32_t> fences;
  std::vector<Shared> extra; ///< what a thread knows beyond
  std::vector<CopyState> copies;
  std::vector<uint32_t> live;        ///< copies that not all know
  std::vector<uint32_t> endedAbroad; ///< copies of which other blocks know that they have ended
  uint32_t block = 0;
  uint32_t endedCopies = 0;
  Published forBlock, forGrid;
  Reach::Shared abroad;            ///< of other blocks, known to all threads
  Reach::Shared fencedAbroad;      ///< of other blocks, known to some thread when it fenced
  std::vector<Reach::Shared> news; ///< of other blocks, by thread; empty while there is none
  std::vector<Message> heard;      ///< by thread, not yet relied on; empty while there is none
  // The last join, which the next thread will most likely ask for again.
  Shared joinedFirst, joinedSecond, joined;
};

} // namespace tilelift::emulator

#endif
