//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Statements.h"

#include "facts/MemoryUses.h"
#include "fix/MissingGuards.h"
#include "fix/Remedies.h"
#include "interpreter/CopyAnalysis.h"
#include "kernel/LaunchArguments.h"
#include "kernel/StorePlaces.h"
#include "relation/RowChoices.h"
#include "relation/WrittenBytes.h"
#include "spelling/NamedParts.h"
#include "support/Locations.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Whether a statement is all that a branch or a loop executes, without braces.
bool isBody(const Stmt *statement, const VariableFacts &facts) {
  const Stmt *parent = facts.parentOf(statement);
  while (isa_and_nonnull<LabelStmt, AttributedStmt, SwitchCase>(parent))
    parent = facts.parentOf(parent);
  return parent && !isa<CompoundStmt>(parent);
}

/// The reason why some cells of the tile may keep values that the copy does not write; empty if
/// none may.
std::string whyKept(const CopyRelation &relation, bool outsideIsAny) {
  int64_t filled = 0;
  bool leavesOut = false;
  for (const Cell &cell : relation.cells) {
    filled += cell.size;
    leavesOut |= llvm::any_of(
        cell.cases, [](const Case &each) { return each.source->kind == Source::Kind::Untouched; });
  }
  if (leavesOut && !outsideIsAny)
    return "the guard leaves cells out; write zero there, or say 'outside(any)' if nobody reads "
           "them";
  bool isPart = filled < relation.tile.bytes();
  return isPart && !relation.tile.otherWriter.empty()
             ? "it is written elsewhere, too, and the copy does not fill all of it"
             : "";
}

/// Says where a copy's tile is never written, if only this statement writes to it.
void findUnwritten(AnalysedCopy &copy, ArrayRef<AnalysedCopy> ofStatement) {
  SharedTile &tile = copy.relation.tile;
  if (!tile.otherWriter.empty() || copy.relation.cells.empty())
    return;
  SmallVector<const CopyRelation *, 2> writers;
  for (const AnalysedCopy &other : ofStatement)
    if (other.relation.tile.object == tile.object)
      writers.push_back(&other.relation);
  tile.unwritten = unwrittenAround(copy.relation, writers);
}

/// The copies as planned, or why one of them cannot be.
void planCopies(Attempt &made, std::vector<AnalysedCopy> &copies, const KernelUnderTest &under,
                const AnnotatedStatement &annotated, const FileFacts &file) {
  for (AnalysedCopy &copy : copies) {
    // All names of dynamic memory move to its aligned start, but only in the kernel's text.
    const VarDecl *foreign = copy.tile->getType()->isIncompleteArrayType()
                                 ? foreignDynamicMemory(under.path.kernel())
                                 : nullptr;
    if (foreign) {
      made.refusal = diagnose(diag::not_available_yet, copy.relation.place,
                              "a tile in dynamic shared memory that other functions name, too ('" +
                                  foreign->getNameAsString() + "')");
      return;
    }
    describeUses(copy.relation.tile, copy.tile, under, annotated.statement);
    copy.relation.tile.isFresh &= annotated.path.inKernel();
    findUnwritten(copy, copies);
    made.relations.push_back(copy.relation);
    FitOptions fitOptions = fitOptionsOf(*annotated.directive, file.selection.device);
    auto fitted = fit(copy.relation, fitOptions);
    if (auto *reason = std::get_if<Diagnostic>(&fitted)) {
      made.refusal = std::move(*reason);
      if (std::optional<Remedy> remedy =
              under.kind == CopyKind::Load ? findRemedy(copy, under, fitOptions) : std::nullopt)
        made.refusal->remedy = std::move(*remedy);
      return;
    }
    if (std::optional<Unnamed> unnamed = unnamedPart(std::get<Plan>(fitted))) {
      made.refusal = unnamed->at(copy.relation.place);
      return;
    }
    PlannedCopy lifted{annotated.directive,
                       annotated.statement,
                       annotated.path,
                       copy.tile,
                       !copy.relation.tile.otherWriter.empty(),
                       /*storesApart=*/false,
                       /*hasTwoTiles=*/false,
                       whyKept(copy.relation, fitOptions.outsideIsAny),
                       std::move(std::get<Plan>(fitted)),
                       std::make_shared<CopyRelation>(copy.relation),
                       std::nullopt,
                       std::nullopt,
                       0,
                       {}};
    lifted.isBody = isBody(annotated.statement, under.facts);
    lifted.storesApart = under.kind != CopyKind::Load && storesApart(lifted, under);
    made.copies.push_back(std::move(lifted));
  }
}

Attempt attempt(const KernelUnderTest &under, const AnnotatedStatement &annotated,
                const FileFacts &file);

/// A store past the end of a row, or of all rows, may lack a guard.
void tryGuards(Diagnostic &refusal, const KernelUnderTest &under,
               const AnnotatedStatement &annotated, const FileFacts &file) {
  if (refusal.id != DiagnosticId::outside_the_tile && refusal.id != DiagnosticId::clashing_stores)
    return;
  std::vector<GuardRemedy> guards = guardsFor(refusal, annotated.statement, under);
  auto lifts = [&](const GuardRemedy &each) {
    KernelUnderTest guarded = under;
    guarded.guard = each.guard;
    return !attempt(guarded, annotated, file).refusal;
  };
  if (!guards.empty() && lifts(guards.back()))
    refusal.remedy = llvm::find_if(guards, lifts)->remedy;
}

Attempt attempt(const KernelUnderTest &under, const AnnotatedStatement &annotated,
                const FileFacts &file) {
  const SourceManager &sources = file.context.getSourceManager();
  Attempt made;
  if (const FunctionDecl *lambda = annotated.path.lambdaFromElsewhere()) {
    made.refusal = diagnose(
        diag::not_available_yet, placeOf(sources, lambda->getLocation()),
        "a copy in a lambda defined outside of the kernel and the functions that it calls");
    made.refusal->notes.push_back({annotated.directive->statement, "so this copy is not lifted"});
    return made;
  }
  CopyAnalysis analysed = analyseCopy(under, annotated.statement);
  made.hasChoices = analysed.hasChoices;
  made.refusal = std::move(analysed.failure);
  made.decidingArguments = std::move(analysed.decidingArguments);
  if (made.refusal && !under.guard.statement && under.kind == CopyKind::Load)
    tryGuards(*made.refusal, under, annotated, file);
  if (under.mergesCases)
    for (AnalysedCopy &copy : analysed.copies)
      if (std::optional<CopyRelation> merged = withoutRowChoices(copy.relation))
        copy.relation = std::move(*merged);
  planCopies(made, analysed.copies, under, annotated, file);
  if (made.refusal && analysed.endOfWay) // what is not known of the copy may be so for this alone
    made.refusal =
        diagnose(diag::never_reached, placeOf(sources, annotated.statement->getBeginLoc()))
            .note(placeOf(sources, analysed.endOfWay->getBeginLoc()),
                  "no thread goes on from here");
  return made;
}

/// The arguments that a refusal depends on; without one, those in guards that no launch satisfies.
std::set<std::string> decidingArguments(const Attempt &made, const LaunchArguments &arguments) {
  if (made.refusal)
    return made.decidingArguments;
  std::set<std::string> names;
  for (const PlannedCopy &copy : made.copies)
    names.merge(arguments.argumentsOfFalseGuards(copy.plan.copyChecks, copy.plan.symbols));
  return names;
}

/// Makes attempts with the values that launches pass as constants for arguments that decide how
/// much is copied.
Attempt attemptAsLaunched(KernelUnderTest &under, const AnnotatedStatement &annotated,
                          const FileFacts &file) {
  LaunchArguments arguments(file.program, under.path.kernel());
  Attempt best = attempt(under, annotated, file);
  std::set<std::string> deciding = decidingArguments(best, arguments);
  KernelUnderTest launched = under;
  auto learnMore = [&] {
    size_t before = launched.givenArguments.size();
    for (const std::string &name : deciding)
      if (std::optional<int64_t> value = arguments.valueOf(name))
        launched.givenArguments.emplace(name, *value);
    return launched.givenArguments.size() > before;
  };
  while (learnMore()) {
    Attempt last = attempt(launched, annotated, file);
    deciding = decidingArguments(last, arguments);
    if (best.refusal || !last.refusal) {
      best = std::move(last);
      under.givenArguments = launched.givenArguments;
    }
  }
  if (best.refusal)
    for (const std::string &name : deciding)
      best.refusal->notes.push_back(
          {best.refusal->place, "no launch gives the argument '" + name +
                                    "' as a constant: make it one, or a template parameter"});
  return best;
}

} // namespace

size_t Attempt::countGuards() const {
  size_t count = 0;
  for (const PlannedCopy &copy : copies)
    count += llvm::count_if(copy.plan.copyChecks,
                            [](const Check &check) { return check.rule == rule_id::guard; });
  return count;
}

CopyKind kindOf(const Directive &directive) {
  switch (directive.kind) {
  case DirectiveKind::Store: return CopyKind::Store;
  case DirectiveKind::Reduce: return CopyKind::Reduce;
  default: return CopyKind::Load;
  }
}

FitOptions fitOptionsOf(const Directive &directive, const Device &device) {
  const Clauses &clauses = directive.clauses;
  return {clauses.outsideIsAny, clauses.swizzle.value_or(swizzle_mode::none),
          [](const Plan &plan) { return !unnamedPart(plan); }, device};
}

/// Whether a refusal speaks of cases, which nobody has written as such.
static bool isOfCases(const Diagnostic &refusal) {
  return llvm::is_contained({DiagnosticId::uneven_guard, DiagnosticId::guard_not_a_box,
                             DiagnosticId::gathered_rows, DiagnosticId::gathered_guard},
                            refusal.id);
}

Attempt planStatement(KernelUnderTest &under, const AnnotatedStatement &annotated,
                      const FileFacts &file) {
  Attempt best = attemptAsLaunched(under, annotated, file);
  if (best.hasChoices && (best.refusal || best.countGuards() > 0)) {
    KernelUnderTest named = under;
    named.namesChoices = true;
    Attempt other = attempt(named, annotated, file);
    if (other.refusal ? best.refusal && isOfCases(*best.refusal)
                      : best.refusal || other.countGuards() < best.countGuards())
      best = std::move(other);
  }
  if (best.refusal && isOfCases(*best.refusal)) {
    KernelUnderTest merging = under;
    merging.namesChoices = merging.mergesCases = true;
    if (Attempt other = attempt(merging, annotated, file); !other.refusal)
      best = std::move(other);
  }
  return best;
}

} // namespace tilelift
