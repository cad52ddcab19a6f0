//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "kernel/Sizes.h"

#include "facts/MemoryUses.h"
#include "plan/Elements.h"
#include "support/Locations.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// The static shared memory that the kernel uses and does not declare itself: arrays of functions
/// that it calls, and of namespaces and classes.
static Bytes sharedBytesElsewhere(const FunctionDecl *kernel, const KernelEffects &effects) {
  Bytes bytes;
  if (!effects.isKnown())
    return bytes;
  // The tiles behind an array start where TMA can write.
  for (const SharedArray &array : effects.getMemory().sharedArrays())
    if (!array.declaration || !kernel->Encloses(array.declaration->getDeclContext()))
      bytes += roundUp(Bytes(int64_t(array.bytes)), boxAlignment);
  return bytes;
}

KernelSizes sizesOf(const FunctionDecl *kernel, const Effects &effects) {
  KernelSizes sizes{kernel->getNameAsString(),
                    sharedBytesElsewhere(kernel, effects.of(kernel)) +
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
