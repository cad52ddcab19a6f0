//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an annotated statement copies, byte by byte.
//
// The relation is the whole truth about the statement: for each cell of the
// tile that any thread of the block writes, where the value comes from and
// under which condition. It says nothing of loops, casts or how the work was
// dealt out to the threads, and nothing of TMA.
//
//   tile[1][2]  <-  in + 4*w*y0 + 4*x0 + ...   when  y0 >= -1 && ...
//                   zero                       otherwise
//
// A store is kept the other way round, as the load that would bring the same bytes
// back: for each cell of the tile, where it goes. The store and that load have the same
// shape.
//
// It is made by the interpreter, read by the fit, and free of Clang.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_COPYRELATION_H
#define TILELIFT_RELATION_COPYRELATION_H

#include "algebra/Condition.h"
#include "algebra/Requirement.h"
#include "support/CopyOnWrite.h"
#include "tilelift/rules.h"

#include "llvm/ADT/APInt.h"

#include <array>
#include <optional>
#include <utility>

namespace tilelift {

/// What a statement does with a tile.
enum class CopyKind {
  Load,   ///< fills it from global memory
  Store,  ///< writes it to global memory
  Reduce, ///< combines it into what is in global memory
};

/// How messages speak of a copy of a kind, and of a cell in it.
struct Wording {
  const char *purpose;      ///< what the statement does besides its side effects
  const char *nothing;      ///< what a statement does that makes no such copy
  const char *done;         ///< what happens to a cell, as a participle
  const char *elsewhere;    ///< stands behind "again" if the cell's two values may differ
  const char *verb;         ///< what TMA does to a tile
  const char *reads;        ///< stands between a cell and a place in global memory
  const char *comes, *from; ///< stand before two places: "comes from" one or "from" another
};
constexpr Wording wordingOf(CopyKind kind) {
  return kind == CopyKind::Load    ? Wording{"copying to shared memory",
                                             "stores nothing to shared memory",
                                             "written",
                                             ", from elsewhere,",
                                             "fills",
                                             "is read from",
                                             "comes from",
                                             "from"}
         : kind == CopyKind::Store ? Wording{"copying from shared to global memory",
                                             "stores nothing from shared to global memory",
                                             "stored",
                                             "",
                                             "stores",
                                             "is stored to",
                                             "goes to",
                                             "to"}
                                   : Wording{"combining shared into global memory",
                                             "combines nothing from shared into global memory",
                                             "combined",
                                             "",
                                             "combines",
                                             "is combined into",
                                             "goes to",
                                             "to"};
}

/// What is done to an element of global memory with one of a tile, as numbers of a type.
struct Reduction {
  reduce_operation operation = reduce_operation::add;
  element_type type = element_type::f32;

  bool operator==(const Reduction &other) const {
    return operation == other.operation && type == other.type;
  }
};

/// Where the value of a cell comes from, or where a cell goes.
struct Source {
  enum class Kind {
    Untouched, ///< the statement leaves what was there
    Constant,  ///< the same number always
    Load,      ///< bytes of global memory
    Shared,    ///< bytes of shared memory, on their way to global memory
    Other,     ///< anything else; `text` says what
  };

  Kind kind = Kind::Untouched;
  Place place;
  /// Load: which of the relation's bases, and how many bytes past it. Shared: the same of
  /// what the block has in shared memory.
  unsigned base = 0;
  Polynomial offset;
  /// How the element is combined into global memory: set for bytes of shared memory that were
  /// combined with an element of global memory (Shared), and for the place in global memory to
  /// which the result is stored (Load). Nothing for a plain copy.
  std::optional<Reduction> reduction;
  /// Shared, with a reduction: the element of global memory that the bytes were combined with, as
  /// one of the relation's bases and the number of bytes past it.
  unsigned combinedBase = 0;
  Polynomial combinedOffset;
  /// Load: an integer of so many bits that is being handled as a wider one, as
  /// `cond ? byte : 0` does; 0 if it is not.
  unsigned widenedFrom = 0;
  /// Load: whether it was read as a signed integer; nothing if it was read as no integer.
  std::optional<bool> isSigned;
  /// Load: the type that it was read as, by identityOf() (BaseObjects.h).
  const void *typeIdentity = nullptr;
  /// Load: it has been converted to the integer type of the same size and the other sign.
  bool isOfOtherSign = false;
  /// Load: the statement ahead of the copy that makes it, or null if the copy does.
  const void *madeBy = nullptr;
  /// Load: made in the round before, of a loop around the copy.
  bool isOfRoundBefore = false;
  /// Constant: all of its bits. Other: what was done, as in "is a product".
  llvm::APInt bits;
  std::string text;

  bool isMemory() const { return kind == Kind::Load || kind == Kind::Shared; }
  bool sameValue(const Source &other) const {
    return kind == other.kind && base == other.base && offset == other.offset &&
           llvm::APInt::isSameValue(bits, other.bits) && widenedFrom == other.widenedFrom &&
           isOfOtherSign == other.isOfOtherSign && madeBy == other.madeBy &&
           isOfRoundBefore == other.isOfRoundBefore && reduction == other.reduction &&
           combinedBase == other.combinedBase && combinedOffset == other.combinedOffset &&
           kind != Kind::Other;
  }
};

struct Case {
  Condition guard;
  CopyOnWrite<Source> source;
  /// What the address of a load needs, in the relation's table.
  Needs needs;
};

/// The guard of exactly one case of a cell holds: the guards exclude each other, and one of them is
/// always true.
struct Cell {
  int64_t offset = 0;
  unsigned size = 0;
  llvm::SmallVector<Case, 2> cases;
  Place place;
  unsigned thread = 0;

  /// Null where the cell is never loaded, or by several cases.
  const Case *onlyLoad() const {
    const Case *load = nullptr;
    for (const Case &each : cases)
      if (each.source->kind == Source::Kind::Load) {
        if (load)
          return nullptr;
        load = &each;
      }
    return load;
  }
  Case *onlyLoad() { return const_cast<Case *>(std::as_const(*this).onlyLoad()); }
};

/// A pointer into global memory, or a variable there, that offsets are counted from.
struct GlobalBase {
  std::string spelling;
  /// How code writes it, where the spelling is for people alone: of a private member. Else empty.
  std::string code;
  std::string elementType;
  unsigned elementSize = 1;
  bool knownAtLaunch = false;
  /// Constant memory, shared memory, or an argument of the kernel itself: values may be looked up
  /// there, but TMA cannot copy from it.
  bool isTable = false;
  bool isShared = false;
  /// The element's type is const, and the kernel does not set the pointer itself.
  bool isReadOnly = false;
  /// The kernel sets the pointer itself.
  bool isSet = false;
  /// The spelling means the same at the copy.
  bool hasNameAtCopy = true;
  Place place;
  /// What the compiler knows the element's type by.
  const void *elementIdentity = nullptr;
  /// Tells bases with the same spelling apart: the declaration that the spelling names, or the
  /// statement that looks a pointer up which may change; null for other bases.
  const void *identity = nullptr;
  /// The indices by which a pointer was looked up, because variables that are spelled alike may
  /// have different values.
  std::vector<Polynomial> indices;
  /// The kernel's parameter, or the variable, that leads there, and where in it the pointer
  /// lies; null where it was looked up or chosen.
  const void *origin = nullptr;
  int64_t originOffset = 0;
  /// The name of a device variable, by which the launcher looks up its address; empty for pointers.
  std::string symbol;
  /// The kernel's expression for the address of the first element, as in "&table[0]", of a device
  /// variable or behind a pointer that was looked up; empty for other bases.
  std::string firstElement;

  /// How the user calls it.
  const std::string &name() const { return symbol.empty() ? spelling : symbol; }
};

/// What the threads of a warp do to a shared array at once: bytes from its start.
struct WarpAccess {
  bool isStore = false;
  unsigned bytes = 0;
  llvm::SmallVector<int64_t, 32> offsets;
};

/// Bytes of a tile, counted as the offsets of cells are; `to` is the one behind the last.
struct ByteRange {
  int64_t from = 0, to = 0;
};

/// The shared array that is filled or stored, and what the rest of the kernel lets us
/// do with its layout.
struct SharedTile {
  std::string name;
  std::string elementType;
  unsigned elementSize = 1;
  llvm::SmallVector<int64_t, 3> extents;
  /// It is dynamic shared memory, whose size the launch says.
  bool isDynamic = false;
  /// Its number among what the block has in shared memory.
  unsigned object = 0;
  /// A block-uniform number of bytes that is added to the offset of each cell: the stage that the
  /// program's own ring fills.
  Polynomial slot;
  /// Empty if every use is a full subscript, so that rows may be moved apart. Otherwise the reason
  /// why the layout has to stay, with "it" for the tile, as in "it is passed to 'f'" or "it is
  /// dynamic shared memory".
  std::string layoutEscape;
  Place escapePlace;
  /// Each use that takes an address takes that of one row, by an index that is no constant, and is
  /// assumed to stay in that row. Uses in the copy itself count, too.
  bool onlyRowsEscape = true;
  /// `layoutEscape` for the uses in the copy itself, which matter only if its loop stays as the
  /// other branch.
  std::string ownEscape;
  /// What else may write to the tile, as in "may be written here, too"; empty if nothing does.
  std::string otherWriter;
  Place otherWriterPlace;
  /// Stretches of bytes between the cells, and behind them, to which none of the tile's writers
  /// writes. Empty if it is not known what all of them write.
  llvm::SmallVector<ByteRange, 0> unwritten;
  /// Nothing else writes to it and the copy runs once: what the copy leaves out has
  /// no value at all.
  bool isFresh = false;
  /// The most bytes that one access of the consumer touches.
  unsigned widestAccess = 1;
  /// The fewest bytes that one access of the consumer touches. A vector counts with all of its
  /// bytes if it is aligned and read by value, and as a single element otherwise. Elements that are
  /// operands of built-in operators are left out: they may be read beside vectors.
  unsigned narrowestAccess = ~0u;
  /// The most bytes that one access of the copy itself touches.
  unsigned ownWidestAccess = 1;
  /// All that the copy itself does with elements of the tile is to assign numbers to them.
  bool isOnlyAssigned = true;
  /// Somebody asks for the type or the size of an element, as by `decltype(tile[0][0])`.
  bool hasElementInType = false;
  /// Between which indices of the innermost dimension, and of the one around it, the rest of the
  /// kernel stays.
  Interval columns{Interval::highest, Interval::lowest}, rows = columns;
  /// The last two dimensions have changed places (relation/Transposed.h).
  bool isTransposed = false;
  /// How many elements of a declared row a vector has that the consumer reads from a transposed
  /// tile; 1 if it reads single elements.
  unsigned readAtOnce = 1;
  Place place;

  /// Whether none of the tile's writers writes to these bytes.
  bool isUnwritten(int64_t from, int64_t to) const {
    return llvm::any_of(unwritten,
                        [&](const ByteRange &each) { return each.from <= from && to <= each.to; });
  }
  /// Whether some subscript of the innermost dimension may be no element of a row, which is an
  /// element of another row in C++.
  bool columnsLeaveRows() const {
    return extents.size() > 1 && !columns.isEmpty() &&
           !Interval{0, extents.back() - 1}.contains(columns);
  }
  /// The same for the dimension around it, where that is not the outermost one: an index that
  /// leaves the outermost one leaves the tile.
  bool rowsLeavePlanes() const {
    return extents.size() > 2 && !rows.isEmpty() &&
           !Interval{0, *(extents.end() - 2) - 1}.contains(rows);
  }
  int64_t bytes() const {
    int64_t total = elementSize;
    for (int64_t extent : extents)
      total *= extent;
    return total;
  }
  /// Of the innermost dimension, if there is another one.
  int64_t rowBytes() const { return extents.size() > 1 ? elementSize * extents.back() : 0; }
};

/// A variable that the kernel could name at the copy, and its value there.
struct NamedValue {
  std::string name;
  Polynomial value;
  /// Its type is `int`; others are cast where an int is needed.
  bool isInt = true;
};

/// A pointer that the kernel could name at the copy, and where it points then.
struct NamedPointer {
  std::string name;
  /// Of the relation's bases or, into shared memory, of the objects there.
  unsigned base = 0;
  /// In bytes past the base.
  Polynomial offset;
  unsigned elementSize = 1;
  /// What the offset needs, in the relation's table.
  Needs needs;
};

/// What has a name at the copy, the same in all threads.
struct NamesInScope {
  std::vector<NamedValue> numbers;
  std::vector<NamedPointer> pointers;
  std::vector<NamedPointer> intoShared;
};

using BlockShape = std::array<unsigned, 3>;

/// A condition under which the plain program looks up a value. `symbol` is the number that is
/// looked up. It is nothing for a pointer, and for a condition that was rewritten so that it speaks
/// of all rows of a gather.
struct LookupCondition {
  Requirement condition;
  std::optional<SymbolId> symbol;
};

struct CopyRelation {
  CopyKind kind = CopyKind::Load;
  /// How each cell is combined into global memory; nothing unless `kind` is Reduce.
  std::optional<Reduction> reduction;
  std::string kernel;
  SharedTile tile;
  BlockShape block{1, 1, 1};
  Symbols symbols;
  std::vector<GlobalBase> bases;
  /// Sorted by offset; they do not overlap.
  std::vector<Cell> cells;
  /// What has to hold, for every thread, so that the relation holds at all. What a single load
  /// needs in addition is in `needs`, to which Case::needs refers.
  std::vector<Requirement> requirements;
  /// What has to be true so that no thread leaves the kernel ahead of the copy.
  std::vector<Requirement> staying;
  /// The conditions of all lookups of the copy. The lifted copy tests them before it looks up
  /// anything.
  std::vector<LookupCondition> lookedUpUnder;
  /// Some of the numbers that the copy depends on are looked up in shared memory.
  bool looksUpShared = false;
  RequirementTable needs;
  NamesInScope names;
  /// Which blocks, in which rounds of the loops around it, run the copy at all.
  Condition reached;
  Place place;
};

} // namespace tilelift

#endif
