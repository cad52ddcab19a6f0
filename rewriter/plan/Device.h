//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which forms of copies the device that the user names can make. Plans prefer them; where
// nobody names a device, what all devices with a TMA unit can.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_DEVICE_H
#define TILELIFT_PLAN_DEVICE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilelift {

struct Device {
  /// As the user writes it: sm_90a; empty where nobody names one.
  std::string name = {};
  /// Ten times the compute capability, as in 90; 0 where nobody names a device.
  int capability = 0;

  bool isKnown() const { return capability != 0; }
  /// The capability alone, as messages write it.
  std::string family() const { return "sm_" + std::to_string(capability); }
  bool isBlackwell() const { return capability >= 100; }
  /// scatter4 is what the data centres' devices have, and code for them alone or their family.
  bool scattersByFours() const {
    bool isOfFamily = llvm::StringRef(name).ends_with("a") || llvm::StringRef(name).ends_with("f");
    return isBlackwell() && capability < 120 && isOfFamily;
  }
};

/// Of `sm_90a` and its like; of anything else, a device that is not known.
inline Device deviceNamed(llvm::StringRef arch) {
  int number = 0;
  llvm::StringRef rest = arch;
  bool isNamed = rest.consume_front("sm_") && !rest.consumeInteger(10, number);
  return isNamed ? Device{arch.str(), number} : Device{};
}

} // namespace tilelift

#endif
