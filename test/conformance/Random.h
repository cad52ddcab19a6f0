//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that a seed decides, the same on every machine and in every order of
// execution: each case has a generator of its own.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TEST_CONFORMANCE_RANDOM_H
#define TILELIFT_TEST_CONFORMANCE_RANDOM_H

#include <cstdint>
#include <initializer_list>

namespace tilelift::conformance {

class Random {
public:
  Random(uint64_t seed, uint64_t stream) : state(mix(seed) ^ mix(~stream)) {}

  uint64_t next() { return mix(state += 0x9e3779b97f4a7c15); }
  uint64_t below(uint64_t count) { return next() % count; }
  int64_t between(int64_t low, int64_t high) {
    return low + int64_t(below(uint64_t(high - low) + 1));
  }
  bool oneIn(uint64_t count) { return below(count) == 0; }
  /// All magnitudes are about equally likely.
  uint64_t upTo(uint64_t high) {
    unsigned bits = 0;
    while (bits < 63 && high >> bits > 1)
      ++bits;
    uint64_t number = next() >> (63 - below(bits + 1));
    return number < high ? number : high;
  }
  template <typename Number> Number pick(std::initializer_list<Number> numbers) {
    return numbers.begin()[below(numbers.size())];
  }

private:
  static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  uint64_t state;
};

} // namespace tilelift::conformance

#endif
