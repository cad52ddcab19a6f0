//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the dimensions of the tensor that pixels are read from.
//
// Each digit of the flat index gives the coordinate of one dimension: `coordinate = scale *
// digit + start`. The last digit may count images. The guards give the scale, and where the
// dimension begins and ends; without guards, the strides give the scale and the start. The
// part of `start` that only the device knows is the offset of the filter's element. The number
// of values of a digit comes from the program, not from the tensor's extent; TMA gets it by the
// corners of the map's bounding box.
//
// A guard may bound a coordinate that depends on no digit. All pixels of the copy have that same
// coordinate: they are in one line of the tensor, which the filter's element chooses.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_PIXELDIMENSIONS_H
#define TILELIFT_PLAN_PIXELDIMENSIONS_H

#include "plan/Pixels.h"
#include "plan/Plan.h"
#include "plan/Shape.h"
#include "support/Diagnostics.h"

namespace tilelift {

struct PixelCoordinate {
  Polynomial scale{1}, start;
  std::optional<Polynomial> extent;
};

/// The coordinate that all pixels have in a dimension of lines: all of it is `start`, the part of
/// it that only the device knows is `moving`. There are `extent` lines.
struct LineCoordinate {
  Polynomial start, moving;
  std::optional<Polynomial> extent;
};

struct WalkedTensor {
  /// One walk for each spatial dimension, the innermost first. Those of dimensions of lines are
  /// last and have a count of one.
  llvm::SmallVector<Walk, 3> walks;
  /// The dimensions of the walks, and then that of the images. The channels are not among them.
  llvm::SmallVector<PlanDimension, 4> dims;
  /// One coordinate for each digit.
  std::vector<PixelCoordinate> coordinates;
  std::vector<LineCoordinate> lines;
  /// The part of the copy's offset, in bytes, that belongs to none of these dimensions.
  Polynomial rest;
  /// The bounds of the guard that depend on no digit and on no line.
  std::vector<GuardColumn> columns;
  std::vector<Check> atLaunch, atCopy;
  bool inLines = false;
};

/// Returns the tensor that the pixels are read from, or the refusal. `symbols` are those of the
/// plan; quotients that the launcher computes are added to them. Of `shape`, only the start, the
/// columns and the number of rows are used. `mayBeInLines`: the plan has a swizzle that maps for
/// im2col::w may have.
std::variant<WalkedTensor, Diagnostic> walksOf(const PixelRelation &pixels, const TileShape &shape,
                                               Symbols &symbols, bool mayBeInLines);

} // namespace tilelift

#endif
