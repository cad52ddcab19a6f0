//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "directive/OtherFiles.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

using namespace clang;

namespace tilelift {

std::string sharedNameOf(const FunctionDecl *kernel) {
  if (kernel->isTemplated() || kernel->isTemplateInstantiation() || !kernel->isExternallyVisible())
    return "";
  return kernel->getQualifiedNameAsString() + ": " +
         kernel->getType().getCanonicalType().getAsString(
             kernel->getASTContext().getPrintingPolicy());
}

void ProgramFacts::add(const ProgramFacts &more) {
  for (const auto &[kernel, block] : more.launched)
    if (std::optional<std::array<unsigned, 3>> &known = launched[kernel]; !known)
      known = block;
  launchers.insert(more.launchers.begin(), more.launchers.end());
}

} // namespace tilelift
