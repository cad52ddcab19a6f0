//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Reach.h"

#include "machine/Order.h"

namespace tilelift::emulator {

bool Reach::covers(const Reach &reach, uint32_t block) {
  return uint64_t(block) >> (bits * reach.height) == 0;
}

/// A leaf, and later a tree, becomes the first child of a higher one.
Reach::Shared Reach::higher(const Shared &reach) {
  auto above = std::make_shared<Reach>();
  above->height = reach->height + 1;
  above->children[0] = reach;
  return above;
}

const Knowledge *Reach::find(const Shared &reach, uint32_t block) {
  const Reach *at = reach.get();
  if (!at || !covers(*at, block))
    return nullptr;
  while (at && at->height > 0)
    at = at->children[block >> (bits * (at->height - 1)) & (fanOut - 1)].get();
  return at ? at->part.get() : nullptr;
}

Reach::Shared Reach::with(const Shared &reach, uint32_t block, const Part &part) {
  auto leaf = std::make_shared<Reach>();
  leaf->part = part;
  Shared path = leaf;
  uint32_t height = 0;
  for (uint64_t rest = block; height == 0 || rest > 0; rest >>= bits) {
    auto above = std::make_shared<Reach>();
    above->height = ++height;
    above->children[rest & (fanOut - 1)] = path;
    path = above;
  }
  return join(reach, path);
}

Reach::Shared Reach::joinEqual(const Shared &one, const Shared &other) {
  if (!one || one == other)
    return other;
  if (!other)
    return one;
  auto both = std::make_shared<Reach>(*one);
  if (one->height == 0) {
    both->part = merged(one->part, other->part);
    return both->part == one->part ? one : both->part == other->part ? other : both;
  }
  bool isOne = true, isOther = true;
  for (uint32_t i = 0; i < fanOut; ++i) {
    both->children[i] = joinEqual(one->children[i], other->children[i]);
    isOne &= both->children[i] == one->children[i];
    isOther &= both->children[i] == other->children[i];
  }
  return isOne ? one : isOther ? other : both;
}

Reach::Shared Reach::join(const Shared &one, const Shared &other) {
  if (!one || one == other)
    return other;
  if (!other)
    return one;
  Shared a = one, b = other;
  while (a->height < b->height)
    a = higher(a);
  while (b->height < a->height)
    b = higher(b);
  return joinEqual(a, b);
}

} // namespace tilelift::emulator
