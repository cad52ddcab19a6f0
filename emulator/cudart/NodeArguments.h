//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments that a program gives a node of a graph, which nobody says how many
// there are of: whether the kernel's own number of them can be meant.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_CUDART_NODEARGUMENTS_H
#define TILELIFT_EMULATOR_CUDART_NODEARGUMENTS_H

#include "cudart/Work.h"

namespace tilelift::emulator::cudart {

/// False, and reported, where an argument leads nowhere, or is no tensor map where the
/// node's kernel has one already. `before` is what the node did, or null.
bool checkNodeArguments(const Kernel &kernel, void **arguments, const Launch *before);

} // namespace tilelift::emulator::cudart

#endif
