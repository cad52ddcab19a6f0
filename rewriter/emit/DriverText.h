//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recipes as a C++ header: for each kernel a function that checks, encodes and launches it over the
// driver API, with what <tilelift/driver.h> has in common for all of them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMIT_DRIVERTEXT_H
#define TILELIFT_EMIT_DRIVERTEXT_H

#include "emit/Recipe.h"

namespace tilelift {

std::string driverOf(llvm::ArrayRef<Recipe> recipes, llvm::StringRef source);

} // namespace tilelift

#endif
