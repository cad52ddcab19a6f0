//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "plan/Profit.h"

#include "plan/Elements.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;

namespace tilelift {
namespace {

/// Measured on H100 and H200 (docs/costs.md): the time in which an SM's TMA unit takes one
/// instruction, an SM's share of the memory's bandwidth, the time that a load takes, and how much
/// later threads that wait at an mbarrier go on.
constexpr double nsOfInstruction = 28, bytesInNs = 25, nsOfLoad = 700, nsOfBarrier = 350;

/// An SM has that many blocks of so few threads that others copy while one waits.
constexpr unsigned fewThreads = 128;

/// How much of a thread's copies is not worth a wait for the TMA unit, and why.
struct Little {
  double accesses = 0;
  int64_t bytes = 0;
  const char *reason = "";
};

Little littleOf(const WaitingCopies &copies) {
  if (copies.areStores) {
    const char *reason = "each thread stores {0} bytes, and by TMA the block goes on {1} ns later";
    return copies.hiding != Hiding::Nothing ? Little{2, 16, reason}
           : copies.isMostOfBlock           ? Little{4, 16, reason}
                                            : Little{1, 7, reason};
  }
  const char *waits =
      "each thread waits for {0} bytes, and by TMA it goes on {1} ns later than after a load";
  switch (copies.hiding) {
  case Hiding::Nothing:
    return copies.isMostOfBlock && copies.threads > fewThreads ? Little{2, 8, waits}
                                                               : Little{1, 7, waits};
  case Hiding::NothingInLoop: return {2, 16, waits};
  case Hiding::ByProgram:
    return {2, 32,
            "the program has {0} bytes of each thread on their way while it computes, and by TMA "
            "it waits for them {1} ns"};
  case Hiding::ByPipeline:
    return {0.5, 16, "few threads copy anything, and by TMA all wait {1} ns for it"};
  }
  llvm_unreachable("every kind of hiding has its case");
}

std::string time(double ns) { return formatv("{0:f2} us", ns / 1000); }

} // namespace

unsigned CopyWork::waits() const { return std::max(1u, unsigned(std::ceil(guards))); }

CopyWork workOf(const CopyRelation &relation) {
  CopyWork work;
  unsigned threads = relation.block[0] * relation.block[1] * relation.block[2];
  work.accesses = double(relation.cells.size()) / threads;
  DenseMap<unsigned, const Condition *> lastGuards;
  for (const Cell &cell : relation.cells) {
    work.bytesOfAccess = std::max(work.bytesOfAccess, cell.size);
    const Condition &guard = cell.cases.front().guard;
    const Condition *&before = lastGuards[cell.thread];
    if (!guard.isAlways() && !(before && *before == guard))
      ++work.guards;
    before = &guard;
    work.isLoadedBefore |=
        llvm::any_of(cell.cases, [](const Case &each) { return each.source->madeBy != nullptr; });
  }
  work.guards /= threads;
  return work;
}

std::optional<ExpectedLoss> lossByRows(const Plan &plan, const CopyWork &work, bool isAsync) {
  constexpr int64_t fewRows = 8;
  const int64_t rows = plan.isByFours() ? plan.pieces() / 4 : plan.pieces();
  const double byTma = double(rows) * nsOfInstruction;
  const double byLoop = double(plan.expectedBytes.count()) / bytesInNs;
  // Loops whose loads go through registers are slower than memory by themselves, those of narrow
  // accesses most.
  const bool isWide = work.bytesOfAccess >= grain.count();
  if (rows < fewRows || byTma < byLoop * (isAsync ? 1.3 : isWide ? 1.5 : 3))
    return std::nullopt;
  return ExpectedLoss{time(byTma), time(byLoop),
                      formatv("it is {0} copies of {1} bytes, and an SM begins one in {2} ns",
                              plan.pieces(), (plan.expectedBytes / plan.pieces()).count(),
                              int(nsOfInstruction))
                          .str()};
}

/// Whether the passes cost more than the loop does. A loop that transposes what it loads takes more
/// time than others, measured as much as twice the passes cost. One that stores may read columns
/// that are padded for it.
bool hasManyPasses(const Plan &plan, const CopyWork &work) {
  if (plan.layout.transposed)
    return plan.passes > (plan.kind == CopyKind::Load ? 2 : 1) * plan.passesBefore;
  return plan.passes >= 2 * plan.passesBefore && work.waits() <= 1;
}

std::optional<ExpectedLoss> lossByConflicts(const Plan &plan, const CopyWork &work) {
  if (!plan.layout.moved || !hasManyPasses(plan, work) || plan.passesBefore == 0)
    return std::nullopt;
  return ExpectedLoss{formatv("{0:f1} passes of shared memory for an access", plan.passes).str(),
                      formatv("{0:f1}", plan.passesBefore).str(),
                      "the rows that TMA brings lie otherwise, and a warp's access meets more "
                      "elements of one bank"};
}

std::optional<ExpectedLoss> lossByWait(const WaitingCopies &copies) {
  const Little little = littleOf(copies);
  const int64_t ofThread = copies.bytes.count() / copies.threads;
  if (copies.waits > 1 || copies.accesses > little.accesses || ofThread > little.bytes)
    return std::nullopt;
  return ExpectedLoss{time(nsOfLoad + nsOfBarrier), time(nsOfLoad),
                      formatv(little.reason, ofThread, int(nsOfBarrier)).str()};
}

} // namespace tilelift
