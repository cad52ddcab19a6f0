//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The things an index can depend on that are the same for a whole block.
//
// A symbol is a kernel parameter, a block index, a grid size, a variable of the
// kernel at the copy, or an opaque expression over those (`n / 2`, `idx[b]`).
// Each has a spelling that is valid C++ at the copy; where `knownAtLaunch` is
// set the spelling is valid in the launcher too, so that a tensor's extents can
// be written there. Ranges are what the type and the surrounding loop promise.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ALGEBRA_SYMBOLS_H
#define TILELIFT_ALGEBRA_SYMBOLS_H

#include "algebra/Polynomial.h"

#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tilelift {

/// All whole numbers from `low` to `high`; the ends of int64_t mean "no bound".
struct Interval {
  static constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  static constexpr int64_t highest = std::numeric_limits<int64_t>::max();

  int64_t low = lowest;
  int64_t high = highest;

  bool contains(const Interval &other) const { return low <= other.low && other.high <= high; }
  bool isEmpty() const { return low > high; }
  bool isSingle() const { return low == high; }
  bool operator==(const Interval &other) const { return low == other.low && high == other.high; }
};

Interval intersection(const Interval &a, const Interval &b);

/// All sums of a number of each; what 64 bits do not hold has no bound there.
Interval sum(const Interval &a, const Interval &b);
Interval opposite(const Interval &range);

/// What a division by a positive number gives: rounded down, or as C++ does, towards zero.
Interval quotients(const Interval &range, int64_t divisor, bool floor);

/// The numbers that a two's complement type of `bits` bits holds.
Interval rangeOfType(unsigned bits, bool isSigned);

/// All multiples of a divisor in a range.
struct Multiples {
  Interval range;
  int64_t divisor = 1;
};

/// Smallest such set that has all numbers of both.
Multiples hull(const Multiples &a, const Multiples &b);

/// What an opaque symbol is computed from, so that it can be computed again.
struct Operation {
  const char *op;
  Polynomial left, right;
  /// In `int`; otherwise 64 bits hold all of its numbers.
  bool isInt;
};

/// Whether an operation is written as a call: `min(a, b)`.
bool isCalled(llvm::StringRef op);

/// How C++ calls what lies in memory at places that depend on symbols:
/// "jobs[" first + 1 "].rows[" k "]".
struct IndexedName {
  std::vector<std::string> parts{""};
  /// Between the parts.
  std::vector<Polynomial> indices;

  void append(const std::string &text) { parts.back() += text; }
  void appendIndex(const Polynomial &index) {
    append("[");
    indices.push_back(index);
    parts.push_back("]");
  }
};

struct Symbol {
  enum class Kind { Parameter, GridSize, BlockIndex, Variable, Opaque };

  Kind kind = Kind::Opaque;
  std::string spelling;
  /// How code writes it, where the spelling is for people alone: of a private member. Else empty.
  std::string code;
  /// Tells symbols with the same spelling apart: the variable or, for what is looked up, the type
  /// that is read or the statement that reads it.
  const void *identity = nullptr;
  /// Variable: the statement at which it has this value; for a loop, that is at the start of a
  /// round.
  const void *moment = nullptr;
  Interval range;
  /// An unsigned number of 64 bits, which is negative here if it is too large for a signed one.
  bool isUnsignedLong = false;
  /// The value is a multiple of this, as a loop counter with a fixed step is.
  int64_t divisor = 1;
  bool knownAtLaunch = false;
  /// Parameter: of a scoped enumeration, which only a cast makes a number.
  bool needsCast = false;
  /// Smaller than this, which the host knows: the bound of a loop counter.
  std::optional<Polynomial> below;
  /// A counter that takes every step from here to its bound, which the host knows, too.
  std::optional<Polynomial> first;
  int64_t step = 0;
  /// Opaque: the spelling has the same value at the copy, too.
  bool readableAtCopy = false;
  /// Why the copy must not read the symbol although it has a name, as in "the kernel may change
  /// before the copy looks it up"; empty if it has no name.
  std::string whyHidden;
  /// Opaque: looked up ahead of the copy, which could look up the same value by the same name.
  bool readableOnceMore = false;
  /// Opaque: it lies in memory, and may only be read where the kernel does.
  bool isLookedUp = false;
  /// Opaque: it lies in global memory, and nothing writes there while the kernel runs.
  bool isFixed = false;
  std::shared_ptr<const Operation> operation;
  /// What is looked up, if that can be said.
  std::shared_ptr<const IndexedName> name;
  /// For BlockIndex and GridSize: 0, 1 or 2.
  unsigned axis = 0;

  const std::string &inCode() const { return code.empty() ? spelling : code; }
};

/// A product in two factors: `device` has the symbols that only the device knows (1 if there are
/// none), `host` has the coefficient and the symbols that the launcher knows.
struct LaunchParts {
  Polynomial device, host;
};

/// Gives each symbol a number. One table serves one copy relation; the same kind,
/// spelling, identity and moment is the same symbol, if it is made of the same symbols.
class Symbols {
public:
  SymbolId intern(const Symbol &symbol);
  /// What an operation gives. Operations that are written alike and mean something else have
  /// another identity.
  Polynomial computed(const Operation &operation, std::string spelling, Interval range,
                      const void *identity = nullptr);
  const Symbol &operator[](SymbolId id) const { return table[id]; }
  size_t size() const { return table.size(); }
  /// Whether the kernel has a number of that name among its arguments and their members, and code
  /// writes it so.
  bool hasParameter(llvm::StringRef spelling, llvm::StringRef code) const;

  /// The numbers that a polynomial can take, from its symbols' ranges.
  Interval rangeOf(const Polynomial &value) const;
  /// Whether an unsigned number may become larger than a signed one of 64 bits, as a product of two
  /// numbers of 32 bits does. What has no bounds itself is taken to be arithmetic of 64 bits
  /// already.
  bool mayLeaveLongs(const Polynomial &value) const;
  /// Whether a sum, or a partial result on the way to it, may overflow 64 bits. A symbol without
  /// bounds may be any number of 64 bits.
  bool mayOverflow(const Polynomial &value) const;
  /// Whether a value, computed exactly, is always within an interval.
  bool isExactlyWithin(const Polynomial &value, __int128 low, __int128 high) const;
  /// Whether a value is within an interval, whatever its symbols are. An unsigned number of 64 bits
  /// that may become larger than any signed one is not.
  bool isAlwaysWithin(const Polynomial &value, Interval interval) const;
  /// A number that divides it always; 0 for the zero polynomial.
  int64_t divisorOf(const Polynomial &value) const;
  int64_t divisorOf(const Operation &operation) const;
  bool knownAtLaunch(const Polynomial &value) const;
  bool knownAtLaunch(const Term &term) const;
  bool readableAtCopy(const Polynomial &value) const;
  LaunchParts partsOf(const Term &term) const;
  /// Of a sum, each part that only the device knows once.
  std::vector<LaunchParts> partsOf(const Polynomial &value) const;
  /// Whether the launcher knows between which numbers the value lies for all
  /// blocks and iterations.
  bool boundedAtLaunch(const Polynomial &value) const;
  /// Whether the launcher cannot check that the value is at least `within.low` (or at most
  /// `within.high`): a symbol in it is known at launch only to stay below a bound, and the smallest
  /// number of that symbol is not known.
  bool isOpenTo(const Polynomial &value, const Interval &within) const;
  /// Whether the launcher knows the largest number that the value has in any block and
  /// iteration, and not only one that it stays below.
  bool endsAtLaunch(const Polynomial &value) const;
  void boundBelow(SymbolId id, const Polynomial &bound) { table[id].below = bound; }
  void countFrom(SymbolId id, const Polynomial &first, int64_t step) {
    table[id].first = first;
    table[id].step = step;
  }
  /// The symbol is looked at only where its value is in the interval.
  void narrow(SymbolId id, const Interval &to) {
    table[id].range = intersection(table[id].range, to);
  }
  /// Whether a value is not negative, unless some number in it is too large for a signed one.
  bool isNotNegativeIfExact(const Polynomial &value) const;
  void noteOnceMore(SymbolId id) { table[id].readableOnceMore = true; }
  void showAtCopy(SymbolId id) { table[id].readableAtCopy = true; }
  void hideAtCopy(SymbolId id, std::string why = {}) {
    table[id].readableAtCopy = false;
    table[id].whyHidden = std::move(why);
  }
  /// Widens what is known of a symbol until it holds for `other`, too, because the symbol also has
  /// the values of `other`.
  void standForAlso(SymbolId id, const Symbol &other);
  /// About how long its text is.
  size_t lengthOf(const Polynomial &value) const;
  /// The symbols that are looked up for it.
  std::set<SymbolId> lookupsFor(const Polynomial &value) const;
  /// Whether the value depends on the symbol, directly or by way of operations and lookups.
  bool dependsOn(const Polynomial &value, SymbolId symbol) const;

  /// C++ text, terms with the most symbols first: "w * 16 * blockIdx.y + 3".
  std::string print(const Polynomial &value) const;
  /// In parentheses: "(w / 2)"; "min(a, b)".
  std::string print(const Polynomial &left, const char *op, const Polynomial &right) const;
  std::string print(const IndexedName &name) const;

private:
  std::string printWithoutSign(const Term &term) const;
  Interval knownBelow(const Polynomial &value) const;
  std::optional<std::pair<__int128, __int128>> exactEnds(const Polynomial &value) const;

  std::vector<Symbol> table;
  /// The last number tells those apart that are written alike.
  std::map<std::tuple<Symbol::Kind, std::string, const void *, const void *, unsigned>, SymbolId>
      numbers;
};

} // namespace tilelift

#endif
