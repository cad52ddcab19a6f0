//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for what is generated: plan types, siblings, launchers, barriers. A name that stands
// anywhere in the user's files, or was made before for the same scope, gets a number.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEXT_FRESHNAMES_H
#define TILELIFT_TEXT_FRESHNAMES_H

#include "text/SourceText.h"

namespace tilelift {

class FreshNames {
public:
  explicit FreshNames(const SourceText &source) : source(source) {}

  std::string take(const clang::DeclContext *scope, llvm::StringRef stem);

private:
  const SourceText &source;
  llvm::DenseMap<const clang::DeclContext *, llvm::StringSet<>> taken;
};

} // namespace tilelift

#endif
