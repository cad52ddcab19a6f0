//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the sibling declares its shared memory: tiles with other rows or more stages, and the
// alignment that TMA needs, for which arrays beside them may have to move.
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"

#include "emit/DeadVariables.h"
#include "facts/MemoryUses.h"
#include "plan/Elements.h"
#include "support/Words.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
/// Whether all that a text does with an array is to use it as a pointer to its first element.
static bool isOnlyPointer(const VarDecl *array, const Stmt *within) {
  const auto *cast = dyn_cast<ImplicitCastExpr>(within);
  const bool isPointer = cast && cast->getCastKind() == CK_ArrayToPointerDecay;
  return llvm::all_of(within->children(), [&](const Stmt *child) {
    const auto *named = dyn_cast_or_null<DeclRefExpr>(child);
    const bool isNamed = named && named->getDecl()->getCanonicalDecl() == array->getCanonicalDecl();
    return !child || (isNamed ? isPointer : isOnlyPointer(array, child));
  });
}

/// What stands for an array in dynamic shared memory, which starts on an alignment of its own: a
/// pointer to the start that is aligned for TMA, or an array there, where somebody takes its
/// address.
std::string KernelWriter::pointerToMemory(const VarDecl *array) const {
  ASTContext &context = array->getASTContext();
  const PrintingPolicy &policy = context.getPrintingPolicy();
  const QualType element = context.getAsArrayType(array->getType())->getElementType();
  if (!isOnlyPointer(array, kernel.pattern->getBody()))
    return "auto &" + array->getNameAsString() + " = reinterpret_cast<" +
           context.getLValueReferenceType(array->getType()).getAsString(policy) + ">(*(" +
           startOfDynamicMemory() + "));";
  return "const auto " + array->getNameAsString() + " = reinterpret_cast<" +
         context.getPointerType(element).getAsString(policy) + ">(" + startOfDynamicMemory() + ");";
}

void KernelWriter::moveDynamicMemory(const Stmt *within) {
  if (!within)
    return;
  if (const auto *declaration = dyn_cast<DeclStmt>(within)) {
    std::string text;
    for (const Decl *each : declaration->decls()) {
      const auto *variable = dyn_cast<VarDecl>(each);
      if (!variable || !isDynamic(variable))
        continue;
      text += (text.empty() ? "" : " ") + pointerToMemory(variable);
    }
    if (!text.empty())
      texts.front().edits.push_back(replacement(source.offsetOf(declaration->getBeginLoc()),
                                                source.endOf(declaration), text));
  }
  for (const Stmt *child : within->children())
    moveDynamicMemory(child);
}

/// The first copy of a tile that is declared there.
std::optional<size_t> KernelWriter::copyOf(SourceLocation declared) const {
  for (size_t i = 0; i < copies().size(); ++i)
    if (copies()[i].tile->getLocation() == declared)
      return i;
  return std::nullopt;
}

/// A tile that keeps its layout is aligned; one that does not gets another type, and then
/// what is declared together with it has a declaration of its own.
void KernelWriter::declareTile(size_t copy) {
  const VarDecl *tile = copies()[copy].tile;
  const size_t owner = ownerOf(texts, tile);
  const DeclStmt *declaration =
      findDeclaration(texts[owner].pattern->getBody(), tile->getLocation());
  bool isSplit = llvm::any_of(declaration->decls(), [&](const Decl *each) {
    std::optional<size_t> of = copyOf(each->getLocation());
    return of && isRetyped(*of);
  });
  if (!isSplit)
    return alignTile(copy, *declaration, texts[owner]);
  unsigned begin = source.beginOf(declaration), end = source.endOf(declaration);
  std::vector<Edit> &edits = texts[owner].edits;
  bool isDone =
      llvm::any_of(edits, [&](const Edit &edit) { return edit.begin == begin && edit.end == end; });
  if (isDone)
    return;
  std::string text;
  for (const Decl *each : declaration->decls())
    text += (text.empty() ? "" : "\n" + source.indentationAt(begin)) +
            declarationOf(*cast<VarDecl>(each), *declaration, texts[owner]);
  edits.push_back(replacement(begin, end, text));
}

/// Of a tile that TMA gets to: the strictest that some of the copies need.
int64_t KernelWriter::alignmentOf(function_ref<bool(const VarDecl *)> isMeant) const {
  int64_t alignment = 128;
  for (size_t i = 0; i < copies().size(); ++i)
    if (isMeant(copies()[i].tile))
      for (const Plan *plan : plansOf(i))
        alignment = std::max(alignment, plan->layout.alignment().count());
  return alignment;
}

std::string KernelWriter::alignmentText(function_ref<bool(const VarDecl *)> isMeant) const {
  return "__align__(" + std::to_string(alignmentOf(isMeant)) + ")";
}

bool KernelWriter::isFirstOfTile(size_t copy) const {
  ArrayRef<PlannedCopy> all = copies();
  return llvm::none_of(all.take_front(copy), [&](const PlannedCopy &other) {
    return other.tile->getLocation() == all[copy].tile->getLocation();
  });
}

std::string KernelWriter::tileTypeName(size_t copy) const {
  const PlannedCopy &own = copies()[copy];
  const StringRef name = own.tile->getName();
  unsigned number = 1;
  for (size_t other = 0; other < copies().size(); ++other) {
    const VarDecl *tile = copies()[other].tile;
    if (tile->getLocation() == own.tile->getLocation())
      break;
    number += tile->getName() == name && isFirstOfTile(other);
  }
  // The plan type has members of its own, and constants that are called after tiles.
  const bool isTaken = name == "block" || name == "lifted" || name == "cluster" ||
                       name == "ring_bytes" || name == "overhang_bytes" ||
                       name.starts_with("lifted_") || name.starts_with("peers") ||
                       llvm::any_of(copies(), [&](const PlannedCopy &other) {
                         return name.starts_with((other.tile->getName() + "_").str());
                       });
  return (name + (isTaken || number > 1 ? "_tile" : "") +
          (number > 1 ? std::to_string(number) : ""))
      .str();
}

/// Of several variables that are declared together, one by itself.
std::string KernelWriter::declarationOf(const VarDecl &variable, const DeclStmt &declaration,
                                        const FunctionText &text) {
  std::optional<size_t> copy = copyOf(variable.getLocation());
  std::string tiles = copy ? tilesOf(*copy) : "";
  std::string name =
      tiles.empty() ? variable.getNameAsString() : ringTile(*copy) + "[" + tiles + "]";
  if (copy && isRetyped(*copy)) {
    bool isDependent = text.pattern->isTemplated() || !text.path.inKernel();
    std::string type =
        std::string(isDependent ? "typename " : "") + planIn(text) + "::" + tileTypeName(*copy);
    return tiles.empty() ? "__shared__ " + type + " " + name + ";" : ringDeclaration(*copy, type);
  }
  const VarDecl &first = *cast<VarDecl>(*declaration.decl_begin());
  std::string before =
      source.between(source.beginOf(&declaration), source.declaratorOf(first).first).str();
  unsigned used = copy ? 0 : alignmentUsed(variable);
  if (size_t shared = before.find("__shared__"); shared != std::string::npos && (copy || used > 0))
    before.insert(shared + 10, copy ? " " + alignmentText([&](const VarDecl *tile) {
                                        return tile->getLocation() == variable.getLocation();
                                      })
                                    : " __align__(" + std::to_string(used) + ")");
  auto [begin, end] = source.declaratorOf(variable);
  return before + source.between(begin, source.offsetOf(variable.getLocation())).str() + name +
         source.between(source.endOfToken(variable.getLocation()), end).str() + ";";
}

/// What is declared in some instance's text at the same place, where it is accessed wider than
/// its type asks for; 0 where it is not. Where shared memory is laid out anew, nothing else
/// says that it starts there.
unsigned KernelWriter::alignmentUsed(const VarDecl &array) const {
  unsigned alignment = 0;
  for (const InstancePlan &instance : kernel.instances)
    if (const DeclStmt *declaration =
            findDeclaration(instance.function->getBody(), array.getLocation()))
      for (const Decl *each : declaration->decls())
        if (const auto *own = dyn_cast<VarDecl>(each);
            own && own->getLocation() == array.getLocation())
          if (unsigned used = effects.of(instance.function).alignmentOf(own);
              used > unsigned(own->getASTContext().getDeclAlign(own).getQuantity()))
            alignment = std::max(alignment, used);
  return alignment;
}

/// Shared arrays that are no tiles.
void KernelWriter::alignOthers(const Stmt *within, FunctionText &text) {
  if (!within)
    return;
  const auto *declaration = dyn_cast<DeclStmt>(within);
  unsigned alignment = 0;
  bool hasTile = false;
  if (declaration)
    for (const Decl *each : declaration->decls())
      if (const auto *variable = dyn_cast<VarDecl>(each);
          variable && variable->hasAttr<CUDASharedAttr>() && !isDynamic(variable)) {
        hasTile |= copyOf(variable->getLocation()).has_value();
        alignment = std::max(alignment, alignmentUsed(*variable));
      }
  if (alignment > 0 && !hasTile && source.isPlainText(declaration->getSourceRange())) {
    unsigned begin = source.beginOf(declaration);
    size_t shared = source.between(begin, source.endOf(declaration)).find("__shared__");
    if (shared != StringRef::npos)
      text.edits.push_back(insertion(begin + unsigned(shared) + 10,
                                     " __align__(" + std::to_string(alignment) + ")"));
  }
  for (const Stmt *child : within->children())
    alignOthers(child, text);
}

void KernelWriter::alignTile(size_t copy, const DeclStmt &declaration, FunctionText &text) {
  const VarDecl *tile = copies()[copy].tile;
  // __shared__ is a macro; the alignment goes right behind it.
  unsigned begin = source.beginOf(&declaration);
  size_t shared = source.between(begin, source.endOf(&declaration)).find("__shared__");
  unsigned at = begin + unsigned(shared) + 10;
  // Tiles that are declared together are aligned together.
  auto isDeclaredHere = [&](const VarDecl *tile) {
    return llvm::any_of(declaration.decls(), [&](const Decl *each) {
      return each->getLocation() == tile->getLocation();
    });
  };
  if (llvm::none_of(text.edits,
                    [&](const Edit &edit) { return edit.begin == at && edit.end == at; }))
    text.edits.push_back(insertion(at, " " + alignmentText(isDeclaredHere)));
  if (std::string tiles = tilesOf(copy); !tiles.empty())
    text.edits.push_back(replacement(source.offsetOf(tile->getLocation()),
                                     source.endOfToken(tile->getLocation()),
                                     ringTile(copy) + "[" + tiles + "]"));
}

static void findDynamicMemory(const Stmt *within, SmallVectorImpl<const VarDecl *> &arrays) {
  if (!within)
    return;
  if (const auto *declaration = dyn_cast<DeclStmt>(within))
    for (const Decl *each : declaration->decls())
      if (const auto *array = dyn_cast<VarDecl>(each);
          array && array->hasAttr<CUDASharedAttr>() && isDynamic(array))
        arrays.push_back(array);
  for (const Stmt *child : within->children())
    findDynamicMemory(child, arrays);
}

/// What the program says of where its dynamic shared memory starts; at least what TMA asks for.
static int64_t declaredAlignment(const FunctionDecl *kernel) {
  SmallVector<const VarDecl *, 2> arrays = outerDynamicMemory(kernel);
  findDynamicMemory(kernel->getBody(), arrays);
  int64_t alignment = 128;
  for (const VarDecl *array : arrays)
    alignment = std::max(alignment, kernel->getASTContext().getDeclAlign(array).getQuantity());
  return alignment;
}

int64_t KernelWriter::alignmentOfMemory() const {
  int64_t alignment = alignmentOf([](const VarDecl *) { return true; });
  for (const InstancePlan &instance : kernel.instances)
    alignment = std::max(alignment, declaredAlignment(instance.function));
  return alignment;
}

int64_t overhangBytes(const InstancePlan &instance) {
  Bytes bytes;
  for (const PlannedCopy &copy : instance.copies)
    bytes = std::max(bytes, copy.plan.overhang);
  return roundUp(bytes, grain).count();
}

int64_t ringBytes(const InstancePlan &instance) {
  Bytes bytes, alignment(declaredAlignment(instance.function));
  for (const PlannedCopy &copy : instance.copies) {
    alignment = std::max(alignment, copy.plan.layout.alignment());
    if (copy.plan.ringAt)
      bytes = std::max(bytes, *copy.plan.ringAt + copy.plan.sharedBytes());
  }
  return roundUp(bytes, alignment).count();
}

} // namespace tilelift
