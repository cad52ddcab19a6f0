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

/// The half of all signed 64-bit numbers to which a requirement confines a number whose computation
/// may wrap around.
constexpr Interval nearby{-(int64_t(1) << 62), int64_t(1) << 62};

enum class NumberOperator { Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor };
enum class Comparison { Less, LessEqual, Equal };

/// Which side of a comparison is an extent; the other one is an index.
enum class ExtentSide { Left, Right };

/// What all stores of the statement left in one cell, and who was last.
struct CellRecord {
  unsigned size = 0;
  Value value;
  /// The condition under which some thread writes the cell at all.
  Condition written;
  unsigned thread = 0;
  Place place;
};

struct SharedObject {
  const void *declaration = nullptr;
  std::string name;
  int64_t bytes = 0;
  /// The part of the stores' byte offsets that is no constant, the same in all stores to the
  /// object: the stage of a ring that is filled. The offsets of `cells` are the constant parts.
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

  /// Orders pointers ahead of numbers, and each kind by its number: what is looked up through a
  /// pointer comes after the lookup of that pointer.
  bool operator<(const Lookup &other) const {
    return std::tie(kind, number) < std::tie(other.kind, other.number);
  }
};

class Block {
public:
  Symbols symbols;
  std::vector<GlobalBase> bases;
  std::vector<SharedObject> shared;
  /// All requirements of numbers and addresses; their `Needs` are indices into this table.
  RequirementTable needs;
  /// The requirements that have to hold for every thread.
  std::vector<Requirement> requirements;
  /// Those under which no thread leaves the kernel ahead of the copy.
  std::vector<Requirement> staying;
  std::optional<Diagnostic> failure;
  /// Some variable has a value that all threads share and no single formula describes.
  bool hasChoices = false;
  /// Arguments that decide a size which has to be known, by name.
  std::set<std::string> decidingArguments;
  /// For a statement in a loop that loads the elements of the next round: the statements that load
  /// the elements of the first round.
  std::map<const void *, std::set<const void *>> alsoMadeBy;
  /// For a base, a statement ahead of the copy that loads from it, and whether that was in the
  /// round before: whether nothing writes there until the copy, so that the copy would load the
  /// same.
  std::map<std::tuple<unsigned, const void *, bool>, bool> steadyLoads;
  /// The threads that make one lookup of the copy, and the base that it reads.
  struct Readers {
    unsigned base = 0;
    std::set<unsigned> threads;
    /// The lookup is spelled by a pointer variable in scope at the copy, because the base has no
    /// name there.
    bool isByPointer = false;
    size_t condition = 0; ///< the index of its condition in `lookedUpUnder`
  };
  std::map<Lookup, Readers> readers;
  /// Those that the lifted copy must not make.
  std::set<Lookup> hidden;
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
  /// Adds the kernel arguments on which a size or a condition depends to `decidingArguments`: the
  /// copy is refused unless their values are known.
  void leaveOpen(const Polynomial &size);
  void leaveOpen(const Condition &condition);
  /// What has to hold for every thread.
  void demand(const Needs &needed);
  /// Removes the name that a looked-up number or pointer has at the copy, so that the lifted copy
  /// does not look it up: the lookup could have another result there, or cannot be written or
  /// guarded. `why` is the reason, for messages about a number.
  void hideFromCopy(const Lookup &lookup, std::string why = {});
  /// Hides, too, all that is spelled by something hidden: its text would look that up once more.
  void hideDependents();

private:
  std::optional<std::string> hiddenPartOf(const Lookup &lookup, const Readers &readers) const;
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
  /// The operands of `multiple | number` or `multiple ^ number`, with the constant number split in
  /// two: `low` has the bits below the largest power of two that divides `multiple`, which can be
  /// added to it, and `high` has the others.
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
