//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/FunctionText.h"

#include "directive/Program.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

/// The number of the text of a path's function at some depth, with the texts that lead to it. A
/// lambda is called somewhere, but what it calls is called by the text that it stands in.
size_t addText(std::vector<FunctionText> &texts, const CallPath &path, size_t depth) {
  if (depth == 1)
    return 0;
  CallPath way = path.first(depth);
  auto known = llvm::find_if(
      texts, [&](const FunctionText &text) { return text.path.getCalls() == way.getCalls(); });
  if (known != texts.end())
    return size_t(known - texts.begin());
  size_t caller = addText(texts, path, path.first(depth - 1).textDepth());
  texts.push_back({way, patternOf(way.end()), caller, "", {}});
  return texts.size() - 1;
}

} // namespace

std::vector<FunctionText> textsOf(const InstancePlan &instance, std::vector<size_t> &textOf) {
  std::vector<FunctionText> texts;
  texts.push_back({CallPath(instance.function), patternOf(instance.function), 0, "", {}});
  for (const PlannedCopy &copy : instance.copies)
    textOf.push_back(addText(texts, copy.path, copy.path.textDepth()));
  return texts;
}

bool declares(const FunctionText &text, const VarDecl *tile) {
  const DeclContext *owner = tile->getLexicalDeclContext();
  while (isa<FunctionDecl>(owner) && isLambda(cast<FunctionDecl>(owner)))
    owner = cast<CXXMethodDecl>(owner)->getParent()->getDeclContext();
  return text.function() == owner;
}

size_t ownerOf(ArrayRef<FunctionText> texts, const VarDecl *tile) {
  auto isOwner = [&](const FunctionText &text) { return declares(text, tile); };
  return size_t(llvm::find_if(texts, isOwner) - texts.begin());
}

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

} // namespace tilelift
