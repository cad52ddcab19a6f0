//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that are waited for where the program waits for its groups of cp.async copies: the object
// that counts them, and the calls beside the program's own commits and waits.
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"

#include "llvm/Support/MathExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {

/// How many of the newest groups a wait leaves at most. A wait for the oldest group leaves any
/// number, and waits for some more groups if there are more than that.
static unsigned newestOf(ArrayRef<GroupPlace> groups) {
  constexpr unsigned inPipeline = 4;
  unsigned newest = 0;
  for (const GroupPlace &place : groups) {
    newest = std::max(newest, place.awaitsOldest ? inPipeline : 0);
    for (unsigned left : place.left)
      newest = std::max(newest, left);
  }
  return newest;
}

/// How many copies may be on their way at once: those of the groups that a wait leaves, of the
/// group that it waits for and of one more, if each of the kernel's copies is made once for each
/// group. A loop may make more of them; where the program begins more copies than that, it waits
/// for the oldest one.
std::string KernelWriter::groupSlots() const {
  constexpr uint64_t least = 8, most = 32;
  SmallVector<const Stmt *, 4> inGroup;
  for (size_t i = 0; i < copies().size(); ++i)
    if (!isStore(i) && !orders.copies[i].joinsPrevious &&
        !llvm::is_contained(inGroup, copies()[i].statement))
      inGroup.push_back(copies()[i].statement);
  const uint64_t wanted = (newestOf(orders.groups) + 2) * inGroup.size();
  return std::to_string(std::clamp(PowerOf2Ceil(wanted), least, most));
}

std::string KernelWriter::groupsType() const {
  return "tilelift::copy_groups<" + groupSlots() + ", " + std::to_string(newestOf(orders.groups)) +
         ">";
}

SmallVector<std::string, 4> KernelWriter::neededToWait(const FunctionText &text) const {
  if (hasGroups())
    return {names.groups};
  if (text.path.inKernel()) // whose barrier is in shared memory
    return {names.phase};
  return {names.phase, names.barrier};
}

/// Adds calls in front of the statements that close groups or wait for them.
void KernelWriter::groupEdits(FunctionText &text) {
  const unsigned begin = source.beginOf(text.pattern);
  const unsigned end = source.endOfToken(text.pattern->getBody()->getEndLoc());
  for (const GroupPlace &place : orders.groups) {
    const unsigned at = source.offsetOf(source.written(place.statement->getBeginLoc()));
    if (at < begin || at >= end)
      continue;
    const std::string indent = source.indentationAt(at);
    std::string calls;
    if (place.closes)
      calls += names.groups + ".close();\n" + indent;
    if (place.awaitsAll) {
      calls += names.groups + ".wait();\n" + indent;
    } else if (place.awaitsOldest) {
      calls += names.groups + (place.releasesOldest ? ".take_oldest();\n" : ".wait_oldest();\n") +
               indent;
    } else if (place.awaits) {
      const std::vector<int64_t> left(place.left.begin(), place.left.end());
      const std::string number =
          CodeText(plansOf(0), planIn(text), planConstants).number(left, "groups_left");
      calls += names.groups + ".wait<" + number + ">();\n" + indent;
    }
    if (place.releasesOldest && !place.awaitsOldest)
      calls += names.groups + ".release_oldest();\n" + indent;
    captureIn(text, place.function, {names.groups});
    if (!place.isBody) {
      text.edits.push_back(insertion(at, calls));
      continue;
    }
    text.edits.push_back(insertion(at, "{\n" + indent + calls));
    text.edits.push_back(insertion(source.endOf(place.statement), "\n" + indent + "}"));
  }
}

} // namespace tilelift
