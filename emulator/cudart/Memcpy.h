//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies as graph nodes describe them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_CUDART_MEMCPY_H
#define TILELIFT_EMULATOR_CUDART_MEMCPY_H

#include "cudart/Work.h"

namespace tilelift::emulator::cudart {

/// An error where the copy needs an array.
cudaError_t spaceCopy(const cudaMemcpy3DParms &parameters, Copy &copy);

} // namespace tilelift::emulator::cudart

#endif
