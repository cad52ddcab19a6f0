#pragma once

namespace config {
constexpr int rows = 8;
template <typename T> struct Lengths {
  static constexpr int columns = 128 / sizeof(T);
};
} // namespace config
enum { halves = 2 };
enum class Layout { rows = 3, columns };
struct Pixel {
  float red, green;
};
