//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of 128 bits, for sums and products of numbers of 64 bits that 64 bits might not hold. Not
// every compiler of device code has a type of its own for that.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EXACT_CUH
#define TILELIFT_EXACT_CUH

namespace tilelift {

class exact {
public:
  __device__ exact(long long number) : low(number), high(number < 0 ? ~0ull : 0) {}

  __device__ friend exact operator+(exact a, exact b) {
    const unsigned long long low = a.low + b.low;
    return {low, a.high + b.high + (low < a.low ? 1 : 0)};
  }
  __device__ friend exact operator-(exact a) { return exact(~a.low, ~a.high) + 1; }
  __device__ friend exact operator-(exact a, exact b) { return a + -b; }
  __device__ friend exact operator*(exact a, exact b) {
    exact product = of_halves(a.low, b.low);
    product.high += a.low * b.high + a.high * b.low;
    return product;
  }
  /// Whether it is a multiple of `of`, which is positive, is all that is asked: the sign is not
  /// kept.
  __device__ friend long long operator%(exact number, long long of) {
    if (number < 0)
      number = -number;
    const unsigned long long divisor = of;
    unsigned long long rest = 0;
    for (int bit = 127; bit >= 0; --bit) {
      const unsigned long long part = bit < 64 ? number.low >> bit : number.high >> (bit - 64);
      rest = 2 * rest + (part & 1);
      rest -= rest >= divisor ? divisor : 0;
    }
    return rest;
  }
  __device__ friend bool operator<(exact a, exact b) {
    const long long left = a.high, right = b.high;
    return left != right ? left < right : a.low < b.low;
  }
  __device__ friend bool operator>(exact a, exact b) { return b < a; }
  __device__ friend bool operator<=(exact a, exact b) { return !(b < a); }
  __device__ friend bool operator>=(exact a, exact b) { return !(a < b); }

private:
  __device__ exact(unsigned long long low, unsigned long long high) : low(low), high(high) {}

  /// The product of two unsigned numbers, by their halves.
  __device__ static exact of_halves(unsigned long long a, unsigned long long b) {
    const unsigned long long half = 0xffffffffull, a0 = a & half, a1 = a >> 32, b0 = b & half,
                             b1 = b >> 32;
    const unsigned long long lowest = a0 * b0, first = a1 * b0 + (lowest >> 32),
                             second = a0 * b1 + (first & half);
    return {second << 32 | (lowest & half), a1 * b1 + (first >> 32) + (second >> 32)};
  }

  /// In two's complement.
  unsigned long long low, high;
};

} // namespace tilelift

#endif
