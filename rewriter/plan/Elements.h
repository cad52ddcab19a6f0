//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a tile: how messages call them, what TMA counts them as, and
// numbers rounded to whole ones.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_ELEMENTS_H
#define TILELIFT_PLAN_ELEMENTS_H

#include "plan/Measures.h"
#include "relation/CopyRelation.h"
#include "tilelift/rules.h"

namespace tilelift {

constexpr Bytes grain{16};         ///< the unit of everything in TMA
constexpr Bytes boxAlignment{128}; ///< in shared memory

/// "'tile[1][2]'"
std::string elementAt(const SharedTile &tile, int64_t byteOffset);

/// The TMA element type for a C++ type of that size.
element_type elementTypeOf(llvm::StringRef type, unsigned size);

/// step * floor(value / step). The parts that are multiples of the step already stay as they are.
Polynomial wholeUnits(Symbols &symbols, const Polynomial &value, int64_t step);

} // namespace tilelift

#endif
