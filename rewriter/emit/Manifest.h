//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recipes as JSON, for frameworks that launch kernels themselves; docs/hosts.md says what each
// member is.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_MANIFEST_H
#define TILELIFT_EMIT_MANIFEST_H

#include "emit/Recipe.h"

namespace tilelift {

/// Is incremented whenever programs that read manifests have to be changed.
constexpr int manifestVersion = 1;

std::string manifestOf(llvm::ArrayRef<Recipe> recipes, llvm::StringRef source);

const char *nameOf(RecipeArgument::Kind kind);

} // namespace tilelift

#endif
