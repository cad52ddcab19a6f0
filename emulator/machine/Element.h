//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small numbers as CUDA has them, in the host's arithmetic, and as text.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_EMULATOR_MACHINE_ELEMENT_H
#define TILELIFT_EMULATOR_MACHINE_ELEMENT_H

#include <cstdint>
#include <string>

namespace tilelift::emulator {

double fromHalf(uint16_t bits);
double fromBfloat(uint16_t bits);

/// How a value goes to a format that has fewer bits.
enum class RoundingMode : uint32_t { nearest, zero, down, up, away };

/// A format with a sign, an exponent and a fraction. The numbers are those that
/// translated code uses.
enum class Format : uint32_t { f16, bf16, tf32, e4m3, e5m2, f32, f64 };

/// `value` in a format, rounded once; with `saturates`, what is too large
/// becomes the largest number.
uint64_t toFormat(double value, Format format, RoundingMode mode = RoundingMode::nearest,
                  bool saturates = false);
double fromFormat(uint64_t bits, Format format);

/// An element of an array of a type that the source names: "float", "__half".
std::string elementText(const std::string &type, uint32_t bytes, const char *place);

} // namespace tilelift::emulator

#endif
