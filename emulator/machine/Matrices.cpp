//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix instructions of a warp. The fragments of mma and ldmatrix lie as PTX
// says; those of wmma, which PTX leaves open, by rows over the lanes.
//
// Products are summed in double and rounded once at the end: tensor cores round
// in ways of their own, which nobody documents.
//===----------------------------------------------------------------------===//

#include "machine/Access.h"
#include "machine/Collectives.h"
#include "machine/Element.h"

#include <cmath>
#include <cstring>

namespace tilelift::emulator {

namespace {

uint32_t bitsOf(MatrixType type) {
  switch (type) {
  case MatrixType::f64: return 64;
  case MatrixType::f16:
  case MatrixType::bf16: return 16;
  case MatrixType::s8:
  case MatrixType::u8: return 8;
  default: return 32;
  }
}

double valueOf(uint64_t bits, MatrixType type) {
  auto as = [&](auto kind) {
    std::memcpy(&kind, &bits, sizeof kind);
    return double(kind);
  };
  switch (type) {
  case MatrixType::f16: return fromHalf(uint16_t(bits));
  case MatrixType::bf16: return fromBfloat(uint16_t(bits));
  case MatrixType::tf32: return as(float()) == 0 ? 0 : fromFormat(bits & 0xffffe000, Format::tf32);
  case MatrixType::f32: return as(float());
  case MatrixType::f64: return as(double());
  case MatrixType::s8: return as(int8_t());
  case MatrixType::u8: return as(uint8_t());
  case MatrixType::s32: return as(int32_t());
  }
  return 0;
}

uint64_t bitsFor(double value, MatrixType type) {
  auto from = [](auto number) {
    uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof number);
    return bits;
  };
  switch (type) {
  case MatrixType::f16: return toFormat(value, Format::f16);
  case MatrixType::bf16: return toFormat(value, Format::bf16);
  case MatrixType::f64: return from(value);
  case MatrixType::s32: return from(int32_t(int64_t(value))); // wraps around
  default: return from(float(value));
  }
}

/// A fragment is an array of words; elements lie in it one after the other.
uint64_t element(const uint32_t *words, uint32_t index, uint32_t bits) {
  uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const char *>(words) + index * bits / 8, bits / 8);
  return value;
}
void setElement(uint32_t *words, uint32_t index, uint32_t bits, uint64_t value) {
  std::memcpy(reinterpret_cast<char *>(words) + index * bits / 8, &value, bits / 8);
}

struct Matrix {
  uint32_t rows, columns;
  std::vector<double> values = std::vector<double>(size_t(rows) * columns);
  double &at(uint32_t row, uint32_t column) { return values[size_t(row) * columns + column]; }
};

struct Product {
  const MatrixShape *shape;
  uint32_t *d;
  const uint32_t *a, *b, *c;
};

double multiplied(Matrix &a, Matrix &b, uint32_t row, uint32_t column, double start) {
  double sum = start;
  for (uint32_t k = 0; k < a.columns; ++k)
    sum += a.at(row, k) * b.at(k, column);
  return sum;
}

// Fragments of mma. Four lanes hold a row: `group` is which, `inside` which of
// the four.

struct Place {
  uint32_t row, column;
};

Place placeInA(const MatrixShape &shape, uint32_t lane, uint32_t index) {
  uint32_t inRegister = std::max(32 / bitsOf(MatrixType(shape.a)), 1u);
  uint32_t number = index / inRegister;
  uint32_t half = shape.m == 16 ? number & 1 : 0, step = shape.m == 16 ? number >> 1 : number;
  return {lane / 4 + 8 * half, step * 4 * inRegister + lane % 4 * inRegister + index % inRegister};
}

Place placeInB(const MatrixShape &shape, uint32_t lane, uint32_t index) {
  uint32_t inRegister = std::max(32 / bitsOf(MatrixType(shape.b)), 1u);
  return {index / inRegister * 4 * inRegister + lane % 4 * inRegister + index % inRegister,
          lane / 4};
}

Place placeInC(uint32_t lane, uint32_t index) {
  return {lane / 4 + 8 * (index >> 1), lane % 4 * 2 + (index & 1)};
}

void multiplyFragments(Collective &group) {
  const MatrixShape &shape = *static_cast<Product *>(group.slots[0])->shape;
  Matrix a{shape.m, shape.k}, b{shape.k, shape.n}, c{shape.m, shape.n};
  MatrixType types[] = {MatrixType(shape.a), MatrixType(shape.b), MatrixType(shape.c),
                        MatrixType(shape.d)};
  auto each = [&](auto visit) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      visit(lane, *static_cast<Product *>(group.slots[lane]));
  };
  each([&](uint32_t lane, Product &own) {
    for (uint32_t i = 0; i < shape.m * shape.k / 32; ++i) {
      Place at = placeInA(shape, lane, i);
      a.at(at.row, at.column) = valueOf(element(own.a, i, bitsOf(types[0])), types[0]);
    }
    for (uint32_t i = 0; i < shape.k * shape.n / 32; ++i) {
      Place at = placeInB(shape, lane, i);
      b.at(at.row, at.column) = valueOf(element(own.b, i, bitsOf(types[1])), types[1]);
    }
    for (uint32_t i = 0; i < shape.m * shape.n / 32; ++i) {
      Place at = placeInC(lane, i);
      c.at(at.row, at.column) = valueOf(element(own.c, i, bitsOf(types[2])), types[2]);
    }
  });
  each([&](uint32_t lane, Product &own) {
    for (uint32_t i = 0; i < shape.m * shape.n / 32; ++i) {
      Place at = placeInC(lane, i);
      double sum = multiplied(a, b, at.row, at.column, c.at(at.row, at.column));
      setElement(own.d, i, bitsOf(types[3]), bitsFor(sum, types[3]));
    }
  });
}

// Fragments of wmma: element `e` of the matrix by rows is with lane e / n, the
// n elements of a lane are repeated where PTX has more registers.

struct OpenFragment {
  uint32_t rows, columns;
  MatrixType type;
  uint32_t perLane() const { return rows * columns / 32; }
  /// Elements that the registers of a lane have room for.
  uint32_t slots(bool isFactor) const {
    uint32_t own = perLane();
    bool isWideHalf = isFactor && type == MatrixType::f16;
    return isWideHalf ? 16 : own; // eight registers of two, always
  }
};

OpenFragment fragmentOf(const MatrixShape &shape, uint32_t which) {
  if (which == 0)
    return {shape.m, shape.k, MatrixType(shape.a)};
  if (which == 1)
    return {shape.k, shape.n, MatrixType(shape.b)};
  return {shape.m, shape.n, MatrixType(shape.c)};
}

void multiplyOpenFragments(Collective &group) {
  const MatrixShape &shape = *static_cast<Product *>(group.slots[0])->shape;
  Matrix a{shape.m, shape.k}, b{shape.k, shape.n};
  auto fill = [&](Matrix &matrix, MatrixType type, auto words) {
    uint32_t perLane = matrix.rows * matrix.columns / 32;
    for (uint32_t e = 0; e < matrix.rows * matrix.columns; ++e)
      matrix.values[e] = valueOf(element(words(*static_cast<Product *>(group.slots[e / perLane])),
                                         e % perLane, bitsOf(type)),
                                 type);
  };
  fill(a, MatrixType(shape.a), [](Product &own) { return own.a; });
  fill(b, MatrixType(shape.b), [](Product &own) { return own.b; });
  uint32_t perLane = shape.m * shape.n / 32;
  MatrixType c = MatrixType(shape.c), d = MatrixType(shape.d);
  for (uint32_t e = 0; e < shape.m * shape.n; ++e) {
    Product &own = *static_cast<Product *>(group.slots[e / perLane]);
    double start = valueOf(element(own.c, e % perLane, bitsOf(c)), c);
    setElement(own.d, e % perLane, bitsOf(d),
               bitsFor(multiplied(a, b, e / shape.n, e % shape.n, start), d));
  }
}

// ldmatrix and stmatrix: 8 x 8 matrices of two-byte elements, rows of 16 bytes.

struct Rows {
  uint64_t address;
  uint32_t *words;
};

/// Visits the elements of lane `lane` in matrix `number`: where, and which half.
template <typename Visit>
void eachElement(Thread &lane, Collective &group, uint32_t number, bool isTransposed, Visit visit) {
  for (uint32_t half = 0; half < 2; ++half) {
    uint32_t row = lane.laneid / 4, column = lane.laneid % 4 * 2 + half;
    if (isTransposed)
      std::swap(row, column);
    uint64_t start = static_cast<Rows *>(group.slots[number * 8 + row])->address;
    visit(start + column * 2, half);
  }
}

void moveMatrices(Thread *thread, Collective &group, uint32_t count, bool isTransposed, bool isLoad,
                  uint32_t site) {
  for (uint32_t i = 0; i < count * 8; ++i)
    if (static_cast<Rows *>(group.slots[i])->address % 16 != 0)
      misaligned(thread->warp->lanes[i], "a row of a matrix", 16, site);
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t number = 0; number < count; ++number) {
      Thread &own = *thread->warp->lanes[lane];
      uint32_t *word = static_cast<Rows *>(group.slots[lane])->words + number;
      eachElement(own, group, number, isTransposed, [&](uint64_t address, uint32_t half) {
        char *part = reinterpret_cast<char *>(word) + 2 * half;
        if (isLoad)
          std::memcpy(part, readShared(&own, address, 2, site), 2);
        else
          std::memcpy(writeShared(&own, address, 2, site), part, 2);
      });
    }
}

void matrices(Thread *thread, uint32_t count, uint32_t isTransposed, uint64_t address,
              uint32_t *words, bool isLoad, uint32_t site) {
  Rows slot = {address, words};
  together(thread, isLoad ? "ldmatrix" : "stmatrix", ~0u, &slot, site, [&](Collective &group) {
    moveMatrices(thread, group, count, isTransposed, isLoad, site);
  });
}

} // namespace

extern "C" {

void tilelift_ldmatrix(Thread *thread, uint32_t count, uint32_t isTransposed, uint64_t address,
                       uint32_t *words, uint32_t site) {
  matrices(thread, count, isTransposed, address, words, true, site);
}
void tilelift_stmatrix(Thread *thread, uint32_t count, uint32_t isTransposed, uint64_t address,
                       uint32_t *words, uint32_t site) {
  matrices(thread, count, isTransposed, address, words, false, site);
}

/// Transposes a matrix that lies in the registers of the warp.
uint32_t tilelift_movmatrix(Thread *thread, uint32_t value, uint32_t site) {
  struct Slot {
    uint32_t value, result;
  } slot = {value, 0};
  together(thread, "movmatrix", ~0u, &slot, site, [](Collective &group) {
    auto at = [&](uint32_t lane) { return static_cast<Slot *>(group.slots[lane]); };
    for (uint32_t row = 0; row < 8; ++row)
      for (uint32_t column = 0; column < 8; ++column) {
        uint32_t bits = at(column * 4 + row / 2)->value >> 16 * (row % 2) & 0xffff;
        at(row * 4 + column / 2)->result |= bits << 16 * (column % 2);
      }
  });
  return slot.result;
}

void tilelift_mma(Thread *thread, const MatrixShape *shape, uint32_t *d, const uint32_t *a,
                  const uint32_t *b, const uint32_t *c, uint32_t site) {
  if (shape->m == 8 && shape->k == 4 && MatrixType(shape->a) == MatrixType::f16)
    return notEmulated(thread, "mma.m8n8k4 of half", site);
  Product slot = {shape, d, a, b, c};
  together(thread, "mma", ~0u, &slot, site, multiplyFragments);
}

void tilelift_wmma(Thread *thread, const MatrixShape *shape, uint32_t *d, const uint32_t *a,
                   const uint32_t *b, const uint32_t *c, uint32_t site) {
  Product slot = {shape, d, a, b, c};
  together(thread, "wmma", ~0u, &slot, site, multiplyOpenFragments);
}

void tilelift_wmma_load(Thread *thread, const MatrixShape *shape, uint32_t which, uint32_t byRows,
                        uint64_t base, uint32_t stride, uint32_t *words, uint32_t site) {
  OpenFragment fragment = fragmentOf(*shape, which);
  uint32_t bits = bitsOf(fragment.type), bytes = bits / 8;
  stride = stride ? stride : byRows ? fragment.columns : fragment.rows;
  uint32_t perLane = fragment.perLane();
  for (uint32_t i = 0; i < fragment.slots(which < 2); ++i) {
    uint32_t e = thread->laneid * perLane + i % perLane;
    uint32_t row = e / fragment.columns, column = e % fragment.columns;
    uint64_t index = byRows ? uint64_t(row) * stride + column : uint64_t(column) * stride + row;
    uint64_t value = 0;
    std::memcpy(&value, readGeneric(thread, base + index * bytes, bytes, site), bytes);
    setElement(words, i, bits, value);
  }
}

void tilelift_wmma_store(Thread *thread, const MatrixShape *shape, uint32_t which, uint32_t byRows,
                         uint64_t base, uint32_t stride, const uint32_t *words, uint32_t site) {
  OpenFragment fragment = fragmentOf(*shape, which);
  uint32_t bits = bitsOf(fragment.type), bytes = bits / 8;
  stride = stride ? stride : byRows ? fragment.columns : fragment.rows;
  uint32_t perLane = fragment.perLane();
  for (uint32_t i = 0; i < perLane; ++i) {
    uint32_t e = thread->laneid * perLane + i;
    uint32_t row = e / fragment.columns, column = e % fragment.columns;
    uint64_t index = byRows ? uint64_t(row) * stride + column : uint64_t(column) * stride + row;
    uint64_t value = element(words, i, bits);
    std::memcpy(writeGeneric(thread, base + index * bytes, bytes, site), &value, bytes);
    if (thread->suspects)
      settleWrite(thread);
  }
}

} // extern "C"

} // namespace tilelift::emulator
