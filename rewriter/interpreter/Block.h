//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of one interpreted block have in common: the symbols, the
// global pointers, what was recorded in shared memory, and the first thing that
// went wrong. The interpreter runs the threads one after the other over it.
//
// This is also where arithmetic on numbers lives that needs the symbols: what
// an unsigned type makes of a negative number is a requirement on symbols.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_INTERPRETER_BLOCK_H
#define TILELIFT_INTERPRETER_BLOCK_H

#include "interpreter/Memo.h"
#include "relation/CopyRelation.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/DenseSet.h"

#include <set>

namespace tilelift {

/// A type of whole numbers.
struct NumberType {
  unsigned bits = 32;
  bool isSigned = true;

  Interval range() const { return rangeOfType(bits, isSigned); }
  bool isUnsignedLong() const { return !isSigned && bits == 64; }
  /// The range of a number that an argument or memory holds. All numbers are computed as signed
  /// ones of 64 bits, in which an unsigned one above 2^63 - 1 is negative.
  Interval rangeOfAny() const { return isUnsignedLong() ? Interval{} : range(); }
};

int64_t truncated(int64_t value, NumberType type);

/// Where sums of 64 bits do not wrap around yet.
constexpr Interval nearby{-(int64_t(1) << 62), int64_t(1) << 62};

enum class NumberOperator { Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor };
enum class Comparison { Less, LessEqual, Equal };

/// Which side of a comparison is an extent; the other one is an index.
enum class ExtentSide { Left, Right };

/// What all stores of the statement left in one cell, and who was last.
struct CellRecord {
  unsigned size = 0;
  Value value;
  /// When some thread wrote the cell at all.
  Condition written;
  unsigned thread = 0;
  Place place;
};

struct SharedObject {
  const void *declaration = nullptr;
  std::string name;
  int64_t bytes = 0;
  /// Bytes that all stores go past the cells they name: which slot is filled.
  Polynomial slot;
  std::string elementType;
  std::map<int64_t, CellRecord> cells;
};

/// Says that it is not known when a store to the object, or of it, is made.
Diagnostic unknownGuard(CopyKind kind, const SharedObject &object, Place store,
                        const std::string &why);

/// A number or a pointer that the copy itself looks up.
struct Lookup {
  enum class Kind { Pointer, Number };
  Kind kind;
  /// The base, or the symbol.
  unsigned number;

  /// What is found by another one comes after it.
  bool operator<(const Lookup &other) const {
    return std::tie(kind, number) < std::tie(other.kind, other.number);
  }
};

class Block {
public:
  Symbols symbols;
  std::vector<GlobalBase> bases;
  std::vector<SharedObject> shared;
  /// What numbers and addresses need, and which of that holds for all threads.
  RequirementTable needs;
  std::vector<Requirement> requirements;
  std::optional<Diagnostic> failure;
  /// Some variable has a value that all threads share and no single formula describes.
  bool hasChoices = false;
  /// Arguments that decide a size which has to be known, by name.
  std::set<std::string> decidingArguments;
  /// Of a statement that makes loads for the next round: those that made them for the first.
  std::map<const void *, std::set<const void *>> alsoMadeBy;
  /// Of a base, a statement that loads from it, and whether in the round before: whether
  /// the copy would find the same there.
  std::map<std::tuple<unsigned, const void *, bool>, bool> steadyLoads;
  /// The threads that look it up, each for itself, and the base that it is found by.
  struct Readers {
    unsigned base = 0;
    std::set<unsigned> threads;
    /// A function's own pointer leads there, whatever the kernel's is called.
    bool isByPointer = false;
    size_t condition = 0; ///< the index of its condition in `lookedUpUnder`
  };
  std::map<Lookup, Readers> readers;
  /// Objects in shared memory that are looked up in.
  std::set<unsigned> looksUpShared;
  /// For each lookup, in the order of the first ones, a condition under which some thread makes it.
  struct LookedUpUnder {
    Lookup lookup;
    Condition condition;
    Place place;
  };
  std::vector<LookedUpUnder> lookedUpUnder;
  /// These conditions as single bounds, without those that are no conjunction of bounds.
  std::vector<LookupCondition> lookupConditions() const;
  /// The results of expressions that this thread or another one has evaluated already.
  Memo memo;
  /// Statements that all threads have run.
  unsigned steps = 0;

  bool failed() const { return failure.has_value(); }
  void fail(Diagnostic diagnostic) {
    if (!failure)
      failure = std::move(diagnostic);
  }

  /// `a op b` in `type`; both already are of that type.
  Polynomial apply(NumberOperator op, const Polynomial &a, const Polynomial &b, NumberType type,
                   Place place, Needs &needed);
  Condition compare(Comparison op, const Polynomial &a, const Polynomial &b, NumberType type,
                    Place place, ExtentSide extent);
  /// The same number in another type.
  Polynomial convert(const Polynomial &value, NumberType from, NumberType to, Place place,
                     Needs &needed);

  /// The number of a base with that spelling.
  unsigned baseOf(GlobalBase base);

  /// The number is `value` only as long as that stays in `within`.
  void need(const Polynomial &value, Interval within, Place place, Needs &needed);
  /// Whether the ranges of the symbols show that it holds.
  bool holdsAlways(unsigned need) const;
  /// Nobody can go on without knowing this.
  void leaveOpen(const Polynomial &size);
  void leaveOpen(const Condition &condition);
  /// What has to hold for every thread.
  void demand(const Needs &needed);
  /// What some threads do not look up, none but them may: it has no name for the copy.
  void hideFromCopy(const Lookup &lookup, std::string why = {});

private:
  void require(const Polynomial &value, Interval within, Place place);
  Condition equalLongs(const Polynomial &difference, Place place);
  void requireUnsigned(const Polynomial &value, Interval within, NumberType type, Place place);
  Condition compareUnsigned(const Polynomial &a, const Polynomial &b, int64_t slack,
                            NumberType type, Place place, ExtentSide extent);
  Polynomial divide(const Polynomial &a, int64_t divisor, bool wantRemainder, NumberType type,
                    bool floor);
  void needValues(NumberOperator op, const Polynomial &a, const Polynomial &b, NumberType type,
                  Place place, Needs &needed);
  bool haveNoBitInCommon(const Polynomial &high, const Polynomial &low) const;
  /// A number whose low bits the other operand of `|` and `^` has not, so that they can be added.
  struct BitParts {
    Polynomial multiple;
    int64_t high = 0, low = 0;
  };
  std::optional<BitParts> partsOf(const Polynomial &multiple, const Polynomial &bits) const;
  Polynomial shiftLeft(const Polynomial &a, const Polynomial &b, NumberType type, Place place,
                       Needs &needed);
  std::optional<Polynomial> joinBits(NumberOperator op, const Polynomial &a, const Polynomial &b,
                                     NumberType type, Place place, Needs &needed);
  std::optional<Polynomial> applyNumber(NumberOperator op, const Polynomial &a, int64_t number,
                                        NumberType type, Place place, Needs &needed);
  Interval exactRange(const Polynomial &value, NumberType type) const;
  Polynomial powerOfTwo(const Polynomial &bits, NumberType type);
  Polynomial opaque(const char *op, const Polynomial &a, const Polynomial &b, NumberType type,
                    Interval range);

  llvm::DenseSet<unsigned> demanded;
};

} // namespace tilelift

#endif
