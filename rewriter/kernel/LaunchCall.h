//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call that a clause adds to the launcher: a member function of the runtime's `launch` object
// that is called once for each launch, with constant arguments, before any tensor map is made. The
// C++ runtime, the driver API header and the Python package give the function the same name, so
// that the printers in emit/ need not know the clause.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_KERNEL_LAUNCHCALL_H
#define TILELIFT_KERNEL_LAUNCHCALL_H

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace tilelift {

/// `persist("coefficients", 0.5)`
struct LaunchCall {
  struct Argument {
    std::string name;  ///< the key in dumps and manifests
    std::string value; ///< the argument as it is written in the call, without quotation marks
    bool isText = false;

    std::string text() const { return isText ? "\"" + value + "\"" : value; }
  };
  std::string name;
  std::vector<Argument> arguments;

  /// The call as code, which is the same in C++ and in Python.
  std::string text() const {
    std::string list;
    for (const Argument &argument : arguments)
      list += (list.empty() ? "" : ", ") + argument.text();
    return name + "(" + list + ")";
  }
};

inline llvm::json::Object toJson(const LaunchCall &call) {
  llvm::json::Object object;
  for (const LaunchCall::Argument &argument : call.arguments) {
    double number = 0;
    const bool isNumber = !argument.isText && !llvm::StringRef(argument.value).getAsDouble(number);
    object[argument.name] =
        isNumber ? llvm::json::Value(number) : llvm::json::Value(argument.value);
  }
  return object;
}

} // namespace tilelift

#endif
