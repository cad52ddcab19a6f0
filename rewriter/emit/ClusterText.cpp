//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that several blocks of a cluster get at once: where their leaders meet before they
// fill them, and which of them makes which of the copies.
//===----------------------------------------------------------------------===//

#include "emit/KernelText.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilelift {

/// The blocks along some axes, as the plan type calls them.
static std::string peersName(unsigned axes) {
  std::string name = "peers_";
  for (unsigned axis = 0; axis < 3; ++axis)
    if (axes >> axis & 1)
      name += char('x' + axis);
  return name;
}

SmallVector<unsigned, 2> KernelWriter::multicastAxes(size_t first, size_t last) const {
  SmallVector<unsigned, 2> allAxes;
  for (size_t i = first; i <= last; ++i)
    if (unsigned axes = copies()[i].plan.peerAxes();
        axes != 0 && !llvm::is_contained(allAxes, axes))
      allAxes.push_back(axes);
  llvm::sort(allAxes);
  return allAxes;
}

bool KernelWriter::hasClusters() const { return !multicastAxes(0, copies().size() - 1).empty(); }

std::string KernelWriter::peerTypes(const InstancePlan &instance) const {
  auto [x, y, z] = instance.cluster;
  std::string text;
  for (unsigned axes : multicastAxes(0, copies().size() - 1))
    text += formatv("  using {0} = tilelift::peers<{1}, {2}, {3}, {4}>;\n", peersName(axes), axes,
                    x, y, z);
  return text;
}

std::string KernelWriter::peersOf(unsigned axes) const {
  return (texts.front().pattern->isTemplated() ? "typename " : "") + planReference() +
         "::" + peersName(axes);
}

/// The name of the meeting of blocks that share tiles along some axes. Each of them waits for the
/// tiles of all the others, and so for the blocks that may fill them: none is a meeting ahead.
std::string KernelWriter::meetingOf(unsigned axes, const Ring *ring) const {
  return (ring ? ring->meeting : names.meeting) + StringRef(peersName(axes)).drop_front(5).str();
}

/// Declarations of meetings, and the calls that make these ready.
std::string KernelWriter::meetings(ArrayRef<unsigned> allAxes, const Ring *ring) const {
  std::string text;
  for (unsigned axes : allAxes) {
    std::string name = meetingOf(axes, ring);
    text += "\n  __shared__ tilelift::meeting<" + peersOf(axes) + "> " + name +
            (ring ? "[" + ring->stages + "]" : "") + ";\n  tilelift::begin(" + name + ");";
  }
  return text;
}

std::string KernelWriter::meetings(const Ring &ring) const {
  return meetings(multicastAxes(ring.first, ring.last), &ring);
}

/// The meetings for copies that are made in their own rounds.
std::string KernelWriter::meetings() const {
  SmallVector<unsigned, 2> allAxes;
  for (size_t i = 0; i < copies().size(); ++i)
    if (unsigned axes = copies()[i].plan.peerAxes();
        axes != 0 && !ringOf(i) && !llvm::is_contained(allAxes, axes))
      allAxes.push_back(axes);
  llvm::sort(allAxes);
  return meetings(allAxes, nullptr);
}

/// Before the first of some copies that wait together.
std::string KernelWriter::meetText(size_t first, size_t last, const std::string &indent) const {
  const Ring *ring = ringOf(first);
  SmallVector<std::string, 2> rooms;
  for (unsigned axes : multicastAxes(first, last))
    rooms.push_back(meetingOf(axes, ring) + (ring ? "[" + names.slot + "]" : ""));
  return rooms.empty() ? "" : indent + "tilelift::meet(" + llvm::join(rooms, ", ") + ");\n";
}

/// The `if` in front of one of several operations, on a line of its own, that leaves it to the peer
/// block that loads for all.
std::string KernelWriter::ifMine(size_t copy, const std::string &piece,
                                 const std::string &indent) const {
  unsigned axes = copies()[copy].plan.peerAxes();
  return axes == 0 ? ""
                   : "if (tilelift::is_mine<" + peersOf(axes) + ">(" +
                         (piece.empty() ? "0" : piece) + "))\n" + indent + "  ";
}

/// The start of a call that loads.
std::string KernelWriter::loadOf(size_t copy, const std::string &name,
                                 const std::string &how) const {
  unsigned axes = copies()[copy].plan.peerAxes();
  std::string call = "tilelift::" + name;
  if (axes != 0)
    return call + "_for_all<" + peersOf(axes) + (how.empty() ? "" : ", " + how) + ">(";
  return call + (how.empty() ? "(" : "<" + how + ">(");
}

} // namespace tilelift
