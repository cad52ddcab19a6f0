//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From pixels to the dimensions of the tensor that they are read from.
//
// Each digit of the flat index is one dimension's coordinate, or that of images:
// `coordinate = scale * digit + start`. The guards say what the scale is and where the
// dimension begins and ends; where there is none, the strides do. What of the start only
// the device knows is the element of the filter. How far a digit counts is for the program
// to say, not for the tensor: TMA is told by the corner of its box.
//
// A coordinate that no digit moves, but the guard bounds, is that of a line which all pixels
// of the copy are in: a dimension of one place, which the filter's element is off.
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

/// Where all pixels stand in a dimension of lines: the part of it that the device alone knows,
/// and how many lines there are.
struct LineCoordinate {
  Polynomial start, moving;
  std::optional<Polynomial> extent;
};

struct WalkedTensor {
  /// Innermost first, and the dimensions that they are in; the last one is of images. The
  /// last walks stand still.
  llvm::SmallVector<Walk, 3> walks;
  llvm::SmallVector<PlanDimension, 4> dims;
  /// Of each digit.
  std::vector<PixelCoordinate> coordinates;
  std::vector<LineCoordinate> lines;
  /// Bytes that no dimension of these explains.
  Polynomial rest;
  /// Bounds that do not speak of pixels.
  std::vector<GuardColumn> columns;
  std::vector<Check> atLaunch, atCopy;
  bool inLines = false;
};

/// `symbols` are those of the plan. Its strides and extents are not looked at. Maps of whole
/// lines need a swizzle that these have.
std::variant<WalkedTensor, Diagnostic> walksOf(const PixelRelation &pixels, const TileShape &shape,
                                               Symbols &symbols, bool mayBeInLines);

} // namespace tilelift

#endif
