//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine that translated code runs on, as LLVM knows it.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_PTX_HOSTCODE_H
#define TILELIFT_EMULATOR_PTX_HOSTCODE_H

#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace tilelift::ptx {

std::unique_ptr<llvm::TargetMachine> hostMachine(std::string &problem);

} // namespace tilelift::ptx

#endif
