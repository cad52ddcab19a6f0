//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that host code launches with, where they are constants: a number, a dim3 of numbers, a
// variable that is only ever given one value, or a parameter of which a caller is known. And which
// functions a pointer may lead to.
//
// Wrong answers cost speed, not bytes: what a kernel was planned for, its launcher checks.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_HOSTVALUES_H
#define TILELIFT_DIRECTIVE_HOSTVALUES_H

#include "support/VariableFacts.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace clang {
class ASTContext;
class CallExpr;
class Expr;
class FunctionDecl;
} // namespace clang

namespace tilelift {

/// A call of a host function, and the host function that it stands in; null: in none.
struct HostCall {
  const clang::CallExpr *call = nullptr;
  const clang::FunctionDecl *in = nullptr;
};

/// The calls that lead to a launch, the nearest one first.
using HostPath = llvm::SmallVector<HostCall, 4>;

/// What is known of a host value, and if it is not, which function's callers may know it.
template <typename Value> struct HostValue {
  std::optional<Value> value;
  const clang::FunctionDecl *askCallersOf = nullptr;
};

/// Facts about the variables of host functions, each collected once.
class HostFacts {
public:
  explicit HostFacts(const clang::ASTContext &context) : context(context) {}
  /// Null for no function.
  const VariableFacts *of(const clang::FunctionDecl *function);

  const clang::ASTContext &context;

private:
  std::map<const clang::FunctionDecl *, std::unique_ptr<VariableFacts>> facts;
};

/// Answers for expressions in the host function `in`, null: in none, that was reached by a path.
class HostValues {
public:
  HostValues(const clang::FunctionDecl *in, llvm::ArrayRef<HostCall> path, HostFacts &facts)
      : in(in), path(path), facts(facts) {}

  /// `block` is the second argument of <<<...>>>.
  HostValue<std::array<unsigned, 3>> block(const clang::Expr *block) const;
  /// `config` is the first argument of cudaLaunchKernelEx.
  HostValue<std::array<unsigned, 3>> blockOfConfig(const clang::Expr *config) const;
  HostValue<int64_t> constant(const clang::Expr *expression) const;
  /// The functions that a pointer may lead to; none where it may be any.
  HostValue<std::vector<const clang::FunctionDecl *>> functions(const clang::Expr *pointer) const;

private:
  const clang::FunctionDecl *in;
  llvm::ArrayRef<HostCall> path;
  HostFacts &facts;
};

} // namespace tilelift

#endif
