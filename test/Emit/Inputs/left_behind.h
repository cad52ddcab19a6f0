#pragma once
#define TILE 32
__host__ __device__ constexpr int columns_of_header() { return TILE; }
struct Layout {
  static constexpr int rows = TILE / 4;
};
