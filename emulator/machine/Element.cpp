//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "machine/Element.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace tilelift::emulator {

namespace {

struct Layout {
  int exponentBits, fractionBits;
  bool hasInfinity;
};

Layout layoutOf(Format format) {
  switch (format) {
  case Format::f16: return {5, 10, true};
  case Format::bf16: return {8, 7, true};
  case Format::tf32: return {8, 10, true};
  case Format::e4m3: return {4, 3, false};
  case Format::e5m2: return {5, 2, true};
  case Format::f32: return {8, 23, true};
  case Format::f64: return {11, 52, true};
  }
  return {8, 23, true};
}

/// Rounds to an integer; `isNegative` tells which way down is.
double roundedMagnitude(double value, RoundingMode mode, bool isNegative) {
  switch (mode) {
  case RoundingMode::nearest: return std::nearbyint(value);
  case RoundingMode::zero: return std::floor(value);
  case RoundingMode::down: return isNegative ? std::ceil(value) : std::floor(value);
  case RoundingMode::up: return isNegative ? std::floor(value) : std::ceil(value);
  case RoundingMode::away: return std::floor(value + 0.5);
  }
  return value;
}

} // namespace

uint64_t toFormat(double value, Format format, RoundingMode mode, bool saturates) {
  Layout layout = layoutOf(format);
  int bias = (1 << (layout.exponentBits - 1)) - 1;
  uint64_t sign =
      std::signbit(value) ? uint64_t(1) << (layout.exponentBits + layout.fractionBits) : 0;
  int unused = format == Format::tf32 ? 13 : 0; // tf32 lies in the upper bits of a word
  uint64_t allOnes = (uint64_t(1) << layout.exponentBits) - 1;
  uint64_t infinity = allOnes << layout.fractionBits;
  uint64_t notANumber = layout.hasInfinity
                            ? (uint64_t(1) << (layout.exponentBits + layout.fractionBits)) - 1
                            : infinity | ((uint64_t(1) << layout.fractionBits) - 1);
  uint64_t largest = layout.hasInfinity ? infinity - 1 : notANumber - 1;
  if (std::isnan(value))
    return notANumber << unused;
  double magnitude = std::fabs(value);
  uint64_t bits;
  if (std::isinf(value)) {
    bits = saturates || !layout.hasInfinity ? largest : infinity;
  } else {
    int exponent = magnitude > 0 ? std::ilogb(magnitude) : -2000;
    int lowest = 1 - bias;
    int scale = (exponent < lowest ? lowest : exponent) - layout.fractionBits;
    double units = roundedMagnitude(std::ldexp(magnitude, -scale), mode, sign != 0);
    double result = std::ldexp(units, scale);
    if (result == 0) {
      bits = 0;
    } else {
      int newExponent = std::ilogb(result);
      if (newExponent < lowest)
        bits = uint64_t(units);
      else
        bits = (uint64_t(newExponent + bias) << layout.fractionBits) +
               (uint64_t(std::ldexp(result, layout.fractionBits - newExponent)) -
                (uint64_t(1) << layout.fractionBits));
      bool towardsZero = mode == RoundingMode::zero || (mode == RoundingMode::down && !sign) ||
                         (mode == RoundingMode::up && sign);
      if (newExponent > bias + (layout.hasInfinity ? 0 : 1) || bits > largest)
        bits = saturates || towardsZero ? largest : layout.hasInfinity ? infinity : notANumber;
    }
  }
  return (sign | bits) << unused;
}

double fromFormat(uint64_t bits, Format format) {
  Layout layout = layoutOf(format);
  if (format == Format::tf32)
    bits >>= 13;
  int bias = (1 << (layout.exponentBits - 1)) - 1;
  uint64_t fraction = bits & ((uint64_t(1) << layout.fractionBits) - 1);
  int exponent = int(bits >> layout.fractionBits & ((uint64_t(1) << layout.exponentBits) - 1));
  double sign = bits >> (layout.exponentBits + layout.fractionBits) & 1 ? -1. : 1.;
  bool isHighest = exponent == (1 << layout.exponentBits) - 1;
  bool isNaN = layout.hasInfinity
                   ? isHighest && fraction
                   : isHighest && fraction == (uint64_t(1) << layout.fractionBits) - 1;
  if (isNaN)
    return std::numeric_limits<double>::quiet_NaN();
  if (isHighest && layout.hasInfinity)
    return sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(double(fraction), 1 - bias - layout.fractionBits);
  return sign * std::ldexp(double(fraction | uint64_t(1) << layout.fractionBits),
                           exponent - bias - layout.fractionBits);
}

double fromHalf(uint16_t bits) { return fromFormat(bits, Format::f16); }
double fromBfloat(uint16_t bits) { return fromFormat(bits, Format::bf16); }

std::string elementText(const std::string &type, uint32_t bytes, const char *place) {
  char text[64];
  auto as = [&](auto kind) {
    std::memcpy(&kind, place, sizeof kind);
    return kind;
  };
  auto number = [&](double value) {
    std::snprintf(text, sizeof text, "%.9g", value);
    return std::string(text);
  };
  if (type == "float" && bytes == 4)
    return number(as(float()));
  if (type == "double" && bytes == 8) {
    std::snprintf(text, sizeof text, "%.17g", as(double()));
    return text;
  }
  if (type == "__half" || type == "half")
    return number(fromHalf(as(uint16_t())));
  if (type == "__nv_bfloat16")
    return number(fromBfloat(as(uint16_t())));
  bool isUnsigned = type.compare(0, 8, "unsigned") == 0;
  bool isInteger = isUnsigned || type == "int" || type == "char" || type == "signed char" ||
                   type == "short" || type == "long" || type == "long long";
  if (isInteger && bytes <= 8) {
    uint64_t bits = 0;
    std::memcpy(&bits, place, bytes);
    int64_t value = int64_t(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    return isUnsigned ? std::to_string(bits) : std::to_string(value);
  }
  std::string hex = "0x";
  for (uint32_t i = bytes; i-- > 0 && hex.size() < 40;) {
    std::snprintf(text, sizeof text, "%02x", static_cast<unsigned char>(place[i]));
    hex += text;
  }
  return hex;
}

} // namespace tilelift::emulator
