//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From plans to text.
//
// For each kernel: a sibling beside it, the original's text with the copies
// replaced; a launcher that checks, encodes and launches; and the launches of
// this file turned into calls of the launcher. No legality is decided here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_EMITTER_H
#define TILELIFT_EMIT_EMITTER_H

#include "directive/OtherFiles.h"
#include "directive/PragmaReader.h"
#include "directive/Program.h"
#include "effects/KernelEffects.h"
#include "emit/EditSet.h"
#include "emit/Recipe.h"
#include "plan/Plan.h"
#include "plan/Stages.h"
#include "relation/CopyAhead.h"
#include "relation/Rounds.h"

namespace tilelift {

/// A loop whose copies are made ahead, in the same rounds in all instances.
struct PipelineToEmit {
  const Directive *directive = nullptr;
  Rounds rounds;
  /// A warp of its own makes the copies.
  bool hasProducer = false;
  /// What its ring means for an SM, where nobody asked for so many stages.
  RingUse use;
};

struct CopyToEmit {
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

struct InstanceToEmit {
  const clang::FunctionDecl *function = nullptr;
  /// Arguments that the copies were checked for, by name.
  std::map<std::string, int64_t> given;
  BlockShape block{1, 1, 1};
  /// Blocks that share tiles.
  BlockShape cluster{1, 1, 1};
  /// What stays in L2 while it runs.
  std::optional<Persistence> persistence;
  /// In the order of the text.
  std::vector<CopyToEmit> copies;
  std::vector<PipelineToEmit> pipelines;
  /// The ways to copies that stay loops.
  std::vector<CallPath> plainPaths;

  /// Whether a warp of its own makes a copy.
  bool isSupplied(const CopyToEmit &copy) const {
    return copy.pipeline && pipelines[*copy.pipeline].hasProducer;
  }
};

/// The instances have the same copies and the same operations.
struct KernelToEmit {
  const clang::FunctionDecl *pattern = nullptr;
  std::vector<InstanceToEmit> instances;
  /// Pragmas whose copies stay loops.
  std::vector<const Directive *> plain;
};

/// A kernel, and what the one beside it is called.
struct LiftedKernel {
  Place place;
  std::string name;
  std::string lifted;
};

/// Who is to launch the kernels.
enum class Output {
  Program,      ///< the file itself, by the CUDA runtime
  DeviceSource, ///< somebody else: nothing of the host is written, and each kernel has a name
};

struct EmitResult {
  EditSet edits;
  std::vector<Diagnostic> diagnostics;
  /// Kernels that cannot be written.
  std::vector<const clang::FunctionDecl *> refused;
  /// Of kernels that other files may launch, by their shared names.
  std::map<std::string, std::string> launchers;
  std::vector<LiftedKernel> kernels;
  /// One for each instance that is lifted.
  std::vector<Recipe> recipes;
};

EmitResult emit(clang::ASTContext &context, const std::vector<KernelToEmit> &kernels,
                const Program &program, const DirectiveList &directives, const ProgramFacts &others,
                const Effects &effects, Output output = Output::Program);

} // namespace tilelift

#endif
