//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that their author has split into several statements. By itself, such a statement would be
// lifted as many short rows, or not at all. So it is tried whether several of them are better as
// one copy: those that stand one behind another, copy from one tensor and fill one array.
//
// This says which statements to try, and whether the trial is better. The trial itself is another
// analysis of the whole file (Lift.cpp), with the statements joined (directive/AdjacentLoads.h).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_SPLITCOPIES_H
#define TILELIFT_WRITABLE_SPLITCOPIES_H

#include "directive/AdjacentLoads.h"
#include "writable/WorthwhilePlan.h"

#include <map>
#include <set>

namespace tilelift {

/// What became of a pragma's copies, in all kernels.
struct CopyOutcome {
  /// The arrays that they fill, and what they copy from, in words.
  std::set<std::string> between;
  bool isLifted = true;
  /// Each is lifted, is a single instruction, and moves at most twice the bytes that are asked for.
  bool isWhole = true;
};
/// By the offset of the pragma.
using CopyOutcomes = std::map<unsigned, CopyOutcome>;

CopyOutcomes outcomesOf(llvm::ArrayRef<ChosenPlan> kernels);
/// Whether no copy is left that may be better together with others.
bool areWhole(const CopyOutcomes &outcomes);

/// Whether no copy of a kernel is lifted.
bool isNoneLifted(const KernelInstance &kernel, const CopyOutcomes &outcomes);
/// Whether copies are lifted that were not lifted before.
bool liftsMore(const CopyOutcomes &now, const CopyOutcomes &before);

/// The runs of adjacent loads, or the parts of them, that may be one copy, and that are not whole
/// copies by themselves.
std::vector<AdjacentLoads> splitCopies(llvm::ArrayRef<AdjacentLoads> adjacent,
                                       const CopyOutcomes &outcomes);

/// Takes those away from the runs that are no whole copies when they are joined. Returns whether
/// there were any.
bool eraseUnwhole(std::vector<AdjacentLoads> &runs, const CopyOutcomes &joined);

} // namespace tilelift

#endif
