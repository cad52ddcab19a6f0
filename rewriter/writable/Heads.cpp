//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "writable/Heads.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

bool endsInSemicolon(const FunctionDecl *declared, const SourceText &source) {
  return declared->isThisDeclarationADefinition() ||
         source.nextToken(declared->getEndLoc(), tok::semi);
}

/// What is written of a head: from its first word to the end of its parameters, with the name and
/// both parentheses where they can be changed.
bool isHeadWritten(const FunctionDecl *declared, const SourceText &source) {
  const FunctionTypeLoc type = declared->getFunctionTypeLoc();
  const SourceLocation name = declared->getLocation();
  return type.getLParenLoc().isFileID() && type.getRParenLoc().isFileID() &&
         source.isPlainText({name, name}) &&
         source.isPlainText({declared->getBeginLoc(), type.getRParenLoc()});
}

constexpr const char *unendedDeclaration =
    "whose first declaration is one of several, or ends in a macro,";

std::optional<Obstacle> inHead(const FunctionDecl *declared, const SourceText &source) {
  auto refuse = [&](const std::string &what) { return Obstacle{what, declared->getLocation()}; };
  const std::string function = "a copy in a function ('" + declared->getNameAsString() + "') ";
  if (declared->getTemplateSpecializationKind() == TSK_ExplicitSpecialization)
    return refuse("a copy in an explicit specialization");
  if (declared->isLocalExternDecl())
    return refuse(function + "that is declared inside of another function");
  const auto *method = dyn_cast<CXXMethodDecl>(declared);
  if (method && method->isVirtual()) // no template is
    return refuse(function + "that is virtual");
  if (method && method->isExplicitObjectMemberFunction()) // whose object comes first
    return refuse(function + "with an explicit object parameter");
  if (!declared->getFunctionTypeLoc())
    return refuse(function + "that is declared by the name of its type");
  const FunctionTemplateDecl *described = declared->getDescribedFunctionTemplate();
  if (!isHeadWritten(declared, source) ||
      (described && !described->getTemplateParameters()->getRAngleLoc().isFileID()))
    return refuse(function + "whose name or parameters a macro writes");
  if (!endsInSemicolon(declared, source))
    return refuse(function + unendedDeclaration);
  if (method && declared->isInExternCContext()) // where templates need an extern "C++" around them
    return refuse(function + "of a class inside of an extern \"C\" block");
  return std::nullopt;
}

} // namespace

std::optional<Obstacle> inHeadsOf(const FunctionDecl *pattern, const SourceText &source) {
  if (std::optional<Obstacle> found = inHead(pattern, source))
    return found;
  return inHead(pattern->getCanonicalDecl(), source);
}

std::optional<Obstacle> inHeadOfKernel(const FunctionDecl *pattern, const SourceText &source) {
  const FunctionTemplateDecl *described = pattern->getDescribedFunctionTemplate();
  if (!isHeadWritten(pattern, source) ||
      (described && !source.isPlainText(described->getTemplateParameters()->getSourceRange())))
    return Obstacle{"a kernel whose name or parameters a macro writes", pattern->getLocation()};
  const FunctionDecl *first = pattern->getCanonicalDecl();
  if (!endsInSemicolon(first, source))
    return Obstacle{"a kernel " + std::string(unendedDeclaration), first->getLocation()};
  return std::nullopt;
}

} // namespace tilelift
