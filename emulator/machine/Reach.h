//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread knows of other blocks of its launch, by the block's number.
//
// Blocks learn of each other through flags, one after the other, and what they
// know differs in little: a tree whose parts are shared and never change. It
// does not know what the knowledge is about (Order.h).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_REACH_H
#define TILELIFT_EMULATOR_MACHINE_REACH_H

#include <array>
#include <cstdint>
#include <memory>

namespace tilelift::emulator {

struct Knowledge;

class Reach {
public:
  using Shared = std::shared_ptr<const Reach>; ///< null knows nothing
  using Part = std::shared_ptr<const Knowledge>;

  /// What is known of a block, or null.
  static const Knowledge *find(const Shared &reach, uint32_t block);
  /// The same, with this known of a block besides.
  static Shared with(const Shared &reach, uint32_t block, const Part &part);
  static Shared join(const Shared &one, const Shared &other);

private:
  static constexpr uint32_t bits = 4, fanOut = 1u << bits;

  /// Covers blocks below 16 to the power of `height`; a leaf has height 0.
  uint32_t height = 0;
  Part part; ///< of a leaf
  std::array<Shared, fanOut> children;

  static bool covers(const Reach &reach, uint32_t block);
  static Shared higher(const Shared &reach);
  static Shared joinEqual(const Shared &one, const Shared &other);
};

} // namespace tilelift::emulator

#endif
