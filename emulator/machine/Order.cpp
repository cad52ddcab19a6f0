//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Order.h"

#include <algorithm>

namespace tilelift::emulator {

void Order::reset(uint32_t threads, uint32_t number) {
  block = number;
  endedCopies = 0;
  forBlock.reset();
  forGrid.reset();
  abroad = fencedAbroad = nullptr;
  news.clear();
  heard.clear();
  clocks.assign(threads, 1);
  known.assign(threads, 0);
  fences.assign(threads, 0);
  extra.assign(threads, nullptr);
  copies.clear();
  copies.emplace_back(); // number 0 is no copy
  copies[0].knownToAll = true;
  live.clear();
  endedAbroad.clear();
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
  if (state.ended && *state.ended == 0)
    *state.ended = ++endedCopies;
  if (!state.known)
    state.known = std::make_unique<std::vector<bool>>(clocks.size());
  (*state.known)[thread] = true;
}

void Order::barrier() {
  barrierAbroad();
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
  forBlock.hasKnown = forGrid.hasKnown = false;
  forBlock.lastExtra = forGrid.lastExtra = nullptr;
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
  relyOnHeard(thread);
  if (!news.empty())
    into.reach = Reach::join(into.reach, news[thread]);
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
  if (from->reach)
    learnAbroad(thread, from->reach);
  Shared &own = extra[thread];
  if (!own) {
    own = from;
  } else if (own != from) {
    if (own != joinedFirst || from != joinedSecond) {
      auto both = std::make_shared<Knowledge>(*own);
      raise(both->clocks, from->clocks);
      addMissing(both->copies, from->copies);
      both->reach = nullptr; // kept in `news`
      joinedFirst = own;
      joinedSecond = from;
      joined = both;
    }
    own = joined;
  }
}

// Flags, and other blocks.

Reach::Part merged(const Reach::Part &one, const Reach::Part &other) {
  if (!one || one == other)
    return other;
  if (!other)
    return one;
  auto both = std::make_shared<Knowledge>(*one);
  raise(both->clocks, other->clocks);
  addMissing(both->copies, other->copies);
  both->ended = std::max(one->ended, other->ended);
  auto isAll = [&](const Knowledge &each) {
    return each.clocks == both->clocks && each.ended == both->ended &&
           each.copies.size() == both->copies.size();
  };
  return isAll(*one) ? one : isAll(*other) ? other : both;
}

void Order::fenceAbroad(uint32_t thread) {
  fence(thread);
  fencedAbroad = Reach::join(fencedAbroad, abroad);
  if (!news.empty())
    fencedAbroad = Reach::join(fencedAbroad, news[thread]);
}

bool Order::isFencedAbroad(uint32_t number, uint32_t other, uint32_t clock) const {
  const Knowledge *known = Reach::find(fencedAbroad, number);
  return known && clock <= known->clocks[other];
}

bool Order::knowsAbroad(uint32_t thread, uint32_t number, uint32_t other, uint32_t clock) const {
  auto isIn = [&](const Reach::Shared &reach) {
    const Knowledge *known = Reach::find(reach, number);
    return known && clock <= known->clocks[other];
  };
  return isIn(abroad) || (!news.empty() && isIn(news[thread]));
}

bool Order::knowsCopyAbroad(uint32_t thread, uint32_t number, uint32_t ended) const {
  auto isIn = [&](const Reach::Shared &reach) {
    const Knowledge *known = Reach::find(reach, number);
    return known && ended != 0 && ended <= known->ended;
  };
  return isIn(abroad) || (!news.empty() && isIn(news[thread]));
}

/// What one thread was told, all know behind a barrier.
void Order::barrierAbroad() {
  for (const Reach::Shared &each : news)
    abroad = Reach::join(abroad, each);
  for (const Message &each : heard)
    abroad = Reach::join(abroad, each.reach);
  news.clear();
  heard.clear();
}

uint32_t Order::knownOf(uint32_t thread, uint32_t other) const {
  if (thread == other)
    return clocks[thread];
  return extra[thread] ? std::max(known[other], extra[thread]->clocks[other]) : known[other];
}

void Order::publish(uint32_t thread, Published &published) const {
  if (published.clocks.empty())
    published.clocks.resize(clocks.size());
  published.clocks[thread] = clocks[thread];
  if (!published.hasKnown)
    raise(published.clocks, known);
  published.hasKnown = true;
  const Shared &own = extra[thread];
  if (own && own != published.lastExtra)
    raise(published.clocks, own->clocks);
  published.lastExtra = own;
}

void Order::publish(uint32_t thread, bool isForBlock) {
  relyOnHeard(thread);
  publish(thread, forBlock);
  if (!isForBlock)
    publish(thread, forGrid);
  ++clocks[thread];
}

Order::Part Order::published(uint32_t thread, const Published &published) const {
  if (published.clocks.empty())
    return nullptr;
  auto part = std::make_shared<Knowledge>();
  part->clocks.resize(clocks.size());
  for (uint32_t other = 0; other < clocks.size(); ++other)
    part->clocks[other] = std::min(knownOf(thread, other), published.clocks[other]);
  for (uint32_t copy : live)
    if (knowsCopy(thread, copy))
      part->copies.push_back(copy);
  part->ended = endedCopies;
  return part;
}

Message Order::message(uint32_t thread, bool isForBlock) const {
  Message message;
  message.block = block;
  message.own = published(thread, forBlock);
  if (isForBlock)
    message.home = news.empty() ? abroad : Reach::join(abroad, news[thread]);
  else if (Part part = published(thread, forGrid)) {
    message.reach = news.empty() ? abroad : Reach::join(abroad, news[thread]);
    message.reach = Reach::with(message.reach, block, part);
  }
  return message;
}

void Order::hear(uint32_t thread, const Message &message, bool isForBlock) {
  const bool isOwn = message.block == block;
  if (isForBlock && !isOwn)
    return;
  heard.resize(clocks.size());
  Message &own = heard[thread];
  if (isOwn) {
    own.own = merged(own.own, message.own);
    own.reach = Reach::join(own.reach, message.home);
  }
  own.reach = Reach::join(own.reach, message.reach);
}

void Order::relyOnHeard(uint32_t thread) {
  if (heard.empty() || !heard[thread])
    return;
  Message told = std::move(heard[thread]);
  heard[thread] = Message();
  acquire(thread, told.own);
  // What came back to this block by way of others.
  if (told.reach) {
    learnAbroad(thread, told.reach);
    if (const Knowledge *own = Reach::find(told.reach, block))
      acquire(thread, std::make_shared<Knowledge>(*own));
  }
}

void Order::learnAbroad(const Reach::Shared &reach) {
  abroad = Reach::join(abroad, reach);
  for (uint32_t thread = 0; thread < clocks.size(); ++thread)
    for (uint32_t copy : endedAbroad)
      learn(thread, copy);
  endedAbroad.clear();
}

void Order::learnAbroad(uint32_t thread, const Reach::Shared &reach) {
  for (uint32_t copy : endedAbroad)
    learn(thread, copy);
  news.resize(clocks.size());
  news[thread] = Reach::join(news[thread], reach);
}

Reach::Shared Order::everything(uint32_t thread) {
  relyOnHeard(thread);
  auto part = std::make_shared<Knowledge>();
  part->clocks.resize(clocks.size());
  for (uint32_t other = 0; other < clocks.size(); ++other)
    part->clocks[other] = knownOf(thread, other);
  part->ended = endedCopies;
  ++clocks[thread];
  Reach::Shared reach = news.empty() ? abroad : Reach::join(abroad, news[thread]);
  return Reach::with(reach, block, part);
}

Reach::Shared Order::everything() const {
  auto part = std::make_shared<Knowledge>();
  part->clocks = clocks;
  part->ended = endedCopies;
  Reach::Shared reach = abroad;
  for (const Reach::Shared &each : news)
    reach = Reach::join(reach, each);
  return Reach::with(reach, block, part);
}

} // namespace tilelift::emulator
