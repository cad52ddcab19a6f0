//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which forms a copy is tried as, in which order, and what is said if none fits: a box, rows that
// are looked up, pixels of a convolution, single rows, and a tile that lies transposed. How one
// form is fitted is Fitter's.
//===----------------------------------------------------------------------===//

#include "plan/Fitter.h"
#include "plan/Gather.h"
#include "plan/Quotients.h"
#include "relation/Transposed.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilelift {

static bool isAboutShape(const Diagnostic &refusal) {
  return llvm::is_contained({DiagnosticId::not_contiguous, DiagnosticId::uneven_steps,
                             DiagnosticId::uneven_guard, DiagnosticId::guard_not_a_box,
                             DiagnosticId::unknown_stride, DiagnosticId::too_many_dimensions},
                            refusal.id);
}

static bool canBeMade(const std::variant<Plan, Diagnostic> &fitted, const FitOptions &options) {
  const Plan *plan = std::get_if<Plan>(&fitted);
  return plan && options.canBeSpelled(*plan);
}

/// The cells of a tile in the order of their rows, if a swizzle has put them where they are.
static std::optional<CopyRelation> withoutSwizzle(const CopyRelation &relation, int64_t span) {
  CopyRelation ordered = relation;
  for (Cell &cell : ordered.cells) {
    if (cell.offset % grain.count() + cell.size > grain.count())
      return std::nullopt;
    cell.offset ^= cell.offset >> 3 & (span - grain.count());
  }
  llvm::sort(ordered.cells, [](const Cell &a, const Cell &b) { return a.offset < b.offset; });
  return ordered;
}

using Fitted = std::variant<Plan, Diagnostic>;
using Attempt = llvm::function_ref<Fitted(const CopyRelation &, swizzle_mode)>;

/// With the rows as they are, and with each of the swizzles that they may have been written in.
static Fitted fitRows(const CopyRelation &relation, const FitOptions &options, Attempt attempt) {
  Fitted plain = attempt(relation, swizzle_mode::none);
  if (canBeMade(plain, options) || options.swizzle != swizzle_mode::none)
    return plain;
  for (swizzle_mode mode : {swizzle_mode::b128, swizzle_mode::b64, swizzle_mode::b32})
    if (auto ordered = withoutSwizzle(relation, span_of(mode)))
      if (Fitted written = attempt(*ordered, mode); canBeMade(written, options))
        return written;
  return plain;
}

/// On devices that copy rows only one by one, too.
static bool canBeMadeAnywhere(const Fitted &fitted, const FitOptions &options) {
  return canBeMade(fitted, options) && !std::get<Plan>(fitted).isByFours();
}

/// Boxes of one row, of which there is an instruction for four on Blackwell, unless every row
/// would have to be tested before, or the tile be laid out anew: bytes need no coordinate, and
/// start anywhere.
static Fitted fitGather(const CopyRelation &cells, const FitOptions &options,
                        swizzle_mode written) {
  std::optional<GatherRelation> gather = gatherOf(cells);
  if (!gather)
    return diagnose(diag::not_a_copy, cells.place, wordingOf(cells.kind).nothing);
  auto fitAs = [&](Mode mode, bool byFours) {
    return Fitter(gather->relation, options, written).runGather(*gather, mode, byFours);
  };
  auto fitBoxes = [&] {
    const Device &device = options.device;
    const bool prefersFours =
        cells.kind == CopyKind::Load ? device.isBlackwell() : device.scattersByFours();
    Fitted preferred = fitAs(Mode::Tile, prefersFours);
    if (canBeMade(preferred, options))
      return preferred;
    // If neither can be made, what is said is why rows that keep their places cannot.
    Fitted other = fitAs(Mode::Tile, !prefersFours);
    return canBeMade(other, options) || !prefersFours ? other : preferred;
  };
  auto isBest = [&](const Fitted &fitted) {
    const Plan *plan = std::get_if<Plan>(&fitted);
    return canBeMade(fitted, options) && !plan->layout.moved && !plan->isByFours() &&
           llvm::none_of(plan->copyChecks,
                         [&](const Check &check) { return plan->isOfRow(check.value); });
  };
  Fitted boxes = fitBoxes();
  if (isBest(boxes))
    return boxes;
  Fitted bytes = fitAs(Mode::Bulk, false);
  bool areBytes =
      isBest(bytes) || (canBeMade(bytes, options) && !canBeMadeAnywhere(boxes, options));
  return areBytes ? bytes : boxes;
}

/// Whether a refusal says why rows that are looked up cannot be copied, and not that there are
/// none.
static bool isAboutGather(const Fitted &fitted) {
  const auto *refusal = std::get_if<Diagnostic>(&fitted);
  return !refusal || !llvm::is_contained({DiagnosticId::not_a_copy, DiagnosticId::not_contiguous,
                                          DiagnosticId::uneven_steps},
                                         refusal->id);
}

/// Whether some stride is negative for all sizes above zero, as that of rows in reverse order is.
/// No tensor map has such.
static bool runsBackwards(const Plan &plan) {
  return plan.hasMap() && llvm::any_of(plan.dims(), [](const PlanDimension &dim) {
           const Polynomial &stride = dim.stride.count();
           return !stride.isConstant() && llvm::all_of(stride.getTerms(), [](const Term &term) {
             return term.coefficient < 0;
           });
         });
}

/// Whether the tile's elements stay where the program has them.
static bool keepsPlaces(const Fitted &fitted, const FitOptions &options) {
  return canBeMade(fitted, options) && !std::get<Plan>(fitted).layout.moved;
}

/// Whether the first plan asks for more at the copy than the second one, if there is a second one.
static bool hasMoreChecks(const Fitted &fitted, const Fitted &other) {
  const Plan *second = std::get_if<Plan>(&other);
  return second && std::get<Plan>(fitted).copyChecks.size() > second->copyChecks.size();
}

/// Whether at least two thirds of the bytes that the plan brings are the program's.
static bool isMostlyCopied(const Fitted &fitted, const CopyRelation &relation) {
  int64_t bytes = 0;
  for (const Cell &cell : relation.cells)
    bytes += cell.size;
  return 3 * bytes >= 2 * std::get<Plan>(fitted).expectedBytes.count();
}

/// Fits the copy as one box, with its rows as they are or as a swizzle has placed them; or returns
/// why that cannot be.
static Fitted fitBoxes(const CopyRelation &relation, const FitOptions &options) {
  return fitRows(relation, options, [&](const CopyRelation &cells, swizzle_mode written) {
    return Fitter(cells, options, written).run(Gaps::MayBeFilled);
  });
}

/// The plan that is taken in place of all others, if there is one: a box that keeps the elements'
/// places by covering padding, or `box`, or single rows where the rows of `box` run backwards.
static std::optional<Fitted> takeBox(const Fitted &box, const CopyRelation &relation,
                                     const FitOptions &options) {
  if (relation.kind == CopyKind::Load && !keepsPlaces(box, options))
    if (Fitted filled = Fitter(relation, options).run(Gaps::RowsAreFilled);
        keepsPlaces(filled, options) && !hasMoreChecks(filled, box) &&
        isMostlyCopied(filled, relation))
      return filled;
  if (!canBeMade(box, options))
    return std::nullopt;
  if (!runsBackwards(std::get<Plan>(box)) || relation.kind == CopyKind::Reduce)
    return box;
  Fitted rows = Fitter(relation, options).runRows();
  return canBeMade(rows, options) ? rows : box;
}

/// Pixels of a convolution, if the relation has such.
static std::optional<Fitted> fitPixels(const CopyRelation &relation, const FitOptions &options) {
  const std::optional<PixelRelation> pixels = pixelsOf(relation);
  if (!pixels)
    return std::nullopt;
  return fitRows(pixels->relation, options, [&](const CopyRelation &cells, swizzle_mode written) {
    return Fitter(cells, options, written).runPixels(*pixels);
  });
}

/// Why a tile is not transposed although the copy would fit then; empty if it may be.
/// `columns`: the copy with the tile's columns in a dimension of their own, if it has one
/// dimension.
static std::string whyNotTransposed(const SharedTile &tile,
                                    const std::optional<CopyRelation> &columns) {
  if (!columns)
    return hindranceToTranspose(tile);
  const SmallVector<int64_t, 3> &extents = columns->tile.extents;
  return formatv("declare it as '{0}[{1}][{2}]', and subscript it so", tile.name, extents[0],
                 extents[1])
      .str();
}

/// A box for a copy whose rows are columns of the tile, if there is one. What hinders the tile from
/// being transposed is added to `refused`.
static std::optional<Fitted> fitTransposed(const CopyRelation &relation, const FitOptions &options,
                                           Fitted &refused) {
  const SharedTile &tile = relation.tile;
  const std::optional<CopyRelation> columns = withColumns(relation);
  std::optional<CopyRelation> turned = transposed(columns ? *columns : relation);
  if (!turned)
    return std::nullopt;
  const std::string hindrance = whyNotTransposed(tile, columns);
  if (!hindrance.empty())
    turned->tile.layoutEscape.clear();
  std::optional<Fitted> fitted = takeBox(fitBoxes(*turned, options), *turned, options);
  if (!fitted)
    fitted = fitPixels(*turned, options);
  if (!fitted || !canBeMade(*fitted, options))
    return std::nullopt;
  if (hindrance.empty())
    return fitted;
  auto *refusal = std::get_if<Diagnostic>(&refused);
  if (refusal && refusal->id == DiagnosticId::not_contiguous)
    refusal->notes.push_back({tile.escapePlace.isKnown() ? tile.escapePlace : tile.place,
                              "'" + tile.name + "' is not laid out transposed: " + hindrance});
  return std::nullopt;
}

/// The refusal of a box, or of a gather where the copy looks more like one.
static Fitted refusalOf(Fitted box, const CopyRelation &relation) {
  const auto *refusal = std::get_if<Diagnostic>(&box);
  if (refusal && isAboutShape(*refusal))
    if (std::optional<Diagnostic> gather = findGather(relation))
      return std::move(*gather);
  return box;
}

Fitted fit(const CopyRelation &relation, const FitOptions &options) {
  Fitted box = fitBoxes(relation, options);
  if (std::optional<Fitted> taken = takeBox(box, relation, options))
    return std::move(*taken);
  Fitted gathered =
      fitRows(relation, options, [&](const CopyRelation &cells, swizzle_mode written) {
        return fitGather(cells, options, written);
      });
  if (isAboutGather(gathered))
    return gathered;
  if (relation.kind == CopyKind::Reduce)
    return box;
  std::optional<Fitted> pixels = fitPixels(relation, options);
  if (pixels && canBeMade(*pixels, options))
    return std::move(*pixels);
  const std::optional<CopyRelation> simple = withSimpleQuotients(relation);
  if (simple) {
    Fitted simpler = fitBoxes(*simple, options);
    if (canBeMade(simpler, options))
      return simpler;
  }
  Fitted rows = Fitter(simple ? *simple : relation, options).runRows();
  if (canBeMade(rows, options))
    return rows;
  if (std::optional<Fitted> turned = fitTransposed(relation, options, box))
    return std::move(*turned);
  if (pixels)
    return std::move(*pixels);
  // What keeps the rows from being copied is then what has no name.
  if (std::holds_alternative<Plan>(rows) && std::holds_alternative<Diagnostic>(box))
    return rows;
  return refusalOf(std::move(box), relation);
}

} // namespace tilelift
