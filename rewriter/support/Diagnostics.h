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

#include <optional>
#include <string>
#include <vector>

namespace tilelift {

enum class Severity { Ignored, Note, Remark, Warning, Error };

/// An index into the table of Diagnostics.def, made from the id itself:
/// `DiagnosticId::of("gap-in-tile")` does not compile when there is none.
struct DiagnosticInfo {
  llvm::StringRef id;
  Severity severity;
  llvm::StringRef text;
};

llvm::ArrayRef<DiagnosticInfo> diagnosticTable();
const DiagnosticInfo *findDiagnostic(llvm::StringRef id);

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
};

struct Diagnostic {
  std::string id;
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

/// A message of the table, filled in. The id must be in the table.
template <typename... Args> Diagnostic diagnose(llvm::StringRef id, Place place, Args &&...args) {
  const DiagnosticInfo *info = findDiagnostic(id);
  assert(info && "no such diagnostic");
  return {id.str(),
          info->severity,
          place,
          llvm::formatv(/*Validate=*/false, info->text.data(), std::forward<Args>(args)...).str(),
          {},
          {}};
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
  llvm::StringMap<Severity> severities;
  bool remarks = false;
};

/// The closest of `candidates` to a misspelt word, or nothing.
std::optional<llvm::StringRef> closest(llvm::StringRef word,
                                       llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tilelift

#endif
