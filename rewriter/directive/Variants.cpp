//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/Variants.h"

#include "support/Locations.h"

#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/StringMap.h"

using namespace clang;
using llvm::StringRef;

namespace tilelift {
namespace {

class VariantReader : public PPCallbacks {
public:
  VariantReader(const SourceManager &sources, const LangOptions &language, Variants &variants)
      : sources(sources), language(language), variants(variants) {}

  void FileChanged(SourceLocation location, FileChangeReason reason, SrcMgr::CharacteristicKind,
                   FileID) override {
    const FileID file = sources.getFileID(location);
    const Place at = placeOf(sources, sources.getIncludeLoc(file)),
                begin = placeOf(sources, location);
    if (reason != EnterFile || !at.isKnown() || !begin.isKnown())
      return;
    const StringRef text = sources.getBufferData(file);
    variants.inclusions.push_back(
        {at, begin, {begin.offset + unsigned(text.size())}, text.contains("#pragma once")});
  }
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

  /// Remembers the macros that a skipped part of an #if block defines. Another compilation of the
  /// same file, such as the one for the host, may not skip it.
  void SourceRangeSkipped(SourceRange range, SourceLocation) override {
    const FileID file = sources.getFileID(range.getBegin());
    if (!placeOf(sources, range.getBegin()).isKnown())
      return;
    const StringRef text = sources.getBufferData(file);
    Lexer lexer(sources.getLocForStartOfFile(file), language, text.begin(),
                text.begin() + sources.getFileOffset(range.getBegin()), text.end());
    const SourceLocation end = range.getEnd();
    Token token, before, ahead;
    for (Token *each : {&token, &before, &ahead})
      each->startToken();
    for (bool more = true; more && !(end < token.getLocation());) {
      ahead = before, before = token;
      more = !lexer.LexFromRawLexer(token);
      const bool isName = ahead.is(tok::hash) && before.is(tok::raw_identifier) &&
                          before.getRawIdentifier() == "define" && token.is(tok::raw_identifier);
      if (!isName)
        continue;
      const StringRef name = token.getRawIdentifier();
      variants.macros.insert(name);
      variants.changes.push_back({placeOf(sources, token.getLocation()), name.str(), true, false});
    }
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
  const LangOptions &language;
  Variants &variants;
};

} // namespace

bool Variants::isConditional(Place place) const {
  return llvm::any_of(conditional, [&](const std::pair<Place, Place> &part) {
    return part.first.offset <= place.offset && place.offset < part.second.offset;
  });
}

bool Variants::mayBeDefined(StringRef macro, Place file, Place at) const {
  if (!macros.contains(macro))
    return false;
  for (const Change &change : llvm::reverse(changes))
    if (change.macro == macro && isRead(change.place, file, at))
      return change.isDefinition || isConditional(change.place);
  return llvm::any_of(inclusions, [&](const Inclusion &each) {
    return each.begin.offset == file.offset && mayBeDefined(macro, beginAround(each.at), each.at);
  });
}

Place Variants::beginAround(Place place) const {
  Place begin{0};
  for (const Inclusion &file : inclusions)
    if (file.begin.offset <= place.offset && place.offset < file.end.offset)
      begin.offset = std::max(begin.offset, file.begin.offset);
  return begin;
}

bool Variants::beginIn(Place begin, Place end) const {
  return llvm::any_of(conditional, [&](const std::pair<Place, Place> &part) {
    return begin.offset <= part.first.offset && part.first.offset < end.offset;
  });
}

bool Variants::isRead(Place place, Place begin, Place end) const {
  if (begin.offset <= place.offset && place.offset < end.offset)
    return true;
  return llvm::any_of(inclusions, [&](const Inclusion &file) {
    return file.begin.offset <= place.offset && place.offset < file.end.offset &&
           isRead(file.at, begin, end);
  });
}

bool Variants::changesIn(StringRef macro, Place begin, Place end) const {
  return llvm::any_of(changes, [&](const Change &change) {
    return change.macro == macro && isRead(change.place, begin, end);
  });
}

/// What is defined within for the first time is defined in the same way once more, unless it is
/// asked for before.
std::optional<std::string> Variants::whyNotTwice(Place begin, Place end) const {
  for (const Inclusion &file : inclusions)
    if (file.isOnce && isRead(file.at, begin, end))
      return "that includes a file with '#pragma once'";
  const bool asksForMacros = llvm::any_of(conditional, [&](const std::pair<Place, Place> &part) {
    return isRead(part.first, begin, end);
  });
  auto changes = [](StringRef macro) {
    return ("in which the macro '" + macro + "' changes").str();
  };
  llvm::StringMap<bool> isLeft;
  for (const Change &change : this->changes) {
    if (!isRead(change.place, begin, end))
      continue;
    if (change.wasDefined && !isLeft.contains(change.macro))
      return changes(change.macro);
    isLeft[change.macro] = change.isDefinition;
  }
  for (const auto &each : isLeft)
    if (each.getValue() && asksForMacros)
      return changes(each.getKey());
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

std::unique_ptr<PPCallbacks> readVariants(const SourceManager &sources, const LangOptions &language,
                                          Variants &variants) {
  return std::make_unique<VariantReader>(sources, language, variants);
}

} // namespace tilelift
