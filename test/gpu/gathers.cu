// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are looked up one by one, loaded, stored and added.

#include "harness.cuh"

#include <cuda_fp16.h>

constexpr int Rows = 24, Columns = 64;

// What the threads make of a tile: a sum of their own for each row.
template <typename T, int Height, int Width>
__device__ unsigned mixed(T (&tile)[Height][Width], int width = Width) {
  unsigned sum = 0;
  for (int row = threadIdx.x; row < Height; row += blockDim.x)
    for (int i = 0; i < width; ++i)
      sum = sum * 31 + unsigned(tile[row][i]);
  return sum;
}

// Whatever the indices are: only addresses count.
__global__ void unguarded(unsigned *__restrict__ out, const unsigned *__restrict__ table,
                          const int *__restrict__ rows, int width) {
  __shared__ unsigned tile[Rows][Columns];
  const int first = blockIdx.x * Rows, column = blockIdx.y * Columns;
#pragma tma load
  for (int i = threadIdx.x; i < Rows * Columns; i += 128)
    tile[i / Columns][i % Columns] = table[rows[first + i / Columns] * width + column + i % Columns];
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = mixed(tile);
}

// A tail, rows that are none, and a table that ends within a tile.
__global__ void guarded(unsigned *__restrict__ out, const unsigned short *__restrict__ table,
                        const int *__restrict__ rows, int count, int height, int width) {
  __shared__ unsigned short tile[Rows][Columns];
  const int first = blockIdx.x * Rows, column = blockIdx.y * Columns;
#pragma tma load
  for (int i = threadIdx.x; i < Rows * Columns; i += 128) {
    const int row = first + i / Columns, c = column + i % Columns;
    unsigned short value = 0;
    if (row < count) {
      const int from = rows[row];
      if (from >= 0 && from < height && c < width)
        value = table[size_t(from) * width + c];
    }
    tile[i / Columns][i % Columns] = value;
  }
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = mixed(tile);
}

// Indices of 64 bits, as PyTorch has them, 16 bytes for each thread.
__global__ void wide(uint4 *__restrict__ out, const uint4 *__restrict__ table, const long long *__restrict__ rows,
                     int count, int width) {
  __shared__ uint4 tile[16][33];
  const int row = blockIdx.x * 16 + threadIdx.y;
#pragma tma load threads(32, 16)
  tile[threadIdx.y][threadIdx.x] = row < count ? table[rows[row] * width + threadIdx.x] : uint4{0, 0, 0, 0};
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * 32 + threadIdx.x] = tile[15 - threadIdx.y][31 - threadIdx.x];
}

// Experts take tokens of their own, several times each: the token is a quotient.
template <int Tokens>
__global__ void experts(unsigned *__restrict__ out, const __half *__restrict__ in, const int *__restrict__ sorted,
                        const int *__restrict__ offsets, int hidden, int top) {
  __shared__ unsigned short tile[Tokens][Columns];
  const int begin = offsets[blockIdx.y], end = offsets[blockIdx.y + 1];
  const auto *bits = reinterpret_cast<const unsigned short *>(in);
  unsigned sum = 0;
  for (int first = begin + blockIdx.x * Tokens; first < end; first += gridDim.x * Tokens)
    for (int k = 0; k < hidden; k += Columns) {
#pragma tma load
      for (int i = threadIdx.x; i < Tokens * Columns; i += 128) {
        const int slot = first + i / Columns;
        tile[i / Columns][i % Columns] =
            slot < end ? bits[sorted[slot] / top * hidden + k + i % Columns] : 0;
      }
      __syncthreads();
      sum = sum * 7 + mixed(tile);
      __syncthreads();
    }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = sum;
}

// Pages of a cache: what is looked up is a box.
__global__ void pages(unsigned *__restrict__ out, const unsigned *__restrict__ cache,
                      const int *__restrict__ table, int perSequence, int length) {
  __shared__ unsigned tile[32][32];
#pragma tma load
  for (int i = threadIdx.x; i < 32 * 32; i += 128) {
    const int token = blockIdx.x * 32 + i / 32;
    const int page = table[blockIdx.y * perSequence + blockIdx.x * 4 + i / 256];
    tile[i / 32][i % 32] = token < length ? cache[(page * 8 + i / 32 % 8) * 32 + i % 32] : 0;
  }
  __syncthreads();
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 128 + threadIdx.x] = mixed(tile);
}

// Rows of 128 bytes in the order in which ldmatrix would like them.
__global__ void swizzled(unsigned *__restrict__ out, const uint4 *__restrict__ table,
                         const int *__restrict__ rows, int count) {
  __shared__ alignas(1024) uint4 tile[32][8];
#pragma tma load
  for (int i = threadIdx.x; i < 32 * 8; i += 128) {
    const int row = i / 8, part = i % 8, from = rows[blockIdx.x * 32 + row];
    tile[row][part ^ row % 8] = from >= 0 && from < count ? table[from * 8 + part] : uint4{0, 0, 0, 0};
  }
  __syncthreads();
  unsigned sum = 0;
  for (int part = 0; part < 8; ++part) {
    const uint4 value = tile[threadIdx.x % 32][part ^ threadIdx.x % 8];
    sum = sum * 31 + (value.x ^ value.y * 3 ^ value.z * 5 ^ value.w * 7);
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The block finds out which rows it needs, and each thread knows its own.
__global__ void found(unsigned *__restrict__ out, const unsigned *__restrict__ table, const int *__restrict__ rows,
                      int count) {
  __shared__ int from[16];
  __shared__ unsigned tile[16][Columns];
  unsigned sum = 0;
  for (int first = blockIdx.x * 16; first < count; first += gridDim.x * 16) {
    if (threadIdx.x < 16)
      from[threadIdx.x] = first + threadIdx.x < count ? rows[count - 1 - first - threadIdx.x] : -1;
    __syncthreads();
#pragma tma load
    for (int i = threadIdx.x; i < 16 * Columns; i += 128)
      tile[i / Columns][i % Columns] = from[i / Columns] < 0 ? 0 : table[from[i / Columns] * Columns + i % Columns];
    __syncthreads();
    sum = sum * 7 + mixed(tile);
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The same on the way back, by the threads that know where.
__global__ void returned(unsigned *__restrict__ out, const unsigned *__restrict__ in, const int *__restrict__ rows) {
  __shared__ int to[16];
  __shared__ unsigned tile[16][Columns];
  for (int first = blockIdx.x * 16; first < 96; first += gridDim.x * 16) {
    if (threadIdx.x < 16)
      to[threadIdx.x] = rows[first + threadIdx.x];
    for (int i = threadIdx.x; i < 16 * Columns; i += 128)
      tile[i / Columns][i % Columns] = in[first * Columns + i] + 5;
    __syncthreads();
#pragma tma store
    for (int i = threadIdx.x; i < 16 * Columns; i += 128)
      out[to[i / Columns] * Columns + i % Columns] = tile[i / Columns][i % Columns];
    __syncthreads();
  }
}

// Back to where they belong; who is nobody's is left out.
__global__ void scattered(unsigned *__restrict__ out, const unsigned *__restrict__ in,
                          const int *__restrict__ rows, int count, int width) {
  __shared__ unsigned tile[Rows][Columns];
  const int first = blockIdx.x * Rows, column = blockIdx.y * Columns;
  for (int i = threadIdx.x; i < Rows * Columns; i += 128)
    tile[i / Columns][i % Columns] = in[(first + i / Columns) * width + column + i % Columns] * 3;
  __syncthreads();
#pragma tma store
  for (int i = threadIdx.x; i < Rows * Columns; i += 128)
    if (first + i / Columns < count && rows[first + i / Columns] >= 0)
      out[rows[first + i / Columns] * width + column + i % Columns] = tile[i / Columns][i % Columns];
}

// And added to what is there.
__global__ void combined(unsigned *__restrict__ out, const unsigned *__restrict__ in,
                         const unsigned *__restrict__ rows, int width) {
  __shared__ unsigned tile[Rows][Columns];
  const int first = blockIdx.x * Rows;
  for (int i = threadIdx.x; i < Rows * Columns; i += 128)
    tile[i / Columns][i % Columns] = in[(first + i / Columns) * width + i % Columns];
  __syncthreads();
#pragma tma reduce
  for (int i = threadIdx.x; i < Rows * Columns; i += 128)
    atomicAdd(&out[rows[first + i / Columns] * width + i % Columns], tile[i / Columns][i % Columns]);
}

// Ahead of their rounds: the same rows in each round, columns further on; the leader copies.
__global__ void ahead(unsigned *__restrict__ out, const unsigned *__restrict__ table,
                      const unsigned *__restrict__ factors, const int *__restrict__ rows, int count,
                      int width) {
  __shared__ unsigned tile[16][Columns], part[Columns];
  const int first = blockIdx.x * 16;
  unsigned sum = 0;
#pragma tma pipeline stages(3)
  for (int c0 = 0; c0 < width; c0 += Columns) {
#pragma tma load
    for (int i = threadIdx.x; i < 16 * Columns; i += 128)
      tile[i / Columns][i % Columns] =
          first + i / Columns < count ? table[rows[first + i / Columns] * width + c0 + i % Columns] : 0;
#pragma tma load
    for (int i = threadIdx.x; i < Columns; i += 128)
      part[i] = factors[c0 + i];
    __syncthreads();
    sum += mixed(tile) * part[threadIdx.x % Columns];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Other rows in each round, quotients of what is found, by all lanes of a warp of its own; a
// tile that is copied as a whole beside it, in some rounds.
template <int Height>
__global__ void by_warp(unsigned *__restrict__ out, const unsigned *__restrict__ table,
                        const int *__restrict__ rows, int rounds, int width) {
  __shared__ unsigned tile[Height][32], all[4][32];
  unsigned sum = 0;
#pragma tma pipeline stages(4) warp(producer)
  for (int k = 0; k < rounds; ++k) {
#pragma tma load
    for (int i = threadIdx.x; i < Height * 32; i += 64) {
      int from = rows[(blockIdx.x * rounds + k) * Height + i / 32];
      tile[i / 32][i % 32] = from >= 0 ? table[from / 2 * width + i % 32] : 0;
    }
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      sum = sum * 31 + tile[threadIdx.x % Height][i];
    if (k % 3 != 1) {
#pragma tma load
      for (int i = threadIdx.x; i < 128; i += 64)
        all[i / 32][i % 32] = table[(k * 4 + i / 32) * width + i % 32];
      __syncthreads();
      sum += all[threadIdx.x % 4][threadIdx.x / 2];
    }
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

template <typename T> void fill(const Buffer &buffer, const std::vector<T> &values) {
  CHECK(cudaMemcpy(buffer.as<T>(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
}

int main() {
  Buffer table(1 << 20, 3);
  // Which rows: none twice, and for loads some that are none.
  auto indices = [](int count, int height, bool holes, auto zero) {
    using Index = decltype(zero);
    std::vector<Index> rows(count);
    for (int i = 0; i < count; ++i)
      rows[i] = Index(holes && i % 5 == 3 ? (i % 2 ? -1 : height + i) : i * 37 % height);
    return rows;
  };
  auto test = [&](const std::string &name, auto rows, auto &&launch) {
    Buffer index(rows.size() * sizeof(rows[0]), 1), to(1 << 20, 4);
    fill(index, rows);
    launch(to.as<unsigned>(), index);
    report(name, to);
  };
  for (int width : {128, 192})
    test("unguarded " + std::to_string(width), indices(96, 101, false, 0), [&](unsigned *to, Buffer &index) {
      unguarded<<<dim3(4, width / Columns), 128>>>(to, table.as<unsigned>(), index.as<int>(), width);
    });
  for (auto [count, width] : {std::pair{96, 128}, {77, 200}, {3, 64}})
    test("guarded " + std::to_string(count), indices(count, 101, true, 0), [&, count = count, width = width](unsigned *to, Buffer &index) {
      guarded<<<dim3((count + Rows - 1) / Rows, (width + Columns - 1) / Columns), 128>>>(
          to, table.as<unsigned short>(), index.as<int>(), count, 101, width);
    });
  test("wide", indices(60, 101, false, 0ll), [&](unsigned *to, Buffer &index) {
    wide<<<4, dim3(32, 16)>>>(reinterpret_cast<uint4 *>(to), table.as<uint4>(), index.as<long long>(), 60, 40);
  });
  Buffer offsets(5 * sizeof(int), 1);
  fill(offsets, std::vector<int>{0, 30, 30, 75, 90});
  test("experts 16", indices(90, 200, false, 0), [&](unsigned *to, Buffer &index) {
    experts<16><<<dim3(2, 4), 128>>>(to, table.as<__half>(), index.as<int>(), offsets.as<int>(), 128, 2);
  });
  test("experts 20", indices(90, 200, false, 0), [&](unsigned *to, Buffer &index) {
    experts<20><<<dim3(1, 4), 128>>>(to, table.as<__half>(), index.as<int>(), offsets.as<int>(), 64, 4);
  });
  test("pages", indices(48, 60, false, 0), [&](unsigned *to, Buffer &index) {
    pages<<<dim3(3, 3), 128>>>(to, table.as<unsigned>(), index.as<int>(), 16, 90);
  });
  test("swizzled", indices(96, 200, true, 0), [&](unsigned *to, Buffer &index) {
    swizzled<<<3, 128>>>(to, table.as<uint4>(), index.as<int>(), 200);
  });
  test("found", indices(90, 101, false, 0), [&](unsigned *to, Buffer &index) {
    found<<<2, 128>>>(to, table.as<unsigned>(), index.as<int>(), 90);
  });
  test("returned", indices(96, 101, false, 0), [&](unsigned *to, Buffer &index) {
    returned<<<2, 128>>>(to, table.as<unsigned>(), index.as<int>());
  });
  test("ahead", indices(90, 200, false, 0), [&](unsigned *to, Buffer &index) {
    ahead<<<6, 128>>>(to, table.as<unsigned>(), table.as<unsigned>(), index.as<int>(), 90, 256);
  });
  test("by warp 40", indices(2 * 7 * 40, 200, true, 0), [&](unsigned *to, Buffer &index) {
    by_warp<40><<<2, 64>>>(to, table.as<unsigned>(), index.as<int>(), 7, 96);
  });
  test("by warp 7", indices(2 * 5 * 7, 200, true, 0), [&](unsigned *to, Buffer &index) {
    by_warp<7><<<2, 64>>>(to, table.as<unsigned>(), index.as<int>(), 5, 96);
  });
  test("scattered", indices(96, 101, true, 0), [&](unsigned *to, Buffer &index) {
    scattered<<<dim3(4, 2), 128>>>(to, table.as<unsigned>(), index.as<int>(), 80, 128);
  });
  test("combined", indices(96, 50, false, 0u), [&](unsigned *to, Buffer &index) {
    combined<<<4, 128>>>(to, table.as<unsigned>(), index.as<unsigned>(), 64);
  });
  return 0;
}
