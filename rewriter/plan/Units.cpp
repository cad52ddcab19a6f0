//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Units.h"

#include "plan/Fit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilelift {
namespace {

struct Unit {
  int64_t at = 0;
  Place place;
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
};

Step between(const Unit &from, const Unit &to) {
  Step step{to.offset - from.offset, {}};
  for (size_t i = 0; i < to.bounds.size(); ++i)
    step.bounds.push_back(to.bounds[i] - from.bounds[i]);
  return step;
}

class Shaper {
public:
  Shaper(const CopyRelation &relation, bool outsideIsAny)
      : relation(relation), outsideIsAny(outsideIsAny) {}

  std::variant<TileUnits, Diagnostic> run();

private:
  bool findUnitSize();
  bool addCell(const Cell &cell);
  bool takeSource(const Cell &cell, const Source *&load, Condition &guard);
  bool takeColumns(const Cell &cell, const Condition &guard, SmallVector<int64_t, 4> &bounds);
  bool findDigits();
  bool disagrees(const Unit &unit, const Step &expected, const Step &found);
  std::string at(int64_t byte) const { return elementAt(relation.tile, byte); }
  bool fail(Diagnostic diagnostic) {
    failure = std::move(diagnostic);
    return false;
  }

  const CopyRelation &relation;
  bool outsideIsAny;
  TileUnits result;
  std::vector<Unit> units;
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

/// The one load of a cell and its guard; everything else must be zero.
bool Shaper::takeSource(const Cell &cell, const Source *&load, Condition &guard) {
  for (const Case &each : cell.cases) {
    const Source &source = each.source;
    switch (source.kind) {
    case Source::Kind::Load:
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
      if (source.bits != 0 && !outsideIsAny)
        result.outsideIsZero = false;
      break;
    case Source::Kind::Untouched:
      if (!outsideIsAny)
        result.outsideIsZero = false;
      break;
    }
  }
  if (!load)
    return fail(
        diagnose("computed-value", cell.place, at(cell.offset), "is always the same number"));
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

bool Shaper::addCell(const Cell &cell) {
  const Source *load = nullptr;
  Condition guard;
  Unit unit;
  if (!takeSource(cell, load, guard) || !takeColumns(cell, guard, unit.bounds))
    return false;
  if (units.empty())
    result.base = load->base;
  else if (load->base != result.base)
    return fail(diagnose("two-sources", cell.place, "'" + relation.tile.name + "'",
                         relation.bases[result.base].spelling,
                         relation.bases[load->base].spelling));
  for (int64_t part = 0; part < int64_t(cell.size); part += result.unitSize) {
    unit.at = cell.offset + part;
    unit.place = cell.place;
    unit.offset = load->offset + Polynomial(part);
    units.push_back(unit);
  }
  return true;
}

bool Shaper::disagrees(const Unit &unit, const Step &expected, const Step &found) {
  const Symbols &symbols = relation.symbols;
  const std::string &base = relation.bases[result.base].spelling;
  if (expected.offset != found.offset) {
    Polynomial was = units[0].offset + found.offset, should = units[0].offset + expected.offset;
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
                       std::to_string(units[0].bounds[i] + expected.bounds[i])));
  return false;
}

/// Peels digits off from the innermost: each is the longest run that starts at
/// unit 0 and repeats one step. Then every unit is checked against the digits.
bool Shaper::findDigits() {
  std::vector<Step> steps;
  size_t block = 1;
  while (block < units.size()) {
    Step step = between(units[0], units[block]);
    size_t count = 2;
    while (count * block < units.size() &&
           between(units[(count - 1) * block], units[count * block]) == step)
      ++count;
    result.digits.push_back({int64_t(count), step.offset});
    steps.push_back(step);
    block *= count;
  }
  if (result.digits.empty()) {
    result.digits.push_back({1, Polynomial(result.unitSize)});
    steps.push_back(
        {Polynomial(result.unitSize), SmallVector<int64_t, 4>(result.columns.size(), 0)});
  }
  result.start = units[0].offset;
  if (units.size() > 1 && result.digits[0].stride != Polynomial(result.unitSize))
    return fail(diagnose("not-contiguous", units[1].place, at(units[0].at), at(units[1].at),
                         relation.symbols.print(result.digits[0].stride) + " bytes",
                         relation.bases[result.base].spelling));

  for (size_t n = 0; n < units.size(); ++n) {
    Step expected{Polynomial(), SmallVector<int64_t, 4>(result.columns.size(), 0)};
    size_t rest = n;
    for (size_t d = 0; d < result.digits.size(); ++d) {
      int64_t digit = int64_t(rest % size_t(result.digits[d].count));
      rest /= size_t(result.digits[d].count);
      expected.offset += steps[d].offset * Polynomial(digit);
      for (size_t i = 0; i < expected.bounds.size(); ++i)
        expected.bounds[i] += steps[d].bounds[i] * digit;
    }
    Step found = between(units[0], units[n]);
    if (!(expected == found)) {
      disagrees(units[n], expected, found);
      return false;
    }
  }
  if (block != units.size())
    return fail(diagnose("uneven-steps", units.back().place, at(units.back().at),
                         "the end of a row of " + std::to_string(result.digits[0].count),
                         "rows of equal length"));
  for (size_t i = 0; i < result.columns.size(); ++i) {
    result.columns[i].first = units[0].bounds[i];
    for (const Step &step : steps)
      result.columns[i].slopes.push_back(step.bounds[i]);
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
