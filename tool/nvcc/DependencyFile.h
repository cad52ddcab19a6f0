//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of dependencies that nvcc writes for a lifted text: the object depends on the source
// that was lifted, on what tilelift read for it, and on tilelift as well.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_NVCC_DEPENDENCYFILE_H
#define TILELIFT_TOOL_NVCC_DEPENDENCYFILE_H

#include <map>
#include <string>
#include <vector>

namespace tilelift {

/// `lifted` has the lifted text of each source, beside which tilelift has written what it read. The
/// texts themselves are left out if they are removed. Empty names of others are skipped.
void completeDependencies(const std::string &file, const std::map<std::string, std::string> &lifted,
                          const std::vector<std::string> &others, bool areTextsRemoved);

} // namespace tilelift

#endif
