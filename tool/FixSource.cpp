//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/FixSource.h"

#include "tool/LiftSource.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilelift {
namespace {

/// No chain of remedies is longer; one that undoes another could go on for ever.
constexpr int maxPasses = 16;

bool fixOnce(const std::string &name, ToolOptions &options) {
  Lifted lifted = liftSource(name, options);
  errs() << lifted.messages;
  bool changes = false;
  for (const LiftedFile &file : lifted.files) {
    if (file.after == file.before)
      continue;
    options.texts[file.path] = file.after;
    changes = true;
  }
  return changes;
}

} // namespace

ToolOptions fixSources(ToolOptions options) {
  for (const std::string &name : options.files)
    for (int pass = 0; pass < maxPasses && fixOnce(name, options); ++pass)
      continue;
  options.fix = false;
  return options;
}

} // namespace tilelift
