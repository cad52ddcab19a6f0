//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Gather.h"

#include "plan/Elements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace llvm;

namespace tilelift {
namespace {

using Lookups = std::set<SymbolId>;

class GatherReader {
public:
  explicit GatherReader(const CopyRelation &relation) : relation(relation) {}

  std::optional<GatherRelation> run();

private:
  /// The cells of one row, and what only some rows look up.
  struct Row {
    size_t first, last;
    Lookups own;
  };

  Lookups lookupsOf(const Cell &cell) const;
  bool splitRows();
  const Cell &cellOf(size_t row, size_t number) const {
    return relation.cells[rows[row].first + number];
  }
  bool haveOneShape() const;

  std::optional<Polynomial> inRows(const Polynomial &first, const Polynomial &other, int64_t row);
  std::optional<Polynomial> inRows(SymbolId first, SymbolId other, int64_t row);
  std::optional<Condition> inRows(const Bound &first, const Bound &other, int64_t row);
  std::optional<Condition> inRows(const Conjunction &first, const Conjunction &other, int64_t row);
  std::optional<Requirement> inRows(const Requirement &first, const Requirement &other,
                                    int64_t row);
  std::optional<std::vector<Requirement>> inRows(ArrayRef<Requirement> first,
                                                 ArrayRef<Requirement> other, int64_t row);
  template <typename Part> auto inPairs(ArrayRef<Part> first, ArrayRef<Part> other, int64_t row);
  std::optional<Case> inRows(const Case &first, const Case &other, int64_t row);
  std::vector<Requirement> needsOf(const Case &load) const;
  bool threadsHaveSeveralRows() const;
  bool rewriteCells();
  bool rewriteRequirements();
  std::vector<Requirement> requirementsOf(const Row &row) const;
  std::vector<Requirement> conditionsOf(const Row &row) const;

  const CopyRelation &relation;
  GatherRelation result;
  std::vector<Row> rows;
  std::map<std::tuple<SymbolId, SymbolId, int64_t>, SymbolId> known;
};

Lookups GatherReader::lookupsOf(const Cell &cell) const {
  const Case &load = *cell.onlyLoad();
  Lookups found = relation.symbols.lookupsFor(load.source->offset);
  for (const Bound &bound : *load.guard.asConjunction())
    found.merge(relation.symbols.lookupsFor(bound.value));
  return found;
}

/// One stretch of cells after the other, each with lookups of its own.
bool GatherReader::splitRows() {
  std::vector<std::pair<size_t, Lookups>> live;
  for (size_t i = 0; i < relation.cells.size(); ++i) {
    const Case *load = relation.cells[i].onlyLoad();
    if (load && !load->guard.asConjunction())
      return false;
    if (load)
      live.push_back({i, lookupsOf(relation.cells[i])});
  }
  if (live.empty())
    return false;
  Lookups common = live.front().second;
  for (const auto &[cell, lookups] : live)
    common = llvm::set_intersection(common, lookups);
  for (const auto &[cell, all] : live) {
    Lookups lookups = llvm::set_difference(all, common);
    bool isSame = !rows.empty() && rows.back().own == lookups;
    if (!isSame)
      rows.push_back({cell, cell, lookups});
    else if (rows.back().last + 1 != cell)
      return false;
    rows.back().last = cell;
  }
  return rows.size() > 1;
}

/// Rows have as many cells, as far from one another, and lie as far apart.
bool GatherReader::haveOneShape() const {
  size_t cells = rows[0].last - rows[0].first + 1;
  int64_t distance = cellOf(1, 0).offset - cellOf(0, 0).offset;
  for (size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].last - rows[r].first + 1 != cells)
      return false;
    for (size_t n = 0; n < cells; ++n) {
      const Cell &first = cellOf(0, n), &own = cellOf(r, n);
      if (own.offset != first.offset + int64_t(r) * distance || own.size != first.size)
        return false;
    }
  }
  return true;
}

/// What stands for a symbol of the first row and the one in its place in another row.
std::optional<Polynomial> GatherReader::inRows(SymbolId first, SymbolId other, int64_t row) {
  const Symbol a = relation.symbols[first], b = relation.symbols[other];
  Symbols &symbols = result.relation.symbols;
  if (auto pair = known.find({first, other, row}); pair != known.end())
    return Polynomial::symbol(pair->second);
  Symbol both = a;
  if (a.operation && b.operation) {
    const Operation &one = *a.operation, &two = *b.operation;
    if (StringRef(one.op) != two.op || one.isInt != two.isInt)
      return std::nullopt;
    auto left = inRows(one.left, two.left, row), right = inRows(one.right, two.right, row);
    if (!left || !right)
      return std::nullopt;
    both.operation = std::make_shared<Operation>(Operation{one.op, *left, *right, one.isInt});
    both.spelling = symbols.print(*left, one.op, *right);
  } else if (a.name && b.name && a.isLookedUp && b.isLookedUp) {
    IndexedName name = *a.name;
    if (name.parts != b.name->parts || a.identity != b.identity)
      return std::nullopt;
    for (size_t i = 0; i < name.indices.size(); ++i) {
      std::optional<Polynomial> index = inRows(name.indices[i], b.name->indices[i], row);
      if (!index)
        return std::nullopt;
      name.indices[i] = *index;
    }
    both.spelling = symbols.print(name);
    both.name = std::make_shared<IndexedName>(std::move(name));
  } else {
    return std::nullopt;
  }
  SymbolId id = symbols.intern(both);
  symbols.standForAlso(id, b);
  known[{first, other, row}] = id;
  return Polynomial::symbol(id);
}

/// A value of the first row and the one in its place in another, as a value of the row.
std::optional<Polynomial> GatherReader::inRows(const Polynomial &first, const Polynomial &other,
                                               int64_t row) {
  auto symbolsIn = [](const Polynomial &value) {
    std::set<SymbolId> symbols;
    for (const Term &term : value.getTerms())
      symbols.insert(term.factors.begin(), term.factors.end());
    return symbols;
  };
  std::set<SymbolId> ofFirst = symbolsIn(first), ofOther = symbolsIn(other);
  std::vector<SymbolId> onlyFirst, onlyOther;
  std::set_difference(ofFirst.begin(), ofFirst.end(), ofOther.begin(), ofOther.end(),
                      std::back_inserter(onlyFirst));
  std::set_difference(ofOther.begin(), ofOther.end(), ofFirst.begin(), ofFirst.end(),
                      std::back_inserter(onlyOther));
  if (onlyFirst.size() != onlyOther.size())
    return std::nullopt;
  std::map<SymbolId, Polynomial> inPlaceOf;
  for (size_t i = 0; i < onlyFirst.size(); ++i) {
    std::optional<Polynomial> both = inRows(onlyFirst[i], onlyOther[i], row);
    if (!both)
      return std::nullopt;
    inPlaceOf[onlyFirst[i]] = inPlaceOf[onlyOther[i]] = *both;
  }
  auto rewritten = [&](const Polynomial &value) {
    Polynomial sum;
    for (const Term &term : value.getTerms()) {
      Polynomial product(term.coefficient);
      for (SymbolId id : term.factors) {
        auto found = inPlaceOf.find(id);
        product *= found == inPlaceOf.end() ? Polynomial::symbol(id) : found->second;
      }
      sum += product;
    }
    return sum;
  };
  Polynomial start = rewritten(first);
  std::optional<Polynomial> step = (rewritten(other) - start).dividedBy(row);
  return step ? std::optional(start + *step * Polynomial::symbol(result.row)) : std::nullopt;
}

/// The numbers between which it lies may grow with the row.
std::optional<Condition> GatherReader::inRows(const Bound &first, const Bound &other, int64_t row) {
  std::optional<Polynomial> value = inRows(first.value, other.value, row);
  if (!value)
    return std::nullopt;
  Condition holds = Condition::always();
  auto add = [&](int64_t Interval::*end, int64_t none, bool isLow) {
    if (first.range.*end == none || other.range.*end == none)
      return first.range.*end == other.range.*end;
    std::optional<Polynomial> limit =
        inRows(Polynomial(first.range.*end), Polynomial(other.range.*end), row);
    if (limit)
      holds = holds && Condition::notNegative(isLow ? *value - *limit : *limit - *value);
    return limit.has_value();
  };
  bool isSame =
      add(&Interval::low, Interval::lowest, true) && add(&Interval::high, Interval::highest, false);
  return isSame ? std::optional(holds) : std::nullopt;
}

/// Each part of the first row with the part of another row that says the same of that row, in
/// whichever order these stand; nothing if some part has no such partner.
template <typename Part>
auto GatherReader::inPairs(ArrayRef<Part> first, ArrayRef<Part> other, int64_t row) {
  using Both = decltype(inRows(first.front(), other.front(), row));
  using Pairs = std::optional<std::vector<typename Both::value_type>>;
  if (first.size() != other.size())
    return Pairs();
  std::vector<typename Both::value_type> pairs;
  SmallVector<const Part *, 8> left;
  for (const Part &part : other)
    left.push_back(&part);
  for (const Part &part : first) {
    Both both;
    auto match = llvm::find_if(left, [&](const Part *candidate) {
      both = inRows(part, *candidate, row);
      return both.has_value();
    });
    if (match == left.end())
      return Pairs();
    left.erase(match);
    pairs.push_back(*both);
  }
  return Pairs(std::move(pairs));
}

std::optional<Condition> GatherReader::inRows(const Conjunction &first, const Conjunction &other,
                                              int64_t row) {
  const auto paired = inPairs(ArrayRef<Bound>(first), ArrayRef<Bound>(other), row);
  if (!paired)
    return std::nullopt;
  Condition all = Condition::always();
  for (const Condition &both : *paired)
    all = all && both;
  return all;
}

std::optional<Requirement> GatherReader::inRows(const Requirement &first, const Requirement &other,
                                                int64_t row) {
  // As a bound, its interval may move from row to row; then it is the value that does.
  int64_t low = first.within.low, high = first.within.high;
  bool isLow = low != Interval::lowest;
  int64_t shift = isLow ? other.within.low - low : other.within.high - high;
  bool isSame =
      (isLow ? other.within.low != Interval::lowest : other.within.low == Interval::lowest) &&
      (high == Interval::highest ? other.within.high == high : other.within.high - high == shift);
  std::optional<Polynomial> value;
  if (isSame)
    value = inRows(first.value, other.value - Polynomial(shift), row);
  return value ? std::optional(Requirement{*value, first.within, first.place}) : std::nullopt;
}

std::optional<std::vector<Requirement>>
GatherReader::inRows(ArrayRef<Requirement> first, ArrayRef<Requirement> other, int64_t row) {
  return inPairs(first, other, row);
}

/// What the load needs that does not hold anyway.
std::vector<Requirement> GatherReader::needsOf(const Case &load) const {
  std::vector<Requirement> needs;
  for (unsigned need : load.needs)
    if (const Requirement &each = relation.needs[need];
        !relation.symbols.isAlwaysWithin(each.value, each.within))
      needs.push_back(each);
  return needs;
}

std::optional<Case> GatherReader::inRows(const Case &first, const Case &other, int64_t row) {
  Case both = other;
  std::optional<Polynomial> offset = inRows(first.source->offset, other.source->offset, row);
  std::optional<Condition> guard =
      inRows(*first.guard.asConjunction(), *other.guard.asConjunction(), row);
  auto needs = inRows(needsOf(first), needsOf(other), row);
  if (!offset || !guard || !needs)
    return std::nullopt;
  both.source.edit().offset = *offset;
  both.guard = *guard;
  both.needs.clear();
  for (const Requirement &each : *needs)
    both.needs.push_back(result.relation.needs.intern(each.value, each.within, each.place));
  return both;
}

/// Whether some thread copies elements of several rows: of two that go to one place, its last one
/// stays there.
bool GatherReader::threadsHaveSeveralRows() const {
  std::map<unsigned, size_t> rowOf;
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t n = rows[r].first; n <= rows[r].last; ++n) {
      const auto [known, isNew] = rowOf.try_emplace(relation.cells[n].thread, r);
      if (!isNew && known->second != r)
        return true;
    }
  return false;
}

/// Writes each row's loads in terms of the row's number. Returns false if any two rows differ then.
bool GatherReader::rewriteCells() {
  size_t cells = rows[0].last - rows[0].first + 1;
  for (size_t n = 0; n < cells; ++n) {
    const Case &first = *cellOf(0, n).onlyLoad();
    std::optional<Case> pattern = inRows(first, *cellOf(1, n).onlyLoad(), 1);
    for (size_t r = 0; r < rows.size() && pattern; ++r) {
      std::optional<Case> own =
          r < 2 ? pattern : inRows(first, *cellOf(r, n).onlyLoad(), int64_t(r));
      bool isSame = own && own->source->offset == pattern->source->offset &&
                    own->guard == pattern->guard && own->needs == pattern->needs;
      if (!isSame)
        return false;
      Cell &cell = result.relation.cells[rows[r].first + n];
      Case *load = cell.onlyLoad();
      load->source.edit().offset =
          pattern->source->offset + Polynomial(int64_t(r)) * Polynomial::symbol(result.distance);
      load->guard = pattern->guard;
      load->needs = pattern->needs;
    }
    if (!pattern)
      return false;
  }
  return true;
}

/// Those that speak of what a row looks up, and of nothing that only another one does.
std::vector<Requirement> GatherReader::requirementsOf(const Row &row) const {
  std::vector<Requirement> all;
  for (const Requirement &each : relation.requirements) {
    Lookups lookups = relation.symbols.lookupsFor(each.value);
    bool isOwn = llvm::any_of(lookups, [&](SymbolId id) { return row.own.count(id) != 0; });
    if (isOwn)
      all.push_back(each);
  }
  return all;
}

std::vector<Requirement> GatherReader::conditionsOf(const Row &row) const {
  std::vector<Requirement> all;
  for (const LookupCondition &each : relation.lookedUpUnder)
    if (each.symbol && row.own.count(*each.symbol) != 0)
      all.push_back(each.condition);
  return all;
}

/// What has to hold for the rows, and for what they look up, each says of its number.
bool GatherReader::rewriteRequirements() {
  auto said = [&](auto requirementsOfRow) -> std::optional<std::vector<Requirement>> {
    std::vector<Requirement> first = requirementsOfRow(rows[0]), pattern;
    for (size_t r = 1; r < rows.size(); ++r) {
      auto own = inRows(first, requirementsOfRow(rows[r]), int64_t(r));
      bool isSame = own && (r == 1 || llvm::equal(*own, pattern, [](auto &a, auto &b) {
                              return a.value == b.value && a.within == b.within;
                            }));
      if (!isSame)
        return std::nullopt;
      pattern = *own;
    }
    return pattern;
  };
  auto required = said([&](const Row &row) { return requirementsOf(row); });
  auto conditions = said([&](const Row &row) { return conditionsOf(row); });
  if (!required || !conditions)
    return false;
  auto isOwn = [&](SymbolId id) {
    return llvm::any_of(rows, [&](const Row &row) { return row.own.count(id) != 0; });
  };
  llvm::erase_if(result.relation.requirements, [&](const Requirement &each) {
    return llvm::any_of(relation.symbols.lookupsFor(each.value), isOwn);
  });
  llvm::append_range(result.relation.requirements, *required);
  llvm::erase_if(result.relation.lookedUpUnder,
                 [&](const LookupCondition &each) { return each.symbol && isOwn(*each.symbol); });
  for (const Requirement &each : *conditions)
    result.relation.lookedUpUnder.push_back({each, std::nullopt});
  return true;
}

/// Returns a name for the number of the row that no other name in the relation contains.
std::string unusedName(const CopyRelation &relation) {
  std::string name = "tma_row";
  auto isTaken = [&] {
    auto has = [&](StringRef text) { return text.contains(name); };
    for (SymbolId id = 0; id < relation.symbols.size(); ++id)
      if (has(relation.symbols[id].spelling))
        return true;
    return llvm::any_of(relation.names.numbers, [&](auto &each) { return has(each.name); }) ||
           llvm::any_of(relation.names.pointers, [&](auto &each) { return has(each.name); }) ||
           llvm::any_of(relation.bases, [&](auto &each) { return has(each.spelling); });
  };
  while (isTaken())
    name += "_";
  return name;
}

std::optional<GatherRelation> GatherReader::run() {
  if (relation.cells.empty() || !splitRows() || !haveOneShape())
    return std::nullopt;
  result.relation = relation;
  result.relation.needs = {};
  result.count = int64_t(rows.size());
  Symbol row;
  row.kind = Symbol::Kind::Variable;
  row.spelling = unusedName(relation);
  row.range = {0, result.count - 1};
  row.below = Polynomial(result.count);
  row.readableAtCopy = true;
  result.row = result.relation.symbols.intern(row);
  result.relation.names.numbers.push_back(
      {row.spelling, Polynomial::symbol(result.row), /*isInt=*/true});
  Symbol distance;
  distance.spelling = "from row to row";
  result.distance = result.relation.symbols.intern(distance);
  result.threadsHaveSeveralRows = threadsHaveSeveralRows();
  return rewriteCells() && rewriteRequirements() ? std::optional(std::move(result)) : std::nullopt;
}

const Case *loadOf(const Cell &cell) {
  auto found = llvm::find_if(
      cell.cases, [](const Case &each) { return each.source->kind == Source::Kind::Load; });
  return found == cell.cases.end() ? nullptr : &*found;
}

} // namespace

std::optional<GatherRelation> gatherOf(const CopyRelation &relation) {
  return GatherReader(relation).run();
}

/// Looks for steps from one cell to the next that depend on different lookups; a pitch that is
/// looked up is the same in all steps.
std::optional<Diagnostic> findGather(const CopyRelation &relation) {
  const Symbols &symbols = relation.symbols;
  const Source *before = nullptr;
  std::set<SymbolId> first;
  std::optional<Diagnostic> found;
  for (const Cell &cell : relation.cells) {
    const Case *own = loadOf(cell);
    if (!own)
      continue;
    const Source *load = &*own->source;
    bool isStep = before && before->base == load->base && before->offset != load->offset;
    std::set<SymbolId> lookups;
    if (isStep)
      lookups = symbols.lookupsFor(load->offset - before->offset);
    if (!lookups.empty() && first.empty()) {
      first = lookups;
      const GlobalBase &base = relation.bases[load->base];
      const std::set<SymbolId> here = symbols.lookupsFor(load->offset);
      const SymbolId lookup = *(here.empty() ? lookups : here).rbegin();
      found = diagnose(diag::gathered_rows, cell.place, elementAt(relation.tile, cell.offset),
                       base.name(), symbols.print(load->offset), symbols[lookup].spelling,
                       wordingOf(relation.kind).reads);
      if (!own->guard.asConjunction())
        return diagnose(diag::gathered_guard, cell.place, elementAt(relation.tile, cell.offset),
                        own->guard.print(symbols));
    }
    if (!std::includes(first.begin(), first.end(), lookups.begin(), lookups.end()))
      return found;
    before = load;
  }
  return std::nullopt;
}

} // namespace tilelift
