//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy as it is if the tile's last two dimensions change places: `tile[c][r] = in[r][c]` fills
// such a tile with rows of the tensor, which is what TMA can do. The lifted kernel then exchanges
// the subscripts of each use (tilelift::transposed in tile.cuh).
//
// What is decided here is whether the kernel's uses of the tile allow that. Whether the copy fits
// then is asked in plan/.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_RELATION_TRANSPOSED_H
#define TILELIFT_RELATION_TRANSPOSED_H

#include "relation/CopyRelation.h"

#include <string>

namespace tilelift {

/// The copy of a tile with one dimension as if its columns had one of their own: those elements
/// that are neighbours in the tensor. Nothing if there are no such.
std::optional<CopyRelation> withColumns(const CopyRelation &relation);

/// The number of an element of a tile once its last two dimensions, of so many rows and columns,
/// are exchanged.
int64_t exchanged(int64_t element, int64_t rows, int64_t columns);

/// The copy with the tile's last two dimensions exchanged. Nothing if there is only one, or where
/// parts of two elements are copied at once.
std::optional<CopyRelation> transposed(const CopyRelation &relation);

/// Why the kernel's uses of a tile do not let it be transposed, with "it" for the tile, as in "it
/// is passed to 'f'"; empty if they do. An index that leaves one of the two dimensions does not:
/// such an element lies somewhere else once they are exchanged. Where several elements are accessed
/// at once, all that is done with the tile has to be to read as many at a time.
std::string hindranceToTranspose(const SharedTile &tile);

} // namespace tilelift

#endif
