//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "text/FreshNames.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

std::string FreshNames::take(const DeclContext *scope, StringRef stem) {
  StringSet<> &known = taken[scope->getRedeclContext()->getPrimaryContext()];
  std::string name = stem.str();
  for (unsigned n = 1; source.has(name) || known.contains(name); ++n)
    name = stem.str() + "_" + std::to_string(n);
  known.insert(name);
  return name;
}

} // namespace tilelift
