//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that expressions had before, so that none is computed twice from the same operands.
//
// The elements of a tile's row have most of their index in common, and threads of one row all of
// it: `(image * height + y) * width + x` has one value for each row. An expression that only
// computes numbers from local variables is looked up here by the values of those variables.
//
// What an expression reads, and whether it only computes, is said by PureExpressions.cpp.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_INTERPRETER_MEMO_H
#define TILELIFT_INTERPRETER_MEMO_H

#include "interpreter/Value.h"

#include "clang/AST/Expr.h"

#include "llvm/ADT/DenseMap.h"

#include <unordered_map>

namespace tilelift {

/// The results of one expression.
class ResultTable {
public:
  using Operands = llvm::SmallVector<Value, 8>;

  /// The result for these operands, under that condition; null if there is none yet.
  const Value *find(const Operands &operands, const Condition &mask);
  void add(Operands operands, Condition mask, Value result);
  /// Whether looking results up has been worth it so far.
  bool isUseful() const;

private:
  struct Entry {
    Operands operands;
    Condition mask;
    Value result;
  };
  static size_t hashOf(const Operands &operands);

  std::unordered_map<size_t, llvm::SmallVector<Entry, 1>> entries;
  size_t asked = 0, found = 0;
};

/// Where an expression reads a number: a local variable, or a member of one.
struct VariableRead {
  const clang::VarDecl *variable = nullptr;
  /// The type of the variable, or of what it refers to.
  clang::QualType type;
  int64_t offset = 0;
  unsigned size = 0;
  bool isReference = false;
  /// Others may change it, unless all that happens to it is followed.
  bool mayEscape = false;

  bool operator==(const VariableRead &other) const {
    return variable == other.variable && offset == other.offset && size == other.size;
  }
};

/// What is known of an expression before it is evaluated.
struct KnownExpression {
  /// Its value, if that is the same everywhere.
  std::optional<Value> constant;
  /// It computes a number from what it reads, and does nothing besides.
  bool isPure = false;
  /// Some of its parts are evaluated only where others hold.
  bool hasBranches = false;
  /// How many of its parts compute something.
  unsigned operations = 0;
  llvm::SmallVector<VariableRead, 4> reads;
  ResultTable results;
};

/// Of all threads of a block.
using Memo = llvm::DenseMap<const clang::Expr *, std::unique_ptr<KnownExpression>>;

} // namespace tilelift

#endif
