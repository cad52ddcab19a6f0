//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which forms of copies the device that the user names can make. Plans prefer them; if the
// user names no device, plans prefer the forms that all devices with a TMA unit can make.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_PLAN_DEVICE_H
#define TILELIFT_PLAN_DEVICE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilelift {

struct Device {
  /// The name as the user writes it, such as sm_90a; empty if the user names no device.
  std::string name = {};
  /// Ten times the compute capability, as in 90; 0 if the user names no device.
  int capability = 0;

  bool isKnown() const { return capability != 0; }
  /// The capability alone, as messages write it.
  std::string family() const { return "sm_" + std::to_string(capability); }
  bool isBlackwell() const { return capability >= 100; }
  /// Whether rows can be stored four at a time (scatter4): on devices of compute capability 10.x
  /// and 11.x, by code that is compiled for one of these alone (sm_100a) or for its family
  /// (sm_100f).
  bool scattersByFours() const {
    bool isOfFamily = llvm::StringRef(name).ends_with("a") || llvm::StringRef(name).ends_with("f");
    return isBlackwell() && capability < 120 && isOfFamily;
  }
};

/// Returns the device of an architecture such as `sm_90a`. Any other text gives a device that is
/// not known.
inline Device deviceNamed(llvm::StringRef arch) {
  int number = 0;
  llvm::StringRef rest = arch;
  bool isNamed = rest.consume_front("sm_") && !rest.consumeInteger(10, number);
  return isNamed ? Device{arch.str(), number} : Device{};
}

} // namespace tilelift

#endif
