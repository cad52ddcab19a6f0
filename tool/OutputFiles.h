//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where what the tool writes goes: the lifted file, and beside it the headers that
// change with it. Files that include such a header have to find the new one, so they
// are written, too, and their #include lines changed where these lead elsewhere.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_OUTPUTFILES_H
#define TILELIFT_TOOL_OUTPUTFILES_H

#include "directive/PragmaReader.h"
#include "text/EditSet.h"
#include "tool/Options.h"

#include <map>

namespace clang {
class SourceManager;
}

namespace tilelift {

/// Whether the files stay as they are and their lifted texts go to other ones.
bool writesElsewhere(const ToolOptions &options);

/// The path to write a file to; empty for standard output. In a folder for several files, they keep
/// the folders that they have below the deepest one that all are in.
std::string outputPath(const ToolOptions &options, llvm::StringRef file);

struct HeaderPlaces {
  /// From the paths of headers to those of their lifted texts.
  std::map<std::string, std::string> paths;
  /// Changes of #include lines.
  EditSet includes;
  std::optional<std::string> problem;
};

/// For a main file that is lifted to `output`.
HeaderPlaces placeHeaders(const clang::SourceManager &sources, llvm::ArrayRef<IncludeLine> includes,
                          const EditSet &edits, llvm::StringRef output);

} // namespace tilelift

#endif
