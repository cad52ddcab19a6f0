//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line's entry: the program `tilelift` calls it. A standalone installation has it in
// its library.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TOOL_MAIN_H
#define TILELIFT_TOOL_MAIN_H

/// Returns the exit status.
extern "C" int tilelift_main(int argc, const char **argv);

#endif
