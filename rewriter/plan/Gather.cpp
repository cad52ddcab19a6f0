//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Gather.h"

#include "plan/Elements.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace tilelift {
namespace {

const Source *loadOf(const Cell &cell) {
  auto found = llvm::find_if(
      cell.cases, [](const Case &each) { return each.source.kind == Source::Kind::Load; });
  return found == cell.cases.end() ? nullptr : &found->source;
}

} // namespace

/// Steps from one cell to the next that do not all look up the same, as a pitch would be.
std::optional<Diagnostic> findGather(const CopyRelation &relation) {
  const Symbols &symbols = relation.symbols;
  const Source *before = nullptr;
  std::set<SymbolId> first;
  std::optional<Diagnostic> found;
  for (const Cell &cell : relation.cells) {
    const Source *load = loadOf(cell);
    if (!load)
      continue;
    bool isStep = before && before->base == load->base && before->offset != load->offset;
    std::set<SymbolId> lookups;
    if (isStep)
      lookups = symbols.lookupsFor(load->offset - before->offset);
    if (!lookups.empty() && first.empty()) {
      first = lookups;
      const GlobalBase &base = relation.bases[load->base];
      found =
          diagnose("gathered-rows", cell.place, elementAt(relation.tile, cell.offset), base.name(),
                   symbols.print(load->offset), symbols[*lookups.rbegin()].spelling);
    }
    if (!std::includes(first.begin(), first.end(), lookups.begin(), lookups.end()))
      return found;
    before = load;
  }
  return std::nullopt;
}

} // namespace tilelift
