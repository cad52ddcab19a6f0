//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials as C++ text in the kernel. What a launcher computes is a tree (HostNumber.h).
//
// A template's text serves all of its instantiations, whose plans may have
// other numbers. Where the numbers agree they are written down; where they do
// not, they become constants of the plan type, which has one specialization for
// each instantiation. In the kernel, a value is named after the user's variable
// that holds it where there is one: `x0 - 2`, not `blockIdx.x * 128 - 4`.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SPELLING_CODETEXT_H
#define TILELIFT_SPELLING_CODETEXT_H

#include "spelling/PlansOfCopy.h"
#include "support/Diagnostics.h"

namespace tilelift {

/// The numbers that differ between instantiations: name and one value for each.
struct PlanConstant {
  std::string name;
  std::vector<int64_t> values;
};

/// The number itself if all instantiations have the same, else a constant of the plan type, which
/// is called after `hint`.
std::string numberOrConstant(llvm::ArrayRef<int64_t> values, llvm::StringRef hint,
                             llvm::StringRef planType, std::vector<PlanConstant> &constants);

/// A part of a value that the kernel cannot name at the copy, and why it cannot.
struct Unnamed {
  std::string what;
  std::string why = "has no name at this place";

  static Unnamed of(const Symbol &symbol);
  Diagnostic at(Place place) const;
};

/// What a number is computed in within the kernel: `int`, 64 bits, or as many as it needs.
enum class Width { Int, Long, Exact };

/// Returns the text or the tree of a number. All numbers are checked for names before anything is
/// written (NamedParts.h), so the number has one.
template <typename Written> Written known(std::optional<Written> number) {
  assert(number && "numbers without a name are found before anything is written");
  return std::move(*number);
}

/// A sum with one more number behind it, or in place of nothing.
std::string withSummand(std::string sum, const std::string &number, bool isNegative);

class CodeText {
public:
  /// `plans` are those of one copy, one for each instantiation; `planType` is
  /// how code names the plan type.
  CodeText(PlansOfCopy plans, std::string planType, std::vector<PlanConstant> &constants)
      : plans(std::move(plans)),
        planType(std::move(planType)),
        constants(constants),
        others(this->plans) {}

  /// One polynomial for each instantiation.
  using Values = std::vector<Polynomial>;
  Values each(llvm::function_ref<Polynomial(const Plan &)> value) const {
    return valuesIn(plans, value);
  }

  /// An `int` in the kernel, or nothing when some part of it has no name there.
  std::optional<std::string> inKernel(const Values &values, llvm::StringRef hint);
  /// The same in 64 bits, for byte offsets.
  std::optional<std::string> inKernelWide(const Values &values, llvm::StringRef hint);
  /// The same for conditions: in 64 bits, or in more where those may not hold the value.
  std::optional<std::string> inKernelExactly(const Values &values, llvm::StringRef hint);
  std::optional<std::string> wrappedInKernel(const Values &values, llvm::StringRef hint);
  /// A pointer to so many bytes past the plans' base, in the kernel.
  std::optional<std::string> pointer(const Values &offsets, llvm::StringRef hint);
  /// The same for the copy's tile: a pointer to so many bytes past the tile's start.
  std::optional<std::string> place(const Values &bytes, llvm::StringRef hint);
  std::string number(const std::vector<int64_t> &values, llvm::StringRef hint);
  std::string number(llvm::function_ref<int64_t(const Plan &)> value, llvm::StringRef hint);

  const Unnamed &unnamed() const { return missing; }

private:
  using SymbolText = llvm::function_ref<std::optional<std::string>(size_t plan, SymbolId symbol)>;
  using Terms = std::map<std::vector<std::string>, std::vector<int64_t>>;
  std::optional<std::vector<std::string>> factorsOf(const Term &term, size_t instance,
                                                    SymbolText symbolText);
  std::optional<Terms> termsOf(const Values &values, SymbolText symbolText);
  std::optional<std::string> sum(const Values &values, llvm::StringRef hint, SymbolText symbolText);
  std::optional<std::string> named(const Values &values, llvm::StringRef hint, Width width);
  std::optional<std::string> sumInKernel(const Values &values, llvm::StringRef hint, Width width);
  std::optional<std::string> countedRow(const Values &values, llvm::StringRef hint, Width width);
  std::optional<std::string> inMultiplesOf(const NamedValue &name, const Values &values,
                                           llvm::StringRef hint, Width width);
  std::optional<std::string> inKernelAs(const Values &values, llvm::StringRef hint, Width width);
  using Pointers = std::vector<NamedPointer> Plan::*;
  std::optional<std::string> nearest(Pointers pointers, const Values &offsets, llvm::StringRef hint,
                                     llvm::StringRef inBytes);
  std::optional<std::string> computed(size_t plan, const Operation &operation, Width width);
  std::optional<std::string> lookedUp(size_t plan, const IndexedName &name, Width width);
  /// Writes the values of one instantiation, in a text that all of them share.
  CodeText ofOne(size_t plan) const;
  bool isIntEverywhere(const NamedValue &name) const;
  bool isIntEverywhere(const Operation &operation) const;
  std::optional<std::string> symbolInKernel(size_t plan, SymbolId symbol, Width width);

  PlansOfCopy plans;
  std::string planType;
  std::vector<PlanConstant> &constants;
  /// The plans of all instantiations that share the text, of which `plans` may be one. A variable
  /// that is no `int` in one of them is converted in all.
  PlansOfCopy others;
  Unnamed missing;
};

} // namespace tilelift

#endif
