//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words in memory by which threads tell each other how far they are: whatever is
// written by an atomic operation, a volatile or a stronger store.
//
// A store replaces what was told there before, an atomic operation adds to it. What
// a writer may tell and when a reader may rely on it is in Order.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_FLAGS_H
#define TILELIFT_EMULATOR_MACHINE_FLAGS_H

#include "machine/Order.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace tilelift::emulator {

class Flags {
public:
  /// Before the word is written; `isForBlock` where only the writer's block counts.
  void write(const Order &order, uint32_t thread, uint64_t address, bool isUpdate, bool isForBlock);
  /// After the word was read.
  void read(Order &order, uint32_t thread, uint64_t address, bool isForBlock);
  void clear();

private:
  std::mutex mutex; ///< blocks run at the same time
  std::unordered_map<uint64_t, Message> messages;
  std::atomic<bool> hasAny = false;
};

} // namespace tilelift::emulator

#endif
