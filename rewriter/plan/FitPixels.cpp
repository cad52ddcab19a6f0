//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are pixels of a convolution (Pixels.h): the im2col map, and where its pixels start.
//===----------------------------------------------------------------------===//

#include "plan/Fitter.h"
#include "plan/PixelDimensions.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace llvm;

namespace tilelift {

/// Rows of channels, one for each pixel, in the order of the pixels.
std::variant<Plan, Diagnostic> Fitter::runPixels(const PixelRelation &pixels) {
  auto found = shapeOf(relation, options.outsideIsAny, Gaps::MayBeFilled);
  if (std::holds_alternative<TileShape>(found))
    shape = std::move(std::get<TileShape>(found));
  if (takePixels(pixels) && start())
    placePixels(pixels);
  return finish();
}

/// After how many elements an index starts again, where a remainder is all that is used of it: the
/// border of the tensor is wrapped, and nothing counts pixels.
static std::optional<std::string> whereItWraps(const PixelRelation &pixels) {
  auto usesOnlyRemainder = [&](const Polynomial &value) {
    Polynomial rest;
    return llvm::all_of(ArrayRef(pixels.factorsIn(value, rest)).drop_front(),
                        [](const Polynomial &factor) { return factor.isZero(); });
  };
  for (const Cell &cell : pixels.relation.cells) {
    const Case *load = cell.onlyLoad();
    if (!load || !usesOnlyRemainder(load->source->offset))
      return std::nullopt;
    for (const Bound &bound : *load->guard.asConjunction())
      if (!usesOnlyRemainder(bound.value))
        return std::nullopt;
  }
  return pixels.relation.symbols.print(*pixels.digits.front().count);
}

bool Fitter::takePixels(const PixelRelation &pixels) {
  auto refuse = [&](const std::string &why) {
    return fail(diagnose(diag::not_im2col, relation.place, relation.tile.name, why));
  };
  bool hasRows = shape.digits.size() == 2 &&
                 shape.digits[1].stride.count() == Polynomial::symbol(pixels.distance) &&
                 !shape.start.count().mentions(pixels.distance);
  if (std::optional<std::string> end = hasRows ? std::nullopt : whereItWraps(pixels))
    return refuse("its index starts again after every " + *end + ", and a box goes on");
  if (!hasRows)
    return refuse(
        "each row has to be the channels of one pixel, and the next row those of the next");
  return shape.outsideIsZero || refuse("what its guard leaves out is not zero");
}

void Fitter::placePixels(const PixelRelation &pixels) {
  PixelAccess &access = plan.access.emplace<PixelAccess>();
  auto found = walksOf(pixels, shape, plan.symbols, span_of(swizzle()) >= 64);
  if (auto *diagnostic = std::get_if<Diagnostic>(&found)) {
    fail(std::move(*diagnostic));
    return;
  }
  WalkedTensor &tensor = std::get<WalkedTensor>(found);
  shape.start = SymbolicBytes(tensor.rest);
  shape.columns = tensor.columns;
  chooseElement();
  access.pixels = shape.digits[1].count;
  access.pixel = pixels.first;
  access.walks = tensor.walks;
  access.inLines = tensor.inLines;
  dims().resize(1);
  if (!failure)
    placeConstraints();
  splitOffset();
  if (failure)
    return;
  if (dims().size() > 1 || !plan.symbols.knownAtLaunch(access.offset.count())) {
    fail(diagnose(diag::not_im2col, relation.place, relation.tile.name,
                  "no dimension explains '" + plan.symbols.print(tensor.rest) + "'"));
    return;
  }
  alignInner();
  limitBoxes();
  limitPixels(access);
  dims().append(tensor.dims.begin(), tensor.dims.end());
  hasLower.resize(dims().size(), false);
  boundCoordinates();
  endRows();
  for (const Check &check : tensor.atLaunch)
    addCheck(check, true);
  for (const Check &check : tensor.atCopy)
    addCheck(check, false);
  plan.expectedBytes = access.pixels * bytesOf(dims()[0].box, elementSize());
  nameCoordinates(pixels, tensor);
}

/// As many pixels for an instruction as there may be, and as start on a boundary. One of
/// several for the channels fills part of a single row, unless the parts are panels.
void Fitter::limitPixels(PixelAccess &access) const {
  constexpr int64_t most = 1024;
  const bool isCut = dims()[0].pieces > 1;
  if (isCut && !isWide()) {
    access.pieces = access.pixels;
    return;
  }
  if (access.pixels <= most)
    return;
  const Bytes row = isCut ? Bytes(span_of(swizzle())) : bytesOf(dims()[0].box, elementSize());
  const int64_t unit = alignedAfter(row, startsOn());
  if (std::optional<Pieces> found = fewestPieces(access.pixels, most, unit, false))
    access.pieces = found->count;
}

/// What loads need is said of digits; where these end, only the coordinates know.
void Fitter::nameCoordinates(const PixelRelation &pixels, const WalkedTensor &tensor) {
  auto named = [&](const std::string &name, const Polynomial &extent) {
    Symbol symbol;
    symbol.spelling = name;
    symbol.range.low = 0;
    symbol.below = extent;
    return plan.symbols.intern(symbol);
  };
  for (size_t i = 0; i < tensor.lines.size(); ++i) {
    const LineCoordinate &own = tensor.lines[i];
    if (!own.extent)
      continue;
    SymbolId id = named("line " + std::to_string(i + 1) + " of the pixels", *own.extent);
    inCoordinates.push_back([own, id](const Polynomial &value) {
      Polynomial factor = divide(value, own.moving).quotient;
      return value + factor * (Polynomial::symbol(id) - own.start);
    });
  }
  for (size_t i = 0; i < tensor.coordinates.size(); ++i) {
    const PixelCoordinate &own = tensor.coordinates[i];
    if (!own.extent)
      continue;
    SymbolId id = named("coordinate " + std::to_string(i + 1) + " of the pixel", *own.extent);
    inCoordinates.push_back([&pixels, i, own, id](const Polynomial &value) {
      Polynomial rest;
      Polynomial factor = pixels.factorsIn(value, rest)[i];
      Division steps = divide(factor, own.scale);
      if (factor.isZero() || !steps.remainder.isZero())
        return value;
      return value - factor * Polynomial::symbol(pixels.digits[i].symbol) +
             steps.quotient * (Polynomial::symbol(id) - own.start);
    });
  }
}

im2col_request Fitter::im2colRequest() {
  im2col_request request;
  describeMap(request);
  request.channels = quantity::exactly(dims()[0].boxOfPiece().count());
  request.pixels = quantity::exactly(plan.pixels()->pixelsOfPiece());
  for (size_t i = 0; i < plan.walks().size(); ++i) {
    const Walk &walk = plan.walks()[i];
    request.lower[i] = describeValue(walk.first.count());
    request.dims[i + 1].step = describeValue(walk.step.count());
    if (walk.count && dims()[i + 1].extent)
      request.upper[i] = describeValue((walk.first + (*walk.count - Polynomial(1)) * walk.step +
                                        Elements(1) - *dims()[i + 1].extent)
                                           .count());
  }
  return request;
}

} // namespace tilelift
