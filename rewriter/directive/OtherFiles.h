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

/// What a kernel is known by in all files: its full name and type. Empty for templates
/// and for kernels of one file only.
std::string sharedNameOf(const clang::FunctionDecl *kernel);

struct ProgramFacts {
  /// Kernels that are launched where they are only declared, and the constant block
  /// size of a launch.
  std::map<std::string, std::optional<std::array<unsigned, 3>>> launched;
  /// The launchers of kernels that are lifted.
  std::map<std::string, std::string> launchers;

  void add(const ProgramFacts &more);
};

} // namespace tilelift

#endif
