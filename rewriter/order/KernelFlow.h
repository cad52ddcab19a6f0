//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with lifted copies, as the analyses of what orders them see it: its
// control flow with all that it calls, in which a copy is one step, and barriers
// of the block have numbers. Paths that are inside a copy are kept apart from
// those that are not.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ORDER_KERNELFLOW_H
#define TILELIFT_ORDER_KERNELFLOW_H

#include "effects/KernelEffects.h"

#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <deque>
#include <map>
#include <optional>
#include <set>

namespace tilelift {

struct LiftedCopy {
  const clang::Stmt *statement = nullptr;
  /// How the kernel gets there.
  CallPath path;
  const clang::VarDecl *tile = nullptr;
  /// The plain statement may run instead.
  bool mayRunPlain = false;
  /// Threads may write to the tile somewhere.
  bool tileIsWritten = false;
  /// A pipeline makes the copy ahead of its round.
  bool isAhead = false;
  /// The producer warp makes the copy, and each thread hands the tile back to it.
  bool isSupplied = false;
  /// The copy goes from the tile to the tensor.
  bool isStore = false;
  /// The copy is a store, and each round of a loop stores to another place of the tensor.
  bool storesApart = false;
  /// The leader looks up in memory where to copy; `looksUpShared`: in shared memory, to which other
  /// threads may have written.
  bool looksUp = false, looksUpShared = false;
  /// What the copy's pointer leads to, which another statement may have loaded from.
  ObjectSet tensor;
  /// The block alone makes all copies of the kernel, each in its own round.
  bool mayBeDeferred = false;

  /// Whether the same statement makes another copy, too, on the same way.
  bool isMadeWith(const LiftedCopy &other) const {
    return statement == other.statement && path.getCalls() == other.path.getCalls();
  }
};

/// Where a text of the program has a barrier of the block, and nothing else; the same for
/// all instances of a template.
struct BarrierPlace {
  /// An Expr, because CallExpr::getBeginLoc() does not start at the object in a call of an object,
  /// as in `sync()` of a lambda: it returns the location of the parenthesis.
  const clang::Expr *call = nullptr;
  /// A statement by itself, that no macro has written.
  bool isStatement = false;
  /// What else the call may do: nothing, or read its arguments.
  bool isOnlyBarrier = false;
  bool onlyReads = false;
};

/// How many groups of cp.async copies the program closes in a copy's statement, which the lifted
/// copy has to close in its place: other copies are waited for by counting them.
enum class LostGroups { None, One, Some };

/// A statement of the program at which a thread closes a group of its cp.async copies, or waits for
/// groups; the same for all instances of a template.
struct GroupPlace {
  const clang::Stmt *statement = nullptr;
  /// The function, perhaps a lambda, in which the statement stands.
  const clang::FunctionDecl *function = nullptr;
  /// It is all that a loop or a branch executes, without braces.
  bool isBody = false;
  /// It does one of these.
  bool closes = false, awaits = false;
  /// It waits for the copies that are in no group yet, too.
  bool awaitsAll = false;
  /// See CopyGroups.
  bool awaitsOldest = false, releasesOldest = false;
  /// How many of the newest groups a wait leaves, by instances.
  llvm::SmallVector<unsigned, 2> left;
};

/// What happens at one point of a path.
struct FlowStep {
  const Effect *effect = nullptr;
  /// The first copy of the statement that it is part of, and whether that begins here.
  std::optional<size_t> copy;
  bool entersCopy = false;
  /// The copy that the path was in until this step, where it has just left that one.
  std::optional<size_t> leftCopy;
  /// Of a barrier that stands in a text which gets a sibling.
  std::optional<unsigned> barrier;
  /// It waits for groups of copies.
  bool awaitsGroups = false;
};

class KernelFlow {
public:
  KernelFlow(const KernelEffects &effects, const std::vector<LiftedCopy> &copies,
             std::vector<BarrierPlace> &barriers);
  KernelFlow(const KernelFlow &) = delete;
  KernelFlow(KernelFlow &&) = default;

  /// Copies of which nobody can tell where they are, or what they do.
  bool isUnclear(size_t copy) const { return unclear[copy]; }
  bool mayMeet(const ObjectSet &a, const ObjectSet &b) const { return effects.mayMeet(a, b); }

  /// The tile as one of the kernel's objects.
  const ObjectSet &tileOf(size_t copy) const { return tiles[copy]; }
  /// What the copy's statement does, and the memory other than shared that it gets at.
  const Effect &effectOf(size_t copy) const { return ofCopies[copy]; }
  const ObjectSet &tensorsOf(size_t copy) const { return tensors[copy]; }
  Effect effectOf(const clang::Stmt *part, const CallPath &path) const {
    return effects.of(part, path);
  }
  bool staysAsItIs(const ObjectSet &objects) const { return effects.staysAsItIs(objects); }
  /// Whether all that the copy writes to its tile is written by cp.async.
  bool isAsync(size_t copy) const { return areAsync[copy]; }
  /// Whether the copy's statement closes one group each time that it is executed.
  bool closesGroup(size_t copy) const;
  /// Which groups the program would count no more if the copy's statement were not there.
  LostGroups lostGroupsOf(size_t copy) const;
  /// The statements outside of lifted copies that close groups of cp.async copies or wait for
  /// them, all of which the whole block comes to; nothing if that is not so, or if there may be
  /// others that are not known.
  std::optional<std::vector<GroupPlace>> groups() const;

  /// Takes a state from the entry through all paths until nothing changes any more.
  template <typename State>
  void run(State entry, llvm::function_ref<void(State &, const FlowStep &)> step) const {
    if (blocks.empty())
      return;
    using Point = std::pair<unsigned, Inside>;
    std::map<Point, State> atEntry;
    llvm::SmallVector<Point, 16> work{{0, Inside()}};
    atEntry.emplace(work.front(), std::move(entry));
    while (!work.empty()) {
      auto [number, inside] = work.pop_back_val();
      State state = atEntry.find({number, inside})->second;
      for (const Step &each : blocks[number].steps)
        step(state, take(each, inside));
      for (unsigned next : blocks[number].next) {
        auto [known, isNew] = atEntry.try_emplace({next, inside}, state);
        if (isNew || known->second.join(state))
          work.push_back({next, inside});
      }
    }
  }

private:
  /// The copy that a path is in, and the call by which the copy's function was entered, so that two
  /// calls in a row count as two copies.
  struct Inside {
    std::optional<size_t> copy;
    const void *entry = nullptr;

    bool operator==(const Inside &other) const {
      return copy == other.copy && entry == other.entry;
    }
    bool operator<(const Inside &other) const {
      return copy != other.copy ? copy < other.copy : std::less<>()(entry, other.entry);
    }
  };
  struct Step {
    const Effect *effect = nullptr;
    Inside inside;
    std::optional<unsigned> barrier;
    /// What has no place in the text happens outside of copies, wherever the path is.
    bool isPlaced = true;
    bool awaitsGroups = false;
  };
  struct Block {
    std::vector<Step> steps;
    llvm::SmallVector<unsigned, 2> next;
  };
  static FlowStep take(const Step &step, Inside &inside);
  void findCopies();
  void findSteps();
  Inside insideAt(const CodeStep &step, bool &isPlaced);
  void findAwaited();
  bool isOwnGroup(const CodeStep &step, size_t copy) const;
  bool addGroup(const CodeStep &step, std::vector<GroupPlace> &found,
                std::set<std::pair<unsigned, const void *>> &closing) const;
  std::optional<unsigned> barrierAt(const CodeStep &step);

  const KernelEffects &effects;
  const std::vector<LiftedCopy> &copies;
  std::vector<BarrierPlace> &barriers;
  std::vector<CallPath> texts;
  std::vector<Block> blocks;
  std::vector<Effect> ofCopies;
  std::vector<ObjectSet> tiles, tensors;
  std::vector<bool> unclear;
  std::vector<bool> areAsync;
  /// The text of the kernel, and of the functions on the way to copies.
  std::vector<CallPath> allTexts;
  /// What a wait for cp.async copies waits for: those that are not lifted.
  Effect awaited;
  std::deque<Effect> ofWaits;
};

} // namespace tilelift

#endif
