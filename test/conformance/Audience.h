//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the blocks of a cluster, which one performs an operation, and to which its
// bytes come.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEST_CONFORMANCE_AUDIENCE_H
#define TILELIFT_TEST_CONFORMANCE_AUDIENCE_H

#include <cstdint>

namespace tilelift::conformance {

constexpr int mostPeers = 4;

struct Audience {
  uint16_t speaker = 0;
  uint16_t mask = 0; ///< 0: the instruction has no `.multicast::cluster`

  bool has(int peer) const { return mask ? mask >> peer & 1 : peer == speaker; }
};

} // namespace tilelift::conformance

#endif
