//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a tile: how messages name one, which TMA element type stands for a C++
// type, and how a number of elements is rounded down to a multiple.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_ELEMENTS_H
#define TILELIFT_PLAN_ELEMENTS_H

#include "plan/Measures.h"
#include "relation/CopyRelation.h"
#include "tilelift/rules.h"

namespace tilelift {

constexpr Bytes grain{16}; ///< addresses, strides and row lengths of TMA are multiples of it
constexpr Bytes boxAlignment{128}; ///< the alignment of boxes in shared memory

/// The name of an element in messages, such as "'tile[1][2]'".
std::string elementAt(const SharedTile &tile, int64_t byteOffset);

/// The TMA element type for a C++ type of that size.
element_type elementTypeOf(llvm::StringRef type, unsigned size);

/// Returns step * floor(value / step). Terms that are multiples of the step stay as they are.
Polynomial wholeUnits(Symbols &symbols, const Polynomial &value, int64_t step);

} // namespace tilelift

#endif
