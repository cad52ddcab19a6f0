//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, one element at a time. What a manual leaves open, results that are
// no numbers above all, is what an H200 computes.
//===----------------------------------------------------------------------===//

#include "model/Reduce.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tilelift::emulator {

namespace {

template <typename... Types> constexpr uint32_t set(Types... types) {
  return ((1u << unsigned(types)) | ...);
}

constexpr uint32_t ofWords = set(ElementType::u32);
constexpr uint32_t ofAdd =
    set(ElementType::u32, ElementType::i32, ElementType::u64, ElementType::f16, ElementType::f32,
        ElementType::f64, ElementType::bf16);
constexpr uint32_t ofOrder = set(ElementType::u32, ElementType::i32, ElementType::u64,
                                 ElementType::i64, ElementType::f16, ElementType::bf16);
constexpr uint32_t ofBits = set(ElementType::u32, ElementType::u64);
constexpr uint32_t ofSharedAdd = set(ElementType::u32, ElementType::i32, ElementType::u64);
constexpr uint32_t ofSharedOrder = set(ElementType::u32, ElementType::i32);

struct Row {
  const char *name;
  uint32_t tensor, bulk, shared; ///< types that it takes, one bit each
};

constexpr Row table[] = {
    {"add", ofAdd | set(ElementType::f32_ftz, ElementType::tf32, ElementType::tf32_ftz), ofAdd,
     ofSharedAdd},
    {"min", ofOrder, ofOrder, ofSharedOrder},
    {"max", ofOrder, ofOrder, ofSharedOrder},
    {"inc", ofWords, ofWords, ofWords},
    {"dec", ofWords, ofWords, ofWords},
    {"and", ofBits | set(ElementType::i32), ofBits, ofWords},
    {"or", ofBits | set(ElementType::i32), ofBits, ofWords},
    {"xor", ofBits | set(ElementType::i32), ofBits, ofWords},
};

const Row &rowOf(ReduceOperation operation) { return table[unsigned(operation)]; }

bool contains(uint32_t types, ElementType type) {
  return unsigned(type) < element_types && (types >> unsigned(type) & 1);
}

/// How a floating-point type is made up; all have an IEEE layout.
struct Format {
  int exponentBits;
  int mantissaBits;

  uint64_t sign() const { return uint64_t(1) << (exponentBits + mantissaBits); }
  uint64_t infinity() const { return ((uint64_t(1) << exponentBits) - 1) << mantissaBits; }
  int leastExponent() const { return 2 - (1 << (exponentBits - 1)); }
  bool isNan(uint64_t bits) const { return (bits & (sign() - 1)) > infinity(); }
  bool isInfinite(uint64_t bits) const { return (bits & (sign() - 1)) == infinity(); }
  bool isSubnormal(uint64_t bits) const {
    return (bits & infinity()) == 0 && (bits & (sign() - 1)) != 0;
  }
  /// All bits set but the sign.
  uint64_t canonicalNan() const { return sign() - 1; }
};

constexpr Format formatOf(ElementType type) {
  return type == ElementType::f16    ? Format{5, 10}
         : type == ElementType::bf16 ? Format{8, 7}
         : type == ElementType::f64  ? Format{11, 52}
                                     : Format{8, 23};
}

/// The number that finite bits of at most 32 stand for.
double widen(Format format, uint64_t bits) {
  uint64_t mantissa = bits & ((uint64_t(1) << format.mantissaBits) - 1);
  int field = int((bits & format.infinity()) >> format.mantissaBits);
  if (field > 0)
    mantissa |= uint64_t(1) << format.mantissaBits;
  double magnitude = std::ldexp(double(mantissa), std::max(field, 1) - 1 + format.leastExponent() -
                                                      format.mantissaBits);
  return bits & format.sign() ? -magnitude : magnitude;
}

/// The bits of the nearest number, of two equally near ones the even.
uint64_t narrow(Format format, double value) {
  const uint64_t sign = std::signbit(value) ? format.sign() : 0;
  const double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), format.leastExponent());
  double steps = std::ldexp(magnitude, format.mantissaBits - exponent);
  uint64_t whole = uint64_t(steps);
  double rest = steps - double(whole);
  if (rest > 0.5 || (rest == 0.5 && whole % 2 == 1))
    ++whole;
  // A whole mantissa carries into the exponent, as it should.
  uint64_t bits = whole + (uint64_t(exponent - format.leastExponent()) << format.mantissaBits);
  return sign | std::min(bits, format.infinity());
}

uint64_t addDouble(uint64_t old, uint64_t operand) {
  constexpr Format format = formatOf(ElementType::f64);
  // Unlike in narrower types, a NaN goes through as it is.
  if (format.isNan(operand))
    return operand;
  if (format.isNan(old))
    return old;
  if (format.isInfinite(old) && format.isInfinite(operand) && old != operand)
    return 0xfff8000000000000;
  double a, b;
  std::memcpy(&a, &old, sizeof(a));
  std::memcpy(&b, &operand, sizeof(b));
  a += b;
  std::memcpy(&old, &a, sizeof(a));
  return old;
}

/// The sum of two numbers of at most 32 bits: a double has more than twice their
/// bits and two to spare, so that rounding twice is rounding once.
uint64_t addFloat(Format format, uint64_t old, uint64_t operand) {
  if (format.isNan(old) || format.isNan(operand))
    return format.canonicalNan();
  if (format.isInfinite(old) && format.isInfinite(operand))
    return old == operand ? old : format.canonicalNan();
  if (format.isInfinite(old) || format.isInfinite(operand))
    return format.isInfinite(old) ? old : operand;
  return narrow(format, widen(format, old) + widen(format, operand));
}

uint64_t flushed(Format format, uint64_t bits) {
  return format.isSubnormal(bits) ? bits & format.sign() : bits;
}

uint64_t add(ElementType type, uint64_t old, uint64_t operand) {
  if (type == ElementType::f64)
    return addDouble(old, operand);
  if (!is_floating(type))
    return old + operand;
  const Format format = formatOf(type);
  if (type == ElementType::f32_ftz || type == ElementType::tf32_ftz)
    return flushed(format, addFloat(format, flushed(format, old), flushed(format, operand)));
  return addFloat(format, old, operand);
}

/// -1, 0 or 1 as one number is less than, equal to or greater than the other.
/// Floating-point numbers are ordered by magnitude and sign, -0 before 0.
bool isLess(ElementType type, uint64_t a, uint64_t b) {
  const uint64_t sign = uint64_t(1) << (bits_of(type) - 1);
  const bool isSigned = type == ElementType::i32 || type == ElementType::i64;
  if (is_floating(type)) {
    if ((a ^ b) & sign)
      return a & sign;
    return a & sign ? a > b : a < b;
  }
  return isSigned ? (a ^ sign) < (b ^ sign) : a < b;
}

uint64_t extreme(ElementType type, uint64_t old, uint64_t operand, bool least) {
  if (is_floating(type)) {
    const Format format = formatOf(type);
    if (format.isNan(old) && format.isNan(operand))
      return format.canonicalNan();
    if (format.isNan(old) || format.isNan(operand))
      return format.isNan(old) ? operand : old;
  }
  return isLess(type, operand, old) == least ? operand : old;
}

} // namespace

const char *nameOf(ReduceOperation operation) { return rowOf(operation).name; }

bool isReducibleTensor(ReduceOperation operation, ElementType type) {
  return contains(rowOf(operation).tensor, type);
}

bool isReducibleBulk(ReduceOperation operation, ElementType type) {
  return contains(rowOf(operation).bulk, type);
}

bool isReducibleShared(ReduceOperation operation, ElementType type) {
  return contains(rowOf(operation).shared, type);
}

uint64_t reduced(ReduceOperation operation, ElementType type, uint64_t old, uint64_t operand) {
  switch (operation) {
  case ReduceOperation::Add: return add(type, old, operand);
  case ReduceOperation::Min: return extreme(type, old, operand, true);
  case ReduceOperation::Max: return extreme(type, old, operand, false);
  case ReduceOperation::Inc: return old >= operand ? 0 : old + 1;
  case ReduceOperation::Dec: return old == 0 || old > operand ? operand : old - 1;
  case ReduceOperation::And: return old & operand;
  case ReduceOperation::Or: return old | operand;
  case ReduceOperation::Xor: return old ^ operand;
  }
  return old;
}

void reduceElements(ReduceOperation operation, ElementType type, uint8_t *target,
                    const uint8_t *operand, size_t bytes) {
  const size_t size = size_of(type);
  for (size_t at = 0; at + size <= bytes; at += size) {
    // Little-endian, as is every host that CUDA runs on.
    uint64_t a = 0, b = 0;
    std::memcpy(&a, target + at, size);
    std::memcpy(&b, operand + at, size);
    a = reduced(operation, type, a, b);
    std::memcpy(target + at, &a, size);
  }
}

} // namespace tilelift::emulator
