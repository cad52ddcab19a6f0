//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local variables whose initialisers are constant and hold addresses of shared memory, such as
// `float *rows[2] = {tile[0], tile[1]}`. Clang copies them from a constant in global memory, which
// can hold no such address: ptxas refuses the module, and each block of the emulator has its
// shared memory elsewhere. Here each function stores the addresses itself, as nvcc has it do.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_RUN_SHAREDADDRESSES_H
#define TILELIFT_TOOL_RUN_SHAREDADDRESSES_H

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace tilelift {

void storeSharedAddresses(llvm::PassBuilder &passes);

} // namespace tilelift

#endif
