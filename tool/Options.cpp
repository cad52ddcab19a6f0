//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "tool/Options.h"

#include "directive/BlockSize.h"

#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace tilelift {

void ToolOptions::setEmit(Emit kind) {
  emit = kind;
  selection.output = kind == Emit::Cuda ? Output::Program : Output::DeviceSource;
}

std::optional<std::string> ToolOptions::setBlock(StringRef text) {
  auto [kernel, numbers] = text.split('=');
  BlockShape shape{1, 1, 1};
  SmallVector<StringRef, 3> each;
  numbers.split(each, ',');
  bool isShape = !kernel.empty() && each.size() <= 3;
  for (size_t axis = 0; isShape && axis < each.size(); ++axis)
    isShape = !each[axis].trim().getAsInteger(10, shape[axis]) && shape[axis] > 0;
  if (!isShape)
    return ("'" + text +
            "' is no block size: 'block' takes a kernel and one to three numbers, as "
            "'blur=32,8'")
        .str();
  if (std::optional<std::string> wrong = wrongBlock(shape))
    return "the block of '" + kernel.str() + "' cannot be " + numbers.str() + ": " + *wrong;
  selection.blocks[kernel.str()] = shape;
  return std::nullopt;
}

} // namespace tilelift
