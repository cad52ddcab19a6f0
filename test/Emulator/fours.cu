// Rows that are too short to be copied one by one, and which gather4 and scatter4 copy four at
// once: round trips of 64, 32 and 16 halves with a swizzle of as many bytes, of 64 bytes as they
// are, and of what a guard leaves out. On Hopper, those of 128 bytes go one by one, and all
// others run as they were written; everywhere they leave the same bytes. Of docs/parity.md: boxes of
// one row for tiles of four (R1.9), their swizzles (R1.11, R1.12), the round trips themselves (R1.32,
// R1.34), with or without a device (R1.35), and on Hopper (R1.38).
//
// RUN: env TILELIFT_VERBOSE=1 %run --arch=sm_100a --compare --schedules=1 %s > %t.100.log 2>&1
// RUN: grep -v CHECK %t.100.log | %FileCheck %s --check-prefixes=CHECK,FOURS
// RUN: env TILELIFT_VERBOSE=1 %run --arch=sm_90a -Wno-plain-on-device --compare %s > %t.90.log 2>&1
// RUN: grep -v CHECK %t.90.log | %FileCheck %s --check-prefixes=CHECK,ONE
// RUN: env TILELIFT_VERBOSE=1 %run --arch=sm_120a -Wno-plain-on-device --compare %s > %t.120.log 2>&1
// RUN: grep -v CHECK %t.120.log | %FileCheck %s --check-prefixes=CHECK,DESK
//
// RUN: %lift-and-check %s %t.cu && grep -v CHECK %t.cu | %FileCheck %s --check-prefix=TEXT
// RUN: %tilelift --dump-plan %s -o /dev/null | %FileCheck %s --check-prefix=PLAN
// RUN: %nvcc -gencode arch=compute_100a,code=sm_100a -cubin %t.cu -o %t.cubin
// RUN: %nvcc -arch=compute_100a -ptx %t.cu -o %t.ptx && %FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %tilelift --remarks %s -o /dev/null 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %tilelift --arch=sm_90a %s -o /dev/null 2>&1 | grep "warnin[g]: on sm_90 every launch runs the plain kernel: gathering rows of '.*' that are less than 128 bytes apart needs sm_100 or later .-Wtilelift-plain-on-device."
// RUN: %tilelift --arch=sm_90a %s -o /dev/null 2>&1 | grep -c "warnin[g]: on sm_90 every launch runs the plain kernel: scattering rows of 'tile' that are less than 128 bytes apart needs sm_100a, sm_103a or sm_110a " | grep -x 2
// RUN: %tilelift --arch=sm_100 %s -o /dev/null 2>&1 | grep -c "warnin[g]: on sm_100 every launch .* scattering rows" | grep -x 2
// RUN: %tilelift --arch=sm_120a %s -o /dev/null 2>&1 | grep -c "warnin[g]: on sm_120 every launch .* scattering rows" | grep -x 2
// RUN: %tilelift --arch=sm_100a -Werror=plain-on-device %s -o /dev/null
//
// One row of the box, four of the tile.
// PLAN: "box": 64,
// PLAN: "box": 1,
// PLAN: "byFours": false,
// PLAN-NEXT: "count": 4,
// PLAN-NEXT: "distance": 128,
// PLAN: "byFours": true,
// PLAN-NEXT: "count": 4,
// PLAN-NEXT: "distance": 64,
//
// TEXT: using tile_box = tilelift::box<unsigned short, 64, 1>;
// TEXT: using tile_box = tilelift::box<unsigned short, 32, 1>;
// TEXT: if (tilelift::scatters_by_fours()) {
// TEXT: launch.compiled_as(halves_32_tma, facts);
// TEXT-NEXT: launch.require_fours("tile", 64);
// TEXT: launch.require_fours("tile", 32);
//
// PTX-COUNT-3: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4
// PTX: cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4
//
// REMARK: remark: lifted under a guard: scatter of 4 rows: tile copies of 1 x 32 u16 (256 bytes) from 'tile' to 'to', rows of 32 elements, starting at 0, swizzled by 64 bytes
// REMARK: note: at launch: the device copies four rows at once, as compute capability 10.0 does
//
// FOURS-DAG: tilelift: halves_64: TMA
// FOURS-DAG: tilelift: halves_32: TMA
// FOURS-DAG: tilelift: halves_16: TMA
// FOURS-DAG: tilelift: plain_rows: TMA
// FOURS-DAG: tilelift: with_holes: TMA
// FOURS-DAG: tilelift: by_columns: TMA
//
// ONE-DAG: tilelift: halves_64: TMA
// ONE-DAG: tilelift: halves_32: plain, rows of 'tile' are 64 bytes apart, and only from compute capability 10.0 on are four of them copied at once; each by itself starts on a multiple of 128 [row-start]
// ONE-DAG: tilelift: halves_16: plain, rows of 'tile' are 32 bytes apart,
// ONE-DAG: tilelift: plain_rows: plain, rows of 'tile' are 64 bytes apart,
// ONE-DAG: tilelift: with_holes: plain, rows of 'tile' are 64 bytes apart,
// ONE-DAG: tilelift: by_columns: TMA
//
// What is stored has no other way on a desktop; the kernel tests it.
// DESK-DAG: tilelift: halves_64: TMA
// DESK-DAG: tilelift: halves_32: TMA
// DESK-DAG: tilelift: with_holes: TMA
//
// CHECK-DAG: halves_64: 4 rows are those of the table, 60 are as they were
// CHECK-DAG: halves_32: 4 rows are those of the table, 60 are as they were
// CHECK-DAG: halves_16: 4 rows are those of the table, 60 are as they were
// CHECK-DAG: plain_rows: the sums are right
// CHECK-DAG: with_holes: the sums are right
// CHECK-DAG: by_columns: the sums are right
//
// Rows that may lie elsewhere are laid 128 bytes apart, unless the device is known to copy four at once.
// RUN: %tilelift %s -o - | grep "tile = tilelift::[t]ile<::half_bits.4..32., 64, 0>" | count 1
// RUN: %tilelift --arch=sm_100a %s -o - | grep -v CLOSE | %FileCheck %s --check-prefix=CLOSE
// CLOSE: struct by_columns_tma_plan
// CLOSE-NOT: using tile = tilelift::tile<
// CLOSE: using tile_box = tilelift::box<unsigned short, 32, 1>;

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

using half_bits = unsigned short;
constexpr int Height = 64, Width = 64;

__global__ void halves_64(half_bits *__restrict__ to, const half_bits *__restrict__ table,
                          const unsigned char *__restrict__ rows) {
  __shared__ half_bits tile[4][64];
#pragma tma load swizzle(128)
  for (int i = threadIdx.x; i < 4 * 64; i += 32)
    tile[i / 64][i % 64] = table[rows[i / 64] * Width + i % 64];
  __syncthreads();
#pragma tma store swizzle(128)
  for (int i = threadIdx.x; i < 4 * 64; i += 32)
    to[rows[i / 64] * Width + i % 64] = tile[i / 64][i % 64];
}

__global__ void halves_32(half_bits *__restrict__ to, const half_bits *__restrict__ table,
                          const unsigned char *__restrict__ rows, int column) {
  __shared__ half_bits tile[4][32];
#pragma tma load swizzle(64)
  for (int i = threadIdx.x; i < 4 * 32; i += 32)
    tile[i / 32][i % 32] = table[rows[i / 32] * Width + column * 8 + i % 32];
  __syncthreads();
#pragma tma store swizzle(64)
  for (int i = threadIdx.x; i < 4 * 32; i += 32)
    to[rows[i / 32] * Width + column * 8 + i % 32] = tile[i / 32][i % 32];
}

__global__ void halves_16(half_bits *__restrict__ to, const half_bits *__restrict__ table,
                          const unsigned char *__restrict__ rows, int column) {
  __shared__ half_bits tile[4][16];
#pragma tma load swizzle(32)
  for (int i = threadIdx.x; i < 4 * 16; i += 32)
    tile[i / 16][i % 16] = table[rows[i / 16] * Width + column * 8 + i % 16];
  __syncthreads();
#pragma tma store swizzle(32)
  for (int i = threadIdx.x; i < 4 * 16; i += 32)
    to[rows[i / 16] * Width + column * 8 + i % 16] = tile[i / 16][i % 16];
}

// Eight rows, read as they lie: the tile's address is kept, and columns end within it.
__global__ void plain_rows(unsigned *__restrict__ out, const half_bits *__restrict__ table,
                           const unsigned char *__restrict__ rows, int width) {
  __shared__ alignas(128) half_bits tile[8][32];
#pragma tma load
  for (int i = threadIdx.x; i < 8 * 32; i += 32)
    tile[i / 32][i % 32] = i % 32 < width ? table[rows[i / 32] * Width + i % 32] : 0;
  __syncthreads();
  const unsigned *words = reinterpret_cast<const unsigned *>(&tile[0][0]);
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i)
    sum = sum * 31 + words[threadIdx.x * 4 + i];
  out[threadIdx.x] = sum;
}

// Of four rows, some are none.
__global__ void with_holes(unsigned *__restrict__ out, const half_bits *__restrict__ table,
                           const unsigned char *__restrict__ rows, int limit) {
  __shared__ half_bits tile[4][32];
#pragma tma load swizzle(64)
  for (int i = threadIdx.x; i < 4 * 32; i += 32)
    tile[i / 32][i % 32] = rows[i / 32] < limit ? table[rows[i / 32] * Width + i % 32] : 0;
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i)
    sum = sum * 31 + tile[i][threadIdx.x];
  out[threadIdx.x] = sum;
}

// Whose tile may be laid out otherwise.
__global__ void by_columns(unsigned *__restrict__ out, const half_bits *__restrict__ table,
                           const unsigned char *__restrict__ rows, int width) {
  __shared__ half_bits tile[4][32];
#pragma tma load swizzle(none)
  for (int i = threadIdx.x; i < 4 * 32; i += 32)
    tile[i / 32][i % 32] = i % 32 < width ? table[rows[i / 32] * Width + i % 32] : 0;
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i)
    sum = sum * 31 + tile[i][threadIdx.x];
  out[threadIdx.x] = sum;
}

int main() {
  std::vector<half_bits> numbers(Height * Width), got(Height * Width);
  for (int i = 0; i < Height * Width; ++i)
    numbers[i] = half_bits(i * 7 + 1);
  const unsigned char rows[8] = {3, 17, 60, 8, 60, 60, 3, 8};
  half_bits *table, *to;
  unsigned char *index;
  cudaMalloc(&table, numbers.size() * 2);
  cudaMalloc(&to, numbers.size() * 2);
  cudaMalloc(&index, 8);
  cudaMemcpy(table, numbers.data(), numbers.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(index, rows, 8, cudaMemcpyHostToDevice);
  auto isOne = [&](int row) { return row == 3 || row == 17 || row == 60 || row == 8; };
  auto check = [&](const char *name, int first, int columns) {
    int right = 0, kept = 0;
    cudaMemcpy(got.data(), to, got.size() * 2, cudaMemcpyDeviceToHost);
    for (int row = 0; row < Height; ++row) {
      bool isRight = true;
      for (int i = 0; i < Width; ++i) {
        bool isCopied = isOne(row) && i >= first && i < first + columns;
        isRight &= got[row * Width + i] == (isCopied ? numbers[row * Width + i] : 0);
      }
      (isOne(row) ? right : kept) += isRight;
    }
    std::printf("%s: %d rows are those of the table, %d are as they were\n", name, right, kept);
    cudaMemset(to, 0, got.size() * 2);
  };
  auto checkSums = [&](const char *name, int count, auto expected) {
    std::vector<unsigned> sums(count);
    cudaMemcpy(sums.data(), to, count * 4, cudaMemcpyDeviceToHost);
    bool isRight = true;
    for (int i = 0; i < count; ++i)
      isRight &= sums[i] == expected(i);
    std::printf("%s: the sums are %s\n", name, isRight ? "right" : "wrong");
    cudaMemset(to, 0, got.size() * 2);
  };
  cudaMemset(to, 0, got.size() * 2);
  halves_64<<<1, 32>>>(to, table, index);
  check("halves_64", 0, 64);
  halves_32<<<1, 32>>>(to, table, index, 2);
  check("halves_32", 16, 32);
  halves_16<<<1, 32>>>(to, table, index, 3);
  check("halves_16", 24, 16);
  unsigned *sums = reinterpret_cast<unsigned *>(to);
  plain_rows<<<1, 32>>>(sums, table, index, 29);
  checkSums("plain_rows", 32, [&](int thread) {
    unsigned sum = 0;
    for (int i = 0; i < 4; ++i) {
      auto cell = [&](int at) { return at % 32 < 29 ? numbers[rows[at / 32] * Width + at % 32] : 0; };
      const int at = (thread * 4 + i) * 2;
      sum = sum * 31 + (unsigned(cell(at)) | unsigned(cell(at + 1)) << 16);
    }
    return sum;
  });
  with_holes<<<1, 32>>>(sums, table, index, 17);
  checkSums("with_holes", 32, [&](int thread) {
    unsigned sum = 0;
    for (int i = 0; i < 4; ++i)
      sum = sum * 31 + (rows[i] < 17 ? numbers[rows[i] * Width + thread] : 0);
    return sum;
  });
  by_columns<<<1, 32>>>(sums, table, index, 29);
  checkSums("by_columns", 32, [&](int thread) {
    unsigned sum = 0;
    for (int i = 0; i < 4; ++i)
      sum = sum * 31 + (thread < 29 ? numbers[rows[i] * Width + thread] : 0);
    return sum;
  });
  return cudaDeviceSynchronize() != cudaSuccess;
}
