//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Units.h"

#include "plan/Fit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilelift {
namespace {

struct Unit {
  int64_t at = 0;
  Place place;
  /// False where nothing is ever read: a row that is always outside.
  bool isLive = true;
  Polynomial offset;
  SmallVector<int64_t, 4> bounds;
};

/// What a unit adds to the one before, or is ahead of the first.
struct Step {
  Polynomial offset;
  SmallVector<int64_t, 4> bounds;

  bool operator==(const Step &other) const {
    return offset == other.offset && bounds == other.bounds;
  }
  Step &add(const Step &other, int64_t times) {
    offset += other.offset * Polynomial(times);
    for (size_t i = 0; i < bounds.size(); ++i)
      bounds[i] += other.bounds[i] * times;
    return *this;
  }
};

Step between(const Unit &from, const Unit &to) {
  Step step{to.offset - from.offset, {}};
  for (size_t i = 0; i < to.bounds.size(); ++i)
    step.bounds.push_back(to.bounds[i] - from.bounds[i]);
  return step;
}

/// A digit of the units' numbers, and which of its values are live.
struct LiveDigit {
  int64_t distance = 1; ///< from one value of the digit to the next, in units
  int64_t count = 1;    ///< of all values
  int64_t firstLive = 0;
  int64_t liveCount = 1;
  Step step;

  int64_t valueIn(int64_t unit) const { return unit / distance % count; }
  bool isLive(int64_t unit) const {
    int64_t value = valueIn(unit);
    return firstLive <= value && value < firstLive + liveCount;
  }
};

class Shaper {
public:
  Shaper(const CopyRelation &relation, bool outsideIsAny)
      : relation(relation), outsideIsAny(outsideIsAny) {}

  std::variant<TileUnits, Diagnostic> run();

private:
  bool findUnitSize();
  bool addCell(const Cell &cell);
  bool takeSource(const Cell &cell, const Source *&load, Condition &guard);
  bool takeBase(const Cell &cell, unsigned base);
  bool takeColumns(const Cell &cell, const Condition &guard, SmallVector<int64_t, 4> &bounds);
  bool findDigits();
  bool completeDigits(size_t first);
  void splitDigits();
  bool checkDigits(size_t first);
  bool takeDigits(size_t first);
  bool disagrees(const Unit &first, const Unit &unit, const Step &expected, const Step &found);
  std::string at(int64_t byte) const { return elementAt(relation.tile, byte); }
  bool fail(Diagnostic diagnostic) {
    failure = std::move(diagnostic);
    return false;
  }

  const CopyRelation &relation;
  bool outsideIsAny;
  TileUnits result;
  std::vector<Unit> units;
  std::vector<LiveDigit> digits;
  bool hasBase = false;
  bool hasColumns = false;
  std::optional<Diagnostic> failure;
};

std::variant<TileUnits, Diagnostic> Shaper::run() {
  if (!findUnitSize())
    return std::move(*failure);
  for (const Cell &cell : relation.cells)
    if (!addCell(cell))
      return std::move(*failure);
  if (!findDigits())
    return std::move(*failure);
  return std::move(result);
}

bool Shaper::findUnitSize() {
  if (relation.cells.empty())
    return fail(diagnose("not-a-copy", relation.place));
  result.unitSize = relation.cells.front().size;
  result.firstByte = relation.cells.front().offset;
  int64_t next = result.firstByte;
  for (const Cell &cell : relation.cells) {
    if (cell.offset < next)
      return fail(
          diagnose("clashing-stores", cell.place, at(cell.offset), cell.thread, cell.thread));
    if (cell.offset > next)
      return fail(diagnose("gap-in-tile", cell.place, at(next), at(cell.offset)));
    next = cell.offset + cell.size;
    result.unitSize = std::min<int64_t>(result.unitSize, cell.size);
  }
  return true;
}

/// The one load of a cell, if it has any, and its guard; everything else must be
/// zero.
bool Shaper::takeSource(const Cell &cell, const Source *&load, Condition &guard) {
  for (const Case &each : cell.cases) {
    const Source &source = each.source;
    switch (source.kind) {
    case Source::Kind::Load:
      if (each.guard.isImpossible(relation.symbols))
        break;
      if (load && !load->sameValue(source)) {
        if (load->base == source.base)
          return fail(diagnose("several-places", cell.place, at(cell.offset),
                               relation.bases[load->base].spelling));
        return fail(diagnose("two-sources", cell.place, at(cell.offset),
                             relation.bases[load->base].spelling,
                             relation.bases[source.base].spelling));
      }
      load = &source;
      guard = each.guard;
      break;
    case Source::Kind::Other:
      return fail(diagnose("computed-value", source.place.isKnown() ? source.place : cell.place,
                           at(cell.offset), source.text));
    case Source::Kind::Constant:
      if (!source.bits.isZero() && !outsideIsAny)
        result.outsideIsZero = false;
      break;
    case Source::Kind::Untouched:
      if (!outsideIsAny)
        result.outsideIsZero = false;
      break;
    }
  }
  return true;
}

/// The guard's bounds, in the order that the first cell had them.
bool Shaper::takeColumns(const Cell &cell, const Condition &guard,
                         SmallVector<int64_t, 4> &bounds) {
  const Conjunction *conjunction = guard.asConjunction();
  auto uneven = [&](const Twine &why) {
    return fail(diagnose("uneven-guard", cell.place, at(cell.offset), why.str()));
  };
  if (!conjunction)
    return uneven("it is '" + guard.print(relation.symbols) + "'");
  std::vector<GuardColumn> columns;
  for (const Bound &bound : *conjunction) {
    if (bound.range.low != Interval::lowest)
      columns.push_back({bound.value, true, bound.range.low, {}});
    if (bound.range.high != Interval::highest)
      columns.push_back({bound.value, false, bound.range.high, {}});
  }
  if (!hasColumns) {
    result.columns = columns;
    hasColumns = true;
  }
  bool same = columns.size() == result.columns.size();
  for (size_t i = 0; same && i < columns.size(); ++i) {
    same =
        columns[i].value == result.columns[i].value && columns[i].isLow == result.columns[i].isLow;
    bounds.push_back(columns[i].first);
  }
  if (!same)
    return uneven("it is '" + guard.print(relation.symbols) + "', unlike that of " +
                  at(result.firstByte));
  return true;
}

bool Shaper::takeBase(const Cell &cell, unsigned base) {
  if (!hasBase)
    result.base = base;
  hasBase = true;
  return base == result.base ||
         fail(diagnose("two-sources", cell.place, "'" + relation.tile.name + "'",
                       relation.bases[result.base].spelling, relation.bases[base].spelling));
}

bool Shaper::addCell(const Cell &cell) {
  const Source *load = nullptr;
  Condition guard;
  Unit unit;
  if (!takeSource(cell, load, guard))
    return false;
  unit.isLive = load != nullptr;
  if (unit.isLive && (!takeBase(cell, load->base) || !takeColumns(cell, guard, unit.bounds)))
    return false;
  for (int64_t part = 0; part < int64_t(cell.size); part += result.unitSize) {
    unit.at = cell.offset + part;
    unit.place = cell.place;
    if (unit.isLive)
      unit.offset = load->offset + Polynomial(part);
    units.push_back(unit);
  }
  return true;
}

bool Shaper::disagrees(const Unit &first, const Unit &unit, const Step &expected,
                       const Step &found) {
  const Symbols &symbols = relation.symbols;
  const std::string &base = relation.bases[result.base].spelling;
  if (expected.offset != found.offset) {
    Polynomial was = first.offset + found.offset, should = first.offset + expected.offset;
    return fail(diagnose("uneven-steps", unit.place, at(unit.at),
                         "'" + base + "' + " + symbols.print(was) + " bytes",
                         symbols.print(should) + " bytes"));
  }
  for (size_t i = 0; i < found.bounds.size(); ++i)
    if (expected.bounds[i] != found.bounds[i])
      return fail(
          diagnose("uneven-guard", unit.place, at(unit.at),
                   "'" + symbols.print(result.columns[i].value) +
                       (result.columns[i].isLow ? "' has to be at least " : "' may be at most ") +
                       std::to_string(unit.bounds[i]) + ", a box would need " +
                       std::to_string(first.bounds[i] + expected.bounds[i])));
  return false;
}

/// Peels digits off from the innermost: each is the longest run that starts at
/// the first live unit and repeats one step.
bool Shaper::findDigits() {
  SmallVector<size_t, 0> live;
  for (size_t n = 0; n < units.size(); ++n)
    if (units[n].isLive)
      live.push_back(n);
  auto constant = llvm::find_if(units, [](const Unit &unit) { return !unit.isLive; });
  if (constant != units.end())
    result.constantCell =
        diagnose("computed-value", constant->place, at(constant->at), "is always the same number");
  if (live.empty() || (result.constantCell && !result.outsideIsZero))
    return fail(*result.constantCell);
  size_t block = 1;
  while (block < live.size()) {
    LiveDigit digit;
    digit.distance = int64_t(live[block] - live[0]);
    digit.step = between(units[live[0]], units[live[block]]);
    auto repeats = [&](size_t from, size_t to) {
      return int64_t(live[to] - live[from]) == digit.distance &&
             between(units[live[from]], units[live[to]]) == digit.step;
    };
    size_t count = 2;
    while (count * block < live.size() && repeats((count - 1) * block, count * block))
      ++count;
    digit.liveCount = int64_t(count);
    digits.push_back(digit);
    block *= count;
  }
  if (!completeDigits(live[0]))
    return false;
  splitDigits();
  return checkDigits(live[0]) && takeDigits(live[0]);
}

/// Each digit has as many values as fit before the next one, live or not. The
/// innermost is the row; that may be one unit, if TMA can move it or the tile's
/// own rows have no more.
bool Shaper::completeDigits(size_t first) {
  Polynomial unit(result.unitSize);
  bool unitIsEnough = result.unitSize % grain == 0 || result.unitSize == relation.tile.rowBytes();
  bool unitIsRow = !digits.empty() && digits[0].step.offset != unit && unitIsEnough;
  if (digits.empty() || digits[0].distance != 1 || unitIsRow) {
    LiveDigit inner;
    inner.step = {unit, SmallVector<int64_t, 4>(result.columns.size(), 0)};
    digits.insert(digits.begin(), inner);
  }
  for (size_t d = 0; d < digits.size(); ++d) {
    int64_t end = d + 1 < digits.size() ? digits[d + 1].distance : int64_t(units.size());
    digits[d].count = end / digits[d].distance;
    digits[d].firstLive = digits[d].valueIn(int64_t(first));
    if (end % digits[d].distance != 0)
      return fail(diagnose("uneven-steps", units.back().place, at(units.back().at),
                           "the end of a row of " + std::to_string(digits[0].liveCount),
                           "rows of equal length"));
  }
  return true;
}

/// A single row that is live among others is a digit of its own: the tile's shape
/// tells where rows end. The distance between such rows is never used.
void Shaper::splitDigits() {
  int64_t row = 1;
  for (int64_t extent : llvm::reverse(relation.tile.extents)) {
    row *= extent;
    int64_t units = row * relation.tile.elementSize / result.unitSize;
    for (size_t d = 0; d < digits.size(); ++d) {
      LiveDigit &inner = digits[d];
      bool divides = units > inner.distance && units % inner.distance == 0 &&
                     inner.count * inner.distance % units == 0 &&
                     inner.count * inner.distance > units;
      int64_t count = units / inner.distance;
      int64_t last = inner.firstLive + inner.liveCount - 1;
      if (!divides || inner.liveCount == inner.count || inner.firstLive / count != last / count)
        continue;
      LiveDigit outer;
      outer.distance = units;
      outer.count = inner.count / count;
      outer.firstLive = inner.firstLive / count;
      outer.step = {inner.step.offset *
                        Polynomial(d == 0 ? int64_t(alignTo(uint64_t(count), grain)) : count),
                    SmallVector<int64_t, 4>(result.columns.size(), 0)};
      inner.count = count;
      inner.firstLive %= count;
      digits.insert(digits.begin() + d + 1, outer);
      break;
    }
  }
}

/// Every unit is what the digits say.
bool Shaper::checkDigits(size_t first) {
  const LiveDigit &inner = digits[0];
  if (inner.liveCount > 1 && inner.step.offset != Polynomial(result.unitSize))
    return fail(diagnose("not-contiguous", units[first + 1].place, at(units[first].at),
                         at(units[first + 1].at),
                         relation.symbols.print(inner.step.offset) + " bytes",
                         relation.bases[result.base].spelling));
  for (size_t n = 0; n < units.size(); ++n) {
    bool isLive =
        llvm::all_of(digits, [&](const LiveDigit &digit) { return digit.isLive(int64_t(n)); });
    if (isLive != units[n].isLive)
      return fail(*result.constantCell);
    if (!isLive)
      continue;
    Step expected{Polynomial(), SmallVector<int64_t, 4>(result.columns.size(), 0)};
    for (const LiveDigit &digit : digits)
      expected.add(digit.step, digit.valueIn(int64_t(n)) - digit.firstLive);
    Step found = between(units[first], units[n]);
    if (!(expected == found))
      return disagrees(units[first], units[n], expected, found);
  }
  return true;
}

/// Where values of a digit are not live, the digit gets a bound that says so.
bool Shaper::takeDigits(size_t first) {
  Step origin{units[first].offset, units[first].bounds};
  for (const LiveDigit &digit : digits) {
    result.digits.push_back({digit.count, digit.step.offset});
    origin.add(digit.step, -digit.firstLive);
  }
  result.start = origin.offset;
  for (size_t i = 0; i < result.columns.size(); ++i) {
    result.columns[i].first = origin.bounds[i];
    for (const LiveDigit &digit : digits)
      result.columns[i].slopes.push_back(digit.step.bounds[i]);
  }
  for (size_t d = 0; d < digits.size(); ++d) {
    GuardColumn bound;
    bound.slopes.assign(digits.size(), 0);
    bound.slopes[d] = 1;
    int64_t last = digits[d].firstLive + digits[d].liveCount - 1;
    if (digits[d].firstLive > 0) {
      bound.isLow = false;
      bound.first = -digits[d].firstLive;
      result.columns.push_back(bound);
    }
    if (last < digits[d].count - 1) {
      bound.isLow = true;
      bound.first = -last;
      result.columns.push_back(bound);
    }
  }
  return true;
}

} // namespace

std::variant<TileUnits, Diagnostic> digitsOf(const CopyRelation &relation, bool outsideIsAny) {
  return Shaper(relation, outsideIsAny).run();
}

std::string elementAt(const SharedTile &tile, int64_t byteOffset) {
  std::string text;
  int64_t index = byteOffset / std::max(1u, tile.elementSize);
  for (int64_t extent : llvm::reverse(tile.extents)) {
    text = "[" + std::to_string(index % extent) + "]" + text;
    index /= extent;
  }
  return "'" + tile.name + text + "'";
}

element_type elementTypeOf(StringRef type, unsigned size) {
  element_type fallback = size == 1   ? element_type::u8
                          : size == 2 ? element_type::u16
                          : size == 4 ? element_type::u32
                                      : element_type::u64;
  return StringSwitch<element_type>(type)
      .Case("float", element_type::f32)
      .Case("double", element_type::f64)
      .Case("int", element_type::i32)
      .Cases({"long", "long long"}, element_type::i64)
      .Cases({"__half", "half"}, element_type::f16)
      .Cases({"__nv_bfloat16", "nv_bfloat16"}, element_type::bf16)
      .Default(fallback);
}

Polynomial wholeUnits(Symbols &symbols, const Polynomial &value, int64_t step) {
  if (step == 1)
    return value;
  Polynomial whole, rest;
  for (const Term &term : value.getTerms()) {
    Polynomial one = Polynomial::ofTerm(term);
    bool divides = symbols.divisorOf(one) % step == 0;
    (divides ? whole : rest) += one;
  }
  if (std::optional<int64_t> constant = rest.asConstant()) {
    int64_t down = *constant >= 0 ? *constant / step : -((-*constant + step - 1) / step);
    return whole + Polynomial(down * step);
  }
  // C++ division rounds towards zero: shift by one step so that it rounds down.
  Symbol symbol;
  symbol.kind = Symbol::Kind::Opaque;
  symbol.spelling =
      "((" + symbols.print(rest + Polynomial(step)) + ") / " + std::to_string(step) + ")";
  symbol.range = symbols.rangeOf(rest);
  symbol.range.low =
      symbol.range.low == Interval::lowest ? Interval::lowest : symbol.range.low / step - 1;
  symbol.range.high =
      symbol.range.high == Interval::highest ? Interval::highest : symbol.range.high / step + 1;
  symbol.knownAtLaunch = symbols.knownAtLaunch(rest);
  return whole + Polynomial::symbol(symbols.intern(symbol)) * Polynomial(step) - Polynomial(step);
}

std::string print(const GuardColumn &column, const Symbols &symbols) {
  return symbols.print(column.value) + (column.isLow ? " >= " : " <= ") +
         std::to_string(column.first);
}

} // namespace tilelift
