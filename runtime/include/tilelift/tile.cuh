//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared-memory tiles whose rows, and the parts of swizzled rows, lie where TMA puts them.
//
// A box starts and ends on 16 bytes of global memory, so a tile with a halo has
// a few elements at each end of a row that are not the user's. `tile[r][c]`
// skips them: kernels index a tile<float[20][132], 136, 2> as if it were the
// float[20][132] that they declared, and a flat_tile as if it were a float[2640].
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_TILE_CUH
#define TILELIFT_TILE_CUH

namespace tilelift {

namespace detail {

/// Rows of an array type, its innermost extent and its element.
template <typename Array> struct shape;
template <typename T, decltype(sizeof(0)) N> struct shape<T[N]> {
  using element = T;
  static constexpr int columns = N;
  static constexpr int rows = 1;
  static constexpr int dims = 1;
};
template <typename T, decltype(sizeof(0)) N, decltype(sizeof(0)) M> struct shape<T[N][M]> {
  using inner = shape<T[M]>;
  using element = typename inner::element;
  static constexpr int columns = inner::columns;
  static constexpr int rows = int(N) * inner::rows;
  static constexpr int dims = 1 + inner::dims;
};

/// One subscript after the other, down to a pointer into one row.
template <typename Array, int Pitch, int Lead> struct view;
template <typename T, decltype(sizeof(0)) N, decltype(sizeof(0)) M, int Pitch, int Lead>
struct view<T[N][M], Pitch, Lead> {
  T *row;
  template <typename Index> __device__ T *operator[](Index index) const {
    return row + index * Pitch + Lead;
  }
};
template <typename T, decltype(sizeof(0)) N, decltype(sizeof(0)) M, decltype(sizeof(0)) K,
          int Pitch, int Lead>
struct view<T[N][M][K], Pitch, Lead> {
  using below = view<T[M][K], Pitch, Lead>;
  typename shape<T[M][K]>::element *row;
  template <typename Index> __device__ below operator[](Index index) const {
    return {row + index * (shape<T[M][K]>::rows * Pitch)};
  }
};

} // namespace detail

/// An Array in shared memory with rows of Pitch elements; the user's elements
/// start at Lead in each row. It has room for at least Least elements, for boxes
/// that reach past the last row.
template <typename Array, int Pitch, int Lead, int Least = 0> struct alignas(128) tile {
  using shape = detail::shape<Array>;
  using element = typename shape::element;
  static_assert(Lead >= 0 && Pitch > 0, "a row starts inside the tile");

  static constexpr int grain = sizeof(element) >= 16 ? 1 : 16 / int(sizeof(element));
  static constexpr int used = Lead + (shape::rows - 1) * Pitch + shape::columns;
  static constexpr int box = shape::rows * Pitch > Least ? shape::rows *Pitch : Least;
  static constexpr int whole = box > used ? box : used;
  element storage[(whole + grain - 1) / grain * grain];

  template <typename Index> __device__ decltype(auto) operator[](Index index) {
    return detail_at(static_cast<Array *>(nullptr), index);
  }
  __device__ void *data() { return storage; }

private:
  template <typename T, decltype(sizeof(0)) N, typename Index>
  __device__ T &detail_at(T (*)[N], Index index) {
    return storage[index + Lead];
  }
  template <typename T, decltype(sizeof(0)) N, decltype(sizeof(0)) M, typename Index>
  __device__ decltype(auto) detail_at(T (*)[N][M], Index index) {
    return detail::view<T[N][M], Pitch, Lead>{storage}[index];
  }
};

/// The same for a tile that was declared as one long row: tile[i] is the i-th of the
/// user's elements, counted through the rows.
template <typename Array, int Pitch, int Lead, int Least = 0>
struct flat_tile : tile<Array, Pitch, Lead, Least> {
  using rows = tile<Array, Pitch, Lead, Least>;

  template <typename Index> __device__ typename rows::element &operator[](Index index) {
    constexpr int columns = rows::shape::columns;
    return this->storage[index / columns * Pitch + index % columns + Lead];
  }
};

namespace detail {

/// Where the elements of a swizzled tile lie. The 16-byte parts of a row of Span bytes change
/// places, in the next row in another way. Longer rows are cut: the parts of all Rows that
/// belong together lie one behind the other.
template <typename T, int Rows, int Pitch, int Lead, int Span> struct swizzle {
  static constexpr bool is_cut = Pitch * int(sizeof(T)) > Span;
  static constexpr int panel = (Rows * Span + 127) / 128 * 128;

  static __device__ T &at(T *storage, int row, int column) {
    unsigned bytes = unsigned(column + Lead) * unsigned(sizeof(T));
    if (is_cut)
      bytes = bytes / Span * panel + bytes % Span;
    bytes += unsigned(row) * unsigned(is_cut ? Span : Pitch * int(sizeof(T)));
    return *reinterpret_cast<T *>(reinterpret_cast<char *>(storage) +
                                  (bytes ^ (bytes >> 3 & (Span - 16))));
  }
};

/// One subscript after the other, down to an element.
template <typename Array, typename Swizzle> struct swizzled_view;
template <typename T, decltype(sizeof(0)) N, typename Swizzle> struct swizzled_view<T[N], Swizzle> {
  T *storage;
  int row;
  template <typename Index> __device__ T &operator[](Index index) const {
    return Swizzle::at(storage, row, int(index));
  }
};
template <typename T, decltype(sizeof(0)) N, decltype(sizeof(0)) M, typename Swizzle>
struct swizzled_view<T[N][M], Swizzle> {
  using below = swizzled_view<T[M], Swizzle>;
  typename shape<T[M]>::element *storage;
  int row;
  template <typename Index> __device__ decltype(auto) operator[](Index index) const {
    return below{storage, row + int(index) * shape<T[M]>::rows};
  }
};

} // namespace detail

/// The same as a tile, with the rows of TMA's swizzle of Span bytes. It starts where all
/// of the swizzle's bits of an address are zero.
template <typename Array, int Pitch, int Lead, int Span, int Least = 0>
struct alignas(8 * Span) swizzled_tile : tile<Array, Pitch, Lead, Least> {
  using shape = detail::shape<Array>;
  using element = typename shape::element;
  using swizzle = detail::swizzle<element, shape::rows, Pitch, Lead, Span>;
  static_assert(sizeof(element) <= 16, "a swizzle keeps 16 bytes together");

  template <typename Index> __device__ decltype(auto) operator[](Index index) {
    return detail::swizzled_view<Array, swizzle>{this->storage, 0}[index];
  }
};
template <typename Array, int Pitch, int Lead, int Span, int Least = 0>
struct alignas(8 * Span) swizzled_flat_tile : tile<Array, Pitch, Lead, Least> {
  using shape = detail::shape<Array>;
  using element = typename shape::element;
  using swizzle = detail::swizzle<element, shape::rows, Pitch, Lead, Span>;

  template <typename Index> __device__ element &operator[](Index index) {
    return swizzle::at(this->storage, int(index) / shape::columns, int(index) % shape::columns);
  }
};

namespace detail {

/// Stands for an element of a transposed tile. Its address is taken to read as many elements at
/// once as a vector has, which lie in as many rows of memory: `*(const float4 *)&tile[r][c]`.
template <typename View, typename Index, typename Element, int Count> struct elements_across {
  View view;
  Index column;
  int row;
  alignas(sizeof(Element) * Count) Element read[Count];

  __device__ Element *operator&() {
    for (int i = 0; i < Count; ++i)
      read[i] = view[row + i][column];
    return read;
  }
  __device__ operator Element() const { return view[row][column]; }
  __device__ void operator=(Element value) { view[row][column] = value; }
};

/// A row of a transposed tile is a column of what lies in memory.
template <typename View, typename Index, typename Element, int Count> struct column_of {
  View view;
  Index column;
  template <typename Row> __device__ decltype(auto) operator[](Row row) const {
    if constexpr (Count == 1)
      return view[row][column];
    else
      return elements_across<View, Index, Element, Count>{view, column, int(row), {}};
  }
};
/// What is left to subscript of a transposed tile: Dims dimensions.
template <int Dims, typename View, typename Element, int Count> struct transposed_view {
  View view;
  template <typename Index> __device__ auto operator[](Index index) const {
    if constexpr (Dims == 2)
      return column_of<View, Index, Element, Count>{view, index};
    else
      return transposed_view<Dims - 1, decltype(view[index]), Element, Count>{view[index]};
  }
};

} // namespace detail

/// A tile whose last two subscripts are those of Tile in the other order: its columns are the rows
/// that TMA brings. If Count is not 1, so many elements of a row are read at once.
template <typename Tile, int Count = 1> struct transposed : Tile {
  template <typename Index> __device__ auto operator[](Index index) {
    using element = typename Tile::element;
    return detail::transposed_view<Tile::shape::dims, Tile &, element, Count>{*this}[index];
  }
};

/// A tile of a ring that keeps its layout; TMA wants each of them to be aligned.
template <typename Tile, int Alignment = 128> struct alignas(Alignment) slot {
  Tile value;
};

/// The tiles of a ring in dynamic shared memory.
template <typename Tile, int Stages>
__device__ inline Tile (&tiles(unsigned char *memory))
    [Stages] { return *reinterpret_cast<Tile(*)[Stages]>(memory); }

} // namespace tilelift

#endif
