//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/PixelDimensions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace tilelift {
namespace {

/// One side of what a guard says of a digit: `room + scale * digit` or, on the far side,
/// `room - scale * digit` is not negative.
struct Side {
  Polynomial scale, room;
};

/// How far behind a pixel a filter's element may be, by the rank of the map; and how far,
/// where the tensor's end is made up for that.
constexpr int64_t mostOffset[] = {65535, 255, 31}, mostReach[] = {32768, 128, 16};
/// And in the line, where im2col::w knows the line.
constexpr int64_t mostInLine = 31;

/// The bounds of one coordinate by guards that depend on no digit: from both sides, or from one.
struct Line {
  std::optional<Polynomial> room, farRoom;
  PixelCoordinate own;
  Polynomial stride;
  std::vector<GuardColumn> columns;
};

class WalkFinder {
public:
  WalkFinder(const PixelRelation &pixels, const TileShape &shape, Symbols &symbols,
             bool mayBeInLines)
      : pixels(pixels),
        shape(shape),
        symbols(symbols),
        mayBeInLines(mayBeInLines),
        last(pixels.digits.size() - 1),
        lower(last + 1),
        upper(last + 1) {}

  std::variant<WalkedTensor, Diagnostic> run();

private:
  bool sortColumns();
  bool sortColumn(const GuardColumn &column);
  bool takeEnd(const Polynomial &end);
  bool placeDigits();
  bool placeDigit(size_t digit);
  bool endDigit(size_t digit);
  Polynomial scaleOf(size_t digit) const;
  Polynomial startOf(const Polynomial &stride, bool isOuter) const;
  bool isOfImages() const;
  bool placeImages();
  bool addImages();
  void walk(const PixelCoordinate &own, std::optional<Polynomial> count, const Polynomial &stride);
  void findLines();
  bool takeLine(Line &line);
  void placeLines();
  Polynomial movingPart(const Polynomial &value) const;
  bool checkKnown();
  Polynomial wholeQuotient(const Polynomial &value, const Polynomial &divisor);
  void stayInside();
  void check(rule_id rule, const Polynomial &value, Interval within, bool atLaunch) {
    (atLaunch ? result.atLaunch : result.atCopy)
        .push_back({rule, value, within, 1, pixels.relation.place});
  }
  bool fail(const Twine &why) {
    failure =
        diagnose(diag::not_im2col, pixels.relation.place, pixels.relation.tile.name, why.str());
    return false;
  }

  const PixelRelation &pixels;
  const TileShape &shape;
  Symbols &symbols;
  bool mayBeInLines;
  size_t last;
  /// The bounds from below and from above, for each digit.
  std::vector<std::vector<Side>> lower, upper;
  /// Bytes from one value of a digit to the next, and from one element to the next.
  std::vector<Polynomial> distances, strides;
  std::vector<Line> lines;
  /// The guard leaves out pixels from this one on.
  std::optional<Polynomial> end;
  WalkedTensor result;
  std::optional<Diagnostic> failure;
};

bool WalkFinder::sortColumns() {
  return llvm::all_of(shape.columns, [&](const GuardColumn &column) { return sortColumn(column); });
}

bool WalkFinder::sortColumn(const GuardColumn &column) {
  Polynomial rest;
  std::vector<Polynomial> factors = pixels.factorsIn(column.value, rest);
  auto isUsed = [](const Polynomial &factor) { return !factor.isZero(); };
  std::string text = print(column, pixels.relation.symbols);
  if (llvm::none_of(factors, isUsed)) {
    result.columns.push_back(column);
    return column.slopes[1] == 0 || fail("its guard '" + text + "' counts rows of the tile");
  }
  if (llvm::any_of(column.slopes, [](int64_t slope) { return slope != 0; }))
    return fail("its guard '" + text + "' mixes pixels and channels");
  if (!column.isLow)
    for (Polynomial &factor : factors)
      factor = -factor;
  Polynomial room =
      column.isLow ? rest - Polynomial(column.first) : Polynomial(column.first) - rest;
  // All digits together are the pixel's own number.
  auto isIndexTimes = [&](int64_t sign) {
    return llvm::all_of(llvm::seq(factors.size()), [&](size_t i) {
      return factors[i] == pixels.digits[i].divisor * Polynomial(sign);
    });
  };
  if (isIndexTimes(1)) {
    check(rule_id::guard, pixels.first + room, {0, Interval::highest}, false);
    return true;
  }
  if (isIndexTimes(-1))
    return takeEnd(room + Polynomial(1));
  if (llvm::count_if(factors, isUsed) != 1)
    return fail("its guard '" + text + "' ties coordinates to each other");
  size_t digit = size_t(llvm::find_if(factors, isUsed) - factors.begin());
  // Images are counted from zero, which a comparison of unsigned numbers asks for once more.
  const std::optional<int64_t> below = room.asConstant();
  if (digit == last && factors[digit] == Polynomial(1) && below && *below >= 0)
    return true;
  bool isFar = factors[digit].getTerms().front().coefficient < 0;
  (isFar ? upper : lower)[digit].push_back({isFar ? -factors[digit] : factors[digit], room});
  return true;
}

bool WalkFinder::takeEnd(const Polynomial &value) {
  if (end && *end != value)
    return fail("its guard ends the pixels twice, at '" + symbols.print(*end) + "' and at '" +
                symbols.print(value) + "'");
  end = value;
  return true;
}

/// The last digit counts images, unless it begins before its dimension does or skips rows of it.
bool WalkFinder::isOfImages() const {
  return lower[last].empty() && result.coordinates[last].scale == Polynomial(1);
}

bool WalkFinder::placeDigits() {
  result.coordinates.resize(last + 1);
  strides.resize(last + 1);
  for (size_t i = last + 1; i-- > 0;)
    if (!placeDigit(i))
      return false;
  return true;
}

/// How far from the last pixel, in elements: what the guard says, or what lets the filter
/// move by whole elements.
Polynomial WalkFinder::scaleOf(size_t i) const {
  if (!lower[i].empty() || !upper[i].empty())
    return lower[i].empty() ? upper[i].back().scale : lower[i][0].scale;
  SmallVector<Polynomial, 8> candidates{Polynomial(1)};
  for (int64_t number = 2; number <= 8; ++number)
    candidates.push_back(number);
  for (const Term &term : distances[i].getTerms())
    for (SymbolId id : term.factors)
      candidates.push_back(Polynomial::symbol(id));
  Polynomial best = candidates[0];
  size_t most = 0;
  for (const Polynomial &candidate : candidates) {
    Division stride = divide(distances[i], candidate);
    // What inner digits are whole steps of is theirs.
    bool isOuter = llvm::none_of(ArrayRef(distances).take_front(i), [&](const Polynomial &inner) {
      return divide(inner, stride.quotient).remainder.isZero();
    });
    if (!stride.remainder.isZero() || !isOuter)
      continue;
    Polynomial start = startOf(stride.quotient, false);
    size_t moving = size_t(llvm::count_if(
        start.getTerms(), [&](const Term &term) { return !symbols.knownAtLaunch(term); }));
    if (moving > most) {
      best = candidate;
      most = moving;
    }
  }
  return best;
}

/// What of the place is whole steps of a dimension. Filters are moved by loops; what block it
/// is says which images those are.
Polynomial WalkFinder::startOf(const Polynomial &stride, bool isOuter) const {
  Polynomial start, steps = divide(result.rest, stride).quotient;
  for (const Term &term : steps.getTerms()) {
    bool isOfBlock = llvm::any_of(
        term.factors, [&](SymbolId id) { return symbols[id].kind == Symbol::Kind::BlockIndex; });
    if (isOuter || !isOfBlock)
      start += Polynomial::ofTerm(term);
  }
  return start;
}

/// From the outermost on, so that each dimension leaves what is the inner ones'.
bool WalkFinder::placeDigit(size_t i) {
  PixelCoordinate &own = result.coordinates[i];
  if (lower[i].size() > 1)
    return fail("its guard begins a dimension twice");
  own.scale = scaleOf(i);
  Division stride = divide(distances[i], own.scale);
  if (!stride.remainder.isZero())
    return fail("its guard moves on by '" + symbols.print(own.scale) +
                "' from pixel to pixel, the address by '" + symbols.print(distances[i]) +
                "' bytes");
  strides[i] = stride.quotient;
  own.start = lower[i].empty() ? startOf(strides[i], i == last && isOfImages()) : lower[i][0].room;
  result.rest -= strides[i] * own.start;
  return endDigit(i);
}

/// Where a dimension ends, the host knows; what else ends the last digit ends the pixels.
bool WalkFinder::endDigit(size_t i) {
  PixelCoordinate &own = result.coordinates[i];
  for (const Side &side : upper[i]) {
    Polynomial extent = side.room + own.start + Polynomial(1);
    if (side.scale == own.scale && !own.extent && symbols.knownAtLaunch(extent))
      own.extent = extent;
    else if (i != last || side.scale != Polynomial(1) ||
             !takeEnd((side.room + Polynomial(1)) * pixels.digits[last].divisor))
      return failure ? false : fail("its guard ends a dimension twice");
  }
  return true;
}

/// value / divisor, which has to be whole.
Polynomial WalkFinder::wholeQuotient(const Polynomial &value, const Polynomial &divisor) {
  Division division = divide(value, divisor);
  if (division.remainder.isZero())
    return division.quotient;
  Symbol symbol;
  symbol.spelling = symbols.print(value, "/", divisor);
  symbol.range.low = 0;
  symbol.knownAtLaunch = symbols.knownAtLaunch(value) && symbols.knownAtLaunch(divisor);
  symbol.readableAtCopy = symbols.readableAtCopy(value) && symbols.readableAtCopy(divisor);
  symbol.operation = std::make_shared<Operation>(Operation{"/", value, divisor, false});
  Polynomial quotient = Polynomial::symbol(symbols.intern(symbol));
  check(rule_id::whole_images, value - quotient * divisor, {0, 0}, true);
  return quotient;
}

/// All pixels of the tile are before the end.
void WalkFinder::stayInside() {
  check(rule_id::guard, *end - pixels.first - Polynomial(shape.digits[1].count),
        {0, Interval::highest}, false);
}

/// Images end where the pixels do.
bool WalkFinder::placeImages() {
  PixelCoordinate &own = result.coordinates[last];
  PlanDimension images;
  images.stride = SymbolicBytes(strides[last]);
  images.coordinate = Position(own.start);
  if (end && !(symbols.knownAtLaunch(*end) && symbols.knownAtLaunch(own.start)))
    stayInside();
  else if (end) {
    Polynomial count = wholeQuotient(*end, pixels.digits[last].divisor);
    if (own.extent && *own.extent != count + own.start)
      check(rule_id::whole_images, *own.extent - count - own.start, {0, 0}, true);
    own.extent = count + own.start;
  }
  if (own.extent)
    images.extent = SymbolicElements(*own.extent);
  result.dims.push_back(images);
  return true;
}

/// The digits are of one image. The others, if there are any, are as far away as the block says.
bool WalkFinder::addImages() {
  PlanDimension images;
  images.stride = SymbolicBytes(16);
  images.extent = Elements(1);
  Polynomial device(1);
  for (const Term &term : result.rest.getTerms()) {
    const auto [moving, host] = symbols.partsOf(term);
    if (moving.isConstant() || host.isConstant())
      continue;
    if (!device.isConstant())
      return fail("'" + symbols.print(device) + "' and '" + symbols.print(moving) +
                  "' both choose an image");
    device = moving;
    images.stride = SymbolicBytes(host);
    images.coordinate = Position(device);
    images.extent.reset();
  }
  result.rest -= (images.coordinate.count() * images.stride).count();
  bool isAlone = images.extent.has_value(), isKnown = end && symbols.knownAtLaunch(*end);
  if (isKnown)
    result.walks[last].count = wholeQuotient(*end, pixels.digits[last].divisor);
  else if (result.dims[last].extent) // which no first pixel may leave
    return fail("nothing that is known at launch says how many pixels there are");
  if (end && !(isAlone && isKnown))
    stayInside(); // what follows would be another image
  result.dims.push_back(images);
  return true;
}

/// The least number that a counter's multiple has, if the launcher knows it: what counts up is
/// least where it starts, what is taken away where it ends.
static Polynomial leastOf(const Term &term, const Symbols &symbols) {
  Polynomial least(term.coefficient);
  for (SymbolId id : term.factors) {
    const Symbol &symbol = symbols[id];
    if (symbol.knownAtLaunch)
      least *= Polynomial::symbol(id);
    else if (term.coefficient < 0)
      least *= symbol.below ? *symbol.below - Polynomial(1) : Polynomial::invalid();
    else
      least *= symbol.first.value_or(Polynomial::invalid());
  }
  return least;
}

/// What the device knows of where a digit starts is the filter's; that is never negative, so
/// it is counted from the least that it is.
void WalkFinder::walk(const PixelCoordinate &own, std::optional<Polynomial> count,
                      const Polynomial &stride) {
  Walk walk;
  walk.count = std::move(count);
  walk.step = SymbolicElements(own.scale);
  for (const Term &term : own.start.getTerms()) {
    const SymbolicElements value(Polynomial::ofTerm(term));
    if (symbols.knownAtLaunch(term)) {
      walk.first += value;
      continue;
    }
    walk.offset += value;
    Polynomial least = leastOf(term, symbols);
    if (least.isValid() && symbols.knownAtLaunch(least)) {
      walk.first += SymbolicElements(least);
      walk.offset -= SymbolicElements(least);
    }
  }
  PlanDimension dim;
  if (own.extent)
    dim.extent = SymbolicElements(*own.extent);
  dim.stride = SymbolicBytes(stride);
  result.walks.push_back(walk);
  result.dims.push_back(dim);
}

/// What moves with the device's own values.
Polynomial WalkFinder::movingPart(const Polynomial &value) const {
  Polynomial moving;
  for (const Term &term : value.getTerms())
    if (!symbols.knownAtLaunch(term))
      moving += Polynomial::ofTerm(term);
  return moving;
}

/// Guards that bound the same value from both sides are of one line. Which side is which, the
/// address says.
void WalkFinder::findLines() {
  auto isOfAll = [](const GuardColumn &column) {
    return llvm::all_of(column.slopes, [](int64_t slope) { return slope == 0; });
  };
  auto roomOf = [](const GuardColumn &column) {
    Polynomial room = column.value - Polynomial(column.first);
    return column.isLow ? room : -room;
  };
  std::vector<GuardColumn> left, columns = std::move(result.columns);
  for (size_t i = 0; i < columns.size(); ++i) {
    Polynomial room = roomOf(columns[i]);
    Line line;
    line.columns.push_back(columns[i]);
    line.stride = divide(result.rest, movingPart(room)).quotient;
    bool isNear = line.stride.isZero() || line.stride.getTerms().front().coefficient > 0;
    line.stride = isNear ? line.stride : -line.stride;
    (isNear ? line.room : line.farRoom) = room;
    auto other =
        std::find_if(columns.begin() + long(i) + 1, columns.end(), [&](const GuardColumn &each) {
          return isOfAll(each) && movingPart(roomOf(each) + room).isZero();
        });
    bool isPair = other != columns.end();
    if (isPair) {
      (isNear ? line.farRoom : line.room) = roomOf(*other);
      line.columns.push_back(*other);
    }
    if (!isOfAll(columns[i]) || !takeLine(line))
      left.push_back(columns[i]);
    else if (isPair)
      columns.erase(other);
  }
  result.columns = std::move(left);
}

/// If whole elements of the dimension are in the address, and all that moves is of the line.
bool WalkFinder::takeLine(Line &line) {
  line.own.start = line.room ? *line.room : -movingPart(*line.farRoom);
  if (line.farRoom)
    line.own.extent = *line.farRoom + line.own.start + Polynomial(1);
  Polynomial moving = movingPart(line.own.start), rest = result.rest - line.stride * line.own.start;
  auto isLeft = [&](const Term &term) {
    return llvm::any_of(rest.getTerms(), [&](const Term &other) {
      return llvm::all_of(term.factors,
                          [&](SymbolId id) { return llvm::is_contained(other.factors, id); });
    });
  };
  if (moving.isZero() || line.stride.isZero() || !symbols.knownAtLaunch(line.stride) ||
      (line.own.extent && !symbols.knownAtLaunch(*line.own.extent)) ||
      llvm::any_of(moving.getTerms(), isLeft))
    return false;
  result.rest = rest;
  lines.push_back(line);
  return true;
}

/// Lines are further apart than pixels in them. What the block alone says is which images those
/// are, where no digit does.
void WalkFinder::placeLines() {
  for (const Line &line : lines) {
    const Polynomial &start = line.own.start;
    bool isImage = !isOfImages() && start.getTerms().size() == 1 && !symbols.knownAtLaunch(start);
    if (isImage || result.walks.size() == 3 ||
        !divide(line.stride, strides[0]).remainder.isZero()) {
      result.rest += line.stride * start;
      llvm::append_range(result.columns, line.columns);
      continue;
    }
    walk(line.own, Polynomial(1), line.stride);
    result.lines.push_back({start, movingPart(start), line.own.extent});
    if (!line.room)
      check(rule_id::coordinate_range, result.walks.back().first.count(), {0, Interval::highest},
            true);
  }
}

bool WalkFinder::checkKnown() {
  size_t spatial = result.walks.size(), ofDigits = isOfImages() ? last : last + 1;
  result.inLines = mayBeInLines && ofDigits == 1 && spatial > 1;
  for (size_t i = 0; i < spatial; ++i) {
    const Walk &walk = result.walks[i];
    for (const Polynomial &value : {walk.step.count(), walk.count.value_or(Polynomial())})
      if (!symbols.knownAtLaunch(value))
        return fail("'" + symbols.print(value) + "' is not known at launch");
    bool hasEnd = result.dims[i].extent.has_value();
    int64_t most = (hasEnd ? mostOffset : mostReach)[spatial - 1];
    bool isStill = i >= ofDigits;
    if (result.inLines && !isStill)
      most = std::min(most, mostInLine);
    check(result.inLines && isStill ? rule_id::line_offset : rule_id::pixel_offset,
          walk.offset.count(), {0, most}, true);
    if (!isStill && lower[i].empty())
      check(rule_id::coordinate_range, walk.first.count(), {0, Interval::highest}, true);
  }
  return true;
}

std::variant<WalkedTensor, Diagnostic> WalkFinder::run() {
  distances = pixels.factorsIn(shape.start.count(), result.rest);
  if (sortColumns())
    findLines();
  if (failure || !placeDigits())
    return std::move(*failure);
  size_t spatial = isOfImages() ? last : last + 1;
  if (spatial > 3) {
    fail("its pixels have " + Twine(spatial) + " dimensions, im2col has at most 3");
    return std::move(*failure);
  }
  for (size_t i = 0; i < spatial; ++i)
    walk(result.coordinates[i], pixels.digits[i].count, strides[i]);
  placeLines();
  bool isPlaced = (isOfImages() ? placeImages() : addImages()) && checkKnown();
  check(rule_id::index_range, pixels.first,
        {0, std::numeric_limits<int32_t>::max() - shape.digits[1].count}, true);
  if (!isPlaced)
    return std::move(*failure);
  return std::move(result);
}

} // namespace

std::variant<WalkedTensor, Diagnostic> walksOf(const PixelRelation &pixels, const TileShape &shape,
                                               Symbols &symbols, bool mayBeInLines) {
  return WalkFinder(pixels, shape, symbols, mayBeInLines).run();
}

} // namespace tilelift
