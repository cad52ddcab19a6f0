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

  /// `diagnostic` has no place yet: it is about `where`, as the frame leads there. What perhaps
  /// nobody gets to is no error.
  void add(Diagnostic diagnostic, clang::SourceLocation where, const Frame &frame,
           Reach reach = Reach::Surely);
  /// The same of what is declared elsewhere, which is where the user has to look first.
  void addOf(clang::SourceLocation declared, Diagnostic diagnostic, clang::SourceLocation where,
             const Frame &frame, Reach reach);
  /// And of what is called there in one of several ways.
  void addOf(clang::SourceLocation called, const Frame &way, Diagnostic diagnostic,
             clang::SourceLocation where, const Frame &frame, Reach reach);
  std::vector<Diagnostic> take() { return std::move(all); }

private:
  void add(Diagnostic diagnostic, llvm::ArrayRef<Note> way, Reach reach);
  std::vector<Note> wayTo(clang::SourceLocation where, const Frame &frame) const;

  const Functions &functions;
  std::vector<Diagnostic> all;
};

/// cuTensorMapEncodeTiled, Im2col and Im2colWide, by whatever name they are called. All that
/// control may get to.
std::vector<EncodedMap> lintEncodeCalls(const Functions &functions, int capability,
                                        Findings &findings);
/// Whether it is one of them.
bool isEncodeCall(const clang::CallExpr *call);
/// Whether a type is the driver's for tensor maps.
bool isTensorMap(clang::QualType type);
/// Kernels' parameters, and what TMA's instructions are given.
void lintDeviceCode(const Functions &functions, llvm::ArrayRef<EncodedMap> maps,
                    Findings &findings);

} // namespace tilelift

#endif
