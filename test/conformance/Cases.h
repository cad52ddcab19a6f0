//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random operations that the hardware can perform inside of memory that belongs
// to them, and changes to them that it punishes.
//
// The model is asked which bytes an operation touches, so that operations stay
// where they belong; if it is wrong about that, the memory around them tells.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEST_CONFORMANCE_CASES_H
#define TILELIFT_TEST_CONFORMANCE_CASES_H

#include "Audience.h"
#include "Descriptor.h"
#include "Random.h"

#include "model/Copy.h"

#include <string>
#include <vector>

namespace tilelift::conformance {

/// The memory of one operation: `bytes` at a global address, and a window of
/// shared memory.
struct Room {
  uint64_t address;
  uint32_t bytes;
  uint32_t window;
};

struct Case {
  bool bulk = false;
  Descriptor descriptor; ///< unless bulk
  TensorMap map;         ///< the same for the model
  TensorCopy tensor;
  BulkCopy untyped; ///< shared addresses count from the start of the window
  Audience audience;

  Transfer transfer() const { return bulk ? untyped.transfer : tensor.transfer; }
  ElementType type() const { return bulk ? untyped.type : descriptor.elementType(); }
  uint32_t expected() const {
    return transfer() != Transfer::Load ? 0 : bulk ? untyped.bytes : expectedBytes(map, tensor);
  }
};

/// "im2col load", for the summary.
std::string kindOf(const Case &subject);
std::string print(const Case &subject);

Case drawCase(Random &random, const Room &room);

/// A load for several blocks of a cluster of `mostPeers`.
Case drawMulticast(Random &random, const Room &room);

/// Makes an operation that the hardware refuses to perform.
Case drawFaulty(Random &random, const Room &room);

/// Random bytes that are worth copying or reducing as elements of this type:
/// any bits, numbers of similar size, and numbers at the edges of the type.
void fill(Random &random, ElementType type, uint8_t *bytes, uint32_t count);

} // namespace tilelift::conformance

#endif
