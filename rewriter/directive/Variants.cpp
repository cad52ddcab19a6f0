//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/Variants.h"

#include "support/Locations.h"

#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Token.h"

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
    if (directive->getPrevious())
      variants.redefined.insert(name.getIdentifierInfo()->getName());
  }
  void MacroUndefined(const Token &name, const MacroDefinition &, const MacroDirective *) override {
    variants.redefined.insert(name.getIdentifierInfo()->getName());
  }

  void MacroExpands(const Token &name, const MacroDefinition &, SourceRange range,
                    const MacroArgs *) override {
    if (name.getIdentifierInfo()->isStr("__COUNTER__"))
      variants.counters.push_back(placeOf(sources, range.getBegin()));
  }

private:
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
