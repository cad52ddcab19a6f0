//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of the runtime. Lifted files assert that they are compiled with
// the runtime that they were made for: TILELIFT_RUNTIME_ABI changes whenever
// what they call does.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_VERSION_H
#define TILELIFT_VERSION_H

#define TILELIFT_VERSION_STRING "0.1.0"
#define TILELIFT_RUNTIME_ABI 1

#endif
