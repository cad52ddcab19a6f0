//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the code of a kernel was written, with all functions that it calls in place.
//
// A place is one of the text of a function, and the calls by which the kernel got there: each of
// them is a place of the function that calls. So places are a tree, and what is true of a call is
// found once for all that is reached by it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EFFECTS_CODEPLACES_H
#define TILELIFT_EFFECTS_CODEPLACES_H

#include "effects/SourceSpots.h"
#include "support/CallPath.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <vector>

namespace llvm {
class DILocation;
}

namespace tilelift {

class DeviceCode;

struct CodePlace {
  const llvm::DILocation *location = nullptr;
  /// The place of the call by which its function was entered; 0 in the kernel itself.
  unsigned call = 0;
  /// How many functions there are from the kernel to its own.
  unsigned depth = 0;
  /// Null where nobody has written it.
  const clang::FunctionDecl *function = nullptr;
  Spot spot;
  /// All that stands at the spot, outer statements before inner ones.
  llvm::ArrayRef<const clang::Stmt *> statements;
};

class CodePlaces {
public:
  explicit CodePlaces(const DeviceCode &code) : code(code), places(1) {}

  /// The number of a place, which is larger than that of the call that leads there; 0 of code that
  /// has none. Places get their numbers when they are first asked for.
  unsigned numberOf(const llvm::DILocation *location);
  /// The same of one that has been asked for.
  unsigned lookUp(const llvm::DILocation *location) const { return numbers.lookup(location); }

  size_t size() const { return places.size(); }
  const CodePlace &operator[](unsigned number) const { return places[number]; }
  const SpotTable &tableOf(const clang::FunctionDecl *function) const;
  /// Of all functions that have a place.
  const std::map<const clang::FunctionDecl *, SpotTable> &getTables() const { return tables; }

  /// The place in the path's last function that leads to another one, or is it; 0 if none does.
  /// Calls of a lambda are as good as each other: they run the same text.
  unsigned within(const CallPath &path, unsigned number) const;
  /// Whether a place stands in the path's last function, and all of its calls lead there, those of
  /// lambdas as well.
  bool isEndOf(const CallPath &path, unsigned number) const;
  /// Whether a place and the calls that lead to it each have a line and a column. Where LLVM makes
  /// one instruction of two that stand in different places, it has none, or a line alone.
  bool isWritten(unsigned number) const;
  /// The innermost place in the kernel's own text, of which its lambdas are a part, that leads to
  /// another one, or is it.
  unsigned inText(const clang::FunctionDecl *kernel, unsigned number) const;

private:
  unsigned atDepth(unsigned number, size_t depth) const;
  unsigned withinCalls(const CallPath &path, size_t calls, unsigned number) const;

  const DeviceCode &code;
  std::vector<CodePlace> places;
  llvm::DenseMap<const llvm::DILocation *, unsigned> numbers;
  mutable std::map<const clang::FunctionDecl *, SpotTable> tables;
};

} // namespace tilelift

#endif
