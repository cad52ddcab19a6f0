//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "emit/DeadVariables.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

Edit insertion(unsigned at, std::string text) { return {at, at, {Piece::own(std::move(text))}}; }

Edit replacement(unsigned begin, unsigned end, std::string text) {
  return {begin, end, {Piece::own(std::move(text), begin)}};
}

/// The declaration in the template's text that an instantiation's variable is of.
const DeclStmt *findDeclaration(const Stmt *within, SourceLocation location) {
  if (!within)
    return nullptr;
  if (const auto *declaration = dyn_cast<DeclStmt>(within))
    for (const Decl *each : declaration->decls())
      if (each->getLocation() == location)
        return declaration;
  for (const Stmt *child : within->children())
    if (const DeclStmt *found = findDeclaration(child, location))
      return found;
  return nullptr;
}

std::string policyArgument(CacheHint hint) {
  switch (hint) {
  case CacheHint::None: return "";
  case CacheHint::EvictFirst: return ", tilelift::cache_policy::evict_first";
  case CacheHint::EvictLast: return ", tilelift::cache_policy::evict_last";
  case CacheHint::EvictNormal: return ", tilelift::cache_policy::evict_normal";
  }
  return "";
}

std::string boxType(const Plan &plan) {
  const char *names[] = {
      "unsigned char", "unsigned short", "unsigned", "int",    "unsigned long long",
      "long long",     "unsigned short", "float",    "double", "unsigned short"};
  std::string type = "tilelift::box<" + std::string(names[unsigned(plan.element)]);
  for (const PlanDimension &dim : plan.dims)
    type += ", " + std::to_string(dim.boxOfPiece());
  return type + ">";
}

std::string tileType(const Plan &plan) {
  std::string type = "tilelift::tile<" + plan.tileElement;
  for (int64_t extent : plan.tileExtents)
    type += "[" + std::to_string(extent) + "]";
  type += ", " + std::to_string(plan.layout.pitch) + ", " + std::to_string(plan.layout.lead);
  int64_t rows = 1, needed = plan.layout.bytes / plan.tileElementSize;
  for (int64_t extent : ArrayRef(plan.tileExtents).drop_back())
    rows *= extent;
  if (needed > rows * plan.layout.pitch)
    type += ", " + std::to_string(needed);
  return type + ">";
}

/// Its size is an argument of the launch.
bool isDynamic(const VarDecl *tile) { return tile->getType()->isIncompleteArrayType(); }

} // namespace

KernelWriter::KernelWriter(const SourceText &source, const KernelToEmit &kernel,
                           const KernelNames &names, const BarrierFacts &barriers)
    : source(source), kernel(kernel), names(names), barriers(barriers) {
  nameCopies();
}

std::vector<const Plan *> KernelWriter::plansOf(size_t copy) const {
  std::vector<const Plan *> plans;
  for (const InstanceToEmit &instance : kernel.instances)
    plans.push_back(&instance.copies[copy].plan);
  return plans;
}

bool KernelWriter::moved(size_t copy) const {
  return llvm::any_of(plansOf(copy), [](const Plan *plan) { return plan->layout.moved; });
}

/// Whether the leader can set up the barrier and start the first copies at once,
/// before the block's first barrier: 5 % of a small stencil's time.
bool KernelWriter::startsFirst() const {
  for (size_t i = 0; i < copyNames.size(); ++i) {
    const CopyOrder &order = barriers.copies[i];
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

void KernelWriter::nameCopies() {
  const std::vector<CopyToEmit> &copies = kernel.instances.front().copies;
  for (const CopyToEmit &copy : copies) {
    size_t number = 0, same = 0;
    for (const CopyToEmit &other : copies) {
      number += &other <= &copy && other.plan.tile == copy.plan.tile;
      same += other.plan.tile == copy.plan.tile;
    }
    std::string stem = copy.plan.tile + (same > 1 ? "_" + std::to_string(number) : "");
    CopyNames result;
    result.tile = copy.plan.tile;
    if (copy.plan.mode == Mode::Bulk) {
      result.bytes = planReference() + "::" + stem + "_bytes";
    } else {
      result.map = source.unused(stem + "_map");
      result.box = stem + "_box";
      result.bytes = planReference() + "::" + result.box + "::bytes";
    }
    copyNames.push_back(result);
  }
}

std::vector<Piece> KernelWriter::sibling() {
  const FunctionDecl *pattern = kernel.pattern;
  const std::vector<CopyToEmit> &copies = kernel.instances.front().copies;
  edits.push_back(replacement(source.offsetOf(pattern->getLocation()),
                              source.endOfToken(pattern->getLocation()), names.lifted));

  std::string parameters;
  for (const CopyNames &copy : copyNames)
    if (!copy.map.empty())
      parameters += ", const __grid_constant__ CUtensorMap " + copy.map;
  if (pattern->param_empty())
    parameters = parameters.substr(std::min<size_t>(2, parameters.size()));
  unsigned close = source.offsetOf(pattern->getFunctionTypeLoc().getRParenLoc());
  if (!parameters.empty())
    edits.push_back(insertion(close, wrapped(parameters, close)));

  unsigned body = source.endOfToken(pattern->getBody()->getBeginLoc());
  std::string declarations = "\n  __shared__ tilelift::barrier " + names.barrier + ";";
  if (llvm::any_of(copies, [](const CopyToEmit &copy) { return isDynamic(copy.tile); })) {
    declarations += "\n  extern __shared__ __align__(128) unsigned char " + names.memory + "[];";
    moveDynamicMemory(pattern->getBody());
  }
  declarations += "\n  unsigned " + names.phase +
                  (startsFirst() ? " = 0;" : " = tilelift::begin(" + names.barrier + ");");
  edits.push_back(insertion(body, declarations));
  for (size_t i = 0; i < copies.size(); ++i) {
    bool declared = false;
    for (size_t j = 0; j < i; ++j)
      declared |= copies[j].tile->getLocation() == copies[i].tile->getLocation();
    if (!declared && !isDynamic(copies[i].tile))
      declareTile(i);
    bool isFirst = i == 0 || copies[i].statement != copies[i - 1].statement;
    if (isFirst && !failure)
      replaceStatement(i);
    if (failure)
      return {};
  }
  for (const Directive *directive : kernel.plain)
    edits.push_back(source.pragmaComment(*directive, "stays a loop"));
  for (const CallExpr *barrier : barriers.redundant)
    edits.push_back(source.removal(source.offsetOf(barrier->getBeginLoc()), source.endOf(barrier)));
  removeDeadVariables();
  return editedCopy(source.beginOf(pattern), source.endOfToken(pattern->getBody()->getEndLoc()),
                    edits);
}

/// An array in dynamic memory starts on its own alignment, so all of them become
/// pointers to the start that is aligned for TMA.
void KernelWriter::moveDynamicMemory(const Stmt *within) {
  if (!within)
    return;
  if (const auto *declaration = dyn_cast<DeclStmt>(within)) {
    std::string text;
    for (const Decl *each : declaration->decls()) {
      const auto *variable = dyn_cast<VarDecl>(each);
      if (!variable || !isDynamic(variable))
        continue;
      ASTContext &context = variable->getASTContext();
      QualType element = context.getAsArrayType(variable->getType())->getElementType();
      text += (text.empty() ? "const auto " : " const auto ") + variable->getNameAsString() +
              " = reinterpret_cast<" +
              context.getPointerType(element).getAsString(context.getPrintingPolicy()) + ">(" +
              names.memory + ");";
    }
    if (!text.empty() && !source.isPlainText(declaration->getSourceRange()))
      failure = diagnose("not-available-yet", {source.offsetOf(declaration->getBeginLoc())},
                         "dynamic shared memory that a macro declares");
    else if (!text.empty())
      edits.push_back(replacement(source.offsetOf(declaration->getBeginLoc()),
                                  source.endOf(declaration), text));
  }
  for (const Stmt *child : within->children())
    moveDynamicMemory(child);
}

/// Puts parameters on lines of their own where they would make a long one.
std::string KernelWriter::wrapped(const std::string &parameters, unsigned at) const {
  unsigned growth = unsigned(names.lifted.size() - names.kernel.size());
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

/// A tile that keeps its layout is aligned; one that does not gets another type.
void KernelWriter::declareTile(size_t copy) {
  const VarDecl *tile = kernel.instances.front().copies[copy].tile;
  const DeclStmt *declaration = findDeclaration(kernel.pattern->getBody(), tile->getLocation());
  if (!declaration || !source.isPlainText(declaration->getSourceRange())) {
    failure = diagnose("not-available-yet", {source.offsetOf(tile->getLocation())},
                       "a tile that a macro or another function declares ('" +
                           tile->getNameAsString() + "')");
    return;
  }
  unsigned begin = source.offsetOf(declaration->getBeginLoc()), end = source.endOf(declaration);
  std::string indent = source.indentationAt(begin);
  if (!moved(copy)) {
    // __shared__ is a macro; the alignment goes right behind it.
    std::string text = source.between(begin, end).str();
    size_t shared = text.find("__shared__");
    if (shared == std::string::npos) {
      failure =
          diagnose("not-available-yet", {begin}, "a tile whose '__shared__' comes from a macro");
      return;
    }
    // Tiles that are declared together are aligned together.
    unsigned at = begin + unsigned(shared) + 10;
    if (llvm::none_of(edits, [&](const Edit &edit) { return edit.begin == at && edit.end == at; }))
      edits.push_back(insertion(at, " __align__(128)"));
    return;
  }
  std::string text;
  auto declarators = declaration->decls();
  unsigned specifiers = source.offsetOf((*declarators.begin())->getLocation());
  for (const Decl *each : declarators) {
    const auto *variable = cast<VarDecl>(each);
    text += text.empty() ? "" : "\n" + indent;
    if (variable->getLocation() == tile->getLocation())
      text += "__shared__ " + typePrefix() + planReference() + "::" + tile->getNameAsString() +
              " " + tile->getNameAsString() + ";";
    else
      text += (source.between(begin, specifiers) +
               source.between(source.offsetOf(variable->getLocation()),
                              source.endOfToken(variable->getEndLoc())) +
               ";")
                  .str();
  }
  edits.push_back(replacement(begin, end, text));
}

void KernelWriter::removeDeadVariables() {
  std::vector<TextRange> replaced;
  StringSet<> written;
  for (const Edit &edit : edits) {
    bool keepsText = llvm::any_of(edit.pieces, [](const Piece &piece) { return piece.length > 0; });
    if (!keepsText && edit.end > edit.begin)
      replaced.push_back({edit.begin, edit.end});
    for (const Piece &piece : edit.pieces) {
      auto isWord = [](char c) { return isAlnum(c) || c == '_'; };
      SmallVector<StringRef, 16> lines;
      StringRef(piece.text).split(lines, '\n');
      for (StringRef line : lines)
        for (StringRef rest = line.split("//").first; !rest.empty();) {
          size_t skipped = rest.find_if(isWord);
          bool isMember = skipped != StringRef::npos && skipped > 0 &&
                          (rest[skipped - 1] == '.' || rest[skipped - 1] == ':');
          rest = rest.substr(skipped);
          if (!isMember)
            written.insert(rest.take_while(isWord));
          rest = rest.drop_while(isWord);
        }
    }
  }
  DeadVariables found = findDeadVariables(source, kernel.pattern, replaced, written);
  for (const DeclStmt *dead : found.dead)
    edits.push_back(source.removal(source.offsetOf(dead->getBeginLoc()), source.endOf(dead)));
  for (const DeclStmt *partly : found.partlyDead)
    edits.push_back(insertion(source.offsetOf(partly->getBeginLoc()), "[[maybe_unused]] "));
}

std::string KernelWriter::waitText(const std::string &indent) const {
  return indent + "tilelift::wait(" + names.barrier + ", " + names.phase + ");";
}

/// The bytes of a copy and of those that wait with it.
std::string KernelWriter::expectedBytes(size_t first) const {
  std::string bytes;
  for (size_t i = first; i < copyNames.size(); ++i) {
    if (i > first && !barriers.copies[i].joinsPrevious)
      break;
    const Plan &plan = kernel.instances.front().copies[i].plan;
    std::string one = copyNames[i].bytes;
    if (plan.pieces() > 1)
      one = std::to_string(plan.pieces()) + " * " + one;
    bytes += (bytes.empty() ? "" : " + ") + one;
  }
  return bytes;
}

/// Where in shared memory a copy's first box goes.
std::string KernelWriter::destination(size_t copy, const std::string &slot) const {
  const CopyToEmit &own = kernel.instances.front().copies[copy];
  std::string to = isDynamic(own.tile)                  ? names.memory
                   : moved(copy)                        ? own.plan.tile + ".data()"
                   : own.tile->getType()->isArrayType() ? own.plan.tile
                                                        : "&" + own.plan.tile;
  std::string bytes = slot == "0" ? "" : slot;
  if (int64_t constant = own.plan.layout.destination; constant != 0)
    bytes = std::to_string(constant) + (bytes.empty() ? "" : " + " + bytes);
  return bytes.empty() ? to : "tilelift::advance(" + to + ", " + bytes + ")";
}

std::string KernelWriter::loadText(size_t copy, const std::string &indent) {
  std::vector<const Plan *> plans = plansOf(copy);
  const Plan &first = *plans.front();
  const CopyNames &own = copyNames[copy];
  CodeText code(plans, planReference(), planConstants);
  std::optional<std::string> slot = code.inKernel(
      code.each([](const Plan &plan) { return plan.layout.slot; }), own.tile + "_slot");
  std::string to = destination(copy, slot.value_or("0"));
  auto missing = [&] {
    failure = diagnose("expression-not-available", first.place, code.unnamed());
    return std::string();
  };

  if (!slot)
    return missing();
  std::string policy =
      policyArgument(kernel.instances.front().copies[copy].directive->clauses.cache);

  if (first.mode == Mode::Bulk)
    return bulkText(copy, to, policy, indent);
  std::string coordinates, loops, piece, inner = indent;
  int64_t stride = 1; // between pieces, in pieces
  for (size_t d = 0; d < first.dims.size(); ++d) {
    std::optional<std::string> start =
        code.inKernel(code.each([&](const Plan &plan) { return plan.dims[d].coordinate; }),
                      own.tile + "_start_" + std::to_string(d));
    if (!start)
      return missing();
    if (first.dims[d].pieces > 1) {
      std::string counter = "piece_" + std::to_string(d);
      *start += " + " + counter + " * " + std::to_string(first.dims[d].boxOfPiece());
      piece = piece.empty() ? counter : piece + " + " + std::to_string(stride) + " * " + counter;
      stride *= first.dims[d].pieces;
    }
    coordinates += (d == 0 ? "" : ", ") + *start;
  }
  for (size_t d = first.dims.size(); d-- > 0;)
    if (first.dims[d].pieces > 1) {
      std::string counter = "piece_" + std::to_string(d);
      loops += inner + "for (int " + counter + " = 0; " + counter + " < " +
               std::to_string(first.dims[d].pieces) + "; ++" + counter + ")\n";
      inner += "  ";
    }
  if (!piece.empty())
    to = "tilelift::advance(" + to + ", (" + piece + ") * int(" + own.bytes + "))";
  return loops + inner + "tilelift::load(" + to + ", " + own.map + ", {" + coordinates + "}, " +
         names.barrier + policy + ");\n";
}

/// Contiguous bytes, or one row after the other.
std::string KernelWriter::bulkText(size_t copy, std::string to, const std::string &policy,
                                   const std::string &indent) {
  std::vector<const Plan *> plans = plansOf(copy);
  const Plan &first = *plans.front();
  const CopyNames &own = copyNames[copy];
  CodeText code(plans, planReference(), planConstants);
  std::optional<std::string> from =
      code.pointer(code.each([](const Plan &plan) { return plan.offset; }), own.tile + "_offset");
  std::string loops, distance, inner = indent;
  for (size_t d = first.rows.size(); d-- > 0 && from;) {
    std::string counter = "row_" + std::to_string(d);
    std::vector<int64_t> counts, distances;
    for (const Plan *plan : plans) {
      counts.push_back(plan->rows[d].count);
      distances.push_back(plan->rows[d].distance);
    }
    std::optional<std::string> stride = code.inKernelWide(
        code.each([&](const Plan &plan) { return plan.rows[d].stride; }), own.tile + "_stride");
    if (!stride) {
      from.reset();
      break;
    }
    loops += inner + "for (int " + counter + " = 0; " + counter + " < " +
             code.number(counts, own.tile + "_rows") + "; ++" + counter + ")\n";
    inner += "  ";
    from = "tilelift::row_at(" + *from + ", " + counter + " * (" + *stride + "))";
    distance += (distance.empty() ? "" : " + ") + counter + " * " +
                code.number(distances, own.tile + "_distance");
  }
  if (!from) {
    failure = diagnose("expression-not-available", first.place, code.unnamed());
    return "";
  }
  if (!distance.empty())
    to = "tilelift::advance(" + to + ", " + distance + ")";
  return loops + inner + "tilelift::load_bytes(" + to + ", " + *from + ", " + own.bytes + ", " +
         names.barrier + policy + ");\n";
}

std::string KernelWriter::checksText(size_t copy) {
  std::vector<const Plan *> plans = plansOf(copy);
  CodeText code(plans, planReference(), planConstants);
  std::string conditions;
  auto add = [&](const std::string &condition) {
    conditions += (conditions.empty() ? "" : " && ") + condition;
  };
  for (size_t i = 0; i < plans.front()->copyChecks.size(); ++i) {
    const Check &check = plans.front()->copyChecks[i];
    if (check.ofAddress) {
      std::optional<std::string> from =
          code.pointer(code.each([](const Plan &plan) { return plan.offset; }),
                       copyNames[copy].tile + "_offset");
      add("tilelift::is_aligned(" + from.value_or("nullptr") + ")");
      if (!from)
        failure = diagnose("expression-not-available", plans.front()->place, code.unnamed());
      continue;
    }
    std::optional<std::string> value =
        code.inKernelWide(code.each([&](const Plan &plan) { return plan.copyChecks[i].value; }),
                          copyNames[copy].tile + "_check");
    if (!value) {
      failure = diagnose("expression-not-available", plans.front()->place, code.unnamed());
      return "";
    }
    auto limit = [&](function_ref<int64_t(const Check &)> part, StringRef hint) {
      std::vector<int64_t> numbers;
      for (const Plan *plan : plans)
        numbers.push_back(part(plan->copyChecks[i]));
      return code.number(numbers, copyNames[copy].tile + hint.str());
    };
    if (check.multiple != 1)
      add("(" + *value + ") % " + limit([](const Check &c) { return c.multiple; }, "_multiple") +
          " == 0");
    if (check.within.low != Interval::lowest)
      add(*value + " >= " + limit([](const Check &c) { return c.within.low; }, "_low"));
    if (check.within.high != Interval::highest)
      add(*value + " <= " + limit([](const Check &c) { return c.within.high; }, "_high"));
  }
  return conditions;
}

/// The leader's part of the copies that a statement makes, and what comes before it.
std::string KernelWriter::issueText(size_t first, size_t last, const std::string &indent) {
  ArrayRef<CopyOrder> orders = ArrayRef(barriers.copies).slice(first, last - first + 1);
  auto any = [&](bool CopyOrder::*fact) {
    return llvm::any_of(orders, [&](const CopyOrder &order) { return order.*fact; });
  };
  bool sourceWritten = any(&CopyOrder::sourceWritten), written = any(&CopyOrder::writtenBefore);
  std::string text;
  if (sourceWritten)
    text += indent + "tilelift::fence_all_before_tma();\n";
  else if (written)
    text += indent + "tilelift::fence_before_tma();\n";
  if (any(&CopyOrder::needsBarrier) || written || sourceWritten)
    text += indent + "__syncthreads();\n";
  text += indent + "if (tilelift::leader(" + planReference() + "::block)) {\n";
  if (first == 0 && startsFirst())
    text += indent + "  tilelift::set_up(" + names.barrier + ");\n";
  if (any(&CopyOrder::readBefore) && !written && !sourceWritten)
    text += indent + "  tilelift::fence_before_tma();\n";
  if (!orders.front().joinsPrevious)
    text += indent + "  tilelift::expect(" + names.barrier + ", " + expectedBytes(first) + ");\n";
  for (size_t i = first; i <= last; ++i)
    text += loadText(i, indent + "  ");
  return text + indent + "}";
}

/// Conditions of all copies that a statement makes, each once.
std::string KernelWriter::checksOf(size_t first, size_t end) {
  SmallVector<std::string, 4> each;
  for (size_t i = first; i < end; ++i)
    if (std::string checks = checksText(i); !checks.empty() && !llvm::is_contained(each, checks))
      each.push_back(checks);
  return llvm::join(each, " && ");
}

/// Puts the copies of a statement in its place.
void KernelWriter::replaceStatement(size_t first) {
  const std::vector<CopyToEmit> &copies = kernel.instances.front().copies;
  const CopyToEmit &own = copies[first];
  size_t last = first;
  while (last + 1 < copies.size() && copies[last + 1].statement == own.statement)
    ++last;
  if (!source.isPlainText(own.statement->getSourceRange())) {
    failure = diagnose("not-available-yet", own.directive->begin, "a copy inside a macro");
    return;
  }
  unsigned begin = own.directive->begin.offset, end = source.endOf(own.statement);
  unsigned statement = own.directive->statement.offset;
  std::string indent = source.indentationAt(statement);
  bool lastOfGroup = last + 1 == copies.size() || !barriers.copies[last + 1].joinsPrevious;

  std::string checks = checksOf(first, last + 1);
  std::string inner = checks.empty() ? indent : indent + "  ";
  // The pragma may stand in the first column.
  std::string text = StringRef(indent).drop_front(source.indentationAt(begin).size()).str();
  for (size_t i = first; i <= last; ++i)
    text += (i == first ? "" : indent) + "// tma load: " + summary(copies[i].plan) + "\n";
  if (!checks.empty())
    text += indent + "if (" + checks + ") {\n";
  text += issueText(first, last, inner);
  // Set up by the leader alone, the barrier has to be seen by all before they wait.
  bool inFirstGroup = std::none_of(barriers.copies.begin() + 1, barriers.copies.begin() + first + 1,
                                   [](const CopyOrder &order) { return !order.joinsPrevious; });
  if (lastOfGroup && inFirstGroup && startsFirst())
    text += "\n" + inner + "__syncthreads();";
  if (lastOfGroup)
    text += "\n" + waitText(inner);
  if (failure)
    return;
  Edit edit{begin, end, {}};
  if (checks.empty()) {
    edit.pieces = {Piece::own(text, begin)};
  } else {
    bool isBlock = isa<CompoundStmt>(own.statement);
    edit.pieces = {
        Piece::own(text + "\n" + indent + "} else " + (isBlock ? "" : "{\n" + indent), begin),
        Piece::copy(statement, end)};
    if (!isBlock)
      edit.pieces.push_back(Piece::own("\n" + indent + "}"));
  }
  edits.push_back(std::move(edit));
}

std::string KernelWriter::planType() const {
  bool isTemplate = kernel.pattern->getDescribedFunctionTemplate() != nullptr;
  std::string text;
  for (size_t i = 0; i < kernel.instances.size(); ++i) {
    const InstanceToEmit &instance = kernel.instances[i];
    if (isTemplate) {
      std::string name;
      raw_string_ostream stream(name);
      const TemplateArgumentList *arguments = instance.function->getTemplateSpecializationArgs();
      PrintingPolicy policy = instance.function->getASTContext().getPrintingPolicy();
      printTemplateArgumentList(stream, arguments->asArray(), policy);
      text += "template <> struct " + names.plan + name + " {\n";
      text += "  static constexpr bool lifted = true;\n";
    } else {
      text += "struct " + names.plan + " {\n";
    }
    text += "  static constexpr tilelift::block_size block = {" +
            std::to_string(instance.block[0]) + ", " + std::to_string(instance.block[1]) + ", " +
            std::to_string(instance.block[2]) + "};\n";
    for (size_t copy = 0; copy < copyNames.size(); ++copy) {
      const Plan &plan = instance.copies[copy].plan;
      StringRef ownBytes = StringRef(copyNames[copy].bytes).rsplit("::").second;
      bool first =
          llvm::none_of(ArrayRef<CopyNames>(copyNames).take_front(copy),
                        [&](const CopyNames &c) { return c.tile == copyNames[copy].tile; });
      if (moved(copy) && first)
        text += "  using " + plan.tile + " = " + tileType(plan) + ";\n";
      if (plan.mode == Mode::Bulk)
        text += "  static constexpr unsigned " + ownBytes.str() + " = " +
                std::to_string(plan.expectedBytes / plan.pieces()) + ";\n";
      else
        text += "  using " + copyNames[copy].box + " = " + boxType(plan) + ";\n  static_assert(" +
                copyNames[copy].box +
                "::bytes == " + std::to_string(plan.expectedBytes / plan.pieces()) +
                ", \"the barrier expects what the map delivers\");\n";
      if (moved(copy) && first && plan.mode == Mode::Tile)
        text += "  static_assert(sizeof(" + plan.tile +
                ") >= " + std::to_string(plan.expectedBytes) + ", \"the box fits the tile\");\n";
    }
    for (const PlanConstant &constant : planConstants) {
      bool fitsInt = llvm::all_of(constant.values, [](int64_t v) { return isInt<32>(v); });
      text += "  static constexpr " + std::string(fitsInt ? "int " : "long long ") + constant.name +
              " = " + std::to_string(constant.values[i]) + ";\n";
    }
    text += "};\n";
  }
  return text;
}

} // namespace tilelift
