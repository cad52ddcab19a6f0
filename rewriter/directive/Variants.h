//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parts of the user's files another compilation may read differently: what stands between
// an #if and its #endif, and macros with more than one definition. Everything else is the same in
// every compilation. And which parts read differently each time they are
// written: those with __COUNTER__.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_VARIANTS_H
#define TILELIFT_DIRECTIVE_VARIANTS_H

#include "support/Place.h"

#include "llvm/ADT/StringSet.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class LangOptions;
class PPCallbacks;
class SourceManager;
} // namespace clang

namespace tilelift {

struct Variants {
  /// From each #if to its #endif.
  std::vector<std::pair<Place, Place>> conditional;
  /// Macros that mean different things at different places.
  llvm::StringSet<> redefined;
  /// All macros that the user defines.
  llvm::StringSet<> macros;
  /// Where each is defined or undefined, in the order of the text.
  struct Change {
    Place place;
    std::string macro;
    bool isDefinition = false, wasDefined = false;
  };
  std::vector<Change> changes;
  /// A file, and where it is included.
  struct Inclusion {
    Place at, begin, end;
    /// By its `#pragma once`.
    bool isOnce = false;
  };
  std::vector<Inclusion> inclusions;
  /// Where __COUNTER__ counts.
  std::vector<Place> counters;

  bool isConditional(Place place) const;
  /// Whether a macro is defined or undefined in a stretch of text, or in what is included there.
  bool changesIn(llvm::StringRef macro, Place begin, Place end) const;
  /// Whether a macro may have a meaning at a place of the file that starts at `file`.
  bool mayBeDefined(llvm::StringRef macro, Place file, Place at) const;
  /// Whether an #if stands in a stretch of text.
  bool beginIn(Place begin, Place end) const;
  /// Why a stretch of text may not mean the same if it is written a second time; nothing if it
  /// means the same. Either it changes a macro that was defined before it, or it contains an #if
  /// and leaves a new macro defined ("in which the macro 'N' changes"), or it includes a file with
  /// `#pragma once`.
  std::optional<std::string> whyNotTwice(Place begin, Place end) const;
  /// Whether a stretch of text contains the #if or the #endif of some #if ... #endif, but not both.
  bool areTornIn(Place begin, Place end) const;

private:
  /// In a stretch of text, or in what is included there.
  bool isRead(Place place, Place begin, Place end) const;
  /// The beginning of the file, the main one or an included one, that has this place in its text.
  Place beginAround(Place place) const;
};

/// Fills `variants` while a file is preprocessed.
std::unique_ptr<clang::PPCallbacks> readVariants(const clang::SourceManager &sources,
                                                 const clang::LangOptions &language,
                                                 Variants &variants);

} // namespace tilelift

#endif
