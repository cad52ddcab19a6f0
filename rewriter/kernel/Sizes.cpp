//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Sizes.h"

#include "facts/MemoryUses.h"
#include "support/Locations.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

KernelSizes sizesOf(const FunctionDecl *kernel) {
  KernelSizes sizes{kernel->getNameAsString(),
                    Bytes(staticSharedBytes(kernel)),
                    {},
                    !foreignDynamicMemory(kernel)};
  for (const ParmVarDecl *parameter : kernel->parameters()) {
    TypeInfoChars type = kernel->getASTContext().getTypeInfoInChars(parameter->getType());
    sizes.parameterBytes = roundUp(sizes.parameterBytes, Bytes(type.Align.getQuantity())) +
                           Bytes(type.Width.getQuantity());
  }
  return sizes;
}

std::optional<Diagnostic> whyNoMoreMemory(const KernelEffects &kernel,
                                          const SourceManager &sources) {
  for (const CodeBlock &block : kernel.getBlocks())
    for (const CodeStep &step : block.steps) {
      if (!step.effect.asksSharedSize || step.effect.isUnknown)
        continue;
      Diagnostic reason = diagnose(diag::shared_size_asked, {});
      if (const Stmt *where = kernel.statementInText(step))
        reason.notes.push_back({placeOf(sources, where->getBeginLoc()), "it is asked for here"});
      return reason;
    }
  return std::nullopt;
}

} // namespace tilelift
