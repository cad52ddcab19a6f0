//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets boxes cover the padding of rows where several copies fill a tile, or the block's dynamic
// shared memory. Each copy alone sees the others as code that may write anywhere in the array;
// together, it is known which bytes all of them write, in whichever stage of a ring each of them
// is.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_PADDING_H
#define TILELIFT_KERNEL_PADDING_H

#include "kernel/FileFacts.h"
#include "kernel/KernelPlan.h"

namespace tilelift {

/// Fits the copies of an array anew, if nothing else writes to it and none of them writes to the
/// padding, and takes the plans that leave the tile's elements in their places.
void fillPadding(InstancePlan &instance, const FileFacts &file);

} // namespace tilelift

#endif
