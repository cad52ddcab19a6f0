//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Flags.h"

namespace tilelift::emulator {

void Flags::write(const Order &order, uint32_t thread, uint64_t address, bool isUpdate,
                  bool isForBlock) {
  Message message = order.message(thread, isForBlock);
  if (!message && (isUpdate || !hasAny.load(std::memory_order_relaxed)))
    return;
  std::lock_guard lock(mutex);
  if (!message) {
    messages.erase(address);
    return;
  }
  hasAny.store(true, std::memory_order_relaxed);
  Message &there = messages[address];
  if (isUpdate && there.block == message.block) {
    message.own = merged(there.own, message.own);
    message.home = Reach::join(there.home, message.home);
  }
  if (isUpdate)
    message.reach = Reach::join(there.reach, message.reach);
  there = std::move(message);
}

void Flags::read(Order &order, uint32_t thread, uint64_t address, bool isForBlock) {
  if (!hasAny.load(std::memory_order_relaxed))
    return;
  std::lock_guard lock(mutex);
  auto found = messages.find(address);
  if (found != messages.end())
    order.hear(thread, found->second, isForBlock);
}

void Flags::clear() {
  if (!hasAny)
    return;
  messages.clear();
  hasAny = false;
}

} // namespace tilelift::emulator
