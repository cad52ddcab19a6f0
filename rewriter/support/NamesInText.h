//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every place in the text of a statement that names a declaration, whether or not code comes of
// it: in `decltype(tile)`, in a static assertion, in template arguments and array bounds, in the
// methods of a local class. Facts about code walk the statements alone and see none of these; who
// moves, renames or removes a declaration, or writes a text elsewhere, has to ask here.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_NAMESINTEXT_H
#define TILELIFT_SUPPORT_NAMESINTEXT_H

#include "clang/AST/Expr.h"

#include <vector>

namespace tilelift {

struct NameInText {
  enum class Where {
    Code,       ///< in a statement that runs
    Size,       ///< in the operand of a sizeof that the compiler alone sees
    Type,       ///< in a type, or in a static assertion
    Constant,   ///< in a constant expression, where a reference to another array cannot stand
    LocalClass, ///< in a class that the function declares
  };

  /// A variable or a function, a type, or the using-declaration that the name is found by.
  const clang::NamedDecl *declaration = nullptr;
  clang::SourceLocation location;
  /// The innermost of the function's statements that it stands in.
  const clang::Stmt *statement = nullptr;
  Where where = Where::Code;
  /// How many subscripts follow the name.
  unsigned subscripts = 0;
  /// Whether the name is written with a qualifier, as in `ns::name`. The names in the qualifier
  /// have entries of their own in the list.
  bool isQualified = false;
};

std::vector<NameInText> namesInTextOf(const clang::Stmt *statement);

/// Whether a name refers to a variable, or to a structured binding of it. In an instantiation, a
/// type that depends on no template argument still names the template's own variables.
bool means(const NameInText &name, const clang::VarDecl *variable);

} // namespace tilelift

#endif
