//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an annotated statement is replaced: by its copies, with the loop beside them where a
// condition may not hold, and with its comments.
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"

#include "directive/PragmaReader.h"
#include "writable/Assumptions.h"

#include <map>

using namespace clang;
using namespace llvm;

namespace tilelift {

/// Conditions of all copies that a statement makes, each once.
std::string KernelWriter::checksOf(size_t first, size_t end, bool isAhead) {
  SmallVector<std::string, 4> each;
  for (size_t i = first; i < end; ++i)
    if (std::string checks = checksText(i, codeOf(i, isAhead));
        !checks.empty() && !llvm::is_contained(each, checks))
      each.push_back(checks);
  return llvm::join(each, " && ");
}

/// Where the text of a copy begins: with its pragma, unless an `#endif` stands between them. That
/// stays, as does what was before it, and the pragma goes. So do pragmas of its loop that stand
/// ahead of both: what is written is no loop.
unsigned KernelWriter::beginOf(size_t copy) {
  const Directive &directive = *copies()[copy].directive;
  for (auto [begin, end] : source.hintsOf(copies()[copy].statement))
    if (begin < directive.begin.offset || source.isCutOffByEndif(directive))
      texts[textOf[copy]].edits.push_back(source.removal(begin, end));
  if (!source.isCutOffByEndif(directive))
    return directive.begin.offset;
  texts[textOf[copy]].edits.push_back(source.removal(directive.begin.offset, directive.end.offset));
  return directive.statement.offset;
}

/// Behind the copies that a statement makes.
size_t KernelWriter::endOfStatement(size_t copy) const {
  size_t end = copy + 1;
  while (end < copies().size() && copies()[end].statement == copies()[copy].statement &&
         textOf[end] == textOf[copy])
    ++end;
  return end;
}

/// What became of a statement, in the place of its pragma.
std::string KernelWriter::commentsOf(size_t first, size_t end) const {
  const Directive &directive = *copies()[first].directive;
  std::string indent = source.indentationAt(directive.statement.offset);
  // The pragma may stand in the first column.
  size_t there = source.isCutOffByEndif(directive)
                     ? indent.size()
                     : source.indentationAt(directive.begin.offset).size();
  std::string text = StringRef(indent).drop_front(there).str();
  for (size_t i = first; i < end; ++i)
    text += (i == first ? "" : indent) + "// tma " + spelling(directive.kind).str() + ": " +
            summary(copies()[i].plan) + "\n";
  return text;
}

/// The statement as it was, in braces, behind some text.
std::vector<Piece> KernelWriter::plainBranch(const std::string &before, size_t copy,
                                             unsigned at) const {
  const PlannedCopy &own = copies()[copy];
  unsigned begin = own.directive->statement.offset;
  std::string indent = source.indentationAt(begin);
  const unsigned end = source.endOf(own.statement);
  const std::vector<Directive> &joined = own.directive->joined;
  if (isa<CompoundStmt>(own.statement) && joined.empty())
    return {Piece::own(before, at), Piece::copy(begin, end)};
  std::string hints;
  for (auto [first, end] : source.hintsOf(own.statement))
    hints += source.between(first, end).str() + "\n" + indent;
  std::vector<Edit> pragmas;
  for (const Directive &each : joined)
    pragmas.push_back(source.removal(each.begin.offset, each.end.offset));
  std::vector<Piece> pieces = editedCopy(begin, end, std::move(pragmas));
  pieces.insert(pieces.begin(), Piece::own(before + "{\n" + indent + hints, at));
  pieces.push_back(Piece::own("\n" + indent + "}"));
  return pieces;
}

/// What the tiles' sizes have to be, where only the kernel can say it.
std::string KernelWriter::assumedSizes(size_t first, size_t end, const std::string &indent) const {
  std::string text;
  for (size_t i = first; i < end; ++i) {
    std::optional<std::string> own = sizeToAssume(kernel.pattern, copies()[i].tile, variants);
    const bool isSameInAll = llvm::all_of(kernel.instances, [&](const InstancePlan &other) {
      return sizeToAssume(kernel.pattern, other.copies[i].tile, variants) == own;
    });
    if (own && isSameInAll && !StringRef(text).contains("(" + *own + ")"))
      text += indent + "TILELIFT_LIFTED_FOR(" + *own + ");\n";
  }
  return text;
}

/// Puts the copies of a statement in its place.
void KernelWriter::replaceStatement(size_t first) {
  const PlannedCopy &own = copies()[first];
  size_t last = endOfStatement(first) - 1;
  unsigned begin = beginOf(first), end = source.endOf(own.statement);
  unsigned statement = own.directive->statement.offset;
  std::string indent = source.indentationAt(statement);
  bool lastOfGroup = isLastOfGroup(last) && !isStore(first);

  std::string checks = checksOf(first, last + 1);
  std::string inner = checks.empty() ? indent : indent + "  ";
  std::string text = commentsOf(first, last + 1) + assumedSizes(first, last + 1, indent);
  if (asksWhetherApart(first, last))
    text += storeFence(first, last, indent);
  if (!checks.empty())
    text += indent + "if (" + checks + ") {\n";
  text += isStore(first) ? storeText(first, last, inner) : issueText(first, last, inner);
  // Set up by the leader alone, the barrier has to be seen by all before they wait.
  bool inFirstGroup = std::none_of(orders.copies.begin() + 1, orders.copies.begin() + first + 1,
                                   [](const CopyOrder &order) { return !order.joinsPrevious; });
  if (lastOfGroup && inFirstGroup && startsFirst())
    text += "\n" + inner + blockBarrier();
  if (lastOfGroup)
    text += "\n" + waitText(last, inner);
  Edit edit{begin, end, {}};
  if (checks.empty()) {
    edit.pieces = {Piece::own(text, begin)};
  } else {
    edit.pieces = plainBranch(text + "\n" + indent + "} else ", first, begin);
  }
  addCopy(std::move(edit), first);
}

/// What replaces a statement may be several ones.
void KernelWriter::addCopy(Edit edit, size_t copy) {
  if (copies()[copy].isBody) {
    std::string indent = source.indentationAt(copies()[copy].directive->statement.offset);
    indent.resize(indent.size() - std::min<size_t>(indent.size(), 2));
    edit.pieces.insert(edit.pieces.begin(), Piece::own(indent + "{\n", edit.begin));
    edit.pieces.push_back(Piece::own("\n" + indent + "}"));
  }
  texts[textOf[copy]].edits.push_back(std::move(edit));
}

} // namespace tilelift
