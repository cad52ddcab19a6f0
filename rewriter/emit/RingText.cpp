//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that are made ahead of their rounds: a ring of tiles in place of each tile.
// Before the loop, the leader fills it for the first rounds, and at the copy for one more.
//
// It asks the user's condition and takes the user's steps, on variables of its own, so that
// it sees the rounds which the user's loop will run, and no others.
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"
#include "support/NamesInText.h"
#include "support/Words.h"

#include "clang/Lex/Lexer.h"

#include <map>

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool isWordOf(StringRef text, StringRef word) { return llvm::is_contained(wordsIn(text), word); }

std::vector<const Plan *> pointersTo(const std::vector<Plan> &plans) {
  std::vector<const Plan *> pointers;
  for (const Plan &plan : plans)
    pointers.push_back(&plan);
  return pointers;
}

} // namespace

const Ring *KernelWriter::ringOf(size_t copy) const {
  auto found = llvm::find_if(
      rings, [&](const Ring &ring) { return ring.first <= copy && copy <= ring.last; });
  return found == rings.end() ? nullptr : &*found;
}

/// One ring for the copies that wait together.
void KernelWriter::nameRings() {
  plansAhead.resize(copies().size());
  plansFar.resize(copies().size());
  for (size_t i = 0; i < copies().size(); ++i) {
    if (!copies()[i].pipeline)
      continue;
    if (orders.copies[i].joinsPrevious) {
      rings.back().last = i;
      continue;
    }
    Ring ring;
    ring.first = ring.last = i;
    std::string stem = copyNames[i].box.empty() ? StringRef(copyNames[i].bytes).drop_back(6).str()
                                                : StringRef(copyNames[i].box).drop_back(4).str();
    ring.full = source.unused(stem + "_full");
    ring.place = source.unused(stem + "_place");
    ring.isSupplied = kernel.instances.front().isSupplied(copies()[i]);
    ring.empty = source.unused(stem + "_empty");
    ring.meeting = source.unused(stem + "_meeting");
    std::vector<int64_t> stages;
    for (const Plan *plan : plansOf(i))
      stages.push_back(plan->stages);
    ring.stages = codeOf(i, false).number(stages, stem + "_stages");
    rings.push_back(std::move(ring));
  }
  for (Ring &ring : rings) {
    ring.isByWarp = ring.isSupplied && hasProducerWarp();
    nameAhead(ring);
    nameFar(ring);
  }
}

std::string KernelWriter::freshName(const std::string &stem) {
  std::string name = source.unused(stem);
  for (unsigned n = 2; !takenAhead.insert(name).second; ++n)
    name = source.unused(stem + "_" + std::to_string(n));
  return name;
}

/// Gives the ring's copies names for what the loop's variables will be.
void KernelWriter::nameAhead(Ring &ring) {
  const Rounds &rounds = kernel.instances.front().pipelines[*copies()[ring.first].pipeline].rounds;
  for (const Cursor &cursor : rounds.cursors) {
    if (ring.isSupplied) { // whose variables are the producer's own
      ring.cursors.push_back({&cursor, cursor.variable->getNameAsString()});
      continue;
    }
    ring.cursors.push_back({&cursor, freshName(cursor.variable->getNameAsString() + "_ahead")});
  }
  for (size_t copy = ring.first; copy <= ring.last; ++copy)
    plansAhead[copy] = plansWith(copy, ring);
}

/// The plans of a copy that is made ahead, with the names of a ring's variables.
std::vector<Plan> KernelWriter::plansWith(size_t copy, const Ring &ring) const {
  auto rename = [&](std::string &name) {
    for (const auto &[cursor, own] : ring.cursors)
      if (name == cursor->variable->getName())
        return void(name = own);
  };
  std::vector<Plan> plans;
  for (const InstancePlan &instance : kernel.instances) {
    Plan plan = *instance.copies[copy].ahead;
    for (NamedValue &named : plan.names)
      rename(named.name);
    for (NamedPointer &named : plan.pointers)
      rename(named.name);
    plans.push_back(std::move(plan));
  }
  return plans;
}

/// What L2 fetches has variables of its own, further on than the ring's by as many rounds as
/// any of its copies asks for.
void KernelWriter::nameFar(Ring &ring) {
  std::vector<int64_t> rounds;
  for (const InstancePlan &instance : kernel.instances) {
    unsigned most = 0;
    for (size_t copy = ring.first; copy <= ring.last; ++copy)
      most = std::max(most, instance.copies[copy].prefetched);
    rounds.push_back(most);
  }
  if (rounds.front() == 0)
    return;
  ring.farRounds = codeOf(ring.first, false).number(rounds, copyNames[ring.first].tile + "_rounds");
  for (const auto &[cursor, name] : ring.cursors)
    ring.farCursors.push_back(
        {cursor, freshName(cursor->variable->getNameAsString() + "_prefetched")});
  for (size_t copy = ring.first; copy <= ring.last; ++copy)
    plansFar[copy] = plansWith(copy, ring.far());
}

CodeText KernelWriter::farCodeOf(size_t copy) {
  return {pointersTo(plansFar[copy]), planIn(texts[textOf[copy]]), planConstants};
}

/// The code that prefetches tiles of later rounds to L2, beside the filling of a tile.
std::string KernelWriter::prefetchText(const Ring &ring, const std::string &indent) {
  if (ring.farRounds.empty())
    return "";
  const Ring far = ring.far();
  const Rounds &rounds = kernel.instances.front().pipelines[*copies()[ring.first].pipeline].rounds;
  std::string branches = conditionOfRound(far), inner = indent + (branches.empty() ? "  " : "    "),
              calls;
  for (size_t i = ring.first; i <= ring.last; ++i) {
    if (copies()[i].prefetched == 0)
      continue;
    std::string checks = checksText(i, farCodeOf(i));
    calls += checks.empty() ? callText(i, inner, true)
                            : inner + "if (" + checks + ") {\n" + callText(i, inner + "  ", true) +
                                  inner + "}\n";
  }
  if (!branches.empty())
    calls = indent + "  if (" + branches + ") {\n" + calls + indent + "  }\n";
  SmallVector<std::string, 2> steps;
  for (const auto &[cursor, name] : far.cursors)
    steps.push_back(stepsAhead(*cursor, name, far));
  return indent + "if (" + aheadText(rounds.condition, far) + ") {\n" + calls + indent + "  " +
         llvm::join(steps, ", ") + ";\n" + indent + "}\n";
}

/// Its variables before the loop, behind those that fill tiles.
std::string KernelWriter::prefetchStart(const Ring &ring, const std::string &indent) {
  if (ring.farRounds.empty())
    return "";
  const Ring far = ring.far();
  const Rounds &rounds = kernel.instances.front().pipelines[*copies()[ring.first].pipeline].rounds;
  std::string text, counter = source.unused("tma_round");
  SmallVector<std::string, 2> steps{"++" + counter};
  for (const auto &[cursor, name] : far.cursors) {
    text += indent + declarationAhead(*cursor, name, ring) + "\n";
    steps.push_back(stepsAhead(*cursor, name, far));
  }
  return text + indent + "for (int " + counter + " = 0; " + counter + " < " + ring.farRounds +
         " && (" + aheadText(rounds.condition, far) + ");)\n" + indent + "  " +
         llvm::join(steps, ", ") + ";\n";
}

std::vector<const Plan *> KernelWriter::issuedPlansOf(size_t copy) const {
  if (!ringOf(copy))
    return plansOf(copy);
  return pointersTo(plansAhead[copy]);
}

std::string KernelWriter::tilesOf(size_t copy) const {
  if (const Ring *ring = ringOf(copy))
    return ring->stages;
  return copies()[copy].hasTwoTiles ? "2" : "";
}

std::string KernelWriter::slotOf(size_t copy, const std::string &index) const {
  return ringTile(copy) + "[" + index + "]" + (needsSlots(copy) ? ".value" : "");
}

/// All kernels of a program that use one name have one array, with the alignment of the first.
std::string KernelWriter::dynamicMemory() const {
  const int64_t alignment = alignmentOfMemory();
  return alignment == 128 ? names.memory : names.memory + "_" + std::to_string(alignment);
}

/// Rings come first, as only the launch says how much the user has.
std::string KernelWriter::startOfDynamicMemory() const {
  return dynamicMemory() +
         (hasDynamicRings(kernel) ? " + " + planReference() + "::ring_bytes" : "");
}

/// The barriers of a ring, and where a thread is in it.
std::string KernelWriter::ringBarriers(const Ring &ring) const {
  std::string count = "[" + ring.stages + "]", of = "<" + ring.stages + "> " + ring.place;
  if (!ring.isSupplied)
    return "\n  __shared__ tilelift::barrier " + ring.full + count + ";\n  tilelift::ring" + of +
           " = tilelift::begin(" + ring.full + ");" + meetings(ring);
  return "\n  __shared__ tilelift::barrier " + ring.full + count + ", " + ring.empty + count +
         ";\n  tilelift::supply" + of + " = tilelift::begin(" + ring.full + ", " + ring.empty +
         ", " + planReference() + "::block);" + meetings(ring);
}

std::string KernelWriter::ringDeclaration(size_t copy, const std::string &type) {
  if (!isInDynamicMemory(copy))
    return "__shared__ " + type + " " + ringTile(copy) + "[" + tilesOf(copy) + "];";
  std::vector<int64_t> starts;
  for (const Plan *plan : plansOf(copy))
    starts.push_back(plan->ringAt->count());
  std::string start = codeOf(copy, false).number(starts, copyNames[copy].tile + "_ring_at");
  return "auto &" + ringTile(copy) + " = tilelift::tiles<" + type + ", " + tilesOf(copy) + ">(" +
         dynamicMemory() + (start == "0" ? "" : " + " + start) + ");";
}

/// An expression of the loop's, on the leader's variables.
std::string KernelWriter::aheadText(const Expr *expression, const Ring &ring) {
  unsigned begin = source.offsetOf(source.written(expression->getBeginLoc()));
  unsigned end = source.endOfToken(source.written(expression->getEndLoc()));
  std::string text = source.between(begin, end).str();
  std::map<unsigned, std::pair<const NamedDecl *, std::string>> renamed;
  for (const NameInText &each : namesInTextOf(expression))
    for (const auto &[cursor, name] : ring.cursors)
      if (means(each, cursor->variable))
        renamed[source.offsetOf(each.location)] = {each.declaration, name};
  for (const auto &[offset, each] : llvm::reverse(renamed))
    text.replace(offset - begin, each.first->getName().size(), each.second);
  return text;
}

std::string KernelWriter::stepsAhead(const Cursor &cursor, const std::string &name,
                                     const Ring &ring) {
  SmallVector<std::string, 2> steps;
  for (const Change &step : cursor.steps) {
    std::string sign = step.direction > 0 ? "+" : "-";
    steps.push_back(step.value ? name + " " + sign + "= " + aheadText(step.value, ring)
                               : sign + sign + name);
  }
  return llvm::join(steps, ", ");
}

/// The condition under which a later round makes the copies of a ring; empty if each round makes
/// them.
std::string KernelWriter::conditionOfRound(const Ring &ring) {
  SmallVector<std::string, 2> texts;
  ArrayRef<BranchCondition> branches = copies()[ring.first].branches;
  for (const BranchCondition &branch : llvm::reverse(branches)) {
    std::string text = aheadText(branch.condition, ring);
    texts.push_back(branch.isElse         ? "!(" + text + ")"
                    : branches.size() > 1 ? "(" + text + ")"
                                          : text);
  }
  return llvm::join(texts, " && ");
}

/// What the leader does for a round to come, if there is one, and how it gets to the next.
KernelWriter::RoundAhead KernelWriter::roundAhead(const Ring &ring, const std::string &outer) {
  std::string branches = conditionOfRound(ring), indent = branches.empty() ? outer : outer + "  ";
  std::string checks = checksOf(ring.first, ring.last + 1, true), bytes = expectedBytes(ring.first);
  RoundAhead round;
  const std::string inner = checks.empty() ? indent : indent + "  ";
  std::string loads;
  for (size_t i = ring.first; i <= ring.last; ++i) {
    bool byOne = ring.isByWarp && !copies()[i].plan.gather;
    loads += byOne ? ifFirstLane(ring, callText(i, inner + "  "), inner) : callText(i, inner);
  }
  if (!checks.empty()) {
    round.copies = indent + "const bool " + names.lifts + " = " + checks + ";\n";
    bytes = names.lifts + " ? " + bytes + " : 0";
    loads = indent + "if (" + names.lifts + ") {\n" + loads + indent + "}\n";
  }
  round.copies +=
      indent + "const int " + names.slot + " = " + ring.place +
      (ring.isByWarp ? ".claim_by_warp(" : ".claim(") + ring.full +
      (ring.isSupplied ? ", " + ring.empty : "") + ", " + bytes + ");\n" +
      ifFirstLane(ring, meetText(ring.first, ring.last, indent + (ring.isByWarp ? "  " : "")),
                  indent) +
      loads;
  if (!branches.empty())
    round.copies = outer + "if (" + branches + ") {\n" + round.copies + outer + "}\n";
  const Rounds &rounds = kernel.instances.front().pipelines[*copies()[ring.first].pipeline].rounds;
  round.condition = aheadText(rounds.condition, ring);
  std::string far = prefetchText(ring, ring.isByWarp ? outer + "  " : outer);
  round.copies += ring.isByWarp ? ifFirstLane(ring, far, outer) : far;
  SmallVector<std::string, 2> steps;
  for (const auto &[cursor, name] : ring.cursors)
    if (isWordOf(round.condition, name) || isWordOf(round.copies, name))
      steps.push_back(stepsAhead(*cursor, name, ring));
  round.steps = llvm::join(steps, ", ");
  return round;
}

/// What a loop variable's double is before the loop.
std::string KernelWriter::declarationAhead(const Cursor &cursor, const std::string &name,
                                           const Ring &ring) {
  std::string own = cursor.variable->getNameAsString();
  if (!cursor.start)
    return "auto " + name + " = " + own + ";";
  const std::string start = " = " + aheadText(cursor.start, {}) + ";";
  if (cursor.start != cursor.variable->getInit())
    return "decltype(" + own + ") " + name + start;
  // As it is written, since a template's text is that of all its instances: the specifiers, which
  // several variables may share, and what the variable has of its own around its name.
  const Rounds &rounds = kernel.instances.front().pipelines[*copies()[ring.first].pipeline].rounds;
  const auto *head = cast<DeclStmt>(cast<ForStmt>(rounds.loop)->getInit());
  const unsigned place = source.offsetOf(cursor.variable->getLocation());
  StringRef behind = source.between(source.endOfToken(cursor.variable->getLocation()),
                                    source.offsetOf(source.written(cursor.start->getBeginLoc())));
  return source
             .between(source.offsetOf(head->getBeginLoc()),
                      source.declaratorOf(*cast<VarDecl>(*head->decl_begin())).first)
             .str() +
         source.between(source.declaratorOf(*cursor.variable).first, place).str() + name +
         behind.rtrim("=({ \t\n").str() + start;
}

/// Whether the leader fills the ring before the loop, so that each round has one tile to
/// fill: where no thread has to do something first.
bool KernelWriter::startsBeforeLoop(const Ring &ring) const {
  return !anyOrder(ring.first, ring.last, &CopyOrder::sourceWritten) &&
         !anyOrder(ring.first, ring.last, &CopyOrder::writtenBefore);
}

/// The loop over the rounds to come for which there is room.
std::string KernelWriter::startText(const Ring &ring, const std::string &indent) {
  RoundAhead round = roundAhead(ring, indent + "    ");
  const Expr *condition =
      kernel.instances.front().pipelines[*copies()[ring.first].pipeline].rounds.condition;
  const auto *binary = dyn_cast<BinaryOperator>(condition->IgnoreImpCasts());
  bool bindsLess = isa<AbstractConditionalOperator>(condition->IgnoreImpCasts()) ||
                   (binary && (binary->getOpcode() == BO_LOr || binary->isCommaOp()));
  if (bindsLess)
    round.condition = "(" + round.condition + ")";
  return indent + "  for (; " + ring.place + ".has_room() && " + round.condition + "; " +
         round.steps + ") {\n" + round.copies + indent + "  }\n";
}

/// Gives the tile of the round before to the producer.
std::string KernelWriter::handBackText(const Ring &ring, const std::string &indent) const {
  bool isWritten = anyOrder(ring.first, ring.last, &CopyOrder::writtenBefore);
  return (isWritten ? indent + "tilelift::fence_before_tma();\n" : "") + indent + ring.place +
         ".advance(" + ring.empty + ");\n";
}

/// Goes on to the next tiles of a ring, and gives them their names.
std::string KernelWriter::bindText(const Ring &ring, const std::string &indent) {
  std::string text =
      ring.isSupplied ? handBackText(ring, indent) : indent + ring.place + ".advance();\n";
  for (size_t i = ring.first; i <= ring.last; ++i) {
    bool isBound = false;
    for (size_t j = 0; j < i; ++j)
      isBound |=
          copies()[j].tile == copies()[i].tile && copies()[j].pipeline == copies()[i].pipeline;
    if (!isBound)
      text +=
          indent + "auto &" + copyNames[i].tile + " = " + slotOf(i, ring.place + ".stage") + ";\n";
  }
  return text;
}

/// What fills a tile, and waits for the one of this round.
std::string KernelWriter::fillText(const Ring &ring, const std::string &indent) {
  std::string wait = indent + "tilelift::wait(" + ring.full + ", " + ring.place + ");";
  if (ring.isSupplied)
    return wait;
  std::string text = orderText(ring.first, ring.last, indent);
  // One tile is free now, and one round takes it, if each round takes one.
  if (startsBeforeLoop(ring) && copies()[ring.first].branches.empty()) {
    RoundAhead round = roundAhead(ring, indent + "    ");
    text += indent + "  if (" + round.condition + ") {\n" + round.copies;
    if (!round.steps.empty())
      text += indent + "    " + round.steps + ";\n";
    text += indent + "  }\n";
  } else {
    text += startText(ring, indent);
  }
  return text + indent + "}\n" + wait;
}

/// The innermost loop with a pipeline that a statement stands in.
const Stmt *KernelWriter::pipelineAround(const Stmt *statement) const {
  const Stmt *innermost = nullptr;
  unsigned at = source.offsetOf(statement->getBeginLoc());
  for (const PlannedPipeline &pipeline : kernel.instances.front().pipelines) {
    const Stmt *loop = pipeline.rounds.loop;
    unsigned begin = source.offsetOf(loop->getBeginLoc());
    if (begin < at && at < source.endOf(loop) &&
        (!innermost || source.offsetOf(innermost->getBeginLoc()) < begin))
      innermost = loop;
  }
  return innermost;
}

/// A tile that is stored in each round is not the one that TMA may still be reading.
void KernelWriter::bindTurns(size_t copy) {
  const Stmt *loop = pipelineAround(copies()[copy].statement);
  texts.front().edits.push_back(
      insertion(source.endOfToken(bodyOf(loop)->getBeginLoc()),
                "\n" + source.indentationAt(source.offsetOf(loop->getBeginLoc())) + "  auto &" +
                    copyNames[copy].tile + " = " + slotOf(copy, turnOf(copy) + " ^= 1") + ";"));
}

/// Where the first copy of a ring stands in a block by itself, its tiles get their names before
/// that block, as the rest of the round uses them; or else what stands at the copy.
std::string KernelWriter::bindInRound(const Ring &ring) {
  const PlannedCopy &first = copies()[ring.first];
  if (first.inRound == first.statement)
    return bindText(ring, source.indentationAt(first.directive->statement.offset));
  unsigned begin = source.offsetOf(first.inRound->getBeginLoc());
  std::string indent = source.indentationAt(begin);
  texts[textOf[ring.first]].edits.push_back(
      insertion(begin, StringRef(bindText(ring, indent)).ltrim().str() + indent));
  return "";
}

/// The first of a ring's statements makes all of its copies; of the others, nothing stays.
void KernelWriter::replaceGroup(const Ring &ring) {
  for (size_t i = ring.first, end; i <= ring.last; i = end) {
    end = endOfStatement(i);
    const PlannedCopy &own = copies()[i];
    unsigned begin = beginOf(i), behind = source.endOf(own.statement);
    std::string text = commentsOf(i, end) +
                       assumedSizes(i, end, source.indentationAt(own.directive->statement.offset));
    Edit edit{begin, behind, {}};
    if (i != ring.first) {
      edit.pieces = {Piece::own(StringRef(text).rtrim().str(), begin)};
    } else {
      std::string indent = source.indentationAt(own.directive->statement.offset);
      text += bindInRound(ring) + fillText(ring, indent);
      std::string checks = checksOf(ring.first, ring.last + 1);
      if (checks.empty())
        edit.pieces = {Piece::own(text, begin)};
      else
        edit.pieces = plainBranch(text + "\n" + indent + "if (!(" + checks + ")) ", i, begin);
    }
    addCopy(std::move(edit), i);
  }
}

/// The variables of a ring's leader that the text uses.
std::string KernelWriter::leadersVariables(const Ring &ring, StringRef used,
                                           const std::string &indent) {
  std::string text;
  for (const auto &[cursor, name] : ring.cursors)
    if (isWordOf(used, name))
      text += "\n" + indent + declarationAhead(*cursor, name, ring);
  if (std::string far = prefetchStart(ring, indent); !far.empty())
    text += "\n" + StringRef(far).rtrim().str();
  return text;
}

/// The copies that a ring's leader makes before the loop.
std::string KernelWriter::firstCopies(const Ring &ring, const std::string &indent) {
  if (!startsBeforeLoop(ring))
    return "";
  std::string text =
      "\n" + indent + "if (tilelift::leader(" + planIn(texts.front()) + "::block)) {\n";
  if (anyOrder(ring.first, ring.last, &CopyOrder::readBefore))
    text += indent + "  tilelift::fence_before_tma();\n";
  // Without this, the compiler may let the leader's lane jump over the loop. ptxas of CUDA 13.0
  // then runs the loop with diverged lanes, but counts its rounds in uniform registers.
  return text + startText(ring, indent) + indent + "}\n" + indent + "__syncwarp();";
}

/// The leader's variables, before each of the loops.
void KernelWriter::openPipelines() {
  const std::vector<PlannedPipeline> &pipelines = kernel.instances.front().pipelines;
  std::string used;
  for (const Edit &edit : texts.front().edits)
    for (const Piece &piece : edit.pieces)
      used += piece.text + "\n";
  for (size_t number = 0; number < pipelines.size(); ++number) {
    const Place place = pipelines[number].place;
    std::string stages, declarations, starts;
    std::string indent = source.indentationAt(place.offset);
    for (const Ring &ring : rings) {
      if (copies()[ring.first].pipeline != number)
        continue;
      stages = ring.stages +
               std::string(ring.isSupplied ? " stages, filled by a warp of its own" : " stages");
      if (ring.isSupplied)
        continue;
      declarations += leadersVariables(ring, used, indent);
      starts += firstCopies(ring, indent);
    }
    declarations += starts;
    const Directive *directive = pipelines[number].directive;
    const bool isApart = !directive || source.isCutOffByEndif(*directive);
    if (directive)
      texts.front().edits.push_back(
          source.pragmaComment(*directive, isApart ? stages : stages + declarations));
    if (isApart && !declarations.empty())
      texts.front().edits.push_back(
          insertion(place.offset, StringRef(declarations).ltrim().str() + "\n" + indent));
  }
}

} // namespace tilelift
