//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Together.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

constexpr int64_t mostShared = 48 << 10, barrierBytes = 8;
constexpr int64_t mostParameters = 32764, mapBytes = 128;

/// The first of the copies that fill the same tile.
size_t leaderOf(ArrayRef<PlannedCopy> copies, size_t copy) {
  return size_t(
      llvm::find_if(copies,
                    [&](const PlannedCopy &other) { return other.tile == copies[copy].tile; }) -
      copies.begin());
}

/// The same rows, and room for the largest box.
std::optional<Misfit> agreeOnLayouts(ArrayRef<PlannedCopy> copies) {
  for (size_t i = 0; i < copies.size(); ++i) {
    SharedLayout &common = copies[leaderOf(copies, i)].plan->layout;
    const Plan &plan = *copies[i].plan;
    const SharedLayout &own = plan.layout;
    bool isMoved = own.moved || common.moved;
    bool isSame = own.pitch == common.pitch && own.lead == common.lead &&
                  own.folded == common.folded && own.rowLength == common.rowLength &&
                  own.swizzle == common.swizzle;
    if (isMoved && !isSame)
      return Misfit{i, diagnose("layouts-clash", plan.place, plan.tile, own.pitch, own.lead,
                                common.pitch, common.lead)};
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

/// Tiles with longer rows, and the alignment of all of them, cost shared memory.
std::optional<Misfit> fitShared(ArrayRef<PlannedCopy> copies, const KernelSizes &kernel) {
  int64_t total = kernel.sharedBytes + barrierBytes;
  size_t largest = 0;
  for (size_t i = 0; i < copies.size(); ++i) {
    if (leaderOf(copies, i) != i)
      continue;
    const Plan &plan = *copies[i].plan;
    total +=
        plan.sharedBytes() - plan.tileBytes() + plan.layout.alignment() +
        (plan.stages - 1) * barrierBytes;
    if (plan.sharedBytes() > copies[largest].plan->sharedBytes())
      largest = i;
  }
  if (total <= mostShared || kernel.sharedBytes > mostShared)
    return std::nullopt;
  const Plan &plan = *copies[largest].plan;
  std::string size = std::to_string(plan.sharedBytes()) + " bytes";
  if (plan.stages > 1)
    size += " in " + std::to_string(plan.stages) + " stages";
  return Misfit{largest, diagnose("shared-size", plan.place, plan.tile, size, total)};
}

/// Each map is a parameter.
std::optional<Misfit> fitParameters(ArrayRef<PlannedCopy> copies, const KernelSizes &kernel) {
  auto maps =
      llvm::count_if(copies, [](const PlannedCopy &copy) { return copy.plan->mode == Mode::Tile; });
  if (maps == 0)
    return std::nullopt;
  int64_t bytes = int64_t(alignTo(uint64_t(kernel.parameterBytes), mapBytes)) + maps * mapBytes;
  if (bytes <= mostParameters)
    return std::nullopt;
  return Misfit{0, diagnose("rule-violated", copies[0].plan->place,
                            "with its maps the parameters of '" + kernel.name + "' have " +
                                std::to_string(bytes) + " bytes, allowed are " +
                                std::to_string(mostParameters) + " (parameter-bytes)")};
}

} // namespace

std::optional<Misfit> fitTogether(ArrayRef<PlannedCopy> copies, const KernelSizes &kernel) {
  if (std::optional<Misfit> misfit = agreeOnLayouts(copies))
    return misfit;
  if (std::optional<Misfit> misfit = fitShared(copies, kernel))
    return misfit;
  return fitParameters(copies, kernel);
}

} // namespace tilelift
