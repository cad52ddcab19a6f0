//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks that take turns on one thread of the host. A fiber runs until it gives
// the turn back; it can be given up at any time, nothing on its stack is
// unwound.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_FIBER_H
#define TILELIFT_EMULATOR_MACHINE_FIBER_H

#include <cstddef>
#include <vector>

namespace tilelift::emulator {

/// Which memory a stack has.
struct StackBounds {
  const void *bottom = nullptr;
  size_t size = 0;
};

/// Memory for the stack of one fiber; what lies just below it faults. A thread of the device has up
/// to 512 KiB of local memory, and unoptimised code of the host a little more. What no thread
/// touches costs nothing.
class Stack {
public:
  static constexpr size_t bytes = 1024 * 1024, belowBytes = 64 * 1024;
  Stack();
  ~Stack();
  Stack(Stack &&other) noexcept : memory(other.memory) { other.memory = nullptr; }
  Stack &operator=(Stack &&other) noexcept;
  char *top() const { return memory + bytes; }
  StackBounds bounds() const { return {memory, bytes}; }
  bool contains(const void *address) const {
    return static_cast<const char *>(address) >= memory &&
           static_cast<const char *>(address) < memory + bytes;
  }

private:
  char *memory;
};

/// Where a stack goes on: its stack pointer, the registers saved on it.
using Context = void *;

/// Saves the running context and goes on with another, on its stack. Who never comes
/// back says so. The address sanitizer has to know.
void switchTo(Context *save, Context load, StackBounds stack, bool comesBack = true);

/// What a fiber does first: where the stack lies that gave it its first turn, as far as
/// the address sanitizer tells.
StackBounds arrive();

/// A context that calls `entry(argument)` when it gets its first turn; entry
/// must not return.
Context prepare(const Stack &stack, void (*entry)(void *), void *argument);

} // namespace tilelift::emulator

#endif
