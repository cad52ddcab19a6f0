//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/Variants.h"

#include "support/Locations.h"

#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/StringMap.h"

using namespace clang;

namespace tilelift {
namespace {

class VariantReader : public PPCallbacks {
public:
  VariantReader(const SourceManager &sources, Variants &variants)
      : sources(sources), variants(variants) {}

  void Endif(SourceLocation end, SourceLocation begin) override {
    Place from = placeOf(sources, begin), to = placeOf(sources, end);
    if (from.isKnown() && to.isKnown())
      variants.conditional.emplace_back(from, to);
  }
  void MacroDefined(const Token &name, const MacroDirective *directive) override {
    SourceLocation at = directive->getLocation();
    if (placeOf(sources, at).isKnown() || sources.isWrittenInCommandLineFile(at))
      variants.macros.insert(name.getIdentifierInfo()->getName());
    const MacroDirective *before = directive->getPrevious();
    if (before)
      variants.redefined.insert(name.getIdentifierInfo()->getName());
    noteChange(at, name, true, before && before->isDefined());
  }
  void MacroUndefined(const Token &name, const MacroDefinition &before,
                      const MacroDirective *) override {
    variants.redefined.insert(name.getIdentifierInfo()->getName());
    noteChange(name.getLocation(), name, false, bool(before));
  }

  void MacroExpands(const Token &name, const MacroDefinition &, SourceRange range,
                    const MacroArgs *) override {
    if (name.getIdentifierInfo()->isStr("__COUNTER__"))
      variants.counters.push_back(placeOf(sources, range.getBegin()));
  }

private:
  void noteChange(SourceLocation at, const Token &name, bool isDefinition, bool wasDefined) {
    if (Place place = placeOf(sources, at); place.isKnown())
      variants.changes.push_back(
          {place, name.getIdentifierInfo()->getName().str(), isDefinition, wasDefined});
  }

  const SourceManager &sources;
  Variants &variants;
};

} // namespace

bool Variants::isConditional(Place place) const {
  return llvm::any_of(conditional, [&](const std::pair<Place, Place> &part) {
    return part.first.offset <= place.offset && place.offset < part.second.offset;
  });
}

bool Variants::beginIn(Place begin, Place end) const {
  return llvm::any_of(conditional, [&](const std::pair<Place, Place> &part) {
    return begin.offset <= part.first.offset && part.first.offset < end.offset;
  });
}

/// What is defined within for the first time is defined in the same way once more, unless it is
/// asked for before.
std::optional<std::string> Variants::changedIn(Place begin, Place end) const {
  llvm::StringMap<bool> isLeft;
  for (const Change &change : changes) {
    if (change.place.offset < begin.offset || change.place.offset >= end.offset)
      continue;
    if (change.wasDefined && !isLeft.contains(change.macro))
      return change.macro;
    isLeft[change.macro] = change.isDefinition;
  }
  for (const auto &each : isLeft)
    if (each.getValue() && beginIn(begin, end))
      return each.getKey().str();
  return std::nullopt;
}

bool Variants::areTornIn(Place begin, Place end) const {
  auto isIn = [&](Place place) {
    return begin.offset <= place.offset && place.offset < end.offset;
  };
  return llvm::any_of(conditional, [&](const std::pair<Place, Place> &part) {
    return isIn(part.first) != isIn(part.second);
  });
}

std::unique_ptr<PPCallbacks> readVariants(const SourceManager &sources, Variants &variants) {
  return std::make_unique<VariantReader>(sources, variants);
}

} // namespace tilelift
