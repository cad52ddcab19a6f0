//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Order.h"

#include <algorithm>

namespace tilelift::emulator {

void Order::reset(uint32_t threads) {
  clocks.assign(threads, 1);
  known.assign(threads, 0);
  fences.assign(threads, 0);
  extra.assign(threads, nullptr);
  copies.clear();
  copies.emplace_back(); // number 0 is no copy
  copies[0].knownToAll = true;
  live.clear();
  joinedFirst = joinedSecond = joined = nullptr;
}

uint32_t Order::newCopy() {
  copies.emplace_back();
  live.push_back(uint32_t(copies.size() - 1));
  return live.back();
}

void Order::learn(uint32_t thread, uint32_t copy) {
  CopyState &state = copies[copy];
  if (state.knownToAll)
    return;
  if (!state.known)
    state.known = std::make_unique<std::vector<bool>>(clocks.size());
  (*state.known)[thread] = true;
}

void Order::barrier() {
  for (size_t i = 0; i < clocks.size(); ++i)
    known[i] = clocks[i]++;
  std::fill(extra.begin(), extra.end(), nullptr);
  auto isKnown = [&](uint32_t copy) {
    CopyState &state = copies[copy];
    if (!state.known)
      return false;
    state.knownToAll = true; // whoever knew has told all
    state.known.reset();
    return true;
  };
  live.erase(std::remove_if(live.begin(), live.end(), isKnown), live.end());
}

namespace {

void raise(std::vector<uint32_t> &to, const std::vector<uint32_t> &from) {
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = std::max(to[i], from[i]);
}

void addMissing(std::vector<uint32_t> &to, const std::vector<uint32_t> &from) {
  for (uint32_t each : from)
    if (std::find(to.begin(), to.end(), each) == to.end())
      to.push_back(each);
}

} // namespace

std::shared_ptr<Knowledge> Order::nothing() const {
  auto none = std::make_shared<Knowledge>();
  none->clocks.resize(clocks.size());
  return none;
}

void Order::release(uint32_t thread, Knowledge &into) {
  if (extra[thread])
    raise(into.clocks, extra[thread]->clocks);
  into.clocks[thread] = clocks[thread]++;
  for (uint32_t copy : live)
    if (knowsCopy(thread, copy) &&
        std::find(into.copies.begin(), into.copies.end(), copy) == into.copies.end())
      into.copies.push_back(copy);
}

void Order::acquire(uint32_t thread, const Shared &from) {
  if (!from)
    return;
  for (uint32_t copy : from->copies)
    learn(thread, copy);
  Shared &own = extra[thread];
  if (!own) {
    own = from;
  } else if (own != from) {
    if (own != joinedFirst || from != joinedSecond) {
      auto both = std::make_shared<Knowledge>(*own);
      raise(both->clocks, from->clocks);
      addMissing(both->copies, from->copies);
      joinedFirst = own;
      joinedSecond = from;
      joined = both;
    }
    own = joined;
  }
}

} // namespace tilelift::emulator
