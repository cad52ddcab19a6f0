//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a recipe's numbers as C++ text in a launcher of the CUDA runtime. One text serves all
// instances of the kernel: a number that differs between them becomes a constant of the plan type.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_LAUNCHERNUMBERS_H
#define TILELIFT_EMIT_LAUNCHERNUMBERS_H

#include "spelling/HostNumber.h"

namespace tilelift {

class LauncherNumbers {
public:
  /// `launch` is the name of the launcher's tilelift::launch object, `planType` that of the plan
  /// type. The constants that numbers add to the plan type are appended to `constants`.
  LauncherNumbers(std::string launch, std::string planType, std::vector<PlanConstant> &constants)
      : launch(std::move(launch)), planType(std::move(planType)), constants(constants) {}

  /// The number as an expression of 64 bits. Constants that it adds to the plan type get names made
  /// from `hint`.
  std::string number(const HostNumber &number, llvm::StringRef hint) const;
  /// The same; but where 64 bits may not hold the number, the expression computes with
  /// tilelift::range, whose numbers have 128 bits.
  std::string exact(const HostNumber &number, llvm::StringRef hint) const;
  /// The range of a value over all blocks of a launch, as a tilelift::range.
  std::string range(const HostNumber &range, llvm::StringRef hint) const;
  /// A number that all instances have, or else a constant of the plan type for it.
  std::string constant(llvm::ArrayRef<int64_t> values, llvm::StringRef hint) const;

private:
  /// Whether arguments are written as numbers, or each as a tilelift::range with one number in it.
  enum class Arguments { Numbers, Ranges };
  struct Part;
  std::vector<Part> partsOf(const std::vector<HostNumber::Term> &terms, Arguments as,
                            llvm::StringRef hint) const;
  std::string sum(const HostNumber &number, Arguments as, llvm::StringRef hint) const;
  std::string factor(const HostNumber &factor, Arguments as) const;
  std::string operation(const HostNumber &operation) const;
  std::string deviceRange(const HostNumber &range, llvm::StringRef hint) const;
  std::string hostFactor(const HostNumber::Term &term, llvm::StringRef hint) const;

  std::string launch, planType;
  std::vector<PlanConstant> &constants;
};

} // namespace tilelift

#endif
