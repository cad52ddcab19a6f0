//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/Locations.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

unsigned firstOf(const SourceManager &sources) {
  return sources.getLocForStartOfFile(sources.getMainFileID()).getRawEncoding();
}

/// Part of this parse, and of a file on disk that is not the system's.
bool isUsers(const SourceManager &sources, FileID file) {
  return sources.isLocalSourceLocation(sources.getLocForStartOfFile(file)) &&
         (file == sources.getMainFileID() ||
          (sources.getFileEntryForID(file) &&
           !sources.isInSystemHeader(sources.getLocForStartOfFile(file))));
}

} // namespace

Place placeOf(const SourceManager &sources, SourceLocation location) {
  if (location.isInvalid())
    return {};
  location = sources.getExpansionLoc(location);
  if (!isUsers(sources, sources.getFileID(location)))
    return {};
  return {location.getRawEncoding() - firstOf(sources)};
}

SourceLocation locationOf(const SourceManager &sources, Place place) {
  return place.isKnown() ? SourceLocation::getFromRawEncoding(place.offset + firstOf(sources))
                         : SourceLocation();
}

UserFile fileAt(const SourceManager &sources, Place place) {
  auto [id, offset] = sources.getDecomposedLoc(locationOf(sources, place));
  return {id, sources.getBufferData(id), place.offset - offset};
}

SmallVector<UserFile, 8> userFiles(const SourceManager &sources) {
  SmallVector<UserFile, 8> files;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const SrcMgr::SLocEntry &entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile())
      continue;
    FileID id = sources.getFileID(SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (id.isValid() && isUsers(sources, id))
      files.push_back(fileAt(sources, {entry.getOffset() - firstOf(sources)}));
  }
  return files;
}

} // namespace tilelift
