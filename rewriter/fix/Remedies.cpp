//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "fix/Remedies.h"

#include "facts/MemoryUses.h"
#include "fix/ExpressionText.h"
#include "plan/Elements.h"
#include "relation/WrittenBytes.h"
#include "support/Locations.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The copy as it would be, and what to write for that.
struct Trial {
  CopyRelation relation;
  Remedy remedy;
};

class Remedies {
public:
  Remedies(const AnalysedCopy &copy, const KernelUnderTest &kernel)
      : relation(copy.relation), variable(copy.tile), kernel(kernel) {}

  std::optional<Trial> aligned() const;
  std::optional<Trial> widened(int64_t bytes) const;

private:
  const FieldDecl *memberAt(int64_t offset, int64_t &begin) const;
  SmallVector<const Expr *, 4> extentTexts() const {
    return tilelift::extentTexts(variable, relation.tile.extents.size(), kernel.context);
  }
  std::optional<CharSourceRange> textOf(const Expr *expression) const {
    return tilelift::textOf(expression, kernel.context);
  }
  FixIt insert(SourceLocation at, std::string text) const {
    return {placeOf(sources(), at), 0, std::move(text)};
  }
  const SourceManager &sources() const { return kernel.context.getSourceManager(); }

  const CopyRelation &relation;
  const VarDecl *variable;
  const KernelUnderTest &kernel;
};

/// The member of the tile's struct that holds a byte, and where it begins.
const FieldDecl *Remedies::memberAt(int64_t offset, int64_t &begin) const {
  const FieldDecl *found = nullptr;
  const RecordDecl *record = variable->getType()->getAsRecordDecl();
  begin = 0;
  while (record && !record->isUnion()) {
    const ASTRecordLayout &layout = kernel.context.getASTRecordLayout(record);
    const FieldDecl *inside = nullptr;
    int64_t start = 0;
    for (const FieldDecl *field : record->fields()) {
      int64_t own =
          begin + kernel.context.toCharUnitsFromBits(layout.getFieldOffset(field->getFieldIndex()))
                      .getQuantity();
      if (own <= offset && !field->isBitField())
        inside = field, start = own;
    }
    if (!inside)
      return found;
    found = inside;
    begin = start;
    record = inside->getType()->getAsRecordDecl();
  }
  return found;
}

/// Looks for whoever else knows the size of a struct, or where its members are.
class OtherUses : public DynamicRecursiveASTVisitor {
public:
  OtherUses(const RecordDecl *record, const VarDecl *variable)
      : record(record), variable(variable) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool found = false;

  bool TraverseDecl(Decl *declaration) override {
    if (!declaration || declaration->getLocation() == variable->getLocation()) // of any instance
      return true;
    bool isOfSystem =
        !isa<TranslationUnitDecl, LinkageSpecDecl>(declaration) &&
        !placeOf(declaration->getASTContext().getSourceManager(), declaration->getLocation())
             .isKnown();
    return isOfSystem || DynamicRecursiveASTVisitor::TraverseDecl(declaration);
  }
  bool VisitTagTypeLoc(TagTypeLoc type) override { return look(type.getDecl()); }
  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *trait) override {
    return look(trait->getTypeOfArgument()->getAsRecordDecl());
  }

private:
  bool look(const TagDecl *named) {
    found |= named && named->getCanonicalDecl() == record->getCanonicalDecl();
    return !found;
  }

  const RecordDecl *record;
  const VarDecl *variable;
};

/// A member that starts on 128 bytes, with those behind it moved along. That changes the size of
/// its struct, so it is offered only if nothing else in the program uses the struct.
std::optional<Trial> Remedies::aligned() const {
  int64_t begin = 0;
  const FieldDecl *member = memberAt(relation.cells.front().offset, begin);
  if (!member || begin % boxAlignment.count() == 0 || !relation.tile.slot.isZero())
    return std::nullopt;
  SourceLocation at = member->getBeginLoc();
  bool sharesDeclaration = llvm::any_of(member->getParent()->fields(), [&](const FieldDecl *other) {
    return other != member && other->getBeginLoc() == at;
  });
  OtherUses others(member->getParent(), variable);
  others.TraverseDecl(kernel.context.getTranslationUnitDecl());
  if (others.found || sharesDeclaration || !at.isFileID() || !placeOf(sources(), at).isKnown())
    return std::nullopt;
  Trial trial{relation, {}};
  int64_t moved = int64_t(alignTo(uint64_t(begin), uint64_t(boxAlignment.count()))) - begin;
  for (Cell &cell : trial.relation.cells)
    cell.offset += moved;
  trial.relation.tile.extents.back() += moved / relation.tile.elementSize;
  trial.remedy.text = "start '" + member->getNameAsString() + "' on 128 bytes";
  trial.remedy.edits = {insert(at, "alignas(128) ")};
  return trial;
}

/// Rows that are multiples of so many bytes, where all that knows of their length indexes
/// the tile or stays within a row. An index that leaves a row would find another element.
std::optional<Trial> Remedies::widened(int64_t bytes) const {
  const SharedTile &tile = relation.tile;
  SmallVector<const Expr *, 4> extents = extentTexts();
  int64_t row = tile.rowBytes();
  int64_t wider = int64_t(alignTo(uint64_t(row), uint64_t(bytes)));
  bool isSafe = (tile.layoutEscape.empty() || tile.onlyRowsEscape) && !tile.columnsLeaveRows();
  if (extents.size() < 2 || wider == row || wider % tile.elementSize != 0 || !isSafe)
    return std::nullopt;
  Trial trial{relation, {}};
  for (Cell &cell : trial.relation.cells)
    cell.offset = cell.offset / row * wider + cell.offset % row;
  std::optional<Polynomial> slotRows = tile.slot.dividedBy(row);
  if (!slotRows)
    return std::nullopt;
  trial.relation.tile.slot = *slotRows * Polynomial(wider);
  trial.relation.tile.extents.back() = wider / tile.elementSize;
  if (!bindsLikeSum(extents.back()))
    return std::nullopt;
  std::string more = std::to_string((wider - row) / tile.elementSize);
  trial.remedy.text = "make the rows of '" + tile.name + "' " + more + " elements longer";
  trial.remedy.edits = {insert(textOf(extents.back())->getEnd(), " + " + more)};
  return trial;
}

} // namespace

std::optional<Remedy> findRemedy(const AnalysedCopy &copy, const KernelUnderTest &kernel,
                                 const FitOptions &options) {
  Remedies remedies(copy, kernel);
  std::optional<Trial> trials[] = {remedies.aligned(), remedies.widened(grain.count()),
                                   remedies.widened(boxAlignment.count())};
  for (std::optional<Trial> &trial : trials) {
    if (trial && trial->relation.tile.otherWriter.empty())
      trial->relation.tile.unwritten = unwrittenAround(trial->relation, {&trial->relation});
    if (trial && std::holds_alternative<Plan>(fit(trial->relation, options)))
      return std::move(trial->remedy);
  }
  return std::nullopt;
}

} // namespace tilelift
