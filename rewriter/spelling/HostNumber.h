//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that a host computes from a kernel's arguments to launch it, as trees: those of a recipe
// (emit/Recipe.h). Each host's printer says how its language writes names, numbers and functions;
// the default is the notation of docs/hosts.md, which the manifest has.
//
// A launcher of the CUDA runtime is one text for all instances of a kernel, so a tree may be of
// several instances: their numbers then have the same arguments and operations, and each
// coefficient is a list with the number of each instance. Other hosts launch one instance, and
// their trees have lists of one number.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SPELLING_HOSTNUMBER_H
#define TILELIFT_SPELLING_HOSTNUMBER_H

#include "spelling/CodeText.h"

#include <map>

namespace tilelift {

/// One number for each of some instances.
using InstanceNumbers = llvm::SmallVector<int64_t, 1>;

struct HostNumber {
  enum class Kind {
    Sum,        ///< of `terms`, in their order
    Argument,   ///< `text`: an argument, a member of one, or a part of gridDim
    Operation,  ///< `text` is one of >> << & | ^, between two operands
    Quotient,   ///< of two operands, rounded towards zero, and zero where the second one is
    Remainder,  ///< what is left of it
    BlockIndex, ///< a range: all block indices along the axis in `numbers`
    Counted,    ///< a range: from the first operand on, in steps of `numbers`, below the second
    Between,    ///< a range: from `numbers` on, below the operand
  };
  /// A number times what the factors are.
  struct Term {
    InstanceNumbers coefficients;
    std::vector<HostNumber> factors;
    bool operator==(const Term &other) const {
      return coefficients == other.coefficients && factors == other.factors;
    }
  };

  Kind kind = Kind::Sum;
  std::string text;
  InstanceNumbers numbers;
  std::vector<Term> terms;
  std::vector<HostNumber> operands;
  /// A sum: 64 bits may not hold it, or what is computed on the way to it.
  bool mayOverflow = false;
  /// An argument: of a scoped enumeration, which C++ does not convert by itself.
  bool needsCast = false;

  bool isConstant() const {
    return kind == Kind::Sum &&
           llvm::all_of(terms, [](const Term &term) { return term.factors.empty(); });
  }
  bool isZero() const { return kind == Kind::Sum && terms.empty(); }
  bool operator==(const HostNumber &other) const {
    return kind == other.kind && text == other.text && numbers == other.numbers &&
           terms == other.terms && operands == other.operands;
  }
};

/// How a host's language writes the leaves of a number.
class HostLanguage {
public:
  virtual ~HostLanguage() = default;
  virtual std::string number(int64_t value) const { return std::to_string(value); }
  virtual std::string argument(llvm::StringRef name) const { return name.str(); }
  /// What is called for a quotient, a remainder, and ranges of numbers.
  virtual std::string function(HostNumber::Kind kind) const;
};

std::string print(const HostNumber &number, const HostLanguage &language = HostLanguage());

/// Makes trees of numbers that the plans of one copy have, one plan for each instance. A number
/// that cannot be computed from the kernel's arguments has no tree, and unnamed() tells which part
/// of it cannot.
class HostNumbers {
public:
  explicit HostNumbers(std::vector<const Plan *> plans) : plans(std::move(plans)) {}

  /// One value for each plan.
  using Values = std::vector<Polynomial>;
  Values each(llvm::function_ref<Polynomial(const Plan &)> value) const;

  std::optional<HostNumber> number(const Values &values);
  /// All numbers that the value is in some block of a launch.
  std::optional<HostNumber> range(const Values &values);

  const Unnamed &unnamed() const { return missing; }

private:
  bool isEverywhere(const Symbol &symbol) const;
  bool mayOverflow(const Values &values) const;
  std::optional<HostNumber> ofSymbol(size_t plan, SymbolId id);
  std::optional<HostNumber> ofOperation(size_t plan, const Operation &operation);
  std::optional<HostNumber> rangeOf(size_t plan, SymbolId id);
  std::optional<HostNumber::Term> partOfRange(const Values &host, std::vector<HostNumber> device);
  struct Group;
  using Groups = std::map<std::vector<std::string>, Group>;
  bool addToGroups(size_t plan, const Term &term, Groups &groups);

  std::vector<const Plan *> plans;
  Unnamed missing;
};

} // namespace tilelift

#endif
