//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of a kernel: its copies, the loops that make them ahead, the cluster, and what the
// launch has to give, for each instance.
//
// The functions of kernel/ fill in a KernelPlan, and emit/ writes the lifted kernel from it. A plan
// of one copy, as the TMA unit sees it, is plan/Plan.h.
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

/// A loop whose loads are issued ahead of their rounds. In all instances of a kernel, the same
/// pipelines issue the same copies; the number of stages may differ.
struct PlannedPipeline {
  /// The pragma that asks for it; null if copies are made ahead because there is room for that.
  const Directive *directive = nullptr;
  /// Where the loop begins, or a pragma of the loop that stands before it.
  Place place;
  Rounds rounds;
  /// A producer warp, which the launch adds to the block, issues the copies of this loop.
  bool hasProducer = false;
  /// The number of stages of the ring. If no `stages` clause gives it, also how many blocks then
  /// run on an SM at once, and how many bytes of copies they have in flight.
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
  /// The copy is a store in a loop, and each round stores to another place of the tensor, so that a
  /// round need not wait for the stores of earlier rounds.
  bool storesApart = false;
  /// Each round of a pipeline writes the tile anew and stores it, so the lifted kernel has two
  /// tiles and uses them alternately.
  bool hasTwoTiles = false;
  /// The reason, for a message, why some cells of the tile may keep the values that they had before
  /// the copy; empty if none may. A copy into such a tile cannot be made ahead of its round.
  std::string whyCellsStay;
  Plan plan;
  /// The copy relation that `plan` was fitted to. It is kept so that other plans can be fitted to
  /// it, such as one with a swizzle.
  std::shared_ptr<const CopyRelation> relation;
  /// The index in InstancePlan::pipelines of the pipeline that issues the copy ahead of its round;
  /// nothing if none does.
  std::optional<size_t> pipeline;
  /// The plan that this pipeline issues: `plan`, with only those names that are valid ahead of the
  /// round.
  std::optional<Plan> ahead;
  /// The number of rounds by which L2 prefetches the data before the copy is issued; 0 without a
  /// prefetch.
  unsigned prefetched = 0;
  /// The branch conditions that a round evaluates on the way to the copy. The pipeline evaluates
  /// them ahead of the round.
  llvm::SmallVector<BranchCondition, 2> branches;
  /// It is the whole body of a loop or a branch, without braces.
  bool isBody = false;
  /// The copy with the nested `{ ... }` and `if constexpr` statements around it, up to a loop or a
  /// branch at run time; the copy itself if there are none.
  const clang::Stmt *inRound = nullptr;
};

struct InstancePlan {
  const clang::FunctionDecl *function = nullptr;
  /// The values of kernel arguments that the plan assumes, by name; the launcher checks them.
  std::map<std::string, int64_t> given;
  BlockShape block{1, 1, 1};
  /// Blocks that share tiles.
  BlockShape cluster{1, 1, 1};
  /// Functions that the launcher calls once for each launch, for clauses that concern the whole
  /// launch, such as `persist`.
  std::vector<LaunchCall> launchCalls;
  /// In the order of the text.
  std::vector<PlannedCopy> copies;
  std::vector<PlannedPipeline> pipelines;
  /// The call paths to copies that stay loops.
  std::vector<CallPath> plainPaths;

  /// Whether the producer warp issues the copy.
  bool isSupplied(const PlannedCopy &copy) const {
    return copy.pipeline && pipelines[*copy.pipeline].hasProducer;
  }
  /// Removes the statement's copies from the plan, for `path` and for all call paths that run the
  /// same text, such as other calls of one lambda. They stay plain loops. Adds `path` to
  /// `plainPaths`.
  void drop(const clang::Stmt *statement, CallPath path);
};

/// The instances have the same copies and the same operations.
struct KernelPlan {
  const clang::FunctionDecl *pattern = nullptr;
  std::vector<InstancePlan> instances;
  /// Pragmas of copies that stay loops, and of loops that do not become pipelines.
  std::vector<const Directive *> plain;

  /// Whether a producer warp issues copies, which it does in all instances or in none.
  bool hasProducer() const;
  /// Whether copies are made ahead of their rounds in a loop for which no pragma asks that.
  bool hasOwnRings() const;
  /// The plans of a copy, one for each instance.
  std::vector<const Plan *> plansOf(size_t copy) const;
  /// The plans by which a pipeline makes the copy ahead of its round, one for each instance.
  std::vector<const Plan *> plansAheadOf(size_t copy) const;
};

/// Each copy's tile and a pointer to its plan, for functions that change the plans.
llvm::SmallVector<TilePlan, 4> tilePlansOf(InstancePlan &instance);

/// Whether one text serves both instances: the same copies in the same places, by the same
/// operations.
bool haveOneText(const InstancePlan &a, const InstancePlan &b);

} // namespace tilelift

#endif
