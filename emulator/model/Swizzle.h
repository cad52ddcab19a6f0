//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a swizzle puts a byte of shared memory.
//
// Each mode is an XOR of bits of the absolute shared address, so its phase
// depends on where the tile lies and not on the row alone; each is its own
// inverse. Which modes a map may have is not decided here but in rules.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MODEL_SWIZZLE_H
#define TILELIFT_EMULATOR_MODEL_SWIZZLE_H

#include "tilelift/rules.h"

#include <cstdint>

namespace tilelift::emulator {

using Swizzle = tilelift::swizzle_mode;

/// The shared address that holds the byte which an unswizzled tile has at
/// `address`.
constexpr uint32_t swizzled(Swizzle mode, uint32_t address) {
  switch (mode) {
  case Swizzle::none: return address;
  case Swizzle::b32: return address ^ ((address >> 3) & 0x10);
  case Swizzle::b64: return address ^ ((address >> 3) & 0x30);
  case Swizzle::b128: return address ^ ((address >> 3) & 0x70);
  case Swizzle::b128_atom_32: return address ^ ((address >> 2) & 0x60);
  case Swizzle::b128_atom_32_flip_8:
    return address ^ ((address >> 2) & 0x60) ^ ((address >> 4) & 0x08);
  case Swizzle::b128_atom_64: return address ^ ((address >> 1) & 0x40);
  }
  return address;
}

/// Bytes that stay together; 0 where nothing moves.
constexpr uint32_t swizzleAtom(Swizzle mode) {
  switch (mode) {
  case Swizzle::none: return 0;
  case Swizzle::b128_atom_32: return 32;
  case Swizzle::b128_atom_32_flip_8: return 8;
  case Swizzle::b128_atom_64: return 64;
  default: return 16;
  }
}

} // namespace tilelift::emulator

#endif
