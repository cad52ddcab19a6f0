//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of a kernel: its copies, the loops that make them ahead, the cluster, and what the
// launch has to give, for each instance.
//
// The kernels of this room are planned from here on, and written from here on (emit/). A plan of
// one copy, as the TMA unit sees it, is plan/Plan.h.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_KERNELPLAN_H
#define TILELIFT_KERNEL_KERNELPLAN_H

#include "directive/Directive.h"
#include "facts/CopyAhead.h"
#include "kernel/LaunchCall.h"
#include "plan/Stages.h"
#include "plan/Together.h"
#include "rounds/Rounds.h"

namespace tilelift {

/// A loop whose copies are made ahead, in the same rounds in all instances.
struct PlannedPipeline {
  const Directive *directive = nullptr;
  Rounds rounds;
  /// A warp of its own makes the copies.
  bool hasProducer = false;
  /// What its ring means for an SM, where nobody asked for so many stages.
  RingUse use;
};

struct PlannedCopy {
  const Directive *directive = nullptr;
  const clang::Stmt *statement = nullptr;
  /// The calls by which the kernel gets there.
  CallPath path;
  const clang::VarDecl *tile = nullptr;
  /// Threads may write to the tile, besides by the copy.
  bool tileIsWritten = false;
  /// It is stored, in each round of a loop to another place.
  bool movesOn = false;
  /// It is stored in each round of a pipeline, and written anew: two tiles take turns.
  bool takesTurns = false;
  /// Why the tile may hold what it held before, in some cells; empty if it does not.
  std::string keeps;
  Plan plan;
  /// What the plan was made of, to make another one.
  std::shared_ptr<const CopyRelation> relation;
  /// Of those of the instance, the one that makes it ahead, with the names that it can use.
  std::optional<size_t> pipeline;
  std::optional<Plan> ahead;
  /// And so many rounds before that, L2 fetches it; none where it does not.
  unsigned prefetched = 0;
  /// And what its round asks on the way there.
  llvm::SmallVector<Turn, 2> turns;
  /// It is the whole body of a loop or a branch, without braces.
  bool isBody = false;
  /// In the block of its round: the copy itself, or a block that stands there by itself.
  const clang::Stmt *inRound = nullptr;
};

struct InstancePlan {
  const clang::FunctionDecl *function = nullptr;
  /// Arguments that the copies were checked for, by name.
  std::map<std::string, int64_t> given;
  BlockShape block{1, 1, 1};
  /// Blocks that share tiles.
  BlockShape cluster{1, 1, 1};
  /// What its launches ask for as a whole.
  std::vector<LaunchCall> launchCalls;
  /// In the order of the text.
  std::vector<PlannedCopy> copies;
  std::vector<PlannedPipeline> pipelines;
  /// The ways to copies that stay loops.
  std::vector<CallPath> plainPaths;

  /// Whether a warp of its own makes a copy.
  bool isSupplied(const PlannedCopy &copy) const {
    return copy.pipeline && pipelines[*copy.pipeline].hasProducer;
  }
  /// The statement's copies on one call path are removed; they stay plain loops.
  void drop(const clang::Stmt *statement, CallPath path);
};

/// The instances have the same copies and the same operations.
struct KernelPlan {
  const clang::FunctionDecl *pattern = nullptr;
  std::vector<InstancePlan> instances;
  /// Pragmas whose copies stay loops.
  std::vector<const Directive *> plain;

  /// Whether a warp of its own makes copies, which it does in all instances or in none.
  bool hasProducer() const;
};

/// Each copy's tile and a pointer to its plan, for functions that change the plans.
llvm::SmallVector<TilePlan, 4> tilePlansOf(InstancePlan &instance);

/// Whether one text serves both instances: the same copies in the same places, by the same
/// operations.
bool haveOneText(const InstancePlan &a, const InstancePlan &b);

} // namespace tilelift

#endif
