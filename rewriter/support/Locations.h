//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between Clang's locations and our places.
//
// Clang numbers all files of a parse one behind the other, the main file first; a
// place counts from the main file's first byte. What stands in a header of the system
// has no place: nobody can be asked to look there, and nothing is rewritten there.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_SUPPORT_LOCATIONS_H
#define TILELIFT_SUPPORT_LOCATIONS_H

#include "support/Place.h"

#include "clang/Basic/SourceManager.h"

namespace tilelift {

/// Where a location shows in the user's files.
Place placeOf(const clang::SourceManager &sources, clang::SourceLocation location);

/// The way back, in the source manager of the same parse.
clang::SourceLocation locationOf(const clang::SourceManager &sources, Place place);

/// A file of the user's, as it was parsed.
struct UserFile {
  clang::FileID id;
  llvm::StringRef text;
  /// The place of its first byte.
  unsigned begin = 0;

  /// One past its last byte.
  unsigned end() const { return begin + unsigned(text.size()); }
};

/// The one that a place is in.
UserFile fileAt(const clang::SourceManager &sources, Place place);

/// All of them, the main file first.
llvm::SmallVector<UserFile, 8> userFiles(const clang::SourceManager &sources);

} // namespace tilelift

#endif
