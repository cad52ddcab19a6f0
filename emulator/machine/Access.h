//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From addresses that threads use to bytes of this process, with the checks
// that hardware makes and those that it does not make.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_ACCESS_H
#define TILELIFT_EMULATOR_MACHINE_ACCESS_H

#include "machine/Block.h"

namespace tilelift::emulator {

constexpr uint32_t rankShift = 24;

inline uint32_t offsetOf(uint64_t sharedAddress) {
  return uint32_t(sharedAddress) & ((1u << rankShift) - 1);
}

/// The block that a shared address belongs to; ends the launch where there is none.
Block *blockOf(Thread *thread, uint64_t sharedAddress, uint32_t site);

/// Where the bytes at a shared address are; notes the access.
char *readShared(Thread *thread, uint64_t sharedAddress, uint32_t access, uint32_t site);
char *writeShared(Thread *thread, uint64_t sharedAddress, uint32_t access, uint32_t site);

/// Where the bytes at a generic address are, in whatever memory; notes the access.
char *readGeneric(Thread *thread, uint64_t address, uint32_t access, uint32_t site);
char *writeGeneric(Thread *thread, uint64_t address, uint32_t access, uint32_t site);

/// End the launch as hardware would, after they have said why.
[[noreturn]] void misaligned(Thread *thread, const std::string &what, uint32_t needed,
                             uint32_t site);
[[noreturn]] void outOfRange(Thread *thread, const std::string &what, uint32_t site);

/// The emulator is at its end, not the program.
[[noreturn]] void notEmulated(Thread *thread, const std::string &what, uint32_t site);

/// Whether the bytes are global memory; else says so and ends the launch.
void requireGlobal(Thread *thread, uint64_t address, uint64_t bytes, const char *what,
                   uint32_t site);

/// How messages call a place in global memory, or what is known of one that is none.
std::string describeGlobal(Thread *thread, uint64_t address);

/// Behind a store that `suspects` is about.
void settleWrite(Thread *thread);

// Barrier objects.
BarrierObject &barrierAt(Thread *thread, uint64_t sharedAddress, uint32_t site, Block **owner);
/// What waiting for the running phase will make known.
Knowledge &gatheredBy(const Block &block, BarrierObject &object);
/// Starts the next phase when this one has all it counts.
void completeIfDue(Thread *thread, Block &block, uint32_t offset, BarrierObject &object);

} // namespace tilelift::emulator

#endif
