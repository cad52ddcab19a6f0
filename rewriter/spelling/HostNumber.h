//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a recipe (emit/Recipe.h) as trees: a host computes them from a kernel's arguments
// to launch it. Each host's printer has a HostLanguage, which writes names, numbers and functions;
// the default is the notation of docs/hosts.md, which the manifest has.
//
// A launcher of the CUDA runtime is one text for all instances of a kernel, so a tree may serve
// several instances: their numbers then have the same arguments and operations, and each
// coefficient is a list with one number for each instance. Other hosts launch one instance, and
// their trees have lists of one number.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SPELLING_HOSTNUMBER_H
#define TILELIFT_SPELLING_HOSTNUMBER_H

#include "spelling/CodeText.h"

#include <map>

namespace tilelift {

/// One number for each of some instances.
using InstanceNumbers = llvm::SmallVector<int64_t, 1>;

/// One number, or a range of numbers that only the device knows.
struct HostNumber {
  enum class Kind {
    Sum,       ///< the sum of `terms`, in their order
    Argument,  ///< `text`: an argument, a member of one, or a part of gridDim
    Operation, ///< `text`, one of >> << & | ^, between the two operands
    Quotient,  ///< of the two operands, rounded towards zero; zero if the second operand is zero
    Remainder, ///< of the same division; zero if the second operand is zero
    // What follows are ranges.
    BlockIndex, ///< a range: all block indices along the axis that is the only one of `numbers`
    Counted,    ///< a range: from the first operand on, below the second, in steps of `numbers`
    Between,    ///< a range: all numbers from `numbers` on, below the only operand
    Either,     ///< a range: from the least to the largest number that an operand may be
  };
  /// A product of a number, which may differ between instances, and all factors.
  struct Term {
    InstanceNumbers coefficients;
    std::vector<HostNumber> factors;
    bool operator==(const Term &other) const {
      return coefficients == other.coefficients && factors == other.factors;
    }
  };

  Kind kind = Kind::Sum;
  std::string text;
  /// Counted: the step. Between: the first number of the range. BlockIndex: the axis.
  InstanceNumbers numbers;
  std::vector<Term> terms;
  std::vector<HostNumber> operands;
  /// Sum: the value, or one that is computed on the way to it, may not fit into 64 bits.
  bool mayOverflow = false;
  /// Argument: it is of a scoped enumeration, which C++ does not convert to a number by itself.
  bool needsCast = false;
  /// Argument: how code writes a private member; else empty.
  std::string code;

  bool isConstant() const {
    return kind == Kind::Sum &&
           llvm::all_of(terms, [](const Term &term) { return term.factors.empty(); });
  }
  bool isZero() const { return kind == Kind::Sum && terms.empty(); }
  /// Whether only the device knows which number of a range it is.
  bool isRange() const { return kind >= Kind::BlockIndex; }
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
  /// Returns the name of the function for a quotient, a remainder, or a range.
  virtual std::string function(HostNumber::Kind kind) const;
};

/// The range that holds all numbers of both.
HostNumber eitherOf(const HostNumber &a, const HostNumber &b);

std::string print(const HostNumber &number, const HostLanguage &language = HostLanguage());

/// Makes trees of the numbers in the plans of one copy, one plan for each instance. A number that
/// cannot be computed from the kernel's arguments has no tree, and unnamed() returns the part of it
/// that cannot.
class HostNumbers {
public:
  explicit HostNumbers(PlansOfCopy plans) : plans(std::move(plans)) {}

  /// One value for each plan.
  using Values = std::vector<Polynomial>;
  Values each(llvm::function_ref<Polynomial(const Plan &)> value) const {
    return valuesIn(plans, value);
  }

  std::optional<HostNumber> number(const Values &values);
  /// Returns a tree for the range of the value over all blocks of a launch, in all their rounds.
  std::optional<HostNumber> range(const Values &values);

  const Unnamed &unnamed() const { return missing; }

private:
  std::optional<HostNumber> ofSymbol(size_t plan, SymbolId id);
  std::optional<HostNumber> ofOperation(size_t plan, const Operation &operation);
  std::optional<HostNumber> rangeOf(size_t plan, SymbolId id);
  std::optional<HostNumber::Term> partOfRange(const Values &host, std::vector<HostNumber> device);
  struct Group;
  using Groups = std::map<std::vector<std::string>, Group>;
  bool addToGroups(size_t plan, const Term &term, Groups &groups);

  PlansOfCopy plans;
  Unnamed missing;
};

} // namespace tilelift

#endif
