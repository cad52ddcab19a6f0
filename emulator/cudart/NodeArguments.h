//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the array of arguments that a program gives a node of a graph. CUDA does not say
// how many there are; the check is whether there can be as many as the node's kernel takes.
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
