//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A command of nvcc's in which lifted texts stand for sources. Sources may be named by files of
// options, which nvcc reads by rules of its own: such a file is copied, with nothing changed but
// the sources.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_NVCC_REPLACEMENT_H
#define TILELIFT_TOOL_NVCC_REPLACEMENT_H

#include "tool/nvcc/DryRun.h"

#include <map>
#include <set>

namespace tilelift {

class Replacement {
public:
  /// `texts` are the lifted texts of sources. Copies of files go to `folder`; if it is empty, none
  /// are made.
  Replacement(const std::map<std::string, std::string> &texts, std::string folder)
      : texts(texts), folder(std::move(folder)) {}

  CommandWords in(const CommandWords &words);
  /// The sources that the commands so far name.
  const std::set<std::string> &found() const { return named; }

private:
  std::string textOf(const std::string &word);
  std::string copyOf(const std::string &file);
  std::string copiesOf(llvm::StringRef files);
  std::string wordOfFile(llvm::StringRef word, llvm::StringRef before);

  const std::map<std::string, std::string> &texts;
  const std::string folder;
  std::set<std::string> seen, named;
  unsigned copies = 0;
};

} // namespace tilelift

#endif
