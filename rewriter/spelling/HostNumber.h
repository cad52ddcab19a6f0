//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that a host computes from a kernel's arguments to launch it, as trees: those of a recipe
// (emit/Recipe.h). Each host's printer says how its language writes names, numbers and functions;
// the default is the notation of docs/hosts.md, which the manifest has.
//
// What is not here: how the launchers of the CUDA runtime write numbers. One text of theirs serves
// all instantiations of a kernel (CodeText.h).
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SPELLING_HOSTNUMBER_H
#define TILELIFT_SPELLING_HOSTNUMBER_H

#include "spelling/CodeText.h"

namespace tilelift {

struct HostNumber {
  enum class Kind {
    Sum,        ///< of `terms`, in their order
    Argument,   ///< `text`: an argument, a member of one, or a part of gridDim
    Operation,  ///< `text` is one of >> << & | ^, between two operands
    Quotient,   ///< of two operands, rounded towards zero, and zero where the second one is
    Remainder,  ///< what is left of it
    BlockIndex, ///< all numbers that blocks have along the axis `number`
    Counted,    ///< from the first operand on, below the second, `number` apart
    Between,    ///< from `number` on, below the operand
  };
  /// A number times what the factors are.
  struct Term {
    int64_t coefficient = 1;
    std::vector<HostNumber> factors;
    bool operator==(const Term &other) const {
      return coefficient == other.coefficient && factors == other.factors;
    }
  };

  Kind kind = Kind::Sum;
  std::string text;
  int64_t number = 0;
  std::vector<Term> terms;
  std::vector<HostNumber> operands;

  bool operator==(const HostNumber &other) const {
    return kind == other.kind && text == other.text && number == other.number &&
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

/// Makes trees of the numbers of one plan. A number that cannot be computed from the kernel's
/// arguments has no tree, and unnamed() tells which part of it cannot.
class HostNumbers {
public:
  explicit HostNumbers(const Plan &plan) : symbols(plan.symbols) {}

  std::optional<HostNumber> number(const Polynomial &value);
  /// All numbers that the value is in some block of a launch.
  std::optional<HostNumber> range(const Polynomial &value);

  const Unnamed &unnamed() const { return missing; }

private:
  std::optional<HostNumber> ofSymbol(SymbolId id);
  std::optional<HostNumber> ofOperation(const Operation &operation);
  std::optional<HostNumber> rangeOf(SymbolId id);
  std::optional<HostNumber::Term> partOfRange(const Polynomial &host,
                                              std::vector<HostNumber> device);

  const Symbols &symbols;
  Unnamed missing;
};

} // namespace tilelift

#endif
