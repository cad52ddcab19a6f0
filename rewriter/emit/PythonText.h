//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recipes as a Python module: for each kernel an object that checks, encodes and launches it over
// cuda.bindings.driver, with what the package tilelift.launch has in common for all of them. The
// types of that module's launchers, for type checkers and editors, are a second text, a .pyi file.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_PYTHONTEXT_H
#define TILELIFT_EMIT_PYTHONTEXT_H

#include "emit/Recipe.h"

namespace tilelift {

std::string pythonOf(llvm::ArrayRef<Recipe> recipes, llvm::StringRef source);
std::string pythonTypesOf(llvm::ArrayRef<Recipe> recipes, llvm::StringRef source);

} // namespace tilelift

#endif
