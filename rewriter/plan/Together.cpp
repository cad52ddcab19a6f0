//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Together.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

constexpr Bytes mostStatic{48 << 10}, mostShared{227 << 10}, barrierBytes{8};
constexpr Bytes meetingBytes{16};
constexpr Bytes mostParameters{32764}, mapBytes{128};

/// The first of the copies that fill the same tile.
size_t leaderOf(ArrayRef<TilePlan> copies, size_t copy) {
  return size_t(
      llvm::find_if(copies,
                    [&](const TilePlan &other) { return other.tile == copies[copy].tile; }) -
      copies.begin());
}

/// The same rows, and room for the largest box.
std::optional<Misfit> agreeOnLayouts(ArrayRef<TilePlan> copies) {
  for (size_t i = 0; i < copies.size(); ++i) {
    SharedLayout &common = copies[leaderOf(copies, i)].plan->layout;
    const Plan &plan = *copies[i].plan;
    const SharedLayout &own = plan.layout;
    bool isMoved = own.moved || common.moved;
    bool isSame = own.pitch == common.pitch && own.lead == common.lead &&
                  own.folded == common.folded && own.transposed == common.transposed &&
                  own.readAtOnce == common.readAtOnce && own.rowLength == common.rowLength &&
                  own.swizzle == common.swizzle;
    if (isMoved && !isSame)
      return Misfit{i, diagnose(diag::layouts_clash, plan.place, plan.tile, own.pitch.count(),
                                own.lead.count(), common.pitch.count(), common.lead.count())};
    common.moved |= own.moved;
    common.bytes = std::max(common.bytes, own.bytes);
  }
  for (size_t i = 0; i < copies.size(); ++i) {
    const SharedLayout &common = copies[leaderOf(copies, i)].plan->layout;
    copies[i].plan->layout.moved = common.moved;
    copies[i].plan->layout.bytes = common.bytes;
  }
  return std::nullopt;
}

/// What a kernel needs of a block's shared memory, and the tile that takes most of it.
struct SharedUse {
  Bytes fixed, rings;
  size_t largest = 0;
};

/// Tiles with longer rows, those of rings, and the alignment of all of them.
SharedUse sharedUseOf(ArrayRef<TilePlan> copies, const KernelSizes &kernel) {
  SharedUse use{kernel.sharedBytes + barrierBytes, {}, 0};
  for (size_t i = 0; i < copies.size(); ++i) {
    if (leaderOf(copies, i) != i)
      continue;
    const Plan &plan = *copies[i].plan;
    const Bytes bytes = plan.sharedBytes() + plan.layout.alignment();
    use.fixed += (plan.stages - 1) * barrierBytes - plan.tileBytes();
    use.fixed += plan.peerCount() > 1 ? plan.stages * meetingBytes : Bytes();
    (plan.stages > 1 ? use.rings : use.fixed) += bytes;
    if (plan.sharedBytes() > copies[use.largest].plan->sharedBytes())
      use.largest = i;
  }
  return use;
}

std::optional<Misfit> fitShared(ArrayRef<TilePlan> copies, const KernelSizes &kernel) {
  SharedUse use = sharedUseOf(copies, kernel);
  bool ringsMove = use.rings > Bytes() && kernel.mayMoveRings;
  const Bytes fixed = use.fixed + (ringsMove ? Bytes() : use.rings), total = use.fixed + use.rings;
  if ((fixed <= mostStatic && total <= mostShared) || kernel.sharedBytes > mostStatic)
    return std::nullopt;
  const Plan &plan = *copies[use.largest].plan;
  const bool grows = plan.sharedBytes() > plan.tileBytes();
  std::string why = (grows ? "'" + plan.tile + "' grows to " : "there are barriers beside the ") +
                    std::to_string(plan.sharedBytes().count()) + " bytes" +
                    (grows ? "" : " of '" + plan.tile + "'");
  if (plan.stages > 1)
    why += " in " + std::to_string(plan.stages) + " stages";
  bool isStatic = fixed > mostStatic;
  return Misfit{use.largest, diagnose(diag::shared_size, plan.place, why, isStatic ? "static " : "",
                                      (isStatic ? fixed : total).count(),
                                      (isStatic ? mostStatic : mostShared).count())};
}

/// Each map is a parameter.
std::optional<Misfit> fitParameters(ArrayRef<TilePlan> copies, const KernelSizes &kernel) {
  auto maps = llvm::count_if(copies, [](const TilePlan &copy) { return copy.plan->hasMap(); });
  if (maps == 0)
    return std::nullopt;
  const Bytes bytes = roundUp(kernel.parameterBytes, mapBytes) + maps * mapBytes;
  if (bytes <= mostParameters)
    return std::nullopt;
  return Misfit{0, diagnose(diag::rule_violated, copies[0].plan->place,
                            "with its maps the parameters of '" + kernel.name + "' have " +
                                std::to_string(bytes.count()) + " bytes, allowed are " +
                                std::to_string(mostParameters.count()) + " (parameter-bytes)")};
}

} // namespace

Bytes sharedBytesOf(ArrayRef<TilePlan> copies, const KernelSizes &kernel) {
  SharedUse use = sharedUseOf(copies, kernel);
  return use.fixed + use.rings;
}

bool needsDynamicRings(ArrayRef<TilePlan> copies, const KernelSizes &kernel) {
  SharedUse use = sharedUseOf(copies, kernel);
  return use.rings > Bytes() && use.fixed + use.rings > mostStatic;
}

void moveRings(ArrayRef<TilePlan> copies) {
  // The strictest alignment first, so that no room is lost between them.
  SmallVector<size_t, 4> rings;
  for (size_t i = 0; i < copies.size(); ++i)
    if (leaderOf(copies, i) == i && copies[i].plan->stages > 1)
      rings.push_back(i);
  llvm::stable_sort(rings, [&](size_t a, size_t b) {
    return copies[a].plan->layout.alignment() > copies[b].plan->layout.alignment();
  });
  Bytes at;
  for (size_t ring : rings) {
    for (const TilePlan &copy : copies)
      if (copy.tile == copies[ring].tile)
        copy.plan->ringAt = at;
    at += copies[ring].plan->sharedBytes();
  }
}

std::optional<Misfit> fitTogether(ArrayRef<TilePlan> copies, const KernelSizes &kernel) {
  if (std::optional<Misfit> misfit = agreeOnLayouts(copies))
    return misfit;
  if (std::optional<Misfit> misfit = fitShared(copies, kernel))
    return misfit;
  return fitParameters(copies, kernel);
}

} // namespace tilelift
