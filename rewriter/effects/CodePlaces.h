//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the code of a kernel was written, with all functions that it calls in place.
//
// A place is a location in the text of a function, together with the chain of calls by which the
// kernel reaches that function. Each call of the chain is itself a place, in the calling function.
// So places are a tree, and what is true of a call is found once for all that is reached by it.
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
  /// The number of functions from the kernel to the one in which the place is, both included.
  unsigned depth = 0;
  /// The function in whose text the place is; null for code that the compiler generates.
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
  /// The same for a location that numberOf() has been called with; 0 for any other.
  unsigned lookUp(const llvm::DILocation *location) const { return numbers.lookup(location); }

  size_t size() const { return places.size(); }
  const CodePlace &operator[](unsigned number) const { return places[number]; }
  const SpotTable &tableOf(const clang::FunctionDecl *function) const;
  /// Of all functions that have a place.
  const std::map<const clang::FunctionDecl *, SpotTable> &getTables() const { return tables; }

  /// Returns the place in the last function of `path` from which the place `number` is reached by
  /// calls, or `number` itself if it is in that function; 0 if neither is so. Different calls of
  /// one lambda count as the same, because they run the same text.
  unsigned within(const CallPath &path, unsigned number) const;
  /// Whether the place `number` is in the last function of `path` and is reached by the calls of
  /// `path`, calls of lambdas included.
  bool isEndOf(const CallPath &path, unsigned number) const;
  /// Whether a place and the calls that lead to it each have a line and a column. An instruction
  /// that LLVM has merged from two places has no location, or a line without a column.
  bool isWritten(unsigned number) const;
  /// The innermost place in the kernel's own text, lambdas in it included, from which the place
  /// `number` is reached by calls, or `number` itself if it is in that text.
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
