//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "effects/Describe.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace llvm;

namespace tilelift {
namespace {

std::string nameOf(const MemoryObject &object) {
  switch (object.kind) {
  case MemoryObject::Kind::Anything: return "any global memory";
  case MemoryObject::Kind::FromHost: return "what the host points to";
  case MemoryObject::Kind::Dynamic: return "dynamic shared memory";
  case MemoryObject::Kind::Output: return "what is printed";
  default: break;
  }
  if (!object.declaration)
    return "a variable without a name";
  std::string name = "'" + object.declaration->getNameAsString() + "'";
  return object.kind == MemoryObject::Kind::Argument &&
                 !object.declaration->getType()->isPointerType()
             ? name + " at " + std::to_string(object.offset)
             : name;
}

std::string namesOf(const ObjectSet &objects, const Memory &memory) {
  if (objects.isAll())
    return "any memory";
  std::string names;
  for (unsigned object : objects.numbers())
    names += (names.empty() ? "" : " and ") + nameOf(memory[object]);
  return names;
}

} // namespace

std::string describe(const Effect &effect, const KernelEffects &kernel) {
  SmallVector<std::string, 8> parts;
  if (!kernel.isKnown())
    return "may do anything";
  auto add = [&](bool isSo, const std::string &words) {
    if (isSo)
      parts.push_back(words);
  };
  const Memory &memory = kernel.getMemory();
  add(!effect.reads.empty(), "reads " + namesOf(effect.reads, memory));
  add(!effect.writes.empty(), "writes " + namesOf(effect.writes, memory));
  add(effect.meetsBlock, "meets the block");
  add(effect.meetsOthers, "meets other threads");
  add(effect.lanes != 0, "meets other lanes");
  add(effect.groups.begins, "begins copies by cp.async");
  add(effect.groups.closes, "closes a group of them");
  add(effect.groups.awaits,
      "waits for them" +
          (effect.groups.awaitsOldest ? ", but only for the oldest group"
           : effect.groups.left == 0
               ? std::string()
               : ", but for the " + std::to_string(effect.groups.left) + " newest groups"));
  add(effect.groups.releasesOldest, "hands the oldest group back");
  add(effect.signals, "may tell other blocks");
  add(effect.awaitsThreads, "may wait for other threads");
  add(effect.awaitsBlocks, "may wait for other blocks");
  add(effect.awaitsGrids, "waits for kernels before");
  add(effect.fencesProxy, "fences the proxies");
  add(effect.mayLeave, "may end threads");
  add(effect.differs, "differs between threads");
  add(effect.varies, "may be another one each time");
  add(effect.countsThreads != 0, "asks for the block's size");
  add(effect.asksSharedSize, "asks for the size of shared memory");
  add(effect.asksCluster, "asks for the cluster");
  add(effect.isUnknown, "is not known");
  return llvm::join(parts, ", ");
}

std::string describe(const KernelEffects &kernel, StringRef name) {
  std::string text = name.str() + ":\n";
  if (!kernel.isKnown())
    return text + "  may do anything: no code can be made of it\n";
  for (const auto &[spot, effect] : kernel.bySpots()) {
    std::string words = describe(effect, kernel);
    std::string place = spot.isKnown()
                            ? std::to_string(spot.line) + ":" + std::to_string(spot.column)
                            : "somewhere";
    if (!words.empty())
      text += "  " + place + ": " + words + "\n";
  }
  return text;
}

} // namespace tilelift
