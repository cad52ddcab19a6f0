//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"

#include "emit/DeadVariables.h"
#include "emit/Recipe.h"
#include "facts/MemoryUses.h"
#include "support/Words.h"
#include "writable/Lambdas.h"
#include "writable/Writable.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/CharInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

std::string operatorOf(const Reduction &reduction) {
  bool isOfBits = reduction.operation >= reduce_operation::and_;
  return std::string("tilelift::ptx::op_") + name_of(reduction.operation) + (isOfBits ? "_op" : "");
}

std::string numberNameOf(const Reduction &reduction) {
  switch (reduction.type) {
  case element_type::i32: return "cuda::std::int32_t";
  case element_type::u64: return "cuda::std::uint64_t";
  case element_type::i64: return "cuda::std::int64_t";
  case element_type::f32: return "float";
  case element_type::f64: return "double";
  default: return "cuda::std::uint32_t";
  }
}

KernelWriter::KernelWriter(const SourceText &source, const WritableKernel &writable,
                           const KernelNames &names, const Effects &effects,
                           const Variants &variants)
    : source(source),
      kernel(writable.plan),
      names(names),
      orders(writable.orders),
      producer(writable.producer),
      startOfBarriers(writable.startOfBarriers),
      effects(effects),
      variants(variants) {
  assert(!kernel.instances.empty() && "a kernel without a copy is not written");
  assert(llvm::all_of(kernel.instances,
                      [&](const InstancePlan &instance) {
                        return haveOneText(kernel.instances.front(), instance);
                      }) &&
         "all instances share one text");
  assert(orders.copies.size() == kernel.instances.front().copies.size() &&
         orders.stores.size() == orders.copies.size() && "each copy has its order");
  texts = textsOf(kernel.instances.front(), textOf);
  texts.front().name = names.lifted;
  nameCopies();
  nameRings();
}

/// Whether the leader can set up the barrier and start the first copies at once,
/// before the block's first barrier: 5 % of a small stencil's time.
bool KernelWriter::startsFirst() const {
  if (isStore(0) || hasClusters() || hasGroups())
    return false;
  for (size_t i = 0; i < copyNames.size(); ++i) {
    const CopyOrder &order = orders.copies[i];
    if (i > 0 && !order.joinsPrevious)
      break;
    bool plain =
        llvm::any_of(plansOf(i), [](const Plan *plan) { return !plan->copyChecks.empty(); });
    if (!order.runsOnce || order.needsBarrier || order.readBefore || order.writtenBefore ||
        order.sourceWritten || plain)
      return false;
  }
  return true;
}

/// The name of the map of the copy that is named next: after the tile, if all its copies share the
/// map; after the tensor, if copies of several tiles do; otherwise after the copy, as `stem` says,
/// and so where another map has the name.
std::string KernelWriter::nameOfMap(ArrayRef<size_t> owners, const std::string &stem) const {
  const size_t own = copyNames.size();
  const Plan &plan = copies()[own].plan;
  bool hasOtherTiles = false, tileHasOtherMaps = false;
  for (auto [copy, owner] : llvm::zip(copies(), owners)) {
    hasOtherTiles |= owner == own && copy.plan.tile != plan.tile;
    tileHasOtherMaps |= owner != own && copy.plan.tile == plan.tile;
  }
  std::vector<std::string> stems = {stem};
  if (hasOtherTiles && isValidAsciiIdentifier(plan.base.name()))
    stems.insert(stems.begin(), plan.base.name());
  else if (!tileHasOtherMaps)
    stems.insert(stems.begin(), plan.tile);
  auto isTaken = [&](const std::string &name) {
    return llvm::any_of(copyNames, [&](const CopyNames &other) { return other.map == name; });
  };
  for (const std::string &each : stems)
    if (std::string name = source.unused(each + "_map"); !isTaken(name))
      return name;
  for (size_t number = own + 1;; ++number)
    if (std::string name = source.unused(stem + "_map_" + std::to_string(number)); !isTaken(name))
      return name;
}

void KernelWriter::nameCopies() {
  const std::vector<size_t> owners = sharedMaps(kernel);
  for (const PlannedCopy &copy : copies()) {
    size_t number = 0, same = 0;
    for (const PlannedCopy &other : copies()) {
      number += &other <= &copy && other.plan.tile == copy.plan.tile;
      same += other.plan.tile == copy.plan.tile;
    }
    std::string stem = copy.plan.tile + (same > 1 ? "_" + std::to_string(number) : "");
    CopyNames result;
    result.tile = copy.plan.tile;
    if (copy.plan.bulk()) {
      result.bytes = source.unused(stem + "_bytes");
    } else {
      const size_t owner = owners[copyNames.size()];
      result.map = owner < copyNames.size() ? copyNames[owner].map : nameOfMap(owners, stem);
      result.box = source.unused(stem + "_box");
      result.bytes = result.box + "::bytes";
    }
    auto differs = [&](const Plan *other) {
      return other->reduction->operation != copy.plan.reduction->operation;
    };
    if (copy.plan.reduction && llvm::any_of(plansOf(copyNames.size()), differs))
      result.operation = stem + "_operation";
    auto countsOthers = [&](const Plan *other) {
      return other->reduction->type != copy.plan.reduction->type;
    };
    bool isBulk = copy.plan.reduction && copy.plan.bulk();
    if (isBulk && llvm::any_of(plansOf(copyNames.size()), countsOthers))
      result.number = stem + "_number";
    copyNames.push_back(result);
  }
}

std::vector<Piece> KernelWriter::sibling(FunctionSiblings &siblings) {
  openBody();
  replaceCopies();
  write(0, siblings);
  const FunctionDecl *pattern = kernel.pattern;
  return editedCopy(source.beginOf(pattern), source.endOfToken(pattern->getBody()->getEndLoc()),
                    texts.front().edits);
}

/// What is called comes first: its caller's text has its name.
void KernelWriter::write(size_t number, FunctionSiblings &siblings) {
  FunctionText &text = texts[number];
  for (size_t callee = number + 1; callee < texts.size(); ++callee)
    if (texts[callee].caller == number) {
      write(callee, siblings);
      callSibling(texts[callee]);
    }
  finish(text);
  if (number != 0)
    text.name = siblings.add(
        text.pattern, [&](const std::string &name) { return siblingOf(text, name); },
        [&](const std::string &name) { return declarationOf(text, name); });
}

/// The kernel's name and its parameters.
void KernelWriter::renameKernel() {
  const FunctionDecl *pattern = kernel.pattern;
  std::vector<Edit> &edits = texts.front().edits;
  if (!linkage().empty())
    edits.push_back(insertion(source.offsetOf(pattern->getBeginLoc()), linkage().str()));
  edits.push_back(replacement(source.offsetOf(pattern->getLocation()),
                              source.endOfToken(pattern->getLocation()),
                              (hasProducer() ? boundLaunch() : "") + names.lifted));
  // Maps follow, which have none; the launcher passes all arguments.
  for (const ParmVarDecl *parameter : pattern->parameters())
    if (parameter->hasDefaultArg()) {
      unsigned from = source.endOfToken(parameter->getLocation());
      edits.push_back(replacement(from, source.endOfToken(parameter->getEndLoc()), ""));
    }
  std::string parameters;
  for (const std::string &map : mapsBelow(texts.front()))
    parameters += ", const __grid_constant__ CUtensorMap " + map;
  if (pattern->param_empty())
    parameters = parameters.substr(std::min<size_t>(2, parameters.size()));
  unsigned close = source.offsetOf(pattern->getFunctionTypeLoc().getRParenLoc());
  if (!parameters.empty())
    edits.push_back(insertion(close, wrapped(parameters, close)));
}

/// Dynamic memory under the lifted kernel's name for it.
std::string KernelWriter::memoryDeclarations() {
  if (!usesDynamicMemory(kernel))
    return "";
  std::string text = "\n  extern __shared__ __align__(" + std::to_string(alignmentOfMemory()) +
                     ") unsigned char " + dynamicMemory() + "[];";
  // Those that are declared outside go by the same names in here.
  for (const VarDecl *array : outerDynamicMemory(kernel.instances.front().function))
    text += "\n  " + pointerToMemory(array);
  moveDynamicMemory(kernel.pattern->getBody());
  return text;
}

/// What stands first in the kernel's body.
void KernelWriter::openBody() {
  renameKernel();
  // What other functions load or store, they get a barrier for.
  bool hasOther = texts.size() > 1, hasStores = false;
  for (size_t i = 0; i < copies().size(); ++i) {
    hasOther |= !ringOf(i) && !isStore(i);
    hasStores |= isStore(i) && textOf[i] == 0 && !orders.stores[i].waitsHere;
  }
  std::string declarations, barriers;
  if (hasStores)
    declarations += "\n  [[maybe_unused]] const tilelift::stores_in_flight " + names.stores + ";";
  if (hasOther)
    barriers += "\n  __shared__ tilelift::barrier " + names.barrier +
                (hasGroups() ? "[" + groupSlots() + "]" : "") + ";";
  declarations += memoryDeclarations();
  for (size_t i = 0; i < copies().size(); ++i)
    if (copies()[i].hasTwoTiles)
      barriers += "\n  unsigned " + turnOf(i) + " = 0;";
  for (const Ring &ring : rings)
    barriers += ringBarriers(ring);
  if (hasOther && hasGroups())
    barriers += "\n  " + groupsType() + " " + names.groups + "(" + names.barrier + ");";
  else if (hasOther)
    barriers += "\n  unsigned " + names.phase +
                (startsFirst() ? " = 0;" : " = tilelift::begin(" + names.barrier + ");");
  barriers += meetings();
  unsigned body = source.endOfToken(kernel.pattern->getBody()->getBeginLoc());
  if (producer)
    barriers += producerText();
  if (startOfBarriers == body)
    declarations += std::exchange(barriers, "");
  std::vector<Edit> &edits = texts.front().edits;
  edits.push_back(insertion(body, declarations));
  if (!barriers.empty())
    edits.push_back(insertion(startOfBarriers, barriers));
}

void KernelWriter::replaceCopies() {
  for (size_t i = 0; i < copies().size(); ++i) {
    bool declared = false;
    for (size_t j = 0; j < i; ++j)
      declared |= copies()[j].tile->getLocation() == copies()[i].tile->getLocation();
    if (!declared && !isDynamic(copies()[i].tile))
      declareTile(i);
    if (copies()[i].hasTwoTiles)
      bindTurns(i);
    if (const Ring *ring = ringOf(i)) {
      if (i == ring->first)
        replaceGroup(*ring);
      continue;
    }
    bool isFirst =
        i == 0 || copies()[i].statement != copies()[i - 1].statement || textOf[i] != textOf[i - 1];
    if (isFirst)
      replaceStatement(i);
    captureIn(texts[textOf[i]], i);
  }
  openPipelines();
}

/// What is left to do in a text beside its copies and calls.
void KernelWriter::finish(FunctionText &text) {
  unsigned begin = source.beginOf(text.pattern);
  unsigned end = source.endOfToken(text.pattern->getBody()->getEndLoc());
  auto isHere = [&](unsigned at) { return begin <= at && at < end; };
  for (const Directive *directive : kernel.plain)
    if (isHere(directive->begin.offset))
      text.edits.push_back(source.pragmaComment(*directive, "stays a loop"));
  for (const Expr *barrier : orders.redundant)
    if (isHere(source.offsetOf(barrier->getBeginLoc())))
      text.edits.push_back(
          source.removal(source.offsetOf(barrier->getBeginLoc()), source.endOf(barrier)));
  dutyEdits(text);
  groupEdits(text);
  if (text.path.inKernel())
    alignOthers(text.pattern->getBody(), text);
  if (hasProducer())
    meetWithoutProducer();
  removeDeadVariables(text);
}

std::vector<std::string> KernelWriter::mapsBelow(const FunctionText &text) const {
  auto isBelow = [&](size_t at) {
    while (at != 0 && &texts[at] != &text)
      at = texts[at].caller;
    return &texts[at] == &text;
  };
  std::vector<std::string> maps;
  for (size_t i = 0; i < copies().size(); ++i)
    if (const std::string &map = copyNames[i].map;
        !map.empty() && isBelow(textOf[i]) && !llvm::is_contained(maps, map))
      maps.push_back(map);
  return maps;
}

/// The sibling's own arguments come first, so that defaults stay last.
void KernelWriter::callSibling(const FunctionText &callee) {
  const CallExpr *call = callee.path.getCalls().back();
  FunctionText &caller = texts[callee.caller];
  const Expr *named = call->getCallee()->IgnoreParenImpCasts();
  const auto *reference = dyn_cast<DeclRefExpr>(named);
  const auto *member = dyn_cast<MemberExpr>(named);
  const auto *op = dyn_cast<CXXOperatorCallExpr>(call);
  DeclarationNameInfo info = reference ? reference->getNameInfo() : member->getMemberNameInfo();
  SourceLocation name = info.getBeginLoc();
  std::optional<unsigned> open = source.nextToken(calledInText(call)->getEndLoc(), tok::l_paren);
  std::string qualifier;
  if (reference &&
      isa<UsingShadowDecl>(reference->getFoundDecl())) { // which brings that name alone
    qualifier = qualifiedName(callee.pattern);
    name = reference->getBeginLoc();
  }
  qualifier.resize(qualifier.rfind("::") == std::string::npos ? 0 : qualifier.rfind("::") + 2);
  caller.edits.push_back(
      op ? insertion(*open, "." + callee.name)
         : replacement(source.offsetOf(name), source.endOfName(info), qualifier + callee.name));
  std::string arguments =
      planIn(caller) + "{}, " + (hasGroups() ? names.groups : names.barrier + ", " + names.phase);
  SmallVector<std::string, 4> needed = neededToWait(caller);
  for (const std::string &map : mapsBelow(callee)) {
    arguments += ", " + map;
    needed.push_back(map);
  }
  captureIn(caller, callee.path.getFunctions().drop_back().back(), needed);
  unsigned close = source.offsetOf(call->getRParenLoc());
  bool hasOthers = !source.between(*open + 1, close).trim().empty();
  caller.edits.push_back(insertion(*open + 1, arguments + (hasOthers ? ", " : "")));
}

/// Where an `extern "C"` with braces gives a function its linkage.
static bool isInBlockOfC(const FunctionDecl *declaration) {
  const DeclContext *around = declaration->getLexicalDeclContext();
  if (const auto *own = dyn_cast<LinkageSpecDecl>(around); own && !own->hasBraces())
    around = own->getLexicalParent();
  return around->isExternCContext();
}

/// The parts of a sibling's head that are not the original's.
static std::vector<Edit> headEdits(const SourceText &source, const FunctionDecl *declaration,
                                   const std::string &name, const std::string &plan,
                                   const std::string &parameters) {
  std::vector<Edit> edits;
  unsigned begin = source.offsetOf(declaration->getBeginLoc());
  if (isInBlockOfC(declaration)) // which may declare no template
    edits.push_back(insertion(begin, "extern \"C++\" "));
  if (const FunctionTemplateDecl *primary = declaration->getDescribedFunctionTemplate())
    edits.push_back(insertion(source.offsetOf(primary->getTemplateParameters()->getRAngleLoc()),
                              ", typename " + plan));
  else if (unsigned lists = declaration->getNumTemplateParameterLists()) // of the class around it
    edits.push_back(insertion(
        source.endOfToken(declaration->getTemplateParameterList(lists - 1)->getRAngleLoc()),
        "\n" + source.indentationAt(begin) + "template <typename " + plan + ">"));
  else
    edits.push_back(
        insertion(begin, "template <typename " + plan + ">\n" + source.indentationAt(begin)));
  unsigned at = source.offsetOf(declaration->getLocation());
  size_t host = source.between(begin, at).find("__host__");
  if (host != StringRef::npos) // the leader's work is the device's
    edits.push_back(replacement(begin + unsigned(host), begin + unsigned(host) + 8, ""));
  edits.push_back(replacement(at, source.endOfName(declaration->getNameInfo()), name));
  FunctionTypeLoc type = declaration->getFunctionTypeLoc();
  unsigned open = source.endOfToken(type.getLParenLoc());
  size_t growth = name.size() - declaration->getNameAsString().size();
  StringRef own = source.between(open, source.offsetOf(type.getRParenLoc())).trim();
  if (own == "void")
    edits.push_back(replacement(open, source.offsetOf(type.getRParenLoc()), parameters));
  else
    edits.push_back(insertion(
        open, parameters +
                  (own.empty() ? "" : ",\n" + std::string(source.columnOf(open) + growth, ' '))));
  return edits;
}

std::string KernelWriter::parametersOf(const FunctionText &text) const {
  std::string parameters =
      names.planParameter + ", " +
      (hasGroups() ? groupsType() + " &" + names.groups
                   : "tilelift::barrier &" + names.barrier + ", unsigned &" + names.phase);
  for (const std::string &map : mapsBelow(text))
    parameters += ", const CUtensorMap &" + map;
  return parameters;
}

std::vector<Piece> KernelWriter::siblingOf(const FunctionText &text,
                                           const std::string &name) const {
  std::vector<Edit> edits = text.edits;
  for (Edit &edit : headEdits(source, text.pattern, name, names.planParameter, parametersOf(text)))
    edits.push_back(std::move(edit));
  return editedCopy(source.beginOf(text.pattern),
                    source.endOfToken(text.pattern->getBody()->getEndLoc()), edits);
}

/// Where the function is declared before it is defined, its sibling is, too.
std::vector<Piece> KernelWriter::declarationOf(const FunctionText &text,
                                               const std::string &name) const {
  const FunctionDecl *first = text.pattern->getCanonicalDecl();
  std::optional<unsigned> semicolon = source.nextToken(first->getEndLoc(), tok::semi);
  if (!semicolon)
    return {};
  return editedCopy(source.beginOf(first), *semicolon + 1,
                    headEdits(source, first, name, names.planParameter, parametersOf(text)));
}

std::vector<CalledSibling> KernelWriter::calledSiblings() const {
  std::vector<CalledSibling> called;
  for (const FunctionText &text : texts)
    if (!text.path.inKernel())
      called.push_back({text.path, text.name});
  return called;
}

/// Adds what the text of a copy names (phase, map, barrier) to the lambdas around it.
void KernelWriter::captureIn(FunctionText &text, size_t copy) {
  SmallVector<std::string, 4> needed;
  if (!isStore(copy))
    needed = neededToWait(text);
  if (!copyNames[copy].map.empty())
    needed.push_back(copyNames[copy].map);
  captureIn(text, copies()[copy].path.end(), needed);
}

/// Adds the needed names to the capture lists of the lambdas around some place, from the innermost
/// outwards, unless they capture everything by reference.
void KernelWriter::captureIn(FunctionText &text, const FunctionDecl *innermost,
                             ArrayRef<std::string> needed) {
  for (const CXXRecordDecl *closure : closuresAround(innermost)) {
    if (closure->getLambdaCaptureDefault() == LCD_ByRef)
      continue;
    const LambdaExpr *lambda = lambdaMadeIn(text.pattern->getBody(), closure->getLocation());
    if (!lambda)
      continue;
    SourceRange introducer = lambda->getIntroducerRange();
    unsigned end = source.offsetOf(introducer.getEnd());
    bool isEmpty = source.between(source.endOfToken(introducer.getBegin()), end).trim().empty();
    for (const std::string &name : needed) {
      bool isKnown = llvm::any_of(text.edits, [&](const Edit &edit) {
        return edit.begin == end && edit.end == end &&
               StringRef(edit.pieces[0].text).ends_with("&" + name);
      });
      bool isFirst = isEmpty && llvm::none_of(text.edits, [&](const Edit &edit) {
                       return edit.begin == end && edit.end == end;
                     });
      if (!isKnown)
        text.edits.push_back(insertion(end, (isFirst ? "&" : ", &") + name));
    }
  }
}

/// Each file that includes a header has a plan of its own, and so a kernel. Where somebody asks
/// for the original by its plain name, he does for this one.
StringRef KernelWriter::linkage() const {
  bool isOwn = kernel.pattern->getStorageClass() == SC_Static ||
               !source.isInHeader(source.offsetOf(kernel.pattern->getBeginLoc()));
  const auto *linkage = dyn_cast<LinkageSpecDecl>(kernel.pattern->getLexicalDeclContext());
  bool isNamed =
      linkage && !linkage->hasBraces() && linkage->getLanguage() == LinkageSpecLanguageIDs::C;
  return !isOwn ? "static " : isNamed ? "extern \"C\" " : "";
}

/// Puts parameters on lines of their own where they would make a long one.
std::string KernelWriter::wrapped(const std::string &parameters, unsigned at) const {
  size_t growth = names.lifted.size() - names.kernel.size() + linkage().size();
  if (source.columnOf(at) + growth + parameters.size() < 100)
    return parameters;
  SourceLocation open = kernel.pattern->getFunctionTypeLoc().getLParenLoc();
  std::string indent(source.columnOf(source.offsetOf(open)) + 1 + growth, ' ');
  std::string text;
  SmallVector<StringRef, 4> each;
  StringRef(parameters).split(each, ", ", -1, false);
  for (StringRef parameter : each)
    text += ",\n" + indent + parameter.str();
  return text;
}

/// Whether none of the program's own text is left by an edit.
static bool replacesText(const Edit &edit) {
  return edit.end > edit.begin &&
         llvm::none_of(edit.pieces, [](const Piece &piece) { return piece.length > 0; });
}

/// The names in the code that an edit writes, without those of members.
static void addNamesIn(const Edit &edit, StringSet<> &names) {
  for (const Piece &piece : edit.pieces) {
    SmallVector<StringRef, 16> lines;
    StringRef(piece.text).split(lines, '\n');
    for (StringRef line : lines) {
      const StringRef code = line.split("//").first;
      for (StringRef word : wordsIn(code))
        if (!isMember(word, code))
          names.insert(word);
    }
  }
}

void KernelWriter::removeDeadVariables(FunctionText &function) {
  std::vector<Edit> &edits = function.edits;
  std::vector<TextRange> replaced;
  StringSet<> written;
  for (const Edit &edit : edits) {
    if (replacesText(edit))
      replaced.push_back({edit.begin, edit.end});
    addNamesIn(edit, written);
  }
  std::vector<CallPath> instances;
  for (const InstancePlan &instance : kernel.instances)
    for (const PlannedCopy &copy : instance.copies)
      for (size_t depth = 1; depth <= copy.path.getFunctions().size(); ++depth)
        if (CallPath way = copy.path.first(depth); patternOf(way.end()) == function.pattern)
          instances.push_back(std::move(way));
  DeadVariables found =
      findDeadVariables(source, function.pattern, replaced, written, instances, effects);
  for (const DeclStmt *dead : found.dead)
    edits.push_back(source.removal(source.offsetOf(dead->getBeginLoc()), source.endOf(dead)));
  for (const DeclStmt *partly : found.partlyDead)
    edits.push_back(insertion(source.offsetOf(partly->getBeginLoc()), "[[maybe_unused]] "));
}

} // namespace tilelift
