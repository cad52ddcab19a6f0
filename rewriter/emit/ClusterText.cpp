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

bool KernelWriter::hasClusters() const { return peerAxes(0, copies().size() - 1) != 0; }

/// Along which blocks share any of these copies' tiles.
unsigned KernelWriter::peerAxes(size_t first, size_t last) const {
  unsigned axes = 0;
  for (size_t i = first; i <= last; ++i)
    axes |= copies()[i].plan.peerAxes();
  return axes;
}

/// Those that share tiles along the same axes meet in one place.
std::string KernelWriter::meetingOf(unsigned axes) const {
  return names.meeting + StringRef(peersName(axes)).drop_front(5).str();
}

std::string KernelWriter::peerTypes(const InstanceToEmit &instance) const {
  auto [x, y, z] = instance.cluster;
  std::string text;
  for (unsigned axes = 1; axes < 8; ++axes)
    if (llvm::is_contained(allPeerAxes(), axes))
      text += formatv("  using {0} = tilelift::peers<{1}, {2}, {3}, {4}>;\n", peersName(axes), axes,
                      x, y, z);
  return text;
}

/// All that some copies are for together, or each of them by itself.
SmallVector<unsigned, 4> KernelWriter::allPeerAxes() const {
  SmallVector<unsigned, 4> all;
  for (size_t i = 0; i < copies().size(); ++i) {
    const Ring *ring = ringOf(i);
    all.push_back(peerAxes(i, i));
    all.push_back(ring ? peerAxes(ring->first, ring->last) : peerAxes(i, endOfStatement(i) - 1));
  }
  return all;
}

std::string KernelWriter::peersOf(unsigned axes) const {
  return (texts.front().pattern->isTemplated() ? "typename " : "") + planReference() +
         "::" + peersName(axes);
}

/// Of a room's declaration, what it is and that it gets ready.
std::string KernelWriter::meetingDeclaration(unsigned axes, const std::string &name,
                                             const std::string &count) const {
  return "\n  __shared__ tilelift::meeting<" + peersOf(axes) + "> " + name + count +
         ";\n  tilelift::begin(" + name + ");";
}

/// Where blocks meet for copies that are made in their own rounds.
std::string KernelWriter::meetings() const {
  std::string text;
  for (unsigned axes = 1; axes < 8; ++axes)
    for (size_t i = 0; i < copies().size(); ++i)
      if (!ringOf(i) && peerAxes(i, endOfStatement(i) - 1) == axes) {
        text += meetingDeclaration(axes, meetingOf(axes), "");
        break;
      }
  return text;
}

std::string KernelWriter::ringMeeting(const Ring &ring) const {
  unsigned axes = peerAxes(ring.first, ring.last);
  return axes == 0 ? "" : meetingDeclaration(axes, ring.meeting, "[" + ring.stages + "]");
}

/// Before the first of some copies that wait together.
std::string KernelWriter::meetText(size_t first, size_t last, const std::string &indent) const {
  unsigned axes = peerAxes(first, last);
  if (axes == 0)
    return "";
  const Ring *ring = ringOf(first);
  return indent + "tilelift::meet(" +
         (ring ? ring->meeting + "[" + names.slot + "]" : meetingOf(axes)) + ");\n";
}

/// Before one of several operations, on a line of its own.
std::string KernelWriter::ifMine(size_t copy, const std::string &piece,
                                 const std::string &indent) const {
  unsigned axes = copies()[copy].plan.peerAxes();
  return axes == 0 ? ""
                   : "if (tilelift::is_mine<" + peersOf(axes) + ">(" +
                         (piece.empty() ? "0" : piece) + "))\n" + indent + "  ";
}

/// The start of a call that loads.
std::string KernelWriter::loadOf(size_t copy, const std::string &name) const {
  unsigned axes = copies()[copy].plan.peerAxes();
  return "tilelift::" + name + (axes == 0 ? "(" : "_for_all<" + peersOf(axes) + ">(");
}

} // namespace tilelift
