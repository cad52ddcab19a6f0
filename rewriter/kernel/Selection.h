//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user asks for, besides the pragmas: which copies are lifted, for which device, and who
// launches the kernels.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_SELECTION_H
#define TILELIFT_KERNEL_SELECTION_H

#include "plan/Device.h"
#include "plan/Plan.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace tilelift {

/// Who is to launch the kernels.
enum class Output {
  Program,      ///< the file itself, by the CUDA runtime
  DeviceSource, ///< other programs, which look up instances by name: only device code is written
};

/// Which of the annotated copies are lifted; the others stay loops. And for whom.
struct Selection {
  /// Lift copies even where that is expected to be slower. TILELIFT_LIFT_ALWAYS in the environment
  /// says so for builds whose command lines are not at hand.
  bool liftsAlways = std::getenv("TILELIFT_LIFT_ALWAYS") != nullptr;
  /// Make copies ahead of their rounds only where a `pipeline` pragma asks for it.
  bool hasOnlyAskedRings = false;
  /// Whether to fill in LiftResult::relations, LiftResult::plans and LiftResult::effects.
  bool describesRelations = false, describesPlans = false, describesEffects = false;
  /// Whether objects of different types are different memory, as C++ says; not with
  /// -fno-strict-aliasing.
  bool typesTellApart = true;
  /// If set, only this copy is lifted: the number of its pragma among all pragmas of copies, from
  /// 0, in the order of the text.
  std::optional<size_t> only;
  Output output = Output::Program;
  /// What the user names.
  Device device = {};
  /// The block sizes that the user gives for kernels, by any of their names in LiftResult::names. A
  /// given size is used instead of the one that a launch of the kernel has. It is an error if a
  /// clause gives the kernel another size.
  std::map<std::string, BlockShape> blocks;
};

} // namespace tilelift

#endif
