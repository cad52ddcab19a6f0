//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sibling kernel: the original's text with the copies replaced, and the
// plan type that it shares with the launcher.
//
// Where a copy stands in a function that the kernel calls, that function gets a
// sibling as well, and so do those on the way. They are templates over the plan type,
// and get the barrier, its phase and the maps as arguments. A lambda is part of the
// text around it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_KERNELTEXT_H
#define TILELIFT_EMIT_KERNELTEXT_H

#include "emit/FunctionSiblings.h"
#include "spelling/CodeText.h"
#include "text/Names.h"
#include "text/SourceText.h"
#include "writable/FunctionText.h"
#include "writable/TextReview.h"
#include "writable/TileStorage.h"
#include "writable/WritableKernel.h"

#include "llvm/ADT/StringSet.h"

namespace tilelift {

/// What the pieces of text about one kernel have in common.
struct KernelNames {
  std::string kernel;   ///< blur
  std::string lifted;   ///< blur_tma
  std::string plan;     ///< blur_tma_plan
  std::string launcher; ///< blur_tma_launch
  std::string known;    ///< blur_tma_known
  std::string barrier;  ///< tma_barrier
  std::string phase;    ///< tma_phase
  std::string groups;   ///< tma_groups
  std::string meeting;  ///< tma_meeting, followed by axes
  /// The object whose destructor keeps the block's shared memory until TMA has read it
  /// (tilelift::stores_in_flight): tma_stores.
  std::string stores;
  /// The array for the block's dynamic shared memory, in which rings may lie: tma_memory, followed
  /// by the alignment if that is not 128.
  std::string memory;
  std::string slot;  ///< the index of the stage of a ring that is filled: tma_slot
  std::string lifts; ///< whether the checks at copies that are issued ahead hold: tma_lifts
  /// Names of the launcher's own parameter and variables. They differ from all names in the
  /// kernel's parameters, which the launcher has, too.
  std::string config, facts, launch;
  std::string planParameter; ///< tma_plan, in functions that the kernel calls
  /// How code in the template names this instantiation: "<TX, TY>", or "".
  std::string arguments;
};

/// One copy as both kernel and launcher call it.
struct CopyNames {
  std::string tile;  ///< tile
  std::string map;   ///< tile_map; copies of the same boxes share one; empty for bulk copies
  std::string box;   ///< tile_box
  std::string bytes; ///< a member of the plan type: tile_box::bytes
  /// The member of the plan type for the operation of a reduction; empty if all instantiations have
  /// the same one.
  std::string operation;
  /// The member of the plan type for the type of a bulk reduction's numbers; empty if all
  /// instantiations have the same one.
  std::string number;
};

/// Copies that are made ahead of their rounds and arrive together: their barriers, and
/// where each thread is in their ring of tiles.
struct Ring {
  size_t first = 0, last = 0;
  std::string full;   ///< tile_full
  std::string place;  ///< tile_place
  std::string stages; ///< 3, or a member of the plan type
  /// The producer warp fills the ring. It waits at the barriers `empty` until a tile is free.
  bool isSupplied = false;
  /// All lanes of the producer warp take part, because rows of some tile that it fills are looked
  /// up; otherwise one thread of the warp does all.
  bool isByWarp = false;
  std::string empty; ///< tile_empty
  /// The name of the meeting at which the leaders of peer blocks tell each other that a stage is
  /// free in their blocks.
  std::string meeting; ///< tile_meeting, followed by axes
  /// The cursors of the loop, each with the name of the variable that replaces it where copies are
  /// issued ahead.
  std::vector<std::pair<const Cursor *, std::string>> cursors;
  /// The same where tiles are prefetched to L2.
  std::vector<std::pair<const Cursor *, std::string>> farCursors;
  /// How many rounds the prefetch is ahead of the copies: a number, or a member of the plan type.
  /// Empty without a prefetch.
  std::string farRounds;

  Ring far() const {
    Ring ring = *this;
    ring.cursors = farCursors;
    return ring;
  }
};

/// The operation of a reduction as a tag of cuda::ptx, such as tilelift::ptx::op_add.
std::string operatorOf(const Reduction &reduction);
/// The C++ type of the numbers of a reduction, such as float.
std::string numberNameOf(const Reduction &reduction);

/// How L2 treats what a copy brings in, as an argument behind others.
std::string policyArgument(CacheHint hint);

/// The bytes of dynamic shared memory that rings take in front of the memory that the program's
/// launch asks for. They are rounded up so that the latter keeps its alignment.
int64_t ringBytes(const InstancePlan &instance);
/// The bytes of dynamic shared memory behind the program's, which boxes may fill with what no one
/// reads.
int64_t overhangBytes(const InstancePlan &instance);

struct PieceCounter;

class KernelWriter {
public:
  KernelWriter(const SourceText &source, const WritableKernel &writable, const KernelNames &names,
               const Effects &effects, const Variants &variants);

  /// The sibling's text as pieces of the file and own text; siblings of functions that
  /// it calls go to `siblings`.
  std::vector<Piece> sibling(FunctionSiblings &siblings);
  /// The plan type, complete only after sibling() and the launcher's text have
  /// put their constants into it.
  std::string planType() const;
  std::vector<PlanConstant> &constants() { return planConstants; }
  const CopyNames &namesOf(size_t copy) const { return copyNames[copy]; }
  /// How many maps the lifted kernel takes behind the kernel's own parameters.
  size_t countMaps() const { return mapsBelow(texts.front()).size(); }
  /// Whether blocks of a cluster share tiles.
  bool hasClusters() const;
  /// Whether the lifted kernel has a producer warp, with which the launcher launches a larger
  /// block.
  bool hasProducer() const { return producer.has_value(); }
  /// What the type of a copy's tile is called in the plan type, where it is laid out anew. Tiles of
  /// one name, in several scopes or functions, have numbers.
  std::string tileTypeName(size_t copy) const;
  /// Whether no copy before this one has the same tile.
  bool isFirstOfTile(size_t copy) const;
  /// The plans of one copy, one for each instantiation.
  PlansOfCopy plansOf(size_t copy) const { return kernel.plansOf(copy); }
  /// How the kernel and the launcher name the plan type.
  std::string planReference() const { return names.plan + names.arguments; }
  /// The functions on the way to copies that were written, and what they are called.
  std::vector<CalledSibling> calledSiblings() const;

private:
  // The functions.
  void nameCopies();
  void replaceCopies();
  void write(size_t number, FunctionSiblings &siblings);
  void finish(FunctionText &text);
  void callSibling(const FunctionText &callee);
  std::string parametersOf(const FunctionText &text) const;
  std::vector<Piece> siblingOf(const FunctionText &text, const std::string &name) const;
  std::vector<Piece> declarationOf(const FunctionText &text, const std::string &name) const;
  void renameKernel();
  std::string memoryDeclarations();
  void openBody();
  std::optional<size_t> copyOf(clang::SourceLocation declared) const;
  void declareTile(size_t copy);
  unsigned alignmentUsed(const clang::VarDecl &array) const;
  void alignOthers(const clang::Stmt *within, FunctionText &text);
  void alignTile(size_t copy, const clang::DeclStmt &declaration, FunctionText &text);
  std::string declarationOf(const clang::VarDecl &variable, const clang::DeclStmt &declaration,
                            const FunctionText &text);
  bool isRetyped(size_t copy) const { return tilelift::isRetyped(kernel, copy); }
  int64_t alignmentOf(llvm::function_ref<bool(const clang::VarDecl *)> isMeant) const;
  /// Of the kernel's dynamic shared memory.
  int64_t alignmentOfMemory() const;
  std::string alignmentText(llvm::function_ref<bool(const clang::VarDecl *)> isMeant) const;
  void captureIn(FunctionText &text, size_t copy);
  void captureIn(FunctionText &text, const clang::FunctionDecl *innermost,
                 llvm::ArrayRef<std::string> needed);
  void moveDynamicMemory(const clang::Stmt *within);
  std::string pointerToMemory(const clang::VarDecl *array) const;
  void removeDeadVariables(FunctionText &text);
  llvm::StringRef linkage() const;
  std::string wrapped(const std::string &parameters, unsigned at) const;
  /// The maps of copies in a text and in those that it calls, each once.
  std::vector<std::string> mapsBelow(const FunctionText &text) const;
  std::string nameOfMap(llvm::ArrayRef<size_t> owners, const std::string &stem) const;
  bool moved(size_t copy) const { return isMoved(kernel, copy); }
  /// Whether the leader sets up the barrier and issues the first copies at once, before the block's
  /// first barrier.
  bool startsFirst() const;

  // The copies.
  void addCopy(Edit edit, size_t copy);
  void replaceStatement(size_t first);
  size_t endOfStatement(size_t copy) const;
  std::string commentsOf(size_t first, size_t end) const;
  std::string assumedSizes(size_t first, size_t end, const std::string &indent) const;
  std::vector<Piece> plainBranch(const std::string &before, size_t copy, unsigned at) const;
  unsigned beginOf(size_t copy);
  std::string checksOf(size_t first, size_t end, bool isAhead = false);
  std::string checksText(size_t copy, CodeText code);
  std::string conditionText(size_t copy, CodeText &code, size_t check);
  std::string orderText(size_t first, size_t last, const std::string &indent) const;
  std::string issueText(size_t first, size_t last, const std::string &indent);
  std::string bulkText(size_t copy, std::string place, const std::string &indent, bool isFar);
  std::string operationText(size_t copy, const std::string &place, const std::string &tensor) const;
  std::string prefetchText(size_t copy, const std::string &tensor) const;
  std::string groupsClosedWith(size_t last, const std::string &indent) const;
  std::string waitText(size_t copy, const std::string &indent) const;

  // The plan type.
  std::string blockConstants(const InstancePlan &instance) const;
  std::string boxOrBytes(size_t copy, const Plan &plan) const;
  std::string copyTypes(size_t copy, const InstancePlan &instance) const;
  std::string constantsOf(size_t instance) const;

  // Tiles that several blocks get.
  /// The sets of axes along which the tiles of some copies are multicast, each set once.
  llvm::SmallVector<unsigned, 2> multicastAxes(size_t first, size_t last) const;
  std::string peerTypes(const InstancePlan &instance) const;
  std::string peersOf(unsigned axes) const;
  std::string meetingOf(unsigned axes, const Ring *ring) const;
  /// Declarations of the meetings of peer blocks, one for each set of axes, and the calls that make
  /// these ready. The meetings are those of a ring, or those for copies that are made in their own
  /// rounds.
  std::string meetings(llvm::ArrayRef<unsigned> allAxes, const Ring *ring) const;
  std::string meetings(const Ring &ring) const;
  std::string meetings() const;
  std::string meetText(size_t first, size_t last, const std::string &indent) const;
  /// The `if` that leaves one of several operations to the peer block that loads for all.
  std::string ifMine(size_t copy, const std::string &piece, const std::string &indent) const;
  std::string loadOf(size_t copy, const std::string &name, const std::string &how = "") const;

  // Rows that are looked up.
  std::string rowName(size_t copy) const;
  std::string rowCount(size_t copy, CodeText &code);
  std::string presentCondition(size_t copy, CodeText &code, size_t i);
  std::string presentText(size_t copy, CodeText &code, unsigned first = Check::allConditions);
  std::string inAllRows(size_t copy, CodeText &code,
                        const std::map<unsigned, std::string> &conditions);
  std::string rowsText(size_t copy, CodeText &code, const std::string &place,
                       const std::string &present, const std::string &where,
                       const std::string &indent);
  /// Whether one of these copies tests that its rows lie apart, which is a barrier of the block.
  bool asksWhetherApart(size_t first, size_t last) const;
  std::string apartText(size_t copy, CodeText &code);
  std::string ifPresent(size_t copy, const std::string &where, const std::string &nowhere) const {
    return rowName(copy) + "_exists ? " + where + " : " + nowhere;
  }

  std::string nowhereText(size_t copy, CodeText &code) const;
  std::string placeInTile(size_t copy, CodeText &code);
  std::string expectedBytes(size_t first);
  bool anyOrder(size_t first, size_t last, bool CopyOrder::*fact) const;
  std::string barrierOf(size_t copy) const {
    const Ring *ring = ringOf(copy);
    return ring          ? ring->full + "[" + names.slot + "]"
           : hasGroups() ? names.groups + ".filling()"
                         : names.barrier;
  }
  bool isLastOfGroup(size_t copy) const {
    return copy + 1 == copies().size() || !orders.copies[copy + 1].joinsPrevious;
  }
  std::string operationOf(size_t copy) const;
  std::string numberOf(size_t copy) const;
  std::vector<const Plan *> issuedPlansOf(size_t copy) const;
  CodeText codeOf(size_t copy, bool isAhead) {
    return {isAhead ? issuedPlansOf(copy) : plansOf(copy), planIn(texts[textOf[copy]]),
            planConstants};
  }

  // Copies that the program waits for in groups.
  bool hasGroups() const { return !orders.groups.empty(); }
  std::string groupSlots() const;
  std::string groupsType() const;
  /// What code needs that issues copies and waits for them, in the kernel or in other functions.
  llvm::SmallVector<std::string, 4> neededToWait(const FunctionText &text) const;
  void groupEdits(FunctionText &text);

  // Stores.
  bool isStore(size_t copy) const { return copies()[copy].plan.kind != CopyKind::Load; }
  bool anyOrder(size_t first, size_t last, bool StoreOrder::*fact) const;
  std::string storeFence(size_t first, size_t last, const std::string &indent) const;
  std::string storeText(size_t first, size_t last, const std::string &indent);
  std::string walksText(size_t copy, CodeText &code, const std::string &ahead);
  std::string placeOfPiece(size_t copy, CodeText &code, const std::string &place,
                           const std::string &piece);
  std::string cutText(size_t copy, CodeText &code, const std::string &counter,
                      llvm::function_ref<int64_t(const Plan &)> pieces,
                      llvm::function_ref<int64_t(const Plan &)> size,
                      std::vector<PieceCounter> &counters);
  std::string coordinatesText(size_t copy, CodeText &code, bool mayBeAbsent,
                              std::vector<PieceCounter> &counters);
  std::string callText(size_t copy, const std::string &indent, bool isFar = false);
  /// Adds fences and waits for stores in front of the program's own barriers.
  void dutyEdits(FunctionText &text);

  // Copies that are made ahead.
  void nameRings();
  const clang::Stmt *pipelineAround(const clang::Stmt *statement) const;
  void bindTurns(size_t copy);
  std::string turnOf(size_t copy) const { return source.unused(copyNames[copy].tile + "_turn"); }
  /// How many tiles there are in place of a copy's, as text; empty where it is one.
  std::string tilesOf(size_t copy) const;
  std::string pendingReads(const clang::Stmt *wait) const;
  void nameAhead(Ring &ring);
  void nameFar(Ring &ring);
  std::string freshName(const std::string &stem);
  std::vector<Plan> plansWith(size_t copy, const Ring &ring) const;
  CodeText farCodeOf(size_t copy);
  const Ring *ringOf(size_t copy) const;
  std::string ringTile(size_t copy) const { return source.unused(copyNames[copy].tile + "_ring"); }
  std::string slotOf(size_t copy, const std::string &index) const;
  bool needsSlots(size_t copy) const { return tilelift::needsSlots(kernel, copy); }
  bool isInDynamicMemory(size_t copy) const { return copies()[copy].plan.ringAt.has_value(); }
  std::string dynamicMemory() const;
  std::string startOfDynamicMemory() const;
  std::string ringDeclaration(size_t copy, const std::string &type);
  std::string ringBarriers(const Ring &ring) const;
  void replaceGroup(const Ring &ring);
  std::string leadersVariables(const Ring &ring, llvm::StringRef used, const std::string &indent);
  std::string firstCopies(const Ring &ring, const std::string &indent);
  void openPipelines();
  bool startsBeforeLoop(const Ring &ring) const;
  std::string startText(const Ring &ring, const std::string &indent);
  /// The code that prefetches tiles of later rounds to L2, beside the filling of a tile.
  std::string prefetchText(const Ring &ring, const std::string &indent);
  std::string prefetchStart(const Ring &ring, const std::string &indent);
  std::string bindText(const Ring &ring, const std::string &indent);
  std::string bindInRound(const Ring &ring);
  std::string fillText(const Ring &ring, const std::string &indent);
  std::string handBackText(const Ring &ring, const std::string &indent) const;
  /// The code by which the leader issues the copies of one later round.
  struct RoundAhead {
    std::string condition, steps, copies;
  };
  RoundAhead roundAhead(const Ring &ring, const std::string &indent);
  /// The condition under which a later round makes the copies of a ring; empty if each round makes
  /// them.
  std::string conditionOfRound(const Ring &ring);
  std::string aheadText(const clang::Expr *expression, const Ring &ring);
  std::string stepsAhead(const Cursor &cursor, const std::string &name, const Ring &ring);
  std::string declarationAhead(const Cursor &cursor, const std::string &name, const Ring &ring);

  // A warp that makes them.
  bool hasProducerWarp() const;
  std::string ifFirstLane(const Ring &ring, const std::string &text,
                          const std::string &indent) const;
  std::string producerText();
  std::string pathText(llvm::ArrayRef<PathStep> steps, const std::string &indent);
  std::string branchText(const PathStep &step, const std::string &indent);
  std::string suppliedRounds(size_t pipeline, const std::string &indent);
  std::string declaredText(const clang::DeclStmt *declaration, const std::string &indent);
  std::string movedText(const clang::Stmt *statement, const std::string &indent);
  std::string textOfRange(clang::SourceRange range) const;
  std::string blockBarrier() const;
  /// Makes the program's own barriers, and its block size, those of the block without the producer
  /// warp.
  void meetWithoutProducer();
  /// Changes __launch_bounds__ to the size of the block with the producer warp. Returns the text
  /// for a kernel that has none.
  std::string boundLaunch();

  /// How a function's text names the plan type.
  std::string planIn(const FunctionText &text) const {
    return text.path.inKernel() ? planReference() : names.planParameter;
  }
  const std::vector<PlannedCopy> &copies() const { return kernel.instances.front().copies; }

  const SourceText &source;
  const KernelPlan &kernel;
  const KernelNames &names;
  const CopyOrders &orders;
  const std::optional<ProducerWay> &producer;
  /// Where in the file the barriers are declared, and where the producer's own text begins.
  const unsigned startOfBarriers;
  const Effects &effects;
  const Variants &variants;
  std::vector<CopyNames> copyNames;
  std::vector<Ring> rings;
  /// For each copy that is made ahead, its plans with the names that it can use.
  std::vector<std::vector<Plan>> plansAhead, plansFar;
  llvm::StringSet<> takenAhead;
  std::vector<PlanConstant> planConstants;
  /// The kernel first, callers before what they call.
  std::vector<FunctionText> texts;
  /// In which of them each copy stands.
  std::vector<size_t> textOf;
};

} // namespace tilelift

#endif
