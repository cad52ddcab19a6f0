//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one device that there is.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_CUDART_DEVICE_H
#define TILELIFT_EMULATOR_CUDART_DEVICE_H

#include "cudart/State.h"

namespace tilelift::emulator::cudart {

constexpr int cudaVersion = 13000; ///< of the runtime and of the driver
constexpr const char *deviceName = "tilelift emulator";

/// By the number that the runtime and the driver agree on; false where there is
/// no such attribute.
bool readAttribute(int attribute, int &value);

} // namespace tilelift::emulator::cudart

#endif
