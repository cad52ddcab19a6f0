//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Clusters.h"

#include "directive/Program.h"
#include "effects/Assembly.h"
#include "effects/Ways.h"
#include "plan/Peers.h"
#include "rounds/PeerBlocks.h"
#include "support/Locations.h"

#include "clang/AST/Attr.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The number of blocks along an axis for which no clause gives one.
constexpr unsigned usualPeers = 2;

class Sharing {
public:
  Sharing(InstancePlan &instance, const KernelEffects &effects,
          std::vector<Diagnostic> &diagnostics)
      : instance(instance), effects(effects), diagnostics(diagnostics) {}

  std::optional<UnsharedTile> run();

private:
  std::optional<Diagnostic> shapeCluster(const Directive &directive);
  std::optional<Diagnostic> whyNotShared(const PlannedCopy &copy) const;
  const Stmt *partedMeeting(const Stmt *part, const PlannedCopy &copy,
                            const PeerBlocks &peers) const;
  std::optional<Diagnostic> whyAsked(const PlannedCopy &copy, const PeerBlocks &peers) const;
  std::optional<Diagnostic> whyTested(const PlannedCopy &copy, const PeerBlocks &peers) const;
  void share(PlannedCopy &copy) const;
  static Axes axesOf(const PlannedCopy &copy) {
    Axes axes = 0;
    for (const ClusterAxis &named : copy.directive->clauses.multicast)
      axes |= 1u << named.axis;
    return axes;
  }

  InstancePlan &instance;
  const KernelEffects &effects;
  std::vector<Diagnostic> &diagnostics;
  /// Axes whose number of blocks is given by a clause.
  Axes counted = 0;
};

/// Takes the numbers of blocks from one of the copies.
std::optional<Diagnostic> Sharing::shapeCluster(const Directive &directive) {
  for (const ClusterAxis &named : directive.clauses.multicast) {
    unsigned &blocks = instance.cluster[named.axis];
    if (!named.blocks) {
      blocks = std::max(blocks, usualPeers);
      continue;
    }
    auto found = countOf(*named.blocks, "multicast", mostPeers, instance.function);
    if (auto *wrong = std::get_if<Diagnostic>(&found))
      return std::move(*wrong);
    const unsigned count = std::get<unsigned>(found);
    bool isOther = (counted >> named.axis & 1) != 0 && blocks != count;
    if (isOther)
      return diagnose(diag::cluster_differs, named.blocks->place, count,
                      std::string(1, char('x' + named.axis)), blocks);
    counted |= 1u << named.axis;
    blocks = count;
  }
  return std::nullopt;
}

/// All that wait together take the same way in all of the blocks.
std::optional<Diagnostic> Sharing::whyTested(const PlannedCopy &copy,
                                             const PeerBlocks &peers) const {
  for (const PlannedCopy &other : instance.copies) {
    const Plan &plan = other.plan;
    if (other.pipeline != copy.pipeline || plan.kind != CopyKind::Load)
      continue;
    for (const Check &check : plan.copyChecks)
      if (peers.differingPart(check.subject == Check::Subject::Address ? plan.offset().count()
                                                                       : check.value,
                              plan.symbols, other.statement))
        return diagnose(diag::no_multicast, copy.plan.place, copy.plan.tile,
                        "each block tests by itself whether TMA makes a copy")
            .note(plan.place, "'" + plan.tile + "': " + print(check, plan.symbols));
  }
  return std::nullopt;
}

/// A statement within `part` at which the cluster's blocks meet, unless all of these blocks come to
/// it equally often and in the same order; or null.
const Stmt *Sharing::partedMeeting(const Stmt *part, const PlannedCopy &copy,
                                   const PeerBlocks &peers) const {
  auto meets = [&](const Stmt *child) {
    return child && (effects.of(child, copy.path).barriers & clusterBarrier) != 0;
  };
  if (!meets(part))
    return nullptr;
  const bool isCall = isa<CallExpr, CXXConstructExpr, AsmStmt>(part);
  if (isCall || llvm::none_of(part->children(), meets))
    return isCall && !peers.whyNotAlike(part, copy.plan.tile) ? nullptr : part;
  for (const Stmt *child : part->children())
    if (const Stmt *found = child ? partedMeeting(child, copy, peers) : nullptr)
      return found;
  return nullptr;
}

/// What a kernel asks of its cluster must not depend on whether tiles are shared.
std::optional<Diagnostic> Sharing::whyAsked(const PlannedCopy &copy,
                                            const PeerBlocks &peers) const {
  if (!effects.ofAll().asksCluster)
    return std::nullopt;
  const Plan &plan = copy.plan;
  if (!instance.function->hasAttr<CUDAClusterDimsAttr>())
    return diagnose(diag::no_multicast, plan.place, plan.tile,
                    "the kernel asks for its cluster, which would be another one where a launch "
                    "gives it none: '__cluster_dims__' on the kernel says which it is");
  if (const Stmt *meeting = partedMeeting(instance.function->getBody(), copy, peers))
    return diagnose(diag::no_multicast, plan.place, plan.tile,
                    "some of these blocks may wait at the cluster's barrier while others fill it")
        .note(
            placeOf(instance.function->getASTContext().getSourceManager(), meeting->getBeginLoc()),
            "they meet here");
  return std::nullopt;
}

std::optional<Diagnostic> Sharing::whyNotShared(const PlannedCopy &copy) const {
  const Plan &plan = copy.plan;
  auto refuse = [&](const std::string &why) {
    return diagnose(diag::no_multicast, plan.place, plan.tile, why);
  };
  if (!copy.path.inKernel())
    return refuse("a function that the kernel calls fills it");
  if (plan.gather)
    return refuse("its rows are looked up one by one");
  if (!plan.base.knownAtLaunch)
    return refuse("only the kernel knows where '" + plan.base.spelling + "' leads");
  Axes axes = axesOf(copy);
  if (waitAround(copy.statement, copy.path, effects, /*areBlocks=*/true))
    return refuse("a block may wait ahead of the copy for what another one does behind it");
  PeerBlocks peers(instance.function, axes, effects);
  if (std::optional<Diagnostic> reason = peers.whyNotAlike(copy.statement, plan.tile))
    return reason;
  if (std::optional<Diagnostic> reason = whyAsked(copy, peers))
    return reason;
  std::optional<Diagnostic> reason;
  forEachPlacingValue(plan, [&](const Polynomial &value) {
    if (std::optional<std::string> part = peers.differingPart(value, plan.symbols, copy.statement);
        part && !reason)
      reason = refuse("what it is filled with depends on '" + *part +
                      "', which may be another number in blocks that differ in " + indicesOf(axes));
  });
  return reason ? reason : whyTested(copy, peers);
}

void Sharing::share(PlannedCopy &copy) const {
  for (unsigned axis = 0; axis < 3; ++axis)
    if (axesOf(copy) >> axis & 1)
      copy.plan.peers[axis] = instance.cluster[axis];
  cutForPeers(copy.plan);
  if (copy.ahead) {
    copy.ahead->peers = copy.plan.peers;
    cutForPeers(*copy.ahead);
  }
}

std::optional<UnsharedTile> Sharing::run() {
  SmallVector<PlannedCopy *, 4> shared;
  for (size_t i = 0; i < instance.copies.size(); ++i) {
    PlannedCopy &copy = instance.copies[i];
    const Clauses &clauses = copy.directive->clauses;
    if (clauses.multicast.empty())
      continue;
    std::optional<Diagnostic> reason = whyNotShared(copy);
    if (reason && clauses.fallback == Fallback::Loop) {
      reason->severity = Severity::Warning;
      diagnostics.push_back(std::move(*reason));
      continue;
    }
    if (!reason)
      reason = shapeCluster(*copy.directive);
    if (reason)
      return UnsharedTile{i, std::move(*reason)};
    shared.push_back(&copy);
  }
  unsigned blocks = instance.cluster[0] * instance.cluster[1] * instance.cluster[2];
  if (blocks > mostPeers)
    return UnsharedTile{size_t(shared.front() - instance.copies.data()),
                        diagnose(diag::cluster_too_large, {}, blocks, mostPeers)};
  for (PlannedCopy *copy : shared)
    share(*copy);
  return std::nullopt;
}

} // namespace

std::optional<UnsharedTile> shareTiles(InstancePlan &instance, const KernelEffects &effects,
                                       std::vector<Diagnostic> &diagnostics) {
  return Sharing(instance, effects, diagnostics).run();
}

} // namespace tilelift
