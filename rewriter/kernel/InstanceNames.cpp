//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/InstanceNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Mangle.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

std::string fullNameOf(const FunctionDecl *instance) {
  std::string name;
  raw_string_ostream stream(name);
  instance->getNameForDiagnostic(stream, instance->getASTContext().getPrintingPolicy(), true);
  return name;
}

std::vector<std::string> namesOf(const FunctionDecl *instance) {
  return {ASTNameGenerator(instance->getASTContext()).getName(instance), fullNameOf(instance),
          instance->getQualifiedNameAsString(), instance->getNameAsString()};
}

} // namespace tilelift
