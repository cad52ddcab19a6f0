//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic that translated code leaves to the machine: directed rounding,
// fused operations of half and bfloat16, formats that the host does not have.
//===----------------------------------------------------------------------===//

#include "machine/Abi.h"
#include "machine/Element.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>

namespace tilelift::emulator {

namespace {

/// Rounds in one direction while it lives.
class Direction {
public:
  explicit Direction(uint32_t mode) : before(std::fegetround()) {
    std::fesetround(mode == 0 ? FE_TOWARDZERO : mode == 1 ? FE_DOWNWARD : FE_UPWARD);
  }
  ~Direction() { std::fesetround(before); }

private:
  int before;
};

/// Keeps the compiler from computing before the direction is set.
template <typename Value> Value opaque(Value value) {
  volatile Value copy = value;
  return copy;
}

/// The sum of two doubles rounded to odd: no further rounding goes wrong.
double sumToOdd(double a, double b) {
  double sum = a + b;
  double bRounded = sum - a, aRounded = sum - bRounded;
  double error = (a - aRounded) + (b - bRounded);
  if (error == 0 || !std::isfinite(sum))
    return sum;
  uint64_t bits;
  std::memcpy(&bits, &sum, sizeof bits);
  if (!(bits & 1)) {
    bool isAway = (error > 0) == (sum > 0);
    bits += isAway ? 1 : -1;
    std::memcpy(&sum, &bits, sizeof bits);
  }
  return sum;
}

uint16_t fused(uint16_t a, uint16_t b, uint16_t c, Format format) {
  double product = fromFormat(a, format) * fromFormat(b, format); // exact
  return uint16_t(toFormat(sumToOdd(product, fromFormat(c, format)), format));
}

} // namespace

extern "C" {

struct Thread;

#define TILELIFT_ROUNDED(name, type, suffix, expression)                                           \
  type tilelift_rounded_##name##_##suffix(Thread *, type x, type y, type z, uint32_t mode,         \
                                          uint32_t) {                                              \
    Direction direction(mode);                                                                     \
    type a = opaque(x), b = opaque(y), c = opaque(z);                                              \
    (void)b;                                                                                       \
    (void)c;                                                                                       \
    return opaque<type>(expression);                                                               \
  }
#define TILELIFT_ROUNDED_BOTH(name, expression)                                                    \
  TILELIFT_ROUNDED(name, float, f32, expression)                                                   \
  TILELIFT_ROUNDED(name, double, f64, expression)
TILELIFT_ROUNDED_BOTH(add, a + b)
TILELIFT_ROUNDED_BOTH(sub, a - b)
TILELIFT_ROUNDED_BOTH(mul, a *b)
TILELIFT_ROUNDED_BOTH(div, a / b)
TILELIFT_ROUNDED_BOTH(sqrt, std::sqrt(a))
TILELIFT_ROUNDED_BOTH(fma, std::fma(a, b, c))
#undef TILELIFT_ROUNDED_BOTH
#undef TILELIFT_ROUNDED

uint16_t tilelift_fma_f16(Thread *, uint16_t a, uint16_t b, uint16_t c, uint32_t) {
  return fused(a, b, c, Format::f16);
}
uint16_t tilelift_fma_bf16(Thread *, uint16_t a, uint16_t b, uint16_t c, uint32_t) {
  return fused(a, b, c, Format::bf16);
}

float tilelift_widen(Thread *, uint32_t bits, uint32_t format, uint32_t) {
  return float(fromFormat(bits, Format(format)));
}

uint64_t tilelift_narrow(Thread *, double value, uint32_t format, uint32_t mode, uint32_t saturates,
                         uint32_t isRelu, uint32_t) {
  if (isRelu && value < 0)
    value = 0;
  return toFormat(value, Format(format), RoundingMode(mode), saturates);
}

uint64_t tilelift_from_integer(Thread *, uint64_t value, uint32_t isSigned, uint32_t format,
                               uint32_t mode, uint32_t) {
  // A double holds 53 bits: the rest is folded in so that rounding still sees it.
  bool isNegative = isSigned && int64_t(value) < 0;
  uint64_t magnitude = isNegative ? 0 - value : value;
  if (Format(format) == Format::f64) {
    int before = std::fegetround();
    const int directions[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    std::fesetround(directions[mode]);
    volatile double result = isSigned ? double(opaque(int64_t(value))) : double(opaque(value));
    std::fesetround(before);
    uint64_t bits;
    double copy = result;
    std::memcpy(&bits, &copy, sizeof bits);
    return bits;
  }
  if (magnitude >> 53)
    magnitude = (magnitude >> 11 | ((magnitude & 0x7ff) != 0)) << 11;
  double wide = double(magnitude);
  return toFormat(isNegative ? -wide : wide, Format(format), RoundingMode(mode));
}

uint64_t tilelift_extract(Thread *, uint64_t value, uint32_t position, uint32_t length,
                          uint32_t bits, uint32_t) {
  if (length == 0 || position >= bits)
    return 0;
  length = std::min(length, bits - position);
  value >>= position;
  return length >= 64 ? value : value & ((uint64_t(1) << length) - 1);
}

/// What lies beyond the value is its sign.
uint64_t tilelift_extract_signed(Thread *, uint64_t value, uint32_t position, uint32_t length,
                                 uint32_t, uint32_t) {
  if (length == 0)
    return 0;
  int64_t moved = int64_t(value) >> std::min(position, 63u);
  return length >= 64 ? uint64_t(moved) : uint64_t(moved << (64 - length) >> (64 - length));
}

} // extern "C"

} // namespace tilelift::emulator
