//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifts files for the tool: reads them and gives back the messages and the texts before
// and after, their own and those of headers that change with them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_LIFTSOURCE_H
#define TILELIFT_TOOL_LIFTSOURCE_H

#include "host/LiftFile.h"
#include "tool/Emission.h"
#include "tool/Options.h"

#include <algorithm>
#include <map>

namespace tilelift {

enum ExitStatus { allLifted = 0, someRefused = 1, failed = 2 };

inline ExitStatus worse(ExitStatus a, ExitStatus b) { return std::max(a, b); }

/// One line of what there is to say.
struct Message {
  Severity severity = Severity::Error;
  std::string id; ///< what -Wno-<id> takes; empty where Clang speaks
  std::string text;
  std::string file;
  unsigned line = 0, column = 0;
};

struct Lifted {
  /// The file itself, then headers; nothing of a file that cannot be read.
  std::vector<LiftedFile> files;
  /// Where headers are written to, by their paths.
  std::map<std::string, std::string> places;
  std::string dump;
  ExitStatus status = allLifted;
  /// What there is to say, as text for the error stream, and one by one.
  std::string messages;
  std::vector<Message> messageList;
  /// What was asked for, for other hosts than the CUDA runtime.
  std::optional<Emission> emission;
  /// For the other files of the program.
  ProgramFacts facts;
  /// What its kernels are called.
  std::vector<std::vector<std::string>> names;
  /// There is a pragma.
  bool isAnnotated = false;
  /// Some copy is refused, and not by a warning only.
  bool hasErrors = false;

  bool isChanged() const {
    return files.size() > 1 || (!files.empty() && files[0].before != files[0].after);
  }
};

/// "-" is standard input.
Lifted liftSource(const std::string &name, const ToolOptions &options,
                  const ProgramFacts &others = {});

/// Returns what is wrong with the blocks that were given for kernels, once all files are lifted: a
/// name that no kernel with copies has.
std::optional<std::string> wrongBlocks(llvm::ArrayRef<Lifted> lifted, const ToolOptions &options);

/// Lifts all files of a program; kernels of one file may be launched in another.
std::vector<Lifted> liftProgram(llvm::ArrayRef<std::string> names, const ToolOptions &options);

} // namespace tilelift

#endif
