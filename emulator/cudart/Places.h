//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a range of addresses lies, and whether a copy between two is allowed.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_CUDART_PLACES_H
#define TILELIFT_EMULATOR_CUDART_PLACES_H

#include "cudart/Work.h"

namespace tilelift::emulator::cudart {

enum class Place {
  host,
  device,
  both,    ///< pinned and managed memory
  nowhere, ///< device memory that is not allocated, or beyond one allocation
};

Place placeOf(const void *address, size_t bytes);

inline bool isForDevice(Place place) { return place == Place::device || place == Place::both; }

/// Both ends' places against the kind, and the pitches against the width, as the
/// runtime of CUDA 13 on an H200 does.
cudaError_t check(const Copy &copy);
cudaError_t check(const Fill &fill);

/// A copy of so many bytes.
Copy linearCopy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);

} // namespace tilelift::emulator::cudart

#endif
