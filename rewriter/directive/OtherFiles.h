//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of a program tell each other about their kernels. A kernel may be
// defined, and lifted, in one file and launched in another; the file that launches has
// to call the launcher, and the one that lifts may have to know the block size.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_DIRECTIVE_OTHERFILES_H
#define TILELIFT_DIRECTIVE_OTHERFILES_H

#include <array>
#include <map>
#include <optional>
#include <string>

namespace clang {
class FunctionDecl;
}

namespace tilelift {

/// Returns the name that identifies a kernel in all files of a program: its full name and type.
/// Empty for templates and for kernels of one file only.
std::string sharedNameOf(const clang::FunctionDecl *kernel);

struct ProgramFacts {
  /// The shared names of kernels that are launched where they are only declared, each with the
  /// constant block size of a launch.
  std::map<std::string, std::optional<std::array<unsigned, 3>>> launched;
  /// The launchers of lifted kernels, by the kernels' shared names.
  std::map<std::string, std::string> launchers;

  void add(const ProgramFacts &more);
};

} // namespace tilelift

#endif
