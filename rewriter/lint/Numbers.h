//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known, without running anything, of a number that a program computes: its value, or of
// what it is a multiple. What changes on the way there is not known, and nothing is guessed.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_LINT_NUMBERS_H
#define TILELIFT_LINT_NUMBERS_H

#include "lint/Frames.h"

#include "tilelift/rules.h"

namespace tilelift {

/// An expression as the program spells it, for as long as its syntax tree is there.
llvm::StringRef spellingOf(const clang::Expr *expression, const clang::ASTContext &context);

/// What a variable was set to, where that is once and for all; null where it is not.
const clang::Expr *onlyValueOf(const clang::VarDecl *variable, const Functions &functions);
/// What a parameter stands for as long as the function runs; null where it is set anew.
const clang::Expr *onlyArgumentFor(const clang::ParmVarDecl *parameter, const Frame &frame,
                                   const Functions &functions);

/// Of a condition, for sure; neither where nobody knows.
inline bool isTrue(const quantity &value) { return value.low > 0 || value.high < 0; }
inline bool isFalse(const quantity &value) { return value.low == 0 && value.high == 0; }

quantity numberOf(const clang::Expr *expression, const Frame &frame, const Functions &functions);

/// Numbers behind one another in memory, as an argument leads to them.
struct NumberArray {
  std::string name;
  /// Unknown where nobody says how many there are.
  std::optional<size_t> length;
  std::vector<quantity> elements;

  /// One that nobody knows, or the number.
  quantity operator[](size_t i) const { return i < elements.size() ? elements[i] : quantity(); }
};

NumberArray arrayOf(const clang::Expr *argument, const Frame &frame, const Functions &functions);

} // namespace tilelift

#endif
