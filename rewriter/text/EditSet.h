//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes to texts, as values.
//
// Offsets are places: they count through all files of the user's. An edit replaces a stretch of the
// file by pieces: text that we made, and stretches of the file itself that are repeated (a sibling
// kernel is mostly its original's text). Because pieces remember where they come from, the rendered
// file can carry #line directives: the plugin compiles with them so that debuggers show the user's
// lines, the tool writes without.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEXT_EDITSET_H
#define TILELIFT_TEXT_EDITSET_H

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tilelift {

struct Piece {
  /// Text of our own, or, where `length` is not 0, that many bytes of the file.
  std::string text;
  unsigned begin = 0;
  unsigned length = 0;
  /// For own text: the offset in the file that its first line stands for.
  unsigned standsFor = ~0u;

  static Piece own(std::string text, unsigned standsFor = ~0u) {
    return {std::move(text), 0, 0, standsFor};
  }
  static Piece copy(unsigned begin, unsigned end) { return {"", begin, end - begin, ~0u}; }
};

struct Edit {
  unsigned begin = 0;
  unsigned end = 0;
  std::vector<Piece> pieces;
};

/// In the order of the text; what is inserted stands before what takes the place of text there.
inline bool isBefore(const Edit &a, const Edit &b) {
  return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
}

/// Whether comments with expected messages (`expected-error`, for Clang's -verify) are silenced
/// where a stretch of the file is repeated, because each of them stands for one message only.
enum class Repeats { AsTheyAre, WithoutExpectations };

class EditSet {
public:
  bool empty() const { return edits.empty(); }
  /// Where the first of them begins.
  unsigned begin() const {
    unsigned first = ~0u;
    for (const Edit &edit : edits)
      first = std::min(first, edit.begin);
    return first;
  }
  /// Those of one file, with offsets that count from its first byte.
  EditSet within(unsigned begin, unsigned end) const;
  /// Edits may be added in any order; they must not overlap.
  void add(Edit edit) { edits.push_back(std::move(edit)); }
  void add(const EditSet &more) { edits.insert(edits.end(), more.edits.begin(), more.edits.end()); }
  void replace(unsigned begin, unsigned end, std::string text) {
    add({begin, end, {Piece::own(std::move(text), begin)}});
  }

  std::string apply(llvm::StringRef file) const;
  /// The same text with #line directives that name `path`.
  std::string applyWithLines(llvm::StringRef file, llvm::StringRef path,
                             Repeats repeats = Repeats::AsTheyAre) const;

private:
  std::vector<Edit> sorted() const;

  std::vector<Edit> edits;
};

} // namespace tilelift

#endif
