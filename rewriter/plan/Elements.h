//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a tile: how messages call them, what TMA counts them as, and
// numbers rounded to whole ones.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_ELEMENTS_H
#define TILELIFT_PLAN_ELEMENTS_H

#include "relation/CopyRelation.h"
#include "tilelift/rules.h"

namespace tilelift {

constexpr int64_t grain = 16;         ///< bytes; the unit of everything in TMA
constexpr int64_t boxAlignment = 128; ///< bytes, in shared memory

/// "'tile[1][2]'"
std::string elementAt(const SharedTile &tile, int64_t byteOffset);

/// The TMA element type for a C++ type of that size.
element_type elementTypeOf(llvm::StringRef type, unsigned size);

/// step * floor(value / step). The parts that are multiples of the step already stay as they are.
Polynomial wholeUnits(Symbols &symbols, const Polynomial &value, int64_t step);

} // namespace tilelift

#endif
