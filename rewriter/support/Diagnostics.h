//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages as values. A room that finds something returns a Diagnostic; a host
// decides how it is shown (Clang's engine), what is silenced or raised, and
// what the exit status becomes.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_DIAGNOSTICS_H
#define TILELIFT_SUPPORT_DIAGNOSTICS_H

#include "support/Place.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilelift {

enum class Severity { Ignored, Note, Remark, Warning, Error };

/// The messages of Diagnostics.def.
enum class DiagnosticId {
#define DIAGNOSTIC(id, severity, text) id,
#include "support/Diagnostics.def"
#undef DIAGNOSTIC
};

/// As users write it: "gap-in-tile".
std::string nameOf(DiagnosticId id);

/// A message of the table as a type of its own, which knows how much is to be filled in.
template <DiagnosticId Id> struct MessageText;

namespace detail {
/// The number after the largest of {0}, {1}, ... in a text.
constexpr size_t countBlanks(const char *text) {
  size_t count = 0;
  for (; *text; ++text)
    if (text[0] == '{' && text[1] >= '0' && text[1] <= '9' && size_t(text[1] - '0') + 1 > count)
      count = size_t(text[1] - '0') + 1;
  return count;
}
} // namespace detail

#define DIAGNOSTIC(name, level, words)                                                             \
  template <> struct MessageText<DiagnosticId::name> {                                             \
    static constexpr DiagnosticId id = DiagnosticId::name;                                         \
    static constexpr Severity severity = Severity::level;                                          \
    static constexpr const char *text = words;                                                     \
    static constexpr size_t blanks = detail::countBlanks(words);                                   \
  };                                                                                               \
  namespace diag {                                                                                 \
  inline constexpr MessageText<DiagnosticId::name> name;                                           \
  }
#include "support/Diagnostics.def"
#undef DIAGNOSTIC

/// A replacement of a stretch of the source.
struct FixIt {
  Place begin;
  unsigned length = 0;
  std::string text;

  unsigned end() const { return begin.offset + length; }
  bool meets(const FixIt &other) const {
    return begin.offset <= other.end() && other.begin.offset <= end();
  }
};

/// Replacements that together mend what a message is about.
struct Remedy {
  /// What to do, as "align it"; empty where the message says so.
  std::string text;
  std::vector<FixIt> edits;

  bool empty() const { return edits.empty(); }
};

struct Note {
  Place place;
  std::string text;

  bool operator==(const Note &other) const { return place == other.place && text == other.text; }
};

struct Diagnostic {
  DiagnosticId id;
  Severity severity = Severity::Error;
  Place place;
  std::string text;
  std::vector<Note> notes;
  Remedy remedy;

  Diagnostic &&note(Place where, std::string what) && {
    notes.push_back({where, std::move(what)});
    return std::move(*this);
  }
};

/// A message of the table, filled in: `diagnose(diag::unknown_block, place, kernel)`.
template <DiagnosticId Id, typename... Args>
Diagnostic diagnose(MessageText<Id> message, Place place, Args &&...args) {
  static_assert(sizeof...(Args) == message.blanks, "the message has another number of blanks");
  return {Id,    message.severity,
          place, llvm::formatv(/*Validate=*/false, message.text, std::forward<Args>(args)...).str(),
          {},    {}};
}

/// What -Wno-<id>, -W<id>, -Werror=<id> and -Wno-error=<id> ask for; the last
/// word about an id counts.
class DiagnosticOptions {
public:
  /// Takes "no-error=gap-in-tile", the text after "-W"; says what is wrong, or
  /// nothing.
  std::optional<std::string> apply(llvm::StringRef flag);
  /// --remarks
  void showRemarks() { remarks = true; }
  Severity severityOf(const Diagnostic &diagnostic) const;

private:
  std::map<DiagnosticId, Severity> severities;
  bool remarks = false;
};

/// The closest of `candidates` to a misspelt word, or nothing.
std::optional<llvm::StringRef> closest(llvm::StringRef word,
                                       llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tilelift

#endif
