//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program `tilelift`. That of a standalone installation is standalone/Start.cpp.
//===----------------------------------------------------------------------===//

#include "tool/Main.h"

int main(int argc, const char **argv) { return tilelift_main(argc, argv); }
