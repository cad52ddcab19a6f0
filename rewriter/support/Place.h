//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A place in the user's source: a byte of the file that is lifted, or of a header of the
// user's. The bytes of all of them are numbered, those of the file itself from 0.
// Rooms that know nothing of Clang carry it along; a host turns it back into a
// location of its own source manager (the plugin's differs from the analysis').
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_PLACE_H
#define TILELIFT_SUPPORT_PLACE_H

namespace tilelift {

struct Place {
  unsigned offset = ~0u;

  bool isKnown() const { return offset != ~0u; }
  bool operator==(const Place &other) const { return offset == other.offset; }
};

} // namespace tilelift

#endif
