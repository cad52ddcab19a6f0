//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands at the start of a kernel for the warp that makes its copies: the way to the
// loops in the user's own words, and in the loops nothing but the copies.
//
// The other threads stay as they were, but for what speaks of the whole block.
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"

#include "clang/AST/Attr.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// Whether all lanes of the producer warp work: they do if the warp looks up rows for one of its
/// rings, and then for all of its rings.
bool KernelWriter::hasProducerWarp() const {
  return llvm::any_of(copies(), [&](const PlannedCopy &copy) {
    return copy.plan.gather && kernel.instances.front().isSupplied(copy);
  });
}

/// What one lane does for all.
std::string KernelWriter::ifFirstLane(const Ring &ring, const std::string &text,
                                      const std::string &indent) const {
  if (!ring.isByWarp || text.empty())
    return text;
  return indent + "if (tilelift::is_first_lane()) {\n" + text + indent + "}\n";
}

/// Where threads of the block meet that are the program's.
std::string KernelWriter::blockBarrier() const {
  return hasProducer() ? "tilelift::sync(" + planReference() + "::block);" : "__syncthreads();";
}

std::string KernelWriter::textOfRange(SourceRange range) const {
  return source.between(source.offsetOf(range.getBegin()), source.endOfToken(range.getEnd())).str();
}

/// The rounds of a loop, for all of its rings.
std::string KernelWriter::suppliedRounds(size_t pipeline, const std::string &indent) {
  const Rounds &rounds = kernel.instances.front().pipelines[pipeline].rounds;
  std::string copies;
  std::vector<const Ring *> own;
  for (const Ring &ring : rings)
    if (this->copies()[ring.first].pipeline == pipeline)
      own.push_back(&ring);
  for (const Ring *ring : own) {
    std::string text = roundAhead(*ring, indent + (own.size() > 1 ? "    " : "  ")).copies;
    copies += own.size() > 1 ? indent + "  {\n" + text + indent + "  }\n" : text;
  }
  SmallVector<std::string, 2> steps;
  for (const auto &[cursor, name] : own.front()->cursors)
    steps.push_back(stepsAhead(*cursor, name, *own.front()));
  std::string init;
  if (const auto *counted = dyn_cast<ForStmt>(rounds.loop); counted && counted->getInit())
    init = StringRef(textOfRange(counted->getInit()->getSourceRange())).rtrim("; ").str();
  std::string starts;
  for (const Ring *ring : own)
    starts += prefetchStart(*ring, indent);
  return starts + indent + "for (" + init + "; " + aheadText(rounds.condition, *own.front()) +
         "; " + llvm::join(steps, ", ") + ") {\n" + copies + indent + "}\n";
}

/// A statement as it stands, moved to another indentation.
std::string KernelWriter::movedText(const Stmt *statement, const std::string &indent) {
  unsigned begin = source.offsetOf(statement->getBeginLoc());
  std::string old = source.indentationAt(begin), text;
  SmallVector<StringRef, 8> lines;
  source.between(begin, source.endOf(statement)).split(lines, '\n');
  for (StringRef line : lines) {
    line.consume_front(old);
    text += indent + line.str() + "\n";
  }
  return text;
}

/// Of what is declared together, what the producer needs.
std::string KernelWriter::declaredText(const DeclStmt *declaration, const std::string &indent) {
  SmallVector<const VarDecl *, 4> variables;
  for (const Decl *each : declaration->decls())
    if (const auto *variable = dyn_cast<VarDecl>(each))
      variables.push_back(variable);
  auto isNeeded = [&](const VarDecl *variable) { return producer->path.needed.contains(variable); };
  if (llvm::all_of(variables, isNeeded))
    return movedText(declaration, indent);
  const std::string specifiers = source
                                     .between(source.offsetOf(declaration->getBeginLoc()),
                                              source.declaratorOf(*variables.front()).first)
                                     .str();
  std::string text;
  for (const VarDecl *variable : variables)
    if (isNeeded(variable)) {
      auto [begin, end] = source.declaratorOf(*variable);
      text += indent + specifiers + source.between(begin, end).str() + ";\n";
    }
  return text;
}

std::string KernelWriter::pathText(ArrayRef<PathStep> steps, const std::string &indent) {
  std::string text;
  for (const PathStep &step : steps) {
    const Stmt *statement = step.statement;
    if (step.loop) {
      text += suppliedRounds(producer->loops[*step.loop], indent);
    } else if (step.inner.empty() && step.otherwise.empty()) {
      if (const auto *declaration = dyn_cast<DeclStmt>(statement))
        text += startOfBarriers <= source.offsetOf(statement->getBeginLoc())
                    ? declaredText(declaration, indent)
                    : "";
      else
        text += movedText(statement, indent);
    } else if (isa<CompoundStmt>(statement)) {
      text += indent + "{\n" + pathText(step.inner, indent + "  ") + indent + "}\n";
    } else {
      text += branchText(step, indent);
    }
  }
  return text;
}

/// A loop or an `if` around loops: its head as it stands.
std::string KernelWriter::branchText(const PathStep &step, const std::string &indent) {
  const auto *branch = dyn_cast<IfStmt>(step.statement);
  const Stmt *body = branch ? branch->getThen() : bodyOf(step.statement);
  SourceLocation begin = step.statement->getBeginLoc();
  unsigned from = source.offsetOf(begin), to = source.offsetOf(body->getBeginLoc());
  // Blocks have brackets of their own.
  auto inBrackets = [&](ArrayRef<PathStep> steps) {
    if (steps.size() == 1 && isa<CompoundStmt>(steps.front().statement))
      steps = steps.front().inner;
    return "{\n" + pathText(steps, indent + "  ") + indent + "}";
  };
  std::string text = indent + source.between(from, to).rtrim().str() + " " + inBrackets(step.inner);
  if (!step.otherwise.empty())
    text += " else " + inBrackets(step.otherwise);
  return text + "\n";
}

/// The producer's part of the kernel, behind its barriers and tiles.
std::string KernelWriter::producerText() {
  std::string block = planReference() + "::block";
  std::string isProducer = hasProducerWarp() ? "is_producer_warp(" : "is_producer(";
  return "\n  if (tilelift::is_added(" + block + ")) {\n    if (tilelift::" + isProducer + block +
         ")) {\n" + pathText(producer->path.steps.front().inner, "      ") +
         "    }\n    return;\n  }";
}

/// Tells the compiler that the block has the producer warp, too: in place of the size in
/// __launch_bounds__ of the plain kernel, or by a new one before the name.
std::string KernelWriter::boundLaunch() {
  std::vector<int64_t> sizes;
  for (const InstancePlan &instance : kernel.instances) {
    BlockShape block = withAddedWarp(instance.block);
    sizes.push_back(int64_t(block[0]) * block[1] * block[2]);
  }
  std::string size =
      CodeText(plansOf(0), planReference(), planConstants).number(sizes, "lifted_threads");
  unsigned begin = source.beginOf(kernel.pattern);
  StringRef head = source.between(begin, source.offsetOf(kernel.pattern->getLocation()));
  if (!kernel.pattern->hasAttr<CUDALaunchBoundsAttr>()) // either bounds the registers
    return head.contains("__maxnreg__") ? "" : "__launch_bounds__(" + size + ") ";
  const Expr *bound = kernel.pattern->getAttr<CUDALaunchBoundsAttr>()->getMaxThreads();
  texts.front().edits.push_back(replacement(source.offsetOf(source.written(bound->getBeginLoc())),
                                            source.endOfToken(source.written(bound->getEndLoc())),
                                            size));
  return "";
}

/// Makes the program's barriers, and its block size, those of the block without the producer warp.
void KernelWriter::meetWithoutProducer() {
  const BlockUses &uses = producer->uses;
  if (uses.countsThreads)
    texts.front().edits.push_back(insertion(
        source.endOfToken(kernel.pattern->getBody()->getBeginLoc()),
        "\n  [[maybe_unused]] constexpr tilelift::block_size blockDim = " + planReference() +
            "::block;"));
  DenseSet<unsigned> done;
  for (const Expr *barrier : uses.barriers)
    if (done.insert(source.offsetOf(barrier->getBeginLoc())).second &&
        llvm::none_of(orders.redundant, [&](const Expr *other) {
          return other->getBeginLoc() == barrier->getBeginLoc();
        }))
      texts.front().edits.push_back(replacement(source.offsetOf(barrier->getBeginLoc()),
                                                source.endOfToken(barrier->getEndLoc()),
                                                StringRef(blockBarrier()).drop_back().str()));
}

} // namespace tilelift
