//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Remarks.h"

#include "order/AddedWarp.h"
#include "plan/Profit.h"
#include "support/Locations.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Launches that run the plain kernel because they are not what the copies were checked for.
void addRemarks(std::vector<Diagnostic> &remarks, const LaunchedWith &launch,
                const InstancePlan &instance) {
  std::string name = instance.function->getNameAsString();
  if (launch.block && *launch.block != instance.block)
    remarks.push_back(diagnose(diag::other_block_size, launch.place, name, print(*launch.block),
                               print(instance.block)));
  for (const auto &[argument, checked] : instance.given)
    if (std::optional<int64_t> given = launch.constantArgument(argument);
        given && *given != checked)
      remarks.push_back(
          diagnose(diag::other_argument, launch.place, name, *given, argument, checked));
}

/// Whether launches on the device that the user names can never make the copy: it takes four rows
/// at once.
std::optional<Diagnostic> warningOfDevice(const Plan &plan, const Device &device) {
  const bool isLoad = plan.kind == CopyKind::Load;
  if (!device.isKnown() || !plan.isByFours() ||
      (isLoad ? device.isBlackwell() : device.scattersByFours()))
    return std::nullopt;
  return diagnose(diag::plain_on_device, plan.place, device.family(),
                  (isLoad ? "gathering" : "scattering") + std::string(" rows of '") + plan.tile +
                      "' that are less than 128 bytes apart",
                  isLoad ? "sm_100 or later" : "sm_100a, sm_103a or sm_110a");
}

} // namespace

std::string print(const BlockShape &shape) {
  std::string text = std::to_string(shape[0]);
  if (shape[1] != 1 || shape[2] != 1)
    text += " x " + std::to_string(shape[1]);
  if (shape[2] != 1)
    text += " x " + std::to_string(shape[2]);
  return text;
}

std::vector<Diagnostic> remarksOn(const Plan &plan, const Device &device, bool isDeferred) {
  std::vector<Diagnostic> remarks;
  std::string text = summary(plan);
  SmallVector<std::string, 8> conditions;
  for (const finding &each : plan.findings)
    if (each.outcome == verdict::open && each.rule != rule_id::address_null)
      conditions.push_back(std::string("at launch: ") + summary_of(each.rule));
  for (const Check &check : plan.launchChecks)
    conditions.push_back("at launch: " + print(check, plan.symbols));
  for (const Check &check : plan.copyChecks)
    conditions.push_back("at the copy: " + print(check, plan.symbols));
  std::sort(conditions.begin(), conditions.end());
  conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
  Diagnostic lifted = plan.copyChecks.empty()
                          ? diagnose(diag::lifted, plan.place, text)
                          : diagnose(diag::lifted_under_guard, plan.place, text);
  for (const std::string &condition : conditions)
    lifted.notes.push_back({plan.place, condition});
  if (plan.layout.folded) {
    SmallVector<int64_t, 3> rows = plan.extentsWithRows();
    lifted.notes.push_back(
        {plan.place, "each use of '" + plan.tile + "' divides by " + std::to_string(rows[1]) +
                         ", which may cost more than TMA brings: declare it as '" + plan.tile +
                         "[" + std::to_string(rows[0]) + "][" + std::to_string(rows[1]) + "]'"});
  }
  remarks.push_back(std::move(lifted));
  if (plan.kind == CopyKind::Load && isDeferred)
    remarks.push_back(diagnose(diag::waits_with_group, plan.place, plan.tile));
  // A start that the launch decides is the same in every round.
  if (plan.kind == CopyKind::Load && !isDeferred &&
      !plan.symbols.boundedAtLaunch(plan.layout.slot.count()))
    remarks.push_back(diagnose(diag::stages_by_hand, plan.place, plan.tile));
  if (const Bytes row = plan.expectedBytes / plan.pieces(); plan.gather && row < fullRow)
    remarks.push_back(
        diagnose(diag::short_rows, plan.place, plan.tile, row.count(), fullRow.count()));
  unsigned span = span_of(plan.layout.swizzle);
  if (plan.passes != plan.passesBefore || (span != 0 && plan.layout.moved))
    remarks.push_back(
        diagnose(diag::bank_conflicts, plan.place, plan.tile, formatv("{0:f1}", plan.passes).str(),
                 formatv("{0:f1}", plan.passesBefore).str(),
                 span == 0 ? std::string()
                           : "; its rows are swizzled by " + std::to_string(span) + " bytes"));
  if (std::optional<Diagnostic> warning = warningOfDevice(plan, device))
    remarks.push_back(std::move(*warning));
  return remarks;
}

Diagnostic remarkOnPipeline(const InstancePlan &instance, size_t pipeline) {
  DenseSet<const VarDecl *> tiles;
  Bytes before, after;
  unsigned stages = 1;
  for (const PlannedCopy &copy : instance.copies) {
    if (copy.pipeline != pipeline || !tiles.insert(copy.tile).second)
      continue;
    stages = copy.plan.stages;
    before += copy.plan.tileBytes();
    after += copy.plan.sharedBytes();
  }
  std::string ahead = stages == 1   ? "no round"
                      : stages == 2 ? "a round"
                                    : std::to_string(stages - 1) + " rounds";
  const auto &[directive, place, rounds, hasProducer, use] = instance.pipelines[pipeline];
  Diagnostic made = diagnose(diag::pipelined, place, ahead, after.count(), before.count());
  if (hasProducer)
    made.notes.push_back({place, "a warp of its own makes them: the lifted kernel's block is " +
                                     print(withAddedWarp(instance.block))});
  if (!directive || !directive->clauses.stages)
    made.notes.push_back(
        {place,
         formatv("{0} stages were picked: of such blocks {1} run on an SM at once, with {2} bytes "
                 "on their way to it; memory is busy with {3}",
                 use.stages, use.blocks, use.bytesAhead.count(), bytesWanted.count())
             .str()});
  return made;
}

std::vector<Diagnostic> remarksOnUses(ArrayRef<const KernelPlan *> kernels, const FileFacts &file) {
  std::vector<Diagnostic> remarks;
  DenseSet<SourceLocation> updates; // instances of a template have the same ones
  for (const CallExpr *call : file.program.nodeUpdates)
    if (!kernels.empty() && updates.insert(call->getBeginLoc()).second)
      remarks.push_back(diagnose(diag::node_update,
                                 placeOf(file.context.getSourceManager(), call->getBeginLoc()),
                                 call->getDirectCallee()->getNameAsString()));
  for (const KernelPlan *kernel : kernels)
    for (const LaunchedWith &launch : file.program.launchedWith)
      for (const InstancePlan &instance : kernel->instances)
        if (launch.isOf(instance.function))
          addRemarks(remarks, launch, instance);
  return remarks;
}

std::vector<Diagnostic> remarksOnLaunches(const KernelPlan &kernel, const std::string &lifted,
                                          const FileFacts &file) {
  const bool isLaunched =
      file.others.launched.count(sharedNameOf(kernel.pattern)) > 0 ||
      llvm::any_of(file.program.launchedWith,
                   [&](const LaunchedWith &launch) {
                     return patternOf(launch.instance) == kernel.pattern;
                   }) ||
      llvm::any_of(file.program.pointerLaunches, [&](const PointerLaunch &launch) {
        return llvm::any_of(kernel.instances, [&](const InstancePlan &instance) {
          return launch.mayLaunch(instance.function);
        });
      });
  if (isLaunched)
    return {};
  return {diagnose(diag::never_launched,
                   placeOf(file.context.getSourceManager(), kernel.pattern->getLocation()),
                   kernel.pattern->getNameAsString(), lifted)};
}

} // namespace tilelift
