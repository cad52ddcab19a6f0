//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/KernelEffects.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Of code that nobody has seen.
Effect anyEffect() {
  Effect effect;
  effect.reads = effect.writes = ObjectSet::all();
  effect.meetsBlock = effect.meetsOthers = effect.signals = effect.fencesProxy = true;
  effect.mayLeave = effect.differs = effect.countsThreads = effect.asksSharedSize = true;
  effect.isUnknown = true;
  return effect;
}

} // namespace

KernelEffects::KernelEffects(const FunctionDecl *kernel, DeviceCode &code) : code(code) {
  const Function *function = code.of(kernel);
  if (!function) {
    all = anyEffect();
    return;
  }
  memory = std::make_unique<Memory>(kernel, *function, code);
  places.emplace_back(); // of what has none
  DenseMap<const BasicBlock *, unsigned> numbers;
  for (const BasicBlock &block : *function)
    numbers.try_emplace(&block, unsigned(numbers.size()));
  blocks.resize(numbers.size());
  for (const BasicBlock &block : *function) {
    CodeBlock &own = blocks[numbers[&block]];
    for (const Instruction &instruction : block) {
      Effect effect = effectOf(instruction, *memory, code);
      unsigned place = placeOf(instruction.getDebugLoc().get());
      all.add(effect);
      bool isSeen = !effect.isNothing() || effect.differs || effect.countsThreads ||
                    effect.asksSharedSize;
      bool isElsewhere = place != 0 && (own.steps.empty() || own.steps.back().place != place);
      if (isSeen || isElsewhere)
        own.steps.push_back({std::move(effect), place});
    }
    for (const BasicBlock *next : successors(&block))
      own.next.push_back(numbers[next]);
  }
}

/// From the innermost function outwards, as debug information has it, and back.
unsigned KernelEffects::placeOf(const DILocation *location) {
  if (!location)
    return 0;
  auto [known, isNew] = placeNumbers.try_emplace(location, unsigned(places.size()));
  if (!isNew)
    return known->second;
  Frames frames;
  for (const DILocation *at = location; at; at = at->getInlinedAt())
    frames.push_back({code.functionOf(at->getScope()->getSubprogram()),
                      {at->getLine(), at->getColumn(), sys::path::filename(at->getFilename()).str()}});
  std::reverse(frames.begin(), frames.end());
  places.push_back(std::move(frames));
  return unsigned(places.size() - 1);
}

const SpotTable &KernelEffects::spotsOf(const FunctionDecl *function) const {
  return spots.try_emplace(function->getCanonicalDecl(), function).first->second;
}

/// Where in the path's last function; null where the step was not made by that. Calls of a
/// lambda are as good as each other: they run the same text.
const Spot *KernelEffects::spotIn(const CodeStep &step, const CallPath &path) const {
  const Frames &frames = places[step.place];
  size_t depth = path.getFunctions().size(), textDepth = path.textDepth();
  if (frames.size() < depth)
    return nullptr;
  for (size_t i = 0; i < depth; ++i) {
    const auto &[function, spot] = frames[i];
    const FunctionDecl *wanted = path.getFunctions()[i];
    if (!function || function->getCanonicalDecl() != wanted->getCanonicalDecl())
      return nullptr;
    bool isCallOfText = i + 1 < textDepth;
    if (isCallOfText && !spotsOf(wanted).isAt(path.getCalls()[i], spot))
      return nullptr;
  }
  return &frames[depth - 1].second;
}

KernelEffects::Within KernelEffects::isWithin(const CodeStep &step, const Stmt *part,
                                              const CallPath &path) const {
  if (step.place == 0)
    return Within::Nowhere;
  const Spot *spot = spotIn(step, path);
  if (!spot)
    return Within::No;
  const SpotTable &table = spotsOf(path.end());
  ArrayRef<const Stmt *> here = table.at(*spot);
  if (here.empty())
    return Within::Nowhere;
  bool isInside = false, isElsewhere = false;
  for (const Stmt *statement : here) {
    bool isOwn = table.isWithin(statement, part);
    isInside |= isOwn;
    isElsewhere |= !isOwn && !table.isWithin(part, statement);
  }
  return !isInside ? Within::No : isElsewhere ? Within::Shared : Within::Yes;
}

Effect KernelEffects::of(const Stmt *part, const CallPath &path) const {
  if (!isKnown())
    return anyEffect();
  Effect effect;
  for (const CodeBlock &block : blocks)
    for (const CodeStep &step : block.steps)
      if (isWithin(step, part, path) != Within::No)
        effect.add(step.effect);
  return effect;
}

std::map<Spot, Effect> KernelEffects::bySpots() const {
  std::map<Spot, Effect> effects;
  for (const CodeBlock &block : blocks)
    for (const CodeStep &step : block.steps)
      effects[step.place == 0 ? Spot() : places[step.place].front().second].add(step.effect);
  return effects;
}

const Stmt *KernelEffects::statementAt(const CodeStep &step, const CallPath &path) const {
  const Spot *spot = step.place == 0 ? nullptr : spotIn(step, path);
  if (!spot)
    return nullptr;
  ArrayRef<const Stmt *> here = spotsOf(path.end()).at(*spot);
  return here.empty() ? nullptr : here.back();
}

const CallExpr *KernelEffects::callAt(const CodeStep &step, const CallPath &path) const {
  const Spot *spot = step.place == 0 ? nullptr : spotIn(step, path);
  const CallExpr *innermost = nullptr;
  if (spot)
    for (const Stmt *here : spotsOf(path.end()).at(*spot))
      if (const auto *call = dyn_cast<CallExpr>(here))
        innermost = call;
  return innermost;
}

bool KernelEffects::isStatement(const Expr *expression, const CallPath &path) const {
  const SpotTable &table = spotsOf(path.end());
  const Stmt *parent = table.parentOf(expression);
  while (isa_and_nonnull<FullExpr>(parent))
    parent = table.parentOf(parent);
  return isa_and_nonnull<CompoundStmt>(parent);
}

const KernelEffects &Effects::of(const FunctionDecl *kernel) const {
  if (!code)
    code = std::make_unique<DeviceCode>(context, kernels);
  std::unique_ptr<KernelEffects> &own = known[kernel];
  if (!own)
    own = std::make_unique<KernelEffects>(kernel, *code);
  return *own;
}

} // namespace tilelift
