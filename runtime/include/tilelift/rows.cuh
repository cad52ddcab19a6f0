//===----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lifted kernels call to copy rows that are looked up one by one. Works under NVRTC.
//
// Each call is told by a function where a row is: the corner of a box of one row, or the
// address of its bytes. What says so is looked up for several rows at once, before the
// first of them is copied: nobody waits for memory row by row. Of a row that is not there
// the last coordinate is -1, or the address null; loaded, it is zeros, and it is not stored.
//
//   tilelift::load_rows<16, box::bytes>(tile, 256, map, ready, [&](int row) -> corner<2> {
//     return {{column, rows[first + row]}};
//   });
//
// Blackwell has instructions for four rows, gather4 and scatter4; elsewhere, and for what is
// left of a number that is no multiple of four, each row is an instruction of its own.
//===----------------------------------------------------------------------===//

#ifndef TILELIFT_ROWS_CUH
#define TILELIFT_ROWS_CUH

#include <tilelift/store.cuh>

/// gather4 is sm_100's and everybody's after it, scatter4 that of data centres.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && __cccl_ptx_isa >= 860
#define TILELIFT_HAS_GATHER4 1
#ifdef TILELIFT_IS_IN_DATA_CENTRES
#define TILELIFT_HAS_SCATTER4 1
#endif
#endif

namespace tilelift {

/// Whether the device has scatter4, which stores four rows at once. Looked-up rows of a tile that
/// do not all start on 128 bytes of shared memory can be stored through a map in no other way.
__device__ constexpr bool scatters_by_fours() {
#ifdef TILELIFT_HAS_SCATTER4
  return true;
#else
  return false;
#endif
}

/// Of two rows. The program's own `min` may be anything.
__device__ constexpr long long smaller(long long a, long long b) { return b < a ? b : a; }
__device__ constexpr long long larger(long long a, long long b) { return a < b ? b : a; }

/// Where a box starts, innermost dimension first.
template <int Rank> struct corner {
  int at[Rank];

  __device__ bool exists() const { return at[Rank - 1] >= 0; }
};

namespace detail {

/// What rows that are not there are loaded from, where only addresses count.
template <unsigned Bytes> __device__ uint4 zeros[Bytes / 16];

/// How many rows are looked up at once.
template <int Count, int Lanes>
constexpr int batch_of = Lanes > 1        ? (Count % 4 == 0 ? 4 : 1)
                         : Count % 8 == 0 ? 8
                         : Count % 4 == 0 ? 4
                         : Count < 8      ? Count
                                          : 1;

/// Calls `copy(first, places)` for so many rows, `Count` in all, by one thread or by the lanes of
/// a warp.
template <int Count, int Lanes, typename Where, typename Copy>
__device__ inline void by_batches(const Where &where, const Copy &copy) {
  constexpr int batch = batch_of<Count, Lanes>;
  int first = 0;
  if constexpr (Lanes > 1)
    first = int(ptx::get_sreg_laneid()) * batch;
#pragma unroll 1
  for (; first < Count; first += Lanes * batch) {
    decltype(where(0)) places[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i)
      places[i] = where(first + i);
    copy(first, places);
  }
}

/// Calls `copy(row, place)` for each row.
template <int Count, int Lanes, typename Where, typename Copy>
__device__ inline void one_by_one(const Where &where, const Copy &copy) {
  using place = decltype(where(0)); // NVRTC takes no generic lambda for the device's
  by_batches<Count, Lanes>(where, [&](int first, const place *places) {
#pragma unroll
    for (int i = 0; i < batch_of<Count, Lanes>; ++i)
      copy(first + i, places[i]);
  });
}

/// Of four places, all in one column.
struct row_numbers {
  int at[4];
};
__device__ inline row_numbers rows_of(const corner<2> *places) {
  return {{places[0].at[1], places[1].at[1], places[2].at[1], places[3].at[1]}};
}

#ifdef TILELIFT_HAS_GATHER4
template <typename Map>
__device__ inline void gather4_at(void *tile, const Map &map, const int (&at)[5], barrier &ready) {
  ptx::cp_async_bulk_tensor_tile_gather4(ptx::space_shared, ptx::space_global, tile, &map, at,
                                         &ready.word);
}

/// With .L2::cache_hint, which cuda::ptx does not have.
template <typename Map>
__device__ inline void gather4_at(void *tile, const Map &map, const int (&at)[5], barrier &ready,
                                  cache_policy policy) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::"
               "bytes.L2::cache_hint [%0], [%1, {%2, %3, %4, %5, %6}], [%7], %8;" ::"r"(
                   shared_address(tile)),
               "l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]),
               "r"(shared_address(&ready.word)), "l"(static_cast<unsigned long long>(policy))
               : "memory");
}
#endif

#ifdef TILELIFT_HAS_SCATTER4
template <typename Map>
__device__ inline void scatter4_at(const Map &map, const int (&at)[5], const void *tile) {
  ptx::cp_async_bulk_tensor_tile_scatter4(ptx::space_global, ptx::space_shared, &map, at, tile);
}

template <typename Map>
__device__ inline void scatter4_at(const Map &map, const int (&at)[5], const void *tile,
                                   cache_policy policy) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"
               ".L2::cache_hint [%0, {%1, %2, %3, %4, %5}], [%6], %7;" ::"l"(&map),
               "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]),
               "r"(shared_address(tile)), "l"(static_cast<unsigned long long>(policy))
               : "memory");
}
#endif

} // namespace detail

/// Loads four rows of a tensor with two dimensions, from a column on, one behind the other into
/// `tile`: the instruction, for kernels that are written by hand. The map's box is one row; the
/// barrier expects gather4_bytes.
template <int Count, typename Map, typename... Policy>
__device__ inline void gather4(void *tile, const Map &map, int column, const int (&rows)[Count],
                               barrier &ready, Policy... policy) {
  static_assert(Count == 4, "gather4 takes four rows");
#ifdef TILELIFT_HAS_GATHER4
  const int at[5] = {column, rows[0], rows[1], rows[2], rows[3]};
  detail::gather4_at(tile, map, at, ready, policy...);
#elif defined(__CUDA_ARCH__)
  static_assert(Count < 0, "gather4 needs compute capability 10.0; load_rows runs everywhere");
#endif
}

/// Stores four rows, for kernels that are written by hand. If two rows go to the same place, it is
/// undefined which of them is stored last.
template <int Count, typename Map, typename... Policy>
__device__ inline void scatter4(const Map &map, int column, const int (&rows)[Count],
                                const void *tile, Policy... policy) {
  static_assert(Count == 4, "scatter4 takes four rows");
#ifdef TILELIFT_HAS_SCATTER4
  const int at[5] = {column, rows[0], rows[1], rows[2], rows[3]};
  detail::scatter4_at(map, at, tile, policy...);
#elif defined(__CUDA_ARCH__)
  static_assert(Count < 0,
                "scatter4 needs sm_100a, sm_103a or sm_110a; store_rows runs everywhere");
#endif
}

/// Whether a condition holds of all rows.
template <int Count, typename Condition>
__device__ inline bool in_all_rows(const Condition &condition) {
  bool holds = true;
  for (int row = 0; row < Count && holds; ++row)
    holds = condition(row);
  return holds;
}

namespace detail {

/// Whether two boxes of these extents overlap.
template <int... Extents, int Rank>
__device__ inline bool meet(const corner<Rank> &a, const corner<Rank> &b) {
  constexpr int extents[] = {Extents...};
  bool overlaps = a.exists() && b.exists();
#pragma unroll
  for (int d = 0; d < Rank; ++d)
    overlaps &= abs(a.at[d] - b.at[d]) < extents[d];
  return overlaps;
}

/// Whether two stretches of so many bytes each overlap.
template <int Bytes> __device__ inline bool meet(const void *a, const void *b) {
  const long long distance = static_cast<const char *>(a) - static_cast<const char *>(b);
  return a && b && distance < Bytes && -distance < Bytes;
}

/// What another lane of a whole warp has.
template <int Rank> __device__ inline corner<Rank> of_lane(int lane, const corner<Rank> &own) {
  corner<Rank> result;
#pragma unroll
  for (int d = 0; d < Rank; ++d)
    result.at[d] = __shfl_sync(~0u, own.at[d], lane);
  return result;
}
__device__ inline const void *of_lane(int lane, const void *own) {
  const unsigned long long address = reinterpret_cast<unsigned long long>(own);
  return reinterpret_cast<const void *>(__shfl_sync(~0u, address, lane));
}

/// Marks a place as that of no row.
template <int Rank> __device__ inline void leave(corner<Rank> &place) { place.at[Rank - 1] = -1; }
__device__ inline void leave(const void *&place) { place = nullptr; }

/// A hash of a place, counted in whole boxes from some other place. If all places are whole boxes
/// away from that one (`is_whole`), two boxes overlap only if they are the same box, and equal
/// boxes have equal hashes. Different boxes may have equal hashes, too, and then count as
/// overlapping.
struct place_key {
  unsigned number = 0;
  bool exists = true, is_whole = true;

  __device__ void add(long long distance, int extent) {
    is_whole &= distance % extent == 0;
    number = number * 0x9E3779B1u + unsigned(distance / extent);
  }
};
template <int... Extents, int Rank>
__device__ inline place_key key_of(const corner<Rank> &place, const corner<Rank> &other) {
  constexpr int extents[] = {Extents...};
  place_key key;
  key.exists = place.exists();
#pragma unroll
  for (int d = 0; d < Rank; ++d)
    key.add(place.at[d] - (long long)other.at[d], extents[d]);
  return key;
}
template <int Bytes> __device__ inline place_key key_of(const void *place, const void *other) {
  place_key key;
  key.exists = place != nullptr;
  key.add(static_cast<const char *>(place) - static_cast<const char *>(other), Bytes);
  return key;
}

/// Which of a block's threads compare: whole warps, each of which takes some of the pairs.
struct warps {
  unsigned own, count;
};

/// How the values of two lanes are compared: numbers by themselves, and places by the bytes there.
struct by_number {
  __device__ static unsigned of_lane(int lane, unsigned own) { return __shfl_sync(~0u, own, lane); }
  __device__ static bool differ(unsigned a, unsigned b) { return a != b; }
};
template <int... Sizes> struct by_bytes {
  template <typename Place> __device__ static Place of_lane(int lane, const Place &own) {
    return detail::of_lane(lane, own);
  }
  template <typename Place> __device__ static bool differ(const Place &a, const Place &b) {
    return !meet<Sizes...>(a, b);
  }
};

/// Whether values differ, those of a lane and those of the lanes behind it, up to half of the warp
/// away: the others compare the rest. Of the distances, each warp takes some.
template <int Farthest, typename Compared, int Each, typename Value>
__device__ inline bool differ_in_warp(warps among, const Value (&own)[Each]) {
  const unsigned lane = ptx::get_sreg_laneid();
  bool all = true;
#pragma unroll
  for (int i = 0; i < Each; ++i)
#pragma unroll
    for (int j = 0; j < i; ++j)
      all &= Compared::differ(own[i], own[j]);
  for (unsigned away = 1 + among.own; away <= Farthest; away += among.count)
#pragma unroll
    for (int j = 0; j < Each; ++j) {
      const Value other = Compared::of_lane((lane + away) % 32, own[j]);
#pragma unroll
      for (int i = 0; i < Each; ++i)
        all &= Compared::differ(own[i], other);
    }
  return all;
}

/// Whether no pair of rows that this thread compares overlaps; the threads of the block together
/// compare all pairs. This is for blocks of whole warps: each warp looks each row up once, in one
/// of its lanes. If all rows are whole boxes apart, their keys are compared, otherwise their
/// places.
template <int Count, int... Sizes, typename Where>
__device__ inline bool are_apart_for_warp(warps among, const Where &where) {
  constexpr int each = (Count + 31) / 32, farthest = Count < 17 ? Count - 1 : 16;
  const int lane = int(ptx::get_sreg_laneid());
  decltype(where(0)) own[each];
  unsigned keys[each];
  bool is_whole = true;
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int row = lane + 32 * i;
    if (row < Count)
      own[i] = where(row);
    else
      leave(own[i]);
  }
  const auto first = of_lane(0, own[0]);
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const place_key key = key_of<Sizes...>(own[i], first);
    is_whole &= !key.exists || key.is_whole;
    keys[i] = key.exists ? key.number : 1u << 31 | (lane + 32 * i);
  }
  if (__all_sync(~0u, is_whole))
    return differ_in_warp<farthest, by_number>(among, keys);
  return differ_in_warp<farthest, by_bytes<Sizes...>>(among, own);
}

/// The same where the last warp is not whole: each thread compares some rows with all before them.
template <int Count, int... Sizes, typename Where>
__device__ inline bool are_apart_for_thread(unsigned own, unsigned count, const Where &where) {
  bool apart = true;
  for (int row = own; row < Count && apart; row += count) {
    const auto place = where(row);
    for (int other = 0; other < row && apart; ++other)
      apart = !meet<Sizes...>(place, where(other));
  }
  return apart;
}

/// A barrier of the program's own threads, and whether something holds for all of them.
__device__ inline bool holds_for_all(unsigned threads, bool holds) {
  if (threads == blockDim.x * blockDim.y * blockDim.z)
    return __syncthreads_and(holds);
  int all;
  asm volatile("{\n .reg .pred own, all;\n setp.ne.s32 own, %2, 0;\n"
               " barrier.cta.red.and.pred all, 1, %1, own;\n selp.s32 %0, 1, 0, all;\n}"
               : "=r"(all)
               : "r"(threads), "r"(int(holds))
               : "memory");
  return all;
}

} // namespace detail

/// Whether no two rows are stored in one place, even in part: TMA keeps no order between them, and
/// the last one would have to stay. All of the program's threads call it, share the pairs, and
/// meet as at a barrier.
template <int Count, int... Sizes, typename Where>
__device__ inline bool are_apart(block_size block, const Where &where) {
  const unsigned threads = block.x * block.y * block.z, own = detail::number_in_block();
  return detail::holds_for_all(
      threads, threads % 32 == 0
                   ? detail::are_apart_for_warp<Count, Sizes...>({own / 32, threads / 32}, where)
                   : detail::are_apart_for_thread<Count, Sizes...>(own, threads, where));
}

/// Copies a box of `Bytes` bytes for each row. The first row goes to `tile`, each further one
/// `distance` bytes behind the one before.
/// All `Lanes` of a warp call it, or one thread.
template <int Count, unsigned Bytes, int Lanes = 1, typename Map, typename Where,
          typename... Policy>
__device__ inline void load_rows(void *tile, int distance, const Map &map, barrier &ready,
                                 const Where &where, Policy... policy) {
  using place = decltype(where(0));
  detail::by_batches<Count, Lanes>(where, [&](int first, const place *places) {
    constexpr int batch = detail::batch_of<Count, Lanes>;
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      void *const to = advance(tile, (first + i) * distance);
#ifdef TILELIFT_HAS_GATHER4
      if constexpr (batch % 4 == 0 && sizeof(places[0]) == sizeof(corner<2>)) {
        if (distance == int(Bytes)) {
          if (i % 4 == 0)
            gather4(to, map, places[i].at[0], detail::rows_of(&places[i]).at, ready, policy...);
          continue;
        }
      }
#endif
      load(to, map, places[i].at, ready, policy...);
    }
  });
}

/// The same for bytes, wherever each row starts.
template <int Count, unsigned Bytes, int Lanes = 1, typename Where, typename... Policy>
__device__ inline void load_byte_rows(void *tile, int distance, barrier &ready, const Where &where,
                                      Policy... policy) {
  detail::one_by_one<Count, Lanes>(where, [&](int row, const void *from) {
    load_bytes(advance(tile, row * distance), from ? from : detail::zeros<Bytes>, Bytes, ready,
               policy...);
  });
}

namespace detail {
/// True. Stores ask for it beside their own conditions, so that these are conditions of a lane:
/// under one of the whole warp, ptxas (13.0 to 13.5) has guarded a coordinate of the store by a
/// register that nobody sets (test/gpu/guards.py finds that).
__device__ inline bool is_active() { return __activemask() >> ptx::get_sreg_laneid() & 1; }
} // namespace detail

/// Stores the rows that are there. If two rows go to the same place, it is undefined which of them
/// is stored last.
template <int Count, unsigned Bytes, typename Map, typename Where, typename... Policy>
__device__ inline void store_rows(const void *tile, int distance, const Map &map,
                                  const Where &where, Policy... policy) {
  using place = decltype(where(0));
  const bool is_active = detail::is_active();
  detail::by_batches<Count, 1>(where, [&](int first, const place *places) {
    constexpr int batch = detail::batch_of<Count, 1>;
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      const void *const from = row_at(tile, (first + i) * distance);
#ifdef TILELIFT_HAS_SCATTER4
      if constexpr (batch % 4 == 0 && sizeof(places[0]) == sizeof(corner<2>)) {
        const int four = i / 4 * 4;
        const bool together = distance == int(Bytes) && places[four].exists() &&
                              places[four + 1].exists() && places[four + 2].exists() &&
                              places[four + 3].exists();
        if (together) {
          if (i == four)
            scatter4(map, places[i].at[0], detail::rows_of(&places[i]).at, from, policy...);
          continue;
        }
      }
#endif
      if (is_active && places[i].exists())
        store(map, places[i].at, from, policy...);
    }
  });
}

template <int Count, unsigned Bytes, typename Where, typename... Policy>
__device__ inline void store_byte_rows(const void *tile, int distance, const Where &where,
                                       Policy... policy) {
  const bool is_active = detail::is_active();
  detail::one_by_one<Count, 1>(where, [&](int row, const void *to) {
    if (is_active && to)
      store_bytes(to, row_at(tile, row * distance), Bytes, policy...);
  });
}

/// Combines rows that are there.
template <int Count, unsigned Bytes, typename Operation, typename Map, typename Where>
__device__ inline void reduce_rows(Operation operation, const void *tile, int distance,
                                   const Map &map, const Where &where) {
  using corner_type = decltype(where(0));
  const bool is_active = detail::is_active();
  detail::one_by_one<Count, 1>(where, [&](int row, const corner_type &place) {
    if (is_active && place.exists())
      reduce(operation, map, place.at, row_at(tile, row * distance));
  });
}

template <typename Number, int Count, unsigned Bytes, typename Operation, typename Where>
__device__ inline void reduce_byte_rows(Operation operation, const void *tile, int distance,
                                        const Where &where) {
  const bool is_active = detail::is_active();
  detail::one_by_one<Count, 1>(where, [&](int row, const void *to) {
    if (is_active && to)
      reduce_bytes<Number>(operation, to, row_at(tile, row * distance), Bytes);
  });
}

} // namespace tilelift

#endif
