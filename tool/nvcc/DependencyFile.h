//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of dependencies that nvcc writes for lifted texts: objects depend on the sources that
// were lifted, on what tilelift read for them, and on tilelift as well.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_NVCC_DEPENDENCYFILE_H
#define TILELIFT_TOOL_NVCC_DEPENDENCYFILE_H

#include <map>
#include <string>
#include <vector>

namespace tilelift {

struct LiftedTexts {
  /// The text of each source. Beside it, tilelift has written what it read for it.
  std::map<std::string, std::string> ofSources;
  /// The folder that texts and lifted headers are in; if it is removed, no rule may name them.
  std::string folder;
  bool isFolderRemoved = false;
};

/// Rewrites a file of dependencies; other names that objects depend on are added. Empty names are
/// skipped.
void completeDependencies(const std::string &file, const LiftedTexts &lifted,
                          const std::vector<std::string> &others);

} // namespace tilelift

#endif
