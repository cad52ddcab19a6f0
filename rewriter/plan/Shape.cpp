//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Shape.h"

#include "plan/Elements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;

namespace tilelift {
namespace {

/// A digit of the units' numbers, and between which of its values the live ones are.
struct Radix {
  int64_t distance = 1; ///< from one value of the digit to the next, in units
  int64_t count = 1, low = 0, high = 0;
  Polynomial step;
};

/// Tries one way of cutting the units into digits.
class Shaper {
public:
  Shaper(const CopyRelation &relation, const UnitList &list, Gaps gaps)
      : relation(relation), list(list), gaps(gaps), units(list.units) {}

  using Digits = SmallVector<int64_t, 5>;
  using Slopes = SmallVector<int64_t, 4>;

  std::variant<TileShape, Diagnostic> fromSteps();
  std::variant<TileShape, Diagnostic> fromExtents();

private:
  std::variant<TileShape, Diagnostic> finish();
  void peel();
  void addRow();
  bool complete();
  bool solve();
  bool solveStep(Radix &radix);
  bool checkOffsets();
  bool checkLiveness();
  void trim();
  bool mayCoverPadding(const Radix &radix) const;
  Slopes slopesOf(size_t column, ArrayRef<size_t> bearing) const;
  int64_t slopedAt(const GuardColumn &column, size_t n) const;
  bool placeColumn(size_t column);
  bool failAsUnevenGuard(const GuardColumn &placed, size_t n, int64_t found);
  std::optional<int64_t> boundAt(size_t column, ArrayRef<size_t> bearing, size_t axis,
                                 int64_t digit, bool areOthersLowest) const;
  int64_t tightestAt(ArrayRef<GuardColumn> bounds, size_t n) const;
  std::vector<GuardColumn> boundsByAxis(size_t column, ArrayRef<size_t> bearing,
                                        bool areOthersLowest) const;
  void excludeConstants();
  bool isBounded(bool low) const;
  bool checkGaps() const;
  bool isPeriod(size_t from, size_t to, size_t block) const;
  int64_t valueOf(size_t digit, size_t number) const;
  bool isWithin(size_t digit, size_t number) const {
    int64_t value = valueOf(digit, number);
    return radices[digit].low <= value && value <= radices[digit].high;
  }
  const Unit *liveAt(int64_t number) const {
    return number < int64_t(units.size()) && units[number].isLive() ? &units[number] : nullptr;
  }
  std::string at(const Unit &unit) const { return elementAt(relation.tile, unit.at); }
  bool fail(Diagnostic diagnostic) {
    if (!failure)
      failure = std::move(diagnostic);
    return false;
  }
  bool failAsUneven() {
    return fail(diagnose(diag::uneven_steps, units.back().place, at(units.back()),
                         "the end of a row of " + std::to_string(radices[0].high + 1),
                         "rows of equal length", words.reads));
  }
  /// Whether there is a gap to blame.
  bool failAsGap() {
    auto first = llvm::find_if(units, [](const Unit &unit) { return unit.isLive(); });
    auto gap = std::find_if(first, units.end(),
                            [](const Unit &unit) { return unit.kind == Unit::Kind::Gap; });
    auto after = std::find_if(gap, units.end(), [](const Unit &unit) { return unit.isLive(); });
    if (after == units.end())
      return false;
    fail(diagnose(diag::gap_in_tile, after->place, at(*gap), at(*after), words.done, words.verb));
    return true;
  }

  const CopyRelation &relation;
  const UnitList &list;
  Gaps gaps;
  Wording words = wordingOf(relation.kind);
  std::vector<Unit> units;
  std::vector<size_t> live;
  std::vector<Radix> radices;
  TileShape result;
  std::optional<Diagnostic> failure;
};

/// Peels digits off from the innermost: each is the longest run that starts at the
/// first live unit and repeats one step.
void Shaper::peel() {
  size_t block = 1;
  while (block < live.size()) {
    Radix radix;
    radix.distance = int64_t(live[block] - live[0]);
    size_t count = 2;
    while (count * block < live.size() && isPeriod((count - 1) * block, count * block, block))
      ++count;
    radix.high = int64_t(count) - 1;
    radices.push_back(radix);
    block *= count;
  }
}

/// Whether the step between two live units is that from the first to number `block`.
bool Shaper::isPeriod(size_t from, size_t to, size_t block) const {
  if (live[to] - live[from] != live[block] - live[0])
    return false;
  const Unit &a = units[live[0]], &b = units[live[block]], &x = units[live[from]],
             &y = units[live[to]];
  if (y.offset - x.offset != b.offset - a.offset)
    return false;
  for (size_t c = 0; c < list.columns.size(); ++c) {
    bool all = a.bound(c) && b.bound(c) && x.bound(c) && y.bound(c);
    if (all && *y.bound(c) - *x.bound(c) != *b.bound(c) - *a.bound(c))
      return false;
  }
  return true;
}

/// The innermost digit is the row; that may be one unit, if TMA can move it or the
/// tile's own rows have no more.
void Shaper::addRow() {
  bool isRow = !radices.empty() && radices[0].distance == 1;
  bool unitIsEnough =
      list.unitSize % grain.count() == 0 || list.unitSize == relation.tile.rowBytes();
  bool isContiguous =
      isRow && units[live[1]].offset - units[live[0]].offset == Polynomial(list.unitSize);
  if (!isRow || (!isContiguous && unitIsEnough))
    radices.insert(radices.begin(), Radix());
}

/// Each digit has as many values as fit before the next one, live or not. Only single
/// rows may leave some space there.
bool Shaper::complete() {
  for (size_t d = 0; d < radices.size(); ++d) {
    bool isLast = d + 1 == radices.size();
    int64_t distance = radices[d].distance;
    int64_t end =
        isLast ? int64_t(alignTo(units.size(), uint64_t(distance))) : radices[d + 1].distance;
    radices[d].count = int64_t(divideCeil(uint64_t(end), uint64_t(distance)));
    if (end % distance != 0 && gaps != Gaps::Stay)
      return failAsUneven();
  }
  return true;
}

std::variant<TileShape, Diagnostic> Shaper::fromSteps() {
  for (size_t n = 0; n < units.size(); ++n)
    if (units[n].isLive())
      live.push_back(n);
  peel();
  addRow();
  if (!complete())
    return std::move(*failure);
  return finish();
}

/// Numbers the units from the start of the tile, whose extents are the digits.
std::variant<TileShape, Diagnostic> Shaper::fromExtents() {
  std::vector<Unit> lead(size_t(units.front().at / list.unitSize));
  for (size_t n = 0; n < lead.size(); ++n)
    lead[n].at = int64_t(n) * list.unitSize;
  units.insert(units.begin(), lead.begin(), lead.end());
  for (size_t n = 0; n < units.size(); ++n)
    if (units[n].isLive())
      live.push_back(n);
  int64_t distance = 1, inUnits = relation.tile.elementSize;
  for (int64_t extent : llvm::reverse(relation.tile.extents)) {
    inUnits *= extent;
    Radix radix;
    radix.distance = distance;
    radix.count = inUnits / list.unitSize / distance;
    if (radix.count > 1 || radices.empty())
      radices.push_back(radix);
    distance = inUnits / list.unitSize;
  }
  return finish();
}

std::variant<TileShape, Diagnostic> Shaper::finish() {
  result.unitSize = Bytes(list.unitSize);
  result.base = list.base;
  result.outsideIsZero = list.outsideIsZero;
  auto constant =
      llvm::find_if(units, [](const Unit &unit) { return unit.kind == Unit::Kind::Constant; });
  if (constant != units.end())
    result.constantCell =
        diagnose(diag::computed_value, constant->place, at(*constant), "is always the same number");
  if (!solve() || !checkOffsets() || !checkLiveness())
    return std::move(*failure);
  trim();
  for (size_t column = 0; column < list.columns.size(); ++column)
    if (!placeColumn(column))
      return std::move(*failure);
  excludeConstants();
  if (!checkGaps()) {
    if (!failAsGap()) // behind the last live unit
      failAsUneven();
    return std::move(*failure);
  }
  return std::move(result);
}

/// What the digits further out leave is shared by those further in.
int64_t Shaper::valueOf(size_t digit, size_t number) const {
  int64_t rest = int64_t(number);
  for (size_t outer = radices.size() - 1; outer > digit; --outer)
    rest %= radices[outer].distance;
  return rest / radices[digit].distance;
}

/// Between which values of each digit the live units are, and their steps.
bool Shaper::solve() {
  for (size_t d = 0; d < radices.size(); ++d) {
    Radix &radix = radices[d];
    radix.low = radix.count, radix.high = -1;
    for (size_t n : live) {
      radix.low = std::min(radix.low, valueOf(d, n));
      radix.high = std::max(radix.high, valueOf(d, n));
    }
  }
  for (Radix &radix : radices)
    if (!solveStep(radix))
      return false;
  return true;
}

bool Shaper::solveStep(Radix &radix) {
  size_t d = size_t(&radix - radices.data());
  if (radix.low == radix.high) {
    // Never used, but a stride that TMA can have.
    radix.step =
        d == 0 ? Polynomial(list.unitSize)
               : radices[d - 1].step * Polynomial(int64_t(alignTo(uint64_t(radices[d - 1].count),
                                                                  uint64_t(grain.count()))));
    return true;
  }
  for (size_t n : live) {
    const Unit *next = liveAt(int64_t(n) + radix.distance);
    if (!next || valueOf(d, n) == radix.high)
      continue;
    radix.step = next->offset - units[n].offset;
    return true;
  }
  if (!failAsGap())
    fail(diagnose(diag::not_a_copy, relation.place, wordingOf(relation.kind).nothing));
  return false;
}

/// Every live unit is read from where the digits say.
bool Shaper::checkOffsets() {
  const Unit &first = units[live[0]];
  const Symbols &symbols = relation.symbols;
  const std::string &base = relation.bases[list.base].spelling;
  const Radix &inner = radices[0];
  if (inner.high > inner.low && inner.step != Polynomial(list.unitSize)) {
    auto next = llvm::find_if(live, [&](size_t n) { return liveAt(int64_t(n) + 1); });
    return fail(diagnose(diag::not_contiguous, units[*next + 1].place, at(units[*next]),
                         at(units[*next + 1]), symbols.print(inner.step) + " bytes", base));
  }
  for (size_t n : live) {
    Polynomial expected = first.offset;
    for (size_t d = 0; d < radices.size(); ++d)
      expected += radices[d].step * Polynomial(valueOf(d, n) - valueOf(d, live[0]));
    if (expected != units[n].offset)
      return fail(diagnose(diag::uneven_steps, units[n].place, at(units[n]),
                           "'" + base + "' + " + symbols.print(units[n].offset) + " bytes",
                           symbols.print(expected) + " bytes", words.reads));
  }
  return true;
}

/// Constant units lie outside of what is live in some digit.
bool Shaper::checkLiveness() {
  for (size_t n = 0; n < units.size(); ++n)
    if (units[n].kind == Unit::Kind::Constant &&
        llvm::all_of(seq(radices.size()), [&](size_t digit) { return isWithin(digit, n); }))
      return fail(*result.constantCell);
  if (result.constantCell && !list.outsideIsZero)
    return fail(*result.constantCell);
  bool isSingle = radices[0].low == radices[0].high && list.unitSize % grain.count() != 0 &&
                  list.unitSize != relation.tile.rowBytes();
  return !isSingle || radices[0].count == 1 || !failAsGap();
}

/// Whether the box may fill what lies behind each row, up to where the next one begins: nothing
/// writes there. `radix` is the row.
bool Shaper::mayCoverPadding(const Radix &radix) const {
  const int64_t end = units[live.back()].at + list.unitSize;
  const int64_t padding = (radix.count - radix.high - 1) * list.unitSize;
  return gaps == Gaps::RowsAreFilled && radices.size() > 1 && radix.low == 0 &&
         relation.kind == CopyKind::Load &&
         (padding == 0 || relation.tile.isUnwritten(end, end + padding));
}

/// Leaves gaps out of the box where the rest stays one: at the ends of rows, and
/// before and behind all of it. Single rows may leave out more.
void Shaper::trim() {
  auto isGapOutside = [&](size_t digit) {
    return llvm::none_of(llvm::seq(units.size()), [&](size_t n) {
      return units[n].kind == Unit::Kind::Constant && !isWithin(digit, n);
    });
  };
  int64_t corner = 0;
  std::vector<Radix> kept;
  bool isOutermost = true;
  for (size_t d = radices.size(); d-- > 0;) {
    Radix radix = radices[d];
    if (d == 0)
      result.copiedUnits = isGapOutside(d) ? radix.high - radix.low + 1 : radix.count;
    const bool coversPadding = d == 0 && mayCoverPadding(radix);
    if ((isOutermost || d == 0 || gaps == Gaps::Stay) && !coversPadding && isGapOutside(d)) {
      corner += radix.low * radix.distance;
      radix.count = radix.high - radix.low + 1;
      radix.high -= radix.low;
      radix.low = 0;
    }
    isOutermost &= radix.count == 1;
    if (radix.count > 1 || d == 0)
      kept.insert(kept.begin(), radix);
  }
  // Numbers count from the box's corner now, and periods are those of before.
  units.erase(units.begin(), units.begin() + corner);
  for (size_t &n : live)
    n -= size_t(corner);
  for (size_t d = 0; d < kept.size(); ++d)
    result.digits.push_back({kept[d].count, kept[d].distance, SymbolicBytes(kept[d].step)});
  result.firstByte = Bytes(units.front().at);
  result.start = SymbolicBytes(units[live[0]].offset);
  SmallVector<int64_t, 5> first = result.digitsAt(Bytes(units[live[0]].at));
  for (size_t d = 0; d < kept.size(); ++d)
    result.start -= SymbolicBytes(kept[d].step) * first[d];
  radices = std::move(kept);
}

/// The bound of the unit that has a digit in one axis and is at the same end of all others.
std::optional<int64_t> Shaper::boundAt(size_t column, ArrayRef<size_t> bearing, size_t axis,
                                       int64_t digit, bool areOthersLowest) const {
  const auto found = llvm::find_if(bearing, [&](size_t n) {
    const Digits digits = result.digitsAt(Bytes(units[n].at));
    return llvm::all_of(llvm::seq(radices.size()), [&](size_t d) {
      return digits[d] == (d == axis ? digit : areOthersLowest ? radices[d].low : radices[d].high);
    });
  });
  return found == bearing.end() ? std::nullopt : units[*found].bound(column);
}

/// The tightest of the bounds that each unit would have.
int64_t Shaper::tightestAt(ArrayRef<GuardColumn> bounds, size_t n) const {
  auto own = llvm::map_range(
      bounds, [&](const GuardColumn &bound) { return bound.first + slopedAt(bound, n); });
  return bounds.front().isLow ? *llvm::max_element(own) : *llvm::min_element(own);
}

/// `r < n && c < n` compares one value with several axes, and only the tightest of their bounds is
/// left of it in each unit. The bound of one axis alone is seen at the end of the axis where it is
/// tightest, in units whose other digits are at the end where their bounds are not: the lowest, or
/// the highest. Returns nothing if these bounds do not explain all units.
std::vector<GuardColumn> Shaper::boundsByAxis(size_t column, ArrayRef<size_t> bearing,
                                              bool areOthersLowest) const {
  const auto &[value, isLow] = list.columns[column];
  std::vector<GuardColumn> bounds;
  for (size_t d = 0; d < radices.size(); ++d) {
    const int64_t end = areOthersLowest ? radices[d].high : radices[d].low;
    const int64_t step = areOthersLowest ? 1 : -1;
    std::optional<int64_t> last = boundAt(column, bearing, d, end, areOthersLowest);
    std::optional<int64_t> before = boundAt(column, bearing, d, end - step, areOthersLowest);
    if (!last || !before || *last == *before)
      continue;
    const int64_t slope = (*last - *before) * step;
    Slopes slopes(radices.size(), 0);
    slopes[d] = slope;
    bounds.push_back({value, isLow, *last - slope * end, slopes});
  }
  auto isExplained = [&](size_t n) { return tightestAt(bounds, n) == units[n].bound(column); };
  if (bounds.size() < 2 || !llvm::all_of(bearing, isExplained))
    bounds.clear();
  return bounds;
}

/// By how much a bound changes with each digit, as the units that have it say. If these have one
/// value of a digit only, at an end, the bound would leave out those behind it, too; that is
/// guessed of one digit at most.
Shaper::Slopes Shaper::slopesOf(size_t column, ArrayRef<size_t> bearing) const {
  const bool isLow = list.columns[column].isLow, areAllBound = bearing.size() == live.size();
  auto digitOf = [&](size_t n, size_t d) { return result.digitsAt(Bytes(units[n].at))[d]; };
  Slopes slopes(radices.size(), 0);
  unsigned guessed = 0;
  for (size_t d = 0; d < radices.size(); ++d) {
    const Radix &radix = radices[d];
    std::optional<int64_t> slope;
    for (size_t n : bearing) {
      const Unit *next = liveAt(int64_t(n) + radix.distance);
      if (!slope && next && next->bound(column) && digitOf(n, d) < radix.high)
        slope = *next->bound(column) - *units[n].bound(column);
    }
    const int64_t value = digitOf(bearing[0], d);
    const bool isAtEnd = radix.low < radix.high && (value == radix.low || value == radix.high) &&
                         llvm::all_of(bearing, [&](size_t n) { return digitOf(n, d) == value; });
    if (!slope && isAtEnd && !areAllBound) {
      slope = (value == radix.low) == isLow ? -1 : 1;
      ++guessed;
    }
    slopes[d] = slope.value_or(0);
  }
  if (guessed > 1)
    slopes.assign(radices.size(), 0);
  return slopes;
}

/// What a bound's slopes make of a unit's digits.
int64_t Shaper::slopedAt(const GuardColumn &column, size_t n) const {
  const SmallVector<int64_t, 5> digits = result.digitsAt(Bytes(units[n].at));
  return std::inner_product(digits.begin(), digits.end(), column.slopes.begin(), int64_t(0));
}

bool Shaper::failAsUnevenGuard(const GuardColumn &placed, size_t n, int64_t found) {
  const std::string value = "'" + relation.symbols.print(placed.value);
  const bool boundsSeveral = llvm::count_if(placed.slopes, [](int64_t slope) { return slope; }) > 1;
  return fail(diagnose(
      diag::uneven_guard, units[n].place, at(units[n]),
      boundsSeveral ? value + "' bounds several of its axes at once, and a box has a bound for each"
                    : value + (placed.isLow ? "' has to be at least " : "' may be at most ") +
                          std::to_string(found) + ", a box would need " +
                          std::to_string(placed.first + slopedAt(placed, n))));
}

/// A bound as a function of the digits; the units that do not have it need it to
/// hold by itself.
bool Shaper::placeColumn(size_t column) {
  std::vector<size_t> bearing, lacking;
  for (size_t n : live)
    (units[n].bound(column) ? bearing : lacking).push_back(n);
  GuardColumn placed{list.columns[column].value, list.columns[column].isLow, 0,
                     slopesOf(column, bearing)};
  placed.first = *units[bearing[0]].bound(column) - slopedAt(placed, bearing[0]);
  auto uneven = llvm::find_if(bearing, [&](size_t n) {
    return *units[n].bound(column) != placed.first + slopedAt(placed, n);
  });
  if (uneven != bearing.end()) {
    for (bool areOthersLowest : {true, false})
      if (auto each = lacking.empty() ? boundsByAxis(column, bearing, areOthersLowest)
                                      : std::vector<GuardColumn>();
          !each.empty()) {
        llvm::append_range(result.columns, each);
        return true;
      }
    return failAsUnevenGuard(placed, *uneven, *units[*uneven].bound(column));
  }
  if (!lacking.empty()) {
    auto parts = llvm::map_range(lacking, [&](size_t n) { return slopedAt(placed, n); });
    const int64_t worst = placed.isLow ? *llvm::max_element(parts) : *llvm::min_element(parts);
    const Polynomial limit(placed.first + worst);
    result.implied.push_back(placed.isLow ? placed.value - limit : limit - placed.value);
  }
  result.columns.push_back(placed);
  return true;
}

/// Where values of a digit are not live but constant, the digit gets a bound that
/// says so.
void Shaper::excludeConstants() {
  for (size_t d = 0; d < radices.size(); ++d) {
    auto hasConstant = [&](bool above) {
      return llvm::any_of(units, [&](const Unit &unit) {
        int64_t value = result.digitsAt(Bytes(unit.at))[d];
        return unit.kind == Unit::Kind::Constant &&
               (above ? value > radices[d].high : value < radices[d].low);
      });
    };
    GuardColumn bound;
    bound.slopes.assign(radices.size(), 0);
    bound.slopes[d] = 1;
    if (hasConstant(false)) {
      bound.isLow = false;
      bound.first = -radices[d].low;
      result.columns.push_back(bound);
    }
    if (hasConstant(true)) {
      bound.isLow = true;
      bound.first = -radices[d].high;
      result.columns.push_back(bound);
    }
  }
}

/// Whether all digits have bounds at their lowest (highest) values.
bool Shaper::isBounded(bool low) const {
  return llvm::all_of(llvm::seq(radices.size()), [&](size_t d) {
    return radices[d].count == 1 || llvm::any_of(result.columns, [&](const GuardColumn &column) {
             const int64_t slope = column.isLow ? -column.slopes[d] : column.slopes[d];
             return low ? slope > 0 : slope < 0;
           });
  });
}

/// Whether none of some cells comes before (after) a place in every digit.
bool isBeyond(ArrayRef<Shaper::Digits> cells, const Shaper::Digits &place, bool low) {
  return llvm::none_of(cells, [&](const Shaper::Digits &cell) {
    return llvm::all_of(llvm::seq(place.size()),
                        [&](size_t d) { return low ? cell[d] <= place[d] : cell[d] >= place[d]; });
  });
}

/// Gaps that the box covers are read from the tensor, too. They exist if they lie
/// between cells that are read, or inside of bounds in every direction. Whether the tensor has the
/// elements for the padding behind a row is decided later (Fitter::endRows). Nothing may be
/// stored from a gap.
bool Shaper::checkGaps() const {
  std::vector<Digits> cells;
  for (size_t n : live)
    cells.push_back(result.digitsAt(Bytes(units[n].at)));
  int64_t total = 1;
  Digits least(radices.size(), 0), most;
  for (const Radix &radix : radices) {
    most.push_back(radix.count - 1);
    total *= radix.count;
  }
  const bool mayStay = gaps == Gaps::Stay || relation.kind != CopyKind::Load;
  const bool needsBelow = mayStay || (!isBounded(true) && isBeyond(cells, least, true));
  const bool needsAbove = mayStay || (!isBounded(false) && isBeyond(cells, most, false));
  if (!needsBelow && !needsAbove)
    return true;
  return llvm::none_of(llvm::seq(total), [&](int64_t number) {
    Digits place;
    int64_t unit = 0;
    for (const Radix &radix : radices) {
      place.push_back(number % radix.count);
      unit += place.back() * radix.distance;
      number /= radix.count;
    }
    if (place[0] >= result.copiedUnits)
      return false;
    const bool isGap = unit >= int64_t(units.size()) || units[size_t(unit)].kind == Unit::Kind::Gap;
    return isGap && (mayStay || (needsBelow && isBeyond(cells, place, true)) ||
                     (needsAbove && isBeyond(cells, place, false)));
  });
}

} // namespace

/// The shape of a list of units. At least one unit has to be live, which means that it is loaded.
static std::variant<TileShape, Diagnostic> shapeOf(const CopyRelation &relation,
                                                   const UnitList &list, Gaps gaps) {
  // The extents tell where rows end; that is needed where units are missing.
  const SharedTile &tile = relation.tile;
  int64_t first = list.units.front().at;
  bool hasRows =
      tile.extents.size() > 1 && tile.rowBytes() % list.unitSize == 0 && first % list.unitSize == 0;
  auto fromSteps = [&] { return Shaper(relation, list, gaps).fromSteps(); };
  auto fromExtents = [&] { return Shaper(relation, list, gaps).fromExtents(); };
  bool extentsFirst =
      hasRows && llvm::any_of(list.units, [](const Unit &unit) { return !unit.isLive(); });
  auto best = extentsFirst ? fromExtents() : fromSteps();
  if (hasRows && std::holds_alternative<Diagnostic>(best))
    if (auto other = extentsFirst ? fromSteps() : fromExtents();
        std::holds_alternative<TileShape>(other))
      return other;
  if (list.severalPlaces && std::holds_alternative<Diagnostic>(best))
    return *list.severalPlaces;
  return best;
}

std::variant<TileShape, Diagnostic> shapeOf(const CopyRelation &relation, bool outsideIsAny,
                                            Gaps gaps) {
  std::variant<UnitList, Diagnostic> read = unitsOf(relation, outsideIsAny, gaps);
  if (auto *reason = std::get_if<Diagnostic>(&read))
    return std::move(*reason);
  const UnitList &list = std::get<UnitList>(read);
  auto best = shapeOf(relation, list, gaps);
  // A bound that always holds helps to prove other bounds, so it is kept. But in a strided loop it
  // may split one row into a dimension for each round; then the shape without it is simpler.
  const auto *known = std::get_if<TileShape>(&best);
  if (std::optional<UnitList> rest = withoutCertainBounds(list, relation.symbols))
    if (auto other = shapeOf(relation, *rest, gaps); auto *simpler = std::get_if<TileShape>(&other))
      if (!known || simpler->digits.size() < known->digits.size())
        return other;
  return best;
}

} // namespace tilelift
