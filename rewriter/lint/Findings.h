//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lint has found, where the user can see it: a place in a library is said at the call
// that leads there, and what several ways lead to is said once.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_LINT_FINDINGS_H
#define TILELIFT_LINT_FINDINGS_H

#include "lint/Maps.h"
#include "support/Diagnostics.h"

namespace tilelift {

class Findings {
public:
  explicit Findings(const Functions &functions) : functions(functions) {}

  /// Adds a diagnostic, which has no place yet, about `where` in the function of `frame`. It is
  /// shown there or, in a library, at the innermost call in the user's code that leads there; the
  /// calls around that are notes. With Reach::Perhaps, it is a warning at most.
  void add(Diagnostic diagnostic, clang::SourceLocation where, const Frame &frame,
           Reach reach = Reach::Surely);
  /// Adds a diagnostic that is shown at `declared`, where the user has to look first; `where` and
  /// the calls that lead there are notes.
  void addOf(clang::SourceLocation declared, Diagnostic diagnostic, clang::SourceLocation where,
             const Frame &frame, Reach reach);
  /// Adds a diagnostic that is shown at `called`, a call to which `way` is one of several ways; the
  /// calls of `way`, `where` and the calls that lead to `where` are notes.
  void addOf(clang::SourceLocation called, const Frame &way, Diagnostic diagnostic,
             clang::SourceLocation where, const Frame &frame, Reach reach);
  std::vector<Diagnostic> take() { return std::move(all); }

private:
  void add(Diagnostic diagnostic, llvm::ArrayRef<Note> way, Reach reach);
  std::vector<Note> wayTo(clang::SourceLocation where, const Frame &frame) const;

  const Functions &functions;
  std::vector<Diagnostic> all;
};

/// Checks the calls of cuTensorMapEncodeTiled, Im2col and Im2colWide, by whatever name they are
/// called, and returns the maps that they encode: one for each call and each way to it that control
/// may take.
std::vector<EncodedMap> lintEncodeCalls(const Functions &functions, int capability,
                                        Findings &findings);
/// Whether it is a call of one of these functions.
bool isEncodeCall(const clang::CallExpr *call);
/// Whether a type is the driver's for tensor maps.
bool isTensorMap(clang::QualType type);
/// Checks the operands of TMA instructions in assembly: the tensor map, the address in shared
/// memory and the number of bytes.
void lintDeviceCode(const Functions &functions, llvm::ArrayRef<EncodedMap> maps,
                    Findings &findings);

} // namespace tilelift

#endif
