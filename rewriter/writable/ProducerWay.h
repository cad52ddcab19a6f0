//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the text of a kernel needs for a warp that makes its copies (the producer): the statements
// that this warp runs before its loops, which are the same text in all instances, and what of the
// other threads' text speaks of the whole block.
//
// Whether a pipeline may have a producer at all is decided in kernel/Pipelines; here, it is known
// what the producer would have to run, and whether that can be written.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_WRITABLE_PRODUCERWAY_H
#define TILELIFT_WRITABLE_PRODUCERWAY_H

#include "effects/KernelEffects.h"
#include "kernel/KernelPlan.h"
#include "order/AddedWarp.h"
#include "rounds/ProducerPath.h"
#include "text/SourceText.h"

#include <variant>

namespace tilelift {

struct ProducerWay {
  /// The pipelines whose copies it makes, by their numbers in the plan.
  std::vector<size_t> loops;
  /// What it runs on the way to them, as the first instance has it.
  ProducerPath path;
  /// The barriers of the thread block and the uses of its size in any instance. The lifted text
  /// restricts them to the program's own threads.
  BlockUses uses;
};

/// The way of a kernel's producer, or why it cannot be written. The producer leaves the other
/// threads at `begin`, an offset in the kernel's body.
std::variant<ProducerWay, Diagnostic> findProducerWay(const KernelPlan &kernel,
                                                      const SourceText &source,
                                                      const Effects &effects, unsigned begin);

} // namespace tilelift

#endif
