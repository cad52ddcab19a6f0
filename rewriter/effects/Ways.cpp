//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/Ways.h"

#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

using Within = KernelEffects::Within;

/// Follows all paths through the kernel, from what holds where it starts. `step` takes what holds
/// on some path over a step, and returns false once nothing more has to be known; `join` adds to
/// what is known at a place what holds on another path to it, and says whether that is more.
template <typename State, typename Step, typename Join>
void followPaths(const KernelEffects &effects, State start, Step step, Join join) {
  ArrayRef<CodeBlock> blocks = effects.getBlocks();
  std::map<unsigned, State> atEntry{{0, std::move(start)}};
  SmallVector<unsigned, 16> work{0};
  while (!work.empty()) {
    const CodeBlock &block = blocks[work.back()];
    State state = atEntry.find(work.pop_back_val())->second;
    for (const CodeStep &each : block.steps)
      if (!step(state, each))
        return;
    for (unsigned next : block.next) {
      auto [known, isNew] = atEntry.try_emplace(next, state);
      if (isNew || join(known->second, state))
        work.push_back(next);
    }
  }
}

/// What has become of a load on one path through the code: whether that path has executed it, and
/// which statement has written to the loaded memory since.
struct Fate {
  bool isMade = false;
  const CodeStep *write = nullptr;
};
using Fates = SmallVector<Fate, 4>;

bool join(Fates &into, const Fates &from) {
  bool changed = false;
  for (size_t i = 0; i < into.size(); ++i) {
    changed |= (from[i].isMade && !into[i].isMade) || (from[i].write && !into[i].write);
    into[i].isMade |= from[i].isMade;
    into[i].write = into[i].write ? into[i].write : from[i].write;
  }
  return changed;
}

/// The statement of a step, in the innermost function on the way to the copy that has it.
const Stmt *shown(const CodeStep &step, const Stmt *copy, const CallPath &path,
                  const KernelEffects &effects) {
  for (size_t depth = path.getFunctions().size(); depth > 0; --depth)
    if (const Stmt *statement = effects.statementAt(step, path.first(depth)))
      return statement;
  return copy;
}

bool hasBranch(const Stmt *statement) {
  return statement && (isa<IfStmt, ForStmt, CXXForRangeStmt, WhileStmt, DoStmt, SwitchStmt,
                           AbstractConditionalOperator, LambdaExpr>(statement) ||
                       llvm::any_of(statement->children(), hasBranch));
}

bool contains(const Stmt *outer, const Stmt *inner) {
  return outer && (outer == inner || llvm::any_of(outer->children(), [&](const Stmt *child) {
                     return contains(child, inner);
                   }));
}

class Search {
public:
  Search(ArrayRef<LoadAhead> loads, const ObjectSet &objects, const Stmt *copy,
         const CallPath &path, const KernelEffects &effects)
      : loads(loads), objects(objects), copy(copy), path(path), effects(effects) {
    for (const LoadAhead &load : loads) {
      homes.push_back(homeOf(load.statement));
      startsAnew.push_back(load.statement && !load.isOfRoundBefore && !hasBranch(load.statement) &&
                           !effects.mayWrite(effects.of(load.statement, homes.back()), objects));
    }
  }

  const Stmt *run();

private:
  CallPath homeOf(const Stmt *statement) const;
  void step(Fates &fates, const CodeStep &step);
  ArrayRef<LoadAhead> loads;
  const ObjectSet &objects;
  const Stmt *copy;
  const CallPath &path;
  const KernelEffects &effects;
  /// Of each load, the way to the function that it stands in.
  std::vector<CallPath> homes;
  /// And whether it loads for certain, with nothing written in it by then.
  std::vector<bool> startsAnew;
  const CodeStep *found = nullptr;
};

CallPath Search::homeOf(const Stmt *statement) const {
  size_t depth = path.getFunctions().size();
  while (depth > 1 && !contains(path.getFunctions()[depth - 1]->getBody(), statement))
    --depth;
  return path.first(depth);
}

void Search::step(Fates &fates, const CodeStep &step) {
  const Within inCopy = effects.isWithin(step, copy, path);
  if (inCopy >= Within::Shared)
    for (const Fate &fate : fates)
      found = found ? found : fate.write;
  if (inCopy == Within::Yes)
    return;
  bool writes = effects.mayWrite(step.effect, objects);
  for (size_t i = 0; i < loads.size(); ++i) {
    Within within =
        loads[i].statement ? effects.isWithin(step, loads[i].statement, homes[i]) : Within::No;
    if (within == Within::Yes || within == Within::Shared) {
      fates[i].isMade = true;
      if (within == Within::Yes && startsAnew[i])
        fates[i].write = nullptr;
    }
    if (writes && fates[i].isMade)
      fates[i].write = &step;
  }
}

const Stmt *Search::run() {
  Fates entry;
  for (const LoadAhead &load : loads)
    entry.push_back({!load.statement, nullptr});
  auto takeStep = [&](Fates &fates, const CodeStep &each) {
    step(fates, each);
    return found == nullptr;
  };
  followPaths(effects, std::move(entry), takeStep, join);
  return found ? shown(*found, copy, path, effects) : nullptr;
}

} // namespace

const Stmt *writeAfterLoad(ArrayRef<LoadAhead> loads, const ObjectSet &objects, const Stmt *copy,
                           const CallPath &path, const KernelEffects &effects) {
  if (!effects.isKnown())
    return copy;
  return Search(loads, objects, copy, path, effects).run();
}

namespace {

/// What is open on some path to a place of the code, since the last barrier of the block: waits,
/// and of those the ones that a copy has been made behind.
struct OpenWaits {
  SmallSetVector<const CodeStep *, 4> ahead, around; // in the order in which they are found

  bool join(const OpenWaits &other) {
    const size_t before = ahead.size() + around.size();
    ahead.insert(other.ahead.begin(), other.ahead.end());
    around.insert(other.around.begin(), other.around.end());
    return ahead.size() + around.size() > before;
  }
};

/// Whether what a step does may be what another thread waits for.
bool mayEnd(const CodeStep &wait, const CodeStep &step, const KernelEffects &effects) {
  return (wait.effect.barriers & step.effect.barriers) || (wait.effect.lanes & step.effect.lanes) ||
         effects.mayMeet(step.effect.writes, wait.effect.reads);
}

} // namespace

std::optional<WaitAround> waitAround(const Stmt *copy, const CallPath &path,
                                     const KernelEffects &effects, bool areBlocks) {
  auto awaits = [&](const Effect &effect) {
    return areBlocks ? effect.awaitsBlocks : effect.awaitsThreads;
  };
  if (!effects.isKnown())
    return WaitAround{copy, copy};
  if (!awaits(effects.ofAll()))
    return std::nullopt;
  std::optional<WaitAround> found;
  auto step = [&](OpenWaits &open, const CodeStep &step) {
    const Within inCopy = effects.isWithin(step, copy, path);
    if (inCopy >= Within::Shared)
      open.around.insert(open.ahead.begin(), open.ahead.end());
    if (inCopy == Within::Yes)
      return true;
    for (const CodeStep *wait : open.around)
      if (!found && mayEnd(*wait, step, effects))
        found = {shown(*wait, copy, path, effects), shown(step, copy, path, effects)};
    if (awaits(step.effect))
      open.ahead.insert(&step);
    if (step.effect.meetsBlock && !areBlocks)
      open = {};
    return !found;
  };
  followPaths(effects, OpenWaits(), step,
              [](OpenWaits &into, const OpenWaits &from) { return into.join(from); });
  return found;
}

/// On each path, whether it has made the copy and has met no barrier of the block since.
bool mayWriteBehind(const Stmt *copy, const CallPath &path, const ObjectSet &objects,
                    const KernelEffects &effects) {
  if (!effects.isKnown())
    return true;
  bool writes = false;
  auto step = [&](bool &isBehind, const CodeStep &step) {
    const Within inCopy = effects.isWithin(step, copy, path);
    isBehind |= inCopy >= Within::Shared;
    if (inCopy == Within::Yes)
      return true;
    writes = isBehind && effects.mayWrite(step.effect, objects);
    isBehind &= !step.effect.meetsBlock;
    return !writes;
  };
  followPaths(effects, false, step,
              [](bool &into, bool from) { return from && !std::exchange(into, true); });
  return writes;
}

} // namespace tilelift
