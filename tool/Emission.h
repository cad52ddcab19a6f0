//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is written for other hosts than the CUDA runtime: the source of the device alone, and how
// its kernels are launched, as a manifest, in Python, or in C++ over the driver API.
//
// The source is parsed once more, as those who compile it will: an error of ours is found here,
// and every kernel's entry is called what the compiler calls it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_EMISSION_H
#define TILELIFT_TOOL_EMISSION_H

#include "tool/Options.h"

namespace tilelift {

struct Emission {
  std::string device;
  std::vector<Recipe> recipes;
  std::string manifest;
  std::string python;
  std::string pythonTypes;
  std::string driver;
};

/// Returns what is written for other hosts, or the reason why that cannot be. `name` is what the
/// file is called, `device` its lifted text.
std::variant<Emission, std::string> emissionOf(const std::string &name, std::string device,
                                               std::vector<Recipe> recipes,
                                               const ToolOptions &options);

/// The one that the options ask for.
const std::string &textFor(const Emission &emission, Emit kind);

} // namespace tilelift

#endif
