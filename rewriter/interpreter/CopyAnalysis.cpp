//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "interpreter/CopyAnalysis.h"

#include "effects/Ways.h"
#include "relation/BaseObjects.h"
#include "rounds/Liveness.h"
#include "support/DeclaredNames.h"
#include "support/LocalTypes.h"
#include "support/Locations.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// Whether a jump goes past the statement, or to another round of a loop around it. One that
/// only leaves another loop or `switch` decides nothing.
bool mayPass(const Stmt *jump, const Stmt *statement, const VariableFacts &facts) {
  const Stmt *target = facts.targetOf(jump);
  return !target || facts.isWithin(statement, target);
}

/// The conditions that decide whether a statement is reached, and the statement.
SmallVector<const Stmt *, 4> rootsOf(const Stmt *statement, const KernelUnderTest &kernel) {
  const CallPath &path = kernel.path;
  const VariableFacts &facts = kernel.facts;
  SmallVector<const Stmt *, 4> roots{statement};
  roots.append(path.getCalls().begin(), path.getCalls().end());
  for (const Stmt *parent = facts.parentOf(statement); parent; parent = facts.parentOf(parent)) {
    if (const auto *branch = dyn_cast<IfStmt>(parent))
      roots.push_back(branch->getCond());
    else if (const auto *loop = dyn_cast<ForStmt>(parent))
      roots.append({loop->getCond(), loop->getInit()});
    else if (const auto *loop = dyn_cast<WhileStmt>(parent))
      roots.push_back(loop->getCond());
  }
  // An early return decides it as well.
  SmallVector<const Stmt *, 32> work(path.bodies());
  while (!work.empty()) {
    const Stmt *next = work.pop_back_val();
    if (!next || isa<LambdaExpr>(next))
      continue;
    if (isa<ReturnStmt, BreakStmt, ContinueStmt>(next) && !facts.isWithin(next, statement) &&
        mayPass(next, statement, facts))
      for (const Stmt *parent = facts.parentOf(next); parent; parent = facts.parentOf(parent))
        if (const auto *branch = dyn_cast<IfStmt>(parent))
          roots.push_back(branch->getCond());
    work.append(next->child_begin(), next->child_end());
  }
  if (const auto *body = dyn_cast<CompoundStmt>(path.kernel()->getBody()); body && kernel.exits)
    llvm::copy_if(body->body(), std::back_inserter(roots),
                  [&](const Stmt *each) { return kernel.exits->contains(each); });
  return roots;
}

const Stmt *findJump(const Stmt *statement) {
  if (!statement || isa<LambdaExpr>(statement))
    return nullptr;
  if (isa<GotoStmt, IndirectGotoStmt>(statement))
    return statement;
  for (const Stmt *child : statement->children())
    if (const Stmt *jump = findJump(child))
      return jump;
  return nullptr;
}

void keepCommon(std::vector<NamedPointer> &pointers, const std::vector<NamedPointer> &others) {
  llvm::erase_if(pointers, [&](const NamedPointer &name) {
    return llvm::none_of(others, [&](const NamedPointer &other) {
      return other.name == name.name && other.base == name.base && other.offset == name.offset;
    });
  });
}

/// Uniform variables and their values, as long as all threads agree.
void keepCommon(NamesInScope &names, const NamesInScope &others) {
  llvm::erase_if(names.numbers, [&](const NamedValue &name) {
    return llvm::none_of(others.numbers, [&](const NamedValue &other) {
      return other.name == name.name && other.value == name.value;
    });
  });
  keepCommon(names.pointers, others.pointers);
  keepCommon(names.intoShared, others.intoShared);
}

/// Adds the variables that keep a pointer as it was: where it is moved on behind that, they say how
/// to get to the memory that it led to.
void addKeptPointers(const VariableFacts &facts, DenseSet<const VarDecl *> &relevant) {
  for (const VarDecl *variable : facts.allVariables()) {
    ArrayRef<Change> changes = facts.changesOf(variable);
    if (!variable->getType()->isPointerType() || changes.size() != 1 ||
        changes[0].kind != Change::Kind::Initialised || !changes[0].value)
      continue;
    const auto *kept = dyn_cast<DeclRefExpr>(changes[0].value->IgnoreParenImpCasts());
    if (kept && relevant.contains(variableNamed(kept)))
      relevant.insert(variable);
  }
}

Diagnostic storesMayMeet(const std::string &a, const std::string &b, Place place) {
  if (a == b)
    return diagnose(diag::stores_may_meet, place,
                    "two tiles go to '" + a + "', and TMA stores them",
                    "store them in two statements");
  return diagnose(diag::stores_may_meet, place,
                  "'" + a + "' and '" + b + "' may be the same memory, and TMA stores to them",
                  "declare one of them '__restrict__', or store to them in two statements");
}

class Analysis {
public:
  Analysis(const KernelUnderTest &kernel, const Stmt *statement)
      : around(statement, kernel.path.textFunction()), kernel(kernel), statement(statement) {
    this->kernel.names = &around;
  }
  Analysis(const Analysis &) = delete;

  CopyAnalysis run();
  bool alwaysWrites(const AnalysedCopy &copied);

private:
  bool checkRounds();
  bool checkWaits();
  bool runThreads();
  bool runThread(unsigned thread, const DenseSet<const VarDecl *> &relevant);
  bool checkCells();
  void hideUnsafeLookups(unsigned threads);
  bool findsRowsIn(const SharedObject &table) const;
  bool takeTiles();
  void takeParts(const SharedObject &filled);
  AnalysedCopy takePart(const SharedObject &filled, int64_t begin, int64_t end) const;
  bool checkEscapes();
  bool checkLoadsAhead();
  bool checkTargets();
  bool isUsedElsewhere(const VarDecl *variable) const;
  Place place() const;
  bool fail(Diagnostic diagnostic) {
    block.fail(std::move(diagnostic));
    return false;
  }

  NamesAround around;
  KernelUnderTest kernel;
  const Stmt *statement;
  Block block;
  Condition reached;
  const Stmt *endOfWay = nullptr;
  bool mayBeMissed = false;
  NamesInScope names;
  std::vector<AnalysedCopy> result;
};

Place Analysis::place() const {
  return placeOf(kernel.context.getSourceManager(), statement->getBeginLoc());
}

CopyAnalysis Analysis::run() {
  if (!checkRounds() || !runThreads() || !checkWaits() || !checkEscapes() || !takeTiles() ||
      !checkLoadsAhead() || !checkTargets())
    return {{},
            std::move(block.failure),
            block.hasChoices,
            std::move(block.decidingArguments),
            endOfWay};
  return {std::move(result), std::nullopt, block.hasChoices, {}, endOfWay};
}

bool Analysis::alwaysWrites(const AnalysedCopy &copied) {
  if (!runThreads())
    return false;
  BitVector written(unsigned(copied.relation.tile.bytes()));
  for (const SharedObject &object : block.shared)
    for (const auto &[offset, record] : object.cells) {
      bool isAlways = llvm::none_of(record.value.getCases(), [](const ValueCase &each) {
        return each.scalar.data->kind == Source::Kind::Untouched;
      });
      if (object.declaration == copied.tile && object.slot.isZero() && isAlways &&
          offset + int64_t(record.size) <= int64_t(written.size()))
        written.set(unsigned(offset), unsigned(offset + record.size));
    }
  return llvm::all_of(copied.relation.cells, [&](const Cell &cell) {
    return written.find_first_unset_in(unsigned(cell.offset), unsigned(cell.offset) + cell.size) ==
           -1;
  });
}

/// Behind the copy, a statement of a loop's body by which some threads may leave the loop, so
/// that they do not come to the copy's next round; or null.
const Stmt *leavesBehind(const Stmt *statement, const Stmt *loop, const Stmt *copy,
                         const KernelUnderTest &kernel, bool isInner = false) {
  if (!statement || statement == copy || isa<LambdaExpr>(statement))
    return nullptr;
  const SourceManager &sources = kernel.context.getSourceManager();
  const bool ends = isa<ReturnStmt>(statement) || (!isInner && isa<BreakStmt>(statement));
  if (ends && sources.isBeforeInTranslationUnit(copy->getBeginLoc(), statement->getBeginLoc()) &&
      kernel.uniformity.divergentControlOf(statement, loop))
    return statement;
  isInner |= isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt, SwitchStmt>(statement);
  for (const Stmt *child : statement->children())
    if (const Stmt *found = leavesBehind(child, loop, copy, kernel, isInner))
      return found;
  return nullptr;
}

/// All threads come to each round of the copy, or none: who has left a loop around it does not
/// come back. What happens before the copy in its round, the threads' way there tells.
bool Analysis::checkRounds() {
  const SourceManager &sources = kernel.context.getSourceManager();
  const Stmt *inLoop = statement;
  for (const Stmt *at = kernel.facts.parentOf(statement); at; at = kernel.facts.parentOf(at)) {
    if (llvm::is_contained(kernel.path.getCalls(), at))
      inLoop = at;
    if (!isa<ForStmt, CXXForRangeStmt, WhileStmt, DoStmt>(at))
      continue;
    const Stmt *end = nullptr;
    for (const Stmt *child : at->children())
      end = end ? end : leavesBehind(child, at, inLoop, kernel);
    if (!end && !kernel.uniformity.mayEndThread(at))
      continue;
    const auto [last, how] = end ? std::pair(end, std::string("they may leave here"))
                                 : kernel.uniformity.howThreadsEnd(at);
    return fail(
        diagnose(diag::divergent_copy, place(),
                 "some threads may leave the loop around it, and not come to its next round")
            .note(placeOf(sources, last->getBeginLoc()), how));
  }
  return true;
}

/// All threads meet at a copy that TMA makes. None of them may wait ahead of it for another one
/// that is behind it.
bool Analysis::checkWaits() {
  const auto around = waitAround(statement, kernel.path, kernel.effects);
  if (!around)
    return true;
  const SourceManager &sources = kernel.context.getSourceManager();
  return fail(diagnose(diag::waits_around_copy, place())
                  .note(placeOf(sources, around->wait->getBeginLoc()), "it may wait here")
                  .note(placeOf(sources, around->end->getBeginLoc()), "until this is done"));
}

bool Analysis::runThreads() {
  for (const Stmt *body : kernel.path.bodies())
    if (const Stmt *jump = findJump(body))
      return fail(diagnose(diag::unsupported_statement,
                           placeOf(kernel.context.getSourceManager(), jump->getBeginLoc()),
                           "'goto' in the copy's function"));
  DenseSet<const VarDecl *> relevant = kernel.facts.relevantTo(rootsOf(statement, kernel));
  addKeptPointers(kernel.facts, relevant);
  unsigned threads = kernel.shape[0] * kernel.shape[1] * kernel.shape[2];
  for (unsigned thread = 0; thread < threads; ++thread)
    if (!runThread(thread, relevant))
      return false;
  // Where none gets there, all are asked what they would do.
  for (unsigned thread = 0; reached.isNever() && thread < threads; ++thread) {
    Interpreter interpreter(kernel, block, thread);
    interpreter.reach(statement, relevant);
    endOfWay = interpreter.endOfWay();
    interpreter.runCopy(statement);
    if (block.failed())
      return false;
  }
  hideUnsafeLookups(threads);
  return checkCells();
}

/// The guards of the stores to one cell may each be followed, but not together.
bool Analysis::checkCells() {
  for (const SharedObject &object : block.shared)
    for (const auto &[offset, record] : object.cells)
      if (const Scalar *unknown = record.value.unknownPart())
        return fail(unknownGuard(kernel.kind, object, record.place, "it " + unknown->why));
  return true;
}

/// A lookup that not all threads of the plain program make may come too early or too late in the
/// lifted one, where the leader makes all of them, and each thread those of a guard.
void Analysis::hideUnsafeLookups(unsigned threads) {
  std::map<unsigned, bool> written;
  auto isWritten = [&](unsigned number) {
    const GlobalBase &table = block.bases[number];
    auto [known, isNew] = written.try_emplace(number, false);
    if (!isNew || !mayBeWritten(table, kernel.effects))
      return known->second;
    const ObjectSet objects = objectsOf(table, kernel.effects);
    // In shared memory, there is a barrier before the copy.
    const bool isBefore = !table.isShared && writeAfterLoad({LoadAhead()}, objects, statement,
                                                            kernel.path, kernel.effects);
    known->second = isBefore || mayWriteBehind(statement, kernel.path, objects, kernel.effects);
    return known->second;
  };
  for (const auto &[lookup, readers] : block.readers) {
    // Atomics of a reduction order nothing: no thread may take one for a sign to write the table.
    bool isOwn = kernel.kind != CopyKind::Load &&
                 kernel.effects.mayMeet(kernel.effects.of(statement, kernel.path).writes,
                                        objectsOf(block.bases[readers.base], kernel.effects));
    bool isSafe = !isOwn && (readers.threads.size() == threads || !isWritten(readers.base));
    const GlobalBase &table = block.bases[readers.base];
    if (!isSafe)
      block.hideFromCopy(lookup, isOwn ? "the statement itself may change"
                                       : "the kernel may change before the copy looks it up");
    else if (!readers.isByPointer && !table.hasNameAtCopy)
      block.hideFromCopy(lookup);
  }
  block.hideDependents();
}

bool Analysis::runThread(unsigned thread, const DenseSet<const VarDecl *> &relevant) {
  Interpreter interpreter(kernel, block, thread);
  interpreter.reach(statement, relevant);
  if (block.failed())
    return false;
  mayBeMissed |= interpreter.mayMissTarget();
  if (thread == 0) {
    reached = interpreter.getReached();
    names = interpreter.namesInScope();
  } else {
    if (interpreter.getReached() != reached)
      return fail(interpreter.describeWay(reached, place()));
    keepCommon(names, interpreter.namesInScope());
  }
  if (!interpreter.getReached().isNever()) // of the others, nothing is known there
    interpreter.runCopy(statement);
  return !block.failed();
}

/// Variables that the statement leaves changed must not be read afterwards: the
/// loop that changes them is gone.
bool Analysis::checkEscapes() {
  for (const VarDecl *variable : kernel.facts.changedWithin(statement)) {
    if (!isUsedElsewhere(variable))
      continue;
    const std::string name = "'" + nameOf(*variable) + "'";
    return fail(variable->getType()->isReferenceType()
                    ? diagnose(diag::variable_escapes, place(), "what " + name + " refers to",
                               "; the tool does not follow that reference")
                    : diagnose(diag::variable_escapes, place(), name, " and used after it"));
  }
  return true;
}

bool Analysis::isUsedElsewhere(const VarDecl *variable) const {
  bool isOwn =
      llvm::any_of(kernel.facts.changesWithin(variable, statement),
                   [](const Change &change) { return change.kind == Change::Kind::Initialised; });
  if (!isOwn && variable->getDeclContext() != kernel.path.end())
    return true; // of the function around a lambda
  return !isOwn &&
         isLiveAfter(variable, statement, kernel.path.end(), kernel.context, kernel.facts);
}

/// Whether some load is found by what lies in that object.
bool Analysis::findsRowsIn(const SharedObject &table) const {
  auto isThere = [&](SymbolId id) {
    auto reader = block.readers.find({Lookup::Kind::Number, id});
    return reader != block.readers.end() &&
           block.bases[reader->second.base].identity == table.declaration;
  };
  auto depends = [&](const Polynomial &value) {
    return llvm::any_of(block.symbols.lookupsFor(value), isThere);
  };
  auto isFound = [&](const ValueCase &each) {
    return each.scalar.data->kind == Source::Kind::Load && depends(each.scalar.data->offset);
  };
  return llvm::any_of(block.shared, [&](const SharedObject &object) {
    return llvm::any_of(object.cells, [&](const auto &cell) {
      return llvm::any_of(cell.second.value.getCases(), isFound);
    });
  });
}

bool Analysis::takeTiles() {
  for (unsigned object : block.looksUpShared)
    if (kernel.kind == CopyKind::Load && !block.shared[object].cells.empty() &&
        findsRowsIn(block.shared[object]))
      return fail(diagnose(diag::unknown_index, place(), "an index",
                           "it is read from '" + block.shared[object].name +
                               "', to which the statement writes"));
  for (const SharedObject &object : block.shared)
    if (!object.cells.empty())
      takeParts(object);
  return !result.empty() ||
         fail(diagnose(diag::not_a_copy, place(), wordingOf(kernel.kind).nothing));
}

std::optional<unsigned> baseOf(const CellRecord &record) {
  for (const ValueCase &each : record.value.getCases())
    if (each.scalar.data->kind == Source::Kind::Load)
      return each.scalar.data->base;
  return std::nullopt;
}

/// Stretches of an object that come from different tensors are copies of their own.
void Analysis::takeParts(const SharedObject &filled) {
  constexpr size_t most = 8;
  std::vector<int64_t> begins{filled.cells.begin()->first};
  std::optional<unsigned> base;
  for (const auto &[offset, record] : filled.cells) {
    std::optional<unsigned> own = baseOf(record);
    if (base && own && *own != *base)
      begins.push_back(offset);
    if (own)
      base = own;
  }
  if (begins.size() > most)
    begins.resize(1); // no stretches, but a mixture: the fit says so
  begins.push_back(Interval::highest);
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    result.push_back(takePart(filled, begins[i], begins[i + 1]));
    if (begins.size() > 2 && kernel.kind == CopyKind::Load) {
      result.back().relation.tile.otherWriter = "is filled from another tensor, too";
      result.back().relation.tile.otherWriterPlace = place();
    }
  }
}

/// Counts cells from the start of the slot that is filled; returns by how much they
/// are shifted.
int64_t shiftToSlot(SharedTile &tile, const Polynomial &slot, int64_t first, int64_t period) {
  tile.slot = slot;
  if (slot.isZero())
    return 0;
  int64_t shift = first - ((first % period) + period) % period;
  tile.slot += Polynomial(shift);
  return shift;
}

/// Of shared memory that is no array of its own, a stretch of elements as stored.
void describeStretch(SharedTile &tile, ArrayRef<Cell> cells, const SharedObject &filled,
                     bool isDynamic) {
  int64_t last = 0;
  tile.elementSize = cells.front().size;
  for (const Cell &cell : cells) {
    tile.elementSize = std::min(tile.elementSize, cell.size);
    last = std::max(last, cell.offset + int64_t(cell.size));
  }
  int64_t bytes = isDynamic ? last : filled.bytes;
  tile.elementType = filled.elementType;
  tile.extents.push_back(std::max<int64_t>(1, bytes / tile.elementSize));
  tile.layoutEscape = isDynamic ? "it is dynamic shared memory" : "it is no array of its own";
}

/// A guard that never holds leaves a cell out like a loop that never gets there.
void dropImpossible(CopyRelation &relation) {
  llvm::erase_if(relation.cells, [&](Cell &cell) {
    for (Case &each : cell.cases)
      each.guard = each.guard.possible(relation.symbols);
    llvm::erase_if(cell.cases, [](const Case &each) { return each.guard.isNever(); });
    return llvm::all_of(
        cell.cases, [](const Case &each) { return each.source->kind == Source::Kind::Untouched; });
  });
}

/// The cells from `begin` to `end`.
AnalysedCopy Analysis::takePart(const SharedObject &filled, int64_t begin, int64_t end) const {
  AnalysedCopy part;
  part.tile = static_cast<const VarDecl *>(filled.declaration);
  CopyRelation &relation = part.relation;
  relation.kind = kernel.kind;
  relation.kernel = kernel.path.kernel()->getNameAsString();
  relation.block = kernel.shape;
  relation.symbols = block.symbols;
  relation.bases = block.bases;
  relation.requirements = withoutImplied(block.requirements);
  relation.staying = withoutImplied(block.staying);
  relation.lookedUpUnder = block.lookupConditions();
  relation.looksUpShared = !block.looksUpShared.empty();
  relation.needs = block.needs;
  relation.names = names;
  relation.reached = mayBeMissed ? Condition::unknown() : reached;
  relation.place = place();
  SharedTile &tile = relation.tile;
  tile.name = filled.name;
  tile.object = unsigned(&filled - block.shared.data());
  tile.place = placeOf(kernel.context.getSourceManager(), part.tile->getLocation());
  int64_t shift = shiftToSlot(tile, filled.slot, filled.cells.begin()->first,
                              block.symbols.divisorOf(filled.slot));
  for (auto at = filled.cells.lower_bound(begin); at != filled.cells.lower_bound(end); ++at) {
    const CellRecord &record = at->second;
    Cell cell;
    cell.offset = at->first - shift;
    cell.size = record.size;
    cell.place = record.place;
    cell.thread = record.thread;
    for (const ValueCase &each : record.value.getCases()) {
      assert(each.scalar.is(Scalar::Kind::Data) && "what is not followed is refused before");
      cell.cases.push_back({each.guard, each.scalar.data, each.scalar.needs});
      if (!relation.reduction)
        relation.reduction = each.scalar.data->reduction;
    }
    relation.cells.push_back(std::move(cell));
  }
  QualType type = part.tile->getType();
  while (const auto *array = kernel.context.getAsConstantArrayType(type)) {
    tile.extents.push_back(int64_t(array->getZExtSize()));
    type = array->getElementType();
  }
  if (const auto *dynamic = kernel.context.getAsIncompleteArrayType(type);
      dynamic && kernel.path.inKernel() && !dynamic->getElementType()->isArrayType())
    relation.names.intoShared.push_back(
        {filled.name,
         tile.object,
         Polynomial(),
         unsigned(kernel.context.getTypeSizeInChars(dynamic->getElementType()).getQuantity()),
         {}});
  tile.isDynamic = type->isIncompleteArrayType();
  if (tile.extents.empty()) {
    describeStretch(tile, relation.cells, filled, tile.isDynamic);
  } else {
    tile.elementType = nameOutside(type.getUnqualifiedType(), kernel.context);
    if (isNamelessOutside(type))
      tile.layoutEscape = "only its function can name the type of its elements";
    tile.elementSize = unsigned(kernel.context.getTypeSizeInChars(type).getQuantity());
  }
  dropImpossible(relation);
  return part;
}

/// Tiles that one statement stores go their ways in any order.
bool Analysis::checkTargets() {
  if (kernel.kind == CopyKind::Load)
    return true;
  auto baseOf = [](const AnalysedCopy &part) -> const GlobalBase * {
    for (const Cell &cell : part.relation.cells)
      for (const Case &each : cell.cases)
        if (each.source->kind == Source::Kind::Load)
          return &part.relation.bases[each.source->base];
    return nullptr;
  };
  for (size_t i = 0; i < result.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const GlobalBase *a = baseOf(result[j]), *b = baseOf(result[i]);
      if (a && b && mayMeet(*a, *b, kernel.effects))
        return fail(storesMayMeet(a->name(), b->name(), place()));
    }
  return true;
}

/// What is stored here and was loaded before has to be there still.
bool Analysis::checkLoadsAhead() {
  for (const AnalysedCopy &part : result) {
    std::map<unsigned, MapVector<const void *, LoadAhead>> loads;
    for (const Cell &cell : part.relation.cells)
      for (const Case &each : cell.cases)
        if (const void *maker = each.source->madeBy) {
          auto &ofBase = loads[each.source->base];
          LoadAhead &load = ofBase[maker];
          load.statement = static_cast<const Stmt *>(maker);
          load.isOfRoundBefore |= each.source->isOfRoundBefore;
          for (const void *first : block.alsoMadeBy[maker])
            ofBase[first].statement = static_cast<const Stmt *>(first);
        }
    for (const auto &[number, ofBase] : loads) {
      const GlobalBase &base = part.relation.bases[number];
      SmallVector<LoadAhead, 4> all;
      for (const auto &[maker, load] : ofBase)
        all.push_back(load);
      const Stmt *write = writeAfterLoad(all, objectsOf(base, kernel.effects), statement,
                                         kernel.path, kernel.effects);
      if (!write)
        continue;
      const SourceManager &sources = kernel.context.getSourceManager();
      Diagnostic reason = diagnose(diag::loaded_before, place(), base.name());
      reason.notes.push_back(
          {placeOf(sources, all[0].statement->getBeginLoc()), "it is loaded here"});
      reason.notes.push_back({placeOf(sources, write->getBeginLoc()), "it may be written here"});
      return fail(std::move(reason));
    }
  }
  return true;
}

} // namespace

CopyAnalysis analyseCopy(const KernelUnderTest &kernel, const Stmt *statement) {
  return Analysis(kernel, statement).run();
}

bool alwaysWrites(const KernelUnderTest &kernel, const Stmt *statement,
                  const AnalysedCopy &copied) {
  return Analysis(kernel, statement).alwaysWrites(copied);
}

} // namespace tilelift
