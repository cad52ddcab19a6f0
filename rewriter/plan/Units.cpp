//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Units.h"

#include "plan/Elements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace llvm;

namespace tilelift {
namespace {

class UnitReader {
public:
  UnitReader(const CopyRelation &relation, bool outsideIsAny, Gaps gaps)
      : relation(relation), outsideIsAny(outsideIsAny), gaps(gaps) {}

  std::variant<UnitList, Diagnostic> run();

private:
  bool findUnitSize();
  bool addGap(int64_t from, int64_t to);
  bool addCell(const Cell &cell);
  bool takeLoad(const Cell &cell, const Case &each, const Case *&load);
  bool takeSource(const Cell &cell, const Case *&load);
  bool takeBase(const Cell &cell, unsigned base);
  bool takeBounds(const Cell &cell, const Condition &guard, Unit &unit);
  std::optional<size_t> columnOf(const Polynomial &value, bool isLow);
  void dropImplied();
  bool followsFromTwo(size_t column) const;
  std::string at(int64_t byte) const { return elementAt(relation.tile, byte); }
  bool fail(Diagnostic diagnostic) {
    failure = std::move(diagnostic);
    return false;
  }

  const CopyRelation &relation;
  bool outsideIsAny;
  Gaps gaps;
  UnitList result;
  Wording words = wordingOf(relation.kind);
  bool hasBase = false;
  std::optional<Diagnostic> failure;
};

std::variant<UnitList, Diagnostic> UnitReader::run() {
  if (!findUnitSize())
    return std::move(*failure);
  int64_t next = relation.cells.front().offset;
  for (const Cell &cell : relation.cells) {
    if (!addGap(next, cell.offset) || !addCell(cell))
      return std::move(*failure);
    next = cell.offset + cell.size;
  }
  dropImplied();
  return std::move(result);
}

bool UnitReader::findUnitSize() {
  if (relation.cells.empty())
    return fail(diagnose(diag::not_a_copy, relation.place, wordingOf(relation.kind).nothing));
  int64_t first = relation.cells.front().offset, next = first;
  for (const Cell &cell : relation.cells) {
    if (cell.offset < next)
      return fail(diagnose(diag::clashing_stores, cell.place, at(cell.offset), words.done,
                           cell.thread, cell.thread, words.elsewhere));
    next = cell.offset + cell.size;
    result.unitSize = std::gcd(std::gcd<int64_t>(result.unitSize, cell.size), cell.offset - first);
  }
  return true;
}

/// Adds gaps for what the statement leaves out. A load may overwrite them if nothing ever writes
/// there.
bool UnitReader::addGap(int64_t from, int64_t to) {
  const SharedTile &tile = relation.tile;
  bool isFilled = gaps != Gaps::Stay && relation.kind == CopyKind::Load;
  if (from < to && isFilled && !tile.isUnwritten(from, to)) {
    Diagnostic reason = diagnose(diag::gap_in_tile, relation.cells.front().place, at(from), at(to),
                                 words.done, words.verb);
    if (!tile.otherWriter.empty())
      reason.notes.push_back({tile.otherWriterPlace, "'" + tile.name + "' " + tile.otherWriter});
    return fail(std::move(reason));
  }
  for (Unit gap; from < to; from += result.unitSize) {
    gap.at = from;
    gap.place = relation.cells.front().place;
    result.units.push_back(gap);
  }
  return true;
}

/// How much a load looks like that of a tile inside of the tensor: nothing is looked
/// up, its place follows the block, and its guard is a box with the most bounds. Clamped and
/// wrapped borders read from other places, which follow less.
std::array<int64_t, 5> insideness(const Case &load, const Symbols &symbols) {
  int64_t lookedUp = 0, following = 0;
  for (const Term &term : load.source->offset.getTerms()) {
    lookedUp += llvm::any_of(term.factors, [&](SymbolId factor) {
      return symbols[factor].kind == Symbol::Kind::Opaque && !symbols[factor].knownAtLaunch;
    });
    following += !symbols.knownAtLaunch(term);
  }
  const Conjunction *box = load.guard.asConjunction();
  // One block is not what a copy is for.
  int64_t single =
      box ? llvm::count_if(*box,
                           [](const Bound &bound) { return bound.range.low == bound.range.high; })
          : 0;
  return {-lookedUp, following, -single, box != nullptr, int64_t(load.guard.countBounds())};
}

/// A load of the cell, which is of the same base as the others.
bool UnitReader::takeLoad(const Cell &cell, const Case &each, const Case *&load) {
  const Source &source = *each.source;
  if (load && load->source->base != source.base)
    return fail(diagnose(
        diag::two_sources, cell.place, at(cell.offset), relation.bases[load->source->base].spelling,
        relation.bases[source.base].spelling, "depending on a condition", words.comes, words.from));
  if (!(source.reduction == relation.reduction))
    return fail(diagnose(diag::computed_value, cell.place, at(cell.offset),
                         "is combined in another way than others"));
  if (!load || insideness(*load, relation.symbols) < insideness(each, relation.symbols))
    load = &each;
  return true;
}

/// The load of a cell, if it has any, and its guard. Where there are several, the
/// others are for borders: like all that is not zero, they leave the copy the boxes
/// that lie wholly inside.
bool UnitReader::takeSource(const Cell &cell, const Case *&load) {
  bool isMixed = false;
  const Source *other = nullptr;
  for (const Case &each : cell.cases) {
    const Source &source = *each.source;
    switch (source.kind) {
    case Source::Kind::Load:
      isMixed |= load != nullptr;
      if (!takeLoad(cell, each, load))
        return false;
      break;
    case Source::Kind::Shared:
    case Source::Kind::Other: other = &source; break;
    case Source::Kind::Constant:
      if (!source.bits.isZero() && !outsideIsAny)
        result.outsideIsZero = false;
      break;
    case Source::Kind::Untouched:
      if (!outsideIsAny && !relation.tile.isFresh && relation.kind == CopyKind::Load)
        result.outsideIsZero = false;
      break;
    }
  }
  if (other && !load)
    return fail(diagnose(diag::computed_value, other->place.isKnown() ? other->place : cell.place,
                         at(cell.offset), other->text));
  if (isMixed && !result.severalPlaces)
    result.severalPlaces = diagnose(diag::several_places, cell.place, at(cell.offset),
                                    relation.bases[load->source->base].spelling, words.reads);
  if (isMixed || other)
    result.outsideIsZero = false;
  return true;
}

std::optional<size_t> UnitReader::columnOf(const Polynomial &value, bool isLow) {
  auto known = llvm::find_if(result.columns, [&](const Column &column) {
    return column.isLow == isLow && column.value == value;
  });
  if (known == result.columns.end()) {
    // The sides of a box may have bounds of their own; more is no box. A tile that is
    // indexed by hand may have any number of dimensions.
    size_t rank = relation.tile.extents.size(), sides = 2 * (rank > 1 ? rank : max_rank);
    if (!result.units.empty() && result.columns.size() >= sides)
      return std::nullopt;
    result.columns.push_back({value, isLow});
    return result.columns.size() - 1;
  }
  return size_t(known - result.columns.begin());
}

bool UnitReader::takeBounds(const Cell &cell, const Condition &guard, Unit &unit) {
  const Conjunction *conjunction = guard.asConjunction();
  auto uneven = [&](const Twine &unlike) {
    return fail(diagnose(diag::uneven_guard, cell.place, at(cell.offset),
                         ("it is '" + guard.print(relation.symbols) + "'" + unlike).str()));
  };
  if (!conjunction)
    return uneven("");
  std::string unlike = ", unlike that of " + at(relation.cells.front().offset);
  auto take = [&](const Polynomial &value, bool isLow, int64_t limit) {
    std::optional<size_t> column = columnOf(value, isLow);
    if (!column)
      return false;
    unit.bounds.resize(std::max(unit.bounds.size(), *column + 1));
    unit.bounds[*column] = limit;
    return true;
  };
  for (const Bound &bound : *conjunction) {
    if (bound.range.low != Interval::lowest && !take(bound.value, true, bound.range.low))
      return uneven(unlike);
    if (bound.range.high != Interval::highest && !take(bound.value, false, bound.range.high))
      return uneven(unlike);
  }
  return true;
}

/// Of `0 <= y` and `y < h` follows `1 <= h`, which clamped borders ask for as well.
void UnitReader::dropImplied() {
  for (size_t column = 0; column < result.columns.size();)
    if (followsFromTwo(column))
      result.dropColumn(column);
    else
      ++column;
}

/// Whether each unit's bound in a column follows from those in the same two other columns.
bool UnitReader::followsFromTwo(size_t column) const {
  auto followFrom = [&](size_t a, size_t b, bool isDifference) {
    return llvm::all_of(result.units, [&](const Unit &unit) {
      if (!unit.bound(column))
        return true;
      if (!unit.bound(a) || !unit.bound(b))
        return false;
      const Interval second = result.rangeOf(unit, b);
      return result.rangeOf(unit, column)
          .contains(sum(result.rangeOf(unit, a), isDifference ? opposite(second) : second));
    });
  };
  const Polynomial &value = result.columns[column].value;
  for (size_t a = 0; a < result.columns.size(); ++a)
    for (size_t b = 0; b < result.columns.size(); ++b) {
      if (a == column || b == column)
        continue;
      const Polynomial &first = result.columns[a].value, &second = result.columns[b].value;
      if ((first + second == value && followFrom(a, b, false)) ||
          (first - second == value && followFrom(a, b, true)))
        return true;
    }
  return false;
}

bool UnitReader::takeBase(const Cell &cell, unsigned base) {
  if (!hasBase)
    result.base = base;
  hasBase = true;
  return base == result.base ||
         fail(diagnose(diag::two_sources, cell.place, "'" + relation.tile.name + "'",
                       relation.bases[result.base].spelling, relation.bases[base].spelling,
                       "element by element: give each an array of its own", words.comes,
                       words.from));
}

bool UnitReader::addCell(const Cell &cell) {
  const Case *load = nullptr;
  Unit unit;
  if (!takeSource(cell, load))
    return false;
  unit.kind = load ? Unit::Kind::Live : Unit::Kind::Constant;
  unit.place = cell.place;
  if (load && (!takeBase(cell, load->source->base) || !takeBounds(cell, load->guard, unit)))
    return false;
  for (int64_t part = 0; part < int64_t(cell.size); part += result.unitSize) {
    unit.at = cell.offset + part;
    if (load)
      unit.offset = load->source->offset + Polynomial(part);
    result.units.push_back(unit);
  }
  return true;
}

} // namespace

Interval UnitList::rangeOf(const Unit &unit, size_t column) const {
  const int64_t bound = *unit.bound(column);
  return columns[column].isLow ? Interval{bound, Interval::highest}
                               : Interval{Interval::lowest, bound};
}

void UnitList::dropColumn(size_t column) {
  columns.erase(columns.begin() + column);
  for (Unit &unit : units)
    if (column < unit.bounds.size())
      unit.bounds.erase(unit.bounds.begin() + column);
}

std::optional<UnitList> withoutCertainBounds(const UnitList &list, const Symbols &symbols) {
  std::optional<UnitList> rest;
  for (size_t column = list.columns.size(); column-- > 0;) {
    const Interval all = symbols.rangeOf(list.columns[column].value);
    auto isCertain = [&](const Unit &unit) {
      return !unit.bound(column) || list.rangeOf(unit, column).contains(all);
    };
    if (!llvm::all_of(list.units, isCertain))
      continue;
    if (!rest)
      rest = list;
    rest->dropColumn(column);
  }
  return rest;
}

/// What the statement's numbers have to be like so that they are followed, where that is not
/// certain.
static std::string requirementsOf(const CopyRelation &relation) {
  constexpr size_t most = 3;
  std::vector<std::string> texts;
  for (const Requirement &each : relation.requirements) {
    const Interval all = relation.symbols.rangeOf(each.value);
    Interval open = each.within;
    if (open.low <= all.low)
      open.low = Interval::lowest;
    if (all.high <= open.high)
      open.high = Interval::highest;
    const Condition needed = Condition::within(each.value, open);
    if (!needed.isAlways())
      texts.push_back("'" + needed.print(relation.symbols) + "'");
  }
  const size_t more = texts.size() > most ? texts.size() - most : 0;
  texts.resize(texts.size() - more);
  return llvm::join(texts, " and ") + (more ? " and " + std::to_string(more) + " more" : "");
}

/// A statement that copies nothing is no copy. Where its numbers are others than those for which it
/// is followed, it may copy something.
static Diagnostic nothingIsLive(const CopyRelation &relation, const Unit &first) {
  const std::string where = requirementsOf(relation);
  return diagnose(diag::computed_value, first.place, elementAt(relation.tile, first.at),
                  "is always the same number" +
                      (where.empty() ? "" : " where it is followed, which is where " + where));
}

std::variant<UnitList, Diagnostic> unitsOf(const CopyRelation &relation, bool outsideIsAny,
                                           Gaps gaps) {
  std::variant<UnitList, Diagnostic> read = UnitReader(relation, outsideIsAny, gaps).run();
  if (const auto *list = std::get_if<UnitList>(&read))
    if (llvm::none_of(list->units, [](const Unit &unit) { return unit.isLive(); }))
      return nothingIsLive(relation, list->units.front());
  return read;
}

} // namespace tilelift
