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
  ArrayRef<CodeBlock> blocks = effects.getBlocks();
  std::map<unsigned, Fates> atEntry{{0, entry}};
  SmallVector<unsigned, 16> work{0};
  while (!work.empty() && !found) {
    const CodeBlock &block = blocks[work.back()];
    Fates fates = atEntry.find(work.pop_back_val())->second;
    for (const CodeStep &each : block.steps)
      step(fates, each);
    for (unsigned next : block.next) {
      auto [known, isNew] = atEntry.try_emplace(next, fates);
      if (isNew || join(known->second, fates))
        work.push_back(next);
    }
  }
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
  return (wait.effect.meetsOthers && step.effect.meetsOthers) ||
         effects.mayMeet(step.effect.writes, wait.effect.reads);
}

} // namespace

std::optional<WaitAround> waitAround(const Stmt *copy, const CallPath &path,
                                     const KernelEffects &effects, bool areBlocks) {
  auto awaits = [&](const Effect &effect) {
    return areBlocks ? effect.awaitsBlocks : effect.awaitsThreads;
  };
  if (!effects.isKnown() || !awaits(effects.ofAll()))
    return std::nullopt;
  ArrayRef<CodeBlock> blocks = effects.getBlocks();
  std::map<unsigned, OpenWaits> atEntry{{0, {}}};
  SmallVector<unsigned, 16> work{0};
  while (!work.empty()) {
    const CodeBlock &block = blocks[work.back()];
    OpenWaits open = atEntry.find(work.pop_back_val())->second;
    for (const CodeStep &step : block.steps) {
      const Within inCopy = effects.isWithin(step, copy, path);
      if (inCopy >= Within::Shared)
        open.around.insert(open.ahead.begin(), open.ahead.end());
      if (inCopy == Within::Yes)
        continue;
      for (const CodeStep *wait : open.around)
        if (mayEnd(*wait, step, effects))
          return WaitAround{shown(*wait, copy, path, effects), shown(step, copy, path, effects)};
      if (awaits(step.effect))
        open.ahead.insert(&step);
      if (step.effect.meetsBlock && !areBlocks)
        open = {};
    }
    for (unsigned next : block.next) {
      auto [known, isNew] = atEntry.try_emplace(next, open);
      if (isNew || known->second.join(open))
        work.push_back(next);
    }
  }
  return std::nullopt;
}

/// Follows all paths. The state at a block's entry is whether some path to it has made the copy and
/// has met no barrier of the block since.
bool mayWriteBehind(const Stmt *copy, const CallPath &path, const ObjectSet &objects,
                    const KernelEffects &effects) {
  if (!effects.isKnown())
    return true;
  ArrayRef<CodeBlock> blocks = effects.getBlocks();
  std::map<unsigned, bool> atEntry{{0, false}};
  SmallVector<unsigned, 16> work{0};
  while (!work.empty()) {
    const CodeBlock &block = blocks[work.back()];
    bool isBehind = atEntry.find(work.pop_back_val())->second;
    for (const CodeStep &step : block.steps) {
      const Within inCopy = effects.isWithin(step, copy, path);
      isBehind |= inCopy >= Within::Shared;
      if (inCopy == Within::Yes)
        continue;
      if (isBehind && effects.mayWrite(step.effect, objects))
        return true;
      isBehind &= !step.effect.meetsBlock;
    }
    for (unsigned next : block.next) {
      auto [known, isNew] = atEntry.try_emplace(next, isBehind);
      if (isNew || (isBehind && !std::exchange(known->second, true)))
        work.push_back(next);
    }
  }
  return false;
}

} // namespace tilelift
