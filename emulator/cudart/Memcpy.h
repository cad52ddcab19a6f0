//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies as graph nodes describe them.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_CUDART_MEMCPY_H
#define TILELIFT_EMULATOR_CUDART_MEMCPY_H

#include "cudart/Work.h"

namespace tilelift::emulator::cudart {

/// Fills `copy` from the parameters of cudaMemcpy3D. Returns an error if they name a cudaArray, or
/// if the rows of the box do not fit into a slice (`ysize`).
cudaError_t spaceCopy(const cudaMemcpy3DParms &parameters, Copy &copy);

} // namespace tilelift::emulator::cudart

#endif
