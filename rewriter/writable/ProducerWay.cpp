//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/ProducerWay.h"

#include "spelling/NamedParts.h"
#include "support/Words.h"
#include "writable/FunctionText.h"

#include "clang/AST/Attr.h"

#include <set>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

class WayFinder {
public:
  WayFinder(const KernelPlan &kernel, const SourceText &source, const Effects &effects,
            unsigned begin)
      : kernel(kernel),
        first(kernel.instances.front()),
        source(source),
        effects(effects),
        begin(begin) {}

  std::variant<ProducerWay, Diagnostic> run();

private:
  Diagnostic refusal(SourceLocation at, const std::string &why) const {
    return diagnose(diag::no_producer, {source.offsetOf(at)}, why);
  }
  std::optional<Diagnostic> whyNotBounded() const;
  std::optional<Diagnostic> whyTilesComeLate() const;
  StringSet<> namesInCopiesOf(size_t pipeline) const;
  std::variant<ProducerPath, Diagnostic> pathIn(const InstancePlan &instance) const;
  bool haveOneWay(ArrayRef<PathStep> a, ArrayRef<PathStep> b) const;
  std::optional<Diagnostic> findPath();
  const Stmt *initOf(size_t loop) const;
  std::optional<SourceRange> partOfMacro(ArrayRef<PathStep> steps) const;
  std::optional<SourceRange> partOfMacro(const PathStep &step) const;
  std::optional<SourceRange> ifOfMacro(const Stmt *part) const;
  BlockUses usesOfBlock() const;

  const KernelPlan &kernel;
  const InstancePlan &first;
  const SourceText &source;
  const Effects &effects;
  const unsigned begin;
  ProducerWay way;
};

/// The lifted block has more threads, so what bounds the plain kernel's block has to be changed.
std::optional<Diagnostic> WayFinder::whyNotBounded() const {
  const auto *bounds = kernel.pattern->getAttr<CUDALaunchBoundsAttr>();
  if (!bounds)
    return std::nullopt;
  StringRef head = source.between(source.beginOf(kernel.pattern),
                                  source.offsetOf(kernel.pattern->getLocation()));
  const size_t word = head.find("__launch_bounds__");
  if (word != StringRef::npos && head.find('(', word) != StringRef::npos &&
      source.isPlainText(bounds->getMaxThreads()->getSourceRange()))
    return std::nullopt;
  return refusal(kernel.pattern->getLocation(), "a macro bounds the kernel's launch");
}

std::optional<Diagnostic> WayFinder::whyTilesComeLate() const {
  for (const PlannedCopy &copy : first.copies) {
    const unsigned tile = source.offsetOf(copy.tile->getLocation());
    if (first.isSupplied(copy) && tile >= begin)
      return diagnose(diag::no_producer, {copy.directive->statement},
                      "'" + copy.plan.tile + "' is declared behind other statements")
          .note({tile}, "declare it first in the kernel");
  }
  return std::nullopt;
}

/// What the copies of a loop name besides the loop's own variables.
StringSet<> WayFinder::namesInCopiesOf(size_t pipeline) const {
  std::vector<size_t> textOf;
  const std::vector<FunctionText> texts = textsOf(first, textOf);
  StringSet<> names;
  for (size_t i = 0; i < first.copies.size(); ++i) {
    if (first.copies[i].pipeline != pipeline)
      continue;
    auto numbers =
        textsInKernel(kernel.plansAheadOf(i), declares(texts[textOf[i]], first.copies[i].tile));
    for (const std::string &text : std::get<std::vector<std::string>>(numbers))
      for (StringRef word : wordsIn(text))
        if (!isMember(word, text))
          names.insert(word);
  }
  return names;
}

/// The statements that the producer runs on its way to the loops in one instance of the kernel, or
/// why it cannot run them.
std::variant<ProducerPath, Diagnostic> WayFinder::pathIn(const InstancePlan &instance) const {
  std::vector<ProducerLoop> loops;
  std::vector<const GlobalBase *> sources;
  for (size_t pipeline : way.loops) {
    loops.push_back({&instance.pipelines[pipeline].rounds, namesInCopiesOf(pipeline), {}});
    for (const PlannedCopy &copy : instance.copies)
      if (copy.pipeline == pipeline) {
        sources.push_back(&copy.plan.base);
        for (const BranchCondition &branch : copy.branches)
          loops.back().branches.push_back(branch.condition);
      }
  }
  return findProducerPath(instance.function, loops, sources, effects.of(instance.function));
}

/// Whether two instances have the same statements on the way, of the one text that they share.
bool WayFinder::haveOneWay(ArrayRef<PathStep> a, ArrayRef<PathStep> b) const {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const PathStep &x, const PathStep &y) {
                      return source.offsetOf(x.statement->getBeginLoc()) ==
                                 source.offsetOf(y.statement->getBeginLoc()) &&
                             x.loop == y.loop && haveOneWay(x.inner, y.inner) &&
                             haveOneWay(x.otherwise, y.otherwise);
                    });
}

/// Finds the way in all instances; a text that serves all of them has one.
std::optional<Diagnostic> WayFinder::findPath() {
  const Place place = first.pipelines[way.loops.front()].place;
  auto namesOf = [](const ProducerPath &path) {
    std::set<std::string> names;
    for (const VarDecl *variable : path.needed)
      names.insert(variable->getNameAsString());
    return names;
  };
  for (const InstancePlan &instance : kernel.instances) {
    auto found = pathIn(instance);
    if (auto *problem = std::get_if<Diagnostic>(&found)) {
      problem->place = place;
      return std::move(*problem);
    }
    auto &own = std::get<ProducerPath>(found);
    if (&instance == &first)
      way.path = std::move(own);
    else if (!haveOneWay(own.steps, way.path.steps) || namesOf(own) != namesOf(way.path))
      return diagnose(diag::no_producer, place, "the way there differs between the instantiations");
  }
  return std::nullopt;
}

const Stmt *WayFinder::initOf(size_t loop) const {
  const auto *counted = dyn_cast<ForStmt>(first.pipelines[way.loops[loop]].rounds.loop);
  return counted ? counted->getInit() : nullptr;
}

std::optional<SourceRange> WayFinder::ifOfMacro(const Stmt *part) const {
  if (!part || source.isPlainText(part->getSourceRange()))
    return std::nullopt;
  return part->getSourceRange();
}

/// The first part of the way that a macro has brought, so that it cannot be written once more.
std::optional<SourceRange> WayFinder::partOfMacro(ArrayRef<PathStep> steps) const {
  for (const PathStep &step : steps)
    if (std::optional<SourceRange> part = partOfMacro(step))
      return part;
  return std::nullopt;
}

std::optional<SourceRange> WayFinder::partOfMacro(const PathStep &step) const {
  if (step.loop)
    return ifOfMacro(initOf(*step.loop));
  const bool isWhole = step.inner.empty() && step.otherwise.empty();
  // What is declared before the producer leaves the others is there already.
  const bool isThere =
      isa<DeclStmt>(step.statement) && source.offsetOf(step.statement->getBeginLoc()) < begin;
  if (isWhole && isThere)
    return std::nullopt;
  if (isWhole || !isa<CompoundStmt>(step.statement))
    if (std::optional<SourceRange> part = ifOfMacro(step.statement))
      return part;
  std::optional<SourceRange> part = partOfMacro(step.inner);
  return part ? part : partOfMacro(step.otherwise);
}

/// Barriers of the program are for its own threads, and so is the number of them.
BlockUses WayFinder::usesOfBlock() const {
  BlockUses uses;
  for (const InstancePlan &instance : kernel.instances) {
    BlockUses own = std::get<BlockUses>(
        findBlockUses(instance.function, instance.block, effects.of(instance.function)));
    llvm::append_range(uses.barriers, own.barriers);
    uses.countsThreads |= own.countsThreads;
  }
  return uses;
}

std::variant<ProducerWay, Diagnostic> WayFinder::run() {
  for (size_t pipeline = 0; pipeline < first.pipelines.size(); ++pipeline)
    if (first.pipelines[pipeline].hasProducer)
      way.loops.push_back(pipeline);
  if (std::optional<Diagnostic> problem = whyNotBounded())
    return std::move(*problem);
  if (std::optional<Diagnostic> problem = whyTilesComeLate())
    return std::move(*problem);
  if (std::optional<Diagnostic> problem = findPath())
    return std::move(*problem);
  if (std::optional<SourceRange> part = partOfMacro(way.path.steps.front().inner))
    return refusal(part->getBegin(), "on the way there is a part that a macro has written");
  way.uses = usesOfBlock();
  return std::move(way);
}

} // namespace

std::variant<ProducerWay, Diagnostic> findProducerWay(const KernelPlan &kernel,
                                                      const SourceText &source,
                                                      const Effects &effects, unsigned begin) {
  return WayFinder(kernel, source, effects, begin).run();
}

} // namespace tilelift
